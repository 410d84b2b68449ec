//! Signs of life.

use super::proto;
use crate::game::{SystemRecord, Time};

pub(super) fn encode_system(record: &SystemRecord) -> proto::SystemRecord {
    let SystemRecord {
        seq: _,
        time: _,
        outage_from,
        outage_before,
    } = record;
    proto::SystemRecord {
        outage_from: outage_from.map_or(0, |from| from.0),
        outage_before: *outage_before,
    }
}

pub(super) fn decode_system(seq: u64, time: Time, message: proto::SystemRecord) -> SystemRecord {
    let proto::SystemRecord {
        outage_from,
        outage_before,
    } = message;
    SystemRecord {
        seq,
        time,
        outage_from: (outage_from != 0).then_some(Time(outage_from)),
        outage_before,
    }
}
