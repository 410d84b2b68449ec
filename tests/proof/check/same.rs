//! Promise: the same request is answered the same, byte for byte, however often and whenever it is sent.

use std::collections::HashMap;

use mancala::grpc::proto;
use prost::Message as _;

use super::{
    super::{
        history::{Answer, Line},
        methods::{Method, decode},
    },
    Judged, Past,
};

const SAME: &str = "answered the same";

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut first: HashMap<(&str, Method, Vec<u8>), Vec<u8>> = HashMap::new();
    for line in &past.lines {
        let Line::Call(call) = line else { continue };
        let Answer::Done(answer) = &call.answer else {
            continue;
        };
        let request = match call.method {
            Method::RegisterPlayer => call.request.clone(),
            // There is one rematch, whatever the id.
            Method::RematchGame => {
                let mut request: proto::RematchGameRequest = decode(&call.request);
                request.request_id.clear();
                request.encode_to_vec()
            }
            method => match method.change(&call.request) {
                Some(change) if !change.request_id.is_empty() => call.request.clone(),
                _ => continue,
            },
        };
        let before = first
            .entry((&call.player, call.method, request))
            .or_insert_with(|| answer.clone());
        judged.see(SAME, before == answer, || {
            let (method, player) = (call.method.name(), &call.player);
            let games = [&*before, answer].map(|answer| call.method.game(answer));
            format!("{method} by {player} was answered in two ways: {games:?}")
        });
    }
}
