//! Two calls that cross, each case with its one outcome whichever is first.

use std::future::Future;

use mancala::grpc::{
    Reason,
    proto::{EndReason, Game, GameStatus, OfferDrawRequest, SubmitMoveRequest},
};

use crate::support::{
    client::{Answer, Caller, accept, draw, events, join, open, play, resign, takeback},
    server::Server,
    status::{assert_reason, refused},
};

/// So often each case is tried.
const ROUNDS: usize = 12;

struct Players {
    _server: Server,
    _folder: tempfile::TempDir,
    alice: Caller,
    bob: Caller,
}

/// Alice and Bob, each on a connection of their own.
async fn players() -> Players {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    Players {
        alice: server.player("Alice").await.on_own_channel(&server).await,
        bob: server.player("Bob").await.on_own_channel(&server).await,
        _server: server,
        _folder: folder,
    }
}

impl Players {
    /// A game in which Alice, then Bob has moved, and Alice is to move.
    async fn game(&self) -> Game {
        let id = self.alice.create(open("en-dodoi")).await.unwrap().game_id;
        self.bob.join(join(&id)).await.unwrap();
        self.alice.play(&id, 4).await.unwrap();
        self.bob.play(&id, 3).await.unwrap().game.unwrap()
    }
}

/// Starts two calls at once, now this one first and now that one.
async fn cross<A, B>(
    round: usize,
    one: impl Future<Output = A>,
    other: impl Future<Output = B>,
) -> (A, B) {
    if round.is_multiple_of(2) {
        tokio::join!(one, other)
    } else {
        let (other, one) = tokio::join!(other, one);
        (one, other)
    }
}

