//! Every call of `GameService` that names a game, found in the schema: a private game is to others as one
//! that was never there. A call that is added is tried like all the others.

use mancala::grpc::{
    Reason,
    proto::{
        CreateGameRequest, GameStatus, ListGamesRequest, OfferDrawRequest, SCHEMA, Visibility,
    },
};
use prost::{
    Message as _,
    bytes::{Buf as _, BufMut as _},
    encoding::{WireType, encode_key, encode_varint},
};
use prost_types::{DescriptorProto, FileDescriptorSet, field_descriptor_proto::Type};
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};
use tonic_types::StatusExt as _;

use crate::support::{
    client::{Caller, abort, draw, fresh_id, invited, join, open, rematch, resign, solo},
    server::Server,
    within,
};

const SERVICE: &str = "GameService";

/// Calls that name no game.
const OF_NO_GAME: [&str; 3] = ["CreateGame", "ListGames", "ImportGame"];

/// Messages as the bytes that they are.
#[derive(Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}

/// A call of the service: its name and what it takes.
struct Method {
    name: String,
    takes: DescriptorProto,
}

impl Method {
    fn all() -> Vec<Method> {
        let schema = FileDescriptorSet::decode(SCHEMA).unwrap();
        let messages: Vec<_> = schema
            .file
            .iter()
            .flat_map(|file| &file.message_type)
            .collect();
        let services = schema.file.iter().flat_map(|file| &file.service);
        let service = services
            .into_iter()
            .find(|service| service.name() == SERVICE);
        let methods = service.unwrap().method.iter().map(|method| {
            let takes = method.input_type().rsplit('.').next().unwrap();
            let takes = messages.iter().find(|message| message.name() == takes);
            Method {
                name: method.name().to_owned(),
                takes: (*takes.unwrap()).clone(),
            }
        });
        methods.collect()
    }

    fn names_a_game(&self) -> bool {
        self.takes
            .field
            .iter()
            .any(|field| field.name() == "game_id")
    }

    /// A request about a game with every other field set to something that may be meant, numbers to
    /// `number`; or with nothing else.
    fn request(&self, id: &str, number: Option<u64>) -> Vec<u8> {
        let mut request = Vec::new();
        for field in &self.takes.field {
            let tag = field.number() as u32;
            let text = match (field.name(), field.r#type()) {
                ("game_id", _) => id,
                ("request_id", _) | (_, Type::Message) => continue,
                (_, Type::String) => "guess",
                (_, kind) => {
                    let Some(number) = number else { continue };
                    let one = matches!(kind, Type::Enum | Type::Bool);
                    encode_key(tag, WireType::Varint, &mut request);
                    encode_varint(if one { 1 } else { number }, &mut request);
                    continue;
                }
            };
            encode_key(tag, WireType::LengthDelimited, &mut request);
            encode_varint(text.len() as u64, &mut request);
            request.extend_from_slice(text.as_bytes());
        }
        request
    }

    /// What the call refuses with.
    async fn refusal(&self, caller: &Caller, request: Vec<u8>) -> Status {
        let mut client = tonic::client::Grpc::new(caller.channel.clone());
        client.ready().await.unwrap();
        let path = format!("/mancala.v1.{SERVICE}/{}", self.name);
        let request = caller.request(request);
        // Streams or not, it is asked and answered alike.
        let answer = client.server_streaming(request, path.parse().unwrap(), Raw);
        match within(answer).await {
            Err(status) => status,
            Ok(answer) => match within(answer.into_inner().message()).await {
                Err(status) => status,
                Ok(told) => panic!("{} tells a stranger {told:?}", self.name),
            },
        }
    }
}

/// All that a refusal says, but for the id.
fn said(status: &Status, id: &str) -> String {
    let details = status.get_error_details();
    let said = format!("{:?} {} {details:?}", status.code(), status.message());
    said.replace(id, "ID")
}

fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    details.error_info().expect("a reason").reason.clone()
}

fn private(request: CreateGameRequest) -> CreateGameRequest {
    CreateGameRequest {
        visibility: Visibility::Private.into(),
        ..request
    }
}

/// Private games of Alice and Bob in every part of life.
async fn private_games(alice: &Caller, bob: &Caller) -> Vec<String> {
    let kept = CreateGameRequest {
        north: invited(bob),
        ..solo("bosh")
    };
    let mut ids = Vec::new();
    for request in [
        solo("bosh"),
        open("bosh"),
        kept.clone(),
        kept.clone(),
        kept.clone(),
        kept,
    ] {
        let game = alice.create(private(request)).await.unwrap();
        ids.push(game.game_id);
    }
    bob.abort(abort(&ids[3])).await.unwrap();
    for id in &ids[4..] {
        bob.join(join(id)).await.unwrap();
        let request = OfferDrawRequest {
            expected_turn: Some(0),
            ..draw(id)
        };
        alice.offer_draw(request).await.unwrap();
    }
    alice.resign(resign(&ids[5])).await.unwrap();
    let again = alice.rematch(rematch(&ids[5])).await.unwrap();
    ids.push(again.game_id);
    ids
}

#[test]
fn every_call_names_a_game_or_is_known_not_to() {
    let methods = Method::all();
    let of_none = methods.iter().filter(|method| !method.names_a_game());
    let names: Vec<_> = of_none.map(|method| method.name.as_str()).collect();
    assert_eq!(names, OF_NO_GAME);
    assert!(methods.len() > OF_NO_GAME.len());
}

#[tokio::test]
async fn every_call_tells_others_of_a_private_game_what_it_tells_of_none() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let others = [server.player("Carol").await, server.stranger()];
    let ids = private_games(&alice, &bob).await;
    for method in Method::all() {
        if !method.names_a_game() {
            continue;
        }
        for other in &others {
            for number in [None, Some(1), Some(2), Some(99)] {
                let none = fresh_id();
                let expected = method.refusal(other, method.request(&none, number)).await;
                let known = reason(&expected);
                if known == Reason::Unimplemented.name() {
                    continue;
                }
                if number.is_some() {
                    let missing = Reason::TokenMissing.name();
                    let of_nobody = other.token.is_none() && known == missing;
                    let not_found = Reason::GameNotFound.name();
                    assert!(of_nobody || known == not_found, "{}: {known}", method.name);
                }
                for id in &ids {
                    let refusal = method.refusal(other, method.request(id, number)).await;
                    assert_eq!(
                        said(&refusal, id),
                        said(&expected, &none),
                        "{}",
                        method.name
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn no_list_shows_a_private_game_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let (alice, bob) = (server.player("Alice").await, server.player("Bob").await);
    let others = [server.player("Carol").await, server.stranger()];
    let ids = private_games(&alice, &bob).await;
    let shown = alice.create(open("bosh")).await.unwrap().game_id;
    let statuses = [
        GameStatus::Unspecified,
        GameStatus::Waiting,
        GameStatus::Active,
        GameStatus::Finished,
        GameStatus::Aborted,
    ];
    let (mut seen, mut own) = (0, 0);
    for status in statuses {
        for player_id in ["", &alice.id, &bob.id] {
            for variant in ["", "bosh"] {
                for open_seat in [false, true] {
                    let request = ListGamesRequest {
                        status: status.into(),
                        player_id: player_id.into(),
                        variant: variant.into(),
                        open_seat,
                        ..Default::default()
                    };
                    for other in &others {
                        let listed = other.list(request.clone()).await.unwrap().games;
                        assert!(listed.iter().all(|game| game.game_id == shown));
                        seen += listed.len();
                    }
                    own += alice.list(request).await.unwrap().games.len();
                }
            }
        }
    }
    assert!(seen > 0 && own > ids.len(), "the lists are not just empty");
}
