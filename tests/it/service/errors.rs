//! What a call about a game refuses: code, reason, details, and the game as it was.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, Game, GetPlayerRequest, JoinGameRequest, ListGamesRequest,
        RegisterPlayerRequest, ResignGameRequest, Side, SubmitMoveRequest,
    },
};
use tempfile::TempDir;

use crate::support::{
    client::{Caller, fresh_id, invited, join, open, play, resign, solo, text},
    server::Server,
    status::{refused, refused_field, refused_missing, refused_precondition, refused_quota},
};

/// A server with Alice and Bob, and a game between them in which Alice has moved.
struct Set {
    _folder: TempDir,
    server: Server,
    alice: Caller,
    bob: Caller,
    game: Game,
}

async fn set() -> Set {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
    bob.join(join(&id)).await.unwrap();
    let game = alice.play(&id, 0).await.unwrap().game.unwrap();
    Set {
        _folder: folder,
        server,
        alice,
        bob,
        game,
    }
}

impl Set {
    /// Asserts that the game is as it was, and that a watcher would see nothing new.
    async fn assert_unchanged(&self) {
        let now = self.alice.get(&self.game.game_id).await.unwrap();
        assert_eq!(now, self.game);
    }
}

#[tokio::test]
async fn moves_that_are_refused_leave_the_game_as_it_was() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    for hole in [6, 10, 255, 256, u32::MAX] {
        refused_field(bob.play(id, hole).await, Reason::HoleOutOfRange, "hole");
        set.assert_unchanged().await;
    }
    let hole = None;
    let without = bob
        .submit(SubmitMoveRequest {
            hole,
            ..play(id, 0)
        })
        .await;
    refused_field(without, Reason::InvalidField, "hole");
    let answer = alice.play(id, 0).await;
    refused_precondition(answer, Reason::NotYourTurn, "NOT_YOUR_TURN");
    for turn in [0, 2, u32::MAX] {
        let expected_turn = Some(turn);
        let stale = SubmitMoveRequest {
            expected_turn,
            ..play(id, 1)
        };
        let details = refused(bob.submit(stale).await, Reason::StaleTurn);
        let metadata = &details.error_info().unwrap().metadata;
        assert_eq!(metadata["turn"], "1");
        set.assert_unchanged().await;
    }
    let carol = set.server.player("Carol").await;
    refused(carol.play(id, 0).await, Reason::NotSeated);
    refused(carol.resign(resign(id)).await, Reason::NotSeated);
    refused_precondition(carol.join(join(id)).await, Reason::SeatTaken, "SEAT_TAKEN");
    for side in [Side::South, Side::North] {
        let side = side.into();
        let taken = bob.join(JoinGameRequest { side, ..join(id) }).await;
        refused_precondition(taken, Reason::SeatTaken, "SEAT_TAKEN");
    }
    let side = Side::North.into();
    let foreign = alice.resign(ResignGameRequest { side, ..resign(id) }).await;
    refused(foreign, Reason::NotSeated);
    set.assert_unchanged().await;
    let expected_turn = Some(1);
    let fresh = SubmitMoveRequest {
        expected_turn,
        ..play(id, 1)
    };
    bob.submit(fresh).await.unwrap();
}

#[tokio::test]
async fn illegal_holes_say_which_rule_forbids_them() {
    let set = set().await;
    let alice = &set.alice;
    let cases = [
        (
            "en-dodoi",
            "0,4,0,0,0,0/0,0,0,0,0,4 20-20 S",
            0,
            "HOLE_EMPTY",
        ),
        (
            "bosh",
            "4,4,4,4,x/4,4,4,4,4 0-4 S round=3",
            4,
            "HOLE_CLOSED",
        ),
        (
            "sadeqa-ii",
            "3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened=0/0",
            0,
            "NOT_THE_OPENING_HOLE",
        ),
        (
            "adji-boto",
            "1,10,12,12,12/12,12,11,11,7 0-0 S",
            0,
            "TOO_FEW_SEEDS",
        ),
        (
            "adji-boto",
            "2,12,12,12,12/2,12,12,12,12 0-0 S opened=10000/10000",
            0,
            "ALREADY_OPENED",
        ),
        (
            "sadeqa-ii",
            SADEQA_TOO_LONG.0,
            SADEQA_TOO_LONG.1,
            "SOWING_TOO_LONG",
        ),
    ];
    for (variant, position, hole, kind) in cases {
        let start_position = Some(text(variant, position));
        let request = CreateGameRequest {
            start_position,
            ..solo(variant)
        };
        let before = alice.create(request).await.unwrap();
        let id = &before.game_id;
        refused_precondition(alice.play(id, hole).await, Reason::IllegalMove, kind);
        assert_eq!(alice.get(id).await.unwrap(), before);
        let blocked = alice.legal(id).await.unwrap().blocked;
        let occupied = !kind.starts_with("HOLE_");
        assert_eq!(
            blocked.iter().any(|one| one.hole == hole),
            occupied,
            "{position}"
        );
        for one in blocked.iter().filter(|one| one.hole == hole) {
            assert_eq!(one.reason().as_str_name(), format!("BLOCK_REASON_{kind}"));
        }
    }
}

