//! Who is there: told to watchers, for ten seconds after the last watch, and in no log.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Wake},
    time::Duration,
};

use mancala::{
    game::{GameId, PlayerId},
    grpc::proto::{GameEvent, ListGameEventsRequest, Side, watch_game_response::Message},
    rules::{BySide, Side as S},
    session::{Session, Watch, Watched},
    store::Sqlite,
};

use crate::support::{
    client::{Caller, Stream, events, join, open},
    clock::SetClock,
    server::Server,
    table::{self, ALICE, BOB, CAROL},
    within,
};

const MOMENT: Duration = Duration::from_millis(1);
const GRACE: Duration = Duration::from_secs(10);

/// The next message but for heartbeats.
async fn next(stream: &mut Stream) -> Message {
    loop {
        let message = within(stream.any()).await.unwrap();
        let message = message.expect("it goes on").message.unwrap();
        if !matches!(message, Message::Heartbeat(_)) {
            return message;
        }
    }
}

async fn next_presence(stream: &mut Stream) -> (Side, bool) {
    match next(stream).await {
        Message::Presence(presence) => (presence.side(), presence.connected),
        other => panic!("presence expected, not {other:?}"),
    }
}

async fn next_event(stream: &mut Stream) -> GameEvent {
    match next(stream).await {
        Message::Event(event) => event,
        other => panic!("an event expected, not {other:?}"),
    }
}

/// Who is there, as a new watch is told: South, North.
async fn who(caller: &Caller, id: &str) -> (Stream, [bool; 2]) {
    let mut stream = caller.watch(id, None).await.unwrap();
    let Message::Snapshot(snapshot) = next(&mut stream).await else {
        panic!("a snapshot")
    };
    let sides: Vec<_> = snapshot.presence.iter().map(|one| one.side()).collect();
    assert_eq!(sides, [Side::South, Side::North]);
    let there = [
        snapshot.presence[0].connected,
        snapshot.presence[1].connected,
    ];
    (stream, there)
}

/// A server with a game of Alice and Bob.
async fn game(server: &Server) -> (Caller, Caller, String) {
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    (alice, bob, id)
}

/// Waits for the next event by a long poll.
fn poll(caller: &Caller, id: &str, after: u64) -> impl Future<Output = ()> + Send + use<> {
    let (caller, id) = (caller.clone(), id.to_owned());
    async move {
        let request = ListGameEventsRequest {
            after_seq: Some(after),
            wait: Some(prost_types::Duration {
                seconds: 30,
                nanos: 0,
            }),
            ..events(&id)
        };
        assert_eq!(caller.events(request).await.unwrap().events.len(), 1);
    }
}

#[tokio::test]
async fn watchers_see_players_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, bob, id) = game(&server).await;
    let carol = server.player("Carol").await;
    let (mut stream, there) = who(&server.stranger(), &id).await;
    assert_eq!(there, [false, false]);
    // Strangers and spectators are nobody's concern.
    let (_spectator, there) = who(&carol, &id).await;
    assert_eq!(there, [false, false]);
    let _her_inbox = carol.inbox("").await.unwrap();
    // A long poll is a watch while it waits, and ends as soon as it is answered.
    let polling = tokio::spawn(poll(&alice, &id, 2));
    assert_eq!(next_presence(&mut stream).await, (Side::South, true));
    alice.play(&id, 4).await.unwrap();
    within(polling).await.unwrap();
    assert_eq!(next_event(&mut stream).await.seq, 3);
    clock.advance(GRACE - MOMENT);
    let _inbox = bob.inbox("").await.unwrap();
    assert_eq!(next_presence(&mut stream).await, (Side::North, true));
    clock.advance(MOMENT);
    assert_eq!(next_presence(&mut stream).await, (Side::South, false));
    let (_, there) = who(&carol, &id).await;
    assert_eq!(there, [false, true]);
    // Nothing of it is in the log.
    assert_eq!(alice.get(&id).await.unwrap().seq, 3);
    let seqs: Vec<_> = alice.log(&id).await.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, [1, 2, 3]);
}

