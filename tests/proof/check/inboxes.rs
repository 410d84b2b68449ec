//! Promise: an inbox tells of every change of the player's games after its cursor once, in the order of the
//! log, and its snapshot is of all that wants attention, unless it says that it begins anew.

use std::collections::{BTreeMap, HashMap, HashSet};

use mancala::{
    game::{Event, PlayerId, Seat, Status},
    grpc::proto::{self, watch_player_response::Message},
    rules::{BySide, Side},
};
use uuid::Uuid;

use super::{
    super::{
        history::{Line, Opened},
        methods::{Method, decode},
    },
    Judged, Past,
    watches::{FORGOTTEN, millis},
};

const INBOXES: &str = "inboxes whole";
const ATTENTION: &str = "inboxes heed";
const AWAKE: &str = "inboxes awake";

/// So many changes after a cursor, and it may begin anew.
const MANY: usize = 1_000;

/// A change of a player's game, in the order of all.
struct Entry {
    offset: u64,
    game_id: String,
    seq: u64,
    time: i64,
    /// Whether the game wants the player's attention after it.
    wants: bool,
}

/// An inbox that is read.
struct Inbox<'a> {
    opened: &'a Opened,
    /// The offset up to which all was told.
    place: Option<u64>,
    /// Games of a snapshot of which more is to come.
    snapshot: Vec<(String, u64)>,
}

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut inboxes: HashMap<u64, Inbox> = HashMap::new();
    let mut logs: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
    for line in &past.lines {
        match line {
            Line::Opened(opened) if opened.method == Method::WatchPlayer => {
                let request: proto::WatchPlayerRequest = decode(&opened.request);
                let place = offset(&request.cursor);
                let inbox = Inbox {
                    opened,
                    place,
                    snapshot: Vec::new(),
                };
                inboxes.insert(opened.stream, inbox);
                let log = logs.entry(&opened.player);
                log.or_insert_with(|| log_of(past, &opened.player));
            }
            Line::Told(told) => {
                let Some(inbox) = inboxes.get_mut(&told.stream) else {
                    continue;
                };
                let message: proto::WatchPlayerResponse = decode(&told.message);
                let log = logs.get(inbox.opened.player.as_str());
                if let (Some(message), Some(log)) = (message.message, log) {
                    inbox.tell(message, log, judged);
                }
            }
            _ => {}
        }
    }
}

/// The place in the log that a cursor stands for; the rest of it is the server's.
fn offset(cursor: &str) -> Option<u64> {
    u64::from_str_radix(cursor.get(..16)?, 16).ok()
}

/// All changes of a player's games.
fn log_of(past: &Past, player: &str) -> Vec<Entry> {
    let Ok(player) = Uuid::try_parse(player).map(PlayerId) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    for (id, log) in &past.games {
        let (mut seats, mut importer) = (BySide::<Option<Seat>>::default(), None);
        for (offset, record) in log {
            match &record.event {
                Event::Created(created) => {
                    seats = BySide::from_fn(|side| Some(created.seats[side]));
                    importer = created.imported.as_ref().map(|_| created.creator);
                }
                Event::SeatTaken { side, player } => seats[*side] = Some(Seat::Player(*player)),
                _ => {}
            }
            let has = |side: Side| seats[side] == Some(Seat::Player(player));
            let invited = |side: Side| seats[side] == Some(Seat::Invited(player));
            let any = |held: &dyn Fn(Side) -> bool| Side::BOTH.into_iter().any(held);
            if !any(&has) && !any(&invited) && importer != Some(player) {
                continue;
            }
            let state = &record.state;
            entries.push(Entry {
                offset: *offset,
                game_id: id.to_string(),
                seq: record.seq,
                time: record.time.0,
                wants: match state.status {
                    Status::Waiting => any(&invited),
                    Status::Active => {
                        let offered = state.offer.map(|offer| offer.side.opponent());
                        state.position.to_move().is_some_and(has) || offered.is_some_and(has)
                    }
                    Status::Finished | Status::Aborted => false,
                },
            });
        }
    }
    entries.sort_by_key(|entry| entry.offset);
    entries
}

