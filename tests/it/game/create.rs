//! What a game can be created as, and what not.

use mancala::{
    catalog::BoardError,
    game::{CreateError, Event, NewGame, Seat, Status, Time},
    rules::{BySide, Side},
};

use crate::support::{
    catalog,
    table::{ALICE, BOB, Table, new_game, parsed, request},
};

fn error(new: NewGame) -> CreateError {
    new.create(None, Time(0)).expect_err("it can't be created")
}

#[test]
fn the_first_record_says_all_of_it() {
    let new = NewGame {
        holes: Some(9),
        first: Side::North,
        target_wins: 3,
        ..new_game("en-dodoi")
    };
    let record = new.create(Some(request(1, 2)), Time(5)).unwrap();
    assert_eq!((record.seq, record.time), (1, Time(5)));
    assert_eq!(record.request, Some(request(1, 2)));
    assert_eq!(record.state.status, Status::Active);
    assert_eq!(record.state.position.to_move(), Some(Side::North));
    assert_eq!(
        (record.state.turn, record.state.ply, record.state.round),
        (0, 0, 1)
    );
    let Event::Created(created) = &record.event else {
        panic!("its creation")
    };
    assert_eq!(
        (created.holes, created.target_wins, created.custom_start),
        (9, 3, false)
    );
    assert_eq!(created.creator, ALICE);
}

#[test]
fn no_target_is_a_target_of_one() {
    let new = NewGame {
        target_wins: 0,
        ..new_game("en-dodoi")
    };
    assert_eq!(Table::new(new).game.created().target_wins, 1);
}

#[test]
fn a_seat_to_be_filled_makes_it_wait() {
    for seat in [Seat::Open, Seat::Invited(BOB)] {
        let seats = BySide {
            south: Seat::Player(ALICE),
            north: seat,
        };
        let new = NewGame {
            seats,
            ..new_game("bosh")
        };
        assert_eq!(Table::new(new).game.state().status, Status::Waiting);
    }
}

#[test]
fn boards_that_a_variant_does_not_have_are_refused() {
    for (variant, holes, (min, max)) in [
        ("en-dodoi", 5, (6, 10)),
        ("en-dodoi", 11, (6, 10)),
        ("en-dodoi", 262, (6, 10)),
        ("en-dodoi", u32::MAX, (6, 10)),
        ("bosh", 6, (5, 5)),
        ("adji-boto", 0, (5, 5)),
        ("sadeqa-ii", 5, (6, 6)),
        ("kalah", 0, (1, 10)),
        ("kalah", 11, (1, 10)),
    ] {
        let new = NewGame {
            holes: Some(holes),
            ..new_game(variant)
        };
        let given = holes;
        assert_eq!(
            error(new),
            CreateError::Board(BoardError::Holes { min, max, given })
        );
    }
}

#[test]
fn choices_of_seeds_that_a_variant_does_not_have_are_refused() {
    for (variant, seeds, (min, max)) in [
        ("kalah", 0, (1, 10)),
        ("kalah", 11, (1, 10)),
        ("kalah", 260, (1, 10)),
        ("oware", 3, (4, 4)),
        ("bosh", 5, (4, 4)),
    ] {
        let new = NewGame {
            seeds: Some(seeds),
            ..new_game(variant)
        };
        let given = seeds;
        assert_eq!(
            error(new),
            CreateError::Board(BoardError::Seeds { min, max, given })
        );
    }
}

#[test]
fn a_choice_of_seeds_is_played_with() {
    let table = Table::new(NewGame {
        holes: Some(3),
        seeds: Some(7),
        ..new_game("kalah")
    });
    let created = table.game.created();
    assert_eq!((created.holes, created.seeds), (3, 7));
    let position = &table.game.state().position;
    assert_eq!(
        table.game.rules().text(position).to_string(),
        "7,7,7/7,7,7 0-0 S"
    );
}

#[test]
fn a_start_position_of_another_board_is_refused() {
    let start = catalog().get("kalah").unwrap().parse("1,2/0,3 1-1 S");
    let (rules, position) = start.unwrap();
    for (holes, seeds) in [(Some(3), None), (None, Some(3)), (Some(2), Some(4))] {
        let new = NewGame {
            holes,
            seeds,
            start: Some((rules.clone(), position)),
            ..new_game("kalah")
        };
        let (holes, seeds) = (2, 2);
        assert_eq!(error(new), CreateError::OtherBoard { holes, seeds });
    }
    let same = NewGame {
        holes: Some(2),
        seeds: Some(2),
        start: Some((rules.clone(), position)),
        ..new_game("kalah")
    };
    assert!(same.create(None, Time(0)).is_ok());
}

#[test]
fn a_start_position_gives_the_board() {
    let table = Table::from("en-dodoi", "4,4,4,4,4,4,4/4,4,4,4,4,4,4 0-0 N");
    let created = table.game.created();
    assert_eq!((created.holes, created.custom_start), (7, true));
    assert_eq!(table.game.state().position.to_move(), Some(Side::North));
}

#[test]
fn a_start_position_that_is_over_is_refused() {
    let over = "0,0,0,0,0,0/0,0,0,0,0,0 20-28 -";
    let new = NewGame {
        start: Some(parsed("en-dodoi", over)),
        ..new_game("en-dodoi")
    };
    assert_eq!(error(new), CreateError::StartIsOver);
}

#[test]
fn series_that_make_no_sense_are_refused() {
    let too_long = NewGame {
        target_wins: 101,
        ..new_game("en-dodoi")
    };
    let of_rounds = NewGame {
        target_wins: 2,
        ..new_game("bosh")
    };
    let from_a_position = NewGame {
        target_wins: 2,
        start: Some(parsed("en-dodoi", "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S")),
        ..new_game("en-dodoi")
    };
    for new in [too_long, of_rounds, from_a_position] {
        assert!(matches!(error(new), CreateError::TargetWins(_)));
    }
    let most = NewGame {
        target_wins: 100,
        ..new_game("en-dodoi")
    };
    assert!(most.create(None, Time(0)).is_ok());
}
