//! Creating a game: its first event.

use std::sync::Arc;

use super::{
    Clocks, Created, Event, GameId, PlayerId, Record, Request, Seat, Standing, Status, Time,
    TimeControl, Visibility,
};
use crate::{
    catalog::{BoardError, RuleSet},
    rules::{BySide, Position, Rules, Side},
};

/// Most rounds that a series can be played to.
const MAX_TARGET_WINS: u32 = 100;

/// What a game is to be. Everything drawn by lot is drawn.
#[derive(Debug)]
pub struct NewGame {
    /// The id that it gets.
    pub game_id: GameId,
    /// Who creates it.
    pub creator: PlayerId,
    /// Variant id.
    pub variant: String,
    /// The rules that it is played by to its end.
    pub rule_set: Arc<RuleSet>,
    /// Holes a row; `None` for the variant's default.
    pub holes: Option<u32>,
    /// Seeds in each hole at the start; `None` for the variant's default.
    pub seeds: Option<u32>,
    /// Who sits where.
    pub seats: BySide<Seat>,
    /// Who moves first.
    pub first: Side,
    /// How much time the players have.
    pub time_control: TimeControl,
    /// Rounds that win; 0 and 1 for a single game.
    pub target_wins: u32,
    /// Who may see it.
    pub visibility: Visibility,
    /// What opens a seat, if it is private and has an open one.
    pub join_code: Option<String>,
    /// The position that it starts from, if not the variant's, on the board it is for.
    pub start: Option<(Arc<Rules>, Position)>,
    /// The game that it is the rematch of.
    pub rematch_of: Option<GameId>,
}

/// Why a game can't be created so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// The variant has no such board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The start position is of another board.
    #[error("the start position has {holes} holes a row and {seeds} seeds for each hole")]
    OtherBoard {
        /// Its holes a row.
        holes: u8,
        /// Its seeds for each hole.
        seeds: u8,
    },
    /// No such series.
    #[error("{0}")]
    TargetWins(&'static str),
    /// The start position is over.
    #[error("the start position is over")]
    StartIsOver,
    /// There is no such time control.
    #[error(
        "time a move is 1 s to 30 days; base time is at most a day, the increment an hour, both at least 1 s"
    )]
    TimeControl,
}

impl NewGame {
    /// The first record of the game's log.
    ///
    /// # Errors
    ///
    /// Refuses what can't be played.
    pub fn create(self, request: Option<Request>, now: Time) -> Result<Record, CreateError> {
        let rules = self.board()?.clone();
        self.check_series()?;
        if !self.time_control.is_allowed() {
            return Err(CreateError::TimeControl);
        }
        let position = match &self.start {
            Some((_, start)) => *start,
            None => rules.start(self.first),
        };
        if position.to_move().is_none() {
            return Err(CreateError::StartIsOver);
        }
        let seated = self
            .seats
            .iter()
            .all(|(_, seat)| matches!(seat, Seat::Player(_)));
        let status = match seated {
            true => Status::Active,
            false => Status::Waiting,
        };
        Ok(Record {
            seq: 1,
            time: now,
            request,
            state: Standing {
                position,
                turn: 0,
                ply: 0,
                status,
                round: position.round().unwrap_or(1).into(),
                result: None,
                offer: None,
                clocks: Clocks::new(self.time_control, status, position.to_move(), now),
            },
            event: Event::Created(Arc::new(Created {
                game_id: self.game_id,
                creator: self.creator,
                holes: rules.holes(),
                seeds: rules.seeds(),
                variant: self.variant,
                rule_set: self.rule_set,
                seats: self.seats,
                time_control: self.time_control,
                target_wins: self.target_wins.max(1),
                visibility: self.visibility,
                join_code: self.join_code,
                custom_start: self.start.is_some(),
                rematch_of: self.rematch_of,
                imported: None,
            })),
        })
    }

    /// The rules of the board that it is played on.
    fn board(&self) -> Result<&Arc<Rules>, CreateError> {
        if let Some((rules, _)) = &self.start {
            let (holes, seeds) = (rules.holes(), rules.seeds());
            let other =
                |asked: Option<u32>, own: u8| asked.is_some_and(|asked| asked != u32::from(own));
            if other(self.holes, holes) || other(self.seeds, seeds) {
                return Err(CreateError::OtherBoard { holes, seeds });
            }
            return Ok(rules);
        }
        Ok(self.rule_set.board(self.holes, self.seeds)?)
    }

    fn check_series(&self) -> Result<(), CreateError> {
        let error = |reason| Err(CreateError::TargetWins(reason));
        if self.target_wins > MAX_TARGET_WINS {
            error("a series is played to at most 100 wins")
        } else if self.target_wins > 1 && self.rule_set.definition().rounds.is_some() {
            error("the variant plays rounds itself, so a game of it is no series")
        } else if self.target_wins > 1 && self.start.is_some() {
            error("a game from a start position is no series")
        } else {
            Ok(())
        }
    }
}
