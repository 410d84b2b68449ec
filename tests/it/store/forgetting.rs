//! That nothing of what a subject forgets is read, or left on the disk.

use mancala::store::{AppendError, Entry, Log as _, Store, StoreError, codec};
use rusqlite::{Connection, params};

use super::{
    entries::{append_all, assert_same, conflict, deletion, game, logs, player, read_whole, small},
    makers::{Maker, SqliteMaker},
};
use crate::support::{
    folder::{forgets, holds},
    within,
};

/// What all names in these tests begin with.
const NAME: &str = "Zwölfboxkämpfer";

fn registration(id: u128) -> Entry {
    small(1, &format!("{NAME} {id}"))
}

/// Asserts what is left of two players, of whom one was deleted and then told of once more.
async fn assert_forgotten(store: &impl Store) {
    let (kept, left) = (
        [small(1, "kept"), small(2, "kept too")],
        [deletion(3), small(4, "after")],
    );
    assert_same(&read_whole(store, player(1)).await, &left);
    assert_same(&store.read(player(1), 0, 1).await.unwrap(), &left[..1]);
    assert_same(&store.read(player(1), 3, 9).await.unwrap(), &left[1..]);
    assert_same(&read_whole(store, player(2)).await, &kept);
    let last = store.last(player(1)).await.unwrap();
    assert_same(last.as_slice(), &left[1..]);
    let all = store.read_all(0, 9).await.unwrap();
    let [kept_1, kept_2] = kept;
    let [left_1, left_2] = left;
    let found: Vec<_> = all.into_iter().map(|one| one.entry).collect();
    assert_same(&found, &[kept_1, kept_2, left_1, left_2]);
    let page = store.read_all(0, 1).await.unwrap();
    assert_eq!(page[0].subject, player(2), "a page is no shorter for it");
    assert_eq!(conflict(store.append(player(1), small(1, "no")).await), 4);
}

pub(crate) async fn forgets_what_was_before<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    append_all(&store, player(1), &[small(1, "a"), small(2, "b")]).await;
    append_all(&store, player(2), &[small(1, "kept")]).await;
    append_all(&store, player(2), &[small(2, "kept too")]).await;
    append_all(&store, player(1), &[deletion(3)]).await;
    assert_same(&read_whole(&store, player(1)).await, &[deletion(3)]);
    append_all(&store, player(1), &[small(4, "after")]).await;
    assert_forgotten(&store).await;
    drop(store);
    assert_forgotten(&maker.open().unwrap()).await;
}

#[tokio::test]
async fn a_projection_is_made_anew_without_what_was_forgotten() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    append_all(&store, player(1), &[small(1, "a"), small(2, "b")]).await;
    append_all(&store, player(2), &[small(1, "kept"), small(2, "kept too")]).await;
    append_all(&store, player(1), &[deletion(3), small(4, "after")]).await;
    drop(store);
    let spoil = "UPDATE projection_version SET version = 0";
    maker.database().execute_batch(spoil).unwrap();
    assert_forgotten(&maker.open().unwrap()).await;
}

#[tokio::test]
async fn no_name_of_many_is_left() {
    const PLAYERS: u128 = 200;
    let (maker, games) = (SqliteMaker::new(), logs());
    let (store, folder) = (maker.open().unwrap(), maker.folder.path());
    for id in 0..PLAYERS {
        let log = &games[id as usize % games.len()];
        append_all(&store, player(id), &[registration(id)]).await;
        append_all(&store, game(id), &log[..2]).await;
        let renamed = small(2, &format!("{NAME} the other, who was {id}"));
        append_all(&store, player(id), &[renamed]).await;
    }
    assert!(holds(folder, NAME.as_bytes()), "they are there at first");
    // Half of them one after the other, half of them at once.
    for id in 0..PLAYERS / 2 {
        append_all(&store, player(id), &[deletion(3)]).await;
    }
    let rest = (PLAYERS / 2..PLAYERS).map(|id| store.append(player(id), deletion(3)));
    for answer in futures_util::future::join_all(rest).await {
        answer.unwrap();
    }
    drop(store);
    assert!(!holds(folder, NAME.as_bytes()), "when it is closed");
    let store = maker.open().unwrap();
    assert!(!holds(folder, NAME.as_bytes()), "when it is open again");
    for id in 0..PLAYERS {
        assert_same(&read_whole(&store, player(id)).await, &[deletion(3)]);
        assert_eq!(read_whole(&store, game(id)).await.len(), 2);
    }
}

