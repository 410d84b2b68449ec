//! Entries as bytes: the messages of `mancala.log.v1`, which exist only here.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use prost::Message as _;
use uuid::Uuid;

use super::{Entry, StoreError, Subject};
use crate::{
    catalog::RuleSet,
    game::{
        Created, EndReason, Event, GameId, GameResult, Moved, PlayerEvent, PlayerId, PlayerKind,
        PlayerRecord, Record, Request, RoundResult, Seat, Standing, Status, Time, Visibility,
    },
    rules::{Board, BySide, HoleSet, MAX_HOLES, Position, Reason, Side},
};

#[allow(missing_docs, clippy::all)]
mod proto {
    tonic::include_proto!("mancala.log.v1");
}

use proto::{game_record, player_record, seat};

/// An entry's bytes.
pub(super) fn encode(entry: &Entry) -> Vec<u8> {
    match entry {
        Entry::Game(record) => encode_game(record).encode_to_vec(),
        Entry::Player(record) => encode_player(record).encode_to_vec(),
    }
}

/// Turns bytes into entries. Games of one rule set share it.
#[derive(Debug, Default)]
pub(super) struct Codec {
    rule_sets: Mutex<HashMap<String, Arc<RuleSet>>>,
}

type Decoded<T> = Result<T, StoreError>;

impl Codec {
    /// The entry with this number, of this time.
    pub(super) fn decode(
        &self,
        subject: Subject,
        seq: u64,
        time: Time,
        body: &[u8],
    ) -> Decoded<Entry> {
        let damaged = |error: prost::DecodeError| StoreError::Entry(error.to_string());
        match subject {
            Subject::Game(id) => {
                let message = proto::GameRecord::decode(body).map_err(damaged)?;
                self.decode_game(id, seq, time, message).map(Entry::Game)
            }
            Subject::Player(_) => {
                let message = proto::PlayerRecord::decode(body).map_err(damaged)?;
                decode_player(seq, time, message).map(Entry::Player)
            }
        }
    }

    fn decode_game(
        &self,
        game_id: GameId,
        seq: u64,
        time: Time,
        message: proto::GameRecord,
    ) -> Decoded<Record> {
        let proto::GameRecord {
            request,
            position,
            turn,
            ply,
            status,
            round,
            result,
            event,
        } = message;
        let event = match event.ok_or_else(unknown)? {
            game_record::Event::Created(created) => {
                Event::Created(Box::new(self.decode_created(game_id, created)?))
            }
            game_record::Event::SeatTaken(proto::SeatTaken { side, player }) => Event::SeatTaken {
                side: side_of(side)?,
                player: player_id(&player)?,
            },
            game_record::Event::Moved(moved) => Event::Moved(Box::new(decode_moved(moved)?)),
            game_record::Event::Resigned(proto::Resigned { side }) => Event::Resigned {
                side: side_of(side)?,
            },
        };
        Ok(Record {
            seq,
            time,
            request: request.map(decode_request).transpose()?,
            state: Standing {
                position: decode_position(position.ok_or_else(unknown)?)?,
                turn,
                ply,
                status: match proto::Status::try_from(status) {
                    Ok(proto::Status::Waiting) => Status::Waiting,
                    Ok(proto::Status::Active) => Status::Active,
                    Ok(proto::Status::Finished) => Status::Finished,
                    Ok(proto::Status::Unspecified | proto::Status::Aborted) | Err(_) => {
                        return Err(unknown());
                    }
                },
                round,
                result: result.map(decode_result).transpose()?,
            },
            event,
        })
    }

    fn decode_created(&self, game_id: GameId, message: proto::GameCreated) -> Decoded<Created> {
        let proto::GameCreated {
            creator,
            variant,
            holes,
            definition,
            rules_digest: _,
            south,
            north,
            target_wins,
            visibility,
            join_code,
            custom_start,
            seeds,
        } = message;
        let rule_set = self.rule_set(definition)?;
        Ok(Created {
            game_id,
            creator: player_id(&creator)?,
            variant,
            holes: u8::try_from(holes).map_err(|_| unknown())?,
            seeds: match seeds {
                0 => rule_set.definition().seeds,
                _ => u8::try_from(seeds).map_err(|_| unknown())?,
            },
            rule_set,
            seats: BySide {
                south: decode_seat(south)?,
                north: decode_seat(north)?,
            },
            target_wins,
            visibility: match proto::Visibility::try_from(visibility) {
                Ok(proto::Visibility::Public) => Visibility::Public,
                Ok(proto::Visibility::Unlisted) => Visibility::Unlisted,
                Ok(proto::Visibility::Private) => Visibility::Private,
                Ok(proto::Visibility::Unspecified) | Err(_) => return Err(unknown()),
            },
            join_code: (!join_code.is_empty()).then_some(join_code),
            custom_start,
        })
    }

