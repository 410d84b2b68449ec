//! Promise: a watch of a game misses no event and gives none twice, over breaks too; it ends with `OK` only
//! after the last event, and says goodbye before it ends otherwise.

use std::collections::{BTreeMap, HashMap};

use mancala::grpc::proto::{self, watch_game_response::Message};

use super::{
    super::{
        history::{End, Line, Micros, Opened},
        methods::{Method, decode},
    },
    Judged, Past,
};

const WATCHES: &str = "watches whole";
const AWAKE: &str = "watches awake";

/// What is told this much later than it was logged was forgotten: in milliseconds, more than a server is ever
/// frozen and a store slow, and less than a watch is silent.
pub(super) const FORGOTTEN: i64 = 7_000;

/// A watch that is read.
struct Watch<'a> {
    opened: &'a Opened,
    request: proto::WatchGameRequest,
    /// The newest event that it has given; `None` before the snapshot.
    seq: Option<u64>,
    goodbye: bool,
}

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut watches: HashMap<u64, Watch> = HashMap::new();
    // The newest event that anybody had been told of, by when.
    let mut newest: BTreeMap<&str, Vec<(Micros, u64)>> = BTreeMap::new();
    for claim in &past.claims {
        newest
            .entry(&claim.game_id)
            .or_default()
            .push((claim.read, claim.seq));
    }
    for line in &past.lines {
        match line {
            Line::Opened(opened) if opened.method == Method::WatchGame => {
                let request: proto::WatchGameRequest = decode(&opened.request);
                let seq = request.after_seq;
                let watch = Watch {
                    opened,
                    request,
                    seq,
                    goodbye: false,
                };
                watches.insert(opened.stream, watch);
            }
            Line::Told(told) => {
                if let Some(watch) = watches.get_mut(&told.stream) {
                    let message: proto::WatchGameResponse = decode(&told.message);
                    if let Some(message) = message.message {
                        watch.tell(message, past, judged);
                    }
                }
            }
            Line::Closed(closed) => {
                if let Some(watch) = watches.remove(&closed.stream) {
                    let told = newest.get(watch.request.game_id.as_str());
                    let told = told.map_or(&[][..], Vec::as_slice);
                    watch.close(&closed.end, told, past, judged);
                }
            }
            Line::Opened(_) | Line::Call(_) | Line::Deed(_) => {}
        }
    }
}

impl Watch<'_> {
    fn about(&self) -> String {
        let Watch {
            opened,
            request,
            seq,
            ..
        } = self;
        let (stream, game_id, after) = (opened.stream, &request.game_id, request.after_seq);
        format!("stream {stream} of {game_id} after {after:?}, at {seq:?}")
    }

    fn tell(&mut self, message: Message, past: &Past, judged: &mut Judged) {
        let good = !self.goodbye;
        judged.see(WATCHES, good, || {
            format!("{}: {message:?} after a goodbye", self.about())
        });
        match message {
            Message::Snapshot(snapshot) => {
                let seq = snapshot.game.map_or(0, |game| game.seq);
                let good = match self.seq {
                    None => !snapshot.skipped,
                    Some(before) => snapshot.skipped && seq > before,
                };
                judged.see(WATCHES, good, || {
                    format!(
                        "{}: a snapshot of {seq}, skipped {}",
                        self.about(),
                        snapshot.skipped
                    )
                });
                self.seq = Some(seq);
            }
            Message::Event(event) => {
                let good = self.seq == event.seq.checked_sub(1);
                judged.see(WATCHES, good, || {
                    format!("{}: event {}", self.about(), event.seq)
                });
                self.seq = Some(event.seq);
            }
            Message::Heartbeat(heartbeat) => {
                let good = self.seq == Some(heartbeat.seq);
                judged.see(WATCHES, good, || format!("{}: {heartbeat:?}", self.about()));
                let now = heartbeat.server_time.map_or(0, millis);
                let next = past.record(&self.request.game_id, heartbeat.seq + 1);
                let awake = next.is_none_or(|next| next.time.0 + FORGOTTEN > now);
                judged.see(AWAKE, awake, || {
                    format!("{}: {heartbeat:?}, but {next:?} was there", self.about())
                });
            }
            Message::Goodbye(goodbye) => {
                let good = goodbye.seq == self.seq.unwrap_or_default();
                judged.see(WATCHES, good, || format!("{}: {goodbye:?}", self.about()));
                self.goodbye = true;
            }
            Message::Presence(_) => {}
        }
    }

    /// `told` are the newest events that others had been told of, each by when.
    fn close(self, end: &End, told: &[(Micros, u64)], past: &Past, judged: &mut Judged) {
        let game_id = &self.request.game_id;
        let log = past.log(game_id);
        let good = match end {
            End::Whole => {
                let last = log.last().map(|(_, record)| record);
                last.is_some_and(|last| last.state.result.is_some() && self.seq == Some(last.seq))
            }
            End::Failed(reason) if self.goodbye => reason == "DRAINING",
            End::Failed(reason) => match (reason.as_str(), self.request.after_seq) {
                // Not if it had been told of so many before.
                ("SEQ_BEYOND_LOG", Some(after)) => !told
                    .iter()
                    .any(|(at, seq)| *at < self.opened.at && *seq >= after),
                ("GAME_NOT_FOUND", _) => log.is_empty() || is_private(past, game_id),
                _ => true,
            },
            End::Left => true,
        };
        judged.see(WATCHES, good, || format!("{} ended: {end:?}", self.about()));
    }
}

/// Whether a game is one that may be hidden.
pub(super) fn is_private(past: &Past, game_id: &str) -> bool {
    use mancala::game::{Event, Visibility};
    let begun = past.record(game_id, 1).map(|record| &record.event);
    matches!(begun, Some(Event::Created(created)) if created.visibility == Visibility::Private)
}

/// Milliseconds since 1970.
pub(super) fn millis(time: prost_types::Timestamp) -> i64 {
    time.seconds * 1_000 + i64::from(time.nanos) / 1_000_000
}
