//! How the database goes about the questions: no caller sees it but by the time that it takes.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};

use rusqlite::{
    Connection, StatementStatus,
    trace::{TraceEvent, TraceEventCodes},
};
use uuid::Uuid;

use super::{changes_of, count_games, games_of, list_games, unfinished_games};
use crate::{
    catalog::Catalog,
    game::{
        Command, Decision, Game, GameId, Moment, NewGame, Outages, PlayerId, Seat, Status, Summary,
        Time, TimeControl, Visibility,
    },
    rules::{BySide, Side},
    store::{
        Entry, GameFilter, Log as _, Sqlite, Subject,
        codec::Codec,
        sqlite::{DATABASE, connect},
    },
};

const ONE: PlayerId = PlayerId(Uuid::from_u128(1));
const OTHER: PlayerId = PlayerId(Uuid::from_u128(2));
/// Has a part in a public game only.
const STRANGER: PlayerId = PlayerId(Uuid::from_u128(3));
/// Has a part in none.
const NOBODY: PlayerId = PlayerId(Uuid::from_u128(4));

const GAMES: u128 = 300;

/// Fills a store with games of all variants, waiting, active and aborted. Every other one, up to an
/// id, is seen by its players only.
async fn fill(folder: &Path, hidden_until: u128) {
    let store = Sqlite::open(folder).unwrap();
    let catalog = Catalog::built_in();
    let variants: Vec<_> = catalog.iter().collect();
    for id in (0..GAMES).filter(|id| id % 2 == 0 || *id < hidden_until) {
        let number = id as usize;
        let variant = variants[number % variants.len()];
        let new = NewGame {
            game_id: GameId(Uuid::from_u128(id)),
            creator: ONE,
            variant: variant.id.clone(),
            rule_set: variant.rule_set().clone(),
            holes: None,
            seeds: None,
            seats: BySide {
                south: Seat::Player(ONE),
                north: match number / 2 % 3 {
                    _ if number == 0 => Seat::Invited(STRANGER),
                    0 => Seat::Open,
                    1 => Seat::Invited(OTHER),
                    _ => Seat::Player(OTHER),
                },
            },
            first: Side::South,
            time_control: TimeControl::default(),
            target_wins: 1,
            visibility: [Visibility::Public, Visibility::Private][number % 2],
            join_code: None,
            start: None,
            rematch_of: None,
        };
        let subject = Subject::Game(new.game_id);
        let first = new.create(None, Time(0)).unwrap();
        let game = Game::replay(std::slice::from_ref(&first)).unwrap();
        store.append(subject, Entry::Game(first)).await.unwrap();
        if number.is_multiple_of(4) {
            let outages = Outages::default();
            let moment = Moment::at(Time(0), &outages);
            let aborted = game.decide(&Command::Abort, ONE, None, &moment).unwrap();
            let Decision::New(record) = aborted else {
                panic!("there was no such request")
            };
            store.append(subject, Entry::Game(record)).await.unwrap();
        }
    }
}

/// Every kind of filter.
fn filters() -> Vec<GameFilter> {
    let catalog = Catalog::built_in();
    let variant = catalog.iter().next().map(|variant| &*variant.id);
    let players = [None, Some(ONE), Some(OTHER), Some(STRANGER), Some(NOBODY)];
    let statuses = [
        None,
        Some(Status::Waiting),
        Some(Status::Active),
        Some(Status::Finished),
        Some(Status::Aborted),
    ];
    let mut filters = Vec::new();
    for viewer in players {
        for player in players {
            for status in statuses {
                for variant in [None, variant, Some("chess")] {
                    filters.extend([false, true].map(|open_seat| GameFilter {
                        viewer,
                        status,
                        player,
                        variant: variant.map(str::to_owned),
                        open_seat,
                    }));
                }
            }
        }
    }
    filters
}

