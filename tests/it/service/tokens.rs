//! What becomes of tokens: renewed, expired, revoked; and of players: deleted.

use std::{path::Path, time::Duration};

use futures_util::stream;
use mancala::{
    game::Time,
    grpc::{
        Limit, Reason, Registration, Scope, Tokens,
        proto::{
            DeletePlayerRequest, GetPlayerRequest, ListGameEventsRequest, Player, PlayerKind,
            RegisterPlayerRequest, RenewTokenRequest, RenewTokenResponse, RevokeTokensRequest,
            RevokeTokensResponse, WatchPlayerRequest,
        },
    },
};
use prost::Message;
use prost_types::Duration as ProtoDuration;
use tokio::{sync::oneshot, task::JoinHandle};
use tonic::{Code, Status, client::Grpc};
use tonic_prost::ProstCodec;

use crate::support::{
    client::{Caller, Stream, events, fresh_id, open, play, solo},
    clock::SetClock,
    faults::{Fault, Faults},
    folder::{forgets, holds},
    server::Server,
    status::{assert_reason, refused, refused_field},
    within,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn renew(caller: &Caller) -> Result<Caller, Status> {
    let mut players = caller.players();
    let renewed = within(players.renew_token(caller.request(RenewTokenRequest {}))).await?;
    Ok(caller.with_token(renewed.into_inner().token))
}

async fn revoke(caller: &Caller, request_id: &str) -> Result<RevokeTokensResponse, Status> {
    let request_id = request_id.into();
    let request = caller.request(RevokeTokensRequest { request_id });
    Ok(within(caller.players().revoke_tokens(request))
        .await?
        .into_inner())
}

async fn delete(caller: &Caller, request_id: &str) -> Result<Player, Status> {
    let request_id = request_id.into();
    let request = caller.request(DeletePlayerRequest { request_id });
    let deleted = within(caller.players().delete_player(request)).await?;
    Ok(deleted.into_inner().player.unwrap())
}

async fn who(caller: &Caller, player_id: &str) -> Result<Player, Status> {
    let player_id = player_id.into();
    let request = caller.request(GetPlayerRequest { player_id });
    let found = within(caller.players().get_player(request)).await?;
    Ok(found.into_inner().player.unwrap())
}

/// How a stream ends, whatever came before.
async fn end_of(mut stream: Stream) -> Status {
    loop {
        match within(stream.any()).await {
            Ok(message) => drop(message.expect("it ends with an error")),
            Err(status) => return status,
        }
    }
}

/// A long poll of events that don't come.
fn poll(caller: &Caller, game_id: &str) -> tokio::task::JoinHandle<Result<(), Status>> {
    let (caller, request) = (
        caller.clone(),
        ListGameEventsRequest {
            after_seq: Some(1),
            wait: Some(ProtoDuration {
                seconds: 30,
                nanos: 0,
            }),
            ..events(game_id)
        },
    );
    tokio::spawn(async move { caller.events(request).await.map(|_| ()) })
}

#[tokio::test]
async fn a_token_expires_and_is_renewed_before() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), SetClock::new());
    let server = Server::start_at(folder.path(), &clock).await;
    let alice = server.player("Alice").await;
    clock.advance(60 * DAY);
    let renewed = renew(&alice).await.unwrap();
    assert_eq!(
        who(&renewed, "").await.unwrap(),
        who(&alice, "").await.unwrap()
    );
    clock.advance(30 * DAY);
    refused(who(&alice, "").await, Reason::TokenExpired);
    refused(renew(&alice).await.map(|_| ()), Reason::TokenExpired);
    who(&renewed, "").await.unwrap();
}

#[tokio::test]
async fn a_token_that_expires_ends_its_streams() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), SetClock::new());
    let server = Server::start_at(folder.path(), &clock).await;
    let alice = server.player("Alice").await;
    let game = alice.create(open("bosh")).await.unwrap().game_id;
    let (watch, polling) = (alice.watch(&game, None).await.unwrap(), poll(&alice, &game));
    clock.advance(90 * DAY);
    assert_reason(&end_of(watch).await, Reason::TokenExpired);
    // It may also have come when the token was bad already.
    refused(within(polling).await.unwrap(), Reason::TokenExpired);
}

