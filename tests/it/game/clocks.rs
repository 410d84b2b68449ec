//! Clocks as functions of events, outages and the moment that is asked about.

use mancala::{
    game::{
        Clocks, Command, CreateError, Decision, EndReason, Event, Game, GameId, LONGEST_SILENCE,
        Moment, NewGame, OfferKind, Outages, PlayerId, Record, Refusal, Seat, Status, SystemRecord,
        Time, TimeControl,
    },
    rules::{BySide, Side},
};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::{
    chance::Chance,
    table::{ALICE, BOB, Table, new_game, play, told},
    variants,
};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 24 * 60 * MINUTE;

/// One minute for all moves and two seconds more after each.
const BLITZ: TimeControl = TimeControl::Base {
    base: MINUTE,
    increment: 2 * SECOND,
};
const TEN_SECONDS_A_MOVE: TimeControl = TimeControl::PerMove(10 * SECOND);

/// A game in time, with the outages that are known by now.
struct Timed {
    table: Table,
    outages: Outages,
    newest: Option<SystemRecord>,
}

impl Timed {
    fn new(new: NewGame) -> Timed {
        Timed {
            table: Table::begin(new.create(None, Time(0)).unwrap()),
            outages: Outages::default(),
            newest: None,
        }
    }

    fn of(variant: &str, time_control: TimeControl) -> Timed {
        Timed::new(NewGame {
            time_control,
            ..new_game(variant)
        })
    }

    /// Gives a sign of life.
    fn sign(&mut self, now: i64) {
        let sign = SystemRecord::next(self.newest, Time(now), &self.outages);
        self.outages.follow(&sign);
        self.newest = Some(sign);
    }

    /// Carries out a command that was received at one moment and is decided at another; whether it was,
    /// or the time was up.
    fn decided(
        &mut self,
        player: PlayerId,
        command: &Command,
        received: i64,
        now: i64,
    ) -> Result<bool, Refusal> {
        let moment = Moment {
            received: Time(received),
            now: Time(now),
            outages: &self.outages,
        };
        let decision = self.table.game.decide(command, player, None, &moment)?;
        let (in_time, record) = match decision {
            Decision::New(record) => (true, record),
            Decision::TimeIsUp(record) => (false, record),
            Decision::Repeated(seq) => panic!("{seq} has no request"),
        };
        self.table.game.apply(&record).unwrap();
        self.table.log.push(record);
        Ok(in_time)
    }

    fn act(&mut self, side: Side, command: &Command, now: i64) -> bool {
        self.decided(player(side), command, now, now).unwrap()
    }

    /// Plays a hole for whoever is to move; whether it was in time.
    fn play(&mut self, hole: u32, now: i64) -> bool {
        let side = self.state().to_move.expect("it is not over");
        self.act(side, &play(hole), now)
    }

    fn state(&self) -> Stands {
        let state = self.table.game.state();
        Stands {
            to_move: state.position.to_move(),
            left: state.clocks.left,
            running: state.clocks.running,
            status: state.status,
        }
    }

    fn left(&self) -> (i64, i64) {
        let BySide { south, north } = self.state().left;
        (south, north)
    }

    fn time_out(&self, now: i64) -> Option<Record> {
        let moment = Moment::at(Time(now), &self.outages);
        self.table.game.time_out(&moment)
    }

    /// Asserts that the game ends by time alone at this moment, and not a millisecond before.
    #[track_caller]
    fn assert_ends_at(&self, end: i64) -> Record {
        assert!(self.time_out(end - 1).is_none(), "too early");
        let left = self.table.game.summary().left(Time(end), &self.outages);
        assert_eq!(left, Some(0));
        self.time_out(end).expect("it ends")
    }

    #[track_caller]
    fn assert_flag_falls_at(&self, end: i64, side: Side) {
        let record = self.assert_ends_at(end);
        let Event::TimedOut { side: late } = record.event else {
            panic!("{:?}", record.event)
        };
        assert_eq!(late, side);
        let result = record.state.result.unwrap();
        assert_eq!(result.reason, EndReason::Timeout);
        assert_eq!(result.winner, Some(side.opponent()));
        assert_eq!(record.state.status, Status::Finished);
        let Clocks { left, running, .. } = record.state.clocks;
        assert_eq!((left[side], running), (0, None));
    }

