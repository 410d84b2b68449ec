//! Entries to be stored, and how they are compared.

use mancala::{
    game::{Command, Event, GameId, PlayerEvent, PlayerId, PlayerKind, PlayerRecord, Record, Time},
    store::{AppendError, Entry, Log, Store, Subject},
};
use uuid::Uuid;

use crate::support::{
    chance::Chance,
    table::{ALICE, BOB, Table, created_told, new_game, play, request},
    variants,
};

/// A game's subject.
pub(crate) fn game(id: u128) -> Subject {
    Subject::Game(GameId(Uuid::from_u128(id)))
}

/// A player's subject.
pub(crate) fn player(id: u128) -> Subject {
    Subject::Player(PlayerId(Uuid::from_u128(id)))
}

/// A small entry of a player's log with a mark by which it is known again. What a log of a player
/// means is nothing that a store knows.
pub(crate) fn small(seq: u64, mark: &str) -> Entry {
    Entry::Player(PlayerRecord {
        seq,
        time: Time(seq.cast_signed()),
        request: None,
        event: PlayerEvent::Registered {
            name: mark.into(),
            kind: PlayerKind::Bot,
        },
    })
}

/// The entry of a player's log with which it forgets what was before.
pub(crate) fn deletion(seq: u64) -> Entry {
    Entry::Player(PlayerRecord {
        seq,
        time: Time(seq.cast_signed()),
        request: None,
        event: PlayerEvent::Deleted {
            kind: PlayerKind::Bot,
            registered: Time(1),
        },
    })
}

/// The mark of a small entry.
pub(crate) fn mark(entry: &Entry) -> &str {
    match entry {
        Entry::Player(record) => {
            let PlayerEvent::Registered { name, .. } = &record.event else {
                panic!("a registration")
            };
            name
        }
        Entry::Game(_) | Entry::System(_) | Entry::Audit(_) => panic!("a player's entry"),
    }
}

/// All that an entry says, its rule set by its text.
pub(crate) fn told(entry: &Entry) -> String {
    let Entry::Game(record) = entry else {
        return format!("{entry:?}");
    };
    let Record {
        seq,
        time,
        request,
        state,
        event,
    } = record;
    let event = match event {
        Event::Created(created) => created_told(created),
        other => format!("{other:?}"),
    };
    format!("{seq} {time:?} {request:?} {state:?} {event}")
}

/// Asserts that two logs are the same.
#[track_caller]
pub(crate) fn assert_same(found: &[Entry], expected: &[Entry]) {
    let told_all = |entries: &[Entry]| entries.iter().map(told).collect::<Vec<_>>();
    assert_eq!(told_all(found), told_all(expected));
}

/// Whole logs of games of all kinds: every event, request ids, passes, rounds, series, results.
pub(crate) fn logs() -> Vec<Vec<Entry>> {
    let mut chance = Chance::new(11);
    let mut logs = Vec::new();
    for variant in variants() {
        let mut table = Table::new(new_game(variant));
        while table.game.state().result.is_none() && table.log.len() < 120 {
            table.play_any(&mut chance);
        }
        logs.push(table.log);
    }
    logs.push(game_with_a_pass().log);
    let mut series = Table::series("en-dodoi", 2);
    series.play_line("edbfceb");
    let request = request(3, 200);
    series.request(BOB, &play(0), Some(request)).unwrap();
    let resign = Command::Resign { side: None };
    series.act(ALICE, &resign).unwrap();
    logs.push(series.log);
    let entries = |log: Vec<Record>| log.into_iter().map(Entry::Game).collect();
    logs.into_iter().map(entries).collect()
}

/// A whole game in which a player was passed over.
fn game_with_a_pass() -> Table {
    for seed in 0.. {
        let mut chance = Chance::new(seed);
        let mut table = Table::new(new_game("adji-boto"));
        while table.game.state().result.is_none() {
            table.play_any(&mut chance);
        }
        let passes = |record: &Record| match &record.event {
            Event::Moved(moved) => moved.passed.is_some(),
            _ => false,
        };
        if table.log.iter().any(passes) {
            return table;
        }
    }
    unreachable!("there are such games")
}

/// Appends a whole log.
pub(crate) async fn append_all(store: &impl Log, subject: Subject, entries: &[Entry]) {
    for entry in entries {
        store.append(subject, entry.clone()).await.unwrap();
    }
}

/// All of a subject's log.
pub(crate) async fn read_whole(store: &impl Store, subject: Subject) -> Vec<Entry> {
    store.read(subject, 0, u32::MAX).await.unwrap()
}

/// The last seq that a refused append names.
#[track_caller]
pub(crate) fn conflict(answer: Result<(), AppendError>) -> u64 {
    match answer {
        Err(AppendError::Conflict { last }) => last,
        other => panic!("a conflict expected, not {other:?}"),
    }
}
