//! What admins do, and what stands in the audit of it.

use mancala::grpc::{
    Reason,
    proto::{
        AdminAbortGameRequest, AuditEntry, BanPlayerRequest, Game, GameStatus, GetPlayerRequest,
        ListAuditRequest, ListPlayerGamesRequest, Player, RenamePlayerRequest, UnbanPlayerRequest,
        audit_entry::Action, game_event::Change,
    },
};
use tonic::Status;

use crate::support::{
    client::{Caller, Stream, events, fresh_id, open, solo},
    clock::SetClock,
    server::Server,
    status::{assert_reason, refused, refused_field, refused_missing},
    within,
};

async fn abort(admin: &Caller, game_id: &str, note: &str) -> Result<Game, Status> {
    let request = AdminAbortGameRequest {
        game_id: game_id.into(),
        note: note.into(),
    };
    let answer = within(admin.admins().admin_abort_game(admin.request(request))).await?;
    Ok(answer.into_inner().game.unwrap())
}

async fn ban(admin: &Caller, player_id: &str) -> Result<Player, Status> {
    let request = BanPlayerRequest {
        player_id: player_id.into(),
        note: "spam".into(),
    };
    let answer = within(admin.admins().ban_player(admin.request(request))).await?;
    Ok(answer.into_inner().player.unwrap())
}

async fn unban(admin: &Caller, player_id: &str) -> Result<Player, Status> {
    let request = UnbanPlayerRequest {
        player_id: player_id.into(),
        ..Default::default()
    };
    let answer = within(admin.admins().unban_player(admin.request(request))).await?;
    Ok(answer.into_inner().player.unwrap())
}

async fn rename(admin: &Caller, player_id: &str, name: &str) -> Result<Player, Status> {
    let request = RenamePlayerRequest {
        player_id: player_id.into(),
        name: name.into(),
        ..Default::default()
    };
    let answer = within(admin.admins().rename_player(admin.request(request))).await?;
    Ok(answer.into_inner().player.unwrap())
}

async fn audit(admin: &Caller) -> Vec<AuditEntry> {
    let request = admin.request(ListAuditRequest::default());
    let answer = within(admin.admins().list_audit(request)).await.unwrap();
    answer.into_inner().entries
}

async fn who(caller: &Caller, player_id: &str) -> Result<Player, Status> {
    let player_id = player_id.into();
    let request = caller.request(GetPlayerRequest { player_id });
    let found = within(caller.players().get_player(request)).await?;
    Ok(found.into_inner().player.unwrap())
}

async fn end_of(mut stream: Stream) -> Result<(), Status> {
    while within(stream.any()).await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn an_admin_aborts_a_game_however_far_it_is() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), SetClock::new());
    let server = Server::start_at(folder.path(), &clock).await;
    let (admin, alice) = (server.admin(), server.player("Alice").await);
    let waiting = alice.create(open("bosh")).await.unwrap().game_id;
    let begun = alice.create(solo("bosh")).await.unwrap().game_id;
    for _ in 0..2 {
        let legal = alice.legal(&begun).await.unwrap().moves;
        alice.play(&begun, legal[0].hole).await.unwrap();
    }
    for (number, id) in [&waiting, &begun].into_iter().enumerate() {
        let watch = alice.watch(id, None).await.unwrap();
        let game = abort(&admin, id, "asked for it").await.unwrap();
        assert_eq!(game.status(), GameStatus::Aborted);
        end_of(watch).await.unwrap();
        let seen = alice.get(id).await.unwrap();
        assert_eq!(seen.status(), GameStatus::Aborted);
        let page = alice.events(events(id)).await.unwrap();
        assert!(page.complete);
        let Some(Change::Aborted(aborted)) = &page.events.last().unwrap().change else {
            panic!("{page:?}");
        };
        assert_eq!((aborted.player_id.as_str(), aborted.by_admin), ("", true));
        refused(abort(&admin, id, "").await, Reason::GameOver);
        let entries = audit(&admin).await;
        assert_eq!(entries.len(), number + 1, "what was refused is not in it");
        let entry = entries.last().unwrap();
        assert_eq!(entry.action, Some(Action::AbortGameId(id.clone())));
        assert_eq!(
            (entry.admin.as_str(), entry.note.as_str()),
            ("admin address", "asked for it")
        );
        assert_eq!(entry.number, number as u64 + 1);
    }
    let none = fresh_id();
    let answer = abort(&admin, &none, "").await;
    refused_missing(answer, Reason::GameNotFound, "mancala.v1.Game", &none);
    let long = "x".repeat(501);
    for bad in [long.as_str(), "two\nlines"] {
        refused_field(
            abort(&admin, &waiting, bad).await,
            Reason::InvalidField,
            "note",
        );
    }
    server.stop().await;
    let server = Server::start_at(folder.path(), &clock).await;
    let game = alice.at(&server).get(&begun).await.unwrap();
    assert_eq!(game.status(), GameStatus::Aborted);
    assert_eq!(audit(&server.admin()).await.len(), 2);
}

