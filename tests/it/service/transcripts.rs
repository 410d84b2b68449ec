//! Games as text, through the wire.

use mancala::{
    game::{Game as Played, MAX_PLIES, Time},
    grpc::{
        Reason,
        proto::{
            AnswerOfferRequest, CreateGameRequest, EndReason, FirstMover, Game, GameStatus,
            ImportGameRequest, ListGamesRequest, OfferAnswer, Outcome, RematchGameRequest,
            RequestTakebackRequest, Visibility, game_event, seat, watch_game_response::Message,
        },
    },
    rules::BySide,
};

use crate::support::{
    catalog_with_swap,
    chance::Chance,
    client::{Caller, fresh_id, import, invited, join, open, resign, solo},
    server::Server,
    status::{refused, refused_field, refused_missing, refused_precondition},
    table::{Table, new_game},
    within,
};

/// The day on which a game was created, as the text of another one has it.
fn day(game: &Game) -> String {
    let created = game.create_time.as_ref().unwrap().seconds;
    let record = new_game("bosh")
        .create(None, Time(created * 1_000))
        .unwrap();
    let text = Played::replay(&[record])
        .unwrap()
        .export(&BySide::default());
    let (_, rest) = text.split_once("[Date \"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

#[tokio::test]
async fn a_game_is_exported_with_the_names_of_its_players() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (
        server.player("Ann \"A\" \\").await,
        server.player("Bób").await,
    );
    let game = alice.create(open("en-dodoi")).await.unwrap();
    let (id, day, digest) = (&game.game_id, day(&game), &game.rules_digest);
    let text = |north: &str, end: &str| {
        format!(
            "[Variant \"en-dodoi\"]\n[Rules \"{digest}\"]\n[Holes \"6\"]\n[Seeds \"4\"]\n\
             [South \"Ann \\\"A\\\" \\\\\"]\n[North \"{north}\"]\n[Date \"{day}\"]\n{end}"
        )
    };
    let stranger = server.stranger();
    let open = text("", "[Result \"*\"]\n\n");
    assert_eq!(stranger.export(id).await.unwrap(), open);
    bob.join(join(id)).await.unwrap();
    for (hole, player) in [(4, &alice), (3, &bob), (1, &alice)] {
        player.play(id, hole).await.unwrap();
    }
    let under_way = text("Bób", "[Result \"*\"]\n\ne D b\n");
    assert_eq!(stranger.export(id).await.unwrap(), under_way);
    let takeback = RequestTakebackRequest {
        game_id: id.clone(),
        ..RequestTakebackRequest::default()
    };
    let asked = alice
        .games()
        .request_takeback(alice.request(takeback))
        .await;
    let offer = asked
        .unwrap()
        .into_inner()
        .game
        .unwrap()
        .open_offer
        .unwrap();
    let answer = AnswerOfferRequest {
        game_id: id.clone(),
        offer_id: offer.offer_id,
        answer: OfferAnswer::Accept.into(),
        request_id: String::new(),
    };
    bob.games().answer_offer(bob.request(answer)).await.unwrap();
    bob.resign(resign(id)).await.unwrap();
    let end = "[Result \"South\"]\n[Reason \"resignation\"]\n[Score \"0-5\"]\n\ne D\n";
    let exported = stranger.export(id).await.unwrap();
    assert_eq!(
        exported,
        text("Bób", end),
        "what was taken back is not there"
    );
    // Somebody who is invited counts as a player by name.
    let kept = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let id = alice.create(kept).await.unwrap().game_id;
    let exported = stranger.export(&id).await.unwrap();
    assert!(exported.contains("[North \"Bób\"]\n"));
}

#[tokio::test]
async fn exporting_is_for_whoever_may_see_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let (reason, kind) = (Reason::GameNotFound, "mancala.v1.Game");
    let id = fresh_id();
    refused_missing(alice.export(&id).await, reason, kind, &id);
    for visibility in [Visibility::Private, Visibility::Unlisted] {
        let request = CreateGameRequest {
            visibility: visibility.into(),
            ..solo("oware")
        };
        let id = alice.create(request).await.unwrap().game_id;
        alice.export(&id).await.unwrap();
        for other in [&bob, &server.stranger()] {
            match visibility {
                Visibility::Private => refused_missing(other.export(&id).await, reason, kind, &id),
                _ => drop(other.export(&id).await.unwrap()),
            }
        }
    }
}

#[tokio::test]
async fn every_variant_comes_back_as_it_was_exported() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog_with_swap();
    let server = Server::start_with(folder.path(), catalog.clone()).await;
    let alice = server.player("Alice").await;
    let mut chance = Chance::new(11);
    for variant in catalog.iter() {
        let series = variant.rule_set().definition().rounds.is_none();
        for (target_wins, most) in [(1, 60), (2, 20)] {
            let request = CreateGameRequest {
                first: FirstMover::Random.into(),
                target_wins: if series { target_wins } else { 1 },
                ..solo(&variant.id)
            };
            let id = alice.create(request).await.unwrap().game_id;
            alice.play_any(&id, most, &mut chance).await;
            let mut game = alice.get(&id).await.unwrap();
            if game.result.is_none() {
                let mut request = resign(&id);
                request.side = 1 + chance.below(2) as i32;
                game = alice.resign(request).await.unwrap();
            }
            let text = alice.export(&id).await.unwrap();
            let imported = alice.import(import(&text)).await.unwrap();
            assert_eq!(alice.export(&imported.game_id).await.unwrap(), text);
            // What was not played here has no times, turns and ids of its own; all else is the same.
            let same = Game {
                game_id: game.game_id.clone(),
                south: game.south.clone(),
                north: game.north.clone(),
                seq: game.seq,
                create_time: game.create_time,
                update_time: game.update_time,
                imported: false,
                ..imported
            };
            assert_eq!(same, game);
        }
    }
}

