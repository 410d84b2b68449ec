//! Boards, moves and results as messages, and positions from them.

use std::sync::Arc;

use tonic::Status;

use super::{
    Limit,
    error::{Reason, invalid, of_board},
    proto::{self, step},
};
use crate::{
    catalog::{Catalog, Variant},
    game::{EndReason, GameResult, RoundResult},
    rules::{
        self, BlockReason, BySide, HoleSet, IllegalMove, Played, Position, RoundEnd, Rules, Setup,
        Side, Step,
    },
};

/// Longest id of a variant, in bytes.
const MAX_VARIANT_ID: usize = 32;

/// The variant with this id.
pub(super) fn variant<'a>(catalog: &'a Catalog, id: &str) -> Result<&'a Arc<Variant>, Status> {
    if id.is_empty() {
        return Err(invalid("variant", "is required"));
    }
    // Not found is told with the id: it must fit the answer's headers.
    if id.len() > MAX_VARIANT_ID {
        return Err(invalid("variant", "is at most 32 bytes"));
    }
    let missing = || Reason::VariantNotFound.not_found("mancala.v1.Variant", id);
    catalog.get(id).ok_or_else(missing)
}

/// The rules of a variant for a board size and a choice of seeds; 0 stands for its defaults.
pub(super) fn rules(variant: &Variant, holes: u32, seeds: u32) -> Result<&Arc<Rules>, Status> {
    let asked = |number: u32| (number != 0).then_some(number);
    let rules = variant.rule_set().board(asked(holes), asked(seeds));
    rules.map_err(|error| of_board(&error))
}

/// A side, or nobody.
pub(super) fn maybe_side(field: &str, code: i32) -> Result<Option<Side>, Status> {
    match proto::Side::try_from(code) {
        Ok(proto::Side::Unspecified) => Ok(None),
        Ok(proto::Side::South) => Ok(Some(Side::South)),
        Ok(proto::Side::North) => Ok(Some(Side::North)),
        Err(_) => Err(invalid(field, "is no side")),
    }
}

/// A side as a message has it.
pub(super) fn side_code(side: impl Into<Option<Side>>) -> i32 {
    match side.into() {
        None => proto::Side::Unspecified,
        Some(Side::South) => proto::Side::South,
        Some(Side::North) => proto::Side::North,
    }
    .into()
}

/// A position that a request gives, with its variant and rules.
pub(super) fn read_position<'a>(
    catalog: &'a Catalog,
    field: &str,
    position: Option<&proto::Position>,
) -> Result<(&'a Arc<Variant>, &'a Arc<Rules>, Position), Status> {
    let position = position.ok_or_else(|| invalid(field, "is required"))?;
    let variant = variant(catalog, &position.variant)?;
    let refused = |problem: String| Reason::InvalidPosition.field(field, problem);
    let from_text = match position.text.as_str() {
        "" => None,
        text => Some(
            variant
                .parse(text)
                .map_err(|error| refused(error.to_string()))?,
        ),
    };
    let (rules, read) = match from_text {
        Some(read) if !has_fields(position) => read,
        _ => read_fields(variant, position).map_err(refused)?,
    };
    if from_text.is_some_and(|(_, from_text)| from_text != read) {
        return Err(refused("its text and its other fields don't agree".into()));
    }
    if position.holes != 0 && position.holes != u32::from(read.holes()) {
        return Err(refused("holes doesn't agree with the rows".into()));
    }
    Ok((variant, rules, read))
}

/// Whether a position says more than its variant, its size and its text.
fn has_fields(position: &proto::Position) -> bool {
    let proto::Position {
        variant: _,
        holes: _,
        south,
        north,
        south_store,
        north_store,
        to_move,
        closed_holes,
        unopened_holes,
        round,
        first,
        removed: _,
        text: _,
        swap,
    } = position;
    let lists = [south, north, closed_holes, unopened_holes];
    lists.iter().any(|list| !list.is_empty())
        || [south_store, north_store, round]
            .iter()
            .any(|number| **number != 0)
        || [to_move, first, swap].iter().any(|side| **side != 0)
}

