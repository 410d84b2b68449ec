//! A player's watch as a stream of messages.

use std::{collections::VecDeque, iter, pin::Pin};

use futures_util::{Stream, stream};
use tonic::Status;

use super::{
    error,
    game::{self, Names},
    proto::{self, WatchPlayerResponse, watch_player_response::Message},
};
use crate::{
    game::{Record, Summary},
    session::{Change, Note, Noticed, PlayerWatch, Snapshot},
};

/// Games of one message of a snapshot: they are well below the size of an answer.
const GAMES: usize = 100;

/// The stream that `WatchPlayer` answers with.
pub(super) type InboxStream =
    Pin<Box<dyn Stream<Item = Result<WatchPlayerResponse, Status>> + Send + 'static>>;

/// Gives what a watch gives, as its reader asks for it: until then no message is made.
pub(super) fn stream(watch: PlayerWatch) -> InboxStream {
    let begin = Some((watch, None));
    Box::pin(stream::unfold(begin, move |state| async move {
        let (mut watch, mut parts): (_, Option<Parts>) = state?;
        if parts.is_none() {
            let message = match watch.next().await {
                Ok(Noticed::Snapshot(snapshot)) => {
                    parts = Some(Parts::of(snapshot));
                    None
                }
                Ok(Noticed::Change { cursor, note }) => Some(change(&watch, cursor, &note)),
                Ok(Noticed::Heartbeat { cursor }) => {
                    Some(Ok(Message::Heartbeat(proto::PlayerHeartbeat {
                        cursor,
                        server_time: Some(game::timestamp(watch.now())),
                    })))
                }
                Ok(Noticed::Goodbye { cursor }) => {
                    Some(Ok(Message::Goodbye(proto::PlayerGoodbye { cursor })))
                }
                // The status is the stream's last word.
                Err(error) => return Some((Err(error::of_none(error)), None)),
            };
            if let Some(message) = message {
                return Some((message.map(response), Some((watch, None))));
            }
        }
        let (message, rest) = parts?.next(&watch);
        Some((message.map(response), Some((watch, rest))))
    }))
}

fn response(message: Message) -> WatchPlayerResponse {
    WatchPlayerResponse {
        message: Some(message),
    }
}

fn change(watch: &PlayerWatch, cursor: String, note: &Note) -> Result<Message, Status> {
    let game = told(watch, &note.game, &note.record)?;
    Ok(Message::Change(proto::PlayerChange {
        cursor,
        game: game.game,
        event: game.event,
    }))
}

/// What is still to be sent of a snapshot: as many messages as it needs, at least one.
struct Parts {
    /// Each is freed when it has been sent.
    games: VecDeque<Vec<(Summary, Record)>>,
    cursor: String,
    reset: bool,
}

impl Parts {
    fn of(snapshot: Snapshot) -> Parts {
        let mut rest = snapshot.games.into_iter();
        let part = || Some(rest.by_ref().take(GAMES).collect::<Vec<_>>());
        let parts = iter::from_fn(part).take_while(|part| !part.is_empty());
        Parts {
            games: parts.collect(),
            cursor: snapshot.cursor,
            reset: snapshot.reset,
        }
    }

    /// The next message, and what comes after it.
    fn next(mut self, watch: &PlayerWatch) -> (Result<Message, Status>, Option<Parts>) {
        let part = self.games.pop_front().unwrap_or_default();
        let games = part.iter().map(|(game, record)| told(watch, game, record));
        let more = !self.games.is_empty();
        let message = games.collect::<Result<_, _>>().map(|games| {
            Message::Snapshot(proto::PlayerSnapshot {
                games,
                more,
                cursor: match more {
                    true => String::new(),
                    false => self.cursor.clone(),
                },
                reset: self.reset,
            })
        });
        (message, more.then_some(self))
    }
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
