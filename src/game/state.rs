//! A game's state, and how events change it.

use std::sync::Arc;

use super::{
    Answered, Created, Event, MoveByte, Moved, PlayerId, Record, RoundResult, Standing, Time,
    offers::Offered,
};
use crate::rules::{BySide, Position, Rules, Side, Standings};

/// Most moves of a game, over all its rounds. A game that reaches them ends as a repetition does.
pub const MAX_PLIES: usize = 10_000;

/// Who sits on a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Whoever joins.
    Open,
    /// A player.
    Player(PlayerId),
    /// A player who has not accepted yet.
    Invited(PlayerId),
    /// Somebody whom an imported game's text names.
    Named,
}

/// Where a game is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A seat is to be filled.
    Waiting,
    /// Being played.
    Active,
    /// Over.
    Finished,
    /// Ended before it counted.
    Aborted,
}

/// Who may see a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Anybody.
    Public,
    /// Whoever has its id.
    Unlisted,
    /// Its seats; an imported game's importer.
    Private,
}

/// What a game is and how it stands, without its history.
#[derive(Clone, Debug)]
pub struct Summary {
    /// How it was created.
    pub created: Arc<Created>,
    /// The position that it started from.
    pub start: Position,
    /// The part that changes with its events.
    pub state: Standing,
    /// Who sits where.
    pub seats: BySide<Seat>,
    /// Number of its newest event.
    pub seq: u64,
    /// When it was created.
    pub create_time: Time,
    /// When its newest event happened.
    pub update_time: Time,
}

/// A game: the fold of its log.
#[derive(Clone, Debug)]
pub struct Game {
    summary: Summary,
    rules: Arc<Rules>,
    /// The moves that stand.
    moves: Vec<MoveByte>,
    rounds: Vec<RoundResult>,
    /// Where this round began.
    pub(super) round_start: Position,
    /// The round's positions since its start or its last capture: none earlier can come back.
    pub(super) standings: Standings,
    /// What was offered since the turn began.
    pub(super) offered: Offered,
    /// Who has ever made a move, whether it stands or not.
    pub(super) has_moved: BySide<bool>,
    /// Takebacks that were accepted.
    pub(super) takebacks: u32,
    /// Positions that their events have, in all.
    pub(super) kept: usize,
    /// Of each event after the first, the beginning of its request's key; zeros if it had no request. Only as
    /// long as there are any.
    requests: Vec<KeyBegin>,
}

/// Why a log is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The first record is not of its creation, or its rule set has no such board.
    #[error("the log does not begin with the creation of a game")]
    NoCreation,
    /// A record is missing or stands twice.
    #[error("the log goes from {seq} on to {next}")]
    Gap {
        /// Seq of the last good record.
        seq: u64,
        /// Seq of the one after it.
        next: u64,
    },
}

impl Game {
    /// A game from its log, or the first part of it.
    ///
    /// # Errors
    ///
    /// Refuses what is no log of a game.
    pub fn replay(records: &[Record]) -> Result<Game, ReplayError> {
        let (first, rest) = records.split_first().ok_or(ReplayError::NoCreation)?;
        let mut game = Game::begin(first)?;
        rest.iter().try_for_each(|record| game.apply(record))?;
        Ok(game)
    }

    fn begin(record: &Record) -> Result<Game, ReplayError> {
        let Event::Created(created) = &record.event else {
            return Err(ReplayError::NoCreation);
        };
        let rules = created.rules().ok_or(ReplayError::NoCreation)?;
        let imported = created.imported.as_deref();
        let start = created.start(record.state.position);
        let mut standings = Standings::default();
        standings.push(rules, start);
        Ok(Game {
            rules: rules.clone(),
            summary: Summary::of_creation(created.clone(), record),
            moves: imported.map_or_else(Vec::new, |imported| imported.moves.clone()),
            rounds: imported.map_or_else(Vec::new, |imported| imported.rounds.clone()),
            round_start: start,
            standings,
            offered: Offered::default(),
            has_moved: BySide::default(),
            takebacks: 0,
            kept: 0,
            requests: Vec::new(),
        })
    }

    /// Applies the next event.
    ///
    /// # Errors
    ///
    /// Refuses any but the next one; the game stays as it was.
    pub fn apply(&mut self, record: &Record) -> Result<(), ReplayError> {
        let seq = self.summary.seq;
        if record.seq != seq + 1 {
            let next = record.seq;
            return Err(ReplayError::Gap { seq, next });
        }
        match &record.event {
            Event::Created(_) => return Err(ReplayError::NoCreation),
            Event::SeatTaken { side, player } => self.summary.seats[*side] = Seat::Player(*player),
            Event::Moved(moved) => self.apply_move(moved, &record.state),
            Event::Answered(answered) => self.apply_answer(answered),
            Event::Resigned { side: _ }
            | Event::TimedOut { side: _ }
            | Event::Offered
            | Event::Aborted { by: _, audit: _ } => {}
        }
        if record.state.turn != self.state().turn {
            self.offered = Offered::default();
        }
        if let (Event::Offered, Some(offer)) = (&record.event, &record.state.offer) {
            self.offered.insert(offer);
        }
        if let Some(request) = record.request {
            // In front of it are the creation and those without a request.
            self.requests
                .resize(index_of(record.seq), KeyBegin::default());
            self.requests.push(begin_of(&request.key));
        }
        self.summary.state = record.state;
        self.summary.seq = record.seq;
        self.summary.update_time = record.time;
        Ok(())
    }

