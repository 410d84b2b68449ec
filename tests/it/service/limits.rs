//! How much of what there may be: each limit is met, says so, and gives way again.

use std::time::Duration;

use mancala::grpc::{
    Limit, Limits, Reason, SetLimit,
    proto::{
        CreateGameRequest, EnumerateMovesRequest, GetPlayerRequest, ListGamesRequest, Position,
    },
};
use tonic::{Request, Status};

use crate::support::{
    client::{Caller, abort, fresh_id, invited, join, open, rematch, resign, solo},
    server::Server,
    status::{assert_reason, refused_quota},
    within,
};

async fn limited(folder: &tempfile::TempDir, limits: &[(Limit, u32)]) -> Server {
    Server::start_behind(folder.path(), |edge| {
        for (limit, value) in limits {
            edge.limits.set(*limit, *value);
        }
    })
    .await
}

/// A call that is 1 unit.
async fn me(caller: &Caller) -> Result<(), Status> {
    let request = caller.request(GetPlayerRequest::default());
    within(caller.players().get_player(request))
        .await
        .map(|_| ())
}

/// Asserts that a refusal says which limit it is by, and when to come again.
#[track_caller]
fn over(status: &Status, reason: Reason, limit: Limit) -> Duration {
    let details = assert_reason(status, reason);
    refused_quota(Err::<(), _>(status.clone()), reason, limit.name());
    let retry = details.retry_info().unwrap().retry_delay.unwrap();
    let pushback = status.metadata().get("grpc-retry-pushback-ms").unwrap();
    assert_eq!(pushback.to_str().unwrap(), retry.as_millis().to_string());
    retry
}

#[tokio::test]
async fn a_player_who_calls_too_fast_is_slowed_down_and_then_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = limited(&folder, &[(Limit::CallsPerPlayer, 10)]).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    // What is saved up is used at once: as much as the dearest call takes.
    for _ in 0..500 {
        me(&alice).await.unwrap();
    }
    let calls = (0..40).map(|_| {
        let alice = alice.clone();
        tokio::spawn(async move { me(&alice).await })
    });
    let (mut passed, mut refused) = (0, 0);
    for call in calls.collect::<Vec<_>>() {
        match within(call).await.unwrap() {
            Ok(()) => passed += 1,
            Err(status) => {
                let retry = over(&status, Reason::TooManyCalls, Limit::CallsPerPlayer);
                assert!(retry > Duration::from_millis(400), "{retry:?}");
                refused += 1;
            }
        }
    }
    // Half a second's units, and as many as come in the time that the calls took to come.
    assert!((4..=20).contains(&passed), "{passed} passed");
    assert_eq!(server.limit(Limit::CallsPerPlayer).await.1, refused);
    me(&bob).await.unwrap();
}

#[tokio::test]
async fn legal_moves_with_long_sowings_count_as_the_long_calls_that_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let server = limited(&folder, &[(Limit::CallsPerPlayer, 1)]).await;
    let answered = async |name: &str, text: &str, most: usize| {
        let caller = server.player(name).await;
        let mut answered = 0;
        while answered < most {
            let request = caller.request(EnumerateMovesRequest {
                position: Some(Position {
                    variant: "en-dodoi".into(),
                    text: text.into(),
                    ..Position::default()
                }),
                omit_steps: true,
            });
            match within(server.stranger().rules().enumerate_moves(request)).await {
                Ok(_) => answered += 1,
                Err(status) => {
                    over(&status, Reason::TooManyCalls, Limit::CallsPerPlayer);
                    break;
                }
            }
        }
        answered
    };
    // 500 units are saved up: 3 a call, and 20 if it is long.
    let short = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S";
    assert_eq!(answered("Alice", short, 150).await, 150);
    let long = "0,4,0,1,9,2,1,2,3,2/0,5,6,1,0,1,2,1,7,1 20-12 S";
    assert!((25..=40).contains(&answered("Bob", long, 150).await));
}

