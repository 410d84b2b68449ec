//! Games that end before they count.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, EndReason, Game, GameStatus, JoinGameRequest, ListGamesRequest, Outcome,
        RequestTakebackRequest, Side, Visibility, game_event::Change, watch_game_response::Message,
    },
};

use super::errors::set;
use crate::support::{
    chance::Chance,
    changing::{Aim, Call},
    client::{Caller, Stream, abort, accept, draw, events, invited, join, open, solo, takeback},
    server::Server,
    status::{refused, refused_missing, refused_precondition},
    variants, within,
};

#[track_caller]
fn assert_aborted(game: &Game) {
    assert_eq!(game.status(), GameStatus::Aborted);
    let result = game.result.unwrap();
    assert_eq!(
        (result.outcome(), result.reason()),
        (Outcome::NoResult, EndReason::Aborted)
    );
    assert_eq!(game.open_offer, None);
}

async fn next(stream: &mut Stream) -> Option<Message> {
    let message = within(stream.message()).await.unwrap();
    message.map(|message| message.message.unwrap())
}

/// Asserts that whoever has a seat can change nothing any more.
async fn assert_over(seated: &Caller, game: &Game) {
    for call in Call::ALL {
        if [Call::Join, Call::Rematch].contains(&call) {
            continue;
        }
        let aim = Aim {
            game_id: game.game_id.clone(),
            offer_id: 1,
            ..Aim::default()
        };
        let answer = call.make(seated, aim).await;
        refused_precondition(answer, Reason::GameOver, "GAME_OVER");
    }
    assert_eq!(seated.get(&game.game_id).await.unwrap(), *game);
}

#[tokio::test]
async fn whoever_waits_may_leave_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let game = alice.create(open("en-dodoi")).await.unwrap();
    let id = game.game_id.as_str();
    let mut watch = server.stranger().watch(id, Some(1)).await.unwrap();
    refused(bob.abort(abort(id)).await, Reason::NotSeated);
    assert_eq!(alice.get(id).await.unwrap(), game);

    let aborted = alice.abort(abort(id)).await.unwrap();
    assert_aborted(&aborted);
    assert_eq!((aborted.seq, aborted.turn, aborted.ply), (2, 0, 0));
    assert_eq!(aborted.position, game.position);
    let Some(Message::Event(event)) = next(&mut watch).await else {
        panic!("an event")
    };
    let Some(Change::Aborted(change)) = event.change else {
        panic!("it is aborted")
    };
    assert_eq!(change.player_id, alice.id);
    let state = event.state.unwrap();
    assert_eq!((event.seq, state.result), (2, aborted.result));
    assert_eq!(state.status(), GameStatus::Aborted);
    assert_eq!(next(&mut watch).await, None, "then OK");

    assert_over(&alice, &aborted).await;
    let late = bob.join(join(id)).await;
    refused_precondition(late, Reason::GameOver, "GAME_OVER");
    assert_eq!(alice.legal(id).await.unwrap().moves, []);
    let open_seat = true;
    let waiting = ListGamesRequest {
        open_seat,
        ..Default::default()
    };
    assert_eq!(bob.list(waiting).await.unwrap().games, [], "none waits");
    let status = GameStatus::Aborted.into();
    let over = ListGamesRequest {
        status,
        ..Default::default()
    };
    assert_eq!(carol.list(over).await.unwrap().games, [aborted]);
}

#[tokio::test]
async fn an_invitation_is_declined_by_aborting() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    for visibility in [
        Visibility::Public,
        Visibility::Unlisted,
        Visibility::Private,
    ] {
        let request = CreateGameRequest {
            north: invited(&bob),
            visibility: visibility.into(),
            ..solo("bosh")
        };
        let id = alice.create(request).await.unwrap().game_id;
        let answer = carol.abort(abort(&id)).await;
        if visibility == Visibility::Private {
            refused_missing(answer, Reason::GameNotFound, "mancala.v1.Game", &id);
        } else {
            refused(answer, Reason::NotSeated);
        }
        let declined = bob.abort(abort(&id)).await.unwrap();
        assert_aborted(&declined);
        assert_over(&alice, &declined).await;
        refused(bob.join(join(&id)).await, Reason::GameOver);
        refused(bob.abort(abort(&id)).await, Reason::GameOver);
    }
}

