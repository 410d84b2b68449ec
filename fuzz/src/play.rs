//! Random play from a position, with everything checked that must hold of it.

use mancala::{
    rules::{Position, Rules, Side},
    search::playout,
};
use rand::{SeedableRng as _, rngs::SmallRng};

/// Plies of one walk.
pub const PLIES: u32 = 12;

/// Plies of a round at random.
const ROUND: u32 = 200;

/// Laps that one count may take: two plies of the longest sowings that are legal.
const LAPS: u64 = 2_000_000;

/// Walks from a position by moves that the bytes choose, and checks each position on the way.
///
/// # Panics
///
/// If something does not hold.
pub fn walk(rules: &Rules, from: &Position, choices: &[u8]) {
    check_counts(rules, from);
    let mut position = *from;
    let mut choice = choices
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    check_round(rules, from, choice);
    for _ in 0..PLIES {
        check(rules, &position);
        let legal: Vec<u8> = rules.legal_moves(&position).iter().collect();
        if legal.is_empty() {
            return;
        }
        let index = (choice >> 33) as usize % legal.len();
        choice = choice.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        position = rules
            .play(&position, legal[index].into())
            .expect("it is legal")
            .position;
    }
}

/// Checks one position: its text is read as itself, exactly its legal moves can be made, and none of them
/// loses a seed.
///
/// # Panics
///
/// If something does not hold.
pub fn check(rules: &Rules, position: &Position) {
    let legal = rules.legal_moves(position);
    assert_eq!(legal.is_empty(), position.to_move().is_none());
    assert_eq!(rules.perft(position, 1, LAPS), Ok(u64::from(legal.len())));
    let limit = rules.definition().rounds.map_or(0, |rounds| rounds.limit);
    // Rounds beyond the limit only a game stops.
    if position.round().unwrap_or(0) <= limit {
        let text = rules.text(position).to_string();
        assert_eq!(rules.parse(&text), Ok(*position), "{text}");
    }
    let total = u32::from(rules.total());
    let gone = total.checked_sub(seeds(position));
    let gone = gone.expect("there are no more seeds than at first");
    assert_eq!(gone, u32::from(rules.removed(position)));
    for hole in 0..=u32::from(rules.holes()) + 1 {
        let is_legal = u8::try_from(hole).is_ok_and(|hole| legal.contains(hole));
        assert_eq!(rules.check_move(position, hole).is_ok(), is_legal);
        match rules.play(position, hole) {
            Ok(played) => {
                assert!(is_legal, "{hole} was played");
                let after = seeds(&played.position);
                let captured = u32::from(played.captured);
                let before = seeds(position);
                assert!(after == before || after + captured == before, "seeds");
            }
            Err(_) => assert!(!is_legal, "{hole} could not be played"),
        }
    }
}

/// Checks that two plies are counted as they are played one by one: counting has its own way to make moves.
fn check_counts(rules: &Rules, position: &Position) {
    let after = |hole: u8| rules.play(position, hole.into()).expect("it is legal");
    let legal = rules.legal_moves(position);
    let replies = |hole| rules.legal_moves(&after(hole).position).len();
    let played: u32 = legal.iter().map(replies).sum();
    assert_eq!(rules.perft(position, 2, LAPS), Ok(u64::from(played)));
}

/// Checks that a round at random stays within its plies, and its score within the seeds that there are:
/// rounds have their own way to make moves too.
fn check_round(rules: &Rules, from: &Position, seed: u64) {
    if from.to_move().is_none() {
        return;
    }
    let round = playout(rules, from, ROUND, &mut SmallRng::seed_from_u64(seed));
    assert!(round.plies <= ROUND);
    if let Some(end) = round.end {
        assert!(u32::from(end.score.south) + u32::from(end.score.north) <= rules.total().into());
        assert!(seeds(&end.position) <= rules.total().into());
    }
}

/// Seeds on the board and in the stores.
fn seeds(position: &Position) -> u32 {
    let rows = Side::BOTH.into_iter().flat_map(|side| position.row(side));
    let stores = Side::BOTH.into_iter().map(|side| position.store(side));
    rows.chain(stores).map(u32::from).sum()
}
