//! Every two calls that change a game, at the same moment: what comes of them is what would have come
//! of one after the other, in one of the two orders.

use std::{collections::BTreeMap, sync::Arc};

use mancala::grpc::proto::{CreateGameRequest, Game, GameEvent, ListGameEventsRequest};
use tokio::{sync::Semaphore, task::JoinSet};
use tonic_types::StatusExt as _;

use crate::support::{
    changing::{Aim, Call},
    client::{
        Answer, Caller, abort, draw, events, fresh_id, invited, join, open, rematch, resign,
        takeback,
    },
    server::Server,
    within,
};

/// How often each pair is tried whose order makes a difference; any other once.
const ROUNDS: usize = 3;

/// Pairs that are tried beside each other.
const BESIDE: usize = 12;

/// Holes of a game of En Dodoi, South's and North's in turn.
const LINE: [u32; 7] = [4, 3, 1, 5, 2, 4, 1];

/// Where the two calls meet a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    /// South sits, North's seat is open.
    OpenSeat,
    /// As that, and both who call would have it.
    TwoJoiners,
    /// South sits, North is invited.
    Invitation,
    JustBegun,
    /// Both have moved, and South is to move.
    InPlay,
    /// As that, and South has offered a draw.
    DrawOffered,
    /// As that, and South has moved and asked to take it back.
    TakebackAsked,
    Finished,
    /// Both sat, and it was aborted.
    Aborted,
    /// Of a finished game South has asked for a rematch, which waits for North.
    RematchAsked,
}

/// Who plays, each on a connection of their own.
struct Players {
    _server: Server,
    alice: Caller,
    bob: Caller,
    carol: Caller,
}

/// A game that was brought to a scene.
struct Set {
    game: Game,
    /// What a rematch is asked of.
    old: String,
    /// Who calls: South and North, where they sit.
    callers: [Caller; 2],
}

/// A call, and whether it is for the turn of its scene only.
#[derive(Clone, Copy, Debug)]
struct Said {
    call: Call,
    at_turn: bool,
}

/// An answer: the game without what differs from game to game, or why not.
type Told = Result<Game, (String, BTreeMap<String, String>)>;

/// What was seen of two calls.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    answers: [Told; 2],
    /// The game, and its rematch if there is one.
    left: Vec<(Game, Vec<GameEvent>)>,
}

impl Said {
    /// What can be said in a scene. The turn is looked at only in a game that is played.
    fn all(scene: Scene) -> Vec<Said> {
        let plain = Call::ALL.map(|call| (call, false));
        let protected = [Call::Move, Call::Draw].map(|call| (call, true));
        let said = plain.into_iter().chain(protected);
        said.filter(|(_, at_turn)| !at_turn || scene.is_active())
            .map(|(call, at_turn)| Said { call, at_turn })
            .collect()
    }

    async fn say(self, set: &Set, who: usize, numbered: bool) -> Told {
        let Set { game, old, callers } = set;
        let ply = game.ply as usize;
        let own = if ply % 2 == who { ply } else { ply + 1 };
        let rematch = self.call == Call::Rematch;
        let aim = Aim {
            game_id: if rematch { old } else { &game.game_id }.clone(),
            hole: LINE[own],
            expected_turn: self.at_turn.then_some(game.turn),
            // Without an open offer: the one that may come at this moment.
            offer_id: match &game.open_offer {
                Some(offer) => offer.offer_id,
                None => game.seq + 1,
            },
            side: 0,
            request_id: if numbered { fresh_id() } else { String::new() },
        };
        told(self.call.make(&callers[who], aim).await)
    }
}

fn told(answer: Answer<Game>) -> Told {
    answer.map(plain).map_err(|status| {
        let details = status.get_error_details();
        let info = details.error_info().expect("every refusal has a reason");
        (
            info.reason.clone(),
            info.metadata.clone().into_iter().collect(),
        )
    })
}

/// A game without what differs from game to game.
fn plain(game: Game) -> Game {
    let known = |id: String| if id.is_empty() { "" } else { "some" }.to_owned();
    Game {
        game_id: String::new(),
        create_time: None,
        update_time: None,
        rematch_of_game_id: known(game.rematch_of_game_id),
        ..game
    }
}

impl Scene {
    async fn set(self, players: &Players) -> Set {
        let Players {
            _server: _,
            alice,
            bob,
            carol,
        } = players;
        let request = CreateGameRequest {
            north: (self == Scene::Invitation).then(|| invited(bob)).flatten(),
            ..open("en-dodoi")
        };
        let mut game = alice.create(request).await.unwrap();
        let id = game.game_id.clone();
        if !self.waits() {
            game = bob.join(join(&id)).await.unwrap();
        }
        for (ply, hole) in LINE[..self.plies()].iter().enumerate() {
            let mover = if ply % 2 == 0 { alice } else { bob };
            game = mover.play(&id, *hole).await.unwrap().game.unwrap();
        }
        game = match self {
            Scene::DrawOffered => alice.offer_draw(draw(&id)).await.unwrap(),
            Scene::TakebackAsked => alice.request_takeback(takeback(&id)).await.unwrap(),
            Scene::Finished | Scene::RematchAsked => bob.resign(resign(&id)).await.unwrap(),
            Scene::Aborted => bob.abort(abort(&id)).await.unwrap(),
            Scene::OpenSeat
            | Scene::TwoJoiners
            | Scene::Invitation
            | Scene::JustBegun
            | Scene::InPlay => game,
        };
        if self == Scene::RematchAsked {
            game = alice.rematch(rematch(&id)).await.unwrap();
        }
        let callers = match self {
            Scene::TwoJoiners => [bob, carol],
            _ => [alice, bob],
        };
        Set {
            game,
            old: id,
            callers: callers.map(Caller::clone),
        }
    }

