//! Lists of games, against a model that filters what was appended.

use mancala::{
    game::{Command, Game, GameId, NewGame, PlayerId, Seat, Status, Visibility},
    rules::BySide,
    store::{Entry, GameFilter, Projection as _, Store, Subject},
};
use uuid::Uuid;

use super::{entries::append_all, makers::Maker};
use crate::support::{
    chance::Chance,
    table::{ALICE, BOB, CAROL, Table, new_game},
};

const GAMES: u128 = 60;

/// Appends games of all kinds, whose events come in turns. They are given in order of creation.
async fn fill(store: &impl Store) -> Vec<Game> {
    let mut chance = Chance::new(3);
    let mut tables = Vec::new();
    for id in 0..GAMES {
        let seat = [
            Seat::Open,
            Seat::Player(ALICE),
            Seat::Player(BOB),
            Seat::Invited(BOB),
        ];
        let variant = *chance.of(&["en-dodoi", "bosh", "sadeqa-ii"]);
        let table = Table::new(NewGame {
            game_id: GameId(Uuid::from_u128(1_000 - id)),
            seats: BySide {
                south: *chance.of(&seat),
                north: *chance.of(&seat),
            },
            visibility: *chance.of(&[
                Visibility::Public,
                Visibility::Public,
                Visibility::Unlisted,
                Visibility::Private,
            ]),
            ..new_game(variant)
        });
        append_all(
            store,
            subject(&table.game),
            &[Entry::Game(table.log[0].clone())],
        )
        .await;
        tables.push(table);
    }
    for table in &mut tables {
        // Whoever may join does, or nobody; then some moves, or an end.
        for _ in 0..chance.below(3) {
            let side = None;
            let player = *chance.of(&[BOB, CAROL]);
            let join_code = String::new();
            let _ = table.act(player, &Command::Join { side, join_code });
        }
        for player in [ALICE, BOB, CAROL] {
            let seats = table.game.seats_of(player);
            let side = if seats.south {
                mancala::rules::Side::South
            } else {
                mancala::rules::Side::North
            };
            if (seats.south || seats.north) && chance.below(4) == 0 {
                let _ = table.act(player, &Command::Resign { side: Some(side) });
            }
        }
        let rest: Vec<_> = table.log[1..].iter().cloned().map(Entry::Game).collect();
        append_all(store, subject(&table.game), &rest).await;
    }
    tables.into_iter().map(|table| table.game).collect()
}

fn subject(game: &Game) -> Subject {
    Subject::Game(game.created().game_id)
}

fn fits(game: &Game, filter: &GameFilter) -> bool {
    let GameFilter {
        viewer,
        status,
        player,
        variant,
        open_seat,
    } = filter;
    let summary = game.summary();
    let has = |player: PlayerId| {
        let seats = [summary.seats.south, summary.seats.north];
        seats.contains(&Seat::Player(player)) || seats.contains(&Seat::Invited(player))
    };
    let open = summary.seats.iter().any(|(_, seat)| *seat == Seat::Open);
    (summary.created.visibility == Visibility::Public || viewer.is_some_and(has))
        && status.is_none_or(|status| status == summary.state.status)
        && player.is_none_or(has)
        && variant
            .as_ref()
            .is_none_or(|variant| *variant == summary.created.variant)
        && (!open_seat || open)
}

pub(crate) async fn lists_by_every_filter<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let games = fill(&store).await;
    let anybody = [None, Some(ALICE), Some(BOB), Some(CAROL)];
    let statuses = [
        None,
        Some(Status::Waiting),
        Some(Status::Active),
        Some(Status::Finished),
    ];
    let mut found = 0;
    for viewer in anybody {
        for player in anybody {
            for status in statuses {
                for variant in [None, Some("en-dodoi"), Some("bosh"), Some("chess")] {
                    for open_seat in [false, true] {
                        let filter = GameFilter {
                            viewer,
                            status,
                            player,
                            variant: variant.map(str::to_owned),
                            open_seat,
                        };
                        let expected: Vec<_> = games
                            .iter()
                            .rev()
                            .filter(|game| fits(game, &filter))
                            .map(|game| told(game.summary()))
                            .collect();
                        let listed = store.list_games(filter.clone(), None, 1_000).await.unwrap();
                        let listed: Vec<_> = listed.iter().map(told).collect();
                        assert_eq!(listed, expected, "{filter:?}");
                        found += usize::from(!listed.is_empty());
                    }
                }
            }
        }
    }
    assert!(found > 200, "most filters find some: {found}");
}

fn told(summary: &mancala::game::Summary) -> String {
    let id = summary.created.game_id;
    let (start, state, seats) = (summary.start, summary.state, summary.seats);
    let (seq, created, updated) = (summary.seq, summary.create_time, summary.update_time);
    format!("{id} {start:?} {state:?} {seats:?} {seq} {created:?} {updated:?}")
}

pub(crate) async fn lists_in_pages<M: Maker>(maker: M) {
    let store = maker.open().unwrap();
    let games = fill(&store).await;
    let filter = GameFilter {
        viewer: Some(BOB),
        ..GameFilter::default()
    };
    let newest_first = games.iter().rev().filter(|game| fits(game, &filter));
    let expected: Vec<_> = newest_first.map(|game| game.created().game_id).collect();
    assert!(expected.len() > 20);
    for size in [1, 7, 1_000] {
        let (mut after, mut ids) = (None, Vec::new());
        loop {
            let page = store.list_games(filter.clone(), after, size).await.unwrap();
            assert!(page.len() <= size as usize);
            let Some(last) = page.last() else { break };
            after = Some(last.created.game_id);
            ids.extend(page.iter().map(|one| one.created.game_id));
        }
        assert_eq!(ids, expected, "in pages of {size}");
    }
    // A game that the viewer isn't shown is no place to go on from, nor one that there isn't.
    let hidden = games.iter().find(|game| !fits(game, &filter)).unwrap();
    for after in [hidden.created().game_id, GameId(Uuid::nil())] {
        let page = store
            .list_games(filter.clone(), Some(after), 7)
            .await
            .unwrap();
        assert!(page.is_empty());
    }
}
