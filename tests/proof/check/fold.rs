//! A log folded afresh, as the messages that the service would show of it. Positions are their texts alone:
//! that the fields agree with the text is another promise. Written anew, not the service's own code.

use mancala::{
    game::{
        EndReason, Event, Game, GameResult, Offer, OfferKind, Outcome, Record, RoundResult, Seat,
        Standing, Status, Time, TimeControl, Visibility,
    },
    grpc::proto::{self, game_event::Change, seat},
    rules::{Position, Reason, Rules, Side},
};

/// A side's number in messages.
pub(super) fn side(side: Option<Side>) -> i32 {
    match side {
        None => 0,
        Some(Side::South) => 1,
        Some(Side::North) => 2,
    }
}

pub(super) fn duration(millis: i64) -> prost_types::Duration {
    prost_types::Duration {
        seconds: millis.div_euclid(1_000),
        nanos: (millis.rem_euclid(1_000) * 1_000_000) as i32,
    }
}

pub(super) fn timestamp(time: Time) -> prost_types::Timestamp {
    let prost_types::Duration { seconds, nanos } = duration(time.0);
    prost_types::Timestamp { seconds, nanos }
}

fn text(rules: &Rules, position: &Position) -> Option<proto::Position> {
    Some(proto::Position {
        text: rules.text(position).to_string(),
        ..Default::default()
    })
}

/// Leaves nothing but the text of a position.
fn bare(position: &mut Option<proto::Position>) {
    if let Some(position) = position {
        *position = proto::Position {
            text: std::mem::take(&mut position.text),
            ..Default::default()
        };
    }
}

/// A game as it was shown, to be compared.
pub(super) fn bare_game(game: &proto::Game) -> proto::Game {
    let mut game = game.clone();
    bare(&mut game.position);
    bare(&mut game.start_position);
    game
}

/// A move as it was shown, to be compared.
pub(super) fn bare_outcome(outcome: &proto::MoveOutcome) -> proto::MoveOutcome {
    let mut outcome = outcome.clone();
    bare(&mut outcome.position);
    outcome.steps.clear();
    outcome
}

/// An event as it was shown, to be compared.
pub(super) fn bare_event(event: &proto::GameEvent) -> proto::GameEvent {
    let mut event = event.clone();
    if let Some(state) = &mut event.state {
        bare(&mut state.position);
    }
    if let Some(Change::Moved(outcome)) = &mut event.change {
        *outcome = bare_outcome(outcome);
    }
    event
}

fn status(status: Status) -> i32 {
    match status {
        Status::Waiting => 1,
        Status::Active => 2,
        Status::Finished => 3,
        Status::Aborted => 4,
    }
}

fn winner(winner: Option<Side>) -> i32 {
    match winner {
        Some(Side::South) => 1,
        Some(Side::North) => 2,
        None => 3,
    }
}

fn reason(reason: EndReason) -> i32 {
    let reason = match reason {
        EndReason::Rules(Reason::NoMoves) => proto::EndReason::NoMoves,
        EndReason::Rules(Reason::EmptyRow) => proto::EndReason::EmptyRow,
        EndReason::Rules(Reason::Majority) => proto::EndReason::Majority,
        EndReason::Rules(Reason::HolesClosed) => proto::EndReason::HolesClosed,
        EndReason::Rules(Reason::Repetition) => proto::EndReason::Repetition,
        EndReason::Rules(Reason::TooLong) => proto::EndReason::TooLong,
        EndReason::Series => proto::EndReason::Series,
        EndReason::Resignation => proto::EndReason::Resignation,
        EndReason::Timeout => proto::EndReason::Timeout,
        EndReason::Agreement => proto::EndReason::Agreement,
        EndReason::Aborted => proto::EndReason::Aborted,
    };
    reason.into()
}

fn result(result: &GameResult) -> proto::Result {
    proto::Result {
        outcome: match result.outcome() {
            Outcome::Won(side) => winner(Some(side)),
            Outcome::Drawn => winner(None),
            Outcome::NoResult => proto::Outcome::NoResult.into(),
        },
        reason: reason(result.reason),
        south_score: result.score.south,
        north_score: result.score.north,
    }
}

fn round(round: &RoundResult) -> proto::RoundResult {
    proto::RoundResult {
        round: round.round,
        outcome: winner(round.winner),
        reason: reason(EndReason::Rules(round.reason)),
        south_score: round.score.south.into(),
        north_score: round.score.north.into(),
        first: side(Some(round.first)),
    }
}

fn offer(offer: &Offer) -> proto::Offer {
    proto::Offer {
        offer_id: offer.id,
        kind: match offer.kind {
            OfferKind::Draw => 1,
            OfferKind::Takeback => 2,
        },
        side: side(Some(offer.side)),
    }
}

fn clocks(state: &Standing, time: Time) -> proto::Clocks {
    proto::Clocks {
        south: Some(duration(state.clocks.left.south)),
        north: Some(duration(state.clocks.left.north)),
        running: side(state.clocks.running),
        server_time: Some(timestamp(time)),
    }
}