    #[track_caller]
    fn assert_aborted_at(&self, end: i64) {
        let record = self.assert_ends_at(end);
        assert!(matches!(record.event, Event::Aborted { by: None, .. }));
        let result = record.state.result.unwrap();
        assert_eq!((result.winner, result.reason), (None, EndReason::Aborted));
        assert_eq!(record.state.clocks.running, None);
    }
}

struct Stands {
    to_move: Option<Side>,
    left: BySide<i64>,
    running: Option<Side>,
    status: Status,
}

fn player(side: Side) -> PlayerId {
    match side {
        Side::South => ALICE,
        Side::North => BOB,
    }
}

fn offer(kind: OfferKind) -> Command {
    Command::Offer {
        kind,
        side: None,
        expected_turn: None,
    }
}

fn accept(game: &Game) -> Command {
    Command::Answer {
        offer: game.state().offer.unwrap().id,
        accept: true,
    }
}

/// A blitz game of Kalah in which both have made their first moves, at this moment: South is to move.
fn begun(now: i64) -> Timed {
    let mut timed = Timed::of("kalah", BLITZ);
    assert!(timed.play(0, now) && timed.play(0, now));
    timed
}

#[test]
fn without_a_choice_it_is_seven_days_a_move() {
    let mut timed = Timed::of("oware", TimeControl::default());
    assert_eq!(timed.left(), (7 * DAY, 7 * DAY));
    assert_eq!(timed.state().running, Some(Side::South));
    timed.assert_aborted_at(7 * DAY);
    assert!(timed.play(0, DAY));
    assert_eq!(timed.left(), (7 * DAY, 7 * DAY));
    assert!(timed.play(0, 3 * DAY));
    timed.assert_flag_falls_at(10 * DAY, Side::South);
}

#[test]
fn with_time_a_move_it_is_whole_again_each_turn() {
    let mut timed = Timed::of("oware", TEN_SECONDS_A_MOVE);
    let mut now = 0;
    for _ in 0..4 {
        now += 10 * SECOND - 1;
        let hole = timed
            .table
            .game
            .rules()
            .legal_moves(&timed.table.game.state().position);
        let hole = hole.iter().next().unwrap();
        assert!(timed.play(hole.into(), now));
        assert_eq!(timed.left(), (10 * SECOND, 10 * SECOND));
    }
    timed.assert_flag_falls_at(now + 10 * SECOND, Side::South);
}

#[test]
fn first_moves_are_not_timed_and_bring_no_increment() {
    let mut timed = Timed::of("kalah", BLITZ);
    assert_eq!(timed.state().running, None);
    timed.assert_aborted_at(5 * MINUTE);
    assert!(timed.play(0, 4 * MINUTE));
    assert_eq!(
        (timed.left(), timed.state().running),
        ((MINUTE, MINUTE), None)
    );
    // North has five minutes too.
    timed.assert_aborted_at(9 * MINUTE);
    assert!(timed.play(0, 8 * MINUTE));
    assert_eq!(timed.left(), (MINUTE, MINUTE));
    assert_eq!(timed.state().running, Some(Side::South));
    timed.assert_flag_falls_at(9 * MINUTE, Side::South);
}

#[test]
fn a_move_costs_its_time_and_brings_the_increment() {
    let mut timed = begun(0);
    assert!(timed.play(2, 20 * SECOND));
    assert_eq!(timed.left(), (42 * SECOND, MINUTE));
    assert_eq!(timed.state().running, Some(Side::North));
    assert!(timed.play(2, 21 * SECOND));
    assert_eq!(timed.left(), (42 * SECOND, 61 * SECOND));
    timed.assert_flag_falls_at(63 * SECOND, Side::South);
}

#[test]
fn without_a_base_a_player_begins_with_an_increment() {
    let control = TimeControl::Base {
        base: 0,
        increment: 5 * SECOND,
    };
    let mut timed = Timed::of("kalah", control);
    assert!(timed.play(0, 0) && timed.play(0, 0));
    assert_eq!(timed.left(), (5 * SECOND, 5 * SECOND));
    assert!(timed.play(2, SECOND));
    assert_eq!(timed.left(), (9 * SECOND, 5 * SECOND));
}