#[tokio::test]
async fn the_longest_game_can_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut table = Table::series("adji-boto", 100);
    let mut chance = Chance::new(9);
    while table.game.state().result.is_none() {
        table.play_any(&mut chance);
    }
    let text = table.game.export(&BySide::default());
    let game = alice.import(import(&text)).await.unwrap();
    assert_eq!(game.moves.len(), MAX_PLIES);
    assert_eq!(alice.export(&game.game_id).await.unwrap(), text);
}

/// South begins, of whose two last seeds North gets none.
const TEXT: &str = "[Variant \"kalah\"]\n[Start \"1,0,0,0,0,3/0,0,0,0,5,0 20-19 S\"]\n\
                    [South \"Ann\"]\n[North \"\"]\n[Result \"South\"]\n[Reason \"empty-row\"]\n\na\n";

async fn assert_imported(alice: &Caller, game: &Game) {
    assert_eq!(alice.get(&game.game_id).await.unwrap(), *game);
    assert!(game.imported && game.custom_start);
    assert_eq!(game.creator_id, alice.id);
    assert_eq!((game.seq, game.status()), (1, GameStatus::Finished));
    let result = game.result.as_ref().unwrap();
    assert_eq!(
        (result.outcome(), result.reason(), result.south_score),
        (Outcome::SouthWon, EndReason::EmptyRow, 29)
    );
    let name = |seat: &Option<mancala::grpc::proto::Seat>| match &seat.as_ref().unwrap().seat {
        Some(seat::Seat::Named(named)) => named.name.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (name(&game.south).as_str(), name(&game.north).as_str()),
        ("Ann", "")
    );
    assert_eq!(game.moves.len(), 1);
}

#[tokio::test]
async fn an_imported_game_is_over_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let game = alice.import(import(TEXT)).await.unwrap();
    assert_imported(&alice, &game).await;
    let id = &game.game_id;
    refused(alice.play(id, 0).await, Reason::NotSeated);
    refused(alice.resign(resign(id)).await, Reason::NotSeated);
    refused_precondition(alice.join(join(id)).await, Reason::SeatTaken, "SEAT_TAKEN");
    let again = RematchGameRequest {
        game_id: id.clone(),
        request_id: String::new(),
    };
    let again = alice.games().rematch_game(alice.request(again)).await;
    refused(again, Reason::NotSeated);
    assert_eq!(alice.legal(id).await.unwrap().moves, []);
    let mut watch = alice.watch(id, None).await.unwrap();
    let message = within(watch.message()).await.unwrap().unwrap().message;
    let Some(Message::Snapshot(snapshot)) = message else {
        panic!("a snapshot, not {message:?}")
    };
    assert_eq!(snapshot.game.as_ref(), Some(&game));
    assert_eq!(within(watch.message()).await.unwrap(), None);
    let mut watch = alice.watch(id, Some(0)).await.unwrap();
    let message = within(watch.message()).await.unwrap().unwrap().message;
    let Some(Message::Event(event)) = message else {
        panic!("an event, not {message:?}")
    };
    assert!(matches!(event.change, Some(game_event::Change::Created(_))));
    assert_eq!(within(watch.message()).await.unwrap(), None);
    let text = alice.export(id).await.unwrap();
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let alice = alice.at(&server);
    assert_imported(&alice, &game).await;
    assert_eq!(server.stranger().export(id).await.unwrap(), text);
}

#[tokio::test]
async fn an_import_acts_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request = ImportGameRequest {
        request_id: fresh_id(),
        ..import(TEXT)
    };
    let game = alice.import(request.clone()).await.unwrap();
    assert_eq!(alice.import(request.clone()).await.unwrap(), game);
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    assert_eq!(alice.import(request.clone()).await.unwrap(), game);
    let other = ImportGameRequest {
        text: TEXT.replace("Ann", "Anna"),
        ..request.clone()
    };
    refused_field(
        alice.import(other).await,
        Reason::RequestIdReused,
        "request_id",
    );
    let created = CreateGameRequest {
        request_id: request.request_id.clone(),
        ..solo("kalah")
    };
    refused_field(
        alice.create(created).await,
        Reason::RequestIdReused,
        "request_id",
    );
    let his = bob.import(request).await.unwrap();
    assert_ne!(his.game_id, game.game_id);
}

#[tokio::test]
async fn a_private_import_is_its_importers() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request = ImportGameRequest {
        visibility: Visibility::Private.into(),
        ..import(TEXT)
    };
    let game = alice.import(request).await.unwrap();
    let id = &game.game_id;
    assert_imported(&alice, &game).await;
    alice.export(id).await.unwrap();
    for other in [bob, server.stranger()] {
        let (reason, kind) = (Reason::GameNotFound, "mancala.v1.Game");
        refused_missing(other.get(id).await, reason, kind, id);
        refused_missing(other.export(id).await, reason, kind, id);
        let listed = other.list(ListGamesRequest::default()).await.unwrap();
        assert_eq!(listed.games, []);
    }
}
