//! Offers of a draw, and how any offer is answered.

use mancala::grpc::{
    Reason,
    proto::{
        AnswerOfferRequest, CreateGameRequest, EndReason, Game, GameStatus, Offer,
        OfferDrawRequest, OfferKind, Outcome, RequestTakebackRequest, Side, game_event::Change,
    },
};
use tonic_types::ErrorDetails;

use super::errors::{Set, set};
use crate::support::{
    client::{accept, decline, draw, events, play, solo, takeback},
    status::{refused, refused_field, refused_precondition},
    variants,
};

/// The last change of a game, as its events tell of it.
async fn last_change(set: &Set, game: &Game) -> Change {
    let page = set.alice.events(events(&game.game_id)).await.unwrap();
    let last = page.events.into_iter().next_back().unwrap();
    assert_eq!(last.seq, game.seq);
    last.change.unwrap()
}

fn metadata<'a>(details: &'a ErrorDetails, key: &str) -> &'a str {
    &details.error_info().unwrap().metadata[key]
}

#[tokio::test]
async fn a_draw_is_offered_and_accepted() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let offered = alice.offer_draw(draw(id)).await.unwrap();
    let offer = Offer {
        offer_id: set.game.seq + 1,
        kind: OfferKind::Draw.into(),
        side: Side::South.into(),
    };
    let expected = Game {
        open_offer: Some(offer),
        seq: set.game.seq + 1,
        update_time: offered.update_time,
        ..set.game.clone()
    };
    assert_eq!(offered, expected, "nothing else has changed");
    assert_eq!(bob.get(id).await.unwrap(), offered);
    let Change::OfferMade(made) = last_change(&set, &offered).await else {
        panic!("an offer")
    };
    assert_eq!(made.offer, Some(offer));

    let over = bob.answer(accept(&offered)).await.unwrap();
    assert_eq!(over.status(), GameStatus::Finished);
    assert_eq!(over.open_offer, None);
    let result = over.result.unwrap();
    assert_eq!(result.outcome(), Outcome::Drawn);
    assert_eq!(result.reason(), EndReason::Agreement);
    assert_eq!((over.turn, over.ply), (set.game.turn, set.game.ply));
    assert_eq!(over.position, set.game.position, "the board stays");
    let Change::OfferAnswered(answered) = last_change(&set, &over).await else {
        panic!("an answer")
    };
    assert_eq!(answered.offer, Some(offer));
    assert!(answered.accepted);
    assert_eq!(answered.moves_taken_back, 0);
    assert_eq!(alice.get(id).await.unwrap(), over);
}

#[tokio::test]
async fn a_draw_that_is_declined_is_not_offered_again_this_turn() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let offered = bob.offer_draw(draw(id)).await.unwrap();
    let declined = alice.answer(decline(&offered)).await.unwrap();
    assert_eq!((declined.open_offer, declined.result), (None, None));
    assert_eq!(declined.status(), GameStatus::Active);
    let Change::OfferAnswered(answered) = last_change(&set, &declined).await else {
        panic!("an answer")
    };
    assert!(!answered.accepted);
    let answer = bob.offer_draw(draw(id)).await;
    refused_precondition(answer, Reason::OfferRepeated, "OFFER_REPEATED");
    let gone = alice.answer(accept(&offered)).await;
    refused_precondition(gone, Reason::OfferGone, "OFFER_GONE");
    assert_eq!(alice.get(id).await.unwrap(), declined);

    // The other side may, this turn, and so may this one in the next.
    let hers = alice.offer_draw(draw(id)).await.unwrap();
    bob.answer(decline(&hers)).await.unwrap();
    bob.play(id, 1).await.unwrap();
    let again = bob.offer_draw(draw(id)).await.unwrap();
    assert_eq!(again.open_offer.unwrap().offer_id, again.seq);
}

