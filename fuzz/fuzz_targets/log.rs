//! Bytes of stored entries: whose they are, then each entry after its length in two bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mancala::{
    game::{Game, GameId, Player, PlayerId, PlayerRecord, Record, Time},
    store::{
        Entry, Subject,
        codec::{Codec, encode},
    },
};
use mancala_fuzz::memory::bounded;
use uuid::Uuid;

const GAME: GameId = GameId(Uuid::from_u128(1));
const PLAYER: PlayerId = PlayerId(Uuid::from_u128(2));

fuzz_target!(|data: &[u8]| {
    if let Some((kind, rest)) = data.split_first() {
        let subject = match kind {
            0 => Subject::Game(GAME),
            1 => Subject::Player(PLAYER),
            2 => Subject::Audit,
            _ => Subject::System,
        };
        bounded(|| check(subject, rest));
    }
});

/// What is decoded is encoded and decoded as the same, and folding it gives a state or an error.
fn check(subject: Subject, mut rest: &[u8]) {
    let codec = Codec::default();
    let (mut games, mut players) = (Vec::<Record>::new(), Vec::<PlayerRecord>::new());
    for seq in 1_u16.. {
        let Some((length, tail)) = rest.split_first_chunk() else {
            break;
        };
        let length = usize::from(u16::from_be_bytes(*length)).min(tail.len());
        let (body, tail) = tail.split_at(length);
        rest = tail;
        let time = Time(seq.into());
        let decode = |body: &[u8]| codec.decode(subject, seq.into(), time, body);
        let Ok(entry) = decode(body) else {
            break;
        };
        let canonical = encode(&entry);
        let again = decode(&canonical).expect("an entry that was encoded can be decoded");
        assert_eq!(encode(&again), canonical);
        match entry {
            Entry::Game(record) => games.push(record),
            Entry::Player(record) => players.push(record),
            Entry::System(_) | Entry::Audit(_) => {}
        }
    }
    if let Ok(game) = Game::replay(&games) {
        assert_eq!(game.seq(), games.len() as u64);
        // Every move that stands is in a round.
        assert_eq!(game.moves().count(), game.plies());
    }
    let _ = Player::replay(PLAYER, &players);
}
