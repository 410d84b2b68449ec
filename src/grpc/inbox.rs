//! A player's watch as a stream of messages.

use std::{collections::VecDeque, pin::Pin};

use futures_util::{Stream, stream};
use tonic::Status;

use super::{
    error,
    game::{self, Names},
    proto::{self, WatchPlayerResponse, watch_player_response::Message},
};
use crate::{
    game::{Record, Summary},
    session::{Change, Noticed, PlayerWatch, Snapshot},
};

/// Games of one message of a snapshot: they are well below the size of an answer.
const GAMES: usize = 100;

/// The stream that `WatchPlayer` answers with.
pub(super) type InboxStream =
    Pin<Box<dyn Stream<Item = Result<WatchPlayerResponse, Status>> + Send + 'static>>;

/// Gives what a watch gives, as its reader asks for it.
pub(super) fn stream(watch: PlayerWatch) -> InboxStream {
    let begin = Some((watch, VecDeque::new()));
    Box::pin(stream::unfold(begin, move |state| async move {
        let (mut watch, mut waiting) = state?;
        if waiting.is_empty() {
            match watch.next().await {
                Ok(noticed) => waiting = messages(&watch, noticed),
                // The status is the stream's last word.
                Err(error) => return Some((Err(error::of_none(error)), None)),
            }
        }
        let next = waiting.pop_front()?;
        Some((next.map(response), Some((watch, waiting))))
    }))
}

fn response(message: Message) -> WatchPlayerResponse {
    WatchPlayerResponse {
        message: Some(message),
    }
}

fn messages(watch: &PlayerWatch, noticed: Noticed) -> VecDeque<Result<Message, Status>> {
    let message = match noticed {
        Noticed::Snapshot(snapshot) => return snapshot_messages(watch, &snapshot),
        Noticed::Change { cursor, note } => told(watch, &note.game, &note.record).map(|game| {
            Message::Change(proto::PlayerChange {
                cursor,
                game: game.game,
                event: game.event,
            })
        }),
        Noticed::Heartbeat { cursor } => Ok(Message::Heartbeat(proto::PlayerHeartbeat {
            cursor,
            server_time: Some(game::timestamp(watch.now())),
        })),
        Noticed::Goodbye { cursor } => Ok(Message::Goodbye(proto::PlayerGoodbye { cursor })),
    };
    VecDeque::from([message])
}

/// A snapshot in as many messages as it needs, at least one.
fn snapshot_messages(
    watch: &PlayerWatch,
    snapshot: &Snapshot,
) -> VecDeque<Result<Message, Status>> {
    let Snapshot {
        games,
        cursor,
        reset,
    } = snapshot;
    let mut parts: Vec<&[_]> = games.chunks(GAMES).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let last = parts.len() - 1;
    let message = |(index, part): (usize, &[(Summary, Record)])| {
        let games = part.iter().map(|(game, record)| told(watch, game, record));
        Ok(Message::Snapshot(proto::PlayerSnapshot {
            games: games.collect::<Result<_, _>>()?,
            more: index < last,
            cursor: match index == last {
                true => cursor.clone(),
                false => String::new(),
            },
            reset: *reset,
        }))
    };
    parts.into_iter().enumerate().map(message).collect()
}

/// A game and its newest event, without steps and without telling the same state twice.
fn told(
    watch: &PlayerWatch,
    game: &Summary,
    record: &Record,
) -> Result<proto::AttentionGame, Status> {
    let rules = game.created.rules();
    let rules = rules.ok_or_else(|| error::Reason::Internal.plain())?;
    let names = Names::new(&game.created.variant, rules, true);
    let change = Change::new(record.state.position, record.clone());
    Ok(proto::AttentionGame {
        game: Some(game::at(game::summary(game)?, watch.clocks(game))),
        event: Some(proto::GameEvent {
            state: None,
            ..names.event(&change)
        }),
    })
}