#[tokio::test]
async fn whoever_comes_back_is_told_who_is_there_and_who_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, _, id) = game(&server).await;
    let _watch = alice.watch(&id, None).await.unwrap();
    let mut stream = server.stranger().watch(&id, Some(2)).await.unwrap();
    assert_eq!(next_presence(&mut stream).await, (Side::South, true));
    assert_eq!(next_presence(&mut stream).await, (Side::North, false));
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn further_watches_of_a_player_wake_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let store = Arc::new(Sqlite::open(folder.path()).unwrap());
    let session = Session::with_clock(store, Arc::new(clock.clone()));
    let new = table::new_game("bosh");
    let id = new.game_id;
    session.create(new, None).await.unwrap();
    let mut spectator = session.watch(id, None, None).await.unwrap();
    let snapshot = within(spectator.next()).await;
    assert!(matches!(snapshot, Some(Ok(Watched::Snapshot { .. }))));
    let woken = Arc::new(Woken::default());
    let count = || woken.0.load(Ordering::Relaxed);
    let waker = woken.clone().into();
    let mut context = Context::from_waker(&waker);
    let mut waiting = Box::pin(spectator.next());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    let first = session.watch(id, Some(ALICE), None).await.unwrap();
    assert_eq!(count(), 1, "she came");
    assert!(waiting.as_mut().poll(&mut context).is_ready());
    drop(waiting);
    let mut waiting = Box::pin(spectator.next());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    let before = count();
    for _ in 0..100 {
        drop(session.watch(id, Some(ALICE), None).await.unwrap());
    }
    assert_eq!(count(), before);
    drop(first);
    assert_eq!(count(), before + 1, "she may be gone in ten seconds");
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    let before = count();
    for _ in 0..100 {
        drop(session.watch(id, Some(ALICE), None).await.unwrap());
    }
    assert_eq!(count(), before, "she is back in time, again and again");
    clock.advance(GRACE);
    assert_eq!(count(), before + 1);
}

#[tokio::test]
async fn between_two_long_polls_a_player_is_there_for_those_who_come() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let server = Server::start_at(folder.path(), &clock).await;
    let (alice, _, id) = game(&server).await;
    // There are events at once: the watch has ended before the answer.
    poll(&alice, &id, 1).await;
    clock.advance(GRACE - MOMENT);
    let (mut stream, there) = who(&server.stranger(), &id).await;
    assert_eq!(there, [true, false], "nobody followed when it ended");
    clock.advance(MOMENT);
    assert_eq!(next_presence(&mut stream).await, (Side::South, false));
    drop(stream);
    assert_eq!(who(&server.stranger(), &id).await.1, [false, false]);
}

#[tokio::test]
async fn a_seat_taken_during_a_watch_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
    let (mut stream, there) = who(&server.stranger(), &id).await;
    assert_eq!(there, [false, false]);
    let _inbox = bob.inbox("").await.unwrap();
    bob.join(join(&id)).await.unwrap();
    assert_eq!(next_event(&mut stream).await.seq, 2);
    assert_eq!(next_presence(&mut stream).await, (Side::North, true));
    let _watch = alice.watch(&id, None).await.unwrap();
    assert_eq!(next_presence(&mut stream).await, (Side::South, true));
}

#[tokio::test]
async fn a_watch_after_an_event_is_told_first_who_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob, id) = game(&server).await;
    let (_one, _) = who(&alice, &id).await;
    let _inbox = bob.inbox("").await.unwrap();
    let mut stream = server.stranger().watch(&id, Some(0)).await.unwrap();
    assert_eq!(next_presence(&mut stream).await, (Side::South, true));
    assert_eq!(next_presence(&mut stream).await, (Side::North, true));
    for seq in 1..=2 {
        assert_eq!(next_event(&mut stream).await.seq, seq);
    }
    alice.play(&id, 4).await.unwrap();
    assert_eq!(next_event(&mut stream).await.seq, 3);
}

