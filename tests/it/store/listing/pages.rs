//! Pages: all of a list in parts, also while games come and change.

use std::collections::HashSet;

use mancala::{
    game::{GameId, Status, Summary},
    store::{GameFilter, Projection as _},
};
use uuid::Uuid;

use super::world::{World, fits};
use crate::{
    store::makers::Maker,
    support::{
        table::{ALICE, BOB},
        variants,
    },
};

/// Filters whose lists are long.
fn long_lists() -> Vec<GameFilter> {
    let all = GameFilter::default();
    let of = |status, open_seat| GameFilter {
        viewer: Some(BOB),
        status,
        open_seat,
        ..all.clone()
    };
    vec![
        all.clone(),
        of(None, false),
        of(None, true),
        of(Some(Status::Waiting), false),
        of(Some(Status::Active), false),
        of(Some(Status::Aborted), false),
        GameFilter {
            player: Some(BOB),
            ..of(None, false)
        },
        GameFilter {
            player: Some(ALICE),
            ..of(None, false)
        },
        GameFilter {
            variant: Some(variants()[0].into()),
            ..of(None, false)
        },
    ]
}

fn id(game: &Summary) -> GameId {
    game.created.game_id
}

pub(crate) async fn lists_in_pages<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let world = World::fill(&store, 120).await;
    for filter in long_lists() {
        let expected: Vec<_> = world.listed(&filter).into_iter().map(id).collect();
        assert!(expected.len() > 5, "{filter:?}");
        for size in [1, 7, expected.len() as u32, 1_000] {
            let (mut after, mut ids) = (None, Vec::new());
            loop {
                let page = store.list_games(filter.clone(), after, size).await.unwrap();
                assert!(page.len() <= size as usize);
                let Some(last) = page.last() else { break };
                after = Some(id(last));
                ids.extend(page.iter().map(id));
            }
            assert_eq!(ids, expected, "in pages of {size} by {filter:?}");
        }
        assert!(
            store
                .list_games(filter.clone(), None, 0)
                .await
                .unwrap()
                .is_empty()
        );
        // Any game that the viewer is shown is a place to go on from. One that isn't shown is none, nor
        // one that there isn't.
        let shown = GameFilter {
            viewer: filter.viewer,
            ..GameFilter::default()
        };
        for (index, table) in world.games.iter().enumerate() {
            let earlier = world.games[..index].iter().rev();
            let earlier = earlier.map(|table| table.game.summary());
            let expected = match fits(table.game.summary(), &shown) {
                true => earlier
                    .filter(|game| fits(game, &filter))
                    .take(7)
                    .map(id)
                    .collect(),
                false => Vec::new(),
            };
            let after = Some(id(table.game.summary()));
            let page = store.list_games(filter.clone(), after, 7).await.unwrap();
            assert_eq!(page.iter().map(id).collect::<Vec<_>>(), expected);
        }
        let nowhere = Some(GameId(Uuid::nil()));
        let page = store.list_games(filter, nowhere, 7).await.unwrap();
        assert!(page.is_empty());
    }
}

/// While games are created and changed between pages, no game comes twice, and none is left out that was
/// in the list all the time.
pub(crate) async fn pages_are_stable<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let mut world = World::fill(&store, 120).await;
    for filter in long_lists() {
        let there = world.games.len();
        let mut stayed: HashSet<_> = world.listed(&filter).into_iter().map(id).collect();
        let (before, mut after, mut ids) = (stayed.len(), None, Vec::new());
        loop {
            let page = store.list_games(filter.clone(), after, 5).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(id(last));
            for game in &page {
                assert!(fits(game, &filter), "{filter:?}");
                ids.push(id(game));
            }
            world.create(&store).await;
            for _ in 0..10 {
                world.change(&store).await;
            }
            let now: HashSet<_> = world.listed(&filter).into_iter().map(id).collect();
            stayed.retain(|game| now.contains(game));
        }
        let met: HashSet<_> = ids.iter().copied().collect();
        assert_eq!(met.len(), ids.len(), "a game came twice by {filter:?}");
        let missing: Vec<_> = stayed.difference(&met).collect();
        assert!(missing.is_empty(), "{missing:?} by {filter:?}");
        assert!(before > 5 && !stayed.is_empty(), "{filter:?}");
        // Newest first by creation, and none that was created since.
        let place = |game: &GameId| {
            let mut games = world.games.iter();
            games.position(|table| id(table.game.summary()) == *game)
        };
        let places: Vec<_> = ids.iter().map(|id| place(id).unwrap()).collect();
        assert!(places.is_sorted_by(|one, next| one > next) && places[0] < there);
    }
}