#[tokio::test]
async fn an_offer_lapses_with_the_next_move_whoever_makes_it() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    // Bob is to move, and then Alice is; each time it is Bob's offer.
    for mover in [bob, alice] {
        let offered = bob.offer_draw(draw(id)).await.unwrap();
        let hole = mover.legal(id).await.unwrap().moves[0].hole;
        let made = mover.play(id, hole).await.unwrap().game.unwrap();
        assert_eq!(made.open_offer, None);
        for late in [accept(&offered), decline(&offered)] {
            let answer = alice.answer(late).await;
            refused_precondition(answer, Reason::OfferGone, "OFFER_GONE");
        }
        assert_eq!(alice.get(id).await.unwrap(), made);
    }
}

#[tokio::test]
async fn two_offers_of_a_draw_are_an_agreement() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let offered = alice.offer_draw(draw(id)).await.unwrap();
    let over = bob.offer_draw(draw(id)).await.unwrap();
    assert_eq!(over.seq, offered.seq + 1);
    assert_eq!(over.result.unwrap().reason(), EndReason::Agreement);
    assert_eq!(over.result.unwrap().outcome(), Outcome::Drawn);
    assert_eq!(over.status(), GameStatus::Finished);
    let Change::OfferAnswered(answered) = last_change(&set, &over).await else {
        panic!("an answer")
    };
    assert_eq!(answered.offer, offered.open_offer);
    assert!(answered.accepted);
}

/// Also by a side that has had its own offer of one declined this turn.
#[tokio::test]
async fn who_was_declined_may_still_agree() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let offered = alice.offer_draw(draw(id)).await.unwrap();
    bob.answer(decline(&offered)).await.unwrap();
    bob.offer_draw(draw(id)).await.unwrap();
    let over = alice.offer_draw(draw(id)).await.unwrap();
    assert_eq!(over.result.unwrap().reason(), EndReason::Agreement);
}

#[tokio::test]
async fn one_offer_is_open_at_a_time() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let kind = "OFFER_OPEN";
    let offered = alice.offer_draw(draw(id)).await.unwrap();
    let offer_id = offered.open_offer.unwrap().offer_id.to_string();
    let answers = [
        alice.offer_draw(draw(id)).await,
        alice.request_takeback(takeback(id)).await,
        bob.request_takeback(takeback(id)).await,
    ];
    for answer in answers {
        let details = refused(answer.clone(), Reason::OfferOpen);
        assert_eq!(metadata(&details, "offer_id"), offer_id);
        refused_precondition(answer, Reason::OfferOpen, kind);
    }
    assert_eq!(alice.get(id).await.unwrap(), offered);
    bob.answer(decline(&offered)).await.unwrap();

    let asked = alice.request_takeback(takeback(id)).await.unwrap();
    let offer_id = asked.open_offer.unwrap().offer_id.to_string();
    let answers = [
        alice.request_takeback(takeback(id)).await,
        bob.request_takeback(takeback(id)).await,
        bob.offer_draw(draw(id)).await,
    ];
    for answer in answers {
        let details = refused(answer, Reason::OfferOpen);
        assert_eq!(metadata(&details, "offer_id"), offer_id);
    }
    assert_eq!(alice.get(id).await.unwrap(), asked);
}

#[tokio::test]
async fn only_the_other_side_answers_and_only_what_is_open() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let offered = alice.offer_draw(draw(id)).await.unwrap();
    for own in [accept(&offered), decline(&offered)] {
        let answer = alice.answer(own).await;
        refused_precondition(answer, Reason::OwnOffer, "OWN_OFFER");
    }
    for offer_id in [1, offered.seq - 1, offered.seq + 1, u64::MAX] {
        for caller in [alice, bob] {
            let unknown = AnswerOfferRequest {
                offer_id,
                ..accept(&offered)
            };
            let answer = caller.answer(unknown).await;
            refused_precondition(answer, Reason::OfferGone, "OFFER_GONE");
        }
    }
    for answer in [0, 3, -1] {
        let request = AnswerOfferRequest {
            answer,
            ..accept(&offered)
        };
        refused_field(bob.answer(request).await, Reason::InvalidField, "answer");
    }
    let unnamed = AnswerOfferRequest {
        offer_id: 0,
        ..accept(&offered)
    };
    refused_field(bob.answer(unnamed).await, Reason::InvalidField, "offer_id");
    assert_eq!(bob.get(id).await.unwrap(), offered);
}

