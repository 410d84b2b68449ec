//! Promise: the server never fails of itself, and never says that it has. What is too much is refused.

use mancala::grpc::{Limit, proto};

use super::{
    super::{
        history::{Answer, Line},
        methods::{Method, decode},
    },
    Judged, Past,
};

const SOUND: &str = "sound";
const BOUNDED: &str = "bounded";

/// Largest page, and most moves of a call.
const PAGE: u32 = 200;
const MOVES: usize = 256;

pub(super) fn check(past: &Past, judged: &mut Judged) {
    for line in &past.lines {
        match line {
            Line::Deed(deed) => judged.see(SOUND, !deed.wrong, || deed.what.clone()),
            Line::Call(call) => {
                let of_itself = match &call.answer {
                    Answer::Done(_) => {
                        let small = bounded(call.method, &call.request);
                        judged.see(BOUNDED, small, || {
                            format!("{} was done, and asks for too much", call.method.name())
                        });
                        false
                    }
                    Answer::Refused(reason) => reason == "INTERNAL" || reason == "UNIMPLEMENTED",
                    Answer::Unknown(_) => false,
                };
                judged.see(SOUND, !of_itself, || {
                    format!("{} was answered {:?}", call.method.name(), call.answer)
                });
            }
            Line::Opened(_) | Line::Told(_) | Line::Closed(_) => {}
        }
    }
}

fn bounded(method: Method, request: &[u8]) -> bool {
    let within = match method {
        Method::ListGames => decode::<proto::ListGamesRequest>(request).page_size <= PAGE,
        Method::ListGameEvents => decode::<proto::ListGameEventsRequest>(request).page_size <= PAGE,
        Method::ApplyMoves => decode::<proto::ApplyMovesRequest>(request).moves.len() <= MOVES,
        _ => true,
    };
    within && request.len() <= Limit::RequestBytes.default_value() as usize
}
