//! Promises: what was acknowledged is in the log exactly once, where the answer says, in the order of the calls,
//! and made at the turn that was expected. What was refused is not there at all; what nobody knows of, at most
//! once; and nothing is there that nobody asked for.

use std::collections::{HashMap, HashSet};

use mancala::{
    game::{Event, PlayerId, Record},
    grpc::proto,
};
use uuid::Uuid;

use super::{
    super::{
        history::{Answer, Call, Micros},
        methods::{Method, decode},
    },
    Asked, Judged, Past,
};

const ONCE: &str = "acknowledged once";
const REFUSED: &str = "refused never";
const REPEATED: &str = "repeated as first";
const ORDER: &str = "in order";
const TURN: &str = "at the expected turn";
const ASKED: &str = "only what was asked";

/// Reasons that say nothing of the request: it was not looked at.
fn is_not_looked_at(reason: &str) -> bool {
    ["CONTENDED", "BUSY", "REQUEST_TOO_LARGE"].contains(&reason) || reason.starts_with("TOO_MANY_")
}

const REUSED: &str = "REQUEST_ID_REUSED";

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut by_key: HashMap<(String, [u8; 16]), Vec<&Asked>> = HashMap::new();
    let mut effects: HashMap<String, Vec<(u64, Micros, Micros)>> = HashMap::new();
    let (mut anonymous, mut seen) = (Vec::new(), HashSet::new());
    for asked in &past.asked {
        match asked.request {
            _ if past.call(asked).method == Method::RematchGame => rematch(past, asked, judged),
            Some(request) => {
                let key = (asked.game_id.clone(), request.key);
                by_key.entry(key).or_default().push(asked);
            }
            None => anonymous.push(asked),
        }
    }
    let mut logged: HashMap<(String, [u8; 16]), Vec<&Record>> = HashMap::new();
    for (id, log) in &past.games {
        for (_, record) in log {
            if let Some(request) = record.request {
                let key = (id.to_string(), request.key);
                logged.entry(key).or_default().push(record);
            }
        }
    }
    for (key, calls) in &by_key {
        let found = logged.remove(key).unwrap_or_default();
        let (game_id, _) = key;
        of_one_id(past, calls, &found, judged);
        if let Some(record) = found.first()
            && let Some(effect) = effect(past, calls, record)
        {
            seen.insert((game_id.clone(), record.seq));
            effects.entry(game_id.clone()).or_default().push(effect);
        }
    }
    for asked in &anonymous {
        without_id(past, asked, &mut seen, &mut effects, judged);
    }
    for (game_id, mut effects) in effects {
        in_order(&game_id, &mut effects, judged);
    }
    let known: HashSet<_> = by_key
        .keys()
        .map(|(game_id, key)| (game_id.as_str(), *key))
        .collect();
    nothing_else(past, &known, &anonymous, judged);
}

/// An answer in a word.
fn brief(answer: &Answer) -> &str {
    match answer {
        Answer::Done(_) => "done",
        Answer::Refused(reason) | Answer::Unknown(reason) => reason,
    }
}

/// The game and the event that an answer names.
fn named(call: &Call) -> Option<(String, u64)> {
    let Answer::Done(answer) = &call.answer else {
        return None;
    };
    let game = call.method.game(answer)?;
    Some((game.game_id, game.seq))
}

/// Where a request took effect, from when its first call was made to when one was answered first.
fn effect(past: &Past, calls: &[&Asked], record: &Record) -> Option<(u64, Micros, Micros)> {
    let same = calls.iter().filter(|asked| asked.request == record.request);
    let begun = same.clone().map(|asked| past.call(asked).invoked).min()?;
    let done = same.filter(|asked| named(past.call(asked)).is_some());
    let done = done.map(|asked| past.call(asked).returned).min()?;
    Some((record.seq, begun, done))
}

