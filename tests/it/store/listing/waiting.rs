//! Games whose seats are not all taken, by creation.

use mancala::{
    game::{GameId, Status, Time},
    store::Projection as _,
};
use uuid::Uuid;

use super::world::World;
use crate::store::makers::Maker;

/// What waits and was created at a time or before, oldest first.
fn waiting(world: &World, created: Time) -> Vec<GameId> {
    let games = world.games.iter().map(|table| table.game.summary());
    let mut waiting: Vec<_> = games
        .filter(|game| game.state.status == Status::Waiting && game.create_time <= created)
        .collect();
    // Games of one time come in order of their creation.
    waiting.sort_by_key(|game| game.create_time);
    let ids = waiting.iter().map(|game| game.created.game_id);
    ids.collect()
}

pub(crate) async fn lists_what_waits<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let mut world = World::fill(&store, 150).await;
    let times = world.games.iter().map(|table| table.log[0].time.0);
    let (oldest, newest) = (times.clone().min().unwrap(), times.max().unwrap());
    for created in [i64::MIN, oldest - 1, oldest, newest - 35, newest, i64::MAX] {
        let expected = waiting(&world, Time(created));
        for size in [1, 4, 1_000] {
            let (mut after, mut ids) = (None, Vec::new());
            loop {
                let page = store.waiting_games(Time(created), after, size);
                let page = page.await.unwrap();
                assert!(page.len() <= size as usize);
                let Some(last) = page.last() else { break };
                after = Some(*last);
                ids.extend(page);
            }
            assert_eq!(ids, expected, "in pages of {size} up to {created}");
        }
    }
    assert!(waiting(&world, Time(newest)).len() > 20);
    let nowhere = Some(GameId(Uuid::nil()));
    let page = store.waiting_games(Time(newest), nowhere, 9).await.unwrap();
    assert!(page.is_empty());

    // The last one of a page waits no longer when the next page is asked for.
    let (mut after, mut ids) = (None, Vec::new());
    let before = waiting(&world, Time(newest));
    loop {
        let page = store.waiting_games(Time(newest), after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(*last);
        world.expire(&store, *last).await;
        ids.extend(page);
    }
    assert_eq!(ids, before);
    let left = before.len() - before.len().div_ceil(3);
    assert_eq!(waiting(&world, Time(newest)).len(), left);
    let rest = store.waiting_games(Time(newest), None, 1_000).await;
    assert_eq!(rest.unwrap(), waiting(&world, Time(newest)));
}