    fn apply_move(&mut self, moved: &Moved, after: &Standing) {
        let before = self.summary.state.position;
        self.has_moved[moved.mover] = true;
        self.moves.push(MoveByte::new(moved.mover, moved.hole));
        let new_round = moved.round_end.is_some();
        if new_round {
            self.rounds.extend(moved.round_result);
            self.round_start = after.position;
        }
        self.standings.follow(
            &self.rules,
            &before,
            new_round || moved.captured > 0,
            after.position,
        );
    }

    fn apply_answer(&mut self, answered: &Answered) {
        if let Some(taken) = &answered.taken_back {
            let stand = self.moves.len().saturating_sub(taken.moves as usize);
            self.moves.truncate(stand);
            self.standings = taken.standings.clone().into();
            self.takebacks += 1;
            self.kept += taken.standings.len();
        }
    }

    /// All of it but its history.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The rules that it is played by.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// How it was created.
    pub fn created(&self) -> &Created {
        &self.summary.created
    }

    /// The part that changes with its events.
    pub fn state(&self) -> &Standing {
        &self.summary.state
    }

    /// Number of its newest event.
    pub fn seq(&self) -> u64 {
        self.summary.seq
    }

    /// Where a player sits.
    pub fn seats_of(&self, player: PlayerId) -> BySide<bool> {
        BySide::from_fn(|side| self.summary.seats[side] == Seat::Player(player))
    }

    /// Every move that stands: who made it, the hole from the mover's left (the number of holes for a swap of
    /// sides), and the round.
    pub fn moves(&self) -> impl Iterator<Item = (Side, u8, u32)> {
        let mut finished = self.rounds.iter();
        let mut round = finished.next();
        let mut left = round.map_or(u32::MAX, |round| round.plies);
        self.moves.iter().map(move |made| {
            while left == 0 {
                round = finished.next();
                left = round.map_or(u32::MAX, |round| round.plies);
            }
            left -= 1;
            let number = round.map_or(self.state().round, |round| round.round);
            (made.mover(), made.hole(), number)
        })
    }

    /// The moves of this round.
    pub(super) fn round_moves(&self) -> &[MoveByte] {
        let earlier = self.moves.len().saturating_sub(self.state().ply as usize);
        &self.moves[earlier..]
    }

    /// Who moved first in this round.
    pub(super) fn round_first(&self) -> Side {
        let start = &self.round_start;
        let first = start.starter().or(start.to_move());
        first.unwrap_or(Side::South)
    }

    /// Moves that stand, over all rounds.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The finished rounds of a game that has several.
    pub fn rounds(&self) -> &[RoundResult] {
        &self.rounds
    }

    /// Whether the game has several rounds, by its variant's rules or as a series.
    pub fn has_rounds(&self) -> bool {
        self.created().target_wins > 1 || self.rules.definition().rounds.is_some()
    }

    /// The seq of the event that a request caused, after the creation. Once in 2⁴⁸ it is another's: whoever
    /// reads the event sees that.
    pub fn seq_of_request(&self, key: &[u8; 16]) -> Option<u64> {
        let begin = begin_of(key);
        let index = self.requests.iter().position(|known| *known == begin)?;
        Some(index as u64 + 2)
    }
}

/// The place of an event after the first among them.
fn index_of(seq: u64) -> usize {
    // A game in memory has far fewer events than a `usize` can count.
    usize::try_from(seq).map_or(0, |seq| seq.saturating_sub(2))
}

/// What a game in memory keeps of a request's key, which is a hash: there are many of them.
type KeyBegin = [u8; 6];

/// The beginning of a key, and never all zeros.
fn begin_of(key: &[u8; 16]) -> KeyBegin {
    let [first, second, third, fourth, fifth, sixth, ..] = *key;
    [first, second, third, fourth, fifth, sixth.max(1)]
}

impl Summary {
    /// A game that was just created, by this record.
    pub fn of_creation(created: Arc<Created>, record: &Record) -> Summary {
        let imported = created.imported.as_deref();
        Summary {
            start: imported.map_or(record.state.position, |imported| imported.start),
            state: record.state,
            seats: created.seats,
            seq: record.seq,
            create_time: record.time,
            update_time: record.time,
            created,
        }
    }

    /// Whether somebody may know that the game exists, given its id.
    pub fn may_see(&self, player: Option<PlayerId>) -> bool {
        self.created.visibility != Visibility::Private
            || player.is_some_and(|player| self.is_of(player))
    }

    /// Whether it is a player's game.
    pub fn is_of(&self, player: PlayerId) -> bool {
        self.owners().any(|owner| owner == player)
    }

    /// The players whose game it is: who has a seat or is invited to one; who imported it.
    pub fn owners(&self) -> impl Iterator<Item = PlayerId> {
        let seats = [self.seats.south, self.seats.north].into_iter();
        let importer = self.created.imported.as_ref().map(|_| self.created.creator);
        let seated = seats.filter_map(|seat| match seat {
            Seat::Open | Seat::Named => None,
            Seat::Player(player) | Seat::Invited(player) => Some(player),
        });
        seated.chain(importer)
    }
}
