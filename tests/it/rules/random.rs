//! Random rule sets, and random positions of any rule set.

use mancala::{
    catalog::RuleSet,
    rules::{BySide, Definition, HoleSet, Opening, Rules, Setup, Side, Swap},
};
use proptest::{collection::vec, prelude::*, sample::select};

/// The text of a definition that picks any value of each mechanism. Many make no sense together.
pub(super) fn definition_text() -> impl Strategy<Value = String> {
    let choice = prop_oneof![3 => Just(None), 1 => (0..=3_u8, 0..=3_u8).prop_map(Some)];
    let board = (1..=10_u8, 0..=2_u8, 1..=12_u8, choice);
    let mechanisms = (
        select(vec!["all", "all", "all-but-one"]),
        select(vec!["free", "free", "every-hole", "rightmost-hole"]),
        prop_oneof![
            3 => Just(("ends", "opponent", "more-seeds", "store")),
            3 => Just(("passes", "own-row", "more-seeds", "store")),
            3 => (
                Just("ends-with-empty-row"),
                select(vec!["own-row", "opponent", "blocked", "stays"]),
                Just("more-seeds"),
                Just("store"),
            ),
            3 => Just(("ends", "stays", "last-able-to-move", "removed")),
            2 => (
                select(vec!["passes", "ends", "ends-with-empty-row"]),
                select(vec!["own-row", "opponent", "blocked", "stays"]),
                select(vec!["more-seeds", "last-able-to-move"]),
                select(vec!["store", "removed"]),
            ),
        ],
    );
    let run = || {
        vec(1..8_u8, 1..4).prop_map(|mut sizes| {
            sizes.sort();
            sizes.dedup();
            format!("kind = \"next-run\"\nsizes = {sizes:?}\n")
        })
    };
    let opposite = || {
        let landing = select(vec!["own-row", "either-row"]);
        let last = select(vec!["captured", "stays"]);
        (landing, last, any::<bool>()).prop_map(|(landing, last, alone)| {
            let empty = match alone && last == "captured" {
                true => "opposite-empty = \"last-seed\"\n",
                false => "",
            };
            format!("kind = \"opposite\"\nlanding = \"{landing}\"\nlast-seed = \"{last}\"\n{empty}")
        })
    };
    let back = || {
        let slams = [
            "taken",
            "void",
            "forbidden",
            "spares-last",
            "spares-first",
            "rest-to-opponent",
        ];
        (vec(1..6_u8, 1..4), select(slams.to_vec())).prop_map(|(mut sizes, slam)| {
            sizes.sort();
            sizes.dedup();
            format!("kind = \"run-back\"\nsizes = {sizes:?}\ngrand-slam = \"{slam}\"\n")
        })
    };
    let beyond = || Just("kind = \"beyond-empty\"\n".to_owned());
    let laps = || select(vec!["single", "relay", "relay-from-next"]);
    let sowing = prop_oneof![
        3 => (laps(), run()),
        2 => (Just("relay"), opposite()),
        2 => (Just("single"), opposite()),
        3 => (laps(), back()),
        3 => (Just("relay-from-next"), beyond()),
        1 => (laps(), prop_oneof![run(), opposite(), beyond(), back()]),
    ];
    let rounds = prop_oneof![
        2 => Just(String::new()),
        1 => (2..20_u16).prop_map(|limit| format!("[rounds]\nlimit = {limit}\n")),
    ];
    // What goes together is drawn more often than by chance.
    let tidy = prop_oneof![4 => Just(true), 1 => Just(false)];
    (
        board,
        mechanisms,
        sowing,
        any::<bool>(),
        rounds,
        newer(),
        tidy,
    )
        .prop_map(
            |((min, more, seeds, choice), mechanisms, sowing, during, rounds, newer, tidy)| {
                let (lift, opening, (blocked, remainder, winner, to)) = mechanisms;
                let (laps, capture) = sowing;
                let max = (min + more).min(10);
                let choice = choice.map_or_else(String::new, |(below, above)| {
                    let (least, most) = (seeds.saturating_sub(below).max(1), seeds + above);
                    format!("seeds-choice = {{ min = {least}, max = {most} }}\n")
                });
                let mut drawn = Drawn {
                    opening,
                    laps,
                    newer,
                    choice,
                    during,
                    rounds,
                };
                if tidy {
                    drawn.tidy(to, remainder);
                }
                let Drawn {
                    opening,
                    laps,
                    newer,
                    choice,
                    during,
                    rounds,
                } = drawn;
                let newer = newer.concat();
                format!(
                    "seeds = {seeds}\nlift = \"{lift}\"\nopening = \"{opening}\"\n\
                     laps = \"{laps}\"\n{newer}{choice}blocked = \"{blocked}\"\n\
                     remainder = \"{remainder}\"\nwinner = \"{winner}\"\n\
                     holes = {{ min = {min}, max = {max}, default = {max} }}\n\
                     [capture]\nto = \"{to}\"\nduring-opening = {during}\n{capture}{rounds}"
                )
            },
        )
}

