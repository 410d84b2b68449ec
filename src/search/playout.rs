//! Random play to the end: how chance would have a round come out.

use std::ops::Range;

use rand::Rng;

use crate::rules::{
    Blocked, Follows, HoleSet, Kernel, Made, Mechanisms, Position, Reason, RoundEnd, Row, Rows,
    Rules, Side, Standings, with_kernel, with_mechanisms,
};

/// A round played at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    /// How it came out; `None` if it had not ended after the plies allowed.
    pub end: Option<RoundEnd>,
    /// Moves made.
    pub plies: u32,
}

/// Numbers drawn by lot, several from one word: each takes away its share of the word's chance.
struct Lot<'a, G> {
    rng: &'a mut G,
    word: u64,
    left: u32,
}

impl<G: Rng> Lot<'_, G> {
    /// Draws from one word. Each takes less than six of its 64 bits, so that even the last is as likely as
    /// any other but for a part in 2^28.
    const DRAWS: u32 = 6;

    /// A number below another one.
    #[inline(always)]
    fn below(&mut self, end: u32) -> u32 {
        if self.left == 0 {
            (self.word, self.left) = (self.rng.next_u64(), Self::DRAWS);
        }
        self.left -= 1;
        let scaled = u128::from(self.word) * u128::from(end);
        self.word = scaled as u64;
        (scaled >> 64) as u32
    }

    /// One of a set's holes, of which there must be some.
    #[inline(always)]
    fn hole(&mut self, holes: HoleSet) -> u8 {
        holes.draw(|end| self.below(end))
    }
}

/// Plays a round to its end from a position that is not over, each legal move as likely as any other.
/// A position that comes back as often as ends a round ends it here too.
pub fn playout(rules: &Rules, from: &Position, most_plies: u32, rng: &mut impl Rng) -> Playout {
    let (word, left) = (0, 0);
    let lot = &mut Lot { rng, word, left };
    let (position, plies) = match play_whole(rules, from, most_plies, lot) {
        Ok(begun) => begun,
        Err(playout) => return playout,
    };
    let Some(mover) = position.to_move() else {
        let end = None;
        return Playout { end, plies };
    };
    with_mechanisms!(rules, |Chosen| {
        with_kernel!(rules, &position, mover, Chosen, |kernel| {
            play_plain(&kernel, &position, mover, plies..most_plies, lot)
        })
    })
}

/// Plays on whole positions until nothing but seeds counts, or to the end.
fn play_whole(
    rules: &Rules,
    from: &Position,
    most_plies: u32,
    lot: &mut Lot<'_, impl Rng>,
) -> Result<(Position, u32), Playout> {
    let (mut position, mut plies) = (*from, 0);
    let mut standings = Standings::default();
    while !position.is_plain()
        && plies < most_plies
        && let Some(side) = position.to_move()
    {
        standings.push(rules, position);
        let hole = lot.hole(rules.legal_moves(&position));
        let Ok(made) = rules.make(&mut position, side, hole, &mut ()) else {
            break;
        };
        plies += 1;
        let mut reason = match rules.follow(&mut position, &mut ()) {
            Follows::End(reason) => Some(reason),
            Follows::Turn | Follows::Pass(_) => None,
        };
        if made.captured > 0 {
            standings.clear();
        } else if reason.is_none() && standings.would_end(rules, &position) {
            reason = Some(Reason::Repetition);
        }
        if let Some(reason) = reason {
            let end = Some(rules.end(&position, reason, &mut ()));
            return Err(Playout { end, plies });
        }
    }
    Ok((position, plies))
}

/// Plays on where nothing but seeds counts.
#[inline(never)]
fn play_plain<R: Row, M: Mechanisms>(
    kernel: &Kernel<'_, R, M>,
    from: &Position,
    mut mover: Side,
    plies: Range<u32>,
    lot: &mut Lot<'_, impl Rng>,
) -> Playout {
    let rules = kernel.rules;
    let mut rows = from.rows(mover);
    let mut standings = Standings::default();
    standings.push(rules, (rows, mover));
    let mut made_plies = plies.start;
    let reason = loop {
        if made_plies == plies.end && kernel.can_move(&rows, mover) {
            let (end, plies) = (None, made_plies);
            return Playout { end, plies };
        }
        let Some(made) = random_move(kernel, &mut rows, mover, lot) else {
            break Reason::NoMoves;
        };
        made_plies += 1;
        if !made.again {
            (rows, mover) = (rows.turned(), mover.opponent());
        }
        if let Some(reason) = kernel.decided(&rows) {
            break reason;
        }
        if M::choice(rules).blocked == Blocked::Passes && !kernel.can_move(&rows, mover) {
            match rules.pass(&mut from.with_rows(mover, rows), &mut ()) {
                Follows::End(reason) => break reason,
                Follows::Turn | Follows::Pass(_) => {
                    (rows, mover) = (rows.turned(), mover.opponent());
                }
            }
        }
        if M::choice(rules).can_repeat() {
            let stands = (rows, mover);
            if made.captured > 0 {
                standings.clear();
            } else if standings.would_end(rules, &stands) {
                break Reason::Repetition;
            }
            standings.push(rules, stands);
        }
    };
    Playout {
        end: Some(rules.end(&from.with_rows(mover, rows), reason, &mut ())),
        plies: made_plies,
    }
}

/// Makes a random move; `None` if there is no legal one.
#[inline(always)]
fn random_move<R: Row>(
    kernel: &Kernel<'_, R, impl Mechanisms>,
    rows: &mut Rows<R>,
    mover: Side,
    lot: &mut Lot<'_, impl Rng>,
) -> Option<Made> {
    let mut candidates = kernel.candidates(rows);
    if kernel.are_all_legal(rows) && !candidates.is_empty() {
        let hole = lot.hole(candidates);
        return kernel.make(rows, mover, hole, true, &mut ()).ok();
    }
    // A sowing that is too long, or a move that a rule forbids, is drawn again.
    while !candidates.is_empty() {
        let hole = lot.hole(candidates);
        let mut after = *rows;
        if let Ok(made) = kernel.make(&mut after, mover, hole, true, &mut ()) {
            *rows = after;
            return Some(made);
        }
        candidates.remove(hole);
    }
    None
}
