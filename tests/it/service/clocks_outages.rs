//! Clocks over restarts, and while the store can't be written.

use std::{pin::pin, time::Duration};

use futures_util::FutureExt as _;
use mancala::{
    game::{Command, Game, GameId, PlayerId, Status, SystemRecord, Time},
    grpc::{
        Reason,
        proto::{GameStatus, ListGamesRequest, Side},
    },
    session::Clock as _,
    store::{Entry, Log as _, Sqlite, Subject},
};

use crate::support::{
    clock::SetClock,
    faults::Fault,
    server::Server,
    status::refused,
    timed::{Timed, assert_flag, last_event, left, per_move, timed, whole},
    within,
};

const HOUR: Duration = Duration::from_secs(60 * 60);

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test]
async fn a_flag_that_fell_in_a_short_restart_falls_at_the_start() {
    let set = Timed::start().await;
    let game = set.begun().await;
    set.pass(50).await;
    let set = set.restart_after(secs(14)).await;
    let event = last_event(&mut set.watch(&game).await).await;
    assert_flag(&event, Side::South);
}

#[tokio::test]
async fn a_flag_falls_after_a_restart_though_nobody_asks() {
    let set = Timed::start().await;
    set.begun().await;
    let set = set.restart_after(secs(14)).await;
    // A list touches no game; its answer says that the server runs.
    let over = ListGamesRequest {
        status: GameStatus::Finished.into(),
        ..Default::default()
    };
    assert!(set.alice.list(over.clone()).await.unwrap().games.is_empty());
    set.pass(46).await;
    let over = async { while set.alice.list(over.clone()).await.unwrap().games.is_empty() {} };
    within(over).await;
}

#[tokio::test]
async fn a_flag_that_falls_while_the_store_stalls_does_not_count() {
    let set = Timed::start().await;
    let game = set.begun().await;
    set.pass(50).await;
    set.faults.set_stalled(true);
    // A sign of life is on its way, and its time is charged.
    set.clock.advance(secs(5));
    within(set.faults.stalled()).await;
    // The time runs out, both by itself and for a move.
    set.clock.advance(secs(7));
    let id = |text: &str| text.parse().unwrap();
    let (game_id, alice) = (GameId(id(&game.game_id)), PlayerId(id(&set.alice.id)));
    let command = Command::Move {
        hole: 2,
        expected_turn: None,
    };
    let session = &set.server.session;
    let status = |_: &_, game: &Game| game.state().status;
    let mut late = pin!(session.execute(game_id, alice, command, None, status));
    // It comes when it is first polled, so before any more time passes.
    assert!(late.as_mut().now_or_never().is_none());
    set.clock.advance(secs(60));
    set.faults.set_stalled(false);
    // When the move came it seemed late, but a server was there that could not write.
    assert_eq!(within(late).await.unwrap(), Status::Active);
    let game = whole(&set.alice, &game.game_id).await;
    assert_eq!(left(&game.clocks.unwrap()), (7_000, 60_000));
}

#[tokio::test]
async fn a_short_restart_is_charged() {
    let set = Timed::start().await;
    let game = set.begun().await;
    set.pass(10).await;
    let set = set.restart_after(secs(15)).await;
    assert_eq!(set.south(&game).await, 35_000);
}

#[tokio::test]
async fn an_hour_without_a_server_is_not_charged() {
    let set = Timed::start().await;
    let game = set.begun().await;
    set.pass(20).await;
    let set = set.restart_after(HOUR).await;
    assert_eq!(set.south(&game).await, 40_000);
    set.pass(10).await;
    assert_eq!(set.south(&game).await, 30_000);
    let clocks = set.play(&game, 2).await.clocks.unwrap();
    assert_eq!(left(&clocks), (32_000, 60_000));
    let game = whole(&set.alice, &game.game_id).await;
    let mut watch = set.watch(&game).await;
    set.pass(60).await;
    assert_flag(&last_event(&mut watch).await, Side::North);
}

#[tokio::test]
async fn several_restarts_in_a_row_charge_what_was_served() {
    let mut set = Timed::start().await;
    let game = set.begun().await;
    let mut expected = 60_000;
    for (served, down, charged) in [
        (5, secs(40), 5_000),
        (0, HOUR, 0),
        (0, secs(16), 0),
        (5, secs(10), 15_000),
        (10, 24 * HOUR, 10_000),
    ] {
        set.pass(served).await;
        set = set.restart_after(down).await;
        expected -= charged;
        assert_eq!(set.south(&game).await, expected);
    }
    let mut watch = set.watch(&game).await;
    set.pass(30).await;
    assert_flag(&last_event(&mut watch).await, Side::South);
}