/// Keys that not every variant has; each is left out as often as not.
fn newer() -> impl Strategy<Value = Vec<&'static str>> {
    let newer = (
        select(vec!["", "origin = \"skipped\"\n"]),
        select(vec![
            "",
            "store = \"sown\"\n",
            "store = \"sown\"\nagain = \"last-in-store\"\n",
        ]),
        select(vec!["", "feeding = \"required\"\n"]),
        select(vec!["", "swap = \"after-first-turn\"\n"]),
        select(vec!["", "majority = \"ends\"\n"]),
        select(vec!["", "repetition = \"second-standing\"\n"]),
    );
    let newer = newer.prop_map(|(origin, store, feeding, swap, majority, repetition)| {
        vec![origin, store, feeding, swap, majority, repetition]
    });
    prop_oneof![1 => Just(Vec::new()), 1 => newer]
}

/// The parts of a definition that depend on others.
struct Drawn {
    opening: &'static str,
    laps: &'static str,
    newer: Vec<&'static str>,
    choice: String,
    during: bool,
    rounds: String,
}

impl Drawn {
    /// Leaves out what makes no sense together with the rest.
    fn tidy(&mut self, to: &str, remainder: &str) {
        let mut without = Vec::new();
        if self.opening == "every-hole" {
            (self.laps, self.during) = ("single", false);
        }
        if self.opening == "free" {
            self.during = true;
        } else {
            without.extend(["store", "swap"]);
            self.rounds.clear();
        }
        if to == "removed" {
            without.extend(["store", "majority"]);
            self.rounds.clear();
            self.choice.clear();
        }
        if remainder == "stays" {
            self.rounds.clear();
        }
        if !self.rounds.is_empty() {
            without.extend(["swap", "majority"]);
            self.choice.clear();
        }
        self.newer
            .retain(|key| !without.iter().any(|without| key.starts_with(without)));
    }
}

/// A valid rule set.
pub(super) fn rule_set() -> impl Strategy<Value = RuleSet> {
    definition_text().prop_filter_map("it can't be played", |text| RuleSet::parse(&text).ok())
}

/// Numbers that a position is made of: whatever they are, they make one.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    seeds: Vec<u8>,
    /// Which hole, or store, gets what is over.
    over: u8,
    store_share: u8,
    phase: u8,
    round: u16,
    closed: u8,
    sides: [bool; 3],
}

pub(super) fn draw() -> impl Strategy<Value = Draw> {
    let few = vec(0..=2_u8, 20);
    let some = vec(0..=8_u8, 20);
    // Mostly empty boards with a heap somewhere.
    let wild = vec(
        prop_oneof![8 => Just(0_u8), 1 => 1..=3_u8, 1 => any::<u8>()],
        20,
    );
    (
        prop_oneof![few, some, wild],
        0..=30_u8,
        any::<u8>(),
        any::<u8>(),
        any::<u16>(),
        any::<u8>(),
        any::<[bool; 3]>(),
    )
        .prop_map(
            |(seeds, over, store_share, phase, round, closed, sides)| Draw {
                seeds,
                over,
                store_share,
                phase,
                round,
                closed,
                sides,
            },
        )
}

