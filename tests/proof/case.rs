//! A small history that is to be spoiled, and how one gets at its parts.

use mancala::{
    game::{Event, Record},
    grpc::proto::{
        self, watch_game_response::Message as Watched, watch_player_response::Message as Noticed,
    },
    store::{Entry, Logged},
};
use prost::Message;

use super::{
    history::{Answer, Call, Line, Told},
    methods::{Method, decode},
};

/// A history with the log that is left.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) lines: Vec<Line>,
    pub(crate) entries: Vec<Logged>,
}

/// A game's event.
pub(crate) fn record(logged: &mut Logged) -> &mut Record {
    match &mut logged.entry {
        Entry::Game(record) => record,
        other => panic!("{other:?} is no game's"),
    }
}

/// Changes what a call asked for.
pub(crate) fn request<M: Message + Default>(call: &mut Call, change: impl FnOnce(&mut M)) {
    let mut message: M = decode(&call.request);
    change(&mut message);
    call.request = message.encode_to_vec();
}

/// Changes what a call was answered.
pub(crate) fn answer<M: Message + Default>(call: &mut Call, change: impl FnOnce(&mut M)) {
    let Answer::Done(bytes) = &mut call.answer else {
        panic!("{call:?} was not done");
    };
    let mut message: M = decode(bytes);
    change(&mut message);
    *bytes = message.encode_to_vec();
}

/// Changes the game that a call was answered with.
pub(crate) fn game(call: &mut Call, change: impl FnOnce(&mut proto::Game)) {
    match call.method {
        Method::SubmitMove => answer(call, |answer: &mut proto::SubmitMoveResponse| {
            change(answer.game.get_or_insert_default());
        }),
        // All others have it in their first field alone.
        _ => answer(call, |answer: &mut proto::GetGameResponse| {
            change(answer.game.get_or_insert_default());
        }),
    }
}

impl Case {
    /// The call of a method after so many others.
    pub(crate) fn call(&mut self, method: Method, index: usize) -> &mut Call {
        let calls = self.lines.iter_mut().filter_map(|line| match line {
            Line::Call(call) if call.method == method => Some(call),
            _ => None,
        });
        calls
            .into_iter()
            .nth(index)
            .expect("the script has so many")
    }

    /// The move that was sent a second time.
    pub(crate) fn repeated(&mut self) -> &mut Call {
        let mut seen = Vec::new();
        let mut moves = self.lines.iter_mut().filter_map(|line| match line {
            Line::Call(call) if call.method == Method::SubmitMove => Some(call),
            _ => None,
        });
        let again = moves.find(|call| {
            let known = seen.contains(&call.request);
            seen.push(call.request.clone());
            known
        });
        again.expect("one is repeated")
    }

    /// The call that was refused with a reason.
    pub(crate) fn refused(&mut self, reason: &str) -> &mut Call {
        let refused = Answer::Refused(reason.into());
        let mut calls = self.lines.iter_mut().filter_map(|line| match line {
            Line::Call(call) => Some(call),
            _ => None,
        });
        calls
            .find(|call| call.answer == refused)
            .expect("one is refused so")
    }

    /// The first entry of an event.
    pub(crate) fn index_of(&self, is: impl Fn(&Event) -> bool) -> usize {
        let is =
            |logged: &Logged| matches!(&logged.entry, Entry::Game(record) if is(&record.event));
        self.entries.iter().position(is).expect("there is one")
    }

    /// The last entry of an event.
    pub(crate) fn last_of(&self, is: impl Fn(&Event) -> bool) -> usize {
        let is =
            |logged: &Logged| matches!(&logged.entry, Entry::Game(record) if is(&record.event));
        self.entries.iter().rposition(is).expect("there is one")
    }

    /// Changes what the side to move has left when a draw is declined.
    pub(crate) fn spoil_clock(&mut self, change: fn(i64) -> i64) {
        let index = self.index_of(|event| matches!(event, Event::Answered(_)));
        let clocks = &mut record(&mut self.entries[index]).state.clocks;
        for side in mancala::rules::Side::BOTH {
            clocks.left[side] = change(clocks.left[side]);
        }
    }

    /// The streams of a method.
    pub(crate) fn streams(&self, method: Method) -> Vec<u64> {
        let opened = self.lines.iter().filter_map(|line| match line {
            Line::Opened(opened) if opened.method == method => Some(opened.stream),
            _ => None,
        });
        opened.collect()
    }

    /// The line of a message of the first stream of a method.
    pub(crate) fn told(&self, method: Method, index: usize) -> usize {
        let stream = self.streams(method).first().copied();
        let told = self.lines.iter().enumerate().filter(|(_, line)| {
            let Line::Told(told) = line else { return false };
            let presence = || {
                method == Method::WatchGame
                    && matches!(
                        decode::<proto::WatchGameResponse>(&told.message).message,
                        Some(Watched::Presence(_))
                    )
            };
            Some(told.stream) == stream && !presence()
        });
        let (line, _) = told
            .into_iter()
            .nth(index)
            .expect("the script reads so many");
        line
    }

    pub(crate) fn told_at(&mut self, line: usize) -> &mut Told {
        match &mut self.lines[line] {
            Line::Told(told) => told,
            other => panic!("{other:?} is no message"),
        }
    }

    /// Changes a message of the first watch.
    pub(crate) fn watched(&mut self, index: usize, change: impl FnOnce(&mut Watched)) {
        let line = self.told(Method::WatchGame, index);
        let told = self.told_at(line);
        let mut message: proto::WatchGameResponse = decode(&told.message);
        if let Some(message) = &mut message.message {
            change(message);
        }
        told.message = message.encode_to_vec();
    }

    /// Changes a message of the first inbox.
    pub(crate) fn noticed(&mut self, index: usize, change: impl FnOnce(&mut Noticed)) {
        let line = self.told(Method::WatchPlayer, index);
        self.noticed_at(line, change);
    }

    pub(crate) fn noticed_at(&mut self, line: usize, change: impl FnOnce(&mut Noticed)) {
        let told = self.told_at(line);
        let mut message: proto::WatchPlayerResponse = decode(&told.message);
        if let Some(message) = &mut message.message {
            change(message);
        }
        told.message = message.encode_to_vec();
    }

    /// Changes every message of an inbox.
    pub(crate) fn each_noticed(&mut self, change: fn(&mut Noticed)) {
        let inboxes = self.streams(Method::WatchPlayer);
        for line in 0..self.lines.len() {
            if matches!(&self.lines[line], Line::Told(told) if inboxes.contains(&told.stream)) {
                self.noticed_at(line, change);
            }
        }
    }

    /// Leaves out what a stream gave after a message.
    pub(crate) fn end_stream_at(&mut self, line: usize) {
        let stream = self.told_at(line).stream;
        let mut index = 0;
        self.lines.retain(|happened| {
            index += 1;
            let of_it = match happened {
                Line::Told(told) => told.stream == stream,
                Line::Closed(closed) => closed.stream == stream,
                _ => false,
            };
            index <= line + 1 || !of_it
        });
    }
}
