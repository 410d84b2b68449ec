//! What holds in every position of every rule set: the shipped ones and random ones.

use mancala::{
    catalog::RuleSet,
    rules::{
        BlockReason, Destination, IllegalMove, Opening, Played, Position, PositionError, Rules,
        Side, Step, Swap,
    },
};
use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{TestCaseError, TestRunner},
};

use super::{
    CATALOG,
    random::{Draw, definition_text, draw, rule_set},
};
use crate::reference::{self, Count, State};

/// Every board of every shipped variant; where there is a choice of seeds, with the fewest, the usual
/// and the most, on the smallest, the usual and the widest board.
pub(super) fn shipped() -> impl Iterator<Item = (&'static str, &'static Rules)> {
    CATALOG.iter().flat_map(|variant| {
        let boards = boards(variant.rule_set());
        boards.map(|rules| (variant.id.as_str(), rules))
    })
}

pub(super) fn boards(rule_set: &RuleSet) -> impl Iterator<Item = &Rules> {
    let definition = rule_set.definition();
    let (range, choice) = (definition.holes, definition.seed_range());
    let mut seeds = vec![choice.min, definition.seeds, choice.max];
    seeds.dedup();
    let sizes = (range.min..=range.max).filter(move |holes| {
        choice.min == choice.max || [range.min, range.default, range.max].contains(holes)
    });
    sizes.flat_map(move |holes| {
        let rules = seeds.clone().into_iter();
        rules.map(move |seeds| &**rule_set.rules_with(holes, seeds).unwrap())
    })
}

type Checked = Result<(), TestCaseError>;

/// The position of a draw, if its side to move can move: nothing else may be wrong with it.
pub(super) fn position(rules: &Rules, draw: &Draw) -> Result<Option<Position>, TestCaseError> {
    let setup = draw.setup(rules);
    match rules.position(&setup) {
        Ok(position) => Ok(Some(position)),
        Err(PositionError::NoLegalMove | PositionError::Decided) => Ok(None),
        Err(error) => Err(TestCaseError::fail(format!("{setup:?}: {error}"))),
    }
}

/// Seeds on the board and in the stores.
fn seeds(position: &Position) -> u32 {
    let rows = Side::BOTH.into_iter().flat_map(|side| position.row(side));
    let stores = Side::BOTH.into_iter().map(|side| position.store(side));
    rows.chain(stores).map(u32::from).sum()
}

/// Everything that must hold of a position, and of each move in it.
fn check(rules: &Rules, position: &Position) -> Checked {
    let state = State::of(position);
    let legal = rules.legal_moves(position);
    let slow: Vec<u8> = reference::legal(rules.definition(), &state);
    prop_assert_eq!(legal.iter().collect::<Vec<_>>(), slow);
    prop_assert_eq!(legal.is_empty(), position.to_move().is_none());
    check_text(rules, position)?;

    let blocked: Vec<_> = rules.blocked_moves(position).collect();
    for hole in 0..=rules.holes() {
        let error = rules.check_move(position, hole.into()).err();
        prop_assert_eq!(error.is_none(), legal.contains(hole));
        prop_assert_eq!(rules.play(position, hole.into()).err(), error);
        let reason = blocked.iter().find(|(of, _)| *of == hole).map(|b| b.1);
        prop_assert_eq!(error_of(position, hole, reason), error);
        if legal.contains(hole) {
            check_move(rules, position, &state, hole)?;
        }
    }
    let no_such = rules.play(position, u32::from(rules.holes()) + 1);
    prop_assert!(no_such.is_err());
    Ok(())
}

/// The error that a hole's contents and its block give.
fn error_of(position: &Position, hole: u8, reason: Option<BlockReason>) -> Option<IllegalMove> {
    let Some(side) = position.to_move() else {
        return Some(IllegalMove::Over);
    };
    if hole == position.holes() {
        let (hole, last) = (hole.into(), hole - 1);
        let none = IllegalMove::NoSuchHole { hole, last };
        return (position.swap() != Some(side)).then_some(none);
    }
    let ring_index = position.ring_index(side, hole);
    if position.closed().contains(ring_index) {
        Some(IllegalMove::Closed)
    } else if position.seeds(ring_index) == 0 {
        Some(IllegalMove::Empty)
    } else {
        reason.map(IllegalMove::Blocked)
    }
}

