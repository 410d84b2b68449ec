//! Logs that were written before there were clocks.

use mancala::{
    game::{Clocks, Status, TimeControl},
    store::{Entry, Log as _},
};

use super::{
    entries::{append_all, game, logs, read_whole},
    makers::{Maker as _, SqliteMaker},
};

/// The number of `clocks` in an entry of a game.
const CLOCKS_FIELD: u64 = 16;

/// A message without one of its fields.
fn without(field: u64, message: &[u8]) -> Vec<u8> {
    let (mut rest, mut kept) = (message, Vec::new());
    while !rest.is_empty() {
        let whole = rest;
        let tag = varint(&mut rest);
        match tag & 7 {
            0 => drop(varint(&mut rest)),
            2 => {
                let length = usize::try_from(varint(&mut rest)).unwrap();
                rest = &rest[length..];
            }
            kind => panic!("a field of kind {kind}"),
        }
        if tag >> 3 != field {
            kept.extend(&whole[..whole.len() - rest.len()]);
        }
    }
    kept
}

fn varint(rest: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (byte, after) = rest.split_first().unwrap();
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return value;
        }
    }
}

#[tokio::test]
async fn an_entry_without_clocks_has_the_default() {
    let maker = SqliteMaker::new();
    // The series, which ends with a resignation: somebody is to move at its end.
    let log = logs().pop().unwrap();
    append_all(&maker.open().unwrap(), game(7), &log).await;
    let database = maker.database();
    let bodies: Vec<(i64, Vec<u8>)> = {
        let mut all = database.prepare("SELECT seq, body FROM log").unwrap();
        let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    for (seq, body) in bodies {
        let older = without(CLOCKS_FIELD, &body);
        assert!(older.len() < body.len(), "it had clocks");
        let changed = database.execute("UPDATE log SET body = ?1 WHERE seq = ?2", (older, seq));
        assert_eq!(changed, Ok(1));
    }
    drop(database);
    let store = maker.open().unwrap();
    let read = read_whole(&store, game(7)).await;
    assert_eq!(read.len(), log.len());
    for entry in &read {
        let Entry::Game(record) = entry else {
            panic!("a game's")
        };
        let (state, time) = (&record.state, record.time);
        let to_move = state.position.to_move();
        assert_eq!(
            state.clocks,
            Clocks::of_old_entry(state.status, to_move, time)
        );
        let runs = to_move.filter(|_| state.status == Status::Active);
        assert_eq!(state.clocks.running, runs);
        let TimeControl::PerMove(week) = TimeControl::default() else {
            panic!("time a move")
        };
        assert_eq!(
            (state.clocks.left.south, state.clocks.left.north),
            (week, week)
        );
    }
    let Some(Entry::Game(last)) = store.last(game(7)).await.unwrap() else {
        panic!("a game's")
    };
    assert!(last.state.position.to_move().is_some() && last.state.clocks.running.is_none());
}
