//! Games with clocks, at a server whose clock is set.

use std::time::Duration;

use mancala::{
    game::Time,
    grpc::proto::{
        self, BaseTime, Clocks, CreateGameRequest, EndReason, Game, GameEvent, GameStatus,
        GetGameRequest, Side, TimeControl, game_event::Change, time_control::Control,
        watch_game_response::Message,
    },
    session::Clock as _,
};
use tempfile::TempDir;

use super::{
    client::{Caller, Stream, play, solo},
    clock::SetClock,
    faults::Faults,
    server::Server,
    within,
};

/// A server in the time of a clock that is set, and Alice.
pub(crate) struct Timed {
    pub(crate) folder: TempDir,
    pub(crate) clock: SetClock,
    pub(crate) faults: Faults,
    pub(crate) server: Server,
    pub(crate) alice: Caller,
}

impl Timed {
    pub(crate) async fn start() -> Timed {
        let folder = tempfile::tempdir().unwrap();
        let (clock, faults) = (SetClock::new(), Faults::default());
        let server = Server::start_faulty_at(folder.path(), faults.clone(), &clock).await;
        let alice = server.player("Alice").await;
        Timed {
            folder,
            clock,
            faults,
            server,
            alice,
        }
    }

    /// Stops the server, and starts another one some time later.
    pub(crate) async fn restart_after(self, time: Duration) -> Timed {
        let Timed {
            folder,
            clock,
            faults,
            server,
            alice,
        } = self;
        server.stop().await;
        clock.advance(time);
        let server = Server::start_faulty_at(folder.path(), faults.clone(), &clock).await;
        let alice = alice.at(&server);
        Timed {
            folder,
            clock,
            faults,
            server,
            alice,
        }
    }

    /// Lets so many seconds pass, with signs of life.
    pub(crate) async fn pass(&self, seconds: u64) {
        self.server
            .pass(&self.clock, Duration::from_secs(seconds))
            .await;
    }

    /// A game of Kalah of Alice with herself, with a minute and two seconds more a move, in which each side
    /// has made its first move: South's clock runs.
    pub(crate) async fn begun(&self) -> Game {
        let game = self.alice.create(timed(base(60, 2))).await.unwrap();
        for _ in 0..2 {
            self.alice.play(&game.game_id, 0).await.unwrap();
        }
        whole(&self.alice, &game.game_id).await
    }

    /// What South has left of a game now, in milliseconds.
    pub(crate) async fn south(&self, game: &Game) -> i64 {
        let game = whole(&self.alice, &game.game_id).await;
        assert_eq!(game.clocks.unwrap().running(), Side::South);
        left(&game.clocks.unwrap()).0
    }

    pub(crate) async fn watch(&self, game: &Game) -> Stream {
        let watch = self.alice.watch(&game.game_id, Some(game.seq));
        watch.await.unwrap()
    }

    /// Plays a hole, at once and without taking the answer's clocks out.
    pub(crate) async fn play(&self, game: &Game, hole: u32) -> Game {
        let request = self.alice.request(play(&game.game_id, hole));
        let answer = within(self.alice.games().submit_move(request)).await;
        answer.unwrap().into_inner().game.unwrap()
    }
}

/// A game as it is told, with its clocks.
pub(crate) async fn whole(caller: &Caller, game_id: &str) -> Game {
    let game_id = game_id.into();
    let request = caller.request(GetGameRequest { game_id });
    let answer = within(caller.games().get_game(request)).await;
    answer.unwrap().into_inner().game.unwrap()
}

pub(crate) fn seconds(seconds: i64) -> prost_types::Duration {
    prost_types::Duration { seconds, nanos: 0 }
}

/// So many seconds at first, and more after each move.
pub(crate) fn base(base: i64, increment: i64) -> TimeControl {
    let base = BaseTime {
        base: Some(seconds(base)),
        increment: Some(seconds(increment)),
    };
    TimeControl {
        control: Some(Control::BaseTime(base)),
    }
}

/// So many seconds a move.
pub(crate) fn per_move(time: i64) -> TimeControl {
    TimeControl {
        control: Some(Control::PerMove(seconds(time))),
    }
}

/// A game of Kalah of the caller alone with a time control.
pub(crate) fn timed(control: TimeControl) -> CreateGameRequest {
    CreateGameRequest {
        time_control: Some(control),
        ..solo("kalah")
    }
}

/// What both have left, in milliseconds.
pub(crate) fn left(clocks: &Clocks) -> (i64, i64) {
    let millis = |duration: Option<prost_types::Duration>| {
        let duration = duration.unwrap();
        duration.seconds * 1_000 + i64::from(duration.nanos) / 1_000_000
    };
    (millis(clocks.south), millis(clocks.north))
}

/// A moment of the server's clock as it is told.
pub(crate) fn stamp(clock: &SetClock) -> Option<prost_types::Timestamp> {
    let Time(now) = clock.now();
    Some(prost_types::Timestamp {
        seconds: now.div_euclid(1_000),
        nanos: (now.rem_euclid(1_000) * 1_000_000) as i32,
    })
}

/// The last event of a watched game, after which the stream ends.
pub(crate) async fn last_event(watch: &mut Stream) -> GameEvent {
    let message = within(watch.message()).await.unwrap().unwrap();
    let Some(Message::Event(event)) = message.message else {
        panic!("an event expected, not {message:?}")
    };
    assert_eq!(within(watch.message()).await.unwrap(), None);
    event
}

/// Asserts that an event says that a side's time has run out.
#[track_caller]
pub(crate) fn assert_flag(event: &GameEvent, side: Side) {
    let Some(Change::TimedOut(late)) = &event.change else {
        panic!("{event:?}")
    };
    assert_eq!(late.side(), side);
    let state = event.state.as_ref().unwrap();
    let won = match side {
        Side::South => proto::Outcome::NorthWon,
        _ => proto::Outcome::SouthWon,
    };
    assert_eq!(state.status(), GameStatus::Finished);
    let result = state.result.unwrap();
    assert_eq!(
        (result.reason(), result.outcome()),
        (EndReason::Timeout, won)
    );
    let clocks = state.clocks.unwrap();
    assert_eq!(clocks.running(), Side::Unspecified);
    let (south, north) = left(&clocks);
    let late = if side == Side::South { south } else { north };
    assert_eq!(late, 0);
}
