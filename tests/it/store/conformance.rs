//! What every store promises. Each function is run over each kind of store.

use std::{collections::HashMap, sync::Arc};

use mancala::{
    game::{Outages, PlayerId, SystemRecord, Time},
    store::{AppendError, Entry, Log as _, Store, Subject},
};
use tokio::task::JoinSet;

use super::{
    entries::{
        append_all, assert_same, conflict, game, logs, mark, player, read_whole, small, told,
    },
    makers::Maker,
};
use crate::support::{
    table::{ALICE, BOB},
    within,
};

fn game_logs() -> Vec<(Subject, Vec<Entry>)> {
    // The id in the first record is the subject's when it is read back.
    let logs = logs().into_iter().enumerate().map(|(index, mut log)| {
        let subject = game(100 + index as u128);
        if let (Entry::Game(record), Subject::Game(id)) = (&mut log[0], subject)
            && let mancala::game::Event::Created(created) = &mut record.event
        {
            std::sync::Arc::make_mut(created).game_id = id;
        }
        (subject, log)
    });
    logs.collect()
}

pub(crate) async fn appends_and_reads<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    assert_eq!(*store.newest().borrow(), 0);
    assert!(read_whole(&store, game(1)).await.is_empty());
    for (subject, log) in game_logs() {
        append_all(&store, subject, &log).await;
        assert_same(&read_whole(&store, subject).await, &log);
    }
    // Ids alone don't tell a game from a player.
    append_all(&store, player(100), &[small(1, "player")]).await;
    assert_same(
        &read_whole(&store, player(100)).await,
        &[small(1, "player")],
    );
}

pub(crate) async fn refuses_conflicts<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    for seq in [0, 2, u64::MAX] {
        assert_eq!(conflict(store.append(player(1), small(seq, "no")).await), 0);
    }
    assert!(read_whole(&store, player(1)).await.is_empty());
    assert_eq!(*store.newest().borrow(), 0);
    append_all(&store, player(1), &[small(1, "a"), small(2, "b")]).await;
    let newest = *store.newest().borrow();
    for seq in [0, 1, 2, 4, u64::MAX] {
        assert_eq!(conflict(store.append(player(1), small(seq, "no")).await), 2);
    }
    assert_same(
        &read_whole(&store, player(1)).await,
        &[small(1, "a"), small(2, "b")],
    );
    assert_eq!(*store.newest().borrow(), newest, "nothing has changed");
    assert_eq!(store.read_all(newest, 10).await.unwrap().len(), 0);
    store.append(player(1), small(3, "c")).await.unwrap();
}

/// A game may name players of whom the log has nothing yet.
pub(crate) async fn games_name_players_first<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    append_all(&store, game(1), &logs()[0]).await;
    for PlayerId(id) in [ALICE, BOB] {
        let named = Subject::Player(PlayerId(id));
        assert!(read_whole(&store, named).await.is_empty());
        assert_eq!(conflict(store.append(named, small(2, "no")).await), 0);
        let all = [small(1, "registered"), small(2, "renamed")];
        append_all(&store, named, &all).await;
        assert_same(&read_whole(&store, named).await, &all);
    }
}

pub(crate) async fn reads_from_and_with_limits<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let all: Vec<_> = (1..=9).map(|seq| small(seq, "x")).collect();
    append_all(&store, player(1), &all).await;
    append_all(&store, player(2), &[small(1, "other")]).await;
    for after in 0..=9_usize {
        for limit in [0, 1, 4, 100, u32::MAX] {
            let end = all.len().min(after.saturating_add(limit as usize));
            let read = store.read(player(1), after as u64, limit).await.unwrap();
            assert_same(&read, &all[after..end]);
        }
    }
    for after in [10, u64::MAX] {
        assert!(store.read(player(1), after, 5).await.unwrap().is_empty());
    }
}

