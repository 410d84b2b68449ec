//! What every call that changes a game refuses, row by row of the table of errors.

use mancala::{
    game::{Command, GameId, MAX_TAKEBACKS, OfferKind, PlayerId},
    grpc::{
        Reason,
        proto::{CreateGameRequest, Game, ListGameEventsRequest, Visibility},
    },
    rules::Side,
    session::Change,
};
use uuid::Uuid;

use super::errors::{Set, set};
use crate::support::{
    changing::{Aim, Call},
    client::{Caller, abort, accept, draw, events, fresh_id, join, open, resign, solo, takeback},
    faults::{Fault, Faults},
    server::Server,
    status::{refused, refused_field, refused_missing, refused_precondition, refused_quota},
    table::play,
};

fn aim(game: &Game) -> Aim {
    Aim {
        game_id: game.game_id.clone(),
        offer_id: game.open_offer.map_or(1, |offer| offer.offer_id),
        ..Aim::default()
    }
}

/// Asserts that a call is refused because of the game's part of life.
async fn refused_as(reason: Reason, call: Call, caller: &Caller, game: &Game) {
    let answer = call.make(caller, aim(game)).await;
    refused_precondition(answer, reason, reason.name());
    assert_eq!(&caller.get(&game.game_id).await.unwrap(), game, "{call:?}");
}

#[tokio::test]
async fn invalid_argument() {
    let set = set().await;
    for call in Call::ALL {
        for bad in ["", "x", &"x".repeat(30_000)] {
            let aim = Aim {
                game_id: bad.into(),
                ..aim(&set.game)
            };
            let answer = call.make(&set.bob, aim).await;
            refused_field(answer, Reason::InvalidField, "game_id");
        }
        for bad in ["x", &set.game.game_id[1..], &"x".repeat(30_000)] {
            let aim = Aim {
                request_id: bad.into(),
                ..aim(&set.game)
            };
            let answer = call.make(&set.bob, aim).await;
            refused_field(answer, Reason::InvalidField, "request_id");
        }
        let sided = [Call::Join, Call::Resign, Call::Draw, Call::Takeback];
        for side in [3, -1, i32::MAX] {
            if sided.contains(&call) {
                let aim = Aim {
                    side,
                    ..aim(&set.game)
                };
                let answer = call.make(&set.bob, aim).await;
                refused_field(answer, Reason::InvalidField, "side");
            }
        }
    }
    set.assert_unchanged().await;
}

#[tokio::test]
async fn failed_precondition_for_a_game_that_waits() {
    let Set { alice, .. } = &set().await;
    let game = alice.create(open("en-dodoi")).await.unwrap();
    for call in Call::ALL {
        match call {
            Call::Join | Call::Abort => {}
            _ => refused_as(Reason::GameNotStarted, call, alice, &game).await,
        }
    }
}

#[tokio::test]
async fn failed_precondition_for_a_game_that_is_played() {
    let set = set().await;
    let game = set.bob.play(&set.game.game_id, 1).await.unwrap();
    let game = game.game.unwrap();
    for caller in [&set.alice, &set.bob] {
        refused_as(Reason::SeatTaken, Call::Join, caller, &game).await;
        refused_as(Reason::GameStarted, Call::Abort, caller, &game).await;
        refused_as(Reason::GameStarted, Call::Rematch, caller, &game).await;
        refused_as(Reason::OfferGone, Call::Accept, caller, &game).await;
        refused_as(Reason::OfferGone, Call::Decline, caller, &game).await;
    }
    refused_as(Reason::NotYourTurn, Call::Move, &set.bob, &game).await;
}

#[tokio::test]
async fn failed_precondition_for_a_game_that_is_over() {
    let set = set().await;
    let id = &set.game.game_id;
    let offered = set.alice.offer_draw(draw(id)).await.unwrap();
    let drawn = set.bob.answer(accept(&offered)).await.unwrap();
    let aborted = set.alice.create(open("en-dodoi")).await.unwrap();
    set.bob.join(join(&aborted.game_id)).await.unwrap();
    let aborted = set.bob.abort(abort(&aborted.game_id)).await.unwrap();
    for game in [&drawn, &aborted] {
        for call in Call::ALL {
            for caller in [&set.alice, &set.bob] {
                match call {
                    Call::Join => refused_as(Reason::SeatTaken, call, caller, game).await,
                    Call::Rematch => {}
                    _ => refused_as(Reason::GameOver, call, caller, game).await,
                }
            }
        }
    }
}

