//! The `authorization` header: how it is made, then what of.
#![no_main]

use std::sync::{Mutex, OnceLock};

use libfuzzer_sys::{Corpus, fuzz_target};
use mancala::grpc::proto::GetPlayerResponse;
use mancala_fuzz::{
    client::{Call, Client, code},
    memory::bounded,
    server::server,
    table::{Guest, lay},
    token::{issued, issued_owner, owner, signed},
};
use prost::Message as _;

struct Setting {
    client: Client,
    guest: Guest,
}

fn setting() -> &'static Mutex<Setting> {
    static SETTING: OnceLock<Mutex<Setting>> = OnceLock::new();
    SETTING.get_or_init(|| {
        let mut client = Client::new(server().address);
        let [guest, _] = lay(&mut client);
        Mutex::new(Setting { client, guest })
    })
}

fuzz_target!(init: setting(), |data: &[u8]| -> Corpus {
    let Some((kind, content)) = data.split_first() else {
        return Corpus::Reject;
    };
    let mut setting = setting().lock().expect("a panic ends the process");
    let Setting { client, guest } = &mut *setting;
    let key = &server().key;
    // The header of a token, and its claims on the next line.
    let parts = || {
        let mut parts = content.splitn(2, |byte| *byte == b'\n');
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
    };
    let token = match kind {
        b'r' => content.to_vec(),
        b'b' => [b"Bearer ", content].concat(),
        b's' => bearer(&signed(key, parts().0, parts().1)),
        b'c' => bearer(&signed(key, br#"{"typ":"JWT","alg":"HS256"}"#, content)),
        b'e' => bearer(&issued(br#"{"typ":"JWT","alg":"EdDSA"}"#, content)),
        b'h' => bearer(&issued(parts().0, parts().1)),
        b'f' => bearer(&signed(b"another", parts().0, parts().1)),
        b'x' => changed(&guest.token, content),
        _ => return Corpus::Reject,
    };
    bounded(|| check(client, key, &token))
});

fn bearer(token: &str) -> Vec<u8> {
    format!("Bearer {token}").into_bytes()
}

/// A good token with bytes changed: pairs of a place and what is added to the byte there.
fn changed(token: &str, changes: &[u8]) -> Vec<u8> {
    let mut token = bearer(token);
    for change in changes.chunks_exact(2) {
        let place = usize::from(change[0]) % token.len();
        token[place] = token[place].wrapping_add(change[1]);
    }
    token
}

/// Whoever is let in has a token that is good by a second check too, and is let in as its owner.
fn check(client: &mut Client, key: &[u8], header: &[u8]) -> Corpus {
    let Ok(authorization) = header.try_into() else {
        return Corpus::Reject;
    };
    let answer = client.call(&Call {
        authorization: Some(authorization),
        // Without an id it is the caller that is asked for.
        ..Call::plain("/mancala.v1.PlayerService/GetPlayer", &[])
    });
    let owner = || {
        let (_, token) = str::from_utf8(header).ok()?.split_once(' ')?;
        owner(key, token.trim()).or_else(|| issued_owner(token.trim()))
    };
    match answer.code {
        Some(code::UNAUTHENTICATED | code::PERMISSION_DENIED) => {}
        Some(code::NOT_FOUND) => assert!(owner().is_some(), "let in without a good token"),
        Some(code::OK) => {
            let found = GetPlayerResponse::decode(&answer.body[5..]).expect("it is an answer");
            let found = found.player.map(|player| player.player_id);
            assert_eq!(found, owner().map(|owner| owner.to_string()));
        }
        other => panic!("answered with {other:?}"),
    }
    client.check_health();
    Corpus::Keep
}
