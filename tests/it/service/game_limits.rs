//! How many games a player may have that are not over.

use mancala::grpc::{Limit, Reason, proto::CreateGameRequest};

use crate::support::{
    client::{join, open, solo},
    server::Server,
    status::refused_quota,
};

#[tokio::test]
async fn a_seat_taken_in_a_game_that_still_waits_counts_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let limit = |edge: &mut mancala::grpc::server::Edge| {
        edge.limits.set(Limit::GamesPerPlayer, 3);
    };
    let server = Server::start_behind(folder.path(), limit).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let both_open = || CreateGameRequest {
        south: None,
        ..open("bosh")
    };
    let mut games = Vec::new();
    for _ in 0..2 {
        games.push(bob.create(both_open()).await.unwrap().game_id);
    }
    for id in &games {
        alice.join(join(id)).await.unwrap();
    }
    let own = alice.create(open("bosh")).await.unwrap().game_id;
    let more = alice.create(solo("bosh")).await;
    refused_quota(more, Reason::TooManyGames, "games-per-player");
    let last = bob.create(open("bosh")).await.unwrap().game_id;
    let more = alice.join(join(&last)).await;
    refused_quota(more, Reason::TooManyGames, "games-per-player");
    // Those that are counted already may be had whole: her own, and one in which she has the other seat.
    alice.join(join(&own)).await.unwrap();
    alice.join(join(&games[0])).await.unwrap();
    let more = alice.create(solo("bosh")).await;
    refused_quota(more, Reason::TooManyGames, "games-per-player");
}
