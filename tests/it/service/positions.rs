//! Positions that a client gives: as text, as fields, as both, and as what they can't be.

use mancala::grpc::{
    Reason,
    proto::{
        ApplyMovesRequest, CountMovesRequest, EnumerateMovesRequest, EnumerateMovesResponse,
        GetStartPositionRequest, GetVariantRequest, ListVariantsRequest, Position, Side,
    },
};

use crate::support::{
    client::{Answer, Caller, text},
    server::Server,
    status::{refused_field, refused_missing, refused_precondition, refused_quota},
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
        println!("{shown}");
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
        println!("{position:?}");
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
        println!("{}", &bad[..bad.len().min(80)]);
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

#[tokio::test]
async fn other_requests_about_rules_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let position = || Some(text("bosh", BOSH));
    for moves in [vec![], vec![1; 257]] {
        let request = ApplyMovesRequest {
            position: position(),
            moves,
            omit_steps: true,
        };
        refused_field(
            rules.apply_moves(request).await,
            Reason::InvalidField,
            "moves",
        );
    }
    let apply = |moves| ApplyMovesRequest {
        position: position(),
        moves,
        omit_steps: false,
    };
    let range = rules.apply_moves(apply(vec![1, 5])).await;
    refused_field(range, Reason::HoleOutOfRange, "moves[1]");
    let empty = rules.apply_moves(apply(vec![0])).await;
    refused_precondition(empty, Reason::IllegalMove, "HOLE_EMPTY");
    let over = Some(text("bosh", "0,0,0,0,0/0,0,0,0,0 3-37 - round=7"));
    let request = ApplyMovesRequest {
        position: over,
        moves: vec![0],
        omit_steps: true,
    };
    refused_precondition(
        rules.apply_moves(request).await,
        Reason::GameOver,
        "GAME_OVER",
    );

    let count = |depth| CountMovesRequest {
        position: position(),
        depth,
    };
    refused_field(
        rules.count_moves(count(65)).await,
        Reason::InvalidField,
        "depth",
    );
    refused_quota(
        rules.count_moves(count(64)).await,
        Reason::CountTooLarge,
        "laps",
    );
    let page_size = 201;
    let list = ListVariantsRequest {
        page_size,
        ..Default::default()
    };
    refused_field(
        rules.list_variants(list).await,
        Reason::InvalidField,
        "page_size",
    );
    let page_token = "0".repeat(32);
    let list = ListVariantsRequest {
        page_token,
        ..Default::default()
    };
    refused_field(
        rules.list_variants(list).await,
        Reason::InvalidPageToken,
        "page_token",
    );
    let variant = "chess".to_owned();
    let get = rules.get_variant(GetVariantRequest { variant }).await;
    refused_missing(get, Reason::VariantNotFound, "mancala.v1.Variant", "chess");
    let start = |holes, first| GetStartPositionRequest {
        variant: "bosh".into(),
        holes,
        first,
    };
    let answer = rules.get_start_position(start(6, 0)).await;
    refused_field(answer, Reason::InvalidField, "holes");
    let answer = rules.get_start_position(start(0, 9)).await;
    refused_field(answer, Reason::InvalidField, "first");
}

#[tokio::test]
async fn a_long_sowing_is_told_whole() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let long = "0,4,0,1,9,2,1,2,3,2/0,5,6,1,0,1,2,1,7,1 20-12 S";
    let request = |omit_steps| ApplyMovesRequest {
        position: Some(text("en-dodoi", long)),
        moves: vec![9],
        omit_steps,
    };
    let told = rules
        .apply_moves(request(false))
        .await
        .unwrap()
        .into_inner();
    let outcome = &told.outcomes[0];
    assert_eq!(outcome.laps, 5_979);
    assert!(outcome.steps.len() >= 2 * 5_979);
    let short = rules.apply_moves(request(true)).await.unwrap().into_inner();
    assert_eq!(short.outcomes[0].position, outcome.position);
    assert!(short.outcomes[0].steps.is_empty());
}
