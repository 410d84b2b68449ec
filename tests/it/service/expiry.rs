//! Seats that nobody takes: after a day the game is aborted.

use std::{sync::Arc, time::Duration};

use mancala::{
    game::{GameId, NewGame, SEATS_EXPIRE, Seat, Status},
    grpc::{
        Reason,
        proto::{
            CreateGameRequest, EndReason, Game, GameStatus, ListGamesRequest, Outcome,
            game_event::Change, watch_game_response::Message,
        },
    },
    rules::BySide,
    session::{Session, SessionError},
    store::Sqlite,
};
use tokio::{sync::mpsc, time::Instant};
use uuid::Uuid;

use crate::support::{
    client::{Caller, invited, join, open, rematch, resign, solo},
    clock::SetClock,
    faults::{Fault, Faults, FaultyStore},
    server::Server,
    status::{refused, refused_precondition},
    table::{ALICE, new_game},
    within,
};

const DAY: Duration = Duration::from_millis(SEATS_EXPIRE as u64);
const MOMENT: Duration = Duration::from_millis(1);

#[test]
fn it_is_a_day() {
    assert_eq!(DAY, Duration::from_secs(24 * 60 * 60));
}

#[track_caller]
fn assert_expired(game: &Game, waited: &Game) {
    assert_eq!(game.status(), GameStatus::Aborted);
    let result = game.result.unwrap();
    assert_eq!(result.outcome(), Outcome::NoResult);
    assert_eq!(result.reason(), EndReason::Aborted);
    assert_eq!(game.seq, waited.seq + 1);
    assert_eq!((&game.south, &game.north), (&waited.south, &waited.north));
}

/// The last event of a game that was watched from here on: nobody's abortion, and then `OK`.
async fn assert_watched_to_expire(caller: &Caller, game: &Game) {
    let mut watch = caller.watch(&game.game_id, Some(game.seq)).await.unwrap();
    let message = within(watch.message()).await.unwrap().unwrap();
    let Some(Message::Event(event)) = message.message else {
        panic!("{message:?}")
    };
    let Some(Change::Aborted(aborted)) = event.change else {
        panic!("{event:?}")
    };
    assert_eq!(aborted.player_id, "", "nobody did it");
    assert_eq!(event.state.unwrap().status(), GameStatus::Aborted);
    assert_eq!(within(watch.message()).await.unwrap(), None);
}

#[tokio::test]
async fn whatever_waits_for_a_player_expires_after_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let played = alice.create(open("bosh")).await.unwrap().game_id;
    bob.join(join(&played)).await.unwrap();
    let old = alice.create(open("bosh")).await.unwrap().game_id;
    bob.join(join(&old)).await.unwrap();
    bob.resign(resign(&old)).await.unwrap();
    let invitation = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let half = CreateGameRequest {
        south: None,
        ..open("bosh")
    };
    let half = alice.create(half).await.unwrap().game_id;
    let waiting = [
        alice.create(open("bosh")).await.unwrap(),
        alice.create(invitation).await.unwrap(),
        bob.join(join(&half)).await.unwrap(),
        alice.rematch(rematch(&old)).await.unwrap(),
    ];
    clock.advance(DAY - MOMENT);
    let late = alice.create(open("bosh")).await.unwrap();
    server.session.expire().await.unwrap();
    for game in &waiting {
        assert_eq!(&alice.get(&game.game_id).await.unwrap(), game);
    }
    clock.advance(MOMENT);
    server.session.expire().await.unwrap();
    for game in &waiting {
        let expired = alice.get(&game.game_id).await.unwrap();
        assert_expired(&expired, game);
        assert_watched_to_expire(&bob, game).await;
        let answer = bob.join(join(&game.game_id)).await;
        if seated(&expired, &bob) {
            continue;
        }
        refused_precondition(answer, Reason::GameOver, "GAME_OVER");
    }
    assert_eq!(alice.get(&late.game_id).await.unwrap(), late, "it is young");
    let active = alice.get(&played).await.unwrap();
    assert_eq!(active.status(), GameStatus::Active, "nobody is waited for");
    let open_seat = true;
    let list = ListGamesRequest {
        open_seat,
        ..Default::default()
    };
    assert_eq!(bob.list(list).await.unwrap().games, [late]);
    refused(bob.rematch(rematch(&old)).await, Reason::RematchGone);

    // Once is enough.
    let before = alice.get(&half).await.unwrap();
    server.session.expire().await.unwrap();
    assert_eq!(alice.get(&half).await.unwrap(), before);
}

