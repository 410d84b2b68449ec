//! A position, and the one place where something unchecked becomes one.

use super::{
    Board, BySide, Definition, HoleSet, Opening, Remainder, Rules, Side, Swap, Winner,
    board::{NARROW, Row},
    sowing::Rows,
};

/// A position that can be played on from, or that is over.
///
/// Plain and small; made only by [`Rules`]. Two positions are equal if the same play lies ahead of
/// both, with the same seeds captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(crate) board: Board,
    pub(crate) closed: HoleSet,
    pub(crate) unopened: HoleSet,
    /// 0 where the rules count no rounds.
    pub(crate) round: u16,
    pub(crate) holes: u8,
    pub(crate) to_move: Option<Side>,
    pub(crate) first: Side,
    /// Who may still swap sides.
    pub(crate) swap: Option<Side>,
}

impl Position {
    /// Holes in each row.
    pub fn holes(&self) -> u8 {
        self.holes
    }

    /// Seeds in the hole with this ring index. A closed hole holds none.
    pub fn seeds(&self, ring_index: u8) -> u8 {
        match ring_index.checked_sub(self.holes) {
            None => self.board.get(Side::South, ring_index),
            Some(hole) => self.board.get(Side::North, hole),
        }
    }

    /// The seeds of a row, from its owner's left.
    pub fn row(&self, side: Side) -> impl ExactSizeIterator<Item = u8> + use<> {
        let board = self.board;
        (0..self.holes).map(move |hole| board.get(side, hole))
    }

    /// The seeds in a side's store: captured, or sown there.
    pub fn store(&self, side: Side) -> u8 {
        self.board.get(side, self.holes)
    }

    /// Both stores.
    pub fn stores(&self) -> BySide<u8> {
        BySide::from_fn(|side| self.store(side))
    }

    /// The side to move, which has a legal move; `None` when it is over.
    pub fn to_move(&self) -> Option<Side> {
        self.to_move
    }

    /// Ring indices of the closed holes.
    pub fn closed(&self) -> HoleSet {
        self.closed
    }

    /// Ring indices of the holes that their owners must still open.
    pub fn unopened(&self) -> HoleSet {
        self.unopened
    }

    /// The round, from 1, where the rules count rounds.
    pub fn round(&self) -> Option<u16> {
        (self.round > 0).then_some(self.round)
    }

    /// Who began round 1; South where the rules count no rounds.
    pub fn first(&self) -> Side {
        self.first
    }

    /// Who began the round, where the rules count rounds.
    pub fn starter(&self) -> Option<Side> {
        self.round()
            .map(|round| Definition::starter(self.first, round))
    }

    /// The side that may swap sides, instead of its first move.
    pub fn swap(&self) -> Option<Side> {
        self.swap
    }

    /// The ring index of a side's hole, counted from its owner's left.
    pub fn ring_index(&self, side: Side, hole: u8) -> u8 {
        side as u8 * self.holes + hole
    }

    /// A side's holes that hold at least `least` seeds, counted from its own left.
    #[inline]
    pub(crate) fn holding(&self, side: Side, least: u8) -> HoleSet {
        let cells = match self.holes {
            ..=NARROW => self.board.row::<u64>(side).holding(least),
            _ => self.board.row::<u128>(side).holding(least),
        };
        cells.intersection(HoleSet::run(0, self.holes))
    }

    /// Both rows as a mover sees them.
    #[inline(always)]
    pub(crate) fn rows<R: Row>(&self, mover: Side) -> Rows<R> {
        Rows {
            own: self.board.row(mover),
            other: self.board.row(mover.opponent()),
        }
    }

    #[inline(always)]
    pub(crate) fn set_rows<R: Row>(&mut self, mover: Side, rows: Rows<R>) {
        self.to_move = Some(mover);
        self.board.0[mover.index()] = rows.own.cells();
        self.board.0[mover.opponent().index()] = rows.other.cells();
    }

    /// This one with other seeds and another mover.
    pub(crate) fn with_rows<R: Row>(&self, mover: Side, rows: Rows<R>) -> Position {
        let mut position = *self;
        position.set_rows(mover, rows);
        position
    }

    /// Whether nothing but the seeds and the side to move counts: no hole must be opened or is closed,
    /// and nobody may swap sides.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.unopened.is_empty() && self.closed.is_empty() && self.swap.is_none()
    }

    /// Those of a set of ring indices that are in a side's row, counted from its own left.
    #[inline]
    pub(crate) fn in_row(&self, ring: HoleSet, side: Side) -> HoleSet {
        let row = HoleSet(ring.0 >> (side as u8 * self.holes));
        row.intersection(HoleSet::run(0, self.holes))
    }

    #[inline]
    pub(crate) fn is_row_empty(&self, side: Side) -> bool {
        self.holding(side, 1).is_empty()
    }

    pub(crate) fn row_total(&self, side: Side) -> u8 {
        self.row(side).sum()
    }

    /// Seeds in both rows.
    pub(crate) fn on_board(&self) -> u8 {
        self.row_total(Side::South) + self.row_total(Side::North)
    }
}