/// The status comes before the turn, and the turn before what is offered.
#[tokio::test]
async fn aborted_for_another_turn() {
    let set = set().await;
    let id = &set.game.game_id;
    set.alice.offer_draw(draw(id)).await.unwrap();
    for call in [Call::Move, Call::Draw, Call::Takeback] {
        for turn in [0, 2, u32::MAX] {
            let aim = Aim {
                expected_turn: Some(turn),
                hole: 99,
                ..aim(&set.game)
            };
            for caller in [&set.alice, &set.bob] {
                let details = refused(call.make(caller, aim.clone()).await, Reason::StaleTurn);
                assert_eq!(details.error_info().unwrap().metadata["turn"], "1");
            }
        }
    }
    let over = set.bob.resign(resign(id)).await.unwrap();
    for call in [Call::Move, Call::Draw, Call::Takeback] {
        let aim = Aim {
            expected_turn: Some(99),
            ..aim(&over)
        };
        refused(call.make(&set.bob, aim).await, Reason::GameOver);
    }
}

#[tokio::test]
async fn not_found() {
    let set = set().await;
    let carol = set.server.player("Carol").await;
    let request = CreateGameRequest {
        visibility: Visibility::Private.into(),
        ..open("bosh")
    };
    let private = set.alice.create(request).await.unwrap();
    for id in [fresh_id(), private.game_id] {
        for call in Call::ALL {
            let aim = Aim {
                game_id: id.clone(),
                offer_id: 1,
                side: 1,
                expected_turn: Some(99),
                request_id: fresh_id(),
                ..Aim::default()
            };
            let answer = call.make(&carol, aim).await;
            refused_missing(answer, Reason::GameNotFound, "mancala.v1.Game", &id);
        }
        let answer = carol.events(events(&id)).await;
        refused_missing(answer, Reason::GameNotFound, "mancala.v1.Game", &id);
    }
}

#[tokio::test]
async fn unauthenticated() {
    let set = set().await;
    let nobody = set.server.stranger();
    let false_token = Some(format!("{}x", set.bob.token.clone().unwrap()));
    let liar = Caller::new(set.server.channel(), false_token, set.bob.id.clone());
    for call in Call::ALL {
        let answer = call.make(&nobody, aim(&set.game)).await;
        refused(answer, Reason::TokenMissing);
        let answer = call.make(&liar, aim(&set.game)).await;
        refused(answer, Reason::TokenInvalid);
    }
    // Without one, a public game's events may be read; with a bad one, nothing.
    let request = events(&set.game.game_id);
    let page = nobody.events(request.clone()).await.unwrap();
    assert_eq!(page.events.len(), 3);
    refused(liar.events(request).await, Reason::TokenInvalid);
    set.assert_unchanged().await;
}

#[tokio::test]
async fn permission_denied() {
    let set = set().await;
    let carol = set.server.player("Carol").await;
    let waiting = set.alice.create(open("bosh")).await.unwrap();
    for game in [&waiting, &set.game] {
        for call in Call::ALL {
            if call != Call::Join {
                let answer = call.make(&carol, aim(game)).await;
                refused(answer, Reason::NotSeated);
            }
        }
        assert_eq!(&set.alice.get(&game.game_id).await.unwrap(), game);
    }
    // Nor for the other side's seat.
    for call in [Call::Resign, Call::Draw, Call::Takeback] {
        let aim = Aim {
            side: 1,
            ..aim(&set.game)
        };
        refused(call.make(&set.bob, aim).await, Reason::NotSeated);
    }
    let over = set.bob.resign(resign(&set.game.game_id)).await.unwrap();
    for call in Call::ALL {
        if call != Call::Join {
            refused(call.make(&carol, aim(&over)).await, Reason::NotSeated);
        }
    }
    assert_eq!(carol.get(&over.game_id).await.unwrap(), over);
}

