//! Who sits where, and who may sit down.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, FirstMover, Game, GameStatus, JoinGameRequest, ListGamesRequest,
        OpenSeat, ResignGameRequest, SeatRequest, Side, Visibility, seat::Seat, seat_request,
    },
};

use crate::support::{
    client::{Caller, invited, join, open, resign, solo, text},
    server::Server,
    status::{refused, refused_field, refused_missing, refused_precondition},
    variants,
};

fn seats(game: &Game) -> [Seat; 2] {
    [&game.south, &game.north].map(|seat| seat.clone().unwrap().seat.unwrap())
}

fn of(player: &Caller) -> Seat {
    Seat::PlayerId(player.id.clone())
}

fn kept(player: &Caller) -> Seat {
    Seat::InvitedPlayerId(player.id.clone())
}

fn free() -> Seat {
    Seat::Open(OpenSeat {})
}

#[tokio::test]
async fn seats_are_as_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let said_open = Some(SeatRequest {
        seat: Some(seat_request::Seat::Open(OpenSeat {})),
    });
    let unsaid = Some(SeatRequest { seat: None });
    let mine = || solo("bosh").south;
    let (active, waiting) = (GameStatus::Active, GameStatus::Waiting);
    let cases = [
        (mine(), mine(), [of(&alice), of(&alice)], active),
        (mine(), None, [of(&alice), free()], waiting),
        (None, mine(), [free(), of(&alice)], waiting),
        (said_open, unsaid, [free(), free()], waiting),
        (invited(&bob), mine(), [kept(&bob), of(&alice)], waiting),
        (invited(&bob), None, [kept(&bob), free()], waiting),
        (
            invited(&bob),
            invited(&carol),
            [kept(&bob), kept(&carol)],
            waiting,
        ),
        (
            invited(&bob),
            invited(&bob),
            [kept(&bob), kept(&bob)],
            waiting,
        ),
        (invited(&alice), mine(), [kept(&alice), of(&alice)], waiting),
    ];
    for (south, north, expected, status) in cases {
        let request = CreateGameRequest {
            south,
            north,
            ..solo("bosh")
        };
        let game = alice.create(request).await.unwrap();
        assert_eq!((seats(&game), game.status()), (expected, status));
        assert_eq!(game.creator_id, alice.id);
        assert_eq!(carol.get(&game.game_id).await.unwrap(), game);
    }
}

#[tokio::test]
async fn an_invited_player_gets_the_seat_that_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let request = CreateGameRequest {
        south: None,
        north: invited(&bob),
        ..solo("bosh")
    };
    let id = alice.create(request).await.unwrap().game_id;
    let north = JoinGameRequest {
        side: Side::North.into(),
        ..join(&id)
    };
    for other in [&alice, &carol] {
        let answer = other.join(north.clone()).await;
        refused_precondition(answer, Reason::SeatTaken, "SEAT_TAKEN");
    }
    let joined = bob.join(join(&id)).await.unwrap();
    assert_eq!(
        seats(&joined),
        [free(), of(&bob)],
        "not the first that is open"
    );
    refused(bob.join(north).await, Reason::SeatTaken);
    // And the open one is for anybody, also for a player who sits already.
    let joined = bob.join(join(&id)).await.unwrap();
    assert_eq!(seats(&joined), [of(&bob), of(&bob)]);
    assert_eq!(joined.status(), GameStatus::Active);
    let south = JoinGameRequest {
        side: Side::South.into(),
        ..join(&id)
    };
    refused(carol.join(south).await, Reason::SeatTaken);
    assert_eq!(carol.get(&id).await.unwrap(), joined);
}

#[tokio::test]
async fn a_game_between_two_invited_players_waits_for_both() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let request = CreateGameRequest {
        south: invited(&bob),
        north: invited(&carol),
        ..solo("bosh")
    };
    let id = alice.create(request).await.unwrap().game_id;
    refused(alice.join(join(&id)).await, Reason::SeatTaken);
    let joined = carol.join(join(&id)).await.unwrap();
    assert_eq!(joined.status(), GameStatus::Waiting);
    refused(carol.play(&id, 0).await, Reason::GameNotStarted);
    let joined = bob.join(join(&id)).await.unwrap();
    assert_eq!((joined.status(), joined.seq), (GameStatus::Active, 3));
    refused(alice.play(&id, 0).await, Reason::NotSeated);
    bob.play(&id, 0).await.unwrap();
}

