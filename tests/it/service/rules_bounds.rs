//! What `RulesService` refuses beside bad positions, and how long a move it can tell of.

use mancala::grpc::{
    Reason,
    proto::{
        ApplyMovesRequest, CountMovesRequest, EnumerateMovesRequest, GetStartPositionRequest,
        GetVariantRequest, ListVariantsRequest,
    },
};

use tokio::task::JoinSet;

use crate::support::{
    client::text,
    server::Server,
    status::{refused_field, refused_missing, refused_precondition, refused_quota},
    within,
};

const BOSH: &str = "5,5,5,5,0/0,5,5,5,0 5-0 N round=1";

/// A position with a move of nearly six thousand laps.
const LONG: &str = "0,4,0,1,9,2,1,2,3,2/0,5,6,1,0,1,2,1,7,1 20-12 S";

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
            ..ApplyMovesRequest::default()
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
        ..ApplyMovesRequest::default()
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
        ..ApplyMovesRequest::default()
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
        "count-laps",
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
    let start = |holes, seeds, first| GetStartPositionRequest {
        variant: "bosh".into(),
        holes,
        first,
        seeds,
    };
    let answer = rules.get_start_position(start(6, 0, 0)).await;
    refused_field(answer, Reason::InvalidField, "holes");
    let answer = rules.get_start_position(start(0, 5, 0)).await;
    refused_field(answer, Reason::InvalidField, "seeds");
    let answer = rules.get_start_position(start(0, 0, 9)).await;
    refused_field(answer, Reason::InvalidField, "first");
}

#[tokio::test]
async fn a_long_sowing_is_told_whole() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let request = |omit_steps| ApplyMovesRequest {
        position: Some(text("en-dodoi", LONG)),
        moves: vec![9],
        omit_steps,
        ..ApplyMovesRequest::default()
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

/// Counts that take long hold up neither each other's refusal nor other callers, nor what is short; and those
/// whose callers have gone make room.
#[tokio::test]
async fn long_calls_wait_at_one_gate_with_shares() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let rules = server.stranger().rules();
    let start = "4,4,4,4,4,4,4,4,4,4/4,4,4,4,4,4,4,4,4,4 0-0 S";
    let count = |depth| CountMovesRequest {
        position: Some(text("en-dodoi", start)),
        depth,
    };
    let mut calls = JoinSet::new();
    for _ in 0..100 {
        let (mut rules, request) = (rules.clone(), count(30));
        calls.spawn(async move { rules.count_moves(request).await });
    }
    // One is worked on and four wait, each for longer than it takes to refuse the others.
    let first = within(calls.join_next()).await.unwrap().unwrap();
    refused_quota(first, Reason::Busy, "long-calls-waiting");
    let enumerate = |position| EnumerateMovesRequest {
        position: Some(text("en-dodoi", position)),
        omit_steps: true,
    };
    within(rules.clone().enumerate_moves(enumerate(start)))
        .await
        .unwrap();
    let long = within(rules.clone().enumerate_moves(enumerate(LONG))).await;
    refused_quota(long, Reason::Busy, "long-calls-waiting");
    let apply = ApplyMovesRequest {
        position: Some(text("bosh", BOSH)),
        moves: vec![1],
        omit_steps: true,
        ..ApplyMovesRequest::default()
    };
    let alice = server.player("Alice").await;
    let apply = alice.request(apply);
    within(alice.rules().apply_moves(apply)).await.unwrap();
    calls.shutdown().await;
    let counted = loop {
        match within(rules.clone().count_moves(count(2))).await {
            Ok(counted) => break counted.into_inner(),
            Err(status) => assert_eq!(status.code(), tonic::Code::ResourceExhausted),
        }
    };
    assert_eq!(counted.nodes, 79);
    let long = rules
        .clone()
        .enumerate_moves(enumerate(LONG))
        .await
        .unwrap();
    let laps = long.into_inner().moves.into_iter().map(|told| told.laps);
    assert_eq!(laps.max(), Some(5_979));
}
