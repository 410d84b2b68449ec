//! En Dodoi as a series: rounds until somebody has won enough of them.

use mancala::{
    game::{Command, EndReason, GameResult, MAX_PLIES, NewGame, Status},
    rules::{BySide, Reason, Side},
};

use crate::support::table::{ALICE, BOB, Table, new_game};

// Whole rounds from the start, as letters of whoever moves, so that each works for either starter.
/// Who begins wins by 43 to 5.
const STARTER_WINS: &str = "edbfceb";
/// Who begins wins by 32 to 16.
const STARTER_WINS_LESS: &str = "eaecceb";
/// Who moves second wins by 48 to 0.
const SECOND_WINS: &str = "fffcefec";
const DRAWN: &str = "dcaaeadec";

fn wins(south: u32, north: u32) -> BySide<u32> {
    BySide { south, north }
}

#[track_caller]
fn assert_over(table: &Table, winner: Option<Side>, score: BySide<u32>) {
    let result = GameResult {
        winner,
        reason: EndReason::Series,
        score,
    };
    assert_eq!(table.game.state().result, Some(result));
    assert_eq!(table.game.state().status, Status::Finished);
}

#[test]
fn en_dodoi_rule_5_starters_alternate_and_two_wins_end_it() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line(STARTER_WINS);
    let state = *table.game.state();
    assert_eq!((state.round, state.ply, state.result), (2, 0, None));
    assert_eq!(state.turn, 8, "seven moves and a new round");
    assert_eq!(table.text(), "4,4,4,4,4,4/4,4,4,4,4,4 0-0 N");
    table.play_line(STARTER_WINS);
    assert_eq!(table.game.state().position.to_move(), Some(Side::South));
    assert_eq!(table.game.state().result, None);
    table.play_line(STARTER_WINS);
    assert_over(&table, Some(Side::South), wins(2, 1));
    let rounds = table.game.rounds();
    let firsts: Vec<_> = rounds.iter().map(|round| round.first).collect();
    assert_eq!(firsts, [Side::South, Side::North, Side::South]);
    let scores: Vec<_> = rounds.iter().map(|round| round.score.south).collect();
    assert_eq!(scores, [43, 5, 43]);
    let state = table.game.state();
    assert_eq!((state.round, state.turn, state.ply), (3, 23, 7));
    assert_eq!(table.text(), "0,0,0,0,0,0/0,0,0,0,0,0 43-5 -");
}

#[test]
fn en_dodoi_rule_5_north_may_begin_the_first_round() {
    let mut table = Table::new(NewGame {
        first: Side::North,
        target_wins: 2,
        ..new_game("en-dodoi")
    });
    table.play_line(STARTER_WINS);
    assert_eq!(table.game.state().position.to_move(), Some(Side::South));
    table.play_line(STARTER_WINS);
    assert_eq!(table.game.state().position.to_move(), Some(Side::North));
    table.play_line(STARTER_WINS);
    assert_over(&table, Some(Side::North), wins(1, 2));
    let firsts: Vec<_> = table
        .game
        .rounds()
        .iter()
        .map(|round| round.first)
        .collect();
    assert_eq!(firsts, [Side::North, Side::South, Side::North]);
}

#[test]
fn en_dodoi_rule_5_draws_count_for_nobody_and_three_wins_can_take_long() {
    let mut table = Table::series("en-dodoi", 3);
    // South, drawn, South, drawn, South: South begins the odd rounds.
    for round in [STARTER_WINS, DRAWN, STARTER_WINS_LESS, DRAWN] {
        table.play_line(round);
        assert_eq!(table.game.state().result, None);
    }
    table.play_line(STARTER_WINS);
    assert_over(&table, Some(Side::South), wins(3, 0));
    let winners: Vec<_> = table
        .game
        .rounds()
        .iter()
        .map(|round| round.winner)
        .collect();
    let south = Some(Side::South);
    assert_eq!(winners, [south, None, south, None, south]);
}

#[test]
fn en_dodoi_rule_5_who_moved_second_may_win_too() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line(SECOND_WINS);
    table.play_line(STARTER_WINS);
    assert_over(&table, Some(Side::North), wins(0, 2));
}

