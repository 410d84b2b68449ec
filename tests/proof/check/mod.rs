//! What was promised, held against all that happened and the log that is left. A file a promise.

mod claims;
mod clocks;
mod deeds;
mod fold;
mod inboxes;
mod once;
mod reads;
mod same;
mod seeds;
mod told;
mod watches;
mod whole;

use std::{collections::BTreeMap, fmt, path::Path};

use mancala::{
    game::{GameId, Record, Request, SystemRecord},
    session,
    store::{Entry, Log as _, Logged, Sqlite, Subject},
};
use uuid::Uuid;

use super::history::{Answer, Call, Line};
use claims::Claim;

/// All that happened, and the log that is left.
pub(crate) struct Past {
    pub(crate) lines: Vec<Line>,
    /// The log of each game, each entry with its place in the order of all.
    games: BTreeMap<GameId, Vec<(u64, Record)>>,
    signs: Vec<SystemRecord>,
    /// What was told of games, to anybody, in the order of the lines.
    claims: Vec<Claim>,
    /// The calls that were to change something.
    asked: Vec<Asked>,
}

/// A call that is to change something.
struct Asked {
    /// The call is this line.
    line: usize,
    /// What the log knows it by, if it has an id.
    request: Option<Request>,
    /// The game that it is to change, or that it creates; empty if nobody knows which.
    game_id: String,
}

impl Past {
    /// What happened, with the log of a data folder that no server has.
    pub(crate) async fn new(lines: Vec<Line>, folder: &Path) -> Past {
        Past::of(lines, entries(folder).await)
    }

    /// What happened, with the entries of a log.
    pub(crate) fn of(lines: Vec<Line>, entries: Vec<Logged>) -> Past {
        let mut games: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut signs = Vec::new();
        for logged in entries {
            match (logged.subject, logged.entry) {
                (Subject::Game(id), Entry::Game(record)) => {
                    games.entry(id).or_default().push((logged.offset, record));
                }
                (_, Entry::System(sign)) => signs.push(sign),
                _ => {}
            }
        }
        Past {
            claims: claims::all(&lines),
            asked: asked(&lines),
            lines,
            games,
            signs,
        }
    }

    /// The call that asks for a change.
    fn call(&self, asked: &Asked) -> &Call {
        match &self.lines[asked.line] {
            Line::Call(call) => call,
            other => unreachable!("{other:?} is no call"),
        }
    }

    /// The log of a game; empty if there is none.
    fn log(&self, game_id: &str) -> &[(u64, Record)] {
        let id = Uuid::try_parse(game_id).map(GameId).ok();
        let log = id.and_then(|id| self.games.get(&id));
        log.map_or(&[], Vec::as_slice)
    }

    /// An event of a game.
    fn record(&self, game_id: &str, seq: u64) -> Option<&Record> {
        let index = usize::try_from(seq).ok()?.checked_sub(1)?;
        let (_, record) = self.log(game_id).get(index)?;
        Some(record)
    }
}

fn asked(lines: &[Line]) -> Vec<Asked> {
    let of_line = |(line, happened): (usize, &Line)| {
        let Line::Call(call) = happened else {
            return None;
        };
        let change = call.method.change(&call.request)?;
        let request = change.hash(&call.player);
        let game_id = match (&*change.game_id, request, &call.answer) {
            ("", Some(request), _) => session::new_game_id(Some(request)).to_string(),
            ("", None, Answer::Done(answer)) => call.method.game(answer)?.game_id,
            _ => change.game_id,
        };
        Some(Asked {
            line,
            request,
            game_id,
        })
    };
    lines.iter().enumerate().filter_map(of_line).collect()
}

/// All entries of the log in a data folder.
pub(crate) async fn entries(folder: &Path) -> Vec<Logged> {
    let store = Sqlite::open(folder).expect("no server has the folder");
    let mut entries: Vec<Logged> = Vec::new();
    loop {
        let after = entries.last().map_or(0, |last| last.offset);
        let page = store.read_all(after, 512).await;
        let page = page.expect("the log can be read");
        if page.is_empty() {
            return entries;
        }
        entries.extend(page);
    }
}

/// A promise that was broken.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Which promise.
    pub(crate) promise: &'static str,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.promise, self.what)
    }
}

/// What was looked at, and what was found.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) findings: Vec<Finding>,
    /// How often each promise was held against something.
    pub(crate) checked: BTreeMap<String, u64>,
}

impl Judged {
    /// Holds a promise against something.
    fn see(&mut self, promise: &'static str, kept: bool, what: impl FnOnce() -> String) {
        *self.checked.entry(promise.into()).or_default() += 1;
        if !kept {
            let what = what();
            self.findings.push(Finding { promise, what });
        }
    }
}

/// Holds all promises against what happened.
pub(crate) fn all(past: &Past) -> Judged {
    let mut judged = Judged::default();
    for check in [
        deeds::check,
        whole::check,
        once::check,
        same::check,
        told::check,
        watches::check,
        inboxes::check,
        seeds::check,
        clocks::check,
        reads::check,
    ] {
        check(past, &mut judged);
    }
    judged
}