/// What is printed is read again as the same position. Rounds beyond the limit only a game stops.
fn check_text(rules: &Rules, position: &Position) -> Checked {
    let limit = rules.definition().rounds.map_or(0, |rounds| rounds.limit);
    if position.round().unwrap_or(0) <= limit {
        let text = rules.text(position).to_string();
        prop_assert_eq!(rules.parse(&text), Ok(*position), "{}", text);
    }
    Ok(())
}

/// The fast move is the reference's in everything, and no seed is lost.
fn check_move(rules: &Rules, position: &Position, state: &State, hole: u8) -> Checked {
    let mut steps = Vec::new();
    let played = rules
        .play_recorded(position, hole.into(), &mut steps)
        .unwrap();
    prop_assert_eq!(rules.play(position, hole.into()), Ok(played));

    let mut slow_steps = Vec::new();
    let definition = rules.definition();
    let slow = reference::play(definition, state, hole.into(), Some(&mut slow_steps)).unwrap();
    prop_assert_eq!(slow.state, State::of(&played.position));
    prop_assert_eq!((slow.captured, slow.laps), (played.captured, played.laps));
    prop_assert_eq!(slow.passed, played.passed);
    let (round_end, end) = counts(&played);
    prop_assert_eq!((slow.round_end, slow.end), (round_end, end));
    let next_round = round_end.is_some() && end.is_none();
    if next_round {
        let position = played.position;
        prop_assert_eq!(steps.pop(), Some(Step::NewRound { position }));
    }
    prop_assert_eq!(slow_steps, steps);

    let removed = match definition.capture.to {
        Destination::Store => 0,
        Destination::Removed => u32::from(played.captured),
    };
    prop_assert_eq!(seeds(&played.position) + removed, seeds(position));
    prop_assert_eq!(played.end.is_some(), played.position.to_move().is_none());
    let none_left = rules.legal_moves(&played.position).is_empty();
    prop_assert_eq!(none_left, played.end.is_some());
    check_text(rules, &played.position)
}

fn counts(played: &Played) -> (Option<Count>, Option<Count>) {
    let round_end = played.round_end.map(|end| Count {
        winner: end.winner,
        reason: end.reason,
        score: [end.score.south, end.score.north],
    });
    let end = played.end.map(|end| Count {
        winner: end.winner,
        reason: end.reason,
        score: [end.score.south, end.score.north],
    });
    (round_end, end)
}

/// A random game from the start, checked at every ply.
fn check_game(rules: &Rules, choices: &[Index]) -> Checked {
    for first in Side::BOTH {
        let start = State::of(&rules.start(first));
        let (holes, seeds) = (rules.holes(), rules.seeds());
        let slow = State::start(rules.definition(), holes, seeds, first);
        prop_assert_eq!(start, slow);
    }
    let mut position = rules.start(Side::South);
    for choice in choices {
        check(rules, &position)?;
        let legal: Vec<u8> = rules.legal_moves(&position).iter().collect();
        if legal.is_empty() {
            break;
        }
        let hole = legal[choice.index(legal.len())];
        position = rules.play(&position, hole.into()).unwrap().position;
    }
    Ok(())
}

