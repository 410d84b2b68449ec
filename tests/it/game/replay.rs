//! The log is the truth: what is replayed is what was.

use mancala::{
    game::{Command, Event, Game, Moment, NewGame, Outages, ReplayError, Seat, Time},
    rules::{BySide, Destination},
};
use proptest::prelude::*;

use crate::support::{
    chance::Chance,
    definition,
    table::{ALICE, BOB, Table, new_game, play, request, told},
    variants,
};

fn total(table: &Table) -> u32 {
    let position = &table.game.state().position;
    let board: u32 = (0..2 * position.holes())
        .map(|hole| u32::from(position.seeds(hole)))
        .sum();
    board + u32::from(position.stores().south) + u32::from(position.stores().north)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn replayed_events_are_the_live_state_at_every_moment(
        seed in any::<u64>(),
        variant in prop::sample::select(variants()),
        target_wins in 1_u32..4,
        most in 1_usize..200,
    ) {
        let mut chance = Chance::new(seed);
        let target_wins = match definition(variant).rounds {
            Some(_) => 1,
            None => target_wins,
        };
        let mut table = Table::new(NewGame {
            target_wins,
            seats: BySide { south: Seat::Player(ALICE), north: Seat::Open },
            ..new_game(variant)
        });
        let mut was = vec![told(&table.game)];
        let join = Command::Join { side: None, join_code: String::new() };
        table.act(BOB, &join).unwrap();
        was.push(told(&table.game));
        let mut seeds = total(&table);
        while table.game.state().result.is_none() && table.log.len() < most {
            let before = table.game.state().round;
            let moved = table.play_any(&mut chance).clone();
            let Event::Moved(moved) = moved.event else { panic!("a move") };
            if table.game.state().round != before {
                seeds = table.game.rules().total().into();
            } else if definition(variant).capture.to == Destination::Removed {
                seeds -= u32::from(moved.captured);
            }
            prop_assert_eq!(total(&table), seeds);
            was.push(told(&table.game));
        }
        if chance.below(2) == 0 && table.game.state().result.is_none() {
            table.act(BOB, &Command::Resign { side: None }).unwrap();
            was.push(told(&table.game));
        }
        for (end, then) in was.iter().enumerate() {
            let replayed = Game::replay(&table.log[..=end]).unwrap();
            prop_assert_eq!(&told(&replayed), then);
        }
        // Replayed games know their history as live ones do: they decide alike.
        let replayed = Game::replay(&table.log).unwrap();
        let holes = u32::from(table.game.rules().holes());
        let outages = Outages::default();
        let moment = Moment::at(Time(0), &outages);
        for (hole, player) in (0..=holes).flat_map(|hole| [(hole, ALICE), (hole, BOB)]) {
            let live = table.game.decide(&play(hole), player, None, &moment);
            let again = replayed.decide(&play(hole), player, None, &moment);
            prop_assert_eq!(format!("{live:?}"), format!("{again:?}"));
        }
    }
}

#[test]
fn a_replayed_game_remembers_repetition() {
    let mut table = Table::from("sadeqa-ii", "1,0,0,0,0,1/0,0,0,1,1,0 0-0 S");
    table.play_line("fDbFdBfDbFd");
    table.game = Game::replay(&table.log).unwrap();
    table.play_line("B");
    assert!(table.game.state().result.is_some());
}

#[test]
fn a_replayed_game_remembers_requests() {
    let mut table = Table::new(new_game("bosh"));
    table.request(ALICE, &play(4), Some(request(9, 1))).unwrap();
    table.play(1);
    let replayed = Game::replay(&table.log).unwrap();
    assert_eq!(replayed.seq_of_request(&[9; 16]), Some(2));
    assert_eq!(replayed.seq_of_request(&[8; 16]), None);
}

#[test]
fn event_times_never_go_back() {
    let mut table = Table::new(new_game("bosh"));
    table.play(4);
    let latest = table.game.summary().update_time;
    table.now = Time(-5);
    let record = table.play(1).clone();
    assert_eq!(record.time, latest);
    table.now = Time(latest.0 + 100);
    let times: Vec<_> = [table.play(0).time, table.play(2).time].into();
    assert_eq!(times, [Time(latest.0 + 110), Time(latest.0 + 120)]);
}

#[test]
fn what_is_no_log_of_a_game_is_refused() {
    let mut table = Table::new(new_game("bosh"));
    table.play(4);
    table.play(1);
    let log = &table.log;
    assert_eq!(Game::replay(&[]).unwrap_err(), ReplayError::NoCreation);
    assert_eq!(
        Game::replay(&log[1..]).unwrap_err(),
        ReplayError::NoCreation
    );
    let twice = [log[0].clone(), log[0].clone()];
    assert!(Game::replay(&twice).is_err());
    let gap = [log[0].clone(), log[2].clone()];
    let expected = ReplayError::Gap { seq: 1, next: 3 };
    assert_eq!(Game::replay(&gap).unwrap_err(), expected);
    let mut game = Game::replay(log).unwrap();
    let before = told(&game);
    assert!(game.apply(&log[2]).is_err());
    assert_eq!(told(&game), before);
}
