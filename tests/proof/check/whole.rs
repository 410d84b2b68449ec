//! Promise: a game's log has no gaps, can be folded, never goes back in turn or time, and no request is in it
//! twice.

use std::collections::HashMap;

use mancala::game::{Event, Game, Record};

use super::{Judged, Past};

const WHOLE: &str = "whole log";

pub(super) fn check(past: &Past, judged: &mut Judged) {
    for (id, log) in &past.games {
        let records: Vec<Record> = log.iter().map(|(_, record)| record.clone()).collect();
        let folded = Game::replay(&records);
        judged.see(WHOLE, folded.is_ok(), || format!("{id}: {folded:?}"));
        let mut requests = HashMap::new();
        for record in &records {
            if let Some(request) = record.request {
                let before = requests.insert(request.key, record.seq);
                judged.see(WHOLE, before.is_none(), || {
                    let (seq, before) = (record.seq, before.unwrap_or_default());
                    format!("{id}: events {before} and {seq} are of one request")
                });
            }
        }
        for pair in log.windows(2) {
            let [(offset, before), (next, after)] = pair else {
                continue;
            };
            // A move, a takeback and a new round are a turn each.
            let turns = match &after.event {
                Event::Moved(moved)
                    if moved.round_end.is_some() && after.state.result.is_none() =>
                {
                    2
                }
                Event::Moved(_) => 1,
                Event::Answered(answered) => u32::from(answered.taken_back.is_some()),
                _ => 0,
            };
            let good = after.seq == before.seq + 1
                && offset < next
                && before.time <= after.time
                && after.state.turn == before.state.turn + turns
                && before.state.result.is_none();
            judged.see(WHOLE, good, || {
                format!("{id}: {before:?} is followed by {after:?}")
            });
        }
    }
}
