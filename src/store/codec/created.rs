//! How games were created, or played elsewhere.

use super::{
    Codec, Decoded,
    clocks::{decode_time_control, encode_time_control},
    proto::{self, seat},
    unknown,
    values::{
        bytes, decode_position, decode_round, encode_position, encode_round, maybe_id, player_id,
    },
};
use crate::{
    game::{Created, GameId, Imported, MoveByte, Seat, TimeControl, Visibility},
    rules::BySide,
};

pub(super) fn encode_created(created: &Created) -> proto::GameCreated {
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
        rematch_of,
        imported,
        time_control,
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
        rematch_of: rematch_of.map(|game| bytes(game.0)).unwrap_or_default(),
        imported: imported.as_deref().map(encode_imported),
        time_control: Some(encode_time_control(*time_control)),
    }
}

impl Codec {
    pub(super) fn decode_created(
        &self,
        game_id: GameId,
        message: proto::GameCreated,
    ) -> Decoded<Created> {
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
            rematch_of,
            imported,
            time_control,
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
            rematch_of: maybe_id(&rematch_of)?.map(GameId),
            imported: imported.map(decode_imported).transpose()?.map(Box::new),
            time_control: time_control.map_or_else(TimeControl::default, decode_time_control),
        })
    }
}

fn encode_imported(imported: &Imported) -> proto::Imported {
    let Imported {
        start,
        moves,
        rounds,
        names,
        date,
    } = imported;
    proto::Imported {
        moves: moves.iter().map(|made| made.0).collect(),
        rounds: rounds.iter().map(encode_round).collect(),
        south: names.south.clone(),
        north: names.north.clone(),
        date: date.clone(),
        start: Some(encode_position(start)),
    }
}

fn decode_imported(message: proto::Imported) -> Decoded<Imported> {
    let proto::Imported {
        moves,
        rounds,
        south,
        north,
        date,
        start,
    } = message;
    Ok(Imported {
        start: decode_position(start.ok_or_else(unknown)?)?,
        moves: moves.into_iter().map(MoveByte).collect(),
        rounds: rounds
            .into_iter()
            .map(decode_round)
            .collect::<Decoded<_>>()?,
        names: BySide { south, north },
        date,
    })
}

fn encode_seat(seat: Seat) -> proto::Seat {
    proto::Seat {
        seat: Some(match seat {
            Seat::Open => seat::Seat::Open(proto::OpenSeat {}),
            Seat::Player(player) => seat::Seat::Player(bytes(player.0)),
            Seat::Invited(player) => seat::Seat::Invited(bytes(player.0)),
            Seat::Named => seat::Seat::Named(proto::NamedSeat {}),
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
        seat::Seat::Named(proto::NamedSeat {}) => Ok(Seat::Named),
    }
}