#[tokio::test]
async fn resource_exhausted() {
    let set = set().await;
    for call in Call::ALL {
        let aim = Aim {
            request_id: "x".repeat(70_000),
            ..aim(&set.game)
        };
        let answer = call.make(&set.bob, aim).await;
        refused_quota(answer, Reason::RequestTooLarge, "request-bytes");
    }
    let request = ListGameEventsRequest {
        game_id: "x".repeat(70_000),
        ..Default::default()
    };
    let answer = set.bob.events(request).await;
    refused_quota(answer, Reason::RequestTooLarge, "request-bytes");
    set.assert_unchanged().await;
}

#[tokio::test]
async fn resource_exhausted_by_takebacks() {
    let Set { server, alice, .. } = &set().await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    let uuid = |text: &str| Uuid::parse_str(text).unwrap();
    let (game, player) = (GameId(uuid(&id)), PlayerId(uuid(&alice.id)));
    let act = |command| {
        let seq = |change: &Change, _: &_| change.record.seq;
        server.session.execute(game, player, command, None, seq)
    };
    for _ in 0..MAX_TAKEBACKS {
        act(play(4)).await.unwrap();
        let ask = Command::Offer {
            kind: OfferKind::Takeback,
            side: Some(Side::South),
            expected_turn: None,
        };
        let offer = act(ask).await.unwrap();
        let accept = true;
        act(Command::Answer { offer, accept }).await.unwrap();
    }
    let before = alice.play(&id, 4).await.unwrap().game.unwrap();
    let aim = Aim {
        side: 1,
        ..aim(&before)
    };
    let answer = Call::Takeback.make(alice, aim).await;
    refused_quota(answer, Reason::TooManyTakebacks, "takebacks-per-game");
    assert_eq!(alice.get(&id).await.unwrap(), before);
}

/// A game of Alice and Bob in which Bob can make a call.
async fn ready_for(call: Call, alice: &Caller, bob: &Caller) -> Game {
    let game = alice.create(open("en-dodoi")).await.unwrap();
    let id = game.game_id.as_str();
    if call == Call::Join {
        return game;
    }
    let game = bob.join(join(id)).await.unwrap();
    if call == Call::Abort {
        return game;
    }
    alice.play(id, 4).await.unwrap();
    match call {
        Call::Takeback => bob.play(id, 3).await.unwrap().game.unwrap(),
        Call::Accept => alice.request_takeback(takeback(id)).await.unwrap(),
        Call::Decline => alice.offer_draw(draw(id)).await.unwrap(),
        Call::Rematch => alice.resign(resign(id)).await.unwrap(),
        _ => bob.get(id).await.unwrap(),
    }
}

/// What the store doesn't take has not happened; what it took has, once, whatever it said.
#[tokio::test]
async fn unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let server = Server::start_faulty(folder.path(), faults.clone()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    for call in Call::ALL {
        let game = ready_for(call, &alice, &bob).await;
        let aim = Aim {
            request_id: fresh_id(),
            ..aim(&game)
        };
        faults.script([Fault::Fails, Fault::AnswerLost]);
        let answer = call.make(&bob, aim.clone()).await;
        let details = refused(answer, Reason::StoreUnavailable);
        assert!(details.retry_info().is_some());
        assert_eq!(bob.get(&game.game_id).await.unwrap(), game, "{call:?}");
        let answer = call.make(&bob, aim.clone()).await;
        refused(answer, Reason::StoreUnavailable);
        let made = call.make(&bob, aim.clone()).await.unwrap();
        let seq = if call == Call::Rematch {
            1
        } else {
            game.seq + 1
        };
        assert_eq!(made.seq, seq, "{call:?} is made once");
        assert_eq!(bob.get(&made.game_id).await.unwrap(), made);
        assert_eq!(call.make(&bob, aim).await.unwrap(), made);
    }
}

#[tokio::test]
async fn contended() {
    let folder = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let server = Server::start_faulty(folder.path(), faults.clone()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    for call in Call::ALL {
        let game = ready_for(call, &alice, &bob).await;
        faults.script([Fault::SpuriousConflict; 8]);
        refused(call.make(&bob, aim(&game)).await, Reason::Contended);
        assert_eq!(bob.get(&game.game_id).await.unwrap(), game, "{call:?}");
        faults.script([Fault::SpuriousConflict; 3]);
        let made = call.make(&bob, aim(&game)).await.unwrap();
        let seq = if call == Call::Rematch {
            1
        } else {
            game.seq + 1
        };
        assert_eq!(made.seq, seq, "{call:?}");
    }
}