    fn waits(self) -> bool {
        matches!(
            self,
            Scene::OpenSeat | Scene::TwoJoiners | Scene::Invitation
        )
    }

    fn is_active(self) -> bool {
        self.plies() > 0 || self == Scene::JustBegun
    }

    fn plies(self) -> usize {
        match self {
            Scene::InPlay | Scene::DrawOffered => 2,
            Scene::TakebackAsked => 3,
            Scene::OpenSeat
            | Scene::TwoJoiners
            | Scene::Invitation
            | Scene::JustBegun
            | Scene::Finished
            | Scene::Aborted
            | Scene::RematchAsked => 0,
        }
    }
}

/// All that can be seen of a game afterwards, by a player of it.
async fn left(set: &Set, answers: [Told; 2], new: Option<String>) -> Seen {
    let mut left = Vec::new();
    for id in [Some(set.game.game_id.clone()), new].into_iter().flatten() {
        let viewer = &set.callers[0];
        let game = viewer.get(&id).await.unwrap();
        let request = ListGameEventsRequest {
            page_size: 200,
            ..events(&id)
        };
        let mut events = viewer.events(request).await.unwrap().events;
        assert_eq!(events.len() as u64, game.seq);
        for event in &mut events {
            event.create_time = None;
            event.state.as_mut().unwrap().clocks = None;
        }
        left.push((plain(game), events));
    }
    Seen { answers, left }
}

/// The game's rematch, if one was asked for: asking again changes nothing.
async fn rematch_of(set: &Set, said: [Said; 2], answers: &[Told; 2]) -> Option<String> {
    for who in 0..2 {
        if said[who].call == Call::Rematch && answers[who].is_ok() {
            let game = set.callers[who].rematch(rematch(&set.old)).await.unwrap();
            return (game.game_id != set.game.game_id).then_some(game.game_id);
        }
    }
    None
}

async fn one_after_the_other(
    scene: Scene,
    players: &Players,
    said: [Said; 2],
    first: usize,
) -> Seen {
    let set = scene.set(players).await;
    let mut answers = [None, None];
    for who in [first, 1 - first] {
        answers[who] = Some(said[who].say(&set, who, false).await);
    }
    let answers = answers.map(Option::unwrap);
    let new = rematch_of(&set, said, &answers).await;
    left(&set, answers, new).await
}

async fn at_once(scene: Scene, players: &Players, said: [Said; 2], round: usize) -> Seen {
    let set = scene.set(players).await;
    let (one, other) = (round % 2, 1 - round % 2);
    let numbered = round > 0;
    let (here, there) = tokio::join!(
        said[one].say(&set, one, numbered),
        said[other].say(&set, other, numbered)
    );
    let answers = if one == 0 {
        [here, there]
    } else {
        [there, here]
    };
    let new = rematch_of(&set, said, &answers).await;
    left(&set, answers, new).await
}

/// Tries a pair. Says how often each order was met, where they can be told apart.
async fn try_pair(scene: Scene, players: &Players, said: [Said; 2]) -> [usize; 2] {
    let orders = [
        one_after_the_other(scene, players, said, 0).await,
        one_after_the_other(scene, players, said, 1).await,
    ];
    let mut met = [0, 0];
    let differ = orders[0] != orders[1];
    for round in 0..if differ { ROUNDS } else { 1 } {
        let seen = at_once(scene, players, said, round).await;
        let order = orders.iter().position(|order| *order == seen);
        let Some(order) = order else {
            panic!("{scene:?}, {said:?}: {seen:#?}\nis neither of {orders:#?}")
        };
        met[order] += usize::from(differ);
    }
    met
}

async fn assert_linearizable(scene: Scene) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let players = Arc::new(Players {
        alice: server.player("Alice").await.on_own_channel(&server).await,
        bob: server.player("Bob").await.on_own_channel(&server).await,
        carol: server.player("Carol").await.on_own_channel(&server).await,
        _server: server,
    });
    let (mut pairs, beside) = (JoinSet::new(), Arc::new(Semaphore::new(BESIDE)));
    for one in Said::all(scene) {
        for other in Said::all(scene) {
            let (players, beside) = (players.clone(), beside.clone());
            pairs.spawn(async move {
                let _place = beside.acquire().await.unwrap();
                try_pair(scene, &players, [one, other]).await
            });
        }
    }
    let mut met = [0, 0];
    while let Some(pair) = within(pairs.join_next()).await {
        let pair = pair.unwrap();
        met = [met[0] + pair[0], met[1] + pair[1]];
    }
    // Both orders happen, or nothing was tried at the same moment.
    let tried = met[0] + met[1];
    assert!(
        tried > 0 && (tried < 40 || met[0] > 0 && met[1] > 0),
        "{met:?}"
    );
}

macro_rules! scenes {
    ($($name:ident $scene:ident,)*) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            assert_linearizable(Scene::$scene).await;
        })*
    };
}

scenes! {
    where_a_seat_is_open OpenSeat,
    where_two_would_join TwoJoiners,
    where_one_is_invited Invitation,
    where_it_has_just_begun JustBegun,
    where_it_is_played InPlay,
    where_a_draw_is_offered DrawOffered,
    where_a_takeback_is_asked_for TakebackAsked,
    where_it_is_finished Finished,
    where_it_is_aborted Aborted,
    where_a_rematch_is_asked_for RematchAsked,
}
