//! Moves that are taken back, as clients see it.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, Game, OfferKind, RequestTakebackRequest, ResignGameRequest, Side,
        SubmitMoveRequest, game_event::Change,
    },
};

use super::errors::{Set, set};
use crate::support::{
    chance::Chance,
    client::{Caller, accept, decline, draw, events, play, resign, solo, takeback, text},
    server::Server,
    status::{refused, refused_precondition},
    variants,
};

/// Asks for a takeback, which the other side accepts.
async fn take_back(asker: &Caller, other: &Caller, id: &str) -> Game {
    let asked = asker.request_takeback(takeback(id)).await.unwrap();
    other.answer(accept(&asked)).await.unwrap()
}

/// The same of a player who has both seats.
async fn take_back_of(caller: &Caller, id: &str, side: Side) -> Game {
    let request = RequestTakebackRequest {
        side: side.into(),
        ..takeback(id)
    };
    let asked = caller.request_takeback(request).await.unwrap();
    caller.answer(accept(&asked)).await.unwrap()
}

#[tokio::test]
async fn a_takeback_goes_to_before_the_askers_last_move() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let mut before = vec![set.game.clone()];
    let mut holes = Vec::new();
    for mover in [bob, alice, bob] {
        let hole = mover.legal(id).await.unwrap().moves[0].hole;
        holes.push(hole);
        before.push(mover.play(id, hole).await.unwrap().game.unwrap());
    }
    let now = before.pop().unwrap();
    let asked = alice.request_takeback(takeback(id)).await.unwrap();
    let offer = asked.open_offer.unwrap();
    assert_eq!(
        (offer.kind(), offer.side()),
        (OfferKind::Takeback, Side::South)
    );
    assert_eq!(offer.offer_id, now.seq + 1);
    assert_eq!(
        (asked.turn, asked.position.clone()),
        (now.turn, now.position.clone())
    );

    // Hers and the one after it.
    let back = bob.answer(accept(&asked)).await.unwrap();
    let then = &before[1];
    let expected = Game {
        turn: now.turn + 1,
        seq: now.seq + 2,
        update_time: back.update_time,
        ..then.clone()
    };
    assert_eq!(back, expected, "as it was, but for turn, seq and time");
    assert_eq!((back.ply, back.moves.len()), (2, 2));
    let page = alice.events(events(id)).await.unwrap();
    let Some(Change::OfferAnswered(answered)) = &page.events.last().unwrap().change else {
        panic!("an answer")
    };
    assert!(answered.accepted);
    assert_eq!(
        (answered.offer, answered.moves_taken_back),
        (Some(offer), 2)
    );

    // What was meant for the old turn is refused, though the position is the same.
    for turn in [then.turn, now.turn] {
        let stale = SubmitMoveRequest {
            expected_turn: Some(turn),
            ..play(id, holes[1])
        };
        let details = refused(alice.submit(stale).await, Reason::StaleTurn);
        let metadata = &details.error_info().unwrap().metadata;
        assert_eq!(metadata["turn"], back.turn.to_string());
    }
    let again = alice.play(id, holes[1]).await.unwrap().game.unwrap();
    assert_eq!(again.position, before[2].position);
    assert_eq!(again.turn, back.turn + 1);
}

#[tokio::test]
async fn who_moved_last_takes_back_that_move_alone() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let back = take_back(alice, bob, id).await;
    assert_eq!(back.position, back.start_position);
    assert_eq!((back.turn, back.ply, back.moves.len()), (2, 0, 0));
    let legal = alice.legal(id).await.unwrap();
    assert_eq!((legal.moves.len(), legal.turn), (6, 2));
    refused(bob.play(id, 0).await, Reason::NotYourTurn);
    alice.play(id, 3).await.unwrap();
    assert_eq!(bob.get(id).await.unwrap().moves[0].hole, 3);
}

#[tokio::test]
async fn who_has_not_moved_in_this_round_has_nothing_to_take_back() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let (reason, kind) = (Reason::NothingToTakeBack, "NOTHING_TO_TAKE_BACK");
    refused_precondition(bob.request_takeback(takeback(id)).await, reason, kind);
    set.assert_unchanged().await;
    take_back(alice, bob, id).await;
    refused_precondition(alice.request_takeback(takeback(id)).await, reason, kind);

    // Right after a round's end there is nothing, of a series and of a match; later only of this round.
    let of = |id: &str, side: Side| RequestTakebackRequest {
        side: side.into(),
        ..takeback(id)
    };
    let series = CreateGameRequest {
        target_wins: 2,
        ..solo("en-dodoi")
    };
    let match_of_bosh = CreateGameRequest {
        start_position: Some(text("bosh", "0,0,0,1,0/0,0,0,0,0 15-24 S round=1")),
        ..solo("bosh")
    };
    for (request, line) in [(series, &[4, 3, 1, 5, 2, 4, 1][..]), (match_of_bosh, &[3])] {
        let id = alice.create(request).await.unwrap().game_id;
        let mut game = alice.get(&id).await.unwrap();
        for hole in line {
            game = alice.play(&id, *hole).await.unwrap().game.unwrap();
        }
        assert_eq!((game.round, game.ply, game.rounds.len()), (2, 0, 1));
        for side in [Side::South, Side::North] {
            let answer = alice.request_takeback(of(&id, side)).await;
            refused_precondition(answer, reason, kind);
        }
        assert_eq!(alice.get(&id).await.unwrap(), game);
        // North begins the second round.
        alice.play(&id, 0).await.unwrap();
        let answer = alice.request_takeback(of(&id, Side::South)).await;
        refused_precondition(answer, reason, kind);
        let back = take_back_of(alice, &id, Side::North).await;
        let expected = Game {
            turn: game.turn + 2,
            seq: game.seq + 3,
            update_time: back.update_time,
            ..game
        };
        assert_eq!(back, expected, "the finished round stays");
    }
}

