//! Turns of several moves, and the swap of sides.

use std::slice::from_ref;

use mancala::{
    game::{Command, EndReason, Event, Game, GameResult, NewGame, Refusal, Status},
    rules::{BySide, IllegalMove, Reason, Side, Step},
};

use crate::support::{
    catalog_with_swap,
    table::{ALICE, BOB, Table, new_game, play, told},
};

fn at_turn(hole: u32, turn: u32) -> Command {
    Command::Move {
        hole,
        expected_turn: Some(turn),
    }
}

#[test]
fn who_moves_again_has_the_next_turn_too() {
    let mut table = Table::new(new_game("kalah"));
    table.act(ALICE, &play(2)).unwrap();
    assert_eq!(table.text(), "4,4,0,5,5,5/4,4,4,4,4,4 1-0 S");
    assert_eq!((table.game.state().turn, table.game.state().ply), (1, 1));
    let refused = |table: &mut Table, player, command| table.act(player, &command).unwrap_err();
    let not_yours = Refusal::NotYourTurn;
    assert_eq!(refused(&mut table, BOB, play(0)), not_yours);
    assert_eq!(refused(&mut table, BOB, at_turn(0, 1)), not_yours);
    let stale = Refusal::StaleTurn { current: 1 };
    assert_eq!(refused(&mut table, ALICE, at_turn(5, 0)), stale);
    table.act(ALICE, &at_turn(5, 1)).unwrap();
    assert_eq!(table.text(), "4,4,0,5,5,0/5,5,5,5,4,4 2-0 N");
    assert_eq!((table.game.state().turn, table.game.state().ply), (2, 2));
    assert_eq!(refused(&mut table, ALICE, at_turn(0, 2)), not_yours);
    table.act(BOB, &at_turn(1, 2)).unwrap();
    table.act(BOB, &at_turn(3, 3)).unwrap();
    let made: Vec<_> = table.game.moves().collect();
    let (south, north) = (Side::South, Side::North);
    let expected = [(south, 2, 1), (south, 5, 1), (north, 1, 1), (north, 3, 1)];
    assert_eq!(made, expected);
    let replayed = Game::replay(&table.log).unwrap();
    assert_eq!(told(&replayed), told(&table.game));
}

#[test]
fn a_row_that_is_empty_ends_the_game_though_the_mover_would_move_again() {
    let mut table = Table::from("kalah", "0,0,0,0,0,1/0,2,0,0,3,0 22-20 S");
    table.play_line("f");
    let result = GameResult {
        winner: Some(Side::North),
        reason: EndReason::Rules(Reason::EmptyRow),
        score: BySide {
            south: 23,
            north: 25,
        },
    };
    assert_eq!(table.game.state().result, Some(result));
    assert_eq!(table.game.state().status, Status::Finished);
    assert_eq!(table.text(), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
}

#[test]
fn a_majority_ends_the_game() {
    let mut table = Table::from("oware", "0,2,0,0,1,3/1,2,1,0,0,6 18-14 S");
    table.play_line("f");
    let result = GameResult {
        winner: Some(Side::South),
        reason: EndReason::Rules(Reason::Majority),
        score: BySide {
            south: 28,
            north: 20,
        },
    };
    assert_eq!(table.game.state().result, Some(result));
}

#[test]
fn a_swap_of_sides_is_a_move_and_is_replayed() {
    let catalog = catalog_with_swap();
    let mut table = Table::new(NewGame {
        rule_set: catalog.get("pie-kalah").unwrap().rule_set().clone(),
        ..new_game("kalah")
    });
    let mut was = vec![told(&table.game)];
    let no_hole = Refusal::Illegal(IllegalMove::NoSuchHole { hole: 6, last: 5 });
    assert_eq!(table.act(ALICE, &play(6)).unwrap_err(), no_hole);
    for letter in ["c", "f"] {
        table.play_line(letter);
        was.push(told(&table.game));
    }
    let before = table.game.state().position;
    assert_eq!(before.swap(), Some(Side::North));
    let record = table.act(BOB, &play(6)).unwrap().clone();
    was.push(told(&table.game));
    assert_eq!(table.text(), "5,5,5,5,4,4/4,4,0,5,5,0 0-2 S");
    assert_eq!((table.game.state().turn, table.game.state().ply), (3, 3));
    let Event::Moved(moved) = &record.event else {
        panic!("a move")
    };
    assert_eq!((moved.mover, moved.hole), (Side::North, 6));
    assert_eq!((moved.laps, moved.captured), (0, 0));
    let side = Side::North;
    let steps = moved.steps(table.game.rules(), &before, &record.state);
    assert_eq!(steps, [Step::Swap { side }]);
    // Alice still has South's seat, and South is to move: with the seeds that were North's.
    assert_eq!(table.act(BOB, &play(0)).unwrap_err(), Refusal::NotYourTurn);
    assert_eq!(table.act(ALICE, &play(6)).unwrap_err(), no_hole);
    table.act(ALICE, &play(0)).unwrap();
    was.push(told(&table.game));
    let made: Vec<_> = table.game.moves().collect();
    let (south, north) = (Side::South, Side::North);
    let expected = [(south, 2, 1), (south, 5, 1), (north, 6, 1), (south, 0, 1)];
    assert_eq!(made, expected);
    let mut replayed = Game::replay(from_ref(&table.log[0])).unwrap();
    assert_eq!(told(&replayed), was[0]);
    for (record, was) in table.log[1..].iter().zip(&was[1..]) {
        replayed.apply(record).unwrap();
        assert_eq!(&told(&replayed), was);
    }
    assert_eq!(table.log.len(), was.len());
    assert_eq!(table.act(BOB, &play(6)).unwrap_err(), no_hole);
}

#[test]
fn each_round_of_a_series_has_its_swap() {
    let catalog = catalog_with_swap();
    let mut table = Table::new(NewGame {
        rule_set: catalog.get("pie-kalah").unwrap().rule_set().clone(),
        holes: Some(1),
        seeds: Some(1),
        target_wins: 2,
        ..new_game("kalah")
    });
    assert_eq!(table.text(), "1/1 0-0 S swap=N");
    table.play(0);
    assert_eq!(table.text(), "1/1 0-0 N swap=S");
    table.play(0);
    assert_eq!(table.text(), "1/1 0-0 S swap=N");
    let rounds = table.game.rounds();
    assert_eq!(rounds.len(), 2);
    assert!(rounds.iter().all(|round| round.winner.is_none()));
    assert!(rounds.iter().all(|round| round.reason == Reason::EmptyRow));
}