#[tokio::test]
async fn the_join_code_opens_each_open_seat_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let carol = server.player("Carol").await;
    let private = |request: CreateGameRequest| CreateGameRequest {
        visibility: Visibility::Private.into(),
        ..request
    };
    let both_open = CreateGameRequest {
        south: None,
        ..open("bosh")
    };
    let created = alice.create_whole(private(both_open)).await.unwrap();
    let (id, join_code) = (created.game.unwrap().game_id, created.join_code);
    let with_code = || JoinGameRequest {
        join_code: join_code.clone(),
        ..join(&id)
    };
    // Who created it has no seat: without the code it is not there.
    let (reason, kind) = (Reason::GameNotFound, "mancala.v1.Game");
    refused_missing(alice.get(&id).await, reason, kind, &id);
    refused_missing(alice.join(join(&id)).await, reason, kind, &id);
    bob.join(with_code()).await.unwrap();
    let joined = carol.join(with_code()).await.unwrap();
    assert_eq!(seats(&joined), [of(&bob), of(&carol)]);
    refused(alice.join(with_code()).await, Reason::SeatTaken);

    // A kept seat is taken without it, and with none but the kept ones there is none.
    let request = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let created = alice.create_whole(private(request)).await.unwrap();
    assert_eq!(created.join_code, "");
    let id = created.game.unwrap().game_id;
    refused_missing(carol.join(join(&id)).await, reason, kind, &id);
    bob.join(join(&id)).await.unwrap();
    let request = CreateGameRequest {
        south: invited(&carol),
        ..open("bosh")
    };
    let created = alice.create_whole(private(request)).await.unwrap();
    let (id, join_code) = (created.game.unwrap().game_id, created.join_code);
    let kept_seat = JoinGameRequest {
        side: Side::South.into(),
        join_code,
        ..join(&id)
    };
    refused(bob.join(kept_seat).await, Reason::SeatTaken);
    let open_seat = JoinGameRequest {
        side: Side::North.into(),
        ..join(&id)
    };
    refused(carol.join(open_seat).await, Reason::JoinCodeWrong);
    carol.join(join(&id)).await.unwrap();
}

#[tokio::test]
async fn a_player_of_both_sides_plays_whoever_is_to_move() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for variant in variants() {
        let request = CreateGameRequest {
            first: FirstMover::North.into(),
            ..solo(variant)
        };
        let id = alice.create(request).await.unwrap().game_id;
        for _ in 0..4 {
            let legal = alice.legal(&id).await.unwrap().moves;
            let mover = legal[0].mover();
            let made = alice.play(&id, legal[0].hole).await.unwrap();
            assert_eq!(made.outcome.unwrap().mover(), mover);
        }
        refused_field(
            alice.resign(resign(&id)).await,
            Reason::InvalidField,
            "side",
        );
        let request = ResignGameRequest {
            side: Side::North.into(),
            ..resign(&id)
        };
        alice.resign(request).await.unwrap();
    }
}

#[tokio::test]
async fn a_game_from_a_position_of_its_own_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    for variant in variants() {
        let usual = alice.create(solo(variant)).await.unwrap();
        assert!(!usual.custom_start);
        let start = usual.position.unwrap();
        let id = &usual.game_id;
        let hole = alice.legal(id).await.unwrap().moves[0].hole;
        let later = alice.play(id, hole).await.unwrap().game.unwrap();
        // The usual one, too, if it is given.
        for position in [start, later.position.unwrap()] {
            let request = CreateGameRequest {
                start_position: Some(text(variant, &position.text)),
                ..solo(variant)
            };
            let game = alice.create(request).await.unwrap();
            assert!(game.custom_start, "{variant}");
            assert_eq!(game.start_position.as_ref(), Some(&position));
            assert_eq!((game.ply, game.turn, game.moves.len()), (0, 0, 0));
            assert_eq!(alice.get(&game.game_id).await.unwrap(), game);
        }
    }
    let listed = alice.list(ListGamesRequest::default()).await.unwrap().games;
    let custom = listed.iter().filter(|game| game.custom_start).count();
    assert_eq!(custom, 2 * variants().len());
}
