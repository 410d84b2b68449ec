//! Promise: no seed is lost or made: board, stores and what has left play add up to the start in every position
//! that is shown or logged, and its text says the same as its fields.

use std::collections::HashMap;

use mancala::{game::Event, grpc::proto, rules::Side};

use super::{Judged, Past};

const SEEDS: &str = "seeds kept";

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut totals: HashMap<String, u32> = HashMap::new();
    for (id, log) in &past.games {
        let Some(Event::Created(created)) = log.first().map(|(_, record)| &record.event) else {
            continue;
        };
        let Some(rules) = created.rules() else {
            continue;
        };
        let total = 2 * u32::from(created.holes) * u32::from(created.seeds);
        for (_, record) in log {
            let position = &record.state.position;
            let rows: u32 = Side::BOTH
                .into_iter()
                .flat_map(|side| position.row(side))
                .map(u32::from)
                .sum();
            let stores: u32 = position
                .stores()
                .iter()
                .map(|(_, store)| u32::from(*store))
                .sum();
            let sum = rows + stores + u32::from(rules.removed(position));
            let good = created.custom_start || sum == total;
            judged.see(SEEDS, good, || {
                format!("{id} has {sum} of {total} in the log at {}", record.seq)
            });
        }
        if !created.custom_start {
            totals.insert(id.to_string(), total);
        }
    }
    for claim in &past.claims {
        let total = totals.get(&claim.game_id);
        for position in claim.what.positions() {
            let sum = sum(position);
            judged.see(SEEDS, total.is_none_or(|total| *total == sum), || {
                format!(
                    "{} is shown with {sum} of {total:?} seeds: {position:?}",
                    claim.game_id
                )
            });
            judged.see(SEEDS, text_agrees(position), || {
                format!("fields and text differ: {position:?}")
            });
        }
    }
}

fn sum(position: &proto::Position) -> u32 {
    let rows = position.south.iter().chain(&position.north).sum::<u32>();
    rows + position.south_store + position.north_store + position.removed
}

fn text_agrees(position: &proto::Position) -> bool {
    let closed = |ring: usize| position.closed_holes.contains(&(ring as u32));
    let row = |row: &[u32], first: usize| {
        let holes = row
            .iter()
            .enumerate()
            .map(|(hole, seeds)| match closed(first + hole) {
                true => "x".into(),
                false => seeds.to_string(),
            });
        holes.collect::<Vec<_>>().join(",")
    };
    let begin = format!(
        "{}/{} {}-{} {}",
        row(&position.south, 0),
        row(&position.north, position.south.len()),
        position.south_store,
        position.north_store,
        match position.to_move() {
            proto::Side::South => "S",
            proto::Side::North => "N",
            proto::Side::Unspecified => "-",
        }
    );
    position.text == begin || position.text.starts_with(&format!("{begin} "))
}
