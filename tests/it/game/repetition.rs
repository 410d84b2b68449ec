//! Positions that come back. A round's start is its first standing; the third ends the round.

use mancala::{
    game::{EndReason, Event, GameResult, NewGame, Status},
    rules::{BySide, Reason, Side, Step},
};

use crate::support::{
    catalog_with,
    table::{Table, new_game},
};

const REPETITION: EndReason = EndReason::Rules(Reason::Repetition);

// Few seeds, each walking round the ring behind the other.
const EN_DODOI: &str = "0,1,1,0,0,0/0,0,0,1,0,1 21-23 S";
const SADEQA: &str = "1,0,0,0,0,1/0,0,0,1,1,0 0-0 S";
// A seed each, half the ring apart.
const OWARE: &str = "1,0,0,0,0,0/1,0,0,0,0,0 22-24 S";
const BOSH: &str = "0,0,0,1,0/0,0,0,1,0 19-19 S round=1";

#[test]
fn the_third_standing_ends_the_game_and_each_takes_the_own_row() {
    let mut table = Table::from("en-dodoi", EN_DODOI);
    table.play_line("bDdFfB");
    assert_eq!(table.text(), EN_DODOI, "the second standing");
    assert_eq!(table.game.state().status, Status::Active);
    table.play_line("bDdFf");
    assert_eq!(table.game.state().result, None);
    table.play_line("B");
    let result = GameResult {
        winner: Some(Side::North),
        reason: REPETITION,
        score: BySide {
            south: 23,
            north: 25,
        },
    };
    assert_eq!(table.game.state().result, Some(result));
    assert_eq!(table.game.state().status, Status::Finished);
    assert_eq!(table.text(), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
    assert_eq!((table.game.state().turn, table.game.state().ply), (12, 12));
    assert!(
        table.game.rounds().is_empty(),
        "a single game has no rounds"
    );
}

#[test]
fn a_position_first_met_on_the_way_counts_from_there() {
    let mut table = Table::from("en-dodoi", "0,2,0,0,0,0/0,1,0,1,0,0 22-22 S");
    table.play_line("bDcEeCaAcEeCa");
    assert_eq!(table.game.state().result, None);
    table.play_line("A");
    let result = table.game.state().result.unwrap();
    assert_eq!((result.winner, result.reason), (None, REPETITION));
    assert_eq!(
        result.score,
        BySide {
            south: 24,
            north: 24
        }
    );
}

#[test]
fn it_happens_from_the_real_start_too() {
    let mut table = Table::from("en-dodoi", "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
    table.play_line("cadfabaeeaaefceafdcffff");
    let result = table.game.state().result.unwrap();
    assert_eq!(
        (result.winner, result.reason),
        (Some(Side::South), REPETITION)
    );
    assert_eq!(
        result.score,
        BySide {
            south: 29,
            north: 19
        }
    );
}

#[test]
fn in_sadeqa_ii_it_is_a_draw_and_the_rows_stay() {
    let mut table = Table::from("sadeqa-ii", SADEQA);
    table.play_line("fDbFdB");
    assert_eq!(table.text(), SADEQA);
    table.play_line("fDbFd");
    assert_eq!(table.game.state().result, None);
    table.play_line("B");
    let result = GameResult {
        winner: None,
        reason: REPETITION,
        score: BySide { south: 2, north: 2 },
    };
    assert_eq!(table.game.state().result, Some(result));
    assert_eq!(table.text(), "1,0,0,0,0,1/0,0,0,1,1,0 0-0 -");
}

#[test]
fn in_oware_the_second_standing_ends_it() {
    let mut table = Table::from("oware", OWARE);
    table.play_line("aAbBcCdDeEf");
    assert_eq!(table.game.state().result, None);
    table.play_line("F");
    let result = GameResult {
        winner: Some(Side::North),
        reason: REPETITION,
        score: BySide {
            south: 23,
            north: 25,
        },
    };
    assert_eq!(table.game.state().result, Some(result));
    assert_eq!(table.game.state().status, Status::Finished);
    assert_eq!(table.text(), "0,0,0,0,0,0/0,0,0,0,0,0 23-25 -");
    assert_eq!(table.game.state().ply, 12);
}

#[test]
fn in_oware_a_position_first_met_on_the_way_counts_from_there() {
    let mut table = Table::from("oware", "0,1,0,0,0,2/0,1,0,0,0,0 21-23 S");
    table.play_line("f");
    assert_eq!(table.text(), "0,1,0,0,0,0/1,0,0,0,0,0 23-23 N");
    table.play_line("AbBcCdDeEfF");
    assert_eq!(table.game.state().result, None);
    table.play_line("a");
    let result = table.game.state().result.unwrap();
    assert_eq!((result.winner, result.reason), (None, REPETITION));
    let even = BySide {
        south: 24,
        north: 24,
    };
    assert_eq!(result.score, even);
}

#[test]
fn with_the_third_standing_oware_goes_on_once_more() {
    let catalog = catalog_with(
        "slow-oware",
        "oware",
        "repetition = \"second-standing\"",
        "repetition = \"third-standing\"",
    );
    let variant = catalog.get("slow-oware").unwrap();
    let (rules, position) = variant.parse(OWARE).unwrap();
    let mut table = Table::new(NewGame {
        variant: variant.id.clone(),
        rule_set: variant.rule_set().clone(),
        start: Some((rules.clone(), position)),
        ..new_game("oware")
    });
    table.play_line("aAbBcCdDeEfF");
    assert_eq!(table.text(), OWARE, "the second standing");
    assert_eq!(table.game.state().result, None);
    table.play_line("aAbBcCdDeEf");
    assert_eq!(table.game.state().result, None);
    table.play_line("F");
    let result = table.game.state().result.unwrap();
    assert_eq!(result.reason, REPETITION);
    assert_eq!(table.game.state().ply, 24);
}

#[test]
fn in_bosh_it_ends_the_round_and_the_match_goes_on() {
    let mut table = Table::from("bosh", BOSH);
    table.play_line("dDeEaAbBcC");
    assert_eq!(table.text(), BOSH, "the second standing");
    table.play_line("dDeEaAbBc");
    assert_eq!(table.game.rounds(), []);
    table.play_line("C");
    let state = *table.game.state();
    assert_eq!((state.status, state.result), (Status::Active, None));
    assert_eq!(
        table.text(),
        "4,4,4,4,4/4,4,4,4,4 0-0 N round=2",
        "each took one stone, and North begins"
    );
    // Twenty moves and one new round.
    assert_eq!((state.turn, state.ply, state.round), (21, 0, 2));
    let [round] = table.game.rounds() else {
        panic!("one round is over")
    };
    assert_eq!((round.round, round.winner), (1, None));
    assert_eq!((round.reason, round.plies), (Reason::Repetition, 20));
    assert_eq!(
        round.score,
        BySide {
            south: 20,
            north: 20
        }
    );
}

#[test]
fn its_steps_show_the_sweeps_and_the_new_round() {
    let mut table = Table::from("bosh", BOSH);
    table.play_line("dDeEaAbBcCdDeEaAbBc");
    let before = table.game.state().position;
    let record = table.play(2).clone();
    let Event::Moved(moved) = &record.event else {
        panic!("a move")
    };
    let steps = moved.steps(table.game.rules(), &before, &record.state);
    let kinds: Vec<_> = steps
        .iter()
        .map(|step| match step {
            Step::Lift { .. } => "lift",
            Step::Drop { .. } => "drop",
            Step::Capture { .. } => "capture",
            Step::Swap { .. } => "swap",
            Step::Pass { .. } => "pass",
            Step::Sweep { .. } => "sweep",
            Step::NewRound { .. } => "new round",
        })
        .collect();
    assert_eq!(kinds, ["lift", "drop", "sweep", "sweep", "new round"]);
    let position = record.state.position;
    assert_eq!(steps.last(), Some(&Step::NewRound { position }));
}

#[test]
fn a_recorded_match_of_bosh_meets_it_in_its_third_round() {
    // From the recorded games: there played by the bare rules, which don't know repetition.
    let line = "cbeaeddbebceacadecaeccadeddaabbcaccaddeaabbccddeeaabccddeeaabbccddeeaabbccdd";
    let mut table = Table::from("bosh", "4,4,4,4,4/4,4,4,4,4 0-0 N round=1 first=N");
    table.play_line(&line[..75]);
    assert_eq!(table.game.state().round, 3);
    table.play_line(&line[75..]);
    assert_eq!(table.game.state().round, 4);
    let rounds = table.game.rounds();
    let firsts: Vec<_> = rounds.iter().map(|round| round.first).collect();
    assert_eq!(firsts, [Side::North, Side::South, Side::North]);
    let last = rounds.last().unwrap();
    assert_eq!(last.reason, Reason::Repetition);
    assert_eq!(
        last.score,
        BySide {
            south: 13,
            north: 27
        }
    );
    assert_eq!(table.text(), "4,4,4,x,x/4,4,4,4,4 1-7 S round=4 first=N");
}
