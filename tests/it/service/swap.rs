//! The swap of sides, in a variant of a folder that has it.

use mancala::grpc::proto::{
    ApplyMovesRequest, CountMovesRequest, EnumerateMovesRequest, GetStartPositionRequest,
    MoveOutcome, Position, Side, Step, step,
};

use mancala::grpc::Reason;

use crate::support::{
    catalog_with_swap,
    client::{join, open, text},
    server::Server,
    status::refused_field,
};

/// After South's first turn, of two moves.
const FIRST_TURN: &str = "4,4,0,5,5,0/5,5,5,5,4,4 2-0 N swap=N";
const SWAPPED: &str = "5,5,5,5,4,4/4,4,0,5,5,0 0-2 S";

fn swap_by(side: Side) -> Step {
    let side = side.into();
    Step {
        step: Some(step::Step::Swap(step::Swap { side })),
    }
}

#[tokio::test]
async fn the_swap_is_listed_after_the_holes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(folder.path(), catalog_with_swap()).await;
    let mut rules = server.stranger().rules();
    let variant = "pie-kalah".to_owned();
    let request = GetStartPositionRequest {
        variant,
        ..Default::default()
    };
    let start = rules.get_start_position(request).await.unwrap();
    let start = start.into_inner().position.unwrap();
    assert_eq!(start.text, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S swap=N");
    assert_eq!(start.swap(), Side::North);

    let position = Some(text("pie-kalah", FIRST_TURN));
    let request = EnumerateMovesRequest {
        position: position.clone(),
        omit_steps: false,
    };
    let listed = rules.enumerate_moves(request).await.unwrap().into_inner();
    let holes: Vec<_> = listed.moves.iter().map(|outcome| outcome.hole).collect();
    assert_eq!(holes, [0, 1, 2, 3, 4, 5, 6]);
    let swap = listed.moves.last().unwrap();
    let after = swap.position.clone().unwrap();
    assert_eq!(
        (after.text.as_str(), after.swap()),
        (SWAPPED, Side::Unspecified)
    );
    let expected = MoveOutcome {
        mover: Side::North.into(),
        hole: 6,
        steps: vec![swap_by(Side::North)],
        position: Some(after),
        ..MoveOutcome::default()
    };
    assert_eq!(*swap, expected, "no laps, no captures, no result");
    for other in &listed.moves[..6] {
        let after = other.position.as_ref().unwrap();
        assert_eq!(after.swap(), Side::Unspecified);
        assert!(other.laps > 0);
    }

    let request = ApplyMovesRequest {
        position: Some(start.clone()),
        moves: vec![2, 5, 6],
        omit_steps: false,
        ..ApplyMovesRequest::default()
    };
    let applied = rules.apply_moves(request).await.unwrap().into_inner();
    let texts: Vec<_> = applied
        .outcomes
        .iter()
        .map(|outcome| outcome.position.as_ref().unwrap().text.as_str())
        .collect();
    let first_move = "4,4,0,5,5,5/4,4,4,4,4,4 1-0 S swap=N";
    assert_eq!(texts, [first_move, FIRST_TURN, SWAPPED]);
    assert_eq!(applied.outcomes[2], expected);
    let too_early = ApplyMovesRequest {
        position: Some(start),
        moves: vec![2, 6],
        omit_steps: true,
        ..ApplyMovesRequest::default()
    };
    let answer = rules.apply_moves(too_early).await;
    refused_field(answer, Reason::HoleOutOfRange, "moves[1]");

    let request = CountMovesRequest { position, depth: 1 };
    let counted = rules.count_moves(request).await.unwrap().into_inner();
    assert_eq!(counted.nodes, 7);
}

#[tokio::test]
async fn positions_by_fields_say_who_may_swap() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(folder.path(), catalog_with_swap()).await;
    let mut rules = server.stranger().rules();
    let ask = |position| EnumerateMovesRequest {
        position: Some(position),
        omit_steps: false,
    };
    let from_text = ask(text("pie-kalah", FIRST_TURN));
    let expected = rules.enumerate_moves(from_text).await.unwrap().into_inner();
    let fields = Position {
        variant: "pie-kalah".into(),
        south: vec![4, 4, 0, 5, 5, 0],
        north: vec![5, 5, 5, 5, 4, 4],
        south_store: 2,
        to_move: Side::North.into(),
        swap: Side::North.into(),
        ..Position::default()
    };
    let with_text = |swap: Side| Position {
        text: FIRST_TURN.into(),
        swap: swap.into(),
        ..fields.clone()
    };
    for position in [fields.clone(), with_text(Side::North)] {
        let listed = rules.enumerate_moves(ask(position)).await.unwrap();
        assert_eq!(listed.into_inner(), expected);
    }
    let nobody = Position {
        swap: Side::Unspecified.into(),
        ..fields.clone()
    };
    let listed = rules.enumerate_moves(ask(nobody)).await.unwrap();
    assert_eq!(listed.into_inner().moves.len(), 6);
    let no_side = Position {
        swap: 7,
        ..fields.clone()
    };
    // Kalah itself knows no swap.
    let elsewhere = Position {
        variant: "kalah".into(),
        ..fields.clone()
    };
    let only_swap = Position {
        swap: Side::North.into(),
        ..text("pie-kalah", FIRST_TURN)
    };
    for bad in [
        with_text(Side::South),
        with_text(Side::Unspecified),
        no_side,
        elsewhere,
        only_swap,
        text("kalah", FIRST_TURN),
    ] {
        let answer = rules.enumerate_moves(ask(bad)).await;
        refused_field(answer, Reason::InvalidPosition, "position");
    }
}

/// The log holds the rules: a game goes on after a restart, even without the variant's file.
#[tokio::test]
async fn a_game_with_a_swap_is_the_same_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(folder.path(), catalog_with_swap()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let id = alice.create(open("pie-kalah")).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    refused_field(alice.play(&id, 6).await, Reason::HoleOutOfRange, "hole");
    alice.play(&id, 2).await.unwrap();
    let before = alice.play(&id, 5).await.unwrap().game.unwrap();
    assert_eq!(before.position.as_ref().unwrap().swap(), Side::North);
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    assert_eq!(bob.get(&id).await.unwrap(), before);
    let legal = bob.legal(&id).await.unwrap().moves;
    assert_eq!(legal.last().unwrap().hole, 6);
    let swapped = bob.play(&id, 6).await.unwrap();
    let outcome = swapped.outcome.unwrap();
    assert_eq!((outcome.hole, outcome.laps), (6, 0));
    assert_eq!(outcome.steps, [swap_by(Side::North)]);
    let swapped = swapped.game.unwrap();
    assert_eq!(swapped.position.as_ref().unwrap().text, SWAPPED);
    let moves: Vec<_> = swapped
        .moves
        .iter()
        .map(|made| (made.mover, made.hole))
        .collect();
    assert_eq!(moves, [(1, 2), (1, 5), (2, 6)]);
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    assert_eq!(alice.get(&id).await.unwrap(), swapped);
    refused_field(alice.play(&id, 6).await, Reason::HoleOutOfRange, "hole");
    assert_eq!(bob.legal(&id).await.unwrap().moves.len(), 6);
    alice.play(&id, 0).await.unwrap();
}
