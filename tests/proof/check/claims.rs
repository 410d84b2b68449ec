//! What was told of games: by answers, by watches of games and by inboxes.

use std::collections::HashMap;

use mancala::grpc::proto::{self, watch_game_response, watch_player_response};

use super::super::{
    history::{Answer, Call, Line, Micros},
    methods::{Method, decode},
};

/// That a game was so after an event.
pub(crate) struct Claim {
    pub(crate) game_id: String,
    /// The event.
    pub(crate) seq: u64,
    /// When it was asked for, if it was, and when it had been read.
    pub(crate) asked: Micros,
    pub(crate) read: Micros,
    pub(crate) what: Shown,
    pub(crate) method: Method,
}

/// What was shown.
pub(crate) enum Shown {
    /// A game, perhaps without moves and rounds; its clocks at the moment of the change, or at that of the
    /// answer.
    Game {
        game: Box<proto::Game>,
        whole: bool,
        now: bool,
    },
    /// An event, perhaps without its state.
    Event {
        event: Box<proto::GameEvent>,
        state: bool,
    },
    /// What a move did.
    Outcome(Box<proto::MoveOutcome>),
}

impl Shown {
    /// The positions in it.
    pub(super) fn positions(&self) -> Vec<&proto::Position> {
        match self {
            Shown::Game { game, .. } => [&game.position, &game.start_position]
                .into_iter()
                .flatten()
                .collect(),
            Shown::Event { event, .. } => {
                let state = event
                    .state
                    .as_ref()
                    .and_then(|state| state.position.as_ref());
                let moved = match &event.change {
                    Some(proto::game_event::Change::Moved(outcome)) => outcome.position.as_ref(),
                    _ => None,
                };
                state.into_iter().chain(moved).collect()
            }
            Shown::Outcome(outcome) => outcome.position.iter().collect(),
        }
    }
}

/// All claims of a history.
pub(super) fn all(lines: &[Line]) -> Vec<Claim> {
    let (mut claims, mut streams) = (Vec::new(), HashMap::new());
    for line in lines {
        match line {
            Line::Call(call) => of_call(call, &mut claims),
            Line::Opened(opened) => {
                streams.insert(opened.stream, opened);
            }
            Line::Told(told) => {
                let Some(opened) = streams.get(&told.stream) else {
                    continue;
                };
                let mut put = Put {
                    asked: opened.at,
                    read: told.at,
                    method: opened.method,
                    claims: &mut claims,
                };
                match opened.method {
                    Method::WatchPlayer => of_inbox(decode(&told.message), &mut put),
                    _ => of_watch(decode(&told.message), opened, &mut put),
                }
            }
            Line::Closed(_) | Line::Deed(_) => {}
        }
    }
    claims
}

struct Put<'a> {
    asked: Micros,
    read: Micros,
    method: Method,
    claims: &'a mut Vec<Claim>,
}

impl Put<'_> {
    fn put(&mut self, game_id: String, seq: u64, what: Shown) {
        self.claims.push(Claim {
            game_id,
            seq,
            asked: self.asked,
            read: self.read,
            what,
            method: self.method,
        });
    }

    fn game(&mut self, game: proto::Game, whole: bool, now: bool) {
        let (id, seq, game) = (game.game_id.clone(), game.seq, Box::new(game));
        self.put(id, seq, Shown::Game { game, whole, now });
    }

    fn event(&mut self, game_id: &str, event: proto::GameEvent, state: bool) {
        let (seq, event) = (event.seq, Box::new(event));
        self.put(game_id.into(), seq, Shown::Event { event, state });
    }
}

fn of_call(call: &Call, claims: &mut Vec<Claim>) {
    let Answer::Done(answer) = &call.answer else {
        return;
    };
    let mut put = Put {
        asked: call.invoked,
        read: call.returned,
        method: call.method,
        claims,
    };
    match call.method {
        Method::ListGames => {
            for game in decode::<proto::ListGamesResponse>(answer).games {
                put.game(game, false, true);
            }
        }
        Method::ListGameEvents => {
            let request: proto::ListGameEventsRequest = decode(&call.request);
            for event in decode::<proto::ListGameEventsResponse>(answer).events {
                put.event(&request.game_id, event, true);
            }
        }
        method => {
            if method == Method::SubmitMove {
                let answer: proto::SubmitMoveResponse = decode(answer);
                if let (Some(game), Some(outcome)) = (&answer.game, answer.outcome) {
                    let (id, seq) = (game.game_id.clone(), game.seq);
                    put.put(id, seq, Shown::Outcome(Box::new(outcome)));
                }
            }
            if let Some(game) = method.game(answer) {
                put.game(game, true, method == Method::GetGame);
            }
        }
    }
}

fn of_watch(
    told: proto::WatchGameResponse,
    opened: &super::super::history::Opened,
    put: &mut Put<'_>,
) {
    let request: proto::WatchGameRequest = decode(&opened.request);
    match told.message {
        Some(watch_game_response::Message::Snapshot(snapshot)) => {
            if let Some(game) = snapshot.game {
                put.game(game, true, true);
            }
        }
        Some(watch_game_response::Message::Event(event)) => {
            put.event(&request.game_id, event, true);
        }
        _ => {}
    }
}

fn of_inbox(told: proto::WatchPlayerResponse, put: &mut Put<'_>) {
    let mut both = |game: Option<proto::Game>, event: Option<proto::GameEvent>| {
        if let (Some(game), Some(event)) = (game, event) {
            put.event(&game.game_id, event, false);
            put.game(game, false, true);
        }
    };
    match told.message {
        Some(watch_player_response::Message::Snapshot(snapshot)) => {
            for game in snapshot.games {
                both(game.game, game.event);
            }
        }
        Some(watch_player_response::Message::Change(change)) => both(change.game, change.event),
        _ => {}
    }
}
