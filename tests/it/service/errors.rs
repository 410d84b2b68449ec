//! What a call about a game refuses: code, reason, details, and the game as it was.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, Game, GetPlayerRequest, JoinGameRequest, ResignGameRequest, Side,
        SubmitMoveRequest,
    },
};
use tempfile::TempDir;

use crate::support::{
    client::{Caller, fresh_id, invited, join, open, play, resign, solo, text},
    server::Server,
    status::{refused, refused_field, refused_missing, refused_precondition},
};

/// A server with Alice and Bob, and a game between them in which Alice has moved.
pub(super) struct Set {
    _folder: TempDir,
    pub(super) server: Server,
    pub(super) alice: Caller,
    pub(super) bob: Caller,
    pub(super) game: Game,
}

pub(super) async fn set() -> Set {
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
    pub(super) async fn assert_unchanged(&self) {
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

/// Positions, a hole that may not be played, and the rule that forbids it.
pub(super) const ILLEGAL: [(&str, &str, u32, &str); 6] = [
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
        "0,2,1,0,1,2/1,2,1,2,2,1 0-0 N",
        3,
        "SOWING_TOO_LONG",
    ),
];

#[tokio::test]
async fn illegal_holes_say_which_rule_forbids_them() {
    let set = set().await;
    let alice = &set.alice;
    for (variant, position, hole, kind) in ILLEGAL {
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
