//! What is malformed, missing, out of bounds or too large, by the field that is.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, Game, GetPlayerRequest, JoinGameRequest, ListGamesRequest,
        RegisterPlayerRequest, ResignGameRequest, SubmitMoveRequest,
    },
};

use crate::support::{
    client::{Caller, invited, join, open, play, resign, solo, text},
    status::{refused, refused_field, refused_missing, refused_quota},
};

use super::errors::set;

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
        "request-bytes",
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