/// From the recorded sowings: a move that never ends.
const SADEQA_TOO_LONG: (&str, u32) = ("0,2,1,0,1,2/1,2,1,2,2,1 0-0 N", 3);

#[tokio::test]
async fn a_finished_game_takes_no_more() {
    let set = set().await;
    let (alice, bob, id) = (&set.alice, &set.bob, set.game.game_id.as_str());
    let over = bob.resign(resign(id)).await.unwrap();
    refused_precondition(bob.play(id, 1).await, Reason::GameOver, "GAME_OVER");
    refused_precondition(
        alice.resign(resign(id)).await,
        Reason::GameOver,
        "GAME_OVER",
    );
    refused_precondition(alice.join(join(id)).await, Reason::SeatTaken, "SEAT_TAKEN");
    assert_eq!(alice.get(id).await.unwrap(), over);
    assert_eq!(alice.legal(id).await.unwrap().moves, []);
}

#[tokio::test]
async fn a_waiting_game_is_not_played() {
    let set = set().await;
    let alice = &set.alice;
    let before = alice.create(open("bosh")).await.unwrap();
    let id = before.game_id.as_str();
    let kind = "GAME_NOT_STARTED";
    refused_precondition(alice.play(id, 0).await, Reason::GameNotStarted, kind);
    refused_precondition(alice.resign(resign(id)).await, Reason::GameNotStarted, kind);
    assert_eq!(alice.get(id).await.unwrap(), before);
}

#[tokio::test]
async fn what_is_no_uuid_is_refused_by_its_field() {
    let set = set().await;
    let (alice, good) = (&set.alice, set.game.game_id.as_str());
    let simple = good.replace('-', "");
    let braced = format!("{{{good}}}");
    let long = "x".repeat(30_000);
    for bad in ["", "x", &good[1..], &simple, &braced, &long, "é"] {
        let (reason, field) = (Reason::InvalidField, "game_id");
        refused_field(alice.get(bad).await, reason, field);
        refused_field(alice.legal(bad).await, reason, field);
        refused_field(alice.play(bad, 0).await, reason, field);
        refused_field(alice.join(join(bad)).await, reason, field);
        refused_field(alice.resign(resign(bad)).await, reason, field);
        refused_field(alice.watch(bad, None).await, reason, field);
        if bad.is_empty() {
            continue;
        }
        let player_id = bad.to_owned();
        let list = ListGamesRequest {
            player_id,
            ..Default::default()
        };
        refused_field(alice.list(list).await, reason, "player_id");
        let player_id = bad.to_owned();
        let get = alice
            .players()
            .get_player(GetPlayerRequest { player_id })
            .await;
        refused_field(get, reason, "player_id");
        let request_id = bad.to_owned();
        let (field, id) = ("request_id", request_id.clone());
        let create = CreateGameRequest {
            request_id: id.clone(),
            ..solo("bosh")
        };
        refused_field(alice.create(create).await, reason, field);
        let submit = SubmitMoveRequest {
            request_id: id.clone(),
            ..play(good, 0)
        };
        refused_field(alice.submit(submit).await, reason, field);
        let take = JoinGameRequest {
            request_id: id.clone(),
            ..join(good)
        };
        refused_field(alice.join(take).await, reason, field);
        let give_up = ResignGameRequest {
            request_id: id,
            ..resign(good)
        };
        refused_field(alice.resign(give_up).await, reason, field);
        let nobody = Caller {
            id: request_id,
            ..alice.clone()
        };
        let create = CreateGameRequest {
            north: invited(&nobody),
            ..solo("bosh")
        };
        refused_field(
            alice.create(create).await,
            reason,
            "north.invited_player_id",
        );
    }
    set.assert_unchanged().await;
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let set = set().await;
    let alice = &set.alice;
    let id = fresh_id();
    let (reason, kind) = (Reason::GameNotFound, "mancala.v1.Game");
    refused_missing(alice.get(&id).await, reason, kind, &id);
    refused_missing(alice.legal(&id).await, reason, kind, &id);
    refused_missing(alice.play(&id, 0).await, reason, kind, &id);
    refused_missing(alice.join(join(&id)).await, reason, kind, &id);
    refused_missing(alice.resign(resign(&id)).await, reason, kind, &id);
    refused_missing(alice.watch(&id, None).await, reason, kind, &id);
    let (reason, kind) = (Reason::PlayerNotFound, "mancala.v1.Player");
    let player_id = id.clone();
    let get = alice
        .players()
        .get_player(GetPlayerRequest { player_id })
        .await;
    refused_missing(get, reason, kind, &id);
    let nobody = Caller {
        id: id.clone(),
        ..alice.clone()
    };
    let create = CreateGameRequest {
        north: invited(&nobody),
        ..solo("bosh")
    };
    refused_missing(alice.create(create).await, reason, kind, &id);
    let (reason, kind) = (Reason::VariantNotFound, "mancala.v1.Variant");
    let create = alice.create(solo("chess")).await;
    refused_missing(create, reason, kind, "chess");
}

