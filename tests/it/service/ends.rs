//! Why moves are blocked and games end, as a client is told.

use mancala::grpc::{
    Reason,
    proto::{
        BlockReason, CreateGameRequest, EndReason, EnumerateMovesRequest, Outcome, Result, step,
    },
};

use crate::support::{
    catalog_with,
    client::{solo, text},
    server::Server,
    status::refused_precondition,
};

fn from(variant: &str, start: &str) -> CreateGameRequest {
    CreateGameRequest {
        start_position: Some(text(variant, start)),
        ..solo(variant)
    }
}

#[tokio::test]
async fn moves_that_do_not_feed_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let hungry = "1,0,0,2,0,1/0,0,0,0,0,0 20-24 S";
    let request = EnumerateMovesRequest {
        position: Some(text("oware", hungry)),
        omit_steps: false,
    };
    let listed = alice.rules().enumerate_moves(request).await.unwrap();
    let listed = listed.into_inner();
    let holes: Vec<_> = listed.moves.iter().map(|outcome| outcome.hole).collect();
    assert_eq!(holes, [5]);
    let blocked: Vec<_> = listed
        .blocked
        .iter()
        .map(|blocked| (blocked.hole, blocked.reason()))
        .collect();
    let reason = BlockReason::DoesNotFeed;
    assert_eq!(blocked, [(0, reason), (3, reason)]);
    // In a game as well.
    let game = alice.create(from("oware", hungry)).await.unwrap();
    let legal = alice.legal(&game.game_id).await.unwrap();
    assert_eq!(legal.blocked, listed.blocked);
    let answer = alice.play(&game.game_id, 3).await;
    refused_precondition(answer, Reason::IllegalMove, "DOES_NOT_FEED");
    assert_eq!(alice.get(&game.game_id).await.unwrap(), game);
    let after = alice.play(&game.game_id, 5).await.unwrap();
    let position = after.game.unwrap().position.unwrap();
    assert_eq!(position.text, "1,0,0,2,0,0/1,0,0,0,0,0 20-24 N");
}

#[tokio::test]
async fn grand_slams_that_are_forbidden_are_told_apart() {
    let catalog = catalog_with(
        "wari",
        "oware",
        "grand-slam = \"void\"",
        "grand-slam = \"forbidden\"",
    );
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(folder.path(), catalog).await;
    let alice = server.player("Alice").await;
    let game = alice.create(from("wari", "0,2,0,0,1,3/1,2,1,0,0,0 17-21 S"));
    let game = game.await.unwrap();
    let legal = alice.legal(&game.game_id).await.unwrap();
    let [blocked] = legal.blocked.as_slice() else {
        panic!("one hole is blocked")
    };
    assert_eq!(
        (blocked.hole, blocked.reason()),
        (5, BlockReason::GrandSlam)
    );
    let answer = alice.play(&game.game_id, 5).await;
    refused_precondition(answer, Reason::IllegalMove, "GRAND_SLAM");
}

#[tokio::test]
async fn results_say_why_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let cases = [
        (
            ("oware", "0,2,0,0,1,3/1,2,1,0,0,6 18-14 S", 5),
            (Outcome::SouthWon, EndReason::Majority, 28, 20),
        ),
        (
            ("oware", "3,0,0,0,0,0/0,0,0,0,0,1 20-24 N", 5),
            (Outcome::Drawn, EndReason::NoMoves, 24, 24),
        ),
        (
            ("kalah", "0,0,0,0,0,1/0,2,0,0,3,0 22-20 S", 5),
            (Outcome::NorthWon, EndReason::EmptyRow, 23, 25),
        ),
        (
            ("kalah", "1,0,0,0,0,3/0,0,0,0,5,0 20-19 S", 0),
            (Outcome::SouthWon, EndReason::EmptyRow, 29, 19),
        ),
    ];
    for ((variant, start, hole), (outcome, reason, south_score, north_score)) in cases {
        let id = alice.create(from(variant, start)).await.unwrap().game_id;
        let answer = alice.play(&id, hole).await.unwrap();
        let result = Some(Result {
            outcome: outcome.into(),
            reason: reason.into(),
            south_score,
            north_score,
        });
        assert_eq!(answer.outcome.unwrap().result, result, "{start}");
        assert_eq!(answer.game.unwrap().result, result, "{start}");
        assert_eq!(alice.get(&id).await.unwrap().result, result);
    }
}

/// In Oware the game, which knows its history, ends with the second standing; the bare rules go on.
#[tokio::test]
async fn a_game_of_oware_ends_with_its_second_standing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let start = "1,0,0,0,0,0/1,0,0,0,0,0 22-24 S";
    let id = alice.create(from("oware", start)).await.unwrap().game_id;
    let mut last = None;
    for hole in 0..6 {
        for _ in 0..2 {
            assert_eq!(alice.get(&id).await.unwrap().result, None);
            last = alice.play(&id, hole).await.unwrap().outcome;
        }
    }
    let game = alice.get(&id).await.unwrap();
    let result = game.result.unwrap();
    assert_eq!(result.reason(), EndReason::Repetition);
    assert_eq!((result.south_score, result.north_score), (23, 25));
    let steps = last.unwrap().steps;
    let swept = steps.iter().filter_map(|step| match &step.step {
        Some(step::Step::Sweep(sweep)) => Some((sweep.side, sweep.seeds)),
        _ => None,
    });
    assert_eq!(swept.collect::<Vec<_>>(), [(1, 1), (2, 1)]);
}