#[test]
fn a_move_counts_if_it_was_received_in_time_however_late_it_is_decided() {
    for (received, in_time) in [(MINUTE - 1, true), (MINUTE, false), (MINUTE + 1, false)] {
        let mut timed = begun(0);
        let late = 2 * MINUTE;
        let decided = timed.decided(ALICE, &play(2), received, late).unwrap();
        assert_eq!(decided, in_time, "{received}");
        let newest = timed.table.log.last().unwrap();
        assert_eq!(newest.time, Time(late));
        match in_time {
            true => assert_eq!(timed.left(), (2 * SECOND + 1, MINUTE)),
            false => {
                assert!(matches!(
                    newest.event,
                    Event::TimedOut { side: Side::South }
                ));
                let again = timed.decided(ALICE, &play(2), received, late);
                assert_eq!(again, Err(Refusal::Status(Status::Finished)));
            }
        }
    }
}

#[test]
fn what_was_received_before_the_turn_began_costs_nothing() {
    let mut timed = begun(10 * SECOND);
    assert!(
        timed
            .decided(ALICE, &play(2), 5 * SECOND, 11 * SECOND)
            .unwrap()
    );
    assert_eq!(timed.left(), (62 * SECOND, MINUTE));
}

#[test]
fn who_moves_twice_has_the_clock_running_on() {
    // South's first move ends in the store.
    let mut timed = Timed::of("kalah", BLITZ);
    assert!(timed.play(2, 0));
    assert_eq!(timed.state().to_move, Some(Side::South));
    assert_eq!(timed.state().running, Some(Side::South));
    assert!(timed.play(5, 10 * SECOND));
    assert_eq!(timed.left(), (52 * SECOND, MINUTE));
    assert_eq!(timed.state().running, None, "North's first move");
    let mut timed = Timed::of("kalah", TEN_SECONDS_A_MOVE);
    assert!(timed.play(2, 9 * SECOND));
    timed.assert_flag_falls_at(19 * SECOND, Side::South);
}

#[test]
fn the_clock_runs_on_of_who_is_not_passed_over() {
    let passed = (0..).find_map(|seed| {
        let (mut chance, mut timed) = (Chance::new(seed), Timed::of("adji-boto", BLITZ));
        while let Some(mover) = timed.state().to_move {
            let state = timed.table.game.state();
            let legal = timed.table.game.rules().legal_moves(&state.position);
            let legal: Vec<u8> = legal.iter().collect();
            assert!(timed.play((*chance.of(&legal)).into(), 0));
            let Event::Moved(moved) = &timed.table.log.last().unwrap().event else {
                panic!("a move")
            };
            let plays_on = timed.state().to_move.is_some();
            if let Some(passed) = moved.passed.filter(|_| plays_on) {
                return Some((timed, mover, passed));
            }
        }
        None
    });
    let (timed, mover, passed) = passed.unwrap();
    assert_eq!(passed, mover.opponent());
    assert_eq!(timed.state().running, Some(mover));
    timed.assert_flag_falls_at(timed.state().left[mover], mover);
}

#[test]
fn clocks_go_on_in_a_new_round() {
    let mut timed = Timed::new(NewGame {
        time_control: BLITZ,
        target_wins: 2,
        ..new_game("en-dodoi")
    });
    let mut now = 0;
    for hole in "edbfceb".bytes() {
        now += SECOND;
        assert!(timed.play((hole - b'a').into(), now));
    }
    assert_eq!(timed.table.game.state().round, 2);
    // South has made four moves, North three; the first of each was free.
    assert_eq!(timed.left(), (63 * SECOND, 62 * SECOND));
    let first = timed.state().to_move;
    assert_eq!(timed.state().running, first, "no first move of a game");
}

