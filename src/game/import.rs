//! A game from its text, played again by the rules before anything is believed.

use std::sync::Arc;

use super::{
    Command, CreateError, Created, Decision, EndReason, Event, Game, GameId, GameResult, Imported,
    Moment, MoveByte, NewGame, Outages, Outcome, Place, Placed, PlayerId, Ply, Record, Refusal,
    Request, Seat, Standing, Time, TimeControl, Transcript, TranscriptError, Visibility,
    transcript::shown,
};
use crate::{
    catalog::{Catalog, Variant},
    rules::{BySide, IllegalMove, Position, Rules, Side},
};

/// Who imports a game, and as what.
#[derive(Clone, Copy, Debug)]
pub struct Importer {
    /// The player.
    pub player: PlayerId,
    /// The id that the game gets.
    pub game_id: GameId,
    /// Who may see it.
    pub visibility: Visibility,
}

/// A game that was played again and found to be as its text says.
#[derive(Debug)]
pub struct ImportedGame {
    created: Arc<Created>,
    state: Standing,
}

impl ImportedGame {
    /// The id that it gets.
    pub fn game_id(&self) -> GameId {
        self.created.game_id
    }

    /// The first record of the game's log, which is its last.
    pub fn create(self, request: Option<Request>, now: Time) -> Record {
        Record {
            seq: 1,
            time: now,
            request,
            state: self.state,
            event: Event::Created(self.created),
        }
    }
}

impl Transcript {
    /// Plays the game again, by the rules of its variant.
    ///
    /// # Errors
    ///
    /// Refuses what the rules, or the play, do not bear out, with its place.
    pub fn replay(
        self,
        catalog: &Catalog,
        importer: Importer,
    ) -> Result<ImportedGame, TranscriptError> {
        self.replay_while(catalog, importer, &mut || true)
    }

    /// As [`Transcript::replay`], while it may go on: it asks before each move.
    ///
    /// # Errors
    ///
    /// Refuses the move too before which it may not.
    pub fn replay_while(
        self,
        catalog: &Catalog,
        importer: Importer,
        may_go_on: &mut dyn FnMut() -> bool,
    ) -> Result<ImportedGame, TranscriptError> {
        let variant = self.find_variant(catalog)?;
        let start = self.read_start(variant)?;
        let created = self.create(variant, start, importer)?;
        let mut game = Game::replay(std::slice::from_ref(&created)).expect("it was just created");
        let marked = self.moves.iter().any(|ply| ply.round.is_some());
        for ply in &self.moves {
            if !may_go_on() {
                return Err(ply.place.error("it was not played any further"));
            }
            check_mark(ply, &game, marked)?;
            play(&mut game, ply, importer.player)?;
        }
        let state = self.check_result(&game)?;
        Ok(self.imported(&game, state))
    }