fn read_fields<'a>(
    variant: &'a Variant,
    position: &proto::Position,
) -> Result<(&'a Arc<Rules>, Position), String> {
    let proto::Position {
        variant: _,
        holes: _,
        south,
        north,
        south_store,
        north_store,
        to_move,
        closed_holes,
        unopened_holes,
        round,
        first,
        removed: _,
        text: _,
        swap,
    } = position;
    let holes = u8::try_from(south.len()).map_err(|_| "its rows are too long")?;
    variant
        .rules(holes)
        .ok_or("no board of the variant has such rows")?;
    let set = |given: &[u32]| -> Result<HoleSet, String> {
        let bounded = given
            .iter()
            .map(|hole| u8::try_from(*hole).ok().filter(|hole| *hole < 2 * holes));
        bounded
            .collect::<Option<_>>()
            .ok_or_else(|| "there is no such hole".into())
    };
    let (closed, unopened) = (set(closed_holes)?, set(unopened_holes)?);
    let side = |code| maybe_side("", code).map_err(|_| "there is no such side");
    let row = |seeds: &[u32], first: u8| -> Result<Vec<Option<u32>>, String> {
        let cell = |(hole, seeds): (u8, &u32)| match closed.contains(hole) {
            false => Ok(Some(*seeds)),
            true if *seeds == 0 => Ok(None),
            true => Err("a closed hole holds seeds".into()),
        };
        (first..=u8::MAX).zip(seeds).map(cell).collect()
    };
    let setup = Setup {
        rows: BySide {
            south: row(south, 0)?,
            north: row(north, holes)?,
        },
        stores: BySide {
            south: *south_store,
            north: *north_store,
        },
        to_move: side(*to_move)?,
        unopened,
        round: (*round > 0).then_some(*round),
        first: side(*first)?,
        swap: side(*swap)?,
    };
    let checked = variant.rule_set().position(&setup);
    checked.map_err(|error| error.to_string())
}

/// A position as a message.
pub(super) fn position(variant: &str, rules: &Rules, position: &Position) -> proto::Position {
    let row = |side| position.row(side).map(u32::from).collect();
    let stores = position.stores();
    proto::Position {
        variant: variant.to_owned(),
        holes: position.holes().into(),
        south: row(Side::South),
        north: row(Side::North),
        south_store: stores.south.into(),
        north_store: stores.north.into(),
        to_move: side_code(position.to_move()),
        closed_holes: holes(position.closed()),
        unopened_holes: holes(position.unopened()),
        round: position.round().unwrap_or(0).into(),
        first: side_code(position.round().map(|_| position.first())),
        removed: rules.removed(position).into(),
        text: rules.text(position).to_string(),
        swap: side_code(position.swap()),
    }
}

fn holes(set: HoleSet) -> Vec<u32> {
    set.iter().map(u32::from).collect()
}

/// A step as a message.
pub(super) fn step(step: &Step) -> proto::Step {
    let step = match step {
        Step::Lift { hole, seeds } => step::Step::Lift(step::Lift {
            hole: (*hole).into(),
            seeds: (*seeds).into(),
        }),
        Step::Drop { holes } => step::Step::Drop(step::Drop {
            holes: holes.iter().map(|hole| u32::from(*hole)).collect(),
        }),
        Step::Capture { hole, seeds, to } => step::Step::Capture(step::Capture {
            hole: (*hole).into(),
            seeds: (*seeds).into(),
            to: side_code(*to),
        }),
        Step::Swap { side } => step::Step::Swap(step::Swap {
            side: side_code(*side),
        }),
        Step::Pass { side } => step::Step::Pass(step::Pass {
            side: side_code(*side),
        }),
        Step::Sweep {
            side,
            seeds,
            holes: swept,
        } => step::Step::Sweep(step::Sweep {
            side: side_code(*side),
            seeds: (*seeds).into(),
            holes: holes(*swept),
        }),
        Step::NewRound { position } => step::Step::NewRound(new_round(position)),
    };
    proto::Step { step: Some(step) }
}

fn new_round(position: &Position) -> step::NewRound {
    let row = |side| position.row(side).map(u32::from).collect();
    step::NewRound {
        to_move: side_code(position.to_move()),
        south: row(Side::South),
        north: row(Side::North),
        south_store: position.store(Side::South).into(),
        north_store: position.store(Side::North).into(),
        closed_holes: holes(position.closed()),
    }
}

/// What a move does by the bare rules.
pub(super) fn outcome(
    variant: &str,
    rules: &Rules,
    before: &Position,
    played: &Played,
    steps: &[Step],
) -> proto::MoveOutcome {
    proto::MoveOutcome {
        mover: side_code(played.mover),
        hole: played.hole.into(),
        steps: steps.iter().map(step).collect(),
        captured: played.captured.into(),
        laps: played.laps,
        position: Some(position(variant, rules, &played.position)),
        passed: side_code(played.passed),
        round_result: before
            .round()
            .and(played.round_end.as_ref())
            .map(bare_round),
        result: played.end.map(|end| result(&GameResult::from(&end))),
    }
}