#[test]
fn takebacks_do_not_turn_clocks_back() {
    let mut timed = begun(0);
    assert!(timed.play(2, 10 * SECOND));
    let ask = offer(OfferKind::Takeback);
    assert!(timed.act(Side::South, &ask, 15 * SECOND));
    assert_eq!(
        timed.left(),
        (52 * SECOND, 55 * SECOND),
        "North's clock runs"
    );
    let agree = accept(&timed.table.game);
    assert!(timed.act(Side::North, &agree, 20 * SECOND));
    assert_eq!(timed.left(), (52 * SECOND, 50 * SECOND));
    assert_eq!(timed.state().running, Some(Side::South));
    timed.assert_flag_falls_at(72 * SECOND, Side::South);
}

#[test]
fn a_first_move_that_is_taken_back_was_made() {
    let mut timed = Timed::of("oware", BLITZ);
    assert!(timed.play(0, 0));
    assert!(timed.act(Side::South, &offer(OfferKind::Takeback), 0));
    let agree = accept(&timed.table.game);
    assert!(timed.act(Side::North, &agree, SECOND));
    assert_eq!(timed.state().running, Some(Side::South));
    timed.assert_flag_falls_at(61 * SECOND, Side::South);
}

#[test]
fn offers_do_not_touch_clocks() {
    let mut timed = begun(0);
    let (draw, decline) = (offer(OfferKind::Draw), |game: &Game| Command::Answer {
        offer: game.state().offer.unwrap().id,
        accept: false,
    });
    assert!(timed.act(Side::North, &draw, 10 * SECOND));
    assert_eq!(timed.left(), (50 * SECOND, MINUTE));
    let decline = decline(&timed.table.game);
    assert!(timed.act(Side::South, &decline, 30 * SECOND));
    assert_eq!(timed.left(), (30 * SECOND, MINUTE));
    assert!(timed.act(Side::South, &draw, 40 * SECOND));
    timed.assert_flag_falls_at(MINUTE, Side::South);
    let mut timed = Timed::of("oware", TEN_SECONDS_A_MOVE);
    assert!(timed.act(Side::South, &draw, 4 * SECOND));
    assert_eq!(timed.left(), (6 * SECOND, 10 * SECOND));
    timed.assert_aborted_at(10 * SECOND);
}

#[test]
fn a_game_that_is_over_has_no_running_clock() {
    let resign = Command::Resign { side: None };
    for agreed in [true, false] {
        let mut timed = begun(0);
        if agreed {
            assert!(timed.act(Side::North, &offer(OfferKind::Draw), 5 * SECOND));
            let agree = accept(&timed.table.game);
            assert!(timed.act(Side::South, &agree, 10 * SECOND));
        } else {
            assert!(timed.act(Side::North, &resign, 10 * SECOND));
        }
        assert_eq!(timed.state().status, Status::Finished);
        assert_eq!(timed.state().running, None);
        let later = timed
            .table
            .game
            .summary()
            .clocks_at(Time(DAY), &timed.outages);
        assert_eq!((later.left.south, later.left.north), (50 * SECOND, MINUTE));
        assert_eq!(
            timed.table.game.summary().left(Time(DAY), &timed.outages),
            None
        );
        assert!(timed.time_out(DAY).is_none());
    }
}

#[test]
fn a_game_waits_a_day_for_its_players_and_its_clocks_begin_with_the_last() {
    for control in [BLITZ, TEN_SECONDS_A_MOVE] {
        let mut timed = Timed::new(NewGame {
            time_control: control,
            seats: BySide {
                south: Seat::Player(ALICE),
                north: Seat::Open,
            },
            ..new_game("kalah")
        });
        assert_eq!(timed.state().running, None);
        timed.assert_aborted_at(DAY);
        let join = Command::Join {
            side: None,
            join_code: String::new(),
        };
        assert!(timed.act(Side::North, &join, DAY - 1));
        let first = match control {
            TimeControl::Base { .. } => 5 * MINUTE,
            TimeControl::PerMove(time) => time,
        };
        timed.assert_aborted_at(DAY - 1 + first);
    }
}