fn of_one_id(past: &Past, calls: &[&Asked], found: &[&Record], judged: &mut Judged) {
    let acked = calls
        .iter()
        .filter(|asked| named(past.call(asked)).is_some());
    let first_ack = acked.clone().map(|asked| past.call(asked).returned).min();
    let first_content = acked
        .min_by_key(|asked| past.call(asked).returned)
        .and_then(|asked| asked.request);
    for asked in calls {
        let (call, request) = (past.call(asked), asked.request);
        let about = || {
            format!(
                "{} {:?} of {} by {}",
                call.method.name(),
                brief(&call.answer),
                asked.game_id,
                call.player
            )
        };
        match &call.answer {
            Answer::Done(_) => {
                let seqs: Vec<_> = found.iter().map(|record| record.seq).collect();
                let good = match (found, named(call)) {
                    ([record], Some((game_id, seq))) => {
                        record.request == request
                            && record.seq == seq
                            && game_id == asked.game_id
                            && fits(call, record)
                    }
                    _ => false,
                };
                judged.see(ONCE, good, || {
                    format!("{}, in the log at {seqs:?}", about())
                });
                if let [record] = found {
                    expected(past, call, record, asked, judged);
                }
            }
            Answer::Refused(reason) if reason == REUSED => {
                let other = matches!(found, [record] if record.request != request);
                judged.see(REPEATED, other, || {
                    format!("{}, but its id was not used", about())
                });
            }
            Answer::Refused(_) => {
                let same = calls.iter().filter(|other| other.request == request);
                let mut all = same.map(|other| &past.call(other).answer);
                if all.all(|answer| matches!(answer, Answer::Refused(_))) {
                    let there = found.iter().any(|record| record.request == request);
                    judged.see(REFUSED, !there, || {
                        format!("{}, but it is in the log", about())
                    });
                }
            }
            Answer::Unknown(_) => {}
        }
        if first_ack.is_some_and(|ack| ack < call.invoked) {
            let good = match &call.answer {
                Answer::Done(_) => request == first_content,
                Answer::Refused(reason) if reason == REUSED => request != first_content,
                Answer::Refused(reason) => is_not_looked_at(reason),
                Answer::Unknown(_) => true,
            };
            judged.see(REPEATED, good, || {
                format!("{} after its id was acknowledged", about())
            });
        }
    }
    judged.see(ONCE, found.len() <= 1, || {
        let seqs: Vec<_> = found.iter().map(|record| record.seq).collect();
        format!("one request is in the log at {seqs:?}")
    });
}

/// Whether an event is what a call asks for.
fn fits(call: &Call, record: &Record) -> bool {
    let player = Uuid::try_parse(&call.player).map(PlayerId).ok();
    match (&record.event, call.method) {
        (Event::Created(created), Method::CreateGame) => {
            created.imported.is_none() && Some(created.creator) == player
        }
        (Event::Created(created), Method::ImportGame) => {
            created.imported.is_some() && Some(created.creator) == player
        }
        (Event::SeatTaken { player: by, .. }, Method::JoinGame) => Some(*by) == player,
        (Event::Moved(moved), Method::SubmitMove) => {
            decode::<proto::SubmitMoveRequest>(&call.request).hole == Some(moved.hole.into())
        }
        (Event::Aborted { by, .. }, Method::AbortGame) => *by == player,
        (Event::Resigned { .. }, Method::ResignGame)
        | (Event::Offered, Method::OfferDraw | Method::RequestTakeback)
        | (Event::Answered(_), Method::OfferDraw | Method::AnswerOffer) => true,
        _ => false,
    }
}

/// An acknowledged call that expected a turn.
fn expected(past: &Past, call: &Call, record: &Record, asked: &Asked, judged: &mut Judged) {
    let turn = match call.method {
        Method::SubmitMove => decode::<proto::SubmitMoveRequest>(&call.request).expected_turn,
        Method::OfferDraw => decode::<proto::OfferDrawRequest>(&call.request).expected_turn,
        Method::RequestTakeback => {
            decode::<proto::RequestTakebackRequest>(&call.request).expected_turn
        }
        _ => None,
    };
    let Some(turn) = turn else { return };
    let before = past.record(&asked.game_id, record.seq - 1);
    let before = before.map(|before| before.state.turn);
    judged.see(TURN, before == Some(turn), || {
        let (method, seq) = (call.method.name(), record.seq);
        format!(
            "{method} of {} expected turn {turn}, event {seq} was at turn {before:?}",
            asked.game_id
        )
    });
}

