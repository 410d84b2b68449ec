//! Request ids of the calls that offer, answer, abort and play again: each acts once, and is answered as
//! it was at first whenever it comes again.

use mancala::grpc::{Reason, proto::Game};

use super::idempotency::at_once;
use crate::support::{
    changing::{Aim, Call},
    client::{Caller, abort, draw, fresh_id, join, open, resign, takeback},
    server::Server,
    status::refused_field,
    within,
};

/// Calls whose repetition is seen here; joining, moving and resigning are in `idempotency`.
const CALLS: [Call; 6] = [
    Call::Abort,
    Call::Draw,
    Call::Takeback,
    Call::Accept,
    Call::Decline,
    Call::Rematch,
];

/// A game of Alice and Bob in which Bob can make a call, and how he does.
async fn ready_for(call: Call, alice: &Caller, bob: &Caller) -> (Game, Aim) {
    let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
    let mut game = bob.join(join(&id)).await.unwrap();
    if call != Call::Abort {
        for (player, hole) in [(alice, 4), (bob, 3)] {
            game = player.play(&id, hole).await.unwrap().game.unwrap();
        }
    }
    match call {
        Call::Accept => game = alice.request_takeback(takeback(&id)).await.unwrap(),
        Call::Decline => game = alice.offer_draw(draw(&id)).await.unwrap(),
        Call::Rematch => game = alice.resign(resign(&id)).await.unwrap(),
        _ => {}
    }
    let offer_id = game.open_offer.map_or(1, |offer| offer.offer_id);
    let aim = Aim {
        game_id: id,
        expected_turn: Some(game.turn),
        offer_id,
        request_id: fresh_id(),
        ..Aim::default()
    };
    (game, aim)
}

/// The same request with other content, as far as the call has any.
fn other_contents(call: Call, aim: &Aim) -> Vec<(Call, Aim)> {
    let aim = |change: fn(&mut Aim)| {
        let mut other = aim.clone();
        change(&mut other);
        other
    };
    match call {
        Call::Draw | Call::Takeback => vec![
            (call, aim(|aim| aim.expected_turn = None)),
            (call, aim(|aim| aim.expected_turn = Some(99))),
            (call, aim(|aim| aim.side = 2)),
        ],
        Call::Accept | Call::Decline => vec![(call, aim(|aim| aim.offer_id += 1))],
        _ => Vec::new(),
    }
}

/// Changes a game further, as far as it goes on.
async fn go_on(alice: &Caller, bob: &Caller, game: &Game) {
    if game.result.is_some() {
        return;
    }
    for _ in 0..2 {
        let game = alice.get(&game.game_id).await.unwrap();
        let south = game.position.as_ref().unwrap().to_move == 1;
        let mover = if south { alice } else { bob };
        let hole = mover.legal(&game.game_id).await.unwrap().moves[0].hole;
        mover.play(&game.game_id, hole).await.unwrap();
    }
    alice.resign(resign(&game.game_id)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_acts_once_and_is_answered_alike_whenever_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let mut made = Vec::new();
    for call in CALLS {
        let (game, aim) = ready_for(call, &alice, &bob).await;
        let make = |bob: Caller, aim| async move { call.make(&bob, aim).await };
        let answer = at_once(&bob, &aim, make).await;
        let changed = if call == Call::Rematch {
            1
        } else {
            game.seq + 1
        };
        assert_eq!(answer.seq, changed, "{call:?} is one event");
        assert_eq!(bob.get(&answer.game_id).await.unwrap(), answer);
        go_on(&alice, &bob, &alice.get(&aim.game_id).await.unwrap()).await;
        if call == Call::Rematch {
            alice.join(join(&answer.game_id)).await.unwrap();
        }
        let again = call.make(&bob, aim.clone()).await.unwrap();
        assert_eq!(again, answer, "{call:?} as it was then");
        made.push((call, aim, answer));
    }
    server.stop().await;

    let server = Server::start(folder.path()).await;
    let (alice, bob) = (alice.at(&server), bob.at(&server));
    for (call, aim, answer) in &made {
        let before = alice.get(&aim.game_id).await.unwrap();
        assert_eq!(&call.make(&bob, aim.clone()).await.unwrap(), answer);
        let mut others = other_contents(*call, aim);
        if *call != Call::Rematch {
            let all = Call::ALL.into_iter().filter(|other| other != call);
            others.extend(all.map(|other| (other, aim.clone())));
        }
        for (other, aim) in others {
            let answer = other.make(&bob, aim).await;
            refused_field(answer, Reason::RequestIdReused, "request_id");
        }
        assert_eq!(alice.get(&aim.game_id).await.unwrap(), before);
        assert_eq!(&call.make(&bob, aim.clone()).await.unwrap(), answer);
    }
}

/// Joining, moving and resigning know ids of other calls, too.
#[tokio::test]
async fn an_id_of_one_call_is_refused_for_every_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    for call in [Call::Join, Call::Move, Call::Resign] {
        let id = alice.create(open("en-dodoi")).await.unwrap().game_id;
        let aim = Aim {
            game_id: id.clone(),
            request_id: fresh_id(),
            offer_id: 1,
            ..Aim::default()
        };
        if call != Call::Join {
            bob.join(join(&id)).await.unwrap();
            alice.play(&id, 4).await.unwrap();
        }
        let made = call.make(&bob, aim.clone()).await.unwrap();
        for other in Call::ALL.into_iter().filter(|other| *other != call) {
            let answer = other.make(&bob, aim.clone()).await;
            refused_field(answer, Reason::RequestIdReused, "request_id");
        }
        // It is Bob's: to Alice it is a new one.
        let hers = Call::Draw.make(&alice, aim.clone()).await;
        match call {
            Call::Resign => assert!(hers.is_err(), "it is over"),
            _ => assert!(hers.unwrap().open_offer.is_some()),
        }
        assert_eq!(call.make(&bob, aim).await.unwrap(), made);
    }
}

#[tokio::test]
async fn a_call_that_was_refused_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    for call in CALLS {
        let (game, aim) = ready_for(call, &alice, &bob).await;
        // Refused, each in its way; the ids are fresh to the game afterwards.
        let early = Aim {
            expected_turn: Some(99),
            offer_id: 999,
            side: 1,
            ..aim.clone()
        };
        let refused = match call {
            Call::Abort => Call::Resign.make(&bob, early).await,
            Call::Rematch => Call::Move.make(&bob, early).await,
            _ => call.make(&bob, early).await,
        };
        assert!(refused.is_err(), "{call:?}");
        assert_eq!(bob.get(&aim.game_id).await.unwrap(), game);
        call.make(&bob, aim).await.unwrap();
    }
    // Also of a rematch that was asked for too early.
    let (game, aim) = ready_for(Call::Draw, &alice, &bob).await;
    assert!(Call::Rematch.make(&bob, aim.clone()).await.is_err());
    bob.resign(resign(&game.game_id)).await.unwrap();
    let again = within(Call::Rematch.make(&bob, aim)).await.unwrap();
    bob.abort(abort(&again.game_id)).await.unwrap();
}