#[tokio::test]
async fn a_banned_player_is_shut_out_until_it_is_let_in_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (admin, alice) = (server.admin(), server.player("Alice").await);
    let game = alice.create(solo("bosh")).await.unwrap().game_id;
    let watch = alice.watch(&game, None).await.unwrap();
    assert!(ban(&admin, &alice.id).await.unwrap().banned);
    assert_reason(&end_of(watch).await.unwrap_err(), Reason::PlayerBanned);
    refused(who(&alice, "").await, Reason::PlayerBanned);
    refused(alice.get(&game).await, Reason::PlayerBanned);
    let request = alice.request(Default::default());
    let answer = within(alice.players().delete_player(request)).await;
    refused(answer, Reason::PlayerBanned);
    assert!(who(&server.stranger(), &alice.id).await.unwrap().banned);
    ban(&admin, &alice.id).await.unwrap();
    assert_eq!(
        audit(&admin).await.len(),
        1,
        "what is so already isn't done again"
    );
    assert!(!unban(&admin, &alice.id).await.unwrap().banned);
    alice.play(&game, 4).await.unwrap();
    assert_eq!(audit(&admin).await.len(), 2);
    let none = fresh_id();
    let answer = ban(&admin, &none).await;
    refused_missing(answer, Reason::PlayerNotFound, "mancala.v1.Player", &none);
}

#[tokio::test]
async fn a_renamed_player_has_the_new_name_and_the_audit_none() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (admin, alice) = (server.admin(), server.player("Alice").await);
    let renamed = rename(&admin, &alice.id, "Alina").await.unwrap();
    assert_eq!(renamed.name, "Alina");
    assert_eq!(who(&alice, "").await.unwrap(), renamed);
    refused_field(
        rename(&admin, &alice.id, "x").await,
        Reason::InvalidField,
        "name",
    );
    let entries = audit(&admin).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(
        entries[0].action,
        Some(Action::RenamePlayerId(alice.id.clone()))
    );
    assert!(!format!("{entries:?}").contains("Alina"));
    server.stop().await;
    let server = Server::start(folder.path()).await;
    assert_eq!(who(&alice.at(&server), "").await.unwrap(), renamed);
}

#[tokio::test]
async fn an_admin_sees_all_games_of_a_player() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (admin, alice) = (server.admin(), server.player("Alice").await);
    let mut ids = Vec::new();
    for visibility in [1, 2, 3, 1, 3] {
        let request = mancala::grpc::proto::CreateGameRequest {
            visibility,
            ..open("bosh")
        };
        ids.push(alice.create(request).await.unwrap().game_id);
    }
    server
        .player("Bob")
        .await
        .create(open("bosh"))
        .await
        .unwrap();
    ids.reverse();
    let mut request = ListPlayerGamesRequest {
        player_id: alice.id.clone(),
        page_size: 2,
        ..Default::default()
    };
    let mut listed = Vec::new();
    loop {
        let page = admin.request(request.clone());
        let page = within(admin.admins().list_player_games(page))
            .await
            .unwrap()
            .into_inner();
        listed.extend(page.games.into_iter().map(|game| game.game_id));
        request.page_token = page.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
    }
    assert_eq!(listed, ids);
}
