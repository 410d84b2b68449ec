//! Entries of games.

use std::sync::Arc;

use super::{
    Codec, Decoded,
    clocks::{decode_clocks, encode_clocks},
    created::encode_created,
    proto::{self, game_record},
    unknown,
    values::{
        bytes, decode_position, decode_request, decode_result, decode_round, encode_position,
        encode_request, encode_result, encode_round, maybe_id, maybe_side, player_id, side_code,
        side_of,
    },
};
use crate::game::{
    Answered, Clocks, Event, GameId, Moved, Offer, OfferKind, PlayerId, Record, Standing, Status,
    TakenBack, Time,
};

pub(super) fn encode_game(record: &Record) -> proto::GameRecord {
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
        offer,
        clocks,
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
        Event::TimedOut { side } => game_record::Event::TimedOut(proto::TimedOut {
            side: side_code(Some(*side)),
        }),
        Event::Offered => game_record::Event::OfferMade(proto::OfferMade {}),
        Event::Answered(answered) => game_record::Event::OfferAnswered(encode_answered(answered)),
        Event::Aborted { by, audit } => game_record::Event::Aborted(proto::Aborted {
            audit: audit.unwrap_or_default(),
            player: by.map(|player| bytes(player.0)).unwrap_or_default(),
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
            Status::Aborted => proto::Status::Aborted,
        }
        .into(),
        round: *round,
        result: result.as_ref().map(encode_result),
        event: Some(event),
        offer: offer.as_ref().map(encode_offer),
        clocks: Some(encode_clocks(clocks)),
    }
}

impl Codec {
    pub(super) fn decode_game(
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
            offer,
            clocks,
        } = message;
        let position = decode_position(position.ok_or_else(unknown)?)?;
        let status = match proto::Status::try_from(status) {
            Ok(proto::Status::Waiting) => Status::Waiting,
            Ok(proto::Status::Active) => Status::Active,
            Ok(proto::Status::Finished) => Status::Finished,
            Ok(proto::Status::Aborted) => Status::Aborted,
            Ok(proto::Status::Unspecified) | Err(_) => return Err(unknown()),
        };
        let event = match event.ok_or_else(unknown)? {
            game_record::Event::Created(created) => {
                Event::Created(Arc::new(self.decode_created(game_id, created)?))
            }
            game_record::Event::SeatTaken(proto::SeatTaken { side, player }) => Event::SeatTaken {
                side: side_of(side)?,
                player: player_id(&player)?,
            },
            game_record::Event::Moved(moved) => Event::Moved(Box::new(decode_moved(moved)?)),
            game_record::Event::Resigned(proto::Resigned { side }) => Event::Resigned {
                side: side_of(side)?,
            },
            game_record::Event::TimedOut(proto::TimedOut { side }) => Event::TimedOut {
                side: side_of(side)?,
            },
            game_record::Event::OfferMade(proto::OfferMade {}) => Event::Offered,
            game_record::Event::OfferAnswered(answered) => {
                Event::Answered(Box::new(decode_answered(answered)?))
            }
            game_record::Event::Aborted(proto::Aborted { player, audit }) => Event::Aborted {
                audit: (audit != 0).then_some(audit),
                by: maybe_id(&player)?.map(PlayerId),
            },
        };
        Ok(Record {
            seq,
            time,
            request: request.map(decode_request).transpose()?,
            state: Standing {
                position,
                turn,
                ply,
                status,
                round,
                result: result.map(decode_result).transpose()?,
                offer: offer.map(decode_offer).transpose()?,
                clocks: match clocks {
                    Some(clocks) => decode_clocks(clocks)?,
                    None => Clocks::of_old_entry(status, position.to_move(), time),
                },
            },
            event,
        })
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

fn encode_offer(offer: &Offer) -> proto::Offer {
    let Offer { id, kind, side } = offer;
    proto::Offer {
        id: *id,
        kind: match kind {
            OfferKind::Draw => proto::OfferKind::Draw,
            OfferKind::Takeback => proto::OfferKind::Takeback,
        }
        .into(),
        side: side_code(Some(*side)),
    }
}

fn decode_offer(message: proto::Offer) -> Decoded<Offer> {
    let proto::Offer { id, kind, side } = message;
    Ok(Offer {
        id,
        kind: match proto::OfferKind::try_from(kind) {
            Ok(proto::OfferKind::Draw) => OfferKind::Draw,
            Ok(proto::OfferKind::Takeback) => OfferKind::Takeback,
            Ok(proto::OfferKind::Unspecified) | Err(_) => return Err(unknown()),
        },
        side: side_of(side)?,
    })
}

fn encode_answered(answered: &Answered) -> proto::OfferAnswered {
    let Answered {
        offer,
        accepted,
        taken_back,
    } = answered;
    let taken_back = taken_back.as_ref();
    proto::OfferAnswered {
        offer: Some(encode_offer(offer)),
        accepted: *accepted,
        taken_back: taken_back.map(|TakenBack { moves, standings }| proto::TakenBack {
            moves: *moves,
            standings: standings.iter().map(encode_position).collect(),
        }),
    }
}

fn decode_answered(message: proto::OfferAnswered) -> Decoded<Answered> {
    let proto::OfferAnswered {
        offer,
        accepted,
        taken_back,
    } = message;
    let taken = |message: proto::TakenBack| -> Decoded<TakenBack> {
        let proto::TakenBack { moves, standings } = message;
        let standings = standings.into_iter().map(decode_position);
        Ok(TakenBack {
            moves,
            standings: standings.collect::<Decoded<_>>()?,
        })
    };
    Ok(Answered {
        offer: decode_offer(offer.ok_or_else(unknown)?)?,
        accepted,
        taken_back: taken_back.map(taken).transpose()?,
    })
}
