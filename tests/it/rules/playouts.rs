//! Rounds at random: those that the rules play, move by move, with the same draws.

use mancala::{
    rules::{
        BlockReason, HoleSet, Position, Reason, Remainder, Repetition, RoundEnd, Rules, Side,
        Winner,
    },
    search::playout,
};
use proptest::prelude::*;
use rand::{SeedableRng as _, rngs::SmallRng};

use super::{
    At, CATALOG,
    properties::{boards, position, shipped},
    random::{draw, rule_set},
};

/// The draws that [`playout`] makes: six from each word.
struct Lot {
    rng: SmallRng,
    word: u64,
    left: u32,
}

impl Lot {
    fn new(seed: u64) -> Lot {
        let rng = SmallRng::seed_from_u64(seed);
        let (word, left) = (0, 0);
        Lot { rng, word, left }
    }

    fn below(&mut self, end: usize) -> usize {
        if self.left == 0 {
            (self.word, self.left) = (self.rng.next_u64(), 6);
        }
        self.left -= 1;
        let scaled = u128::from(self.word) * end as u128;
        self.word = scaled as u64;
        (scaled >> 64) as usize
    }

    /// Which of some holes, ascending: all as likely as each other.
    fn index(&mut self, holes: &[u8]) -> usize {
        match holes.last() {
            // Every number of up to six holes divides 60.
            Some(..6) => self.below(60) % holes.len(),
            _ => self.below(holes.len()),
        }
    }
}

/// Plays as [`playout`] does, by nothing but the public rules.
fn by_the_rules(rules: &Rules, from: &Position, lot: &mut Lot) -> (Option<RoundEnd>, u32) {
    let most_standings = match rules.definition().repetition {
        Repetition::ThirdStanding => 3,
        Repetition::SecondStanding => 2,
    };
    let (mut position, mut stood) = (*from, vec![*from]);
    for plies in 1..=MOST_PLIES {
        let Some(hole) = draw_hole(rules, &position, lot) else {
            return (None, plies - 1);
        };
        let played = rules.play(&position, hole.into()).unwrap();
        if played.round_end.is_some() {
            return (played.round_end, plies);
        }
        position = played.position;
        stood.push(position);
        if stood.iter().filter(|known| **known == position).count() == most_standings {
            let end = rules.end_by_count(&position, Reason::Repetition, &mut ());
            return (Some(end), plies);
        }
    }
    (None, MOST_PLIES)
}

const MOST_PLIES: u32 = 300;

/// A hole of those that may be played for what they hold; drawn again if what comes of it forbids it.
fn draw_hole(rules: &Rules, position: &Position, lot: &mut Lot) -> Option<u8> {
    let legal = rules.legal_moves(position);
    if legal.is_empty() {
        return None;
    }
    let free =
        position.unopened().is_empty() && position.swap().is_none() && position.closed().is_empty();
    let by_outcome = |(hole, reason)| match reason {
        BlockReason::SowingTooLong | BlockReason::DoesNotFeed | BlockReason::GrandSlam => {
            free.then_some(hole)
        }
        _ => None,
    };
    let mut candidates: Vec<u8> = legal.iter().collect();
    candidates.extend(rules.blocked_moves(position).filter_map(by_outcome));
    candidates.sort_unstable();
    loop {
        let hole = candidates.remove(lot.index(&candidates));
        if legal.contains(hole) {
            return Some(hole);
        }
    }
}

fn check(rules: &Rules, from: &Position, seed: u64) {
    let played = playout(rules, from, MOST_PLIES, &mut SmallRng::seed_from_u64(seed));
    let expected = by_the_rules(rules, from, &mut Lot::new(seed));
    let text = rules.text(from);
    assert_eq!((played.end, played.plies), expected, "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn playouts_of_shipped_variants_are_rounds_by_the_rules(seed in any::<u64>(), draw in draw()) {
        for (_, rules) in shipped() {
            check(rules, &rules.start(Side::North), seed);
            if let Some(position) = position(rules, &draw)? {
                check(rules, &position, seed);
            }
        }
    }

    #[test]
    fn playouts_of_random_rule_sets_are_rounds_by_the_rules(
        rule_set in rule_set(),
        seed in any::<u64>(),
        draw in draw(),
    ) {
        for rules in boards(&rule_set) {
            check(rules, &rules.start(Side::South), seed);
            check(rules, &rules.start(Side::South), !seed);
            if let Some(position) = position(rules, &draw)? {
                check(rules, &position, seed);
            }
        }
    }
}

#[test]
fn playouts_end_and_keep_all_seeds() {
    for (variant, rules) in shipped() {
        let mut rng = SmallRng::seed_from_u64(7);
        let mut winners = HoleSet::EMPTY;
        for _ in 0..100 {
            let played = playout(rules, &rules.start(Side::South), 10_000, &mut rng);
            let end = played.end.expect(variant);
            assert!(played.plies > 0 && end.position.to_move().is_none());
            let definition = rules.definition();
            if definition.winner == Winner::MoreSeeds && definition.remainder != Remainder::Stays {
                let all = u16::from(end.score.south) + u16::from(end.score.north);
                assert_eq!(all, u16::from(rules.total()), "{variant}");
            }
            let winner = end.winner.map_or(2, |side| side.index() as u8);
            winners = winners.iter().chain([winner]).collect();
        }
        // Chance lets either side win, but on the smallest boards.
        let small = rules.holes() < 3 || rules.seeds() < 2;
        assert!(
            small || winners.contains(0) && winners.contains(1),
            "{variant}"
        );
    }
}

#[test]
fn playouts_stop_at_the_plies_allowed() {
    let At { rules, position } = At::start("oware", 6);
    let mut rng = SmallRng::seed_from_u64(1);
    for most in [0, 1, 17] {
        let played = playout(&rules, &position, most, &mut rng);
        assert_eq!((played.end, played.plies), (None, most));
    }
}

#[test]
fn playouts_from_a_position_that_is_over_play_nothing() {
    let At { rules, position } = At::text("kalah", "0,0/0,0 9-7 -");
    let played = playout(&rules, &position, 10, &mut SmallRng::seed_from_u64(1));
    assert_eq!((played.end, played.plies), (None, 0));
}

/// A kernel that is compiled for a choice which its game has no more would never be taken.
#[test]
fn playouts_of_the_games_played_by_the_million_have_kernels_of_their_own() {
    for variant in [
        "adji-boto",
        "bosh",
        "en-dodoi",
        "kalah",
        "oware",
        "sadeqa-ii",
    ] {
        let holes = CATALOG.get(variant).unwrap().rule_set().definition().holes;
        assert!(
            At::start(variant, holes.default).rules.has_own_kernel(),
            "{variant}"
        );
    }
}
