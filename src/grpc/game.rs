//! Games and their events as messages.

use std::sync::Arc;

use prost::Message as _;
use prost_types::Timestamp;
use tonic::Status;
use tracing::{Span, field};
use uuid::Uuid;

use super::{
    board, clocks,
    error::invalid,
    proto::{self, game_event, seat},
};
use crate::{
    game::{
        Answered, Clocks, Created, Event, Game, GameId, Imported, Moved, Offer, OfferKind,
        PlayerId, Record, Seat, Standing, Status as GameStatus, Summary, Time, Visibility,
    },
    rules::{BySide, Rules, Side},
    session::Change,
};

/// The id of the game that a request names, and that its span then names too.
pub(super) fn named(text: &str) -> Result<GameId, Status> {
    let id = uuid("game_id", text).map(GameId)?;
    name(id);
    Ok(id)
}

/// Puts a game's name on the call's span.
pub(super) fn name(id: GameId) {
    Span::current().record("game", field::display(id));
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

/// An instant as a message.
pub(super) fn timestamp(time: Time) -> Timestamp {
    Timestamp {
        seconds: time.0.div_euclid(1_000),
        // Below 1,000 million.
        nanos: (time.0.rem_euclid(1_000) * 1_000_000) as i32,
    }
}

fn status_code(status: GameStatus) -> i32 {
    match status {
        GameStatus::Waiting => proto::GameStatus::Waiting,
        GameStatus::Active => proto::GameStatus::Active,
        GameStatus::Finished => proto::GameStatus::Finished,
        GameStatus::Aborted => proto::GameStatus::Aborted,
    }
    .into()
}

/// Seats of a game as messages, with the names that it was imported with.
fn seat_messages(created: &Created, seats: &BySide<Seat>) -> BySide<Option<proto::Seat>> {
    let name = |side: Side| {
        let imported = created.imported.as_deref();
        imported.map_or_else(String::new, |Imported { names, .. }| names[side].clone())
    };
    BySide::from_fn(|side: Side| {
        let seat = match seats[side] {
            Seat::Open => seat::Seat::Open(proto::OpenSeat {}),
            Seat::Player(player) => seat::Seat::PlayerId(player.to_string()),
            Seat::Invited(player) => seat::Seat::InvitedPlayerId(player.to_string()),
            Seat::Named => seat::Seat::Named(proto::NamedSeat { name: name(side) }),
        };
        Some(proto::Seat { seat: Some(seat) })
    })
}

fn offer_message(offer: &Offer) -> proto::Offer {
    let Offer { id, kind, side } = offer;
    proto::Offer {
        offer_id: *id,
        kind: match kind {
            OfferKind::Draw => proto::OfferKind::Draw,
            OfferKind::Takeback => proto::OfferKind::Takeback,
        }
        .into(),
        side: board::side_code(*side),
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

/// A game as a message, with its clocks as they stand at a moment.
pub(super) fn at(mut game: proto::Game, (clocks, moment): (Clocks, Time)) -> proto::Game {
    if game.clocks.is_some() {
        game.clocks = Some(clocks::message(&clocks, moment));
    }
    game
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
        rematch_of,
        imported,
        time_control,
    } = &**created;
    let Standing {
        position,
        turn,
        ply,
        status,
        round,
        result,
        offer,
        clocks,
    } = state;
    let seats = seat_messages(created, seats);
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
        south: seats.south,
        north: seats.north,
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
        open_offer: offer.as_ref().map(offer_message),
        imported: imported.is_some(),
        time_control: Some(clocks::control_message(*time_control)),
        clocks: imported
            .is_none()
            .then(|| clocks::message(clocks, *update_time)),
        rematch_of_game_id: rematch_of.map(|game| game.to_string()).unwrap_or_default(),
    }
}

/// Largest outcome that is sent with its steps, in bytes: it leaves room for a whole game beside it.
const MOST_OUTCOME: usize = super::MAX_ANSWER / 2;

/// What conversions of a game's changes need to know of the game.
#[derive(Clone)]
pub(super) struct Names {
    variant: String,
    rules: Arc<Rules>,
    pub(super) omit_steps: bool,
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

    /// A change of a game as a message.
    pub(super) fn event(&self, change: &Change) -> proto::GameEvent {
        let Record {
            seq,
            time,
            request: _,
            state,
            event,
        } = &change.record;
        let event = match event {
            Event::Created(created) => {
                let seats = seat_messages(created, &created.seats);
                game_event::Change::Created(proto::GameCreated {
                    creator_id: created.creator.to_string(),
                    south: seats.south,
                    north: seats.north,
                })
            }
            Event::SeatTaken { side, player } => game_event::Change::SeatTaken(proto::SeatTaken {
                side: board::side_code(*side),
                player_id: player.to_string(),
            }),
            Event::Moved(moved) => game_event::Change::Moved(self.outcome(change, moved)),
            Event::Resigned { side } => game_event::Change::Resigned(proto::Resigned {
                side: board::side_code(*side),
            }),
            Event::TimedOut { side } => game_event::Change::TimedOut(proto::TimedOut {
                side: board::side_code(*side),
            }),
            Event::Offered => game_event::Change::OfferMade(proto::OfferMade {
                offer: state.offer.as_ref().map(offer_message),
            }),
            Event::Answered(answered) => {
                let Answered {
                    offer,
                    accepted,
                    taken_back,
                } = &**answered;
                let taken_back = taken_back.as_ref();
                game_event::Change::OfferAnswered(proto::OfferAnswered {
                    offer: Some(offer_message(offer)),
                    accepted: *accepted,
                    moves_taken_back: taken_back.map_or(0, |taken| taken.moves),
                })
            }
            Event::Aborted { by, audit } => game_event::Change::Aborted(proto::GameAborted {
                by_admin: audit.is_some(),
                player_id: by.map(|player| player.to_string()).unwrap_or_default(),
            }),
        };
        proto::GameEvent {
            seq: *seq,
            create_time: Some(timestamp(*time)),
            state: Some(self.state(state, *time)),
            change: Some(event),
        }
    }

    fn state(&self, state: &Standing, time: Time) -> proto::GameState {
        let Standing {
            position,
            turn,
            ply,
            status,
            round,
            result,
            offer,
            clocks,
        } = state;
        proto::GameState {
            position: Some(board::position(&self.variant, &self.rules, position)),
            turn: *turn,
            ply: *ply,
            status: status_code(*status),
            round: *round,
            result: result.as_ref().map(board::result),
            open_offer: offer.as_ref().map(offer_message),
            clocks: Some(clocks::message(clocks, time)),
        }
    }
}
