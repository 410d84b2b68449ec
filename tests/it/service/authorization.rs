//! The README's table of who may do what, walked: every call of the schema, by everybody, of games of every
//! visibility.

use std::{collections::BTreeMap, fs, path::Path};

use mancala::{
    game::Time,
    grpc::{
        Scope, Tokens,
        proto::{self, SCHEMA, Visibility},
    },
};
use prost::Message;
use prost_types::FileDescriptorSet;
use tonic::{Status, client::Grpc};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

use crate::support::{
    client::{self, Caller, abort, caller_seat, draw, join, play, rematch, resign, takeback},
    server::Server,
    within,
};

const CALLERS: [&str; 5] = ["nobody", "no seat", "a seat", "service", "admin"];
const VISIBILITIES: [Visibility; 3] = [
    Visibility::Public,
    Visibility::Unlisted,
    Visibility::Private,
];

/// The table's cells: for each call and caller what comes of it, by visibility.
fn table() -> BTreeMap<String, Vec<Vec<String>>> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(readme).unwrap();
    let begin = text.find("| call | nobody |").expect("the table");
    let rows = text[begin..]
        .lines()
        .take_while(|line| line.starts_with('|'));
    let cells = |row: &str| -> Vec<String> {
        let row = row.trim_matches('|');
        row.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut rows = rows.map(cells);
    assert_eq!(rows.next().unwrap()[1..], CALLERS);
    rows.next().unwrap();
    let mut table = BTreeMap::new();
    for row in rows {
        for call in row[0].split(", ") {
            let call = call.trim_matches('`').to_owned();
            let cells = row[1..].iter().map(|cell| {
                let parts: Vec<_> = cell
                    .split(" / ")
                    .map(|part| part.trim_matches('`').to_owned())
                    .collect();
                match parts.len() {
                    1 => vec![parts[0].clone(); 3],
                    3 => parts,
                    _ => panic!("{call}: {cell}"),
                }
            });
            let twice = table.insert(call.clone(), cells.collect());
            assert!(twice.is_none(), "{call} is in the table twice");
        }
    }
    table
}

/// Every call of the schema, as (name, path).
fn calls() -> Vec<(String, String)> {
    let schema = FileDescriptorSet::decode(SCHEMA).unwrap();
    let mut calls = Vec::new();
    for file in &schema.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                calls.push((method.name().to_owned(), path));
            }
        }
    }
    calls
}

/// Calls, and waits for the first answer.
async fn call<A: Message + Default + 'static>(
    caller: &Caller,
    path: &str,
    message: impl Message + 'static,
) -> Result<A, Status> {
    let mut grpc = Grpc::new(caller.channel.clone());
    within(grpc.ready()).await.unwrap();
    let (codec, path) = (ProstCodec::<_, A>::default(), path.parse().unwrap());
    let request = caller.request(message);
    let answers = within(grpc.server_streaming(request, path, codec)).await?;
    Ok(within(answers.into_inner().message())
        .await?
        .expect("an answer"))
}

/// What there is for a call to be about.
struct World {
    /// The seated player, who created the game, and the other one.
    alice: Caller,
    bob: Caller,
    game: String,
    text: String,
}

impl World {
    async fn new(server: &Server, call: &str, visibility: Visibility) -> World {
        let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
        let waits = call == "JoinGame";
        let created = alice
            .create_whole(proto::CreateGameRequest {
                variant: "kalah".into(),
                south: caller_seat(),
                visibility: visibility.into(),
                ..Default::default()
            })
            .await
            .unwrap();
        let game = created.game.unwrap().game_id;
        if !waits {
            let join_code = created.join_code;
            let request = proto::JoinGameRequest {
                join_code,
                ..join(&game)
            };
            bob.join(request).await.unwrap();
        }
        match call {
            // An offer that Alice can answer.
            "AnswerOffer" => drop(bob.offer_draw(draw(&game)).await.unwrap()),
            "RequestTakeback" => drop(alice.play(&game, 0).await.unwrap()),
            "RematchGame" => drop(bob.resign(resign(&game)).await.unwrap()),
            _ => {}
        }
        let other = alice.create(client::solo("bosh")).await.unwrap().game_id;
        alice
            .resign(proto::ResignGameRequest {
                side: 1,
                ..resign(&other)
            })
            .await
            .unwrap();
        let text = alice.export(&other).await.unwrap();
        World {
            alice,
            bob,
            game,
            text,
        }
    }