#[tokio::test]
async fn first_moves_have_their_time_over_an_outage() {
    let set = Timed::start().await;
    let game = set.alice.create(timed(per_move(60))).await.unwrap();
    set.pass(20).await;
    let set = set.restart_after(HOUR).await;
    assert_eq!(set.south(&game).await, 40_000);
    set.play(&game, 0).await;
}

#[tokio::test]
async fn time_in_which_the_store_refuses_to_write_is_not_charged() {
    let set = Timed::start().await;
    let game = set.begun().await;
    set.pass(20).await;
    set.faults.set_broken(true);
    set.clock.advance(HOUR);
    // It is known before it is over.
    assert_eq!(set.south(&game).await, 40_000);
    refused(
        set.alice.play(&game.game_id, 2).await,
        Reason::StoreUnavailable,
    );
    set.faults.set_broken(false);
    set.pass(5).await;
    assert_eq!(set.south(&game).await, 40_000);
    set.pass(10).await;
    assert_eq!(set.south(&game).await, 30_000);
    let set = set.restart_after(secs(5)).await;
    assert_eq!(set.south(&game).await, 25_000);
    let mut watch = set.watch(&game).await;
    set.pass(25).await;
    assert_flag(&last_event(&mut watch).await, Side::South);
}

#[tokio::test]
async fn a_flag_that_could_not_be_written_falls_when_it_can() {
    let set = Timed::start().await;
    let game = set.begun().await;
    let mut watch = set.watch(&game).await;
    set.pass(55).await;
    set.faults.set_broken(true);
    set.clock.advance(secs(7));
    refused(
        set.alice.play(&game.game_id, 2).await,
        Reason::StoreUnavailable,
    );
    assert_eq!(whole(&set.alice, &game.game_id).await.seq, game.seq);
    set.faults.set_broken(false);
    set.pass(5).await;
    assert_flag(&last_event(&mut watch).await, Side::South);
}

#[tokio::test]
async fn an_outage_whose_end_was_written_without_an_answer_is_one_outage() {
    for fault in [Fault::AnswerLost, Fault::Fails, Fault::SpuriousConflict] {
        let set = Timed::start().await;
        let game = set.begun().await;
        set.pass(20).await;
        set.faults.script_signs([fault]);
        set.clock.advance(HOUR);
        while set.faults.signs_left() > 0 {
            tokio::task::yield_now().await;
        }
        set.pass(10).await;
        let before = set.south(&game).await;
        // Up to its next try the store has written nothing.
        let expected = if fault == Fault::AnswerLost {
            30_000
        } else {
            35_000
        };
        assert_eq!(before, expected, "{fault:?}");
        let set = set.restart_after(HOUR).await;
        assert_eq!(set.south(&game).await, before, "{fault:?}");
    }
}

#[tokio::test]
async fn a_log_with_old_signs_of_life_is_gone_on_with() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), SetClock::new());
    let day = 24 * 60 * 60 * 1_000;
    let long_ago = clock.now().0 - 100 * day;
    let sign = |seq, time, outage_from: Option<i64>, outage_before| SystemRecord {
        seq,
        time: Time(time),
        outage_from: outage_from.map(Time),
        outage_before,
    };
    let old = [
        sign(1, long_ago, None, 0),
        sign(2, long_ago + day, Some(long_ago), 0),
        sign(3, long_ago + day + 5_000, None, 2),
    ];
    let store = Sqlite::open(folder.path()).unwrap();
    for sign in old {
        let appended = store.append(Subject::System, Entry::System(sign)).await;
        appended.unwrap();
    }
    drop(store);
    let server = Server::start_at(folder.path(), &clock).await;
    server.player("Alice").await;
    assert_eq!(server.session.alive(), Some(clock.now()));
    server.stop().await;
    let store = Sqlite::open(folder.path()).unwrap();
    let log = store.read(Subject::System, 3, 10).await.unwrap();
    let [Entry::System(new)] = log.as_slice() else {
        panic!("{log:?}")
    };
    let expected = sign(4, clock.now().0, Some(old[2].time.0), 2);
    assert_eq!(*new, expected);
}