#[tokio::test]
async fn an_address_has_its_rate_unless_it_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.limits.set(Limit::CallsPerAddress, 2);
        edge.proxies.0 = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    let call = async |forwarded: &[&'static str]| {
        let mut request = Request::new(ListGamesRequest::default());
        for address in forwarded {
            let metadata = request.metadata_mut();
            metadata.append("x-forwarded-for", address.parse().unwrap());
        }
        let mut games = server.stranger().games();
        within(games.list_games(request)).await.map(|_| ())
    };
    // 500 units are saved up, of which each takes 20.
    let exhaust = async |forwarded: &[&'static str]| {
        for made in 0..30 {
            if let Err(status) = call(forwarded).await {
                over(&status, Reason::TooManyCalls, Limit::CallsPerAddress);
                return made;
            }
        }
        30
    };
    assert!((25..30).contains(&exhaust(&["192.0.2.1"]).await));
    // The same by other words, and whatever the client itself had said before it.
    for same in [
        &["192.0.2.1"][..],
        &["198.51.100.7, 192.0.2.1"],
        &["198.51.100.7", "192.0.2.1"],
        &["192.0.2.1:4711"],
        &["192.0.2.1, 127.0.0.1"],
        &["::ffff:192.0.2.1"],
    ] {
        let status = call(same).await.unwrap_err();
        over(&status, Reason::TooManyCalls, Limit::CallsPerAddress);
    }
    assert!((25..30).contains(&exhaust(&["[2001:db8::1]:443"]).await));
    call(&["2001:db8::ffff:2"]).await.unwrap_err();
    call(&["2001:db8:0:1::1"]).await.unwrap();
    // What can't be read is the proxy itself, and not nobody.
    assert!((25..30).contains(&exhaust(&["unknown"]).await));
    call(&["192.0.2.9, unknown"]).await.unwrap_err();
    // A back end of one's own.
    assert_eq!(exhaust(&[]).await, 30);
}

#[tokio::test]
async fn streams_are_counted_for_a_player_an_address_and_all() {
    for (limit, others_may) in [
        (Limit::StreamsPerPlayer, true),
        (Limit::StreamsPerAddress, false),
        (Limit::Streams, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = limited(&folder, &[(limit, 2)]).await;
        let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
        let game = alice.create(solo("bosh")).await.unwrap().game_id;
        let first = alice.watch(&game, None).await.unwrap();
        let _second = alice.watch(&game, None).await.unwrap();
        let third = alice.watch(&game, None).await.unwrap_err();
        over(&third, Reason::TooManyStreams, limit);
        let others = bob.watch(&game, None).await;
        assert_eq!(others.is_ok(), others_may, "{limit:?}");
        // Calls are no streams.
        me(&alice).await.unwrap();
        drop((first, others));
        let again = async {
            loop {
                if let Ok(stream) = alice.watch(&game, None).await {
                    return stream;
                }
            }
        };
        within(again).await;
    }
}

#[tokio::test]
async fn a_player_has_so_many_games_and_open_seats() {
    let folder = tempfile::tempdir().unwrap();
    let limits = [(Limit::GamesPerPlayer, 4), (Limit::OpenSeatsPerPlayer, 2)];
    let server = limited(&folder, &limits).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let first = alice.create(open("bosh")).await.unwrap().game_id;
    let for_bob = CreateGameRequest {
        north: invited(&bob),
        ..solo("bosh")
    };
    let request_id = fresh_id();
    let second = CreateGameRequest {
        request_id,
        ..for_bob.clone()
    };
    let kept = alice.create(second.clone()).await.unwrap().game_id;
    for another in [
        open("bosh"),
        for_bob,
        CreateGameRequest {
            south: None,
            ..open("bosh")
        },
    ] {
        let status = alice.create(another).await.unwrap_err();
        let retry = over(&status, Reason::TooManyGames, Limit::OpenSeatsPerPlayer);
        assert!(retry >= Duration::from_secs(1));
    }
    assert_eq!(
        alice.create(second).await.unwrap().game_id,
        kept,
        "the same call again"
    );
    // Others' invitations count for nobody but them.
    bob.create(solo("bosh")).await.unwrap();
    let solos = [
        alice.create(solo("bosh")).await.unwrap().game_id,
        alice.create(solo("bosh")).await.unwrap().game_id,
    ];
    let status = alice.create(solo("bosh")).await.unwrap_err();
    over(&status, Reason::TooManyGames, Limit::GamesPerPlayer);
    // Nor may she take a seat of another's game.
    let of_bob = bob.create(open("bosh")).await.unwrap().game_id;
    let status = alice.join(join(&of_bob)).await.unwrap_err();
    over(&status, Reason::TooManyGames, Limit::GamesPerPlayer);
    // What is over counts no more.
    let over_now = resign(&solos[0]);
    let over_now = mancala::grpc::proto::ResignGameRequest {
        side: 1,
        ..over_now
    };
    alice.resign(over_now).await.unwrap();
    alice.join(join(&of_bob)).await.unwrap();
    let status = alice.rematch(rematch(&solos[0])).await.unwrap_err();
    over(&status, Reason::TooManyGames, Limit::GamesPerPlayer);
    alice.abort(abort(&first)).await.unwrap();
    alice.rematch(rematch(&solos[0])).await.unwrap();
    assert_eq!(server.limit(Limit::OpenSeatsPerPlayer).await.1, 3);
    assert_eq!(server.limit(Limit::GamesPerPlayer).await.1, 3);
}

#[tokio::test]
async fn no_more_games_are_made_at_once_than_there_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let server = limited(&folder, &[(Limit::OpenSeatsPerPlayer, 5)]).await;
    let alice = server.player("Alice").await;
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let alice = alice.clone();
            tokio::spawn(async move { alice.create(open("bosh")).await })
        })
        .collect();
    let mut made = 0;
    for call in calls {
        match within(call).await.unwrap() {
            Ok(_) => made += 1,
            Err(status) => drop(over(
                &status,
                Reason::TooManyGames,
                Limit::OpenSeatsPerPlayer,
            )),
        }
    }
    // Two that meet at the border may refuse each other.
    assert!((1..=5).contains(&made), "{made} made");
    let listed = alice.list(Default::default()).await.unwrap().games.len();
    assert_eq!(listed, made);
    while made < 5 {
        alice.create(open("bosh")).await.unwrap();
        made += 1;
    }
    alice.create(open("bosh")).await.unwrap_err();
}