    /// The rule set of a definition, compiled once.
    fn rule_set(&self, definition: String) -> Decoded<Arc<RuleSet>> {
        let mut known = self
            .rule_sets
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(rule_set) = known.get(&definition) {
            return Ok(rule_set.clone());
        }
        let rule_set = Arc::new(RuleSet::of_log(&definition).map_err(StoreError::Entry)?);
        known.insert(definition, rule_set.clone());
        Ok(rule_set)
    }
}

fn encode_game(record: &Record) -> proto::GameRecord {
    let Record {
        seq: _,
        time: _,
        request,
        state,
        event,
    } = record;
    let Standing {
        position,
        turn,
        ply,
        status,
        round,
        result,
    } = state;
    let event = match event {
        Event::Created(created) => game_record::Event::Created(encode_created(created)),
        Event::SeatTaken { side, player } => game_record::Event::SeatTaken(proto::SeatTaken {
            side: side_code(Some(*side)),
            player: bytes(player.0),
        }),
        Event::Moved(moved) => game_record::Event::Moved(encode_moved(moved)),
        Event::Resigned { side } => game_record::Event::Resigned(proto::Resigned {
            side: side_code(Some(*side)),
        }),
    };
    proto::GameRecord {
        request: request.map(encode_request),
        position: Some(encode_position(position)),
        turn: *turn,
        ply: *ply,
        status: match status {
            Status::Waiting => proto::Status::Waiting,
            Status::Active => proto::Status::Active,
            Status::Finished => proto::Status::Finished,
        }
        .into(),
        round: *round,
        result: result.as_ref().map(encode_result),
        event: Some(event),
    }
}

fn encode_created(created: &Created) -> proto::GameCreated {
    let Created {
        game_id: _,
        creator,
        variant,
        holes,
        seeds,
        rule_set,
        seats,
        target_wins,
        visibility,
        join_code,
        custom_start,
    } = created;
    proto::GameCreated {
        creator: bytes(creator.0),
        variant: variant.clone(),
        holes: u32::from(*holes),
        definition: rule_set.text().to_owned(),
        rules_digest: rule_set.digest().to_owned(),
        south: Some(encode_seat(seats.south)),
        north: Some(encode_seat(seats.north)),
        target_wins: *target_wins,
        visibility: match visibility {
            Visibility::Public => proto::Visibility::Public,
            Visibility::Unlisted => proto::Visibility::Unlisted,
            Visibility::Private => proto::Visibility::Private,
        }
        .into(),
        join_code: join_code.clone().unwrap_or_default(),
        custom_start: *custom_start,
        seeds: u32::from(*seeds),
    }
}

fn encode_seat(seat: Seat) -> proto::Seat {
    proto::Seat {
        seat: Some(match seat {
            Seat::Open => seat::Seat::Open(proto::OpenSeat {}),
            Seat::Player(player) => seat::Seat::Player(bytes(player.0)),
            Seat::Invited(player) => seat::Seat::Invited(bytes(player.0)),
        }),
    }
}

fn decode_seat(message: Option<proto::Seat>) -> Decoded<Seat> {
    match message
        .and_then(|message| message.seat)
        .ok_or_else(unknown)?
    {
        seat::Seat::Open(proto::OpenSeat {}) => Ok(Seat::Open),
        seat::Seat::Player(player) => player_id(&player).map(Seat::Player),
        seat::Seat::Invited(player) => player_id(&player).map(Seat::Invited),
    }
}

fn encode_moved(moved: &Moved) -> proto::Moved {
    let Moved {
        mover,
        hole,
        captured,
        laps,
        passed,
        round_end,
        round_result,
    } = moved;
    proto::Moved {
        mover: side_code(Some(*mover)),
        hole: u32::from(*hole),
        captured: u32::from(*captured),
        laps: *laps,
        passed: side_code(*passed),
        round_result: round_result.as_ref().map(encode_round),
        round_end: round_end.as_ref().map(encode_position),
    }
}

