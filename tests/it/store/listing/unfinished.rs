//! Games that are not over, by creation; those of a player, and what happened in them.

use mancala::{
    game::{GameId, PlayerId},
    store::{Entry, Log as _, Logged, Projection as _, Subject},
};

use super::{
    told,
    world::{PLAYERS, World},
};
use crate::store::makers::Maker;

/// What is not over, oldest first.
fn unfinished(world: &World) -> Vec<GameId> {
    let games = world.games.iter().map(|table| table.game.summary());
    let unfinished = games.filter(|game| game.state.result.is_none());
    unfinished.map(|game| game.created.game_id).collect()
}

pub(crate) async fn lists_what_is_not_over<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let mut world = World::fill(&store, 150).await;
    let before = unfinished(&world);
    assert!(before.len() > 40);
    for size in [1, 4, 1_000] {
        let (mut after, mut ids) = (None, Vec::new());
        loop {
            let page = store.unfinished_games(after, size).await.unwrap();
            assert!(page.len() <= size as usize);
            let Some(last) = page.last() else { break };
            after = Some(last.created.game_id);
            for listed in &page {
                let id = listed.created.game_id;
                let table = world
                    .games
                    .iter()
                    .find(|table| table.game.created().game_id == id);
                assert_eq!(told(listed), told(table.unwrap().game.summary()));
                ids.push(id);
            }
        }
        assert_eq!(ids, before, "in pages of {size}");
    }

    // The last one of a page is over when the next page is asked for.
    let (mut after, mut ids) = (None, Vec::new());
    loop {
        let page = store.unfinished_games(after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.created.game_id);
        ids.extend(page.iter().map(|listed| listed.created.game_id));
        world.time_out(&store, ids[ids.len() - 1]).await;
    }
    assert_eq!(ids, before);
    assert_eq!(
        unfinished(&world).len(),
        before.len() - before.len().div_ceil(3)
    );
}

pub(crate) async fn tells_a_player_of_all_games<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let world = World::fill(&store, 150).await;
    let log = store.read_all(0, 10_000).await.unwrap();
    let newest = log.last().unwrap().offset;
    for player in PLAYERS {
        let own = |id: GameId| {
            let table = world
                .games
                .iter()
                .find(|table| table.game.created().game_id == id);
            table
                .unwrap()
                .game
                .summary()
                .owners()
                .any(|owner| owner == player)
        };
        let (offset, games) = store.games_of(player, 1_000).await.unwrap();
        assert_eq!(offset, newest);
        let mut expected = unfinished(&world);
        expected.retain(|id| own(*id));
        expected.reverse();
        let ids: Vec<_> = games.iter().map(|(game, _)| game.created.game_id).collect();
        assert_eq!(ids, expected);
        for (game, record) in &games {
            assert_eq!((game.seq, game.state), (record.seq, record.state));
        }

        let ours = |logged: &&Logged| match logged.subject {
            Subject::Game(id) => own(id),
            Subject::Player(_) | Subject::System | Subject::Audit => false,
        };
        for after in [0, newest / 3, newest - 1, newest, newest + 9] {
            let expected: Vec<_> = log.iter().filter(ours).map(place).collect();
            let expected: Vec<_> = expected
                .into_iter()
                .filter(|(offset, _)| *offset > after)
                .collect();
            let most = expected.len() as u32 + 1;
            let changes = store
                .changes_of(player, after, most)
                .await
                .unwrap()
                .unwrap();
            assert_eq!(changes.iter().map(place).collect::<Vec<_>>(), expected);
            if most > 1 {
                let too_many = store.changes_of(player, after, most - 1).await.unwrap();
                assert!(too_many.is_none());
            }
        }
    }
    let nobody = PlayerId(uuid::Uuid::from_u128(99));
    assert_eq!(store.games_of(nobody, 9).await.unwrap().1.len(), 0);
    assert_eq!(
        store.changes_of(nobody, 0, 9).await.unwrap().unwrap().len(),
        0
    );
}

fn place(logged: &Logged) -> (u64, String) {
    let seq = Entry::seq(&logged.entry);
    (logged.offset, format!("{:?} {seq}", logged.subject))
}
