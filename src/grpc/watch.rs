//! A watch of a game as a stream of messages.

use std::{pin::Pin, time::SystemTime};

use futures_util::{Stream, stream};
use tonic::Status;

use super::{
    error,
    game::{self, Names},
    proto::{self, WatchGameResponse, watch_game_response::Message},
};
use crate::{
    game::Time,
    session::{Watch, Watched},
};

/// The stream that `WatchGame` answers with.
pub(super) type WatchStream =
    Pin<Box<dyn Stream<Item = Result<WatchGameResponse, Status>> + Send + 'static>>;

/// Gives what a watch gives, as its reader asks for it. Nothing is made ahead of the reader.
pub(super) fn stream(watch: Watch, omit_steps: bool) -> WatchStream {
    let id = watch.id();
    let names = Names::new(watch.variant(), watch.rules(), omit_steps);
    let begin = Some((watch, names));
    Box::pin(stream::unfold(begin, move |state| async move {
        let (mut watch, names) = state?;
        match watch.next().await? {
            Ok(watched) => {
                let message = Some(message(&names, watched));
                Some((Ok(WatchGameResponse { message }), Some((watch, names))))
            }
            // The status is the stream's last word.
            Err(error) => Some((Err(error::of_game(id)(error)), None)),
        }
    }))
}

fn message(names: &Names, watched: Watched) -> Message {
    match watched {
        Watched::Snapshot(snapshot) => Message::Snapshot(proto::GameSnapshot {
            game: Some(game::game(&snapshot)),
            skipped: false,
        }),
        Watched::Change(change) => Message::Event(names.event(&change)),
        Watched::Heartbeat { seq } => Message::Heartbeat(proto::Heartbeat {
            seq,
            server_time: Some(game::timestamp(Time::from_system(SystemTime::now()))),
        }),
        Watched::Goodbye { seq } => Message::Goodbye(proto::Goodbye { seq }),
    }
}