/// Keeps the write-ahead log as it is for as long as it is there.
fn long_question(maker: &SqliteMaker) -> Connection {
    let database = maker.database();
    let begin = "BEGIN; SELECT count(*) FROM log";
    database.execute_batch(begin).unwrap();
    database
}

#[tokio::test]
async fn a_crash_before_the_write_ahead_log_is_emptied_leaves_no_name() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    append_all(&store, player(1), &[registration(1)]).await;
    let question = long_question(&maker);
    append_all(&store, player(1), &[deletion(2)]).await;
    let copy = maker.crashed();
    drop(question);
    assert!(holds(copy.folder.path(), NAME.as_bytes()));
    let store = copy.open().unwrap();
    assert!(!holds(copy.folder.path(), NAME.as_bytes()));
    assert_same(&read_whole(&store, player(1)).await, &[deletion(2)]);
}

#[tokio::test]
async fn a_long_question_delays_forgetting_and_no_append() {
    // So many that waiting for the question each time would take minutes.
    const PLAYERS: u128 = 100;
    let maker = SqliteMaker::new();
    let (store, folder) = (maker.open().unwrap(), maker.folder.path());
    let question = long_question(&maker);
    let appends = async {
        for id in 0..PLAYERS {
            append_all(&store, player(id), &[registration(id), deletion(2)]).await;
        }
    };
    within(appends).await;
    assert!(holds(folder, NAME.as_bytes()));
    drop(question);
    forgets(folder, NAME.as_bytes()).await;
}

#[tokio::test]
async fn a_deletion_that_fails_forgets_nothing() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    append_all(&store, player(1), &[registration(1)]).await;
    let database = maker.database();
    let refuse =
        "CREATE TRIGGER refuse BEFORE UPDATE ON subjects BEGIN SELECT raise(ABORT, 'no'); END";
    database.execute_batch(refuse).unwrap();
    let failed = store.append(player(1), deletion(2)).await;
    let not_written = AppendError::Store(StoreError::NotWritten);
    assert_eq!(
        format!("{failed:?}"),
        format!("{:?}", Err::<(), _>(not_written))
    );
    assert_same(&read_whole(&store, player(1)).await, &[registration(1)]);
    database.execute_batch("DROP TRIGGER refuse").unwrap();
    append_all(&store, player(1), &[deletion(2)]).await;
    drop((store, database));
    assert!(!holds(maker.folder.path(), NAME.as_bytes()));
}

/// Versions before the third left copies of names behind when the log outgrew its first page.
#[tokio::test]
async fn a_name_that_an_older_version_wrote_is_forgotten() {
    const PLAYERS: u128 = 200;
    let maker = SqliteMaker::new();
    drop(maker.open().unwrap());
    let database = maker.database();
    let older = "PRAGMA secure_delete = OFF;
                 ALTER TABLE subjects DROP COLUMN forgotten;
                 PRAGMA user_version = 2";
    database.execute_batch(older).unwrap();
    for id in 0..PLAYERS {
        let mut name = [b'p'; 17];
        name[1..].copy_from_slice(&id.to_be_bytes());
        let subject = "INSERT INTO subjects (name) VALUES (?)";
        database.execute(subject, [name]).unwrap();
        let (number, body) = (
            database.last_insert_rowid(),
            codec::encode(&registration(id)),
        );
        let entry = "INSERT INTO log (subject, seq, time, body) VALUES (?, 1, 1, ?)";
        database.execute(entry, params![number, body]).unwrap();
    }
    drop(database);
    let store = maker.open().unwrap();
    for id in 0..PLAYERS {
        assert_same(&read_whole(&store, player(id)).await, &[registration(id)]);
        append_all(&store, player(id), &[deletion(2)]).await;
    }
    drop(store);
    assert!(!holds(maker.folder.path(), NAME.as_bytes()));
}
