//! A game's text, as `ImportGame` is given it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mancala::{
    catalog::Catalog,
    game::{
        Event, Game, GameId, Importer, PlayerId, Record, Time, Transcript, TranscriptError,
        Visibility,
    },
    rules::BySide,
    store::{
        Entry, Subject,
        codec::{Codec, encode},
    },
};
use mancala_fuzz::memory::bounded;
use uuid::Uuid;

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::built_in);

const GAME: GameId = GameId(Uuid::from_u128(1));

const IMPORTER: Importer = Importer {
    player: PlayerId(Uuid::from_u128(2)),
    game_id: GAME,
    visibility: Visibility::Public,
};

fuzz_target!(init: LazyLock::force(&CATALOG), |data: &[u8]| {
    if let Ok(text) = str::from_utf8(data) {
        bounded(|| check(text));
    }
});

/// What is read is written in its canonical form, which is read as the same game, and so is what the store
/// keeps of it.
fn check(text: &str) {
    let record = match import(text) {
        Ok(record) => record,
        // Whoever sent it is shown why.
        Err(error) => return drop(error.to_string()),
    };
    let canonical = export(&record);
    let again = import(&canonical).expect("a text that was written can be read");
    assert_eq!(export(&again), canonical);
    assert_eq!(again.state, record.state);
    let (Event::Created(first), Event::Created(second)) = (&record.event, &again.event) else {
        panic!("an imported game is one event");
    };
    assert_eq!(second.imported, first.imported);
    let stored = encode(&Entry::Game(record));
    let subject = Subject::Game(GAME);
    match Codec::default().decode(subject, 1, Time(0), &stored) {
        Ok(Entry::Game(record)) => assert_eq!(export(&record), canonical),
        other => panic!("{other:?}"),
    }
}

fn import(text: &str) -> Result<Record, TranscriptError> {
    let game = Transcript::parse(text)?.replay(&CATALOG, IMPORTER)?;
    Ok(game.create(None, Time(0)))
}

fn export(record: &Record) -> String {
    let game = Game::replay(std::slice::from_ref(record)).expect("it is the log of a game");
    game.export(&BySide::from_fn(|_| String::new()))
}