#[tokio::test]
async fn a_turn_of_several_moves_is_taken_back_one_at_a_time() {
    let set = set().await;
    let alice = &set.alice;
    let id = alice.create(solo("kalah")).await.unwrap().game_id;
    // South's c moves again, its f passes the turn.
    let again = alice.play(&id, 2).await.unwrap().game.unwrap();
    let over = alice.play(&id, 5).await.unwrap().game.unwrap();
    let to_move = |game: &Game| game.position.as_ref().unwrap().to_move();
    assert_eq!(
        (to_move(&again), to_move(&over)),
        (Side::South, Side::North)
    );
    let back = take_back_of(alice, &id, Side::South).await;
    assert_eq!((&back.position, back.ply), (&again.position, 1));
    let back = take_back_of(alice, &id, Side::South).await;
    assert_eq!((&back.position, back.ply), (&back.start_position, 0));
    assert_eq!(back.turn, 4);
}

#[tokio::test]
async fn a_takeback_that_is_declined_is_not_asked_for_again_this_turn() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let asked = alice.request_takeback(takeback(id)).await.unwrap();
    let declined = bob.answer(decline(&asked)).await.unwrap();
    let expected = Game {
        seq: set.game.seq + 2,
        update_time: declined.update_time,
        ..set.game.clone()
    };
    assert_eq!(declined, expected, "nothing was taken back");
    let answer = alice.request_takeback(takeback(id)).await;
    refused_precondition(answer, Reason::OfferRepeated, "OFFER_REPEATED");
    // A draw is something else.
    let offered = alice.offer_draw(draw(id)).await.unwrap();
    bob.answer(decline(&offered)).await.unwrap();
    bob.play(id, 1).await.unwrap();
    alice.request_takeback(takeback(id)).await.unwrap();
}

/// A turn that has come by a takeback is another turn.
#[tokio::test]
async fn after_a_takeback_the_same_may_be_offered_again() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    bob.play(id, 1).await.unwrap();
    take_back(bob, alice, id).await;
    let back = take_back(alice, bob, id).await;
    assert_eq!((back.ply, back.turn), (0, 4));
}

#[tokio::test]
async fn takebacks_are_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut left = Vec::new();
    for variant in variants() {
        let id = alice.create(solo(variant)).await.unwrap().game_id;
        let mut chance = Chance::new(11);
        for _ in 0..3 {
            alice.play_any(&id, 8, &mut chance).await;
            let game = alice.get(&id).await.unwrap();
            if game.result.is_none() && game.ply > 0 {
                let last = game.moves.last().unwrap().mover();
                take_back_of(&alice, &id, last).await;
            }
        }
        alice.play_any(&id, 3, &mut chance).await;
        left.push((
            alice.get(&id).await.unwrap(),
            alice.legal(&id).await.unwrap(),
        ));
    }
    server.stop().await;
    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    for (game, legal) in left {
        assert_eq!(alice.get(&game.game_id).await.unwrap(), game);
        assert_eq!(alice.legal(&game.game_id).await.unwrap(), legal);
        if game.result.is_none() {
            let request = ResignGameRequest {
                side: 1,
                ..resign(&game.game_id)
            };
            alice.resign(request).await.unwrap();
        }
    }
}

/// A game that is over is not opened again.
#[tokio::test]
async fn an_end_is_not_taken_back() {
    let Set { alice, .. } = &set().await;
    let start_position = Some(text("kalah", "0,0,0,0,0,1/0,2,0,0,3,0 22-20 S"));
    let request = CreateGameRequest {
        start_position,
        ..solo("kalah")
    };
    let id = alice.create(request).await.unwrap().game_id;
    let over = alice.play(&id, 5).await.unwrap().game.unwrap();
    let request = RequestTakebackRequest {
        side: 1,
        ..takeback(&id)
    };
    let answer = alice.request_takeback(request).await;
    refused_precondition(answer, Reason::GameOver, "GAME_OVER");
    assert_eq!(alice.get(&id).await.unwrap(), over);
}
