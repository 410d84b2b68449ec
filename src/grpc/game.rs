//! Games and their events as messages.

use std::sync::Arc;

use prost::Message as _;
use prost_types::Timestamp;
use tonic::Status;
use uuid::Uuid;

use super::{
    board,
    error::invalid,
    proto::{self, game_event, seat, watch_game_response::Message},
};
use crate::{
    game::{
        Created, Event, Game, GameId, Moved, PlayerId, Record, Request, Seat, Standing,
        Status as GameStatus, Summary, Time, Visibility,
    },
    rules::Rules,
    session::{self, Change},
};

/// A game's id in a request.
pub(super) fn game_id(text: &str) -> Result<GameId, Status> {
    uuid("game_id", text).map(GameId)
}

/// A player's id in a field of a request.
pub(super) fn player_id(field: &str, text: &str) -> Result<PlayerId, Status> {
    uuid(field, text).map(PlayerId)
}

/// A UUID in a field of a request, in the form that has hyphens.
pub(super) fn uuid(field: &str, text: &str) -> Result<Uuid, Status> {
    let parsed = Uuid::try_parse(text).ok().filter(|_| text.len() == 36);
    parsed.ok_or_else(|| invalid(field, "is no UUID"))
}

/// What stands for a request with this id; none if it has no id. The content is the same bytes
/// whenever the request asks for the same.
pub(super) fn request(
    player: Option<PlayerId>,
    id: &str,
    content: impl FnOnce() -> Vec<u8>,
) -> Result<Option<Request>, Status> {
    if id.is_empty() {
        return Ok(None);
    }
    let id = uuid("request_id", id)?;
    Ok(Some(session::request(player, id, &content())))
}

/// An instant as a message.
pub(super) fn timestamp(time: Time) -> Timestamp {
    Timestamp {
        seconds: time.0.div_euclid(1_000),
        // Below 1,000 million.
        nanos: (time.0.rem_euclid(1_000) * 1_000_000) as i32,
    }
}

/// A status in a request; unspecified is none.
pub(super) fn status(code: i32) -> Result<Option<proto::GameStatus>, Status> {
    match proto::GameStatus::try_from(code) {
        Ok(proto::GameStatus::Unspecified) => Ok(None),
        Ok(status) => Ok(Some(status)),
        Err(_) => Err(invalid("status", "is no status")),
    }
}

fn status_code(status: GameStatus) -> i32 {
    match status {
        GameStatus::Waiting => proto::GameStatus::Waiting,
        GameStatus::Active => proto::GameStatus::Active,
        GameStatus::Finished => proto::GameStatus::Finished,
    }
    .into()
}

fn seat_message(seat: &Seat) -> proto::Seat {
    proto::Seat {
        seat: Some(match seat {
            Seat::Open => seat::Seat::Open(proto::OpenSeat {}),
            Seat::Player(player) => seat::Seat::PlayerId(player.to_string()),
            Seat::Invited(player) => seat::Seat::InvitedPlayerId(player.to_string()),
        }),
    }
}

/// A game without its moves and rounds. Its rules are those it was created with.
pub(super) fn summary(summary: &Summary) -> Result<proto::Game, Status> {
    let created = &summary.created;
    let rules = created
        .rules()
        .ok_or_else(|| super::error::Reason::Internal.plain())?;
    Ok(without_history(summary, rules))
}

/// A whole game.
pub(super) fn game(game: &Game) -> proto::Game {
    let moves = game.moves().map(|(mover, hole, round)| proto::Move {
        mover: board::side_code(mover),
        hole: hole.into(),
        round,
    });
    proto::Game {
        moves: moves.collect(),
        rounds: game.rounds().iter().map(board::round_result).collect(),
        ..without_history(game.summary(), game.rules())
    }
}