#[test]
fn an_outage_is_a_silence_of_more_than_fifteen_seconds() {
    assert_eq!(LONGEST_SILENCE, 15 * SECOND);
    for (silence, charged) in [(15 * SECOND, 15 * SECOND), (15 * SECOND + 1, 0)] {
        let mut timed = begun(0);
        timed.sign(0);
        let open = timed.outages.charged(Time(0), Time(silence));
        timed.sign(silence);
        assert_eq!(timed.outages.charged(Time(0), Time(silence)), charged);
        assert_eq!(open, charged, "it is one before it has ended");
        assert!(timed.play(2, silence + SECOND));
        assert_eq!(timed.left().0, MINUTE - charged - SECOND + 2 * SECOND);
    }
}

#[test]
fn outages_are_not_charged_to_first_moves_but_to_seats() {
    let mut timed = Timed::of("kalah", BLITZ);
    timed.sign(0);
    timed.sign(DAY);
    assert!(timed.time_out(DAY).is_none());
    timed.outages = Outages::new(vec![(Time(0), Time(DAY))], Some(Time(DAY + 5 * MINUTE)));
    timed.assert_aborted_at(DAY + 5 * MINUTE);
    let mut timed = Timed::new(NewGame {
        seats: BySide {
            south: Seat::Player(ALICE),
            north: Seat::Open,
        },
        ..new_game("kalah")
    });
    timed.sign(0);
    assert!(timed.time_out(DAY).is_some());
}

#[test]
fn part_of_an_outage_is_not_charged_to_whose_turn_began_in_it() {
    let outages = Outages::new(
        vec![(Time(100), Time(200)), (Time(300), Time(400))],
        Some(Time(500)),
    );
    for (from, to, charged) in [
        (0, 500, 300),
        (150, 350, 100),
        (120, 180, 0),
        (200, 300, 100),
        (250, 260, 10),
        (400, 500, 100),
        (350, 300, 0),
        (150, 120, 0),
    ] {
        let found = outages.charged(Time(from), Time(to));
        assert_eq!(found, charged, "{from} to {to}");
    }
}

#[test]
fn a_time_control_has_bounds() {
    let (most, hour) = (30 * DAY, 60 * MINUTE);
    let base = |base, increment| TimeControl::Base { base, increment };
    let per_move = TimeControl::PerMove;
    let allowed = [
        per_move(SECOND),
        per_move(most),
        base(SECOND, 0),
        base(0, SECOND),
        base(500, 500),
        base(DAY, hour),
    ];
    let refused = [
        per_move(SECOND - 1),
        per_move(0),
        per_move(-SECOND),
        per_move(most + 1),
        per_move(i64::MAX),
        base(0, 0),
        base(SECOND - 1, 0),
        base(0, SECOND - 1),
        base(DAY + 1, 0),
        base(DAY, hour + 1),
        base(-1, hour),
        base(DAY, -1),
        base(i64::MAX, i64::MAX),
    ];
    let create = |time_control| {
        let new = NewGame {
            time_control,
            ..new_game("kalah")
        };
        new.create(None, Time(0)).map(|_| ())
    };
    for control in allowed {
        assert_eq!(create(control), Ok(()), "{control:?}");
    }
    for control in refused {
        assert_eq!(
            create(control),
            Err(CreateError::TimeControl),
            "{control:?}"
        );
    }
}

#[test]
fn a_rematch_has_the_same_control_and_clocks_of_its_own() {
    let mut timed = begun(0);
    assert!(timed.act(Side::South, &Command::Resign { side: None }, 30 * SECOND));
    let rematch = NewGame::rematch(&timed.table.game, GameId(Uuid::from_u128(9)), ALICE);
    assert_eq!(rematch.time_control, BLITZ);
    assert_eq!(Timed::new(rematch).left(), (MINUTE, MINUTE));
}

#[test]
fn entries_older_than_clocks_have_the_default() {
    let side = Some(Side::North);
    let active = Clocks::of_old_entry(Status::Active, side, Time(5));
    assert_eq!(active.running, side);
    assert_eq!((active.left.south, active.left.north), (7 * DAY, 7 * DAY));
    assert_eq!(active.turn_began, Time(5));
    for status in [Status::Waiting, Status::Finished, Status::Aborted] {
        assert_eq!(Clocks::of_old_entry(status, side, Time(5)).running, None);
    }
}

