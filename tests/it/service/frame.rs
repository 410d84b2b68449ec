//! `WatchGameResponse`, which is written by hand, against the schema and what would be generated.

use mancala::grpc::proto::{
    GameEvent, GameSnapshot, Goodbye, Heartbeat, Presence, SCHEMA, WatchGameResponse,
    watch_game_response::Message,
};
use prost::Message as _;
use prost_types::{
    FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};

/// As it would be generated.
#[derive(Clone, PartialEq, prost::Message)]
struct Generated {
    #[prost(oneof = "Message", tags = "1, 2, 3, 4, 5")]
    message: Option<Message>,
}

/// The name, the number and the type of what a message holds.
fn field(message: &Message) -> (&'static str, i32, &'static str) {
    match message {
        Message::Snapshot(_) => ("snapshot", 1, ".mancala.v1.GameSnapshot"),
        Message::Event(_) => ("event", 2, ".mancala.v1.GameEvent"),
        Message::Heartbeat(_) => ("heartbeat", 3, ".mancala.v1.Heartbeat"),
        Message::Goodbye(_) => ("goodbye", 4, ".mancala.v1.Goodbye"),
        Message::Presence(_) => ("presence", 5, ".mancala.v1.Presence"),
    }
}

/// Every message, with something in it and without.
fn messages() -> Vec<Message> {
    let presence = Presence {
        side: 2,
        connected: true,
    };
    let snapshot = GameSnapshot {
        game: None,
        skipped: true,
        presence: vec![presence],
    };
    let event = GameEvent {
        seq: 300,
        ..GameEvent::default()
    };
    let heartbeat = Heartbeat {
        seq: 7,
        server_time: Some(prost_types::Timestamp::default()),
    };
    vec![
        Message::Snapshot(snapshot),
        Message::Event(event),
        Message::Heartbeat(heartbeat),
        Message::Goodbye(Goodbye { seq: u64::MAX }),
        Message::Presence(presence),
        Message::Snapshot(GameSnapshot::default()),
        Message::Event(GameEvent::default()),
        Message::Heartbeat(Heartbeat::default()),
        Message::Goodbye(Goodbye::default()),
        Message::Presence(Presence::default()),
    ]
}

#[test]
fn its_fields_are_those_of_the_schema() {
    let schema = FileDescriptorSet::decode(SCHEMA).unwrap();
    let all = schema.file.iter().flat_map(|file| &file.message_type);
    let mut named = all.filter(|message| message.name() == "WatchGameResponse");
    let described = named.next().unwrap();
    assert_eq!(named.next(), None);
    let oneofs: Vec<&str> = described.oneof_decl.iter().map(|one| one.name()).collect();
    assert_eq!(oneofs, ["message"]);
    let mut known: Vec<_> = messages().iter().map(field).collect();
    known.truncate(known.len() / 2);
    let fields = described.field.iter();
    let told: Vec<_> = fields
        .map(|field| {
            assert_eq!(
                (field.r#type(), field.label()),
                (Type::Message, Label::Optional)
            );
            assert_eq!((field.oneof_index, field.proto3_optional), (Some(0), None));
            (field.name(), field.number(), field.type_name())
        })
        .collect();
    assert_eq!(told, known);
}

#[test]
fn it_is_encoded_and_decoded_as_generated_code_would() {
    for message in messages() {
        let written = WatchGameResponse::new(message.clone());
        let generated = Generated {
            message: Some(message.clone()),
        };
        let bytes = generated.encode_to_vec();
        let (_, number, _) = field(&message);
        assert_eq!(i32::from(bytes[0]), number << 3 | 2);
        assert_eq!(written.encode_to_vec(), bytes);
        assert_eq!(written.encoded_len(), bytes.len());
        let framed = written.encode_length_delimited_to_vec();
        assert_eq!(framed, generated.encode_length_delimited_to_vec());
        assert_eq!(Generated::decode(&*bytes).unwrap(), generated);
        assert_eq!(WatchGameResponse::decode(&*bytes).unwrap(), written);

        let before = WatchGameResponse::encoded(bytes.clone().into());
        assert_eq!(before.encoded_len(), bytes.len());
        assert_eq!(before.encode_to_vec(), bytes);
        assert_eq!(before.encode_length_delimited_to_vec(), framed);
    }
    assert!(WatchGameResponse::default().encode_to_vec().is_empty());
    assert_eq!(WatchGameResponse::decode(&[][..]).unwrap().message, None);
}

#[test]
fn what_it_does_not_know_is_skipped_and_what_is_broken_refused() {
    for message in messages() {
        let known = WatchGameResponse::new(message.clone());
        // A field 15 of two bytes comes before and after.
        let unknown = [15 << 3 | 2, 2, 8, 1];
        let bytes = [&unknown, &*known.encode_to_vec(), &unknown].concat();
        assert_eq!(WatchGameResponse::decode(&*bytes).unwrap(), known);
        // The last one of several counts.
        let bytes = [Message::Goodbye(Goodbye { seq: 5 }), message.clone()]
            .map(|message| WatchGameResponse::new(message).encode_to_vec())
            .concat();
        let generated = Generated::decode(&*bytes).unwrap();
        let decoded = WatchGameResponse::decode(&*bytes).unwrap();
        assert_eq!(decoded.message, generated.message);
        let short = &bytes[..bytes.len() - 1];
        let refused = WatchGameResponse::decode(short).is_err();
        assert_eq!(refused, Generated::decode(short).is_err());
        let mut cleared = known;
        cleared.clear();
        assert_eq!(cleared, WatchGameResponse::default());
    }
}
