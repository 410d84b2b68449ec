//! Moves at a rate, whether they are answered in time or not; and how soon watchers have them.

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use mancala::{
    game::GameId,
    grpc::proto::{self, watch_game_response::Message},
};
use tokio::task::JoinSet;
use tonic::{Status, transport::Channel};
use uuid::Uuid;

use super::{
    clients::Player,
    report::{Measured, cpu_time},
    stamped::Commits,
};

/// Seats of a game, each with a watcher.
const SEATS: usize = 2;

/// What is to be sent.
#[derive(Clone)]
pub struct Load {
    /// Games played at once.
    pub games: usize,
    /// Moves a second, of all games together.
    pub rate: f64,
    /// How long.
    pub time: Duration,
    /// If each seat has a watcher, when events were durable.
    pub watched: Option<Arc<Commits>>,
}

/// Latencies.
pub struct Delays {
    /// From the moment that a move was due to its answer.
    pub answered: Measured,
    /// From there to each watcher.
    pub watched: Measured,
    /// From the moment that it was durable to each watcher.
    pub told: Measured,
}

/// When the calls of one game began whose events are those from the second on, and how long watchers
/// waited for these.
#[derive(Default)]
struct Sent {
    due: Vec<Instant>,
    waits: Waits,
}

/// How long watchers waited since a move was due, and since it was durable.
#[derive(Default)]
struct Waits {
    due: Vec<Duration>,
    durable: Vec<Duration>,
}

impl Waits {
    fn append(&mut self, other: &mut Waits) {
        self.due.append(&mut other.due);
        self.durable.append(&mut other.durable);
    }
}

type Shared = Arc<Mutex<Sent>>;

type Watches = (Shared, JoinSet<Result<(), Status>>);

/// Plays games at a rate, evenly.
pub async fn play(channels: &[Channel], load: Load) -> Result<Delays, Box<dyn Error>> {
    let mut players = Vec::new();
    for index in 0..load.games {
        let channel = channels[index % channels.len()].clone();
        let player = Player::new(channel, index as u64).await?;
        let watched = watch(&player, &load.watched).await?;
        players.push((player, watched));
    }
    let (began, cpu) = (Instant::now(), cpu_time());
    let period = Duration::from_secs_f64(load.games as f64 / load.rate);
    let mut playing = JoinSet::new();
    for (index, (player, watched)) in players.into_iter().enumerate() {
        let first = began + period.mul_f64(index as f64 / load.games as f64);
        playing.spawn(play_one(player, watched, load.clone(), first, period));
    }
    let (mut answered, mut waited) = (Vec::new(), Waits::default());
    while let Some(played) = playing.join_next().await {
        let (answers, mut waits) = played??;
        answered.extend(answers);
        waited.append(&mut waits);
    }
    Ok(Delays {
        answered: Measured::new(began, cpu, answered),
        watched: Measured::new(began, cpu, waited.due),
        told: Measured::new(began, cpu, waited.durable),
    })
}

async fn play_one(
    mut player: Player,
    (mut sent, mut watching): Watches,
    load: Load,
    first: Instant,
    period: Duration,
) -> Result<(Vec<Duration>, Waits), Status> {
    let (mut answers, mut waits) = (Vec::new(), Waits::default());
    let (mut scheduled, end) = (first, first + load.time);
    while scheduled < end {
        tokio::time::sleep_until(scheduled.into()).await;
        // The timer's own lateness is not the server's; that of the answer before is.
        let late = Instant::now().duration_since(scheduled) > TIMER;
        let due = if late { scheduled } else { Instant::now() };
        lock(&sent).due.push(due);
        let ended = player.submit_in_game().await?;
        answers.push(due.elapsed());
        scheduled += period;
        if ended {
            finish(&mut watching, &sent, &mut waits).await?;
            player.new_game().await?;
            (sent, watching) = watch(&player, &load.watched).await?;
        }
    }
    // The watches of what is not over end with the measurement.
    waits.append(&mut lock(&sent).waits);
    Ok((answers, waits))
}

/// How late the timer of a quiet client may be.
const TIMER: Duration = Duration::from_millis(2);

/// Watches a game that has just begun, as often as it has seats.
async fn watch(player: &Player, watched: &Option<Arc<Commits>>) -> Result<Watches, Status> {
    let (sent, mut watching) = (Shared::default(), JoinSet::new());
    let Some(commits) = watched else {
        return Ok((sent, watching));
    };
    let id = Uuid::parse_str(player.game_id()).map_err(|_| Status::internal("no game"))?;
    let id = GameId(id);
    for _ in 0..SEATS {
        let (mut stream, sent) = (player.watch().await?, sent.clone());
        let commits = commits.clone();
        watching.spawn(async move {
            while let Some(response) = stream.message().await? {
                if let Some(Message::Event(proto::GameEvent { seq, .. })) = response.message {
                    let mut sent = lock(&sent);
                    let due = usize::try_from(seq).ok().and_then(|seq| seq.checked_sub(2));
                    let due = due.and_then(|due| sent.due.get(due)).copied();
                    sent.waits.due.extend(due.map(|due| due.elapsed()));
                    let durable = commits.of(id, seq).map(|durable| durable.elapsed());
                    sent.waits.durable.extend(durable);
                }
            }
            Ok(())
        });
    }
    Ok((sent, watching))
}

/// Waits for the watches, which end with the game.
async fn finish(
    watching: &mut JoinSet<Result<(), Status>>,
    sent: &Shared,
    waits: &mut Waits,
) -> Result<(), Status> {
    while let Some(watched) = watching.join_next().await {
        watched.map_err(|_| Status::internal("a watcher panicked"))??;
    }
    waits.append(&mut lock(sent).waits);
    Ok(())
}

fn lock(sent: &Shared) -> std::sync::MutexGuard<'_, Sent> {
    sent.lock().unwrap_or_else(PoisonError::into_inner)
}