#[tokio::test]
async fn every_statement_of_a_question_searches_an_index_and_sorts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), GAMES).await;
    let mut connection = connect(&folder.path().join(DATABASE), Default::default()).unwrap();
    let run = Arc::new(Mutex::new(BTreeMap::new()));
    let heard = run.clone();
    let note = move |event: TraceEvent<'_>| {
        if let TraceEvent::Profile(statement, _) = event {
            // As it is written, without the values: so it is planned.
            let planned_anew = statement.get_status(StatementStatus::RePrepare);
            let mut run = heard.lock().unwrap();
            run.insert(statement.sql().into_owned(), planned_anew);
        }
    };
    let ends = TraceEventCodes::SQLITE_TRACE_PROFILE;
    connection.trace_v2(ends, Some(note)).unwrap();
    let found: usize = filters()
        .iter()
        .map(|filter| two_pages(&connection, filter))
        .sum();
    let codec = Codec::default();
    let unfinished = unfinished_games(&connection, &codec, None, 10).unwrap();
    let last = unfinished.last().map(|last| last.created.game_id);
    let more = unfinished_games(&connection, &codec, last, 10).unwrap();
    assert!(
        found > 1_000 && unfinished.len() + more.len() == 20,
        "{found}"
    );
    let (newest, games) = games_of(&connection, &codec, ONE, 1_000).unwrap();
    assert!(
        newest > 300 && games.len() > 100,
        "{newest} {}",
        games.len()
    );
    let changes = changes_of(&connection, &codec, ONE, 0, 10_000).unwrap();
    assert!(changes.unwrap().len() > 300);
    let counts = count_games(&connection, OTHER, 1_000).unwrap();
    assert!(counts.playing > 10, "{counts:?}");
    connection
        .trace_v2(TraceEventCodes::empty(), None::<fn(TraceEvent<'_>)>)
        .unwrap();
    let run = run.lock().unwrap();
    assert!(run.len() > 5, "{run:?}");
    for (statement, planned_anew) in &*run {
        assert_eq!(*planned_anew, 0, "{statement}");
        for step in plan(&connection, statement) {
            // What is counted was found by a search.
            let counting = step.contains("(subquery-");
            assert!(
                step.starts_with("SEARCH ") || counting,
                "{statement}: {step}"
            );
        }
    }
}

/// Lists the first two pages, and counts their games.
fn two_pages(connection: &Connection, filter: &GameFilter) -> usize {
    let codec = Codec::default();
    let page = |after: Option<&Summary>| {
        let after = after.map(|last| last.created.game_id);
        list_games(connection, &codec, filter, after, 10).unwrap()
    };
    let first = page(None);
    first.len() + page(first.last()).len()
}

/// The steps by which the database would run a statement.
fn plan(connection: &Connection, statement: &str) -> Vec<String> {
    let explain = format!("EXPLAIN QUERY PLAN {statement}");
    let mut explained = connection.prepare(&explain).unwrap();
    // Its parameters count as NULL, as which they are planned as any values are.
    let mut rows = explained.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get("detail").unwrap());
    }
    assert!(!steps.is_empty(), "{statement} has no plan");
    steps
}

/// How many steps the database takes for the first two pages of every list of viewers who are shown
/// nothing but what is public.
fn steps_of_strangers(folder: &Path) -> BTreeMap<String, i32> {
    let mut connection = connect(&folder.join(DATABASE), Default::default()).unwrap();
    // The steps of a statement are counted over all its runs.
    let taken = Arc::new(Mutex::new(BTreeMap::new()));
    let heard = taken.clone();
    let note = move |event: TraceEvent<'_>| {
        if let TraceEvent::Profile(statement, _) = event {
            let steps = statement.get_status(StatementStatus::VmStep);
            let mut taken = heard.lock().unwrap();
            taken.insert(statement.sql().into_owned(), steps);
        }
    };
    let ends = TraceEventCodes::SQLITE_TRACE_PROFILE;
    connection.trace_v2(ends, Some(note)).unwrap();
    let strangers = [None, Some(STRANGER), Some(NOBODY)];
    let mut filters = filters();
    filters.retain(|filter| strangers.contains(&filter.viewer));
    for filter in filters {
        two_pages(&connection, &filter);
    }
    let taken = taken.lock().unwrap();
    taken.clone()
}

#[tokio::test]
async fn games_that_a_viewer_is_not_shown_cost_no_step() {
    let (few, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // Where there is none at all, a range may be the index's first, whose end is found a step earlier.
    fill(few.path(), GAMES / 10).await;
    fill(many.path(), GAMES).await;
    let taken = steps_of_strangers(few.path());
    assert!(taken.len() > 5 && taken.values().all(|steps| *steps > 1_000));
    assert_eq!(steps_of_strangers(many.path()), taken);
}

#[test]
fn a_plan_tells_a_scan_and_a_sorting() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (a, b)").unwrap();
    let steps = plan(&connection, "SELECT a FROM t WHERE b = ? ORDER BY a");
    assert_eq!(steps, ["SCAN t", "USE TEMP B-TREE FOR ORDER BY"]);
}