#[tokio::test]
async fn revoking_ends_tokens_and_streams_at_once_and_nobody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let game = alice.create(solo("bosh")).await.unwrap().game_id;
    let renewed = renew(&alice).await.unwrap();
    let (watch, polling) = (alice.watch(&game, None).await.unwrap(), poll(&alice, &game));
    let mut of_bob = bob.watch(&game, None).await.unwrap();
    within(of_bob.message()).await.unwrap().unwrap();
    let request = renewed.request(WatchPlayerRequest::default());
    let mut inbox = within(renewed.players().watch_player(request))
        .await
        .unwrap()
        .into_inner();
    within(inbox.message()).await.unwrap().unwrap();

    let fresh = alice.with_token(revoke(&alice, "").await.unwrap().token);
    assert_reason(&end_of(watch).await, Reason::TokenRevoked);
    assert_reason(
        &within(inbox.message()).await.unwrap_err(),
        Reason::TokenRevoked,
    );
    refused(within(polling).await.unwrap(), Reason::TokenRevoked);
    for old in [&alice, &renewed] {
        refused(who(old, "").await, Reason::TokenRevoked);
        refused(old.get(&game).await, Reason::TokenRevoked);
        refused(renew(old).await.map(|_| ()), Reason::TokenRevoked);
    }
    fresh.play(&game, 4).await.unwrap();
    within(of_bob.message()).await.unwrap().unwrap();
    server.stop().await;

    let server = Server::start(folder.path()).await;
    refused(who(&alice.at(&server), "").await, Reason::TokenRevoked);
    who(&fresh.at(&server), "").await.unwrap();
}

#[tokio::test]
async fn a_revocation_is_asked_for_again_with_the_token_that_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let id = fresh_id();
    let first = revoke(&alice, &id).await.unwrap();
    assert_eq!(revoke(&alice, &id).await.unwrap(), first);
    let fresh = alice.with_token(first.token.clone());
    assert_eq!(revoke(&fresh, &id).await.unwrap(), first);
    // Nobody else's id helps, nor another call's, nor none.
    for other in [fresh_id(), String::new()] {
        refused(revoke(&alice, &other).await, Reason::TokenRevoked);
        refused(delete(&alice, &other).await, Reason::TokenRevoked);
    }
    refused_field(
        delete(&alice, &id).await,
        Reason::RequestIdReused,
        "request_id",
    );
    who(&fresh, "").await.unwrap();
    // A later one gives another token, and the earlier one's is good no more.
    let later = fresh.with_token(revoke(&fresh, "").await.unwrap().token);
    assert_eq!(revoke(&later, &id).await.unwrap(), first);
    refused(who(&fresh, "").await, Reason::TokenRevoked);
    who(&later, "").await.unwrap();
}

/// A call whose request comes only when it is told to.
fn held<A: Message + Default + 'static>(
    caller: &Caller,
    path: &'static str,
    message: impl Message + 'static,
) -> (oneshot::Sender<()>, JoinHandle<Result<A, Status>>) {
    let (go, gone) = oneshot::channel();
    let requests = stream::once(async move {
        gone.await.unwrap();
        message
    });
    let (mut grpc, request) = (Grpc::new(caller.channel.clone()), caller.request(requests));
    let call = async move {
        grpc.ready().await.unwrap();
        let codec = ProstCodec::default();
        let answer = grpc.client_streaming(request, path.parse().unwrap(), codec);
        Ok(answer.await?.into_inner())
    };
    (go, tokio::spawn(call))
}

#[tokio::test]
async fn a_call_that_was_begun_before_a_token_went_bad_comes_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let game = alice.create(solo("bosh")).await.unwrap().game_id;
    let before = alice.get(&game).await.unwrap();
    let renewing = held::<RenewTokenResponse>(
        &alice,
        "/mancala.v1.PlayerService/RenewToken",
        RenewTokenRequest {},
    );
    let revoking = held::<RevokeTokensResponse>(
        &alice,
        "/mancala.v1.PlayerService/RevokeTokens",
        RevokeTokensRequest::default(),
    );
    let deleting = held::<()>(
        &alice,
        "/mancala.v1.PlayerService/DeletePlayer",
        DeletePlayerRequest::default(),
    );
    let moving = held::<()>(&alice, "/mancala.v1.GameService/SubmitMove", play(&game, 4));
    // They have all begun.
    while server.limit(Limit::ConcurrentCalls).await.0 != Some(4) {
        tokio::task::yield_now().await;
    }
    let fresh = alice.with_token(revoke(&alice, "").await.unwrap().token);
    let revoked = Reason::TokenRevoked;
    renewing.0.send(()).unwrap();
    refused(within(renewing.1).await.unwrap(), revoked);
    revoking.0.send(()).unwrap();
    refused(within(revoking.1).await.unwrap(), revoked);
    deleting.0.send(()).unwrap();
    refused(within(deleting.1).await.unwrap(), revoked);
    moving.0.send(()).unwrap();
    refused(within(moving.1).await.unwrap(), revoked);
    assert_eq!(fresh.get(&game).await.unwrap(), before);
}

