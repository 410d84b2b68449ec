//! Bosh: a game is the match, and rounds are inside it.

use mancala::{
    game::{EndReason, Event, Status},
    rules::{BySide, Reason, Side},
};

use crate::support::{chance::Chance, table::Table};

/// South's only move ends the round: after it North can't move.
const LAST_MOVE: &str = "0,0,0,1,0/0,0,0,0,0 15-24 S round=1";

#[test]
fn turn_grows_by_one_with_the_move_and_one_with_the_new_round() {
    let mut table = Table::from("bosh", LAST_MOVE);
    let record = table.play(3).clone();
    let state = record.state;
    assert_eq!((state.turn, state.ply, state.round), (2, 0, 2));
    assert_eq!(state.status, Status::Active);
    // The stone left goes to South: the opponent of who can't move.
    assert_eq!(table.text(), "4,4,4,4,x/4,4,4,4,4 0-4 N round=2");
    let Event::Moved(moved) = &record.event else {
        panic!("a move")
    };
    let ended = moved.round_end.unwrap();
    assert_eq!(
        table.game.rules().text(&ended).to_string(),
        "0,0,0,0,0/0,0,0,0,0 16-24 - round=1"
    );
    let round = moved.round_result.unwrap();
    assert_eq!(table.game.rounds(), [round]);
    assert_eq!((round.round, round.plies), (1, 1));
    assert_eq!(
        (round.winner, round.first),
        (Some(Side::North), Side::South)
    );
    assert_eq!(round.reason, Reason::NoMoves);
    table.play(0);
    assert_eq!((table.game.state().turn, table.game.state().ply), (3, 1));
}

#[test]
fn a_player_who_cannot_fill_a_hole_has_lost_the_match() {
    let mut table = Table::from("bosh", "0,0,0,1,0/0,0,0,0,0 2-37 S round=7");
    table.play(3);
    let state = table.game.state();
    let result = state.result.unwrap();
    assert_eq!(result.winner, Some(Side::North));
    assert_eq!(result.reason, EndReason::Rules(Reason::HolesClosed));
    assert_eq!(
        result.score,
        BySide {
            south: 3,
            north: 37
        }
    );
    assert_eq!((state.status, state.round), (Status::Finished, 7));
    assert_eq!((state.turn, state.ply), (1, 1), "there is no new round");
    assert_eq!(table.text(), "0,0,0,0,0/0,0,0,0,0 3-37 - round=7");
    assert_eq!(
        table.game.rounds().len(),
        1,
        "the last round has a result too"
    );
}

#[test]
fn the_hundredth_round_is_the_last_and_more_stones_win() {
    let mut table = Table::from("bosh", "0,0,0,1,0/0,0,0,0,0 15-24 S round=100");
    table.play(3);
    let result = table.game.state().result.unwrap();
    assert_eq!(result.winner, Some(Side::North));
    assert_eq!(result.reason, EndReason::Rules(Reason::TooLong));
    assert_eq!(
        result.score,
        BySide {
            south: 16,
            north: 24
        }
    );
    assert_eq!(table.game.state().round, 100);
    assert_eq!(table.text(), "0,0,0,0,0/0,0,0,0,0 16-24 - round=100");
}

#[test]
fn equal_stones_after_the_hundredth_round_are_a_draw() {
    let mut table = Table::from("bosh", "0,0,0,1,0/0,0,0,0,0 19-20 S round=100");
    table.play(3);
    let result = table.game.state().result.unwrap();
    assert_eq!(result.winner, None);
    assert_eq!(result.reason, EndReason::Rules(Reason::TooLong));
    assert_eq!(
        result.score,
        BySide {
            south: 20,
            north: 20
        }
    );
}

#[test]
fn the_ninety_ninth_round_is_followed_by_another() {
    let mut table = Table::from("bosh", "0,0,0,1,0/0,0,0,0,0 19-20 S round=99");
    table.play(3);
    assert_eq!(table.game.state().result, None);
    assert_eq!(table.text(), "4,4,4,4,4/4,4,4,4,4 0-0 N round=100");
}

#[test]
fn holes_closed_in_the_hundredth_round_are_the_reason() {
    let mut table = Table::from("bosh", "0,0,0,1,0/0,0,0,0,0 2-37 S round=100");
    table.play(3);
    let reason = table.game.state().result.unwrap().reason;
    assert_eq!(reason, EndReason::Rules(Reason::HolesClosed));
}

#[test]
fn whole_matches_alternate_their_starters_and_number_their_moves() {
    for seed in 0..20 {
        let mut chance = Chance::new(seed);
        let mut table = Table::new(crate::support::table::new_game("bosh"));
        let mut rounds = 0;
        while table.game.state().result.is_none() {
            let before = *table.game.state();
            let after = table.play_any(&mut chance).state;
            let new_round = after.round - before.round;
            assert_eq!(after.turn, before.turn + 1 + new_round);
            assert_eq!(after.ply, if new_round > 0 { 0 } else { before.ply + 1 });
            rounds += new_round;
        }
        assert_eq!(table.game.rounds().len(), rounds as usize + 1);
        for (index, round) in table.game.rounds().iter().enumerate() {
            let even = index % 2 == 0;
            assert_eq!(round.round as usize, index + 1);
            assert_eq!(round.first, if even { Side::South } else { Side::North });
        }
        let moves: Vec<_> = table.game.moves().collect();
        for round in table.game.rounds() {
            let of_round = moves.iter().filter(|(_, _, number)| *number == round.round);
            assert_eq!(of_round.clone().count(), round.plies as usize);
            assert_eq!(of_round.map(|(side, ..)| *side).next(), Some(round.first));
        }
    }
}