pub(crate) async fn reads_all_in_order<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let order = [(1, 1), (2, 1), (1, 2), (3, 1), (2, 2), (1, 3)];
    for (id, seq) in order {
        append_all(&store, player(id), &[small(seq, "x")]).await;
    }
    let all = store.read_all(0, 100).await.unwrap();
    let found: Vec<_> = all
        .iter()
        .map(|one| (one.subject, one.entry.seq()))
        .collect();
    assert_eq!(found, order.map(|(id, seq)| (player(id), seq)));
    assert!(all.is_sorted_by(|one, next| one.offset < next.offset));
    assert_eq!(all[5].offset, *store.newest().borrow());
    for (index, one) in all.iter().enumerate() {
        let rest = store.read_all(one.offset, 2).await.unwrap();
        let offsets: Vec<_> = rest.iter().map(|one| one.offset).collect();
        let expected = all.iter().skip(index + 1).take(2).map(|one| one.offset);
        assert_eq!(offsets, expected.collect::<Vec<_>>());
    }
    assert!(store.read_all(u64::MAX, 5).await.unwrap().is_empty());
    assert!(store.read_all(0, 0).await.unwrap().is_empty());
}

pub(crate) async fn tails_while_appending<M: Maker>(maker: M) {
    const SUBJECTS: u128 = 8;
    const EACH: u64 = 40;
    let store = Arc::new(maker.open().unwrap());
    let mut appenders = JoinSet::new();
    for id in 0..SUBJECTS {
        let store = store.clone();
        appenders.spawn(async move {
            for seq in 1..=EACH {
                store.append(player(id), small(seq, "x")).await.unwrap();
            }
        });
    }
    let mut newest = store.newest();
    let (mut offset, mut last) = (0, HashMap::new());
    while last.values().sum::<u64>() < EACH * SUBJECTS as u64 {
        let announced = *within(newest.wait_for(|newest| *newest > offset))
            .await
            .unwrap();
        while offset < announced {
            let page = store.read_all(offset, 7).await.unwrap();
            assert!(
                !page.is_empty(),
                "{announced} was announced, {offset} is read"
            );
            for one in page {
                assert!(one.offset > offset);
                offset = one.offset;
                let seq = last.entry(one.subject).or_insert(0);
                assert_eq!(one.entry.seq(), *seq + 1, "a gap, or one twice");
                *seq += 1;
            }
        }
    }
    while let Some(appender) = appenders.join_next().await {
        appender.unwrap();
    }
    assert_eq!(*store.newest().borrow(), offset);
}

pub(crate) async fn lets_one_appender_win<M: Maker>(maker: M) {
    const TASKS: u128 = 256;
    const SUBJECTS: u128 = 64;
    const SEQS: u64 = 20;
    let store = Arc::new(maker.open().unwrap());
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = store.clone();
        tasks.spawn(async move {
            let (subject, mark) = (player(task % SUBJECTS), format!("task {task}"));
            let mut won = Vec::new();
            for seq in 1..=SEQS {
                match store.append(subject, small(seq, &mark)).await {
                    Ok(()) => won.push((subject, seq, mark.clone())),
                    Err(AppendError::Conflict { last }) => assert!(last >= seq, "{last} {seq}"),
                    Err(AppendError::Store(error)) => panic!("{error}"),
                }
            }
            won
        });
    }
    let mut winners = HashMap::new();
    while let Some(won) = within(tasks.join_next()).await {
        for (subject, seq, mark) in won.unwrap() {
            let other = winners.insert((subject, seq), mark);
            assert_eq!(other, None, "two were told that theirs was appended");
        }
    }
    assert_eq!(winners.len() as u64, SUBJECTS as u64 * SEQS);
    for id in 0..SUBJECTS {
        let log = read_whole(&*store, player(id)).await;
        assert_eq!(log.len() as u64, SEQS);
        for (seq, entry) in (1..).zip(&log) {
            assert_eq!(entry.seq(), seq);
            assert_eq!(mark(entry), winners[&(player(id), seq)]);
        }
    }
}