/// Nobody uses up what is a player's by a token that is good no more.
#[tokio::test]
async fn calls_with_a_revoked_token_use_nothing_of_the_players() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.limits.set(Limit::ConcurrentCallsPerPlayer, 2);
    });
    let server = server.await;
    let alice = server.player("Alice").await;
    let fresh = alice.with_token(revoke(&alice, "").await.unwrap().token);
    let held: Vec<_> = (0..4)
        .map(|_| {
            let path = "/mancala.v1.PlayerService/RevokeTokens";
            held::<()>(&alice, path, RevokeTokensRequest::default())
        })
        .collect();
    while server.limit(Limit::ConcurrentCalls).await.0 != Some(4) {
        tokio::task::yield_now().await;
    }
    who(&fresh, "").await.unwrap();
    drop(held);
}

#[tokio::test]
async fn a_revocation_whose_caller_did_not_wait_holds() {
    let folder = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let server = Server::start_faulty(folder.path(), faults.clone()).await;
    let alice = server.player("Alice").await;
    who(&alice, "").await.unwrap();
    faults.set_stalled(true);
    let id = fresh_id();
    let mut request = alice.request(RevokeTokensRequest {
        request_id: id.clone(),
    });
    request.set_timeout(Duration::from_millis(50));
    let gone = within(alice.players().revoke_tokens(request))
        .await
        .unwrap_err();
    assert!(
        [Code::DeadlineExceeded, Code::Cancelled].contains(&gone.code()),
        "{gone:?}"
    );
    within(faults.stalled()).await;
    faults.set_stalled(false);
    let ended = async {
        while who(&alice, "").await.is_ok() {}
        who(&alice, "").await
    };
    refused(within(ended).await, Reason::TokenRevoked);
    let fresh = alice.with_token(revoke(&alice, &id).await.unwrap().token);
    who(&fresh, "").await.unwrap();
}

/// Whether the log has the revocation or not, no token of before is let in as if there were none.
#[tokio::test]
async fn a_revocation_whose_answer_was_lost_holds() {
    let folder = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let server = Server::start_faulty(folder.path(), faults.clone()).await;
    let alice = server.player("Alice").await;
    let game = alice.create(solo("bosh")).await.unwrap().game_id;
    let watch = alice.watch(&game, None).await.unwrap();
    faults.script_players([Fault::AnswerLost]);
    let id = fresh_id();
    refused(revoke(&alice, &id).await, Reason::StoreUnavailable);
    let ended = end_of(watch).await;
    assert_reason(&ended, Reason::StoreUnavailable);
    refused(who(&alice, "").await, Reason::TokenRevoked);
    let fresh = alice.with_token(revoke(&alice, &id).await.unwrap().token);
    who(&fresh, "").await.unwrap();
    faults.script_players([Fault::Fails]);
    refused(revoke(&fresh, "").await, Reason::StoreUnavailable);
    who(&fresh, "").await.unwrap();
}

#[tokio::test]
async fn a_deleted_player_leaves_no_name() {
    const NAME: &str = "Zwölfboxkämpfer";
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player(NAME).await, server.player("Bob").await);
    let game = alice.create(open("bosh")).await.unwrap().game_id;
    bob.join(crate::support::client::join(&game)).await.unwrap();
    assert!(
        holds(folder.path(), NAME.as_bytes()),
        "it is there at first"
    );
    let watch = alice.watch(&game, None).await.unwrap();
    let id = fresh_id();
    let deleted = delete(&alice, &id).await.unwrap();
    forgets(folder.path(), NAME.as_bytes()).await;
    assert_eq!((deleted.deleted, deleted.name.as_str()), (true, ""));
    assert_eq!(deleted.player_id, alice.id);
    assert_eq!(deleted.kind, i32::from(PlayerKind::Bot));
    assert_reason(&end_of(watch).await, Reason::PlayerDeleted);
    assert_eq!(
        delete(&alice, &id).await.unwrap(),
        deleted,
        "asked for again"
    );
    refused(who(&alice, "").await, Reason::PlayerDeleted);
    refused(revoke(&alice, "").await, Reason::PlayerDeleted);
    refused(delete(&alice, "").await, Reason::PlayerDeleted);
    assert_eq!(who(&bob, &alice.id).await.unwrap(), deleted);
    let text = bob.export(&game).await.unwrap();
    assert!(text.contains("[South \"\"]"), "{text}");
    server.stop().await;
    assert!(!holds(folder.path(), NAME.as_bytes()));
    let server = Server::start(folder.path()).await;
    refused(who(&alice.at(&server), "").await, Reason::PlayerDeleted);
    assert_eq!(who(&bob.at(&server), &alice.id).await.unwrap(), deleted);
    // Its game goes on.
    bob.at(&server)
        .resign(crate::support::client::resign(&game))
        .await
        .unwrap();
}