impl Inbox<'_> {
    fn about(&self) -> String {
        let Opened { stream, player, .. } = self.opened;
        format!("stream {stream} of {player} at {:?}", self.place)
    }

    fn tell(&mut self, message: Message, log: &[Entry], judged: &mut Judged) {
        match message {
            Message::Snapshot(snapshot) => self.tell_snapshot(snapshot, log, judged),
            Message::Change(change) => {
                let game_id = change.game.map(|game| game.game_id).unwrap_or_default();
                let seq = change.event.map_or(0, |event| event.seq);
                let next = after(log, self.place.unwrap_or(0)).first();
                let good = self.place.is_some()
                    && next.is_some_and(|next| {
                        next.game_id == game_id
                            && next.seq == seq
                            && offset(&change.cursor) == Some(next.offset)
                    });
                judged.see(INBOXES, good, || {
                    let next = next.map(|next| (next.offset, &next.game_id, next.seq));
                    format!("{}: {game_id} at {seq}, next is {next:?}", self.about())
                });
                self.place = offset(&change.cursor);
            }
            Message::Heartbeat(heartbeat) => {
                let good = offset(&heartbeat.cursor) == self.place;
                judged.see(INBOXES, good, || format!("{}: {heartbeat:?}", self.about()));
                let now = heartbeat.server_time.map_or(0, millis);
                let next = after(log, self.place.unwrap_or(0)).first();
                let awake = next.is_none_or(|next| next.time + FORGOTTEN > now);
                judged.see(AWAKE, awake, || format!("{}: {heartbeat:?}", self.about()));
            }
            Message::Goodbye(goodbye) => {
                let good = offset(&goodbye.cursor) == self.place;
                judged.see(INBOXES, good, || format!("{}: {goodbye:?}", self.about()));
            }
        }
    }

    fn tell_snapshot(
        &mut self,
        snapshot: proto::PlayerSnapshot,
        log: &[Entry],
        judged: &mut Judged,
    ) {
        let asked: proto::WatchPlayerRequest = decode(&self.opened.request);
        if self.snapshot.is_empty() {
            // Without a cursor it begins so; else it must have been too much.
            let due = match snapshot.reset {
                false => asked.cursor.is_empty() && self.place.is_none(),
                true => self
                    .place
                    .is_some_and(|place| after(log, place).len() >= MANY),
            };
            judged.see(INBOXES, due, || {
                format!("{}: a snapshot, reset {}", self.about(), snapshot.reset)
            });
        }
        let games = snapshot
            .games
            .into_iter()
            .filter_map(|shown| Some((shown.game?.game_id, shown.event?.seq)));
        self.snapshot.extend(games);
        if snapshot.more {
            return;
        }
        self.place = offset(&snapshot.cursor);
        let place = self.place.unwrap_or_default();
        let mut newest: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in log.iter().take_while(|entry| entry.offset <= place) {
            newest.insert(&entry.game_id, entry);
        }
        let wanted: HashSet<_> = newest
            .values()
            .filter(|entry| entry.wants)
            .map(|entry| (entry.game_id.clone(), entry.seq))
            .collect();
        let shown: HashSet<_> = std::mem::take(&mut self.snapshot).into_iter().collect();
        judged.see(ATTENTION, wanted == shown, || {
            let missing: Vec<_> = wanted.difference(&shown).collect();
            let more: Vec<_> = shown.difference(&wanted).collect();
            format!("{}: missing {missing:?}, beyond {more:?}", self.about())
        });
    }
}

/// The changes after a place.
fn after(log: &[Entry], place: u64) -> &[Entry] {
    let next = log.partition_point(|entry| entry.offset <= place);
    &log[next..]
}
