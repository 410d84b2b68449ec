//! Clocks and time controls.

use super::{
    Decoded, proto,
    values::{maybe_side, side_code},
};
use crate::{
    game::{Clocks, Time, TimeControl},
    rules::BySide,
};

pub(super) fn encode_clocks(clocks: &Clocks) -> proto::Clocks {
    let Clocks {
        left,
        running,
        turn_began,
    } = clocks;
    proto::Clocks {
        south: left.south,
        north: left.north,
        running: side_code(*running),
        turn_began: turn_began.0,
    }
}

pub(super) fn decode_clocks(message: proto::Clocks) -> Decoded<Clocks> {
    let proto::Clocks {
        south,
        north,
        running,
        turn_began,
    } = message;
    Ok(Clocks {
        left: BySide { south, north },
        running: maybe_side(running)?,
        turn_began: Time(turn_began),
    })
}

pub(super) fn encode_time_control(control: TimeControl) -> proto::TimeControl {
    let (per_move, base, increment) = match control {
        TimeControl::PerMove(time) => (time, 0, 0),
        TimeControl::Base { base, increment } => (0, base, increment),
    };
    proto::TimeControl {
        per_move,
        base,
        increment,
    }
}

pub(super) fn decode_time_control(message: proto::TimeControl) -> TimeControl {
    let proto::TimeControl {
        per_move,
        base,
        increment,
    } = message;
    match per_move {
        0 => TimeControl::Base { base, increment },
        time => TimeControl::PerMove(time),
    }
}
