//! Positions that a client gives: as text, as fields, as both, and as what they can't be.

use mancala::grpc::{
    Reason,
    proto::{EnumerateMovesRequest, EnumerateMovesResponse, Position, Side},
};

use crate::support::{
    client::{Answer, Caller, text},
    server::Server,
    status::{refused_field, refused_missing},
};

const BOSH: &str = "5,5,5,5,0/0,5,5,5,0 5-0 N round=1";

async fn enumerate(caller: &Caller, position: Option<Position>) -> Answer<EnumerateMovesResponse> {
    let request = EnumerateMovesRequest {
        position,
        omit_steps: true,
    };
    Ok(caller.rules().enumerate_moves(request).await?.into_inner())
}

/// The fields of a position, without its text.
fn fields() -> Position {
    Position {
        variant: "bosh".into(),
        south: vec![5, 5, 5, 5, 0],
        north: vec![0, 5, 5, 5, 0],
        south_store: 5,
        to_move: Side::North.into(),
        round: 1,
        ..Position::default()
    }
}

#[tokio::test]
async fn text_and_fields_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    let expected = enumerate(&stranger, Some(text("bosh", BOSH)))
        .await
        .unwrap();
    assert_eq!(expected.moves.len(), 3);
    let agreeing = [
        fields(),
        Position {
            text: BOSH.into(),
            ..fields()
        },
        Position {
            holes: 5,
            ..fields()
        },
        Position {
            holes: 5,
            ..text("bosh", BOSH)
        },
        Position {
            first: Side::South.into(),
            ..fields()
        },
        // Not read: it follows from the rest.
        Position {
            removed: 9,
            ..fields()
        },
    ];
    for position in agreeing {
        let answer = enumerate(&stranger, Some(position.clone())).await;
        assert_eq!(answer.unwrap(), expected, "{position:?}");
    }
}

#[tokio::test]
async fn what_does_not_agree_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    let both = || Position {
        text: BOSH.into(),
        ..fields()
    };
    let bad = [
        Position {
            holes: 6,
            ..fields()
        },
        Position {
            holes: 6,
            ..text("bosh", BOSH)
        },
        Position {
            holes: u32::MAX,
            ..text("bosh", BOSH)
        },
        Position {
            to_move: Side::South.into(),
            ..both()
        },
        Position {
            to_move: Side::North.into(),
            ..text("bosh", BOSH)
        },
        Position { round: 2, ..both() },
        Position {
            first: Side::North.into(),
            ..both()
        },
        Position {
            south: vec![5, 5, 5, 0, 5],
            ..both()
        },
        Position {
            south_store: 0,
            ..both()
        },
        Position {
            closed_holes: vec![9],
            round: 2,
            ..both()
        },
    ];
    for position in bad {
        let shown = format!("{position:?}");
        let answer = enumerate(&stranger, Some(position)).await;
        eprintln!("{shown}");
        refused_field(answer, Reason::InvalidPosition, "position");
    }
}

#[tokio::test]
async fn fields_that_are_no_position_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    let million = 1_000_000;
    let bad = [
        Position {
            south: Vec::new(),
            ..fields()
        },
        Position {
            south: vec![1; 16_000],
            ..fields()
        },
        Position {
            north: vec![0; 6],
            ..fields()
        },
        Position {
            south: vec![million, 5, 5, 5, 0],
            ..fields()
        },
        Position {
            south: vec![u32::MAX; 5],
            ..fields()
        },
        Position {
            south: vec![261, 5, 5, 5, 0],
            ..fields()
        },
        Position {
            south_store: u32::MAX,
            north_store: u32::MAX,
            ..fields()
        },
        Position {
            south_store: 5 + 256,
            ..fields()
        },
        Position {
            north_store: 1,
            ..fields()
        },
        Position {
            to_move: 7,
            ..fields()
        },
        Position {
            to_move: -1,
            ..fields()
        },
        Position {
            to_move: 0,
            ..fields()
        },
        Position {
            round: 0,
            ..fields()
        },
        Position {
            round: 101,
            ..fields()
        },
        Position {
            round: 65_537,
            ..fields()
        },
        Position {
            first: 3,
            ..fields()
        },
        Position {
            closed_holes: vec![4],
            ..fields()
        },
        Position {
            closed_holes: vec![10],
            round: 2,
            ..fields()
        },
        Position {
            closed_holes: vec![u32::MAX],
            round: 2,
            ..fields()
        },
        Position {
            closed_holes: vec![3],
            round: 2,
            ..fields()
        },
        Position {
            closed_holes: vec![4, 9],
            round: 2,
            ..fields()
        },
        Position {
            unopened_holes: vec![0],
            ..fields()
        },
        Position {
            unopened_holes: vec![300],
            ..fields()
        },
        Position {
            variant: "en-dodoi".into(),
            ..fields()
        },
    ];
    for position in bad {
        eprintln!("{position:?}");
        let answer = enumerate(&stranger, Some(position)).await;
        refused_field(answer, Reason::InvalidPosition, "position");
    }
}

#[tokio::test]
async fn text_that_is_no_position_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    let long = format!("{BOSH} {}", "x".repeat(60_000));
    let commas = ",".repeat(60_000);
    let bad = [
        "x",
        " ",
        "-",
        &long,
        &commas,
        "5,5,5,5,0/0,5,5,5,0 5-0 N",
        "é/é é-é é",
        "5,5,5,5,0/0,5,5,5,0 5-1 N round=1",
        "5,5,5,5,0/0,5,5,5,-0 5-0 N round=1",
        "-5,5,5,5,0/0,5,5,5,0 15-0 N round=1",
        "1000000,5,5,5,0/0,5,5,5,0 5-0 N round=1",
        "99999999999999999999,5,5,5,0/0,5,5,5,0 5-0 N round=1",
        "4294967301,5,5,5,0/0,5,5,5,0 5-0 N round=1",
        "5,5,5,5,0/0,5,5,5,0  5-0 N round=1",
        "5,5,5,5,0/0,5,5,5,0 5-0 N round=1 ",
        "5,5,5,5,0/0,5,5,5,0 5-0 N round=0",
        "5,5,5,5,0/0,5,5,5,0 5-0 N round=1 round=1",
    ];
    for bad in bad {
        let answer = enumerate(&stranger, Some(text("bosh", bad))).await;
        eprintln!("{}", &bad[..bad.len().min(80)]);
        refused_field(answer, Reason::InvalidPosition, "position");
    }
    refused_field(
        enumerate(&stranger, None).await,
        Reason::InvalidField,
        "position",
    );
    let nameless = enumerate(&stranger, Some(text("", BOSH))).await;
    refused_field(nameless, Reason::InvalidField, "variant");
    let unknown = enumerate(&stranger, Some(text("Bosh", BOSH))).await;
    refused_missing(
        unknown,
        Reason::VariantNotFound,
        "mancala.v1.Variant",
        "Bosh",
    );
}