/// A retry that comes while the call that it repeats is made isn't refused for it.
#[tokio::test]
async fn the_same_call_twice_at_once_makes_one_game_at_the_limit_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = limited(&folder, &[(Limit::OpenSeatsPerPlayer, 1)]).await;
    for _ in 0..20 {
        let alice = server.player("Alice").await;
        let request = CreateGameRequest {
            request_id: fresh_id(),
            ..open("bosh")
        };
        let (one, other) = tokio::join!(alice.create(request.clone()), alice.create(request));
        assert_eq!(one.unwrap(), other.unwrap());
    }
}

#[tokio::test]
async fn the_admins_address_works_when_the_other_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let limits = [(Limit::CallsPerAddress, 1), (Limit::Connections, 1)];
    let server = limited(&folder, &limits).await;
    let alice = server.player("Alice").await;
    while me(&alice).await.is_ok() {}
    for _ in 0..300 {
        server.limit(Limit::CallsPerAddress).await;
    }
}

#[test]
fn limits_are_read_by_name() {
    for limit in Limit::ALL {
        let (least, most) = limit.range().into_inner();
        for value in [least, most] {
            let text = format!("{}={value}", limit.name());
            let set: SetLimit = text.parse().unwrap();
            assert_eq!(
                (set.limit, set.value, set.to_string()),
                (*limit, value, text)
            );
        }
        let mut limits = Limits::default();
        assert_eq!(limits[*limit], limit.default_value());
        assert!(limit.range().contains(&limit.default_value()));
        limits.set(*limit, most);
        assert_eq!(limits[*limit], most);
        assert!(
            format!("{}={}", limit.name(), least - 1)
                .parse::<SetLimit>()
                .is_err()
        );
    }
    for bad in [
        "",
        "streams",
        "streams=",
        "streams=x",
        "streams=0",
        "streams=-1",
        "streem=1",
    ] {
        assert!(bad.parse::<SetLimit>().is_err(), "{bad}");
    }
    assert!("answer-bytes=1000".parse::<SetLimit>().is_err());
}