    fn find_variant<'a>(&self, catalog: &'a Catalog) -> Result<&'a Arc<Variant>, TranscriptError> {
        let Placed { value: id, place } = &self.variant;
        let missing = || place.error(format!("there is no variant {}", shown(id)));
        let variant = catalog.get(id).ok_or_else(missing)?;
        match &self.rules {
            Some(rules) if rules.value != variant.rule_set().digest() => {
                let problem = "the game was played by other rules; leave the tag out to have it \
                               replayed by those of now";
                Err(rules.place.error(problem))
            }
            Some(_) | None => Ok(variant),
        }
    }

    fn read_start(
        &self,
        variant: &Variant,
    ) -> Result<Option<(Arc<Rules>, Position)>, TranscriptError> {
        let Some(Placed { value: text, place }) = &self.start else {
            return Ok(None);
        };
        if let Some(first) = &self.first {
            return Err(first.place.error("the start position says it itself"));
        }
        let (rules, start) = variant
            .parse(text)
            .map_err(|error| place.error(error.to_string()))?;
        Ok(Some((rules.clone(), start)))
    }

    fn create(
        &self,
        variant: &Variant,
        start: Option<(Arc<Rules>, Position)>,
        importer: Importer,
    ) -> Result<Record, TranscriptError> {
        let number = |tag: &Option<Placed<u32>>| tag.as_ref().map(|tag| tag.value);
        let new = NewGame {
            game_id: importer.game_id,
            creator: importer.player,
            variant: variant.id.clone(),
            rule_set: variant.rule_set().clone(),
            holes: number(&self.holes),
            seeds: number(&self.seeds),
            seats: BySide::from_fn(|_| Seat::Player(importer.player)),
            first: self.first.as_ref().map_or(Side::South, |first| first.value),
            time_control: TimeControl::default(),
            target_wins: number(&self.target_wins).unwrap_or(1),
            visibility: importer.visibility,
            join_code: None,
            start,
            rematch_of: None,
        };
        // When it is told of is not known yet.
        new.create(None, Time(0))
            .map_err(|error| self.place_of(&error).error(error.to_string()))
    }

    /// The tag that makes a game impossible.
    fn place_of(&self, error: &CreateError) -> Place {
        use crate::catalog::BoardError;
        let numbers = |tag: &Option<Placed<u32>>| tag.as_ref().map(|tag| tag.place);
        let place = match error {
            CreateError::Board(BoardError::Holes { .. }) => numbers(&self.holes),
            CreateError::Board(BoardError::Seeds { .. }) => numbers(&self.seeds),
            CreateError::OtherBoard { holes, .. } => {
                let other = |tag: &&Placed<u32>| tag.value != u32::from(*holes);
                let holes = self.holes.as_ref().filter(other);
                holes.map(|holes| holes.place).or(numbers(&self.seeds))
            }
            CreateError::TargetWins(_) => numbers(&self.target_wins),
            CreateError::TimeControl => None,
            CreateError::StartIsOver => self.start.as_ref().map(|start| start.place),
        };
        place.unwrap_or(self.variant.place)
    }

    /// How the game stands when it is over; checked to be as the text says.
    fn check_result(&self, game: &Game) -> Result<Standing, TranscriptError> {
        let (state, result) = match game.state().result {
            Some(result) => (*game.state(), result),
            None => self.ended_by_players(game)?,
        };
        let (outcome, reason) = (result.outcome(), result.reason);
        if self.reason.value != reason {
            let problem = format!("by its moves the game ends with {}", reason.name());
            return Err(self.reason.place.error(problem));
        }
        if self.outcome.value != outcome {
            let problem = format!("by its moves the game's result is {}", outcome.name());
            return Err(self.outcome.place.error(problem));
        }
        match &self.score {
            Some(score) if score.value != result.score => {
                let BySide { south, north } = result.score;
                let problem = format!("by its moves the game's score is {south}-{north}");
                Err(score.place.error(problem))
            }
            Some(_) | None => Ok(state),
        }
    }

    /// How a game ended whose moves do not end it.
    fn ended_by_players(&self, game: &Game) -> Result<(Standing, GameResult), TranscriptError> {
        let (reason, outcome) = (self.reason.value, self.outcome.value);
        let winner = match (reason, outcome) {
            (EndReason::Rules(_) | EndReason::Series, _) => {
                return Err(self.reason.place.error("the moves do not end the game"));
            }
            (EndReason::Aborted, _) if game.has_begun() => {
                let problem = "a game in which both sides have moved can't be aborted";
                return Err(self.reason.place.error(problem));
            }
            (EndReason::Resignation | EndReason::Timeout, Outcome::Won(side)) => Some(side),
            (EndReason::Agreement, Outcome::Drawn) | (EndReason::Aborted, Outcome::NoResult) => {
                None
            }
            (
                EndReason::Resignation
                | EndReason::Timeout
                | EndReason::Agreement
                | EndReason::Aborted,
                _,
            ) => {
                let problem = format!("no game ends so with {}", reason.name());
                return Err(self.outcome.place.error(problem));
            }
        };
        Ok(game.over(winner, reason))
    }

    fn imported(self, game: &Game, mut state: Standing) -> ImportedGame {
        // It is over, and how much time there was is not known.
        state.clocks.running = None;
        let imported = Imported {
            start: game.summary().start,
            moves: game
                .moves()
                .map(|(side, hole, _)| MoveByte::new(side, hole))
                .collect(),
            rounds: game.rounds().to_vec(),
            names: self.names,
            date: self.date,
        };
        ImportedGame {
            created: Arc::new(Created {
                seats: BySide::from_fn(|_| Seat::Named),
                imported: Some(Box::new(imported)),
                ..game.created().clone()
            }),
            state,
        }
    }
}

/// Checks whether a move begins a round if its mark says so, and only then. Rounds are all marked, or
/// none is.
fn check_mark(ply: &Ply, game: &Game, marked: bool) -> Result<(), TranscriptError> {
    let (round, begins) = (game.state().round, game.state().ply == 0);
    let wanted = (marked && begins && game.has_rounds()).then_some(round);
    match (&ply.round, wanted) {
        (Some(mark), _) if Some(mark.value) != wanted => {
            let problem = format!("no round {} begins here", mark.value);
            Err(mark.place.error(problem))
        }
        (None, Some(round)) => Err(ply.place.error(format!("round {round} begins here"))),
        (Some(_) | None, _) => Ok(()),
    }
}

/// Plays a move of a text.
fn play(game: &mut Game, ply: &Ply, player: PlayerId) -> Result<(), TranscriptError> {
    let state = game.state();
    if state.result.is_some() {
        return Err(ply.place.error("the game is over before this move"));
    }
    let command = Command::Move {
        hole: ply.hole_at(game.rules(), &state.position)?,
        expected_turn: None,
    };
    let outages = Outages::default();
    match game.decide(&command, player, None, &Moment::at(Time(0), &outages)) {
        Ok(Decision::New(record)) => {
            game.apply(&record).expect("it was decided on this game");
            Ok(())
        }
        // Without a request id nothing is repeated, and no time passes.
        Ok(Decision::Repeated(_) | Decision::TimeIsUp(_)) => Ok(()),
        Err(Refusal::Illegal(error)) => Err(TranscriptError {
            illegal: Some(error),
            ..ply.place.error(match error {
                IllegalMove::NoSuchHole { .. } if ply.hole.is_none() => {
                    "sides can't be swapped here".into()
                }
                IllegalMove::NoSuchHole { .. } => "the board has no such hole".into(),
                _ => error.to_string(),
            })
        }),
        Err(refusal) => Err(ply.place.error(refusal.to_string())),
    }
}