/// What a slow reckoning says that a side was charged between two moments, in seconds: those in which its
/// clock ran and a server was known to live.
fn reckoned(signs: &[i64], from: i64, to: i64) -> i64 {
    let silent = |second: i64| {
        let before = signs.iter().rev().find(|sign| **sign <= second);
        let after = signs.iter().find(|sign| **sign > second).copied();
        before.is_some_and(|before| after.unwrap_or(to).max(*before) - before > 15)
    };
    (from..to).filter(|second| !silent(*second)).count() as i64
}

fn controls() -> impl Strategy<Value = TimeControl> {
    prop_oneof![
        (1_i64..400).prop_map(|time| TimeControl::PerMove(time * SECOND)),
        (0_i64..200, 1_i64..20).prop_map(|(base, increment)| TimeControl::Base {
            base: base * SECOND,
            increment: increment * SECOND,
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_charged_twice_whatever_happens_in_which_order(
        seed in any::<u64>(),
        variant in prop::sample::select(variants()),
        control in controls(),
    ) {
        let mut chance = Chance::new(seed);
        let mut timed = Timed::of(variant, control);
        let (mut now, mut signs) = (0, vec![0]);
        timed.sign(0);
        // What each side ever had, and what it was charged by the slow reckoning.
        let mut left = timed.state().left;
        for _ in 0..120 {
            now += [0, 1, 3, 5][chance.below(4)];
            match chance.below(12) {
                0 => now += 10 + chance.below(3_000) as i64,
                1..=5 => {
                    timed.sign(now * SECOND);
                    signs.push(now);
                    continue;
                }
                6 => timed.table.game = Game::replay(&timed.table.log).unwrap(),
                _ => {}
            }
            let game = &timed.table.game;
            let before = *game.state();
            let Some(side) = before.position.to_move() else { break };
            if before.result.is_some() {
                break;
            }
            let legal: Vec<u8> = game.rules().legal_moves(&before.position).iter().collect();
            let (actor, command) = match (chance.below(5), before.offer) {
                (0, Some(open)) => {
                    let accept = chance.below(2) == 0 && open.kind == OfferKind::Takeback;
                    (open.side.opponent(), Command::Answer { offer: open.id, accept })
                }
                (1, None) => (*chance.of(&Side::BOTH), offer(OfferKind::Takeback)),
                (2, None) => (*chance.of(&Side::BOTH), offer(OfferKind::Draw)),
                _ => (side, play((*chance.of(&legal)).into())),
            };
            let began = game.summary().update_time.0 / SECOND;
            let received = now - chance.below(4) as i64;
            let charged = before.clocks.running.map(|side| (side, reckoned(&signs, began, received)));
            let in_time = timed.decided(player(actor), &command, received * SECOND, now * SECOND);
            let after = *timed.table.game.state();
            let Ok(in_time) = in_time else {
                // Refused: an offer that was made before.
                continue;
            };
            if let Some((side, seconds)) = charged {
                left[side] -= seconds * SECOND;
                prop_assert_eq!(in_time, left[side] > 0);
                left[side] = left[side].max(0);
            }
            if let (true, TimeControl::Base { increment, .. }, Some(side), Command::Move { .. }) =
                (in_time, control, before.clocks.running, &command)
            {
                left[side] += increment;
            }
            let turn_began = after.turn != before.turn && after.status == Status::Active;
            if let (true, TimeControl::PerMove(time)) = (turn_began, control) {
                left = BySide::from_fn(|_| time);
            }
            prop_assert_eq!(after.clocks.left, left);
            prop_assert!(left.south >= 0 && left.north >= 0);
            prop_assert_eq!(after.clocks.running.is_some_and(|side| after.position.to_move() != Some(side)), false);
            prop_assert!(after.status == Status::Active || after.clocks.running.is_none());
        }
        let replayed = Game::replay(&timed.table.log).unwrap();
        prop_assert_eq!(told(&replayed), told(&timed.table.game));
        for later in [now, now + 7, now + 100] {
            let moment = Moment::at(Time(later * SECOND), &timed.outages);
            let (live, again) = (timed.table.game.time_out(&moment), replayed.time_out(&moment));
            prop_assert_eq!(format!("{live:?}"), format!("{again:?}"));
        }
    }
}