/// A session in the time of a clock, with a game of Alice and Bob, and a stranger's watch.
async fn session(folder: &std::path::Path, clock: &SetClock) -> (Session, GameId, Watch) {
    let store = Arc::new(Sqlite::open(folder).unwrap());
    let session = Session::with_clock(store, Arc::new(clock.clone()));
    let new = table::new_game("en-dodoi");
    let id = new.game_id;
    session.create(new, None).await.unwrap();
    let mut watch = session.watch(id, None, None).await.unwrap();
    assert_eq!(there(&mut watch).await, BySide::default());
    (session, id, watch)
}

async fn there(watch: &mut Watch) -> BySide<bool> {
    match within(watch.next()).await {
        Some(Ok(Watched::Snapshot { connected, .. })) => connected,
        other => panic!("a snapshot expected, not {other:?}"),
    }
}

async fn told(watch: &mut Watch) -> (S, bool) {
    loop {
        match within(watch.next()).await {
            Some(Ok(Watched::Presence { side, connected })) => return (side, connected),
            Some(Ok(Watched::Heartbeat { .. })) => {}
            other => panic!("presence expected, not {other:?}"),
        }
    }
}

/// Asserts that nothing is told now: a move comes next.
async fn assert_silent(session: &Session, id: GameId, watch: &mut Watch, player: PlayerId) {
    let legal = |game: &mancala::game::Game| {
        game.rules()
            .legal_moves(&game.state().position)
            .iter()
            .next()
    };
    let hole = session.look(id, None, legal).await.unwrap().unwrap();
    let made = session.execute(id, player, table::play(hole.into()), None, |_, _| ());
    made.await.unwrap();
    let next = within(watch.next()).await;
    assert!(matches!(next, Some(Ok(Watched::Change(_)))), "{next:?}");
}

#[tokio::test]
async fn a_player_is_gone_ten_seconds_after_the_last_watch_and_not_earlier() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let (session, id, mut watch) = session(folder.path(), &clock).await;
    let one = session.watch(id, Some(ALICE), Some(1)).await.unwrap();
    assert_eq!(told(&mut watch).await, (S::South, true));
    let other = session.watch_player(ALICE, "").await.unwrap();
    let spectator = session.watch(id, Some(CAROL), None).await.unwrap();
    drop(one);
    clock.advance(2 * GRACE);
    assert_silent(&session, id, &mut watch, ALICE).await;
    drop((other, spectator));
    clock.advance(GRACE - MOMENT);
    // Back in time.
    let again = session.watch(id, Some(ALICE), None).await.unwrap();
    clock.advance(GRACE);
    assert_silent(&session, id, &mut watch, BOB).await;
    drop(again);
    clock.advance(GRACE - MOMENT);
    assert_silent(&session, id, &mut watch, ALICE).await;
    let mut late = session.watch(id, None, None).await.unwrap();
    assert!(there(&mut late).await.south);
    clock.advance(MOMENT);
    for watch in [&mut watch, &mut late] {
        assert_eq!(told(watch).await, (S::South, false));
    }
    let mut later = session.watch(id, None, None).await.unwrap();
    assert_eq!(there(&mut later).await, BySide::default());
    // And once more.
    let _again = session.watch_player(ALICE, "").await.unwrap();
    for watch in [&mut watch, &mut late, &mut later] {
        assert_eq!(told(watch).await, (S::South, true));
    }
}

#[tokio::test]
async fn a_watch_that_waits_is_woken_when_a_player_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let clock = SetClock::new();
    let (session, id, mut watch) = session(folder.path(), &clock).await;
    let present = session.watch(id, Some(BOB), Some(1)).await.unwrap();
    assert_eq!(told(&mut watch).await, (S::North, true));
    drop(present);
    let waiting = tokio::spawn(async move { told(&mut watch).await });
    tokio::task::yield_now().await;
    clock.advance(GRACE);
    assert_eq!(within(waiting).await.unwrap(), (S::North, false));
}
