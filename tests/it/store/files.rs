//! What SQLite's file can go through: two owners, newer and older versions, and unknown entries.

use mancala::{
    game::Event,
    grpc::Tokens,
    store::{AppendError, Entry, GameFilter, Log as _, Projection as _, Sqlite, StoreError},
};

use super::{
    entries::{append_all, assert_same, game, logs, player, read_whole, small},
    listing::{self, World, every_filter},
    makers::{Maker as _, SqliteMaker},
};
use crate::support::table::{ALICE, BOB};

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
fn every_file_has_an_identity_of_its_own() {
    let identity = || SqliteMaker::new().open().unwrap().identity();
    assert_ne!(identity(), identity());
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
        "INSERT INTO log (subject, seq, time, body) SELECT subject, 3, 0, ? FROM log WHERE seq = 2",
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

/// What a store lists, by every filter.
async fn lists(store: &Sqlite) -> Vec<String> {
    let mut lines = Vec::new();
    for filter in every_filter() {
        lines.push(format!("{filter:?}"));
        let listed = store.list_games(filter, None, 1_000).await.unwrap();
        lines.extend(listed.iter().map(listing::told));
    }
    let unfinished = store.unfinished_games(None, 1_000).await.unwrap();
    lines.extend(unfinished.iter().map(listing::told));
    for player in [ALICE, BOB] {
        let changes = store.changes_of(player, 0, 10_000).await.unwrap();
        lines.push(format!("{:?}", changes.map(|changes| changes.len())));
    }
    lines
}

#[tokio::test]
async fn a_projection_of_another_version_is_made_anew() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    let world = World::fill(&store, 80).await;
    let before = lists(&store).await;
    assert!(before.len() > 10 * world.games.len());
    drop(store);
    for spoil in [
        "UPDATE projection_version SET version = 0",
        "UPDATE projection_version SET version = version + 1;
         DELETE FROM listed WHERE game % 3 = 0; INSERT INTO listed VALUES (1, 0, 0, '', 0, 9999);
         UPDATE games SET south = NULL, status = 9",
        "UPDATE projection_version SET version = 1; DROP TABLE listed; DROP TABLE games",
    ] {
        maker.database().execute_batch(spoil).unwrap();
        let store = maker.open().unwrap();
        assert!(lists(&store).await == before, "after {spoil}");
    }
}

#[tokio::test]
async fn lists_are_not_made_anew_at_every_start() {
    let maker = SqliteMaker::new();
    World::fill(&maker.open().unwrap(), 10).await;
    let spoil = "DELETE FROM listed";
    maker.database().execute_batch(spoil).unwrap();
    let store = maker.open().unwrap();
    let list = store.list_games(GameFilter::default(), None, 100).await;
    assert!(list.unwrap().is_empty());
}

#[tokio::test]
async fn a_game_whose_listing_failed_can_be_appended_again() {
    let maker = SqliteMaker::new();
    let store = maker.open().unwrap();
    let database = maker.database();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON listed WHEN NEW.player > 0
                  BEGIN SELECT raise(ABORT, 'no'); END";
    database.execute_batch(refuse).unwrap();
    let (log, filter) = (&logs()[0], GameFilter::default());
    let failed = store.append(game(7), log[0].clone()).await;
    assert!(matches!(
        failed,
        Err(AppendError::Store(StoreError::NotWritten))
    ));
    assert!(read_whole(&store, game(7)).await.is_empty());
    let list = store.list_games(filter.clone(), None, 9).await.unwrap();
    assert!(list.is_empty());
    database.execute_batch("DROP TRIGGER refuse").unwrap();
    append_all(&store, game(7), log).await;
    for player in [ALICE, BOB] {
        let own = GameFilter {
            player: Some(player),
            ..filter.clone()
        };
        assert_eq!(store.list_games(own, None, 9).await.unwrap().len(), 1);
    }
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
