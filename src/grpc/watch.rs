//! A watch of a game as a stream of messages.

use std::{pin::Pin, time::SystemTime};

use bytes::Bytes;
use futures_util::{Stream, stream};
use prost::Message as _;
use tonic::Status;

use super::{
    board, error,
    game::{self, Names},
    proto::{self, WatchGameResponse, watch_game_response::Message},
};
use crate::{
    game::Time,
    rules::Side,
    session::{Change, Watch, Watched},
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
                let response = response(&names, watched);
                Some((Ok(response), Some((watch, names))))
            }
            // The status is the stream's last word.
            Err(error) => Some((Err(error::of_game(id)(error)), None)),
        }
    }))
}

fn response(names: &Names, watched: Watched) -> WatchGameResponse {
    WatchGameResponse::new(match watched {
        Watched::Change(change) => return WatchGameResponse::encoded(event(names, &change)),
        Watched::Snapshot {
            game: snapshot,
            clocks,
            connected,
            skipped,
        } => Message::Snapshot(proto::GameSnapshot {
            game: Some(game::at(game::game(&snapshot), clocks)),
            presence: Side::BOTH
                .map(|side| presence(side, connected[side]))
                .into(),
            skipped,
        }),
        Watched::Presence { side, connected } => Message::Presence(presence(side, connected)),
        Watched::Heartbeat { seq } => Message::Heartbeat(proto::Heartbeat {
            seq,
            server_time: Some(game::timestamp(Time::from_system(SystemTime::now()))),
        }),
        Watched::Goodbye { seq } => Message::Goodbye(proto::Goodbye { seq }),
    })
}

/// An event, encoded when the first of its watchers is sent it.
fn event(names: &Names, change: &Change) -> Bytes {
    let encode = || {
        let event = Message::Event(names.event(change));
        WatchGameResponse::new(event).encode_to_vec().into()
    };
    let told = &change.told[usize::from(names.omit_steps)];
    told.get_or_init(encode).clone()
}

fn presence(side: Side, connected: bool) -> proto::Presence {
    proto::Presence {
        side: board::side_code(side),
        connected,
    }
}
