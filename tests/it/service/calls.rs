//! Every call of the service, as it goes when all is well.

use std::collections::HashSet;

use mancala::grpc::proto::{
    self, CreateGameRequest, EndReason, GameStatus, GetPlayerRequest, JoinGameRequest,
    ListGamesRequest, Outcome, RegisterPlayerRequest, ResignGameRequest, Side, Visibility,
    seat::Seat, watch_game_response::Message,
};

use crate::support::{
    chance::Chance,
    client::{fresh_id, invited, join, open, play, resign, solo, text},
    definition,
    server::Server,
    variants, within,
};

#[tokio::test]
async fn a_game_from_its_creation_to_resignation() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let created = alice.create_whole(open("en-dodoi")).await.unwrap();
    assert_eq!(created.join_code, "", "it is public");
    let game = created.game.unwrap();
    assert_eq!(game.status(), GameStatus::Waiting);
    assert_eq!((game.seq, game.turn, game.ply, game.round), (1, 0, 0, 1));
    assert_eq!(
        (game.holes, game.target_wins, game.custom_start),
        (6, 1, false)
    );
    assert_eq!(game.creator_id, alice.id);
    assert_eq!(
        game.south.clone().unwrap().seat,
        Some(Seat::PlayerId(alice.id.clone()))
    );
    assert_eq!(game.rules_digest.len(), 64);
    assert_eq!(game.visibility(), Visibility::Public);
    let id = &game.game_id;
    assert_eq!(alice.legal(id).await.unwrap().moves, [], "nobody plays yet");

    let joined = bob.join(join(id)).await.unwrap();
    assert_eq!(joined.status(), GameStatus::Active);
    assert_eq!(
        joined.north.clone().unwrap().seat,
        Some(Seat::PlayerId(bob.id.clone()))
    );
    assert_eq!(joined.seq, 2);
    let legal = bob.legal(id).await.unwrap();
    assert_eq!((legal.moves.len(), legal.turn), (6, 0));
    assert_eq!(legal.moves[3].hole, 3);

    let answer = alice.play(id, 0).await.unwrap();
    let (outcome, game) = (answer.outcome.unwrap(), answer.game.unwrap());
    assert_eq!((outcome.mover(), outcome.hole), (Side::South, 0));
    assert!(!outcome.steps.is_empty());
    assert_eq!(outcome.position, game.position);
    assert_eq!((game.turn, game.ply, game.seq), (1, 1, 3));
    let moves: Vec<_> = game
        .moves
        .iter()
        .map(|one| (one.mover(), one.hole, one.round))
        .collect();
    assert_eq!(moves, [(Side::South, 0, 1)]);
    let mut expected = legal.moves[0].clone();
    expected.steps.clone_from(&outcome.steps);
    assert_eq!(expected, outcome, "as the list of legal moves foretold");

    let over = bob.resign(resign(id)).await.unwrap();
    let result = over.result.unwrap();
    assert_eq!(result.outcome(), Outcome::SouthWon);
    assert_eq!(result.reason(), EndReason::Resignation);
    assert_eq!(over.status(), GameStatus::Finished);
    let got = server.stranger().get(id).await.unwrap();
    assert_eq!(got, bob.get(id).await.unwrap());
    assert_eq!((got.seq, got.moves.len()), (4, 1));
    server.stop().await;
}

#[tokio::test]
async fn games_are_created_as_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let request = CreateGameRequest {
        holes: 8,
        first: proto::FirstMover::North.into(),
        target_wins: 3,
        visibility: Visibility::Unlisted.into(),
        ..solo("en-dodoi")
    };
    let game = alice.create(request).await.unwrap();
    assert_eq!((game.holes, game.target_wins), (8, 3));
    assert_eq!(game.position.as_ref().unwrap().to_move(), Side::North);
    assert_eq!(game.visibility(), Visibility::Unlisted);
    let start = "5,5,5,5,0/0,5,5,5,0 5-0 N round=1";
    let request = CreateGameRequest {
        start_position: Some(text("", start)),
        ..solo("bosh")
    };
    let game = alice.create(request).await.unwrap();
    assert!(game.custom_start);
    assert_eq!(game.start_position.unwrap().text, start);
    let mut firsts = HashSet::new();
    for _ in 0..64 {
        let first = proto::FirstMover::Random.into();
        let request = CreateGameRequest {
            first,
            ..solo("en-dodoi")
        };
        let game = alice.create(request).await.unwrap();
        firsts.insert(game.position.unwrap().to_move);
    }
    assert_eq!(firsts.len(), 2, "the lot falls on both");
}

#[tokio::test]
async fn an_invitation_is_accepted_by_joining() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request = CreateGameRequest {
        south: invited(&bob),
        ..solo("sadeqa-ii")
    };
    let game = alice.create(request).await.unwrap();
    let kept = Seat::InvitedPlayerId(bob.id.clone());
    assert_eq!(game.south.unwrap().seat, Some(kept));
    let joined = bob.join(join(&game.game_id)).await.unwrap();
    assert_eq!(joined.status(), GameStatus::Active);
    let taken = Seat::PlayerId(bob.id.clone());
    assert_eq!(joined.south.unwrap().seat, Some(taken));
}

#[tokio::test]
async fn the_side_to_take_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let request = CreateGameRequest {
        south: None,
        north: None,
        ..open("bosh")
    };
    let id = alice.create(request).await.unwrap().game_id;
    let side = Side::North.into();
    let joined = bob
        .join(JoinGameRequest { side, ..join(&id) })
        .await
        .unwrap();
    assert_eq!(joined.status(), GameStatus::Waiting);
    assert_eq!(
        joined.north.unwrap().seat,
        Some(Seat::PlayerId(bob.id.clone()))
    );
    let joined = alice.join(join(&id)).await.unwrap();
    assert_eq!(
        joined.south.unwrap().seat,
        Some(Seat::PlayerId(alice.id.clone()))
    );
}

