//! What entries are made of: positions, results, requests, sides, ids.

use uuid::Uuid;

use super::{Decoded, proto, unknown};
use crate::{
    game::{EndReason, GameId, GameResult, PlayerId, Request, RoundResult},
    rules::{Board, BySide, HoleSet, MAX_HOLES, Position, Reason, Side},
};

pub(super) fn encode_position(position: &Position) -> proto::Position {
    let ring = 0..2 * position.holes();
    let rounds = position.round();
    proto::Position {
        ring: ring.map(|hole| position.seeds(hole)).collect(),
        south_store: position.store(Side::South).into(),
        north_store: position.store(Side::North).into(),
        to_move: side_code(position.to_move()),
        closed: position.closed().0,
        unopened: position.unopened().0,
        round: rounds.unwrap_or(0).into(),
        first: side_code(rounds.map(|_| position.first())),
        swap: side_code(position.swap()),
    }
}

pub(super) fn decode_position(message: proto::Position) -> Decoded<Position> {
    let proto::Position {
        ring,
        south_store,
        north_store,
        to_move,
        closed,
        unopened,
        round,
        first,
        swap,
    } = message;
    let holes = u8::try_from(ring.len() / 2).map_err(|_| unknown())?;
    if ring.len() % 2 == 1 || !(1..=MAX_HOLES).contains(&holes) {
        return Err(unknown());
    }
    let mut board = Board::default();
    let (south, north) = ring.split_at(holes.into());
    for (side, row, store) in [
        (Side::South, south, south_store),
        (Side::North, north, north_store),
    ] {
        let store = u8::try_from(store).map_err(|_| unknown())?;
        let cells = row.iter().chain([&store]);
        (0..)
            .zip(cells)
            .for_each(|(hole, seeds)| board.set(side, hole, *seeds));
    }
    Ok(Position {
        board,
        closed: HoleSet(closed),
        unopened: HoleSet(unopened),
        round: u16::try_from(round).map_err(|_| unknown())?,
        holes,
        to_move: maybe_side(to_move)?,
        first: maybe_side(first)?.unwrap_or(Side::South),
        swap: maybe_side(swap)?,
    })
}

pub(super) fn encode_round(round: &RoundResult) -> proto::RoundResult {
    let RoundResult {
        round,
        winner,
        reason,
        score,
        first,
        plies,
    } = round;
    proto::RoundResult {
        round: *round,
        winner: side_code(*winner),
        reason: reason_code(EndReason::Rules(*reason)),
        south_score: score.south.into(),
        north_score: score.north.into(),
        first: side_code(Some(*first)),
        plies: *plies,
    }
}

pub(super) fn decode_round(message: proto::RoundResult) -> Decoded<RoundResult> {
    let proto::RoundResult {
        round,
        winner,
        reason,
        south_score,
        north_score,
        first,
        plies,
    } = message;
    let EndReason::Rules(reason) = reason_of(reason)? else {
        return Err(unknown());
    };
    Ok(RoundResult {
        round,
        winner: maybe_side(winner)?,
        reason,
        score: BySide {
            south: u8::try_from(south_score).map_err(|_| unknown())?,
            north: u8::try_from(north_score).map_err(|_| unknown())?,
        },
        first: side_of(first)?,
        plies,
    })
}

pub(super) fn encode_result(result: &GameResult) -> proto::GameResult {
    let GameResult {
        winner,
        reason,
        score,
    } = result;
    proto::GameResult {
        winner: side_code(*winner),
        reason: reason_code(*reason),
        south_score: score.south,
        north_score: score.north,
    }
}

pub(super) fn decode_result(message: proto::GameResult) -> Decoded<GameResult> {
    let proto::GameResult {
        winner,
        reason,
        south_score,
        north_score,
    } = message;
    Ok(GameResult {
        winner: maybe_side(winner)?,
        reason: reason_of(reason)?,
        score: BySide {
            south: south_score,
            north: north_score,
        },
    })
}

pub(super) fn encode_request(request: Request) -> proto::Request {
    proto::Request {
        key: request.key.to_vec(),
        fingerprint: request.fingerprint.to_vec(),
    }
}

pub(super) fn decode_request(message: proto::Request) -> Decoded<Request> {
    let proto::Request { key, fingerprint } = message;
    let hash = |bytes: Vec<u8>| <[u8; 16]>::try_from(bytes).map_err(|_| unknown());
    Ok(Request {
        key: hash(key)?,
        fingerprint: hash(fingerprint)?,
    })
}

pub(super) fn side_code(side: Option<Side>) -> i32 {
    match side {
        None => proto::Side::Unspecified,
        Some(Side::South) => proto::Side::South,
        Some(Side::North) => proto::Side::North,
    }
    .into()
}

pub(super) fn maybe_side(code: i32) -> Decoded<Option<Side>> {
    match proto::Side::try_from(code) {
        Ok(proto::Side::Unspecified) => Ok(None),
        Ok(proto::Side::South) => Ok(Some(Side::South)),
        Ok(proto::Side::North) => Ok(Some(Side::North)),
        Err(_) => Err(unknown()),
    }
}

pub(super) fn side_of(code: i32) -> Decoded<Side> {
    maybe_side(code)?.ok_or_else(unknown)
}

fn reason_code(reason: EndReason) -> i32 {
    match reason {
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
    }
    .into()
}

fn reason_of(code: i32) -> Decoded<EndReason> {
    match proto::EndReason::try_from(code) {
        Ok(proto::EndReason::NoMoves) => Ok(EndReason::Rules(Reason::NoMoves)),
        Ok(proto::EndReason::EmptyRow) => Ok(EndReason::Rules(Reason::EmptyRow)),
        Ok(proto::EndReason::Majority) => Ok(EndReason::Rules(Reason::Majority)),
        Ok(proto::EndReason::HolesClosed) => Ok(EndReason::Rules(Reason::HolesClosed)),
        Ok(proto::EndReason::Repetition) => Ok(EndReason::Rules(Reason::Repetition)),
        Ok(proto::EndReason::TooLong) => Ok(EndReason::Rules(Reason::TooLong)),
        Ok(proto::EndReason::Series) => Ok(EndReason::Series),
        Ok(proto::EndReason::Resignation) => Ok(EndReason::Resignation),
        Ok(proto::EndReason::Agreement) => Ok(EndReason::Agreement),
        Ok(proto::EndReason::Aborted) => Ok(EndReason::Aborted),
        Ok(proto::EndReason::Timeout) => Ok(EndReason::Timeout),
        Ok(proto::EndReason::Unspecified) | Err(_) => Err(unknown()),
    }
}

pub(super) fn bytes(id: Uuid) -> Vec<u8> {
    id.as_bytes().to_vec()
}

pub(super) fn game_id(bytes: &[u8]) -> Decoded<GameId> {
    maybe_id(bytes)?.map(GameId).ok_or_else(unknown)
}

pub(super) fn player_id(bytes: &[u8]) -> Decoded<PlayerId> {
    Uuid::from_slice(bytes).map(PlayerId).map_err(|_| unknown())
}

/// An id that may be missing.
pub(super) fn maybe_id(bytes: &[u8]) -> Decoded<Option<Uuid>> {
    match bytes {
        [] => Ok(None),
        bytes => Uuid::from_slice(bytes).map(Some).map_err(|_| unknown()),
    }
}