fn without_id(
    past: &Past,
    asked: &Asked,
    seen: &mut HashSet<(String, u64)>,
    effects: &mut HashMap<String, Vec<(u64, Micros, Micros)>>,
    judged: &mut Judged,
) {
    let Some((game_id, seq)) = named(past.call(asked)) else {
        return;
    };
    let record = past.record(&game_id, seq);
    let good = record
        .is_some_and(|record| record.request.is_none() && fits(past.call(asked), record))
        && seen.insert((game_id.clone(), seq));
    judged.see(ONCE, good, || {
        format!(
            "{} of {game_id} at {seq} is another's or not in the log",
            past.call(asked).method.name()
        )
    });
    if let Some(record) = record {
        expected(past, past.call(asked), record, asked, judged);
    }
    let effect = (seq, past.call(asked).invoked, past.call(asked).returned);
    effects.entry(game_id).or_default().push(effect);
}

/// A rematch has no request in the log: it is one a game, and has the caller in a seat by the event that the
/// answer names.
fn rematch(past: &Past, asked: &Asked, judged: &mut Judged) {
    let Some((game_id, seq)) = named(past.call(asked)) else {
        return;
    };
    let player = Uuid::try_parse(&past.call(asked).player).map(PlayerId).ok();
    let begun = past.record(&game_id, 1).map(|record| &record.event);
    let of_it = matches!(begun, Some(Event::Created(created))
        if created.rematch_of.is_some_and(|old| old.to_string() == asked.game_id));
    let seated = match past.record(&game_id, seq).map(|record| &record.event) {
        Some(Event::Created(created)) => Some(created.creator) == player,
        Some(Event::SeatTaken { player: by, .. }) => Some(*by) == player,
        _ => false,
    };
    judged.see(ONCE, of_it && seated, || {
        format!(
            "the rematch {game_id} of {} at {seq} for {}",
            asked.game_id,
            past.call(asked).player
        )
    });
}

/// What was answered before another call was made comes before that in the log.
fn in_order(game_id: &str, effects: &mut [(u64, Micros, Micros)], judged: &mut Judged) {
    effects.sort_unstable();
    let mut latest = (0, 0);
    for (seq, begun, done) in effects.iter().copied() {
        judged.see(ORDER, done >= latest.0, || {
            let before = latest.1;
            format!("{game_id}: {before} was asked for after {seq} was answered")
        });
        latest = latest.max((begun, seq));
    }
}

fn nothing_else(
    past: &Past,
    known: &HashSet<(&str, [u8; 16])>,
    anonymous: &[&Asked],
    judged: &mut Judged,
) {
    let mut moves: HashMap<(String, u32), i64> = HashMap::new();
    for asked in anonymous {
        let refused = matches!(past.call(asked).answer, Answer::Refused(_));
        if past.call(asked).method == Method::SubmitMove && !refused {
            let request: proto::SubmitMoveRequest = decode(&past.call(asked).request);
            let hole = request.hole.unwrap_or_default();
            *moves.entry((asked.game_id.clone(), hole)).or_default() += 1;
        }
    }
    for (id, log) in &past.games {
        let id = id.to_string();
        for (_, record) in log {
            let was = match (record.request, &record.event) {
                (Some(request), _) => known.contains(&(id.as_str(), request.key)),
                (None, Event::Moved(moved)) => {
                    let left = moves.entry((id.clone(), moved.hole.into())).or_default();
                    *left -= 1;
                    *left >= 0
                }
                _ => continue,
            };
            judged.see(ASKED, was, || {
                format!("{id}: nobody asked for event {}", record.seq)
            });
            if !was {
                break;
            }
        }
    }
}
