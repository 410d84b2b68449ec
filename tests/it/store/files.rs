//! What SQLite's file can go through: two owners, newer and older versions, and unknown entries.

use mancala::{
    game::Event,
    grpc::Tokens,
    store::{AppendError, Entry, GameFilter, Log as _, Projection as _, Sqlite, StoreError},
};

use super::{
    entries::{append_all, assert_same, game, logs, player, read_whole, small},
    makers::{Maker as _, SqliteMaker},
};

#[tokio::test]
async fn a_second_owner_of_the_folder_is_refused() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    assert!(matches!(maker.open(), Err(StoreError::Locked)));
    append_all(&store, player(1), &[small(1, "still works")]).await;
    drop(store);
    maker.open().unwrap();
}

#[test]
fn a_folder_is_made_and_a_file_is_none() {
    let maker = SqliteMaker::new();
    let below = maker.folder.path().join("a/b");
    drop(Sqlite::open(&below).unwrap());
    assert!(below.join("mancala.sqlite3").exists());
    let file = maker.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(Sqlite::open(&file), Err(StoreError::Folder(_))));
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let maker = SqliteMaker::new();
    drop(maker.open().unwrap());
    let set = |version: i64| {
        let database = maker.database();
        database
            .pragma_update(None, "user_version", version)
            .unwrap();
    };
    let get = || -> i64 {
        let database = maker.database();
        database
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    };
    let known = get();
    set(1_000);
    let Err(StoreError::NewerSchema { found, known: told }) = maker.open() else {
        panic!("a newer schema")
    };
    assert_eq!((found, told, get()), (1_000, known, 1_000));
    set(known);
    maker.open().unwrap();
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let maker = SqliteMaker::new();
    let path = maker.folder.path().join("mancala.sqlite3");
    std::fs::write(&path, "this is not what a database begins with".repeat(100)).unwrap();
    assert!(matches!(maker.open(), Err(StoreError::Database(_))));
}

/// Puts an entry into the log of a game that has two, past the store.
fn insert(maker: &SqliteMaker, body: &[u8]) {
    let changed = maker.database().execute(
        "INSERT INTO log (subject, seq, time, body) SELECT max(id), 3, 0, ? FROM subjects",
        [body],
    );
    assert_eq!(changed, Ok(1));
}

#[tokio::test]
async fn an_entry_that_is_not_understood_fails_every_read_of_it() {
    // An event that this version doesn't know: field 4,000. Then bytes that are no message.
    let unknown = [0x82, 0xfa, 0x01, 0x00];
    let garbage = [0xff; 9];
    for body in [&unknown[..], &garbage] {
        let maker = SqliteMaker::new();
        let log = &logs()[1][..2];
        let store = maker.open().unwrap();
        append_all(&store, player(1), &[small(1, "before")]).await;
        append_all(&store, game(7), log).await;
        insert(&maker, body);
        let entry = |error| matches!(error, StoreError::Entry(_));
        assert!(entry(store.read(game(7), 0, 10).await.unwrap_err()));
        assert!(entry(store.read(game(7), 2, 10).await.unwrap_err()));
        assert!(entry(store.read_all(0, 10).await.unwrap_err()));
        assert_same(&store.read(game(7), 0, 2).await.unwrap(), log);
        assert_same(&read_whole(&store, player(1)).await, &[small(1, "before")]);
        let list = store.list_games(GameFilter::default(), None, 10).await;
        assert!(entry(list.unwrap_err()));
    }
}

#[tokio::test]
async fn a_subject_of_an_unknown_kind_fails_the_read_of_all() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    append_all(&store, player(1), &[small(1, "x")]).await;
    let database = maker.database();
    let renamed = database.execute(
        "UPDATE subjects SET name = CAST('z' || substr(hex(name), 1, 16) AS BLOB)",
        [],
    );
    assert_eq!(renamed, Ok(1));
    let read = store.read_all(0, 10).await;
    assert!(matches!(read, Err(StoreError::Entry(_))));
}

#[tokio::test]
async fn a_projection_of_another_version_is_made_anew() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    let logs = logs();
    for (id, log) in (0..).zip(&logs) {
        append_all(&store, game(id), log).await;
    }
    drop(store);
    let dump = || -> Vec<String> {
        let database = maker.database();
        let mut lines = Vec::new();
        for table in ["games", "seats"] {
            let mut rows = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let columns = rows.column_count();
            let mut rows = rows.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let cells = (0..columns).map(|column| format!("{:?}", row.get_ref(column)));
                lines.push(cells.collect::<Vec<_>>().join(" "));
            }
        }
        lines
    };
    let before = dump();
    assert_eq!(before.len(), logs.len() + 2 * logs.len());
    let database = maker.database();
    let spoil = "DELETE FROM seats; UPDATE games SET status = 9;
                 UPDATE projection_version SET version = version + 1;";
    database.execute_batch(spoil).unwrap();
    drop(database);
    assert_ne!(dump(), before);
    drop(maker.open().unwrap());
    assert_eq!(dump(), before);
}