fn decode_moved(message: proto::Moved) -> Decoded<Moved> {
    let proto::Moved {
        mover,
        hole,
        captured,
        laps,
        passed,
        round_result,
        round_end,
    } = message;
    Ok(Moved {
        mover: side_of(mover)?,
        hole: u8::try_from(hole).map_err(|_| unknown())?,
        captured: u8::try_from(captured).map_err(|_| unknown())?,
        laps,
        passed: maybe_side(passed)?,
        round_end: round_end.map(decode_position).transpose()?,
        round_result: round_result.map(decode_round).transpose()?,
    })
}

fn encode_round(round: &RoundResult) -> proto::RoundResult {
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

fn decode_round(message: proto::RoundResult) -> Decoded<RoundResult> {
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

fn encode_result(result: &GameResult) -> proto::GameResult {
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

fn decode_result(message: proto::GameResult) -> Decoded<GameResult> {
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

fn encode_position(position: &Position) -> proto::Position {
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

fn decode_position(message: proto::Position) -> Decoded<Position> {
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

fn encode_request(request: Request) -> proto::Request {
    proto::Request {
        key: request.key.to_vec(),
        fingerprint: request.fingerprint.to_vec(),
    }
}

fn decode_request(message: proto::Request) -> Decoded<Request> {
    let proto::Request { key, fingerprint } = message;
    let hash = |bytes: Vec<u8>| <[u8; 16]>::try_from(bytes).map_err(|_| unknown());
    Ok(Request {
        key: hash(key)?,
        fingerprint: hash(fingerprint)?,
    })
}

fn encode_player(record: &PlayerRecord) -> proto::PlayerRecord {
    let PlayerRecord {
        seq: _,
        time: _,
        request,
        event,
    } = record;
    let PlayerEvent::Registered { name, kind } = event;
    proto::PlayerRecord {
        request: request.map(encode_request),
        event: Some(player_record::Event::Registered(proto::PlayerRegistered {
            name: name.clone(),
            kind: match kind {
                PlayerKind::Human => proto::PlayerKind::Human,
                PlayerKind::Bot => proto::PlayerKind::Bot,
            }
            .into(),
        })),
    }
}

fn decode_player(seq: u64, time: Time, message: proto::PlayerRecord) -> Decoded<PlayerRecord> {
    let proto::PlayerRecord { request, event } = message;
    let player_record::Event::Registered(proto::PlayerRegistered { name, kind }) =
        event.ok_or_else(unknown)?;
    Ok(PlayerRecord {
        seq,
        time,
        request: request.map(decode_request).transpose()?,
        event: PlayerEvent::Registered {
            name,
            kind: match proto::PlayerKind::try_from(kind) {
                Ok(proto::PlayerKind::Human) => PlayerKind::Human,
                Ok(proto::PlayerKind::Bot) => PlayerKind::Bot,
                Ok(proto::PlayerKind::Unspecified) | Err(_) => return Err(unknown()),
            },
        },
    })
}

fn side_code(side: Option<Side>) -> i32 {
    match side {
        None => proto::Side::Unspecified,
        Some(Side::South) => proto::Side::South,
        Some(Side::North) => proto::Side::North,
    }
    .into()
}

fn maybe_side(code: i32) -> Decoded<Option<Side>> {
    match proto::Side::try_from(code) {
        Ok(proto::Side::Unspecified) => Ok(None),
        Ok(proto::Side::South) => Ok(Some(Side::South)),
        Ok(proto::Side::North) => Ok(Some(Side::North)),
        Err(_) => Err(unknown()),
    }
}

fn side_of(code: i32) -> Decoded<Side> {
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
        Ok(
            proto::EndReason::Unspecified
            | proto::EndReason::Timeout
            | proto::EndReason::Agreement
            | proto::EndReason::Aborted,
        )
        | Err(_) => Err(unknown()),
    }
}

fn bytes(id: Uuid) -> Vec<u8> {
    id.as_bytes().to_vec()
}

fn player_id(bytes: &[u8]) -> Decoded<PlayerId> {
    Uuid::from_slice(bytes).map(PlayerId).map_err(|_| unknown())
}

fn unknown() -> StoreError {
    StoreError::Entry("it is of a kind, or has a value, that this version doesn't know".into())
}
