//! Bodies of calls: the method's number, how it is called, then the body or the message in it.
#![no_main]

use std::sync::{Mutex, OnceLock};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use libfuzzer_sys::{Corpus, fuzz_target};
use mancala_fuzz::{
    client::{Call, Client, framed},
    memory::bounded,
    methods::{METHODS, check_complete},
    server::server,
    table::{Guest, lay},
};

struct Setting {
    client: Client,
    guests: [Guest; 2],
}

fn setting() -> &'static Mutex<Setting> {
    static SETTING: OnceLock<Mutex<Setting>> = OnceLock::new();
    SETTING.get_or_init(|| {
        check_complete();
        let mut client = Client::new(server().address);
        let guests = lay(&mut client);
        Mutex::new(Setting { client, guests })
    })
}

const CONTENT_TYPES: [&str; 4] = [
    "application/grpc",
    "application/grpc-web",
    "application/grpc-web-text",
    "application/grpc+proto",
];

fuzz_target!(init: setting(), |data: &[u8]| -> Corpus {
    let Some(([method, how], content)) = data.split_first_chunk() else {
        return Corpus::Reject;
    };
    let Some(&(path, may_last)) = METHODS.get(usize::from(*method)) else {
        return Corpus::Reject;
    };
    let mut setting = setting().lock().expect("a panic ends the process");
    let Setting { client, guests } = &mut *setting;
    let content_type = CONTENT_TYPES[usize::from(how & 3)];
    let body = match (how & 16 != 0, content_type) {
        (true, _) => content.to_vec().into(),
        (false, "application/grpc-web-text") => {
            Bytes::from(BASE64_STANDARD.encode(framed(content)))
        }
        (false, _) => framed(content),
    };
    let guest = match how >> 2 & 3 {
        0 => None,
        1 => Some(&guests[1]),
        _ => Some(&guests[0]),
    };
    // Nobody ends the guests: they are needed for the other calls.
    let ends = path.ends_with("/RevokeTokens") || path.ends_with("/DeletePlayer");
    let guest = guest.filter(|_| !ends);
    let bearer = |guest: &Guest| format!("Bearer {}", guest.token).parse();
    let call = Call {
        path: path.into(),
        content_type,
        authorization: guest.map(|guest| bearer(guest).expect("a token is ASCII")),
        body,
        may_last,
    };
    bounded(|| {
        let answer = client.call(&call);
        assert!(may_last || answer.code.is_some(), "{path}: no status");
        client.check_health();
    });
    Corpus::Keep
});