#[test]
fn en_dodoi_rule_5_four_rounds_a_win_end_it_and_nothing_but_draws_is_a_draw() {
    let mut table = Table::series("en-dodoi", 2);
    for _ in 0..7 {
        table.play_line(DRAWN);
        assert_eq!(table.game.state().result, None);
    }
    table.play_line(DRAWN);
    assert_over(&table, None, wins(0, 0));
    assert_eq!(table.game.rounds().len(), 8);
}

#[test]
fn en_dodoi_rule_5_at_the_last_round_more_wins_win() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line(SECOND_WINS);
    for _ in 0..7 {
        table.play_line(DRAWN);
    }
    assert_over(&table, Some(Side::North), wins(0, 1));
}

#[test]
fn en_dodoi_rule_5_at_the_last_round_equal_wins_leave_it_to_the_seeds() {
    let mut table = Table::series("en-dodoi", 2);
    // South by 27, then North by 16.
    table.play_line(STARTER_WINS);
    table.play_line(STARTER_WINS_LESS);
    for _ in 0..6 {
        assert_eq!(table.game.state().result, None);
        table.play_line(DRAWN);
    }
    assert_over(&table, Some(Side::South), wins(1, 1));
}

#[test]
fn en_dodoi_rule_5_equal_wins_and_equal_seeds_are_a_draw() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line(STARTER_WINS);
    table.play_line(STARTER_WINS);
    for _ in 0..6 {
        table.play_line(DRAWN);
    }
    assert_over(&table, None, wins(1, 1));
}

#[test]
fn en_dodoi_rule_5_a_series_that_the_last_round_decides_ends_by_its_target() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line(STARTER_WINS);
    for _ in 0..6 {
        table.play_line(DRAWN);
    }
    table.play_line(SECOND_WINS);
    assert_over(&table, Some(Side::South), wins(2, 0));
}

#[test]
fn en_dodoi_rule_5_a_drawn_round_is_no_drawn_game() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line(DRAWN);
    assert_eq!(table.game.state().status, Status::Active);
    let round = table.game.rounds()[0];
    assert_eq!((round.winner, round.reason), (None, Reason::NoMoves));
    assert_eq!((round.plies, round.first), (9, Side::South));
}

#[test]
fn resigning_ends_the_whole_series_with_the_rounds_won_so_far() {
    let mut table = Table::series("en-dodoi", 3);
    table.play_line(STARTER_WINS);
    table.play(0);
    let resign = Command::Resign { side: None };
    let record = table.act(ALICE, &resign).unwrap().clone();
    let result = GameResult {
        winner: Some(Side::North),
        reason: EndReason::Resignation,
        score: wins(1, 0),
    };
    assert_eq!(record.state.result, Some(result));
    assert_eq!(record.state.status, Status::Finished);
    assert!(table.act(BOB, &resign).is_err());
}

#[test]
fn sadeqa_ii_and_adji_boto_can_be_series_too() {
    for variant in ["sadeqa-ii", "adji-boto"] {
        let mut table = Table::series(variant, 2);
        let mut chance = crate::support::chance::Chance::new(5);
        while table.game.state().result.is_none() {
            table.play_any(&mut chance);
        }
        let result = table.game.state().result.unwrap();
        assert_eq!(result.reason, EndReason::Series, "{variant}");
        let most = result.score.south.max(result.score.north);
        assert!(most == 2 || table.game.rounds().len() == 8, "{variant}");
    }
}

#[test]
fn a_game_of_ten_thousand_moves_ends_by_count() {
    let mut table = Table::series("adji-boto", 100);
    let mut chance = crate::support::chance::Chance::new(9);
    while table.game.state().result.is_none() {
        table.play_any(&mut chance);
    }
    assert_eq!(table.game.plies(), MAX_PLIES);
    let (rounds, state) = (table.game.rounds(), table.game.state());
    assert_eq!(rounds.last().unwrap().reason, Reason::TooLong);
    assert_eq!(state.status, Status::Finished);
    let won = |side| {
        rounds
            .iter()
            .filter(|round| round.winner == Some(side))
            .count() as u32
    };
    let result = state.result.unwrap();
    assert_eq!(result.reason, EndReason::Rules(Reason::TooLong));
    assert_eq!(result.score, BySide::from_fn(won));
    assert_eq!(result.winner, result.score.leader());
    assert!(result.score.south.max(result.score.north) < 100);
    assert_eq!(state.turn as usize, MAX_PLIES + rounds.len() - 1);
}