fn bare_round(end: &RoundEnd) -> proto::RoundResult {
    proto::RoundResult {
        round: end.position.round().unwrap_or(0).into(),
        outcome: winner_code(end.winner),
        reason: reason_code(EndReason::Rules(end.reason)),
        south_score: end.score.south.into(),
        north_score: end.score.north.into(),
        first: side_code(end.position.starter()),
    }
}

/// A game's result as a message.
pub(super) fn result(result: &GameResult) -> proto::Result {
    let GameResult {
        winner,
        reason,
        score,
    } = result;
    proto::Result {
        outcome: match reason {
            EndReason::Aborted => proto::Outcome::NoResult.into(),
            _ => winner_code(*winner),
        },
        reason: reason_code(*reason),
        south_score: score.south,
        north_score: score.north,
    }
}

/// A finished round of a game as a message.
pub(super) fn round_result(round: &RoundResult) -> proto::RoundResult {
    let RoundResult {
        round,
        winner,
        reason,
        score,
        first,
        plies: _,
    } = round;
    proto::RoundResult {
        round: *round,
        outcome: winner_code(*winner),
        reason: reason_code(EndReason::Rules(*reason)),
        south_score: score.south.into(),
        north_score: score.north.into(),
        first: side_code(*first),
    }
}

fn winner_code(winner: Option<Side>) -> i32 {
    match winner {
        Some(Side::South) => proto::Outcome::SouthWon,
        Some(Side::North) => proto::Outcome::NorthWon,
        None => proto::Outcome::Drawn,
    }
    .into()
}

fn reason_code(reason: EndReason) -> i32 {
    match reason {
        EndReason::Rules(rules::Reason::NoMoves) => proto::EndReason::NoMoves,
        EndReason::Rules(rules::Reason::EmptyRow) => proto::EndReason::EmptyRow,
        EndReason::Rules(rules::Reason::Majority) => proto::EndReason::Majority,
        EndReason::Rules(rules::Reason::HolesClosed) => proto::EndReason::HolesClosed,
        EndReason::Rules(rules::Reason::Repetition) => proto::EndReason::Repetition,
        EndReason::Rules(rules::Reason::TooLong) => proto::EndReason::TooLong,
        EndReason::Series => proto::EndReason::Series,
        EndReason::Resignation => proto::EndReason::Resignation,
        EndReason::Timeout => proto::EndReason::Timeout,
        EndReason::Agreement => proto::EndReason::Agreement,
        EndReason::Aborted => proto::EndReason::Aborted,
    }
    .into()
}

/// Why a hole may not be played, as a number of the schema.
pub(super) fn block_code(reason: BlockReason) -> i32 {
    match reason {
        BlockReason::SowingTooLong => proto::BlockReason::SowingTooLong,
        BlockReason::TooFewSeeds => proto::BlockReason::TooFewSeeds,
        BlockReason::AlreadyOpened => proto::BlockReason::AlreadyOpened,
        BlockReason::NotTheOpeningHole => proto::BlockReason::NotTheOpeningHole,
        BlockReason::DoesNotFeed => proto::BlockReason::DoesNotFeed,
        BlockReason::GrandSlam => proto::BlockReason::GrandSlam,
    }
    .into()
}

/// Plays one move by the bare rules.
pub(super) fn play(
    variant: &str,
    rules: &Rules,
    position: &Position,
    hole: u32,
    omit_steps: bool,
) -> Result<(Position, proto::MoveOutcome), IllegalMove> {
    let mut steps = Vec::new();
    let played = if omit_steps {
        rules.play(position, hole)
    } else {
        rules.play_recorded(position, hole, &mut steps)
    }?;
    Ok((
        played.position,
        outcome(variant, rules, position, &played, &steps),
    ))
}

/// Outcomes that grow to an answer, as long as it is not too large.
pub(super) struct Answer {
    pub(super) outcomes: Vec<proto::MoveOutcome>,
    bytes: usize,
    most_bytes: usize,
}

impl Answer {
    /// Tags and lengths around the outcomes, generously.
    const OVERHEAD: usize = 1024;

    pub(super) fn new(most_bytes: usize) -> Answer {
        Answer {
            outcomes: Vec::new(),
            bytes: Answer::OVERHEAD,
            most_bytes,
        }
    }

    pub(super) fn push(&mut self, outcome: proto::MoveOutcome) -> Result<(), Status> {
        self.bytes += prost::Message::encoded_len(&outcome) + 8;
        if self.bytes > self.most_bytes {
            return Err(Reason::AnswerTooLarge.quota(Limit::AnswerBytes));
        }
        self.outcomes.push(outcome);
        Ok(())
    }
}
