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
        Outages, PlayerId, Record, Request, Seat, Status, Time, TimeControl, Visibility,
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

    fn variant(&mut self) -> &'a Variant {
        self.variants[self.lot.below(self.variants.len())]
    }

    /// All events of a game that is over after a few.
    fn finished(&mut self, now: Time) -> Result<Vec<Record>, Failed> {
        let (one, other) = (self.player(), self.player());
        let mut records = vec![new_game(self.variant(), [one, other]).create(None, now)?];
        self.play(&mut records, 4)?;
        let side = Some(Side::South);
        act(&mut records, &Command::Resign { side }, one)?;
        Ok(records)
    }

    /// The events of a game whose clocks run.
    fn clocked(&mut self, now: Time) -> Result<Vec<Record>, Failed> {
        let players = [self.player(), self.player()];
        let mut new = new_game(self.variant(), players);
        new.time_control = CLOCK;
        let mut records = vec![new.create(None, now)?];
        self.play(&mut records, 4)?;
        Ok(records)
    }

    /// All events of a game of any kind.
    fn game(&mut self, now: Time) -> Result<Vec<Record>, Failed> {
        let variant = self.variant();
        let (one, other) = (self.player(), self.player());
        let kind = self.lot.below(100);
        let mut new = new_game(variant, [one, other]);
        new.seats.north = match kind {
            0..6 => Seat::Open,
            6..10 => Seat::Invited(other),
            _ => Seat::Player(other),
        };
        new.visibility = match self.lot.below(10) {
            0..7 => Visibility::Public,
            7 => Visibility::Unlisted,
            _ => Visibility::Private,
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

/// An hour for all moves and ten seconds more after each.
const CLOCK: TimeControl = TimeControl::Base {
    base: 60 * 60 * 1_000,
    increment: 10_000,
};

/// A game of two players from the start.
pub fn new_game(variant: &Variant, [south, north]: [PlayerId; 2]) -> NewGame {
    NewGame {
        game_id: GameId(Uuid::new_v4()),
        creator: south,
        variant: variant.id.clone(),
        rule_set: variant.rule_set().clone(),
        holes: None,
        seeds: None,
        seats: BySide {
            south: Seat::Player(south),
            north: Seat::Player(north),
        },
        first: Side::South,
        time_control: TimeControl::default(),
        target_wins: 1,
        visibility: Visibility::Public,
        join_code: None,
        start: None,
        rematch_of: None,
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

/// The log of a game that goes on, to be copied.
pub struct Template(Vec<Record>);

impl Template {
    /// A game with so many moves behind it, each of which had a request id.
    pub fn of_ply(catalog: &Catalog, ply: usize) -> Result<Template, Failed> {
        let variant = catalog.get("en-dodoi").ok_or("no such variant")?;
        let player = PlayerId(Uuid::new_v4());
        let mut maker = Maker::new(catalog, std::slice::from_ref(&player));
        loop {
            let now = Time::from_system(SystemTime::now());
            let mut records = vec![new_game(variant, [player; 2]).create(None, now)?];
            maker.play(&mut records, ply)?;
            if records.len() == ply + 1 && Game::replay(&records)?.state().result.is_none() {
                return Ok(Template(records));
            }
        }
    }

    /// The log of another game that went alike.
    fn copy(&self, id: GameId) -> Vec<Record> {
        let mut records = self.0.clone();
        for record in &mut records {
            if let Event::Created(created) = &mut record.event {
                Arc::make_mut(created).game_id = id;
            }
            record.request = Some(Request {
                key: Uuid::new_v4().into_bytes(),
                fingerprint: [0; 16],
            });
        }
        records
    }
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

/// Stores so many games of all kinds, with so many in flight, and shows how far it is.
pub async fn store(
    store: &Arc<Sqlite>,
    maker: &mut Maker<'_>,
    games: usize,
    in_flight: usize,
) -> Result<Stored, Failed> {
    let began = Instant::now();
    let (mut events, mut public) = (0, Vec::new());
    let make = |number| {
        let records = maker.game(Time::from_system(SystemTime::now()))?;
        events += records.len();
        if let Event::Created(created) = &records[0].event
            && created.visibility == Visibility::Public
            && number % 100 == 0
        {
            public.push(created.game_id);
        }
        Ok(records)
    };
    store_all(store, games, in_flight, make).await?;
    let time = began.elapsed();
    Ok(Stored {
        time,
        events,
        public,
    })
}

/// Stores games that are over, and then some whose clocks run.
pub async fn store_over(
    store: &Arc<Sqlite>,
    maker: &mut Maker<'_>,
    finished: usize,
    clocked: usize,
    in_flight: usize,
) -> Result<(), Failed> {
    let make = |number| {
        let now = Time::from_system(SystemTime::now());
        if number < finished {
            maker.finished(now)
        } else {
            maker.clocked(now)
        }
    };
    store_all(store, finished + clocked, in_flight, make).await
}

/// Stores copies of a game, and gives their ids.
pub async fn copies(
    store: &Arc<Sqlite>,
    template: &Template,
    games: usize,
    in_flight: usize,
) -> Result<Vec<GameId>, Failed> {
    let mut ids = Vec::new();
    let make = |_| {
        let id = GameId(Uuid::new_v4());
        ids.push(id);
        Ok(template.copy(id))
    };
    store_all(store, games, in_flight, make).await?;
    Ok(ids)
}

/// Players of whom nothing but their ids is known.
pub fn players(count: usize) -> Vec<PlayerId> {
    (0..count).map(|_| PlayerId(Uuid::new_v4())).collect()
}

async fn store_all(
    store: &Arc<Sqlite>,
    games: usize,
    in_flight: usize,
    mut make: impl FnMut(usize) -> Result<Vec<Record>, Failed>,
) -> Result<(), Failed> {
    let (began, mut shown) = (Instant::now(), Instant::now());
    let mut storing = JoinSet::new();
    for number in 0..games {
        if storing.len() >= in_flight {
            storing.join_next().await.transpose()?.transpose()?;
        }
        storing.spawn(append(store.clone(), make(number)?));
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
    Ok(())
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