#[tokio::test]
async fn a_failed_transaction_fails_its_appends_and_the_next_succeeds() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    append_all(&store, player(1), &[small(1, "a")]).await;
    let database = maker.database();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON log BEGIN SELECT raise(ABORT, 'no'); END";
    database.execute_batch(refuse).unwrap();
    for (subject, seq) in [(player(1), 2), (player(2), 1)] {
        let failed = store.append(subject, small(seq, "b")).await;
        assert!(matches!(
            failed,
            Err(AppendError::Store(StoreError::NotWritten))
        ));
    }
    database.execute_batch("DROP TRIGGER refuse").unwrap();
    append_all(&store, player(1), &[small(2, "c")]).await;
    append_all(&store, player(2), &[small(1, "d")]).await;
    assert_same(
        &read_whole(&store, player(1)).await,
        &[small(1, "a"), small(2, "c")],
    );
}

#[tokio::test]
async fn what_shared_a_failed_transaction_can_be_appended_again() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    let database = maker.database();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON log WHEN NEW.seq = 2
                  BEGIN SELECT raise(ABORT, 'no'); END; BEGIN IMMEDIATE";
    append_all(&store, player(0), &[small(1, "before")]).await;
    database.execute_batch(refuse).unwrap();
    // While the database is locked all of these gather; the last spoils what is written with it.
    let good = (1..200).map(|id| store.append(player(id), small(1, "good")));
    let good = futures_util::future::join_all(good);
    let bad = store.append(player(0), small(2, "bad"));
    let unlock = async { database.execute_batch("COMMIT").unwrap() };
    let (good, bad, ()) = tokio::join!(good, bad, unlock);
    assert!(matches!(
        bad,
        Err(AppendError::Store(StoreError::NotWritten))
    ));
    let failed = good.iter().filter(|answer| answer.is_err()).count();
    assert!(failed > 0, "nothing was written together with the bad one");
    for (id, answer) in (1..).zip(&good) {
        if answer.is_err() {
            assert!(read_whole(&store, player(id)).await.is_empty());
            append_all(&store, player(id), &[small(1, "good")]).await;
        }
        assert_same(&read_whole(&store, player(id)).await, &[small(1, "good")]);
    }
}

#[test]
fn a_token_key_that_others_may_read_is_refused() {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    assert!(Tokens::open(folder.path()).is_ok());
    let key = folder.path().join("token.key");
    let mode = fs::metadata(&key).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let refused = Tokens::open(folder.path());
    assert!(matches!(
        refused,
        Err(mancala::grpc::KeyError::Exposed { .. })
    ));
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&key, "short").unwrap();
    let refused = Tokens::open(folder.path());
    assert!(matches!(
        refused,
        Err(mancala::grpc::KeyError::Damaged { .. })
    ));
}

/// Logs of versions that knew no choice of seeds say nothing of them: then it is the definition's number.
#[tokio::test]
async fn a_log_that_says_nothing_of_seeds_is_read() {
    let maker = SqliteMaker::new();
    // The game's id is its subject's.
    let log = logs().swap_remove(0);
    let store = maker.open().unwrap();
    append_all(&store, game(7), &log[..1]).await;
    drop(store);
    let database = maker.database();
    let body: Vec<u8> = database
        .query_row("SELECT body FROM log", [], |row| row.get(0))
        .unwrap();
    let Entry::Game(record) = &log[0] else {
        panic!("a game")
    };
    let Event::Created(created) = &record.event else {
        panic!("its creation")
    };
    // Field 12 as a number; 0 is what a field that isn't there is read as.
    let said = [12 << 3, created.seeds];
    let places: Vec<usize> = (0..body.len() - 1)
        .filter(|place| body[*place..].starts_with(&said))
        .collect();
    let &[place] = places.as_slice() else {
        panic!("it is said once: {places:?}")
    };
    let mut older = body;
    older[place + 1] = 0;
    database
        .execute("UPDATE log SET body = ?1", [older])
        .unwrap();
    drop(database);
    assert_same(
        &read_whole(&maker.open().unwrap(), game(7)).await,
        &log[..1],
    );
}
