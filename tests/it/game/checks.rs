//! What is refused, and in which order it is checked: request id, seat, status, turn, side, hole.

use mancala::{
    game::{Command, Decision, NewGame, PlayerId, Refusal, Seat, Status, Visibility},
    rules::{BlockReason, BySide, IllegalMove, Side},
};

use crate::support::table::{ALICE, BOB, CAROL, Table, new_game, play, request, told};

fn at_turn(hole: u32, turn: u32) -> Command {
    Command::Move {
        hole,
        expected_turn: Some(turn),
    }
}

fn join(side: Option<Side>, code: &str) -> Command {
    Command::Join {
        side,
        join_code: code.into(),
    }
}

const RESIGN: Command = Command::Resign { side: None };

/// Asserts a refusal, and that the game is as it was.
#[track_caller]
fn assert_refused(table: &mut Table, player: PlayerId, command: &Command, refusal: Refusal) {
    let before = told(&table.game);
    assert_eq!(table.act(player, command).unwrap_err(), refusal);
    assert_eq!(told(&table.game), before);
}

fn seated(south: Seat, north: Seat, visibility: Visibility) -> Table {
    Table::new(NewGame {
        seats: BySide { south, north },
        visibility,
        join_code: (visibility == Visibility::Private).then(|| "code".into()),
        ..new_game("en-dodoi")
    })
}

#[test]
fn each_check_comes_before_the_next() {
    // Wrong in every way from the seat on, then one way after another is put right.
    let mut table = Table::new(new_game("en-dodoi"));
    let known = Some(request(1, 1));
    table.request(ALICE, &play(0), known).unwrap();
    let again = table.request(CAROL, &at_turn(99, 99), known).unwrap();
    assert!(matches!(again, Decision::Repeated(2)), "{again:?}");
    assert_refused(&mut table, CAROL, &at_turn(99, 99), Refusal::NotSeated);
    let current = 1;
    assert_refused(
        &mut table,
        ALICE,
        &at_turn(99, 0),
        Refusal::StaleTurn { current },
    );
    assert_refused(&mut table, ALICE, &at_turn(99, 1), Refusal::NotYourTurn);
    let illegal = Refusal::Illegal(IllegalMove::NoSuchHole { hole: 99, last: 5 });
    assert_refused(&mut table, BOB, &at_turn(99, 1), illegal);
    table.act(ALICE, &RESIGN).unwrap();
    let over = || Refusal::Status(Status::Finished);
    assert_refused(&mut table, BOB, &at_turn(99, 99), over());
    assert_refused(&mut table, BOB, &RESIGN, over());
    assert_refused(&mut table, CAROL, &RESIGN, Refusal::NotSeated);
    let again = table.request(ALICE, &play(0), known).unwrap();
    assert!(matches!(again, Decision::Repeated(2)), "{again:?}");
}

#[test]
fn a_waiting_game_is_not_played() {
    let mut table = seated(Seat::Player(ALICE), Seat::Open, Visibility::Public);
    let waiting = || Refusal::Status(Status::Waiting);
    assert_refused(&mut table, ALICE, &at_turn(99, 99), waiting());
    assert_refused(&mut table, ALICE, &RESIGN, waiting());
    assert_refused(&mut table, BOB, &play(0), Refusal::NotSeated);
}