/// Asserts that one of two calls went and the other was refused as `late` says. Gives what is left.
#[track_caller]
fn one_of(answers: [Answer<Game>; 2], late: [Reason; 2]) -> (usize, Game) {
    match answers {
        [Ok(game), Err(status)] => {
            assert_reason(&status, late[1]);
            (0, game)
        }
        [Err(status), Ok(game)] => {
            assert_reason(&status, late[0]);
            (1, game)
        }
        both => panic!("one of them: {both:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_and_a_move_at_once_leave_the_move() {
    let players = players().await;
    let Players { alice, bob, .. } = &players;
    for round in 0..ROUNDS {
        let game = players.game().await;
        let (id, expected_turn) = (game.game_id.as_str(), Some(game.turn));
        let offer = OfferDrawRequest {
            expected_turn,
            ..draw(id)
        };
        let (offered, moved) = cross(round, bob.offer_draw(offer), alice.play(id, 1)).await;
        let moved = moved.unwrap().game.unwrap();
        if let Err(status) = offered {
            assert_reason(&status, Reason::StaleTurn);
        }
        let left = alice.get(id).await.unwrap();
        assert_eq!(left, moved, "the move stands, and no offer is open");
        assert_eq!((left.open_offer, left.turn), (None, game.turn + 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_offers_of_a_draw_at_once_are_an_agreement() {
    let players = players().await;
    let Players { alice, bob, .. } = &players;
    for round in 0..ROUNDS {
        let game = players.game().await;
        let id = game.game_id.as_str();
        let (hers, his) = cross(round, alice.offer_draw(draw(id)), bob.offer_draw(draw(id))).await;
        let mut answers = [hers.unwrap(), his.unwrap()];
        answers.sort_by_key(|game| game.seq);
        let [offered, over] = answers;
        assert_eq!((offered.seq, over.seq), (game.seq + 1, game.seq + 2));
        assert_eq!(offered.status(), GameStatus::Active);
        assert_eq!(over.result.unwrap().reason(), EndReason::Agreement);
        assert_eq!(alice.get(id).await.unwrap(), over);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_takebacks_asked_at_once_one_is_open() {
    let players = players().await;
    let Players { alice, bob, .. } = &players;
    for round in 0..ROUNDS {
        let game = players.game().await;
        let id = game.game_id.as_str();
        let asked = cross(
            round,
            alice.request_takeback(takeback(id)),
            bob.request_takeback(takeback(id)),
        )
        .await;
        let (who, asked) = one_of(asked.into(), [Reason::OfferOpen; 2]);
        let offer = asked.open_offer.unwrap();
        assert_eq!((offer.side, offer.offer_id), (who as i32 + 1, asked.seq));
        assert_eq!(alice.get(id).await.unwrap(), asked);
        // It names the one that is open, which the other may then answer.
        let other = [bob, alice][who];
        let again = refused(
            other.request_takeback(takeback(id)).await,
            Reason::OfferOpen,
        );
        let metadata = &again.error_info().unwrap().metadata;
        assert_eq!(metadata["offer_id"], offer.offer_id.to_string());
        let back = other.answer(accept(&asked)).await.unwrap();
        assert_eq!(back.ply, who as u32, "Alice's takes back both moves");
    }
}

#[tokio::test]
async fn an_answer_to_an_offer_that_has_lapsed_changes_nothing() {
    let players = players().await;
    let Players { alice, bob, .. } = &players;
    for offer in 0..2 {
        let game = players.game().await;
        let id = game.game_id.as_str();
        let asked = match offer {
            0 => alice.offer_draw(draw(id)).await.unwrap(),
            _ => alice.request_takeback(takeback(id)).await.unwrap(),
        };
        let moved = alice.play(id, 1).await.unwrap().game.unwrap();
        refused(bob.answer(accept(&asked)).await, Reason::OfferGone);
        assert_eq!(bob.get(id).await.unwrap(), moved);
        // Nor is it the answer to one that was made since.
        let again = alice.offer_draw(draw(id)).await.unwrap();
        assert_ne!(again.open_offer, asked.open_offer);
        refused(bob.answer(accept(&asked)).await, Reason::OfferGone);
        assert_eq!(bob.get(id).await.unwrap(), again);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_an_answer_and_a_move_at_once_one_goes() {
    let players = players().await;
    let Players { alice, bob, .. } = &players;
    for round in 0..ROUNDS {
        // Alice has offered a draw and moves.
        let id = players.game().await.game_id;
        let offered = alice.offer_draw(draw(&id)).await.unwrap();
        let moving = async { Ok(alice.play(&id, 1).await?.game.unwrap()) };
        let answers = cross(round, bob.answer(accept(&offered)), moving).await;
        let late = [Reason::OfferGone, Reason::GameOver];
        let (who, game) = one_of(answers.into(), late);
        assert_eq!(alice.get(&id).await.unwrap(), game);
        match who {
            0 => assert_eq!(game.result.unwrap().reason(), EndReason::Agreement),
            _ => assert_eq!((game.status(), game.ply), (GameStatus::Active, 3)),
        }

        // Bob has asked to take his move back, and Alice plays on for the turn that she sees.
        let id = players.game().await.game_id;
        let asked = bob.request_takeback(takeback(&id)).await.unwrap();
        let request = SubmitMoveRequest {
            expected_turn: Some(asked.turn),
            ..play(&id, 1)
        };
        let second = alice.clone();
        let moving = async { Ok(second.submit(request).await?.game.unwrap()) };
        let answers = cross(round, alice.answer(accept(&asked)), moving).await;
        let late = [Reason::OfferGone, Reason::StaleTurn];
        let (who, game) = one_of(answers.into(), late);
        assert_eq!(alice.get(&id).await.unwrap(), game);
        assert_eq!((game.turn, game.ply), (asked.turn + 1, [1, 3][who]));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_resignation_and_an_acceptance_at_once_one_ends_the_game() {
    let players = players().await;
    let Players { alice, bob, .. } = &players;
    for round in 0..ROUNDS {
        let id = players.game().await.game_id;
        let offered = alice.offer_draw(draw(&id)).await.unwrap();
        let answers = cross(
            round,
            alice.resign(resign(&id)),
            bob.answer(accept(&offered)),
        )
        .await;
        let (who, over) = one_of(answers.into(), [Reason::GameOver; 2]);
        let reason = [EndReason::Resignation, EndReason::Agreement][who];
        assert_eq!(over.result.unwrap().reason(), reason);
        assert_eq!((over.seq, over.open_offer), (offered.seq + 1, None));
        assert_eq!(bob.get(&id).await.unwrap(), over);
        let page = bob.events(events(&id)).await.unwrap();
        assert!(page.complete);
        assert_eq!(page.events.len() as u64, over.seq);
    }
}