/// A position that nobody has checked: numbers as they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Seeds a hole, each row from its owner's left; `None` is a closed hole.
    pub rows: BySide<Vec<Option<u32>>>,
    /// Seeds in the stores.
    pub stores: BySide<u32>,
    /// The side to move; `None` if it is over.
    pub to_move: Option<Side>,
    /// Ring indices of the holes that must still be opened.
    pub unopened: HoleSet,
    /// The round, if one was given.
    pub round: Option<u32>,
    /// Who began round 1, if it was given.
    pub first: Option<Side>,
    /// Who may still swap sides.
    pub swap: Option<Side>,
}

impl Setup {
    /// Seeds in rows and stores.
    pub fn seeds(&self) -> u64 {
        let rows = self.rows.iter().flat_map(|(_, row)| row.iter().flatten());
        let stores = self.stores.iter().map(|(_, store)| store);
        rows.chain(stores).map(|seeds| u64::from(*seeds)).sum()
    }
}

/// Why something is no position of a variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A row is too short or too long.
    #[error("each row has {expected} holes, not {given}")]
    RowLength {
        /// Holes a row.
        expected: u8,
        /// Holes given.
        given: usize,
    },
    /// The seeds of rows and stores don't add up.
    #[error("rows and stores hold {expected} seeds in all, not {given}")]
    Total {
        /// Seeds of the game.
        expected: u32,
        /// Seeds given.
        given: u64,
    },
    /// Captured seeds leave play, so the stores are empty and the rows hold 1 to all seeds.
    #[error("rows hold 1 to {most} seeds and stores 0, since captured seeds leave play")]
    Remaining {
        /// Seeds of the game.
        most: u32,
    },
    /// The seeds of rows and stores are those of no game of the variant.
    #[error("rows and stores hold a multiple of {step} from {min} to {max} seeds, not {given}")]
    NoTotal {
        /// Holes of both rows.
        step: u32,
        /// Seeds of the smallest game.
        min: u32,
        /// Seeds of the largest.
        max: u32,
        /// Seeds given.
        given: u64,
    },
    /// The holes left to open can't be so.
    #[error("{0}")]
    Opening(&'static str),
    /// The closed holes can't be so.
    #[error("{0}")]
    Closed(&'static str),
    /// The round can't be so.
    #[error("{0}")]
    Round(String),
    /// The variant has no swap of sides.
    #[error("this variant knows no swap of sides")]
    Swap,
    /// Somebody is to move where it has ended.
    #[error("somebody is to move, but it is over: a row is empty, or a store has the majority")]
    Decided,
    /// The side to move can't move.
    #[error("the side to move has no legal move")]
    NoLegalMove,
    /// Over, but not settled.
    #[error("a position that is over has no seeds in a row, nothing left to open and no swap")]
    NotOver,
}

impl Rules {
    /// The position that a game starts from, with `first` to move.
    pub fn start(&self, first: Side) -> Position {
        let mut board = Board::default();
        for side in Side::BOTH {
            (0..self.holes()).for_each(|hole| board.set(side, hole, self.seeds()));
        }
        let rounds = self.definition().rounds.is_some();
        Position {
            board,
            closed: HoleSet::EMPTY,
            unopened: self.opening_holes(),
            round: rounds.into(),
            holes: self.holes(),
            to_move: Some(first),
            first: if rounds { first } else { Side::South },
            swap: (self.definition().swap == Swap::AfterFirstTurn).then_some(first.opponent()),
        }
    }

    /// Checks a setup.
    ///
    /// # Errors
    ///
    /// Refuses what can't be in play. What is accepted can be played on from, or is over.
    pub fn position(&self, setup: &Setup) -> Result<Position, PositionError> {
        self.check_rows(setup)?;
        let (round, first) = self.check_round(setup)?;
        let mut position = Position {
            board: Board::default(),
            closed: HoleSet::EMPTY,
            unopened: setup.unopened,
            round,
            holes: self.holes(),
            to_move: setup.to_move,
            first,
            swap: setup.swap,
        };
        // The totals are checked, so every number fits.
        for side in Side::BOTH {
            for (hole, content) in (0..).zip(&setup.rows[side]) {
                let ring_index = position.ring_index(side, hole);
                match content {
                    Some(seeds) => position.board.set(side, hole, *seeds as u8),
                    None => position.closed.insert(ring_index),
                }
            }
            let store = self.holes();
            position.board.set(side, store, setup.stores[side] as u8);
        }
        self.check_closed(&position)?;
        self.check_unopened(&position)?;
        if position.swap.is_some() && self.definition().swap == Swap::Never {
            return Err(PositionError::Swap);
        }
        match position.to_move {
            Some(_) if self.decided(&position).is_some() => Err(PositionError::Decided),
            Some(_) if self.legal_moves(&position).is_empty() => Err(PositionError::NoLegalMove),
            None if !self.can_be_over(&position) => Err(PositionError::NotOver),
            _ => Ok(position),
        }
    }

    fn check_rows(&self, setup: &Setup) -> Result<(), PositionError> {
        for (_, row) in setup.rows.iter() {
            if row.len() != usize::from(self.holes()) {
                return Err(PositionError::RowLength {
                    expected: self.holes(),
                    given: row.len(),
                });
            }
        }
        let given = setup.seeds();
        let stored = u64::from(setup.stores.south) + u64::from(setup.stores.north);
        let total = u32::from(self.total());
        if self.definition().removes_seeds() {
            if stored > 0 || !(1..=u64::from(total)).contains(&given) {
                return Err(PositionError::Remaining { most: total });
            }
        } else if given != u64::from(total) {
            return Err(PositionError::Total {
                expected: total,
                given,
            });
        }
        Ok(())
    }

    fn check_round(&self, setup: &Setup) -> Result<(u16, Side), PositionError> {
        let Some(rounds) = self.definition().rounds else {
            if setup.round.is_some() || setup.first.is_some() {
                let reason = "this variant counts no rounds".into();
                return Err(PositionError::Round(reason));
            }
            return Ok((0, Side::South));
        };
        let round = setup.round.unwrap_or(0);
        match u16::try_from(round) {
            Ok(round) if (1..=rounds.limit).contains(&round) => {
                Ok((round, setup.first.unwrap_or(Side::South)))
            }
            _ => Err(PositionError::Round(format!(
                "the round is from 1 to {}, not {round}",
                rounds.limit
            ))),
        }
    }

    fn check_closed(&self, position: &Position) -> Result<(), PositionError> {
        let closed = position.closed;
        if closed.is_empty() {
            return Ok(());
        }
        let error = |reason| Err(PositionError::Closed(reason));
        if self.definition().rounds.is_none() {
            return error("this variant closes no holes");
        }
        if position.round == 1 {
            return error("no hole is closed in round 1");
        }
        let count = closed.len() as u8;
        let at_right_end = |side| {
            let end = position.ring_index(side, self.holes());
            count < self.holes() && closed == HoleSet::run(end - count, count)
        };
        if !Side::BOTH.into_iter().any(at_right_end) {
            return error("closed holes are in one row only, at its right end, and not all of it");
        }
        Ok(())
    }

    fn check_unopened(&self, position: &Position) -> Result<(), PositionError> {
        let unopened = position.unopened;
        if unopened.is_empty() {
            return Ok(());
        }
        let error = |reason| Err(PositionError::Opening(reason));
        if !unopened.without(self.opening_holes()).is_empty() {
            return error("these holes need no opening in this variant");
        }
        let Some(to_move) = position.to_move else {
            return Err(PositionError::NotOver);
        };
        if !self.definition().capture.during_opening
            && position.stores() != (BySide { south: 0, north: 0 })
        {
            return error("the stores are empty until every hole is opened");
        }
        let left = |side| position.in_row(unopened, side).len();
        let (mine, theirs) = (left(to_move), left(to_move.opponent()));
        match self.definition().opening {
            Opening::Free => {}
            Opening::EveryHole => {
                let full = |hole| position.seeds(hole) >= self.seeds();
                if !unopened.iter().all(full) {
                    return error("an unopened hole still holds the seeds of the start");
                }
                if !(theirs..=theirs + 1).contains(&mine) {
                    return error(
                        "opened holes differ by at most one, and who has fewer is to move",
                    );
                }
            }
            Opening::RightmostHole => {
                if unopened.iter().any(|hole| position.seeds(hole) == 0) {
                    return error("a side that hasn't opened has seeds in its rightmost hole");
                }
                if mine < theirs {
                    return error("the side that hasn't opened is to move");
                }
            }
        }
        Ok(())
    }

    fn can_be_over(&self, position: &Position) -> bool {
        position.unopened.is_empty()
            && position.swap.is_none()
            && (self.definition().remainder == Remainder::Stays || position.on_board() == 0)
    }

    /// The seeds that count for each side when it is over.
    pub(crate) fn score(&self, position: &Position) -> BySide<u8> {
        match self.definition().winner {
            Winner::MoreSeeds => position.stores(),
            Winner::LastAbleToMove => BySide::from_fn(|side| position.row_total(side)),
        }
    }
}