/// Everything that a store can be asked, as lines.
async fn everything(store: &impl Store) -> Vec<String> {
    let mut lines = Vec::new();
    for one in store.read_all(0, u32::MAX).await.unwrap() {
        lines.push(format!(
            "{} {:?} {}",
            one.offset,
            one.subject,
            told(&one.entry)
        ));
    }
    let filter = mancala::store::GameFilter::default();
    for summary in store.list_games(filter, None, 1_000).await.unwrap() {
        let (id, seats) = (summary.created.game_id, summary.seats);
        lines.push(format!("{id} {seats:?} {:?}", summary.state));
    }
    lines.push(format!("newest {}", *store.newest().borrow()));
    lines
}

pub(crate) async fn reopens_with_all<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let logs = game_logs();
    for (subject, log) in &logs {
        append_all(&store, *subject, log).await;
    }
    let before = everything(&store).await;
    drop(store);
    let store = maker.open().unwrap();
    assert_eq!(everything(&store).await, before);
    let (subject, log) = &logs[0];
    let last = log.len() as u64;
    let again = log[log.len() - 1].clone();
    assert_eq!(conflict(store.append(*subject, again).await), last);
    append_all(&store, player(9), &[small(1, "after")]).await;
    let after = everything(&store).await;
    assert_eq!(after.len(), before.len() + 1);
}

pub(crate) async fn survives_crashes<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let mut copies = Vec::new();
    for (subject, log) in game_logs() {
        append_all(&store, subject, &log).await;
        // Acknowledged, so it is there whatever happens now.
        copies.push((maker.crashed(), everything(&store).await));
    }
    for (copy, expected) in copies {
        let store = copy.open().unwrap();
        assert_eq!(everything(&store).await, expected);
        append_all(&store, player(9), &[small(1, "after")]).await;
    }
}

pub(crate) async fn gives_the_newest_of_a_subject<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    for subject in [game(1), player(1), Subject::System] {
        assert!(store.last(subject).await.unwrap().is_none());
    }
    let (subject, log) = game_logs().swap_remove(0);
    let players: Vec<_> = (1..=3).map(|seq| small(seq, "x")).collect();
    for (subject, log) in [
        (subject, log),
        (player(1), players),
        (Subject::System, signs()),
    ] {
        for entry in log {
            append_all(&store, subject, std::slice::from_ref(&entry)).await;
            let newest = store.last(subject).await.unwrap();
            assert_same(newest.as_slice(), &[entry]);
        }
    }
    assert!(store.last(player(2)).await.unwrap().is_none());
}

/// Signs of life, two of which end outages.
fn signs() -> Vec<Entry> {
    let times = [5_000, 10_000, 90_000, 95_000, 200_000, 205_000];
    let (mut outages, mut newest, mut log) = (Outages::default(), None, Vec::new());
    for time in times {
        let sign = SystemRecord::next(newest, Time(time), &outages);
        outages.follow(&sign);
        newest = Some(sign);
        log.push(Entry::System(sign));
    }
    let ends = |entry: &&Entry| matches!(entry, Entry::System(sign) if sign.outage_from.is_some());
    assert_eq!(log.iter().filter(ends).count(), 2);
    log
}

pub(crate) async fn keeps_signs_of_life<M: Maker>(maker: M) {
    let (store, signs) = (maker.open().unwrap(), signs());
    append_all(&store, Subject::System, &signs).await;
    assert_same(&read_whole(&store, Subject::System).await, &signs);
    assert_same(
        &store.read(Subject::System, 2, 2).await.unwrap(),
        &signs[2..4],
    );
    let again = store.append(Subject::System, signs[3].clone()).await;
    assert_eq!(conflict(again), signs.len() as u64);
    let all = store.read_all(0, 100).await.unwrap();
    assert!(all.iter().all(|one| one.subject == Subject::System));
    assert_eq!(all.len(), signs.len());
    drop(store);
    let store = maker.open().unwrap();
    assert_same(&read_whole(&store, Subject::System).await, &signs);
}

pub(crate) async fn keeps_its_identity<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let identity = store.identity();
    append_all(&store, player(1), &[small(1, "x")]).await;
    assert_eq!(store.identity(), identity);
    drop(store);
    assert_eq!(maker.crashed().open().unwrap().identity(), identity);
    assert_eq!(maker.open().unwrap().identity(), identity);
}
