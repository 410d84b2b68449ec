//! Every combination of filters, for every viewer.

use mancala::{
    game::{PlayerId, Status},
    store::{GameFilter, Projection as _},
};
use uuid::Uuid;

use super::world::{VARIANTS, World, told};
use crate::{
    store::makers::Maker,
    support::{
        table::{ALICE, BOB, CAROL},
        variants,
    },
};

/// Somebody of whom no store has heard.
const NOBODY: PlayerId = PlayerId(Uuid::from_u128(0xe1e));

/// Every filter, with somebody, a variant and an empty one that no game has.
pub(crate) fn every_filter() -> Vec<GameFilter> {
    let anybody = [None, Some(ALICE), Some(BOB), Some(CAROL), Some(NOBODY)];
    let statuses = [
        None,
        Some(Status::Waiting),
        Some(Status::Active),
        Some(Status::Finished),
        Some(Status::Aborted),
    ];
    let played = variants();
    let some = played[..VARIANTS].iter().copied().map(Some);
    let some = some.chain([None, Some("chess"), Some("")]);
    let some: Vec<_> = some.map(|variant| variant.map(str::to_owned)).collect();
    let mut filters = Vec::new();
    for viewer in anybody {
        for player in anybody {
            for status in statuses {
                for variant in &some {
                    filters.extend([false, true].map(|open_seat| GameFilter {
                        viewer,
                        status,
                        player,
                        variant: variant.clone(),
                        open_seat,
                    }));
                }
            }
        }
    }
    filters
}

pub(crate) async fn lists_by_every_filter<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let world = World::fill(&store, 150).await;
    let mut found = 0;
    for filter in every_filter() {
        let expected: Vec<_> = world.listed(&filter).into_iter().map(told).collect();
        let listed = store.list_games(filter.clone(), None, 1_000).await.unwrap();
        let listed: Vec<_> = listed.iter().map(told).collect();
        assert_eq!(listed, expected, "{filter:?}");
        found += usize::from(!listed.is_empty());
    }
    assert!(found > 300, "most filters that can find some do: {found}");
}