#[tokio::test]
async fn games_that_make_no_sense_are_refused_by_field() {
    let set = set().await;
    let alice = &set.alice;
    let position = "5,5,5,5,0/0,5,5,5,0 5-0 N round=1";
    let start = |variant, position| Some(text(variant, position));
    let cases = [
        (
            "variant",
            CreateGameRequest {
                variant: String::new(),
                ..solo("")
            },
        ),
        (
            "holes",
            CreateGameRequest {
                holes: 11,
                ..solo("en-dodoi")
            },
        ),
        (
            "holes",
            CreateGameRequest {
                holes: u32::MAX,
                ..solo("bosh")
            },
        ),
        (
            "target_wins",
            CreateGameRequest {
                target_wins: 101,
                ..solo("en-dodoi")
            },
        ),
        (
            "target_wins",
            CreateGameRequest {
                target_wins: 2,
                ..solo("bosh")
            },
        ),
        (
            "visibility",
            CreateGameRequest {
                visibility: 9,
                ..solo("bosh")
            },
        ),
        (
            "first",
            CreateGameRequest {
                first: -1,
                ..solo("bosh")
            },
        ),
        (
            "first",
            CreateGameRequest {
                first: 1,
                start_position: start("bosh", position),
                ..solo("bosh")
            },
        ),
        (
            "start_position.variant",
            CreateGameRequest {
                start_position: start("en-dodoi", position),
                ..solo("bosh")
            },
        ),
        (
            "start_position",
            CreateGameRequest {
                start_position: start("en-dodoi", "0,0,0,0,0,0/0,0,0,0,0,0 24-24 -"),
                ..solo("en-dodoi")
            },
        ),
    ];
    let before = alice.list(ListGamesRequest::default()).await.unwrap();
    for (field, request) in cases {
        refused_field(alice.create(request).await, Reason::InvalidField, field);
    }
    let start_position = start("bosh", "5,5,5,5,0/0,5,5,5,0 5-1 N round=1");
    let create = CreateGameRequest {
        start_position,
        ..solo("bosh")
    };
    refused_field(
        alice.create(create).await,
        Reason::InvalidPosition,
        "start_position",
    );
    let after = alice.list(ListGamesRequest::default()).await.unwrap();
    assert_eq!(after, before);
}

#[tokio::test]
async fn pages_are_bounded_and_tokens_bound_to_their_filter() {
    let set = set().await;
    let alice = &set.alice;
    for _ in 0..3 {
        alice.create(open("bosh")).await.unwrap();
    }
    for page_size in [201, u32::MAX] {
        let list = ListGamesRequest {
            page_size,
            ..Default::default()
        };
        refused_field(alice.list(list).await, Reason::InvalidField, "page_size");
    }
    let page_size = 200;
    let list = ListGamesRequest {
        page_size,
        ..Default::default()
    };
    assert_eq!(alice.list(list).await.unwrap().games.len(), 4);
    let first = ListGamesRequest {
        page_size: 1,
        ..Default::default()
    };
    let token = alice.list(first.clone()).await.unwrap().next_page_token;
    let goes_on = ListGamesRequest {
        page_size: 2,
        page_token: token.clone(),
        ..first.clone()
    };
    assert_eq!(
        alice.list(goes_on).await.unwrap().games.len(),
        2,
        "any size"
    );
    let other = ListGamesRequest {
        open_seat: true,
        page_token: token.clone(),
        ..first.clone()
    };
    let (reason, field) = (Reason::InvalidPageToken, "page_token");
    refused_field(alice.list(other).await, reason, field);
    for page_token in [
        "x",
        &token[1..],
        &token.replace('0', "g"),
        &format!("{token}0"),
        "é".repeat(16).as_str(),
    ] {
        let page_token = page_token.to_owned();
        let list = ListGamesRequest {
            page_token,
            ..first.clone()
        };
        refused_field(alice.list(list).await, reason, field);
    }
    let status = 77;
    let list = ListGamesRequest {
        status,
        ..Default::default()
    };
    refused_field(alice.list(list).await, Reason::InvalidField, "status");
}

