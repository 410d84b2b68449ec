//! A round: clients, watchers and the nemesis at a new server for a while, then all is read once more and the
//! server is stopped.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use mancala::grpc::proto::{self, GameStatus};
use prost::Message as _;
use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};

use super::{
    chance::Chance,
    client::{Client, World},
    history::{Answer, Line, Tally},
    methods::{Method, decode},
    nemesis,
    server::{Kind, Place, Server},
    tables::{Table, Tables},
    watcher::Watcher,
    wire::{Player, Wire},
};

/// Connections that all share.
const CONNECTIONS: usize = 6;

/// Watchers of games, and how many inboxes are followed.
const WATCHERS: usize = 8;
const INBOXES: usize = 10;

/// How long a quiet server may take to answer, or a watcher to read the whole of a game that is over.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often is told how far it is.
const PROGRESS: Duration = Duration::from_secs(10);

/// What a round is made of.
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) clients: usize,
    pub(crate) time: Duration,
    pub(crate) program: PathBuf,
}

/// What a round has left.
pub(crate) struct Left {
    pub(crate) lines: Vec<Line>,
    pub(crate) tally: Tally,
    /// What the servers wrote, but for the oldest.
    pub(crate) wrote: Vec<String>,
}

/// Goes through a round over a data folder.
///
/// # Errors
///
/// Says what kept it from its end.
pub(crate) async fn run(plan: &Plan, folder: &Path) -> Result<Left, String> {
    let place = Place::new(&plan.program, folder.to_owned());
    let server = place.start(Kind::Real).await?;
    let world = Arc::new(World {
        wire: Wire::new(&place.address, CONNECTIONS),
        tables: Tables::default(),
        over: false.into(),
    });
    let history = world.wire.history.clone();
    let variants = begin(&world, plan).await?;
    let end = Instant::now() + plan.time;
    let mut busy = JoinSet::new();
    // Each has a seed of its own, so that no one's choices change another's.
    let mut seeds = Chance::new(plan.seed);
    let mut seed = || seeds.below(1 << 31) as u64;
    let players: Vec<Player> = (0..plan.clients)
        .filter_map(|index| world.tables.nth(index))
        .collect();
    for player in &players {
        let client = Client::new(world.clone(), player.clone(), seed());
        busy.spawn(client.play(variants.clone()));
    }
    for _ in 0..WATCHERS {
        busy.spawn(Watcher::new(world.clone(), seed()).watch_games());
    }
    for player in players.iter().take(INBOXES) {
        busy.spawn(Watcher::new(world.clone(), seed()).watch_player(player.clone()));
    }
    let harmed = {
        let harming = nemesis::harm(&place, server, &history, seed(), end);
        tokio::pin!(harming);
        let began = Instant::now();
        loop {
            match timeout(PROGRESS, &mut harming).await {
                Ok(harmed) => break harmed,
                Err(_) => progress(began.elapsed(), &history.tally()),
            }
        }
    };
    world.over.store(true, Ordering::Relaxed);
    let server = harmed?;
    server.kill().await;
    let server = place.start(Kind::Real).await?;
    while let Some(ended) = busy.join_next().await {
        ended.map_err(|error| format!("a client failed: {error}"))?;
    }
    read_all(&world).await;
    finish(server, &world).await;
    if place.panicked() {
        history.deed("a server panicked", true);
    }
    Ok(Left {
        tally: history.tally(),
        lines: history.take(),
        wrote: place.lines(),
    })
}

fn progress(time: Duration, tally: &Tally) {
    let started = tally
        .deeds
        .iter()
        .filter(|(what, _)| what.starts_with("started"));
    let restarts: u64 = started.map(|(_, count)| count).sum();
    let faults = tally.deeds.values().sum::<u64>() - restarts;
    eprintln!(
        "{:>5} s: {} calls, {} done, {} messages watched, {restarts} restarts, {faults} faults",
        time.as_secs(),
        tally.calls(),
        tally.acked(),
        tally.told,
    );
}

/// Registers the players, and asks which variants there are.
async fn begin(world: &World, plan: &Plan) -> Result<Vec<proto::VariantSummary>, String> {
    let nobody = Player::default();
    let ask = |method, request| world.wire.call(0, &nobody, method, request, PATIENCE);
    for index in 0..plan.clients {
        let request = proto::RegisterPlayerRequest {
            name: format!("Player {index}"),
            kind: proto::PlayerKind::Bot.into(),
            request_id: uuid::Builder::from_random_bytes(
                u128::from(plan.seed * 1_000 + index as u64).to_be_bytes(),
            )
            .into_uuid()
            .to_string(),
        };
        // Twice: the same player comes of it.
        for _ in 0..2 {
            let answer = ask(Method::RegisterPlayer, request.encode_to_vec()).await;
            let Answer::Done(answer) = answer else {
                return Err(format!("nobody can be registered: {answer:?}"));
            };
            let answer: proto::RegisterPlayerResponse = decode(&answer);
            let id = answer.player.unwrap_or_default().player_id;
            if world.tables.player_of(&id).is_none() {
                world.tables.seat(Player {
                    id,
                    token: answer.token,
                });
            }
        }
    }
    match ask(Method::ListVariants, Vec::new()).await {
        Answer::Done(answer) => Ok(decode::<proto::ListVariantsResponse>(&answer).variants),
        other => Err(format!("no variants: {other:?}")),
    }
}

/// Reads all games once more at a server to which nothing is done, and watches some that are over.
async fn read_all(world: &World) {
    let finished = |table: &Table| table.is(GameStatus::Finished);
    let mut watched = 0;
    for table in world.tables.games() {
        let game_id = table.game.game_id.clone();
        let owner = world.tables.player_of(table.owner()).unwrap_or_default();
        let get = proto::GetGameRequest {
            game_id: game_id.clone(),
        };
        let answer = world
            .wire
            .call(0, &owner, Method::GetGame, get.encode_to_vec(), PATIENCE);
        if let Answer::Done(answer) = answer.await
            && let Some(game) = Method::GetGame.game(&answer)
        {
            world.tables.hear(&game, "");
        }
        let events = proto::ListGameEventsRequest {
            game_id: game_id.clone(),
            page_size: 200,
            omit_steps: true,
            ..Default::default()
        };
        let events = events.encode_to_vec();
        world
            .wire
            .call(0, &owner, Method::ListGameEvents, events, PATIENCE)
            .await;
        if finished(&table) && watched < 25 {
            watched += 1;
            let request = proto::WatchGameRequest {
                game_id,
                after_seq: Some(0),
                omit_steps: true,
            };
            let request = request.encode_to_vec();
            let mut stream = world.wire.open(0, &owner, Method::WatchGame, request).await;
            let read = async { while stream.next().await.is_some() {} };
            if timeout(PATIENCE, read).await.is_err() {
                let history = &world.wire.history;
                history.deed("a watch of a game that is over does not end", true);
            }
        }
    }
}

async fn finish(server: Server, world: &World) {
    if let Err(problem) = server.stop().await {
        world.wire.history.deed(problem, true);
    }
}