fn side(north: bool) -> Side {
    if north { Side::North } else { Side::South }
}

impl Draw {
    /// A setup of these rules that only lacks a legal move if it isn't a position.
    pub(super) fn setup(&self, rules: &Rules) -> Setup {
        let definition = rules.definition();
        let holes = usize::from(rules.holes());
        let mover = side(self.sides[0]);
        let mut setup = Setup {
            to_move: Some(mover),
            ..Setup::default()
        };
        if definition.swap != Swap::Never && self.phase.is_multiple_of(3) {
            setup.swap = Some(side(self.sides[1]));
        }
        let mut closed = vec![false; 2 * holes];
        if let Some(rounds) = definition.rounds {
            let round = 1 + self.round % rounds.limit;
            setup.round = Some(round.into());
            setup.first = Some(side(self.sides[1]));
            if round > 1 {
                let end = if self.sides[2] { 2 * holes } else { holes };
                closed[end - usize::from(self.closed) % holes..end].fill(true);
            }
        }
        let unopened = self.unopened(definition, holes, mover);
        let mut rest = rules.total();
        let mut ring = vec![0; 2 * holes];
        for hole in (0..2 * holes).filter(|hole| unopened[*hole]) {
            ring[hole] = match definition.opening {
                Opening::EveryHole => rules.seeds(),
                _ => 1,
            };
            rest -= ring[hole];
        }
        for hole in (0..2 * holes).filter(|hole| !closed[*hole]) {
            let seeds = self.seeds[hole].min(rest);
            ring[hole] += seeds;
            rest -= seeds;
        }
        let removes = definition.capture.to == mancala::rules::Destination::Removed;
        let opening = unopened.contains(&true);
        let stores_stay_empty = opening && !definition.capture.during_opening;
        let over = usize::from(self.over) % (3 * holes);
        if removes {
            if ring.iter().all(|seeds| *seeds == 0) {
                ring[over % (2 * holes)] = 1;
            }
        } else if over < 2 * holes && !closed[over] {
            ring[over] += rest;
        } else if stores_stay_empty {
            ring[0] += rest;
        } else {
            let south = (u16::from(rest) * u16::from(self.store_share) / 255) as u8;
            setup.stores = BySide {
                south: south.into(),
                north: (rest - south).into(),
            };
        }
        let cells = ring.iter().zip(&closed);
        let cells: Vec<_> = cells
            .map(|(seeds, closed)| (!closed).then_some(u32::from(*seeds)))
            .collect();
        setup.rows = BySide {
            south: cells[..holes].to_vec(),
            north: cells[holes..].to_vec(),
        };
        let left = (0..).zip(unopened).filter(|(_, unopened)| *unopened);
        setup.unopened = left.map(|(hole, _)| hole).collect::<HoleSet>();
        setup
    }

    /// Which holes of the ring are to be opened yet; nothing in most draws.
    fn unopened(&self, definition: &Definition, holes: usize, mover: Side) -> Vec<bool> {
        let mut unopened = vec![false; 2 * holes];
        let row = |side: Side| side.index() * holes;
        match definition.opening {
            Opening::EveryHole if self.phase < 100 => {
                // The mover has as many left as the other, or one more; which, the seeds say.
                let other = usize::from(self.phase) % (holes + 1);
                let mine = (other + usize::from(self.phase) / 50).min(holes);
                for (side, count) in [(mover, mine), (mover.opponent(), other)] {
                    let turn = usize::from(self.seeds[0]);
                    for hole in 0..count {
                        unopened[row(side) + (hole + turn) % holes] = true;
                    }
                }
            }
            Opening::RightmostHole if self.phase < 100 => {
                unopened[row(mover) + holes - 1] = true;
                unopened[row(mover.opponent()) + holes - 1] = self.phase < 50;
            }
            _ => {}
        }
        unopened
    }
}
