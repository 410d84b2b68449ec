//! Promise: what was acknowledged or told is seen by whoever asks afterwards, in games, pages of events and
//! lists.

use std::collections::{HashMap, HashSet};

use mancala::{
    game::{Event, PlayerId, Seat},
    grpc::proto::{self, GameStatus},
};

use super::{
    super::{
        history::{Answer, Call, Line, Micros},
        methods::{Method, decode},
    },
    Judged, Past,
    claims::Shown,
    watches::is_private,
};

const READS: &str = "reads are new";
const LISTS: &str = "lists are new";

/// What had been told of a game: by when, which event, and which turn that came to.
#[derive(Default)]
struct Known {
    /// In order of time; seqs ascend.
    newest: Vec<(Micros, u64)>,
}

impl Known {
    /// The newest event that anybody had been told of before a moment.
    fn before(&self, moment: Micros) -> u64 {
        let next = self.newest.partition_point(|(at, _)| *at < moment);
        next.checked_sub(1).map_or(0, |index| self.newest[index].1)
    }
}

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut claims: Vec<_> = past
        .claims
        .iter()
        .map(|claim| (claim.read, claim))
        .collect();
    claims.sort_by_key(|(read, _)| *read);
    let mut known: HashMap<&str, Known> = HashMap::new();
    for (read, claim) in claims {
        let newest = &mut known.entry(&claim.game_id).or_default().newest;
        if newest.last().is_none_or(|(_, seq)| *seq < claim.seq) {
            newest.push((read, claim.seq));
        }
    }
    let seated = seated(past);
    let nobody = Known::default();
    let of = |game_id: &str| known.get(game_id).unwrap_or(&nobody);
    for line in &past.lines {
        let Line::Call(call) = line else { continue };
        match call.method {
            Method::GetGame => {
                let id = decode::<proto::GetGameRequest>(&call.request).game_id;
                let least = of(&id).before(call.invoked);
                see(
                    past,
                    call,
                    &id,
                    least,
                    |answer| call.method.game(answer).map_or(0, |game| game.seq),
                    judged,
                );
            }
            Method::ListGameEvents => events(past, call, &of, judged),
            Method::ListLegalMoves => {
                let id = decode::<proto::ListLegalMovesRequest>(&call.request).game_id;
                let turn = |seq| past.record(&id, seq).map_or(0, |record| record.state.turn);
                let least = turn(of(&id).before(call.invoked));
                see(
                    past,
                    call,
                    &id,
                    least.into(),
                    |answer| decode::<proto::ListLegalMovesResponse>(answer).turn.into(),
                    judged,
                );
            }
            Method::ListGames => list(call, &of, &seated, judged),
            _ => {}
        }
    }
    // A list shows no game as it was before.
    for claim in &past.claims {
        if let (Method::ListGames, Shown::Game { .. }) = (claim.method, &claim.what) {
            let least = of(&claim.game_id).before(claim.asked);
            judged.see(LISTS, claim.seq >= least, || {
                let (id, seq) = (&claim.game_id, claim.seq);
                format!("{id} is listed at {seq}, when {least} had been told")
            });
        }
    }
}

/// That an answer is no older than what was told before the call.
fn see(
    past: &Past,
    call: &Call,
    id: &str,
    least: u64,
    shown: impl Fn(&[u8]) -> u64,
    judged: &mut Judged,
) {
    let good = match &call.answer {
        Answer::Done(answer) => shown(answer) >= least,
        Answer::Refused(reason) => !is_lost(past, reason, id, least),
        Answer::Unknown(_) => return,
    };
    judged.see(READS, good, || {
        let (method, at) = (call.method.name(), call.invoked);
        format!(
            "{method} of {id} at {at}: {least} had been told, answered {:?}",
            call.answer
        )
    });
}

/// Whether a refusal says that a game is not there which is.
fn is_lost(past: &Past, reason: &str, id: &str, least: u64) -> bool {
    reason == "GAME_NOT_FOUND" && least > 0 && !is_private(past, id)
}

fn events<'a>(past: &Past, call: &Call, of: &impl Fn(&str) -> &'a Known, judged: &mut Judged) {
    let request: proto::ListGameEventsRequest = decode(&call.request);
    let (id, after) = (&request.game_id, request.after_seq.unwrap_or(0));
    let least = of(id).before(call.invoked);
    let good = match &call.answer {
        Answer::Done(answer) => {
            let answer: proto::ListGameEventsResponse = decode(answer);
            let seqs: Vec<_> = answer.events.iter().map(|event| event.seq).collect();
            let last = seqs.last().copied().unwrap_or(after);
            let whole = seqs.iter().zip(after + 1..).all(|(seq, next)| *seq == next);
            let size = if request.page_size == 0 {
                50
            } else {
                request.page_size as usize
            };
            // A page may also be full of long steps.
            let full = seqs.len() >= size || (!request.omit_steps && !seqs.is_empty());
            let last_of_all = past.log(id).last().map(|(_, record)| record);
            let over = last_of_all.is_some_and(|end| end.state.result.is_some() && end.seq == last);
            whole && (full || last >= least) && (!answer.complete || over)
        }
        Answer::Refused(reason) if reason == "SEQ_BEYOND_LOG" => after > least,
        Answer::Refused(reason) => !is_lost(past, reason, id, least),
        Answer::Unknown(_) => return,
    };
    judged.see(READS, good, || {
        let at = call.invoked;
        format!(
            "events of {id} after {after} at {at}: {least} had been told, {:?}",
            call.answer
        )
    });
}

/// That a player's whole list has all games of the player's that had been told of.
fn list<'a>(
    call: &Call,
    of: &impl Fn(&str) -> &'a Known,
    seated: &HashMap<String, Vec<(String, u64)>>,
    judged: &mut Judged,
) {
    let request: proto::ListGamesRequest = decode(&call.request);
    let own = !request.player_id.is_empty() && request.player_id == call.player;
    let Answer::Done(answer) = &call.answer else {
        return;
    };
    let answer: proto::ListGamesResponse = decode(answer);
    let all = request.status == i32::from(GameStatus::Unspecified) && !request.open_seat;
    if !own || !all || !answer.next_page_token.is_empty() {
        return;
    }
    let listed: HashSet<_> = answer
        .games
        .iter()
        .map(|game| game.game_id.as_str())
        .collect();
    for (id, seq) in seated.get(&*call.player).into_iter().flatten() {
        if of(id).before(call.invoked) >= *seq {
            judged.see(LISTS, listed.contains(id.as_str()), || {
                format!(
                    "{id} is not in the list of {} at {}",
                    call.player, call.invoked
                )
            });
        }
    }
}

/// The games of each player, from which event on.
fn seated(past: &Past) -> HashMap<String, Vec<(String, u64)>> {
    let mut seated: HashMap<String, Vec<_>> = HashMap::new();
    for (id, log) in &past.games {
        for (_, record) in log {
            let mut seat = |player: PlayerId| {
                let games = seated.entry(player.to_string()).or_default();
                games.push((id.to_string(), record.seq));
            };
            match &record.event {
                Event::Created(created) => {
                    for (_, taken) in created.seats.iter() {
                        if let Seat::Player(player) | Seat::Invited(player) = taken {
                            seat(*player);
                        }
                    }
                    if created.imported.is_some() {
                        seat(created.creator);
                    }
                }
                Event::SeatTaken { player, .. } => seat(*player),
                _ => {}
            }
        }
    }
    seated
}
