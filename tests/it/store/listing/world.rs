//! Many games of all kinds, in a store and beside it.

use std::sync::Arc;

use mancala::{
    game::{
        Command, EndReason, Event, GameId, GameResult, Imported, Moment, MoveByte, NewGame,
        OfferKind, Outages, PlayerId, Record, SEATS_EXPIRE, Seat, Standing, Status, Summary, Time,
        Visibility,
    },
    rules::{BySide, Reason, Side},
    store::{Entry, GameFilter, Store, Subject},
};
use uuid::Uuid;

use crate::{
    store::entries::append_all,
    support::{
        chance::Chance,
        table::{ALICE, BOB, CAROL, Table, new_game},
        variants,
    },
};

/// Everybody who has a part in games.
pub(super) const PLAYERS: [PlayerId; 3] = [ALICE, BOB, CAROL];

/// So many variants are played: enough to tell them apart, few enough for some games of each.
pub(super) const VARIANTS: usize = 3;

/// Games, in order of creation, and what makes them and plays them on.
pub(crate) struct World {
    pub(crate) games: Vec<Table>,
    pub(super) chance: Chance,
}

impl World {
    /// Appends games of all kinds, whose events come in turns.
    pub(crate) async fn fill(store: &impl Store, games: usize) -> World {
        let mut world = World {
            games: Vec::new(),
            chance: Chance::new(3),
        };
        while world.games.len() < games {
            world.create(store).await;
            for _ in 0..6 {
                world.change(store).await;
            }
        }
        world
    }

    /// Appends the creation of a game; times of creation are not in order.
    pub(super) async fn create(&mut self, store: &impl Store) {
        let seats = [
            Seat::Open,
            Seat::Player(ALICE),
            Seat::Player(BOB),
            Seat::Invited(BOB),
            Seat::Invited(CAROL),
        ];
        let visibilities = [
            Visibility::Public,
            Visibility::Public,
            Visibility::Unlisted,
            Visibility::Private,
        ];
        let chance = &mut self.chance;
        let variant = *chance.of(&variants()[..VARIANTS]);
        let new = NewGame {
            // Ids are not in order of creation.
            game_id: GameId(Uuid::from_u128(1_000_000 - self.games.len() as u128)),
            creator: *chance.of(&PLAYERS),
            seats: BySide::from_fn(|_| *chance.of(&seats)),
            visibility: *chance.of(&visibilities),
            ..new_game(variant)
        };
        let time = Time(1_000 + 10 * chance.below(20) as i64);
        let mut record = new.create(None, time).unwrap();
        if chance.below(6) == 0 {
            import(&mut record, chance);
        }
        let table = Table::begin(record);
        let entry = Entry::Game(table.log[0].clone());
        append_all(store, subject(table.game.summary()), &[entry]).await;
        self.games.push(table);
    }

    /// Tries something in a game that is not over, and appends what comes of it.
    pub(super) async fn change(&mut self, store: &impl Store) {
        let chance = &mut self.chance;
        let index = chance.below(self.games.len());
        let table = &mut self.games[index];
        let state = *table.game.state();
        let side = match chance.below(3) {
            0 => None,
            _ => Some(*chance.of(&Side::BOTH)),
        };
        let (join_code, expected_turn) = (String::new(), None);
        let legal = table.game.rules().legal_moves(&state.position);
        let kind = *chance.of(&[OfferKind::Draw, OfferKind::Takeback]);
        let command = match chance.below(16) {
            0 => Command::Abort,
            1 => Command::Resign { side },
            2..5 => Command::Join { side, join_code },
            5..8 => Command::Offer {
                kind,
                side,
                expected_turn,
            },
            8..12 => Command::Answer {
                offer: state.offer.map_or(0, |offer| offer.id),
                accept: chance.below(2) == 0,
            },
            _ => Command::Move {
                hole: legal.iter().next().unwrap_or(0).into(),
                expected_turn,
            },
        };
        let player = *chance.of(&PLAYERS);
        if table.act(player, &command).is_ok() {
            let entry = Entry::Game(table.log[table.log.len() - 1].clone());
            append_all(store, subject(table.game.summary()), &[entry]).await;
        }
    }

    /// Lets the time of a game run out.
    pub(super) async fn time_out(&mut self, store: &impl Store, id: GameId) {
        let mut tables = self.games.iter_mut();
        let table = tables.find(|table| table.game.created().game_id == id);
        let table = table.unwrap();
        let outages = Outages::default();
        let moment = Moment::at(Time(table.now.0 + SEATS_EXPIRE * 30), &outages);
        let record = table.game.time_out(&moment).unwrap();
        table.game.apply(&record).unwrap();
        append_all(store, Subject::Game(id), &[Entry::Game(record)]).await;
    }

    /// What the games are that fit a filter, newest first.
    pub(crate) fn listed(&self, filter: &GameFilter) -> Vec<&Summary> {
        let games = self.games.iter().rev().map(|table| table.game.summary());
        games.filter(|game| fits(game, filter)).collect()
    }
}

/// Makes a creation one of a game that was played elsewhere.
fn import(record: &mut Record, chance: &mut Chance) {
    let Event::Created(created) = &mut record.event else {
        panic!("a creation")
    };
    let created = Arc::make_mut(created);
    let start = record.state.position;
    let rules = created.rules().unwrap().clone();
    let hole = rules.legal_moves(&start).iter().next().unwrap();
    created.seats = BySide::from_fn(|_| Seat::Named);
    created.creator = *chance.of(&PLAYERS);
    record.state = Standing {
        position: rules.play(&start, hole.into()).unwrap().position,
        status: Status::Finished,
        result: Some(GameResult {
            winner: Some(Side::South),
            reason: EndReason::Rules(Reason::NoMoves),
            score: BySide { south: 2, north: 1 },
        }),
        ..record.state
    };
    created.imported = Some(Box::new(Imported {
        start,
        moves: vec![MoveByte::new(Side::South, hole)],
        rounds: Vec::new(),
        names: BySide::from_fn(|side| format!("{side:?}")),
        date: String::new(),
    }));
}

pub(super) fn subject(game: &Summary) -> Subject {
    Subject::Game(game.created.game_id)
}

/// Whether a list by this filter has a game.
pub(super) fn fits(game: &Summary, filter: &GameFilter) -> bool {
    let GameFilter {
        viewer,
        status,
        player,
        variant,
        open_seat,
    } = filter;
    let seats = [game.seats.south, game.seats.north];
    let owns = |player: PlayerId| {
        let imports = game.created.imported.is_some() && game.created.creator == player;
        imports || seats.contains(&Seat::Player(player)) || seats.contains(&Seat::Invited(player))
    };
    let open = seats.contains(&Seat::Open) && game.state.status == Status::Waiting;
    (game.created.visibility == Visibility::Public || viewer.is_some_and(owns))
        && status.is_none_or(|status| status == game.state.status)
        && player.is_none_or(owns)
        && variant
            .as_ref()
            .is_none_or(|variant| *variant == game.created.variant)
        && (!open_seat || open)
}

/// All that a list tells of a game.
pub(crate) fn told(summary: &Summary) -> String {
    let Summary {
        created,
        start,
        state,
        seats,
        seq,
        create_time,
        update_time,
    } = summary;
    let created = crate::support::table::created_told(created);
    format!("{created} {start:?} {state:?} {seats:?} {seq} {create_time:?} {update_time:?}")
}