fn seat(game: &Game, seat: Seat, on: Side) -> Option<proto::Seat> {
    let imported = game.created().imported.as_ref();
    let seat = match seat {
        Seat::Open => seat::Seat::Open(proto::OpenSeat {}),
        Seat::Player(player) => seat::Seat::PlayerId(player.to_string()),
        Seat::Invited(player) => seat::Seat::InvitedPlayerId(player.to_string()),
        Seat::Named => seat::Seat::Named(proto::NamedSeat {
            name: imported.map_or_else(String::new, |imported| imported.names[on].clone()),
        }),
    };
    Some(proto::Seat { seat: Some(seat) })
}

/// The game as it is to be shown, with its clocks at its newest event.
pub(super) fn game(game: &Game, whole: bool) -> proto::Game {
    let (summary, created, state) = (game.summary(), game.created(), game.state());
    let made = game.moves().map(|(mover, hole, round)| proto::Move {
        mover: side(Some(mover)),
        hole: hole.into(),
        round,
    });
    let control = match created.time_control {
        TimeControl::PerMove(time) => proto::time_control::Control::PerMove(duration(time)),
        TimeControl::Base { base, increment } => {
            proto::time_control::Control::BaseTime(proto::BaseTime {
                base: Some(duration(base)),
                increment: Some(duration(increment)),
            })
        }
    };
    proto::Game {
        game_id: created.game_id.to_string(),
        variant: created.variant.clone(),
        holes: created.holes.into(),
        rules_digest: created.rule_set.digest().into(),
        start_position: text(game.rules(), &summary.start),
        position: text(game.rules(), &state.position),
        turn: state.turn,
        ply: state.ply,
        moves: if whole { made.collect() } else { Vec::new() },
        south: seat(game, summary.seats.south, Side::South),
        north: seat(game, summary.seats.north, Side::North),
        status: status(state.status),
        result: state.result.as_ref().map(result),
        round: state.round,
        rounds: match whole {
            true => game.rounds().iter().map(round).collect(),
            false => Vec::new(),
        },
        target_wins: created.target_wins,
        visibility: match created.visibility {
            Visibility::Public => 1,
            Visibility::Unlisted => 2,
            Visibility::Private => 3,
        },
        seq: summary.seq,
        create_time: Some(timestamp(summary.create_time)),
        update_time: Some(timestamp(summary.update_time)),
        creator_id: created.creator.to_string(),
        custom_start: created.custom_start,
        seeds: created.seeds.into(),
        open_offer: state.offer.as_ref().map(offer),
        imported: created.imported.is_some(),
        rematch_of_game_id: created
            .rematch_of
            .map_or_else(String::new, |id| id.to_string()),
        time_control: Some(proto::TimeControl {
            control: Some(control),
        }),
        clocks: created
            .imported
            .is_none()
            .then(|| clocks(state, summary.update_time)),
    }
}

/// What a move did, as it is to be shown without steps; `None` if the event is none.
pub(super) fn outcome(game: &Game, record: &Record) -> Option<proto::MoveOutcome> {
    let Event::Moved(moved) = &record.event else {
        return None;
    };
    Some(proto::MoveOutcome {
        mover: side(Some(moved.mover)),
        hole: moved.hole.into(),
        steps: Vec::new(),
        captured: moved.captured.into(),
        laps: moved.laps,
        position: text(game.rules(), &record.state.position),
        passed: side(moved.passed),
        round_result: moved.round_result.as_ref().map(round),
        result: record.state.result.as_ref().map(result),
    })
}

/// An event as it is to be shown, after which the game is so.
pub(super) fn event(game: &Game, record: &Record) -> proto::GameEvent {
    let state = &record.state;
    let change = match &record.event {
        Event::Created(created) => Change::Created(proto::GameCreated {
            creator_id: created.creator.to_string(),
            south: seat(game, created.seats.south, Side::South),
            north: seat(game, created.seats.north, Side::North),
        }),
        Event::SeatTaken { side: on, player } => Change::SeatTaken(proto::SeatTaken {
            side: side(Some(*on)),
            player_id: player.to_string(),
        }),
        Event::Moved(_) => Change::Moved(outcome(game, record).unwrap_or_default()),
        Event::Resigned { side: by } => Change::Resigned(proto::Resigned {
            side: side(Some(*by)),
        }),
        Event::TimedOut { side: by } => Change::TimedOut(proto::TimedOut {
            side: side(Some(*by)),
        }),
        Event::Offered => Change::OfferMade(proto::OfferMade {
            offer: state.offer.as_ref().map(offer),
        }),
        Event::Answered(answered) => Change::OfferAnswered(proto::OfferAnswered {
            offer: Some(offer(&answered.offer)),
            accepted: answered.accepted,
            moves_taken_back: answered.taken_back.as_ref().map_or(0, |taken| taken.moves),
        }),
        Event::Aborted { by, audit } => Change::Aborted(proto::GameAborted {
            by_admin: audit.is_some(),
            player_id: by.map_or_else(String::new, |player| player.to_string()),
        }),
    };
    proto::GameEvent {
        seq: record.seq,
        create_time: Some(timestamp(record.time)),
        state: Some(proto::GameState {
            position: text(game.rules(), &state.position),
            turn: state.turn,
            ply: state.ply,
            status: status(state.status),
            round: state.round,
            result: state.result.as_ref().map(result),
            open_offer: state.offer.as_ref().map(offer),
            clocks: Some(clocks(state, record.time)),
        }),
        change: Some(change),
    }
}