fn without_history(summary: &Summary, rules: &Rules) -> proto::Game {
    let Summary {
        created,
        start,
        state,
        seats,
        seq,
        create_time,
        update_time,
    } = summary;
    let Created {
        game_id,
        creator,
        variant,
        holes,
        seeds,
        rule_set,
        seats: _,
        target_wins,
        visibility,
        join_code: _,
        custom_start,
    } = &**created;
    let Standing {
        position,
        turn,
        ply,
        status,
        round,
        result,
    } = state;
    proto::Game {
        game_id: game_id.to_string(),
        variant: variant.clone(),
        holes: (*holes).into(),
        rules_digest: rule_set.digest().to_owned(),
        start_position: Some(board::position(variant, rules, start)),
        position: Some(board::position(variant, rules, position)),
        turn: *turn,
        ply: *ply,
        moves: Vec::new(),
        south: Some(seat_message(&seats.south)),
        north: Some(seat_message(&seats.north)),
        status: status_code(*status),
        result: result.as_ref().map(board::result),
        round: *round,
        rounds: Vec::new(),
        target_wins: *target_wins,
        visibility: match visibility {
            Visibility::Public => proto::Visibility::Public,
            Visibility::Unlisted => proto::Visibility::Unlisted,
            Visibility::Private => proto::Visibility::Private,
        }
        .into(),
        seq: *seq,
        create_time: Some(timestamp(*create_time)),
        update_time: Some(timestamp(*update_time)),
        creator_id: creator.to_string(),
        custom_start: *custom_start,
        seeds: (*seeds).into(),
    }
}

/// Largest outcome that is sent with its steps, in bytes: it leaves room for a whole game beside it.
const MOST_OUTCOME: usize = super::MAX_ANSWER / 2;

/// What conversions of a game's changes need to know of the game.
#[derive(Clone)]
pub(super) struct Names {
    variant: String,
    rules: Arc<Rules>,
    omit_steps: bool,
}

impl Names {
    pub(super) fn new(variant: &str, rules: &Arc<Rules>, omit_steps: bool) -> Names {
        Names {
            variant: variant.to_owned(),
            rules: rules.clone(),
            omit_steps,
        }
    }

    /// A move of a game as a message.
    pub(super) fn outcome(&self, change: &Change, moved: &Moved) -> proto::MoveOutcome {
        let Names {
            variant,
            rules,
            omit_steps,
        } = self;
        let state = &change.record.state;
        let steps = match omit_steps {
            true => Vec::new(),
            false => moved.steps(rules, &change.before, state),
        };
        let Moved {
            mover,
            hole,
            captured,
            laps,
            passed,
            round_end: _,
            round_result,
        } = moved;
        let mut outcome = proto::MoveOutcome {
            mover: board::side_code(*mover),
            hole: (*hole).into(),
            steps: steps.iter().map(board::step).collect(),
            captured: (*captured).into(),
            laps: *laps,
            position: Some(board::position(variant, rules, &state.position)),
            passed: board::side_code(*passed),
            round_result: round_result.as_ref().map(board::round_result),
            result: state.result.as_ref().map(board::result),
        };
        // A move that is made must be told of, however long its steps.
        if outcome.encoded_len() > MOST_OUTCOME {
            outcome.steps.clear();
        }
        outcome
    }

    /// A change of a game as a message of a watch.
    pub(super) fn event(&self, change: &Change) -> Message {
        let Record {
            seq,
            time,
            request: _,
            state,
            event,
        } = &change.record;
        let event = match event {
            Event::Created(created) => game_event::Change::Created(proto::GameCreated {
                creator_id: created.creator.to_string(),
                south: Some(seat_message(&created.seats.south)),
                north: Some(seat_message(&created.seats.north)),
            }),
            Event::SeatTaken { side, player } => game_event::Change::SeatTaken(proto::SeatTaken {
                side: board::side_code(*side),
                player_id: player.to_string(),
            }),
            Event::Moved(moved) => game_event::Change::Moved(self.outcome(change, moved)),
            Event::Resigned { side } => game_event::Change::Resigned(proto::Resigned {
                side: board::side_code(*side),
            }),
        };
        Message::Event(proto::GameEvent {
            seq: *seq,
            create_time: Some(timestamp(*time)),
            state: Some(self.state(state)),
            change: Some(event),
        })
    }

    fn state(&self, state: &Standing) -> proto::GameState {
        let Standing {
            position,
            turn,
            ply,
            status,
            round,
            result,
        } = state;
        proto::GameState {
            position: Some(board::position(&self.variant, &self.rules, position)),
            turn: *turn,
            ply: *ply,
            status: status_code(*status),
            round: *round,
            result: result.as_ref().map(board::result),
        }
    }
}
