//! Clocks and time controls as messages.

use std::time::Duration;

use tonic::Status;

use super::{
    error::invalid,
    game::timestamp,
    proto::{self, time_control::Control},
};
use crate::{
    game::{Clocks, Time, TimeControl},
    rules::Side,
};

/// Both clocks as they stand at a moment.
pub(super) fn message(clocks: &Clocks, moment: Time) -> proto::Clocks {
    let Clocks {
        left,
        running,
        turn_began: _,
    } = clocks;
    let left = |side: Side| Some(duration(left[side]));
    proto::Clocks {
        south: left(Side::South),
        north: left(Side::North),
        running: super::board::side_code(*running),
        server_time: Some(timestamp(moment)),
    }
}

/// A time control as a message.
pub(super) fn control_message(control: TimeControl) -> proto::TimeControl {
    let control = match control {
        TimeControl::PerMove(time) => Control::PerMove(duration(time)),
        TimeControl::Base { base, increment } => Control::BaseTime(proto::BaseTime {
            base: Some(duration(base)),
            increment: Some(duration(increment)),
        }),
    };
    proto::TimeControl {
        control: Some(control),
    }
}

/// The time control that a request asks for. Bounds are the game's.
pub(super) fn read_control(asked: Option<proto::TimeControl>) -> Result<TimeControl, Status> {
    let control = match asked.and_then(|asked| asked.control) {
        None => return Ok(TimeControl::default()),
        Some(control) => control,
    };
    match control {
        Control::PerMove(time) => Ok(TimeControl::PerMove(millis("time_control.per_move", time)?)),
        Control::BaseTime(proto::BaseTime { base, increment }) => Ok(TimeControl::Base {
            base: millis("time_control.base_time.base", base.unwrap_or_default())?,
            increment: millis(
                "time_control.base_time.increment",
                increment.unwrap_or_default(),
            )?,
        }),
    }
}

fn millis(field: &str, duration: prost_types::Duration) -> Result<i64, Status> {
    let duration = Duration::try_from(duration).ok();
    let millis = duration.and_then(|duration| i64::try_from(duration.as_millis()).ok());
    millis.ok_or_else(|| invalid(field, "is no time"))
}

fn duration(millis: i64) -> prost_types::Duration {
    prost_types::Duration {
        seconds: millis.div_euclid(1_000),
        // Below 1,000 million.
        nanos: (millis.rem_euclid(1_000) * 1_000_000) as i32,
    }
}