#[tokio::test]
async fn lists_go_newest_first_in_pages_and_leave_history_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let mut ids = Vec::new();
    for index in 0..7 {
        let variant = ["bosh", "en-dodoi"][index % 2];
        let id = alice.create(open(variant)).await.unwrap().game_id;
        ids.insert(0, id);
    }
    bob.join(join(&ids[0])).await.unwrap();
    alice.play(&ids[0], 4).await.unwrap();
    let (mut found, mut request) = (
        Vec::new(),
        ListGamesRequest {
            page_size: 3,
            ..Default::default()
        },
    );
    loop {
        let page = bob.list(request.clone()).await.unwrap();
        found.extend(page.games);
        if page.next_page_token.is_empty() {
            break;
        }
        assert_eq!(found.len() % 3, 0, "all pages but the last are full");
        request.page_token = page.next_page_token;
    }
    let found_ids: Vec<_> = found.iter().map(|game| game.game_id.clone()).collect();
    assert_eq!(found_ids, ids);
    let mut newest = bob.get(&ids[0]).await.unwrap();
    newest.moves.clear();
    assert_eq!(found[0], newest);
    let count = |request| async { bob.list(request).await.unwrap().games.len() };
    let none = ListGamesRequest::default;
    let status = GameStatus::Active.into();
    assert_eq!(count(ListGamesRequest { status, ..none() }).await, 1);
    assert_eq!(
        count(ListGamesRequest {
            open_seat: true,
            ..none()
        })
        .await,
        6
    );
    let player_id = bob.id.clone();
    assert_eq!(
        count(ListGamesRequest {
            player_id,
            ..none()
        })
        .await,
        1
    );
    let variant = "bosh".into();
    assert_eq!(count(ListGamesRequest { variant, ..none() }).await, 4);
    let status = GameStatus::Aborted.into();
    assert_eq!(count(ListGamesRequest { status, ..none() }).await, 0);
    let exact = ListGamesRequest {
        page_size: 7,
        ..none()
    };
    assert_eq!(bob.list(exact).await.unwrap().next_page_token, "");
}

#[tokio::test]
async fn players_are_registered_and_found() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    for name in ["ab", "Åse Ğ 井", &"x".repeat(32)] {
        let request = RegisterPlayerRequest {
            name: name.into(),
            kind: proto::PlayerKind::Human.into(),
            request_id: fresh_id(),
        };
        let answer = stranger.players().register_player(request).await.unwrap();
        let answer = answer.into_inner();
        let player = answer.player.unwrap();
        assert_eq!(
            (player.name.as_str(), player.kind()),
            (name, proto::PlayerKind::Human)
        );
        assert!(answer.expire_time.unwrap().seconds > player.create_time.unwrap().seconds);
        let player_id = player.player_id.clone();
        let request = GetPlayerRequest { player_id };
        let got = stranger.players().get_player(request).await.unwrap();
        assert_eq!(got.into_inner().player, Some(player));
    }
    let alice = server.player("Alice").await;
    let request = alice.request(GetPlayerRequest::default());
    let got = alice.players().get_player(request).await.unwrap();
    assert_eq!(got.into_inner().player.unwrap().player_id, alice.id);
}

#[tokio::test]
async fn whole_games_of_every_variant_are_played_over_the_wire() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for variant in variants() {
        let id = alice.create(solo(variant)).await.unwrap().game_id;
        let mut chance = Chance::new(8);
        alice.play_any(&id, 600, &mut chance).await;
        let mut game = alice.get(&id).await.unwrap();
        let mut expected = 1 + game.moves.len() as u64;
        let to_move = game.position.as_ref().unwrap().to_move();
        if to_move != Side::Unspecified {
            // A match may have more rounds than there is time for.
            let side = to_move.into();
            let request = ResignGameRequest {
                side,
                ..resign(&id)
            };
            alice.resign(request).await.unwrap();
            game = alice.get(&id).await.unwrap();
            expected += 1;
        }
        assert_eq!(game.status(), GameStatus::Finished, "{variant}");
        assert!(game.result.is_some());
        assert_eq!(game.seq, expected);
        let mut watch = alice.watch(&id, Some(0)).await.unwrap();
        let mut events = 0;
        while let Some(message) = within(watch.message()).await.unwrap() {
            let Some(Message::Event(event)) = message.message else {
                panic!("{message:?}")
            };
            events += 1;
            assert_eq!(event.seq, events);
        }
        assert_eq!(events, game.seq);
        let rounds = game.rounds.len();
        assert!(
            definition(variant).rounds.is_some() == (rounds > 0),
            "{variant} has {rounds} rounds"
        );
    }
}

#[tokio::test]
async fn a_series_ends_with_rounds_as_its_score() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let target_wins = 2;
    let request = CreateGameRequest {
        target_wins,
        ..solo("en-dodoi")
    };
    let id = alice.create(request).await.unwrap().game_id;
    let round = [4, 3, 1, 5, 2, 4, 1];
    for hole in [round, round, round].concat() {
        alice.submit(play(&id, hole)).await.unwrap();
    }
    let game = alice.get(&id).await.unwrap();
    let result = game.result.unwrap();
    assert_eq!(
        (result.outcome(), result.reason()),
        (Outcome::SouthWon, EndReason::Series)
    );
    assert_eq!((result.south_score, result.north_score), (2, 1));
    let firsts: Vec<_> = game.rounds.iter().map(proto::RoundResult::first).collect();
    assert_eq!(firsts, [Side::South, Side::North, Side::South]);
}