    #[allow(clippy::needless_update, reason = "some requests have no other fields")]
    /// Makes the call with everything as it should be, so that only who calls decides.
    /// Tells whether the game is on the list, if one is asked for.
    async fn call(&self, who: &Caller, name: &str, path: &str) -> Result<bool, Status> {
        let id = || self.game.clone();
        let note = || String::new();
        let position = || Some(client::text("kalah", "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"));
        macro_rules! send {
            ($request:ident { $($field:ident $(: $value:expr)?),* }) => {
                send!(proto::$request { $($field $(: $value)?,)* ..Default::default() })
            };
            ($message:expr) => {
                call::<()>(who, path, $message).await.map(|()| true)
            };
        }
        match name {
            "ListVariants" => send!(ListVariantsRequest {}),
            "GetVariant" => send!(GetVariantRequest {
                variant: "bosh".into()
            }),
            "GetStartPosition" => send!(GetStartPositionRequest {
                variant: "bosh".into()
            }),
            "EnumerateMoves" => send!(EnumerateMovesRequest {
                position: position()
            }),
            "ApplyMoves" => send!(ApplyMovesRequest {
                position: position(),
                moves: vec![0]
            }),
            "CountMoves" => send!(CountMovesRequest {
                position: position(),
                depth: 1
            }),
            "CreateGame" => send!(CreateGameRequest {
                variant: "bosh".into()
            }),
            "GetGame" => send!(GetGameRequest { game_id: id() }),
            "ListGames" => {
                // Only this game can be on it.
                let player_id = self.bob.id.clone();
                let request = proto::ListGamesRequest {
                    player_id,
                    ..Default::default()
                };
                let listed = call::<proto::ListGamesResponse>(who, path, request).await;
                listed.map(|listed| !listed.games.is_empty())
            }
            "JoinGame" => send!(join(&self.game)),
            "ListLegalMoves" => send!(ListLegalMovesRequest { game_id: id() }),
            "SubmitMove" => send!(play(&self.game, 0)),
            "ResignGame" => send!(resign(&self.game)),
            "AbortGame" => send!(abort(&self.game)),
            "OfferDraw" => send!(draw(&self.game)),
            "RequestTakeback" => send!(takeback(&self.game)),
            "AnswerOffer" => {
                let game = self.alice.get(&self.game).await.unwrap();
                let offer = game.open_offer.unwrap_or_default();
                let answer = proto::OfferAnswer::Accept.into();
                // Tried for all: where there is no offer, any number does.
                let offer_id = offer.offer_id.max(1);
                send!(AnswerOfferRequest {
                    game_id: id(),
                    offer_id,
                    answer
                })
            }
            "RematchGame" => send!(rematch(&self.game)),
            "WatchGame" => send!(WatchGameRequest { game_id: id() }),
            "ListGameEvents" => send!(ListGameEventsRequest { game_id: id() }),
            "ExportGame" => send!(ExportGameRequest { game_id: id() }),
            "ImportGame" => send!(ImportGameRequest {
                text: self.text.clone()
            }),
            "RegisterPlayer" => send!(RegisterPlayerRequest {
                name: "Carol".into(),
                kind: 1
            }),
            "RenewToken" => send!(RenewTokenRequest {}),
            "RevokeTokens" => send!(RevokeTokensRequest {}),
            "DeletePlayer" => send!(DeletePlayerRequest {}),
            "GetPlayer" => send!(GetPlayerRequest {
                player_id: self.alice.id.clone()
            }),
            "WatchPlayer" => send!(WatchPlayerRequest {}),
            "AdminAbortGame" => send!(AdminAbortGameRequest {
                game_id: id(),
                note: note()
            }),
            "BanPlayer" => send!(BanPlayerRequest {
                player_id: self.bob.id.clone()
            }),
            "UnbanPlayer" => send!(UnbanPlayerRequest {
                player_id: self.bob.id.clone()
            }),
            "RenamePlayer" => {
                let player_id = self.bob.id.clone();
                send!(RenamePlayerRequest {
                    player_id,
                    name: "Robert".into()
                })
            }
            "ListPlayerGames" => send!(ListPlayerGamesRequest {
                player_id: self.bob.id.clone()
            }),
            "ListAudit" => send!(ListAuditRequest {}),
            "ListLimits" => send!(ListLimitsRequest {}),
            other => panic!("{other} is not walked"),
        }
    }
}

fn told(name: &str, answer: Result<bool, Status>) -> String {
    match answer {
        Ok(true) if name == "ListGames" => "listed".into(),
        Ok(true) => "yes".into(),
        Ok(false) => "not listed".into(),
        Err(status) => {
            let details = status.get_error_details();
            let info = details.error_info();
            info.unwrap_or_else(|| panic!("{name}: {status:?}"))
                .reason
                .clone()
        }
    }
}

#[tokio::test]
async fn the_table_of_who_may_do_what_holds() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let tokens = Tokens::open(folder.path()).unwrap();
    let now = Time::from_system(std::time::SystemTime::now());
    let scoped = |scope| {
        let (token, _) = tokens.sign_scopes("walker", &[scope], now, 1).unwrap();
        Caller::new(server.channel(), Some(token), String::new())
    };
    let mut table = table();
    for (name, path) in calls() {
        let cells = table
            .remove(&name)
            .unwrap_or_else(|| panic!("{name} is not in the table"));
        for (caller, by_visibility) in CALLERS.iter().zip(cells) {
            for (visibility, expected) in VISIBILITIES.into_iter().zip(by_visibility) {
                // With a seat: by a token of one's own, and through a service.
                for through in [false, true] {
                    if through && *caller != "a seat" {
                        continue;
                    }
                    let world = World::new(&server, &name, visibility).await;
                    let who = match *caller {
                        "nobody" => server.stranger(),
                        "no seat" => server.player("Carol").await,
                        "a seat" if through => scoped(Scope::Service).acting_for(&world.alice),
                        "a seat" => world.alice.clone(),
                        "service" => scoped(Scope::Service),
                        _ => scoped(Scope::Admin),
                    };
                    let answer = told(&name, world.call(&who, &name, &path).await);
                    assert_eq!(
                        answer, expected,
                        "{name} by {caller} (through a service: {through}) of a {visibility:?} game"
                    );
                }
            }
        }
    }
    assert!(table.is_empty(), "no calls: {:?}", table.keys());
    server.stop().await;
}
