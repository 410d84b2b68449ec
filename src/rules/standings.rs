//! Positions that come back: what a game knows of its round, and a position doesn't.

use super::{Position, Repetition, Rules};

/// The positions that stood in a round, but for those that can't come back.
#[derive(Clone, Debug)]
pub struct Standings<P = Position>(Vec<P>);

impl<P> From<Vec<P>> for Standings<P> {
    fn from(positions: Vec<P>) -> Self {
        Standings(positions)
    }
}

impl<P> Default for Standings<P> {
    fn default() -> Self {
        Standings(Vec::new())
    }
}

impl<P: PartialEq> Standings<P> {
    /// None of what stood can come back: seeds were captured, a hole was opened, a round begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes that a position stands, if it can come back.
    #[inline]
    pub fn push(&mut self, rules: &Rules, position: P) {
        if rules.choice.can_repeat() {
            self.0.push(position);
        }
    }

    /// What stood, and can come back.
    pub fn positions(&self) -> &[P] {
        &self.0
    }

    /// Whether a position, if it now stood, would stand as often as ends the round.
    #[inline]
    pub fn would_end(&self, rules: &Rules, position: &P) -> bool {
        let earlier = match rules.definition().repetition {
            Repetition::ThirdStanding => 2,
            Repetition::SecondStanding => 1,
        };
        let mut known = self.0.iter().rev().filter(|known| *known == position);
        known.nth(earlier - 1).is_some()
    }
}

impl Standings {
    /// Notes the position after a move, of which nothing before can come back if it settled something.
    pub fn follow(&mut self, rules: &Rules, before: &Position, settled: bool, after: Position) {
        if settled || before.unopened() != after.unopened() {
            // Also its memory: many games wait at the same time.
            self.0 = Vec::new();
        }
        if self.0.len() == self.0.capacity() {
            self.0.reserve_exact(1 + self.0.len() / 2);
        }
        self.push(rules, after);
    }
}