/// The same numbers of sequences, and divided they add up.
fn check_perft(rules: &Rules, position: &Position, depth: u32) -> Checked {
    let state = State::of(position);
    for depth in 0..=depth {
        let slow = reference::perft(rules.definition(), &state, depth);
        prop_assert_eq!(rules.perft(position, depth, u64::MAX), Ok(slow));
        if depth > 0 {
            let divided = rules.perft_divided(position, depth, u64::MAX);
            let divided: Vec<_> = divided.map(Result::unwrap).collect();
            let holes: Vec<u8> = divided.iter().map(|(hole, _)| *hole).collect();
            let legal: Vec<u8> = rules.legal_moves(position).iter().collect();
            prop_assert_eq!(holes, legal);
            prop_assert_eq!(divided.iter().map(|(_, count)| count).sum::<u64>(), slow);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn positions_of_shipped_variants_hold(draw in draw()) {
        for (_, rules) in shipped() {
            if let Some(position) = position(rules, &draw)? {
                check(rules, &position)?;
            }
        }
    }

    #[test]
    fn counts_of_shipped_variants_hold(draw in draw()) {
        for (_, rules) in shipped() {
            if let Some(position) = position(rules, &draw)? {
                check_perft(rules, &position, 2)?;
            }
        }
    }

    #[test]
    fn positions_of_random_rule_sets_hold(rule_set in rule_set(), draws in prop::collection::vec(draw(), 8)) {
        for rules in boards(&rule_set) {
            for draw in &draws {
                if let Some(position) = position(rules, draw)? {
                    check(rules, &position)?;
                }
            }
        }
    }

    #[test]
    fn games_of_random_rule_sets_hold(rule_set in rule_set(), choices in prop::collection::vec(any::<Index>(), 40)) {
        for rules in boards(&rule_set) {
            check_game(rules, &choices)?;
            check_perft(rules, &rules.start(Side::South), 2)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn games_of_shipped_variants_hold(choices in prop::collection::vec(any::<Index>(), 60)) {
        for (_, rules) in shipped() {
            check_game(rules, &choices)?;
        }
    }
}

/// Of what is drawn, enough can be played, with each mechanism among it, to say something.
#[test]
fn random_rule_sets_are_often_playable() {
    let mut runner = TestRunner::deterministic();
    let mut accepted = Vec::new();
    for _ in 0..1_000 {
        let text = definition_text().new_tree(&mut runner).unwrap().current();
        if let Ok(rule_set) = mancala::catalog::RuleSet::parse(&text) {
            let again = mancala::catalog::RuleSet::parse(rule_set.text()).unwrap();
            assert_eq!(again.definition(), rule_set.definition());
            assert_eq!(again.digest(), rule_set.digest());
            accepted.push(rule_set);
        }
    }
    assert!(accepted.len() >= 250, "only {}", accepted.len());
    for part in [
        "\"all-but-one\"",
        "\"every-hole\"",
        "\"rightmost-hole\"",
        "\"single\"",
        "\"relay\"",
        "\"relay-from-next\"",
        "\"passes\"",
        "\"opponent\"",
        "\"own-row\"",
        "\"removed\"",
        "\"next-run\"",
        "\"opposite\"",
        "\"beyond-empty\"",
        "\"either-row\"",
        "[rounds]",
        "[seeds-choice]",
        "origin = \"skipped\"",
        "store = \"sown\"",
        "\"last-in-store\"",
        "feeding = \"required\"",
        "\"after-first-turn\"",
        "majority = \"ends\"",
        "\"second-standing\"",
        "\"ends-with-empty-row\"",
        "remainder = \"blocked\"",
        "remainder = \"stays\"",
        "opposite-empty = \"last-seed\"",
        "\"run-back\"",
        "\"taken\"",
        "\"void\"",
        "\"forbidden\"",
        "\"spares-last\"",
        "\"spares-first\"",
        "\"rest-to-opponent\"",
    ] {
        let with = accepted.iter().filter(|set| set.text().contains(part));
        assert!(with.count() >= 3, "{part}");
    }
}

/// Draws are positions often, and wild ones are among them. Small boards are soon over.
#[test]
fn random_positions_are_often_playable() {
    let mut runner = TestRunner::deterministic();
    let usual = |rules: &Rules| {
        let definition = rules.definition();
        let usual = (definition.holes.default, definition.seeds);
        (rules.holes(), rules.seeds()) == usual
    };
    for (variant, rules) in shipped().filter(|(_, rules)| usual(rules)) {
        let definition = rules.definition();
        let draws = (0..500).map(|_| draw().new_tree(&mut runner).unwrap().current());
        let positions: Vec<_> = draws
            .filter_map(|draw| position(rules, &draw).unwrap())
            .collect();
        assert!(positions.len() >= 100, "{variant}: {}", positions.len());
        let heap = |position: &Position| {
            let mut rows = Side::BOTH.into_iter().flat_map(|side| position.row(side));
            rows.any(|seeds| seeds / 2 >= rules.total() / 3)
        };
        assert!(positions.iter().any(heap), "{variant}");
        let closed = positions
            .iter()
            .any(|position| !position.closed().is_empty());
        let closes = definition.rounds.is_some() && rules.holes() > 1;
        assert_eq!(closed, closes, "{variant}");
        let opening = positions
            .iter()
            .any(|position| !position.unopened().is_empty());
        assert_eq!(opening, definition.opening != Opening::Free, "{variant}");
        let swap = positions.iter().any(|position| position.swap().is_some());
        assert_eq!(swap, definition.swap != Swap::Never, "{variant}");
    }
}