fn seated(game: &Game, player: &Caller) -> bool {
    let id = &player.id;
    [&game.south, &game.north].iter().any(|seat| {
        let seat = seat.as_ref().unwrap().seat.clone().unwrap();
        matches!(seat, mancala::grpc::proto::seat::Seat::PlayerId(player) if player == *id)
    })
}

#[tokio::test]
async fn a_seat_is_not_taken_after_a_day_though_nobody_has_looked_yet() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let game = alice.create(open("bosh")).await.unwrap();
    let invitation = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let kept = alice.create(invitation).await.unwrap();
    let early = alice.create(open("bosh")).await.unwrap();
    clock.advance(DAY - MOMENT);
    bob.join(join(&early.game_id)).await.unwrap();
    clock.advance(MOMENT);
    for game in [&game, &kept] {
        let answer = bob.join(join(&game.game_id)).await;
        refused_precondition(answer, Reason::GameOver, "GAME_OVER");
        assert_eq!(&alice.get(&game.game_id).await.unwrap(), game);
    }
    // What was begun in time goes on.
    alice.play(&early.game_id, 0).await.unwrap();
}

#[tokio::test]
async fn a_server_looks_when_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let alice = server.player("Alice").await;
    let mut games = Vec::new();
    // More than are looked for at once.
    for _ in 0..300 {
        games.push(alice.create(open("bosh")).await.unwrap());
    }
    server.stop().await;
    clock.advance(DAY);
    let server = Server::start_at(folder.path(), &clock).await;
    let alice = alice.at(&server);
    for game in &games {
        assert_watched_to_expire(&alice, game).await;
        assert_expired(&alice.get(&game.game_id).await.unwrap(), game);
    }
}

#[tokio::test]
async fn a_game_that_cannot_be_aborted_keeps_no_other_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let (faults, clock) = (Faults::default(), SetClock::new());
    let (_gone, _) = mpsc::channel(1);
    let store = FaultyStore {
        inner: Sqlite::open(folder.path()).unwrap(),
        faults: faults.clone(),
        _gone,
    };
    let session = Session::with_clock(Arc::new(store), clock.clock());
    let ids = [1, 2, 3].map(|id| GameId(Uuid::from_u128(id)));
    for game_id in ids {
        session.create(waiting(game_id), None).await.unwrap();
    }
    clock.advance(DAY);
    let statuses = || async {
        let mut statuses = Vec::new();
        for id in ids {
            let status = session.look(id, None, |game| game.state().status);
            statuses.push(status.await.unwrap());
        }
        statuses
    };
    faults.script([Fault::None, Fault::Fails]);
    let failed = session.expire().await;
    assert!(matches!(failed, Err(SessionError::Store(_))));
    let (waiting, aborted) = (Status::Waiting, Status::Aborted);
    assert_eq!(statuses().await, [aborted, waiting, aborted]);
    session.expire().await.unwrap();
    assert_eq!(statuses().await, [aborted; 3]);
}

/// A game whose second seat is open.
fn waiting(game_id: GameId) -> NewGame {
    let (south, north) = (Seat::Player(ALICE), Seat::Open);
    NewGame {
        game_id,
        seats: BySide { south, north },
        ..new_game("bosh")
    }
}

// The runtime's time stands still but when all wait for it, so nothing here takes a minute.
#[tokio::test(start_paused = true)]
async fn it_looks_again_every_minute() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Sqlite::open(folder.path()).unwrap());
    let (clock, (look, mut looks)) = (SetClock::new(), mpsc::unbounded_channel());
    let time = clock.clock();
    let session = Session::with_clock(
        store,
        Arc::new(move || {
            look.send(Instant::now()).unwrap();
            time()
        }),
    );
    let id = GameId(Uuid::from_u128(7));
    session.create(waiting(id), None).await.unwrap();
    looks.recv().await.unwrap();
    let status = || session.look(id, None, |game| game.state().status);
    let looking = {
        let session = session.clone();
        async move { session.expire_for_ever().await }
    };
    let watching = async {
        let first = looks.recv().await.unwrap();
        for minute in 1..6 {
            let look = looks.recv().await.unwrap();
            // Its time may go on by one more while the store is read.
            let minutes = (look - first).as_secs() / 60;
            assert!((minute - 1..=minute + 1).contains(&minutes), "{minutes}");
        }
        assert_eq!(status().await.unwrap(), Status::Waiting);
        clock.advance(DAY);
        // For games to expire, for this one, and the time after that.
        for _ in 0..3 {
            looks.recv().await.unwrap();
        }
        assert_eq!(status().await.unwrap(), Status::Aborted);
    };
    tokio::select! {
        never = looking => match never {},
        () = watching => {}
    }
}