#[test]
fn illegal_holes_say_which_rule_forbids_them() {
    let cases = [
        (
            "en-dodoi",
            "0,4,0,0,0,0/0,0,0,0,0,4 20-20 S",
            0,
            IllegalMove::Empty,
        ),
        (
            "bosh",
            "4,4,4,4,x/4,4,4,4,4 0-4 S round=3",
            4,
            IllegalMove::Closed,
        ),
        (
            "sadeqa-ii",
            "3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened=0/0",
            0,
            IllegalMove::Blocked(BlockReason::NotTheOpeningHole),
        ),
        (
            "adji-boto",
            "1,10,12,12,12/12,12,11,11,7 0-0 S",
            0,
            IllegalMove::Blocked(BlockReason::TooFewSeeds),
        ),
        (
            "adji-boto",
            "2,12,12,12,12/2,12,12,12,12 0-0 S opened=10000/10000",
            0,
            IllegalMove::Blocked(BlockReason::AlreadyOpened),
        ),
        (
            "adji-boto",
            "1,11,11,11,11/11,11,11,11,11 0-0 N opened=10000/00000",
            7,
            IllegalMove::NoSuchHole { hole: 7, last: 4 },
        ),
        (
            "en-dodoi",
            "0,4,0,1,9,2,1,2,3,2/0,5,6,1,0,1,2,1,7,1 20-12 S",
            u32::MAX,
            IllegalMove::NoSuchHole {
                hole: u32::MAX,
                last: 9,
            },
        ),
    ];
    for (variant, text, hole, expected) in cases {
        let mut table = Table::from(variant, text);
        let player = match table.game.state().position.to_move().unwrap() {
            Side::South => ALICE,
            Side::North => BOB,
        };
        assert_refused(&mut table, player, &play(hole), Refusal::Illegal(expected));
    }
}

#[test]
fn joining_takes_the_seat_kept_for_the_joiner_then_the_first_open_one() {
    let mut table = seated(Seat::Open, Seat::Invited(BOB), Visibility::Public);
    let taken = |side| join(Some(side), "");
    assert_refused(&mut table, CAROL, &taken(Side::North), Refusal::SeatTaken);
    table.act(BOB, &join(None, "")).unwrap();
    assert_eq!(table.game.summary().seats.north, Seat::Player(BOB));
    assert_eq!(table.game.state().status, Status::Waiting);
    table.act(CAROL, &join(None, "")).unwrap();
    assert_eq!(table.game.summary().seats.south, Seat::Player(CAROL));
    assert_eq!(table.game.state().status, Status::Active);
    assert_refused(&mut table, ALICE, &join(None, ""), Refusal::SeatTaken);
    assert_eq!(table.game.state().turn, 0, "joining is no turn");
}

#[test]
fn a_private_seat_needs_the_code_and_its_game_shows_itself_to_nobody_else() {
    let mut table = seated(Seat::Player(ALICE), Seat::Open, Visibility::Private);
    for command in [join(None, ""), join(None, "cod"), play(0), RESIGN] {
        assert_refused(&mut table, CAROL, &command, Refusal::Invisible);
    }
    assert_refused(&mut table, ALICE, &join(None, "x"), Refusal::JoinCode);
    table.act(BOB, &join(None, "code")).unwrap();
    assert_refused(&mut table, CAROL, &join(None, ""), Refusal::Invisible);
}

#[test]
fn a_private_game_without_open_seats_is_invisible_to_a_joiner() {
    let mut table = Table::new(NewGame {
        seats: BySide {
            south: Seat::Player(ALICE),
            north: Seat::Invited(BOB),
        },
        visibility: Visibility::Private,
        ..new_game("en-dodoi")
    });
    for code in ["", "guess"] {
        assert_refused(&mut table, CAROL, &join(None, code), Refusal::Invisible);
    }
    table.act(BOB, &join(None, "")).unwrap();
    assert_refused(&mut table, CAROL, &join(None, ""), Refusal::Invisible);
    assert_refused(&mut table, BOB, &join(None, ""), Refusal::SeatTaken);
}

#[test]
fn who_has_both_seats_says_which_resigns() {
    let mut table = seated(Seat::Player(ALICE), Seat::Player(ALICE), Visibility::Public);
    assert_refused(&mut table, ALICE, &RESIGN, Refusal::WhichSide);
    let side = Some(Side::North);
    table.act(ALICE, &Command::Resign { side }).unwrap();
    let winner = table.game.state().result.unwrap().winner;
    assert_eq!(winner, Some(Side::South));
}

#[test]
fn nobody_resigns_for_the_other() {
    let mut table = Table::new(new_game("en-dodoi"));
    let side = Some(Side::North);
    assert_refused(
        &mut table,
        ALICE,
        &Command::Resign { side },
        Refusal::NotYourSeat,
    );
}
