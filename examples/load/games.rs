//! Many games, made without a service and stored.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use mancala::{
    catalog::{Catalog, Variant},
    game::{
        Command, Decision, EndReason, Event, Game, GameId, GameResult, Imported, Moment, NewGame,
        Outages, PlayerId, Record, Seat, Status, Time, TimeControl, Visibility,
    },
    rules::{BySide, Reason, Side},
    store::{Entry, Log as _, Sqlite, Subject},
};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::lot::Lot;

/// How often progress is shown.
const PERIOD: Duration = Duration::from_secs(1);

type Failed = Box<dyn Error + Send + Sync>;

/// Makes games by lot.
pub struct Maker<'a> {
    variants: Vec<&'a Variant>,
    players: &'a [PlayerId],
    lot: Lot,
}

impl<'a> Maker<'a> {
    /// Games of all variants and of these players, of whom the first have most.
    pub fn new(catalog: &'a Catalog, players: &'a [PlayerId]) -> Maker<'a> {
        Maker {
            variants: catalog.iter().map(|variant| &**variant).collect(),
            players,
            lot: Lot(1),
        }
    }

    fn player(&mut self) -> PlayerId {
        // The share of the n-th falls about as 1/n.
        let place = (self.players.len() as f64).powf(self.lot.share()) - 1.0;
        self.players[place as usize % self.players.len()]
    }

    /// All events of a game.
    fn game(&mut self, now: Time) -> Result<Vec<Record>, Failed> {
        let variant = self.variants[self.lot.below(self.variants.len())];
        let (one, other) = (self.player(), self.player());
        let kind = self.lot.below(100);
        let north = match kind {
            0..6 => Seat::Open,
            6..10 => Seat::Invited(other),
            _ => Seat::Player(other),
        };
        let new = NewGame {
            game_id: GameId(Uuid::new_v4()),
            creator: one,
            variant: variant.id.clone(),
            rule_set: variant.rule_set().clone(),
            holes: None,
            seeds: None,
            seats: BySide {
                south: Seat::Player(one),
                north,
            },
            first: Side::South,
            time_control: TimeControl::default(),
            target_wins: 1,
            visibility: match self.lot.below(10) {
                0..7 => Visibility::Public,
                7 => Visibility::Unlisted,
                _ => Visibility::Private,
            },
            join_code: None,
            start: None,
            rematch_of: None,
        };
        let mut records = vec![new.create(None, now)?];
        let side = Some(Side::South);
        match kind {
            ..20 => {}
            20..25 => self.play(&mut records, 3)?,
            25..30 => {
                self.play(&mut records, 4)?;
                act(&mut records, &Command::Resign { side }, one)?;
            }
            30..45 => act(&mut records, &Command::Abort, one)?,
            45..48 => import(&mut records[0])?,
            _ => act(&mut records, &Command::Resign { side }, one)?,
        }
        Ok(records)
    }

    /// Plays some moves by lot.
    fn play(&mut self, records: &mut Vec<Record>, moves: usize) -> Result<(), Failed> {
        for _ in 0..moves {
            let game = Game::replay(records)?;
            let position = game.state().position;
            let legal: Vec<u8> = game.rules().legal_moves(&position).iter().collect();
            let to_move = position.to_move().map(|side| game.summary().seats[side]);
            let Some(Seat::Player(player)) = to_move else {
                return Ok(());
            };
            let command = Command::Move {
                hole: legal[self.lot.below(legal.len())].into(),
                expected_turn: None,
            };
            act(records, &command, player)?;
        }
        Ok(())
    }
}

fn act(records: &mut Vec<Record>, command: &Command, player: PlayerId) -> Result<(), Failed> {
    let now = records.last().map_or(Time(0), |last| last.time);
    let outages = Outages::default();
    let moment = Moment::at(now, &outages);
    match Game::replay(records)?.decide(command, player, None, &moment)? {
        Decision::New(record) => records.push(record),
        Decision::TimeIsUp(_) => return Err("no time passes".into()),
        Decision::Repeated(_) => return Err("a request without an id can't be a retry".into()),
    }
    Ok(())
}

/// Makes a creation one of a game played elsewhere.
fn import(record: &mut Record) -> Result<(), Failed> {
    let Event::Created(created) = &mut record.event else {
        return Err("the first event is a creation".into());
    };
    let created = Arc::make_mut(created);
    created.seats = BySide::from_fn(|_| Seat::Named);
    created.imported = Some(Box::new(Imported {
        start: record.state.position,
        moves: Vec::new(),
        rounds: Vec::new(),
        names: BySide::from_fn(|_| "Somebody".into()),
        date: String::new(),
    }));
    record.state.status = Status::Finished;
    record.state.result = Some(GameResult {
        winner: Some(Side::South),
        reason: EndReason::Rules(Reason::NoMoves),
        score: BySide { south: 2, north: 1 },
    });
    Ok(())
}

/// What was stored.
pub struct Stored {
    /// How long it took.
    pub time: Duration,
    /// How many events it were.
    pub events: usize,
    /// Some public games, from all times.
    pub public: Vec<GameId>,
}

/// Stores so many games, with so many in flight, and shows how far it is.
pub async fn store(
    store: &Arc<Sqlite>,
    maker: &mut Maker<'_>,
    games: usize,
    in_flight: usize,
) -> Result<Stored, Failed> {
    let (began, mut shown) = (Instant::now(), Instant::now());
    let (mut events, mut public) = (0, Vec::new());
    let mut storing = JoinSet::new();
    for number in 0..games {
        if storing.len() >= in_flight {
            storing.join_next().await.transpose()?.transpose()?;
        }
        let records = maker.game(Time::from_system(SystemTime::now()))?;
        events += records.len();
        if let Event::Created(created) = &records[0].event
            && created.visibility == Visibility::Public
            && number % 100 == 0
        {
            public.push(created.game_id);
        }
        storing.spawn(append(store.clone(), records));
        if shown.elapsed() > PERIOD {
            shown = Instant::now();
            let a_second = number as f64 / began.elapsed().as_secs_f64();
            eprint!("\r{number} of {games} games stored, {a_second:.0}/s   ");
        }
    }
    while let Some(stored) = storing.join_next().await {
        stored??;
    }
    eprintln!("\r{games} games stored                                    ");
    let time = began.elapsed();
    Ok(Stored {
        time,
        events,
        public,
    })
}

async fn append(store: Arc<Sqlite>, records: Vec<Record>) -> Result<(), Failed> {
    let Some(Event::Created(created)) = records.first().map(|first| &first.event) else {
        return Err("the first event is a creation".into());
    };
    let subject = Subject::Game(created.game_id);
    for record in records {
        store.append(subject, Entry::Game(record)).await?;
    }
    Ok(())
}