#[tokio::test]
async fn offers_for_another_turn_are_told_which_it_is() {
    let set = set().await;
    let (alice, id) = (&set.alice, set.game.game_id.as_str());
    for turn in [0, 2, u32::MAX] {
        let expected_turn = Some(turn);
        let stale = OfferDrawRequest {
            expected_turn,
            ..draw(id)
        };
        let details = refused(alice.offer_draw(stale).await, Reason::StaleTurn);
        assert_eq!(metadata(&details, "turn"), "1");
        let stale = RequestTakebackRequest {
            expected_turn,
            ..takeback(id)
        };
        let details = refused(alice.request_takeback(stale).await, Reason::StaleTurn);
        assert_eq!(metadata(&details, "turn"), "1");
    }
    set.assert_unchanged().await;
    let expected_turn = Some(1);
    let fresh = OfferDrawRequest {
        expected_turn,
        ..draw(id)
    };
    alice.offer_draw(fresh).await.unwrap();
}

#[tokio::test]
async fn who_has_both_seats_offers_with_one_and_answers_with_the_other() {
    let set = set().await;
    let alice = &set.alice;
    let id = alice.create(solo("bosh")).await.unwrap().game_id;
    alice.submit(play(&id, 0)).await.unwrap();
    let answer = alice.offer_draw(draw(&id)).await;
    refused_field(answer, Reason::InvalidField, "side");
    let answer = alice.request_takeback(takeback(&id)).await;
    refused_field(answer, Reason::InvalidField, "side");
    let request = OfferDrawRequest {
        side: 7,
        ..draw(&id)
    };
    refused_field(
        alice.offer_draw(request).await,
        Reason::InvalidField,
        "side",
    );
    let by = |side: Side| OfferDrawRequest {
        side: side.into(),
        ..draw(&id)
    };
    let offered = alice.offer_draw(by(Side::North)).await.unwrap();
    assert_eq!(offered.open_offer.unwrap().side(), Side::North);
    refused(alice.offer_draw(by(Side::North)).await, Reason::OfferOpen);
    alice.answer(decline(&offered)).await.unwrap();
    let offered = alice.offer_draw(by(Side::South)).await.unwrap();
    let over = alice.answer(accept(&offered)).await.unwrap();
    assert_eq!(over.result.unwrap().reason(), EndReason::Agreement);
}

/// A draw is of the whole game: a series or a match ends with the score that it has.
#[tokio::test]
async fn a_draw_ends_a_series_and_a_match_as_a_whole() {
    let set = set().await;
    let alice = &set.alice;
    let series = CreateGameRequest {
        target_wins: 3,
        ..solo("en-dodoi")
    };
    let id = alice.create(series).await.unwrap().game_id;
    for hole in [4, 3, 1, 5, 2, 4, 1, 0] {
        alice.submit(play(&id, hole)).await.unwrap();
    }
    let by_south = |id: &str| OfferDrawRequest {
        side: Side::South.into(),
        ..draw(id)
    };
    let offered = alice.offer_draw(by_south(&id)).await.unwrap();
    assert_eq!((offered.round, offered.rounds.len()), (2, 1));
    let over = alice.answer(accept(&offered)).await.unwrap();
    let result = over.result.unwrap();
    assert_eq!(
        (result.outcome(), result.reason()),
        (Outcome::Drawn, EndReason::Agreement)
    );
    assert_eq!(
        (result.south_score, result.north_score),
        (1, 0),
        "rounds won"
    );
    assert_eq!((over.round, over.rounds.len()), (2, 1));

    for variant in variants() {
        let id = alice.create(solo(variant)).await.unwrap().game_id;
        let offered = alice.offer_draw(by_south(&id)).await.unwrap();
        let over = alice.answer(accept(&offered)).await.unwrap();
        let result = over.result.unwrap();
        assert_eq!(result.outcome(), Outcome::Drawn, "{variant}");
        assert_eq!(result.south_score, result.north_score, "{variant}");
        assert_eq!(alice.get(&id).await.unwrap(), over);
        refused(alice.play(&id, 0).await, Reason::GameOver);
    }
}