#[tokio::test]
async fn whoever_was_deleted_is_not_registered_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let request = RegisterPlayerRequest {
        name: "Alice".into(),
        kind: PlayerKind::Bot.into(),
        request_id: fresh_id(),
    };
    let mut players = server.stranger().players();
    let first = players
        .register_player(request.clone())
        .await
        .unwrap()
        .into_inner();
    let again = players
        .register_player(request.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(again, first);
    let id = first.player.as_ref().unwrap().player_id.clone();
    let alice = Caller::new(server.channel(), Some(first.token.clone()), id);
    revoke(&alice, "").await.unwrap();
    let again = players
        .register_player(request.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        again, first,
        "the same answer, of a token that is good no more"
    );
    let fresh = alice.with_token(renew_by_service(&server, folder.path(), &alice).await);
    delete(&fresh, "").await.unwrap();
    refused(
        players.register_player(request).await,
        Reason::PlayerNotFound,
    );
}

/// A token that a service gets for a player.
async fn renew_by_service(server: &Server, folder: &Path, player: &Caller) -> String {
    let renewed = renew(&service(server, folder).acting_for(player)).await;
    renewed.unwrap().token.unwrap()
}

#[tokio::test]
async fn who_may_register_is_set() {
    for (registration, strangers, services) in [
        (Registration::Open, true, true),
        (Registration::Service, false, true),
        (Registration::Off, false, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start_behind(folder.path(), |edge| {
            edge.identity.registration = registration;
        })
        .await;
        let service = service(&server, folder.path());
        for (caller, may) in [(server.stranger(), strangers), (service, services)] {
            let request = caller.request(RegisterPlayerRequest {
                name: "Alice".into(),
                kind: PlayerKind::Human.into(),
                request_id: String::new(),
            });
            let answer = within(caller.players().register_player(request)).await;
            match may {
                true => drop(answer.unwrap()),
                false => drop(refused(answer, Reason::RegistrationClosed)),
            }
        }
    }
}

fn service(server: &Server, folder: &Path) -> Caller {
    let tokens = Tokens::open(folder).unwrap();
    let now = Time::from_system(std::time::SystemTime::now());
    let (token, _) = tokens
        .sign_scopes("web", &[Scope::Service], now, 1)
        .unwrap();
    Caller::new(server.channel(), Some(token), String::new())
}

#[tokio::test]
async fn a_service_acts_for_those_who_may_act_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let service = service(&server, folder.path());
    let as_alice = service.acting_for(&alice);
    assert_eq!(
        who(&as_alice, "").await.unwrap(),
        who(&alice, "").await.unwrap()
    );
    let game = as_alice.create(solo("bosh")).await.unwrap();
    assert_eq!(alice.get(&game.game_id).await.unwrap(), game);
    refused(
        service.acting_for(&bob).play(&game.game_id, 4).await,
        Reason::NotSeated,
    );
    // Its token is not the player's: it is good whatever becomes of the player's.
    let fresh = alice.with_token(revoke(&as_alice, "").await.unwrap().token);
    refused(who(&alice, "").await, Reason::TokenRevoked);
    who(&fresh, "").await.unwrap();
    who(&as_alice, "").await.unwrap();
    let nobody = Caller {
        acting_for: Some(fresh_id()),
        ..service.clone()
    };
    refused(who(&nobody, "").await, Reason::PlayerNotFound);
    let no_id = Caller {
        acting_for: Some("Alice".into()),
        ..service.clone()
    };
    refused_field(
        who(&no_id, "").await,
        Reason::InvalidField,
        "x-mancala-player",
    );
    delete(&bob, "").await.unwrap();
    refused(
        who(&service.acting_for(&bob), "").await,
        Reason::PlayerDeleted,
    );
}