#[tokio::test]
async fn a_watch_from_beyond_the_log_is_told_where_it_ends() {
    let set = set().await;
    let id = set.game.game_id.as_str();
    for after in [set.game.seq + 1, u64::MAX] {
        let watch = set.alice.watch(id, Some(after)).await;
        let details = refused(watch, Reason::SeqBeyondLog);
        let metadata = &details.error_info().unwrap().metadata;
        assert_eq!(metadata["newest_seq"], set.game.seq.to_string());
    }
}

#[tokio::test]
async fn names_and_kinds_of_players_are_checked() {
    let set = set().await;
    let stranger = set.server.stranger();
    let long = "x".repeat(33);
    let huge = "x".repeat(60_000);
    let bad = [
        "",
        "x",
        &long,
        &huge,
        " ab",
        "ab ",
        "a\nb",
        "a\0b",
        "e\u{301}a",
        "\u{a0}ab",
    ];
    for name in bad {
        let request = RegisterPlayerRequest {
            name: name.into(),
            kind: 1,
            ..Default::default()
        };
        let answer = stranger.players().register_player(request).await;
        refused_field(answer, Reason::InvalidField, "name");
    }
    for kind in [0, 3, -1] {
        let request = RegisterPlayerRequest {
            name: "ab".into(),
            kind,
            ..Default::default()
        };
        let answer = stranger.players().register_player(request).await;
        refused_field(answer, Reason::InvalidField, "kind");
    }
}

#[tokio::test]
async fn a_request_over_the_limit_is_refused_and_the_connection_lives_on() {
    let set = set().await;
    let alice = &set.alice;
    let join_code = "x".repeat(70_000);
    let large = JoinGameRequest {
        join_code,
        ..join(&set.game.game_id)
    };
    refused_quota(
        alice.join(large).await,
        Reason::RequestTooLarge,
        "request_bytes",
    );
    set.assert_unchanged().await;
    let join_code = "x".repeat(60_000);
    let fits = JoinGameRequest {
        join_code,
        ..join(&set.game.game_id)
    };
    refused(alice.join(fits).await, Reason::SeatTaken);
}

#[tokio::test]
async fn long_names_of_variants_do_not_end_the_connection() {
    let set = set().await;
    let alice = &set.alice;
    let name = "x".repeat(32);
    let (reason, kind) = (Reason::VariantNotFound, "mancala.v1.Variant");
    refused_missing(alice.create(solo(&name)).await, reason, kind, &name);
    for length in [33, 10_000, 60_000] {
        let name = "x".repeat(length);
        let answer = alice.create(solo(&name)).await;
        refused_field(answer, Reason::InvalidField, "variant");
        let variant = name.clone();
        let answer = alice
            .list(ListGamesRequest {
                variant,
                ..Default::default()
            })
            .await;
        assert_eq!(answer.unwrap().games, []);
    }
    set.assert_unchanged().await;
}

/// A message that is none of the schema's: its first field is bytes where a string is expected.
#[derive(Clone, PartialEq, prost::Message)]
struct Strange {
    #[prost(bytes = "vec", tag = "1")]
    bytes: Vec<u8>,
}

#[tokio::test]
async fn bytes_that_are_no_message_are_refused() {
    let set = set().await;
    let mut client = tonic::client::Grpc::new(set.server.channel());
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<Strange, Game>::default();
    let path = "/mancala.v1.GameService/GetGame".parse().unwrap();
    let request = set.alice.request(Strange {
        bytes: vec![0xff, 0xfe],
    });
    refused(
        client.unary(request, path, codec).await,
        Reason::MalformedRequest,
    );
    set.assert_unchanged().await;
}