/// Who created a game for others may take it back, while it waits.
#[tokio::test]
async fn its_creator_may_abort_what_waits_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let request = CreateGameRequest {
        south: invited(&bob),
        north: invited(&carol),
        ..solo("bosh")
    };
    let id = alice.create(request.clone()).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    let aborted = alice.abort(abort(&id)).await.unwrap();
    assert_aborted(&aborted);
    assert_over(&bob, &aborted).await;
    refused(alice.abort(abort(&id)).await, Reason::GameOver);

    // Once they play it is theirs.
    let id = alice.create(request).await.unwrap().game_id;
    for player in [&bob, &carol] {
        player.join(join(&id)).await.unwrap();
    }
    refused(alice.abort(abort(&id)).await, Reason::NotSeated);
    bob.abort(abort(&id)).await.unwrap();

    // Also one that only its players see.
    let hidden = CreateGameRequest {
        visibility: Visibility::Private.into(),
        ..open("bosh")
    };
    let id = alice.create(hidden).await.unwrap().game_id;
    refused(bob.abort(abort(&id)).await, Reason::GameNotFound);
    assert_aborted(&alice.abort(abort(&id)).await.unwrap());
}

#[tokio::test]
async fn what_has_begun_to_count_goes_on_counting_after_takebacks() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("en-dodoi")).await.unwrap().game_id;
    alice.play_any(&id, 2, &mut Chance::new(1)).await;
    let asked = RequestTakebackRequest {
        side: Side::South.into(),
        ..takeback(&id)
    };
    let asked = alice.request_takeback(asked).await.unwrap();
    let back = alice.answer(accept(&asked)).await.unwrap();
    assert_eq!(back.moves, []);
    refused(alice.abort(abort(&id)).await, Reason::GameStarted);
}

#[tokio::test]
async fn a_game_is_aborted_until_both_have_moved() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    for moves in 0..2 {
        for aborter in [&alice, &bob] {
            let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
            bob.join(join(&id)).await.unwrap();
            if moves > 0 {
                alice.play(&id, 4).await.unwrap();
            }
            bob.offer_draw(draw(&id)).await.unwrap();
            refused(carol.abort(abort(&id)).await, Reason::NotSeated);
            let aborted = aborter.abort(abort(&id)).await.unwrap();
            assert_aborted(&aborted);
            assert_eq!(aborted.moves.len(), moves);
            assert_over(&alice, &aborted).await;
            assert_over(&bob, &aborted).await;
            refused(
                carol.join(JoinGameRequest::default()).await,
                Reason::InvalidField,
            );
            refused(carol.join(join(&id)).await, Reason::SeatTaken);
        }
    }
    let set = set().await;
    set.bob.play(&set.game.game_id, 1).await.unwrap();
    let game = set.alice.get(&set.game.game_id).await.unwrap();
    for player in [&set.alice, &set.bob] {
        let answer = player.abort(abort(&game.game_id)).await;
        refused_precondition(answer, Reason::GameStarted, "GAME_STARTED");
    }
    assert_eq!(set.alice.get(&game.game_id).await.unwrap(), game);
}

/// Several moves of one side in a row are still only that side's.
#[tokio::test]
async fn who_moves_twice_has_not_moved_for_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = alice.create(solo("kalah")).await.unwrap().game_id;
    for hole in [2, 5] {
        alice.play(&id, hole).await.unwrap();
    }
    assert_aborted(&alice.abort(abort(&id)).await.unwrap());
}

/// In a series, too, it is the first moves that count.
#[tokio::test]
async fn an_aborted_game_has_the_score_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for variant in variants() {
        let id = alice.create(solo(variant)).await.unwrap().game_id;
        let aborted = alice.abort(abort(&id)).await.unwrap();
        assert_aborted(&aborted);
        let page = alice.events(events(&id)).await.unwrap();
        let state = page.events.last().unwrap().state.clone().unwrap();
        assert_eq!((page.events.len(), state.result), (2, aborted.result));
        assert!(page.complete);
    }
}
