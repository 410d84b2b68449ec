//! Following one game: nothing lost, nothing twice, in order.
//!
//! A watch has no task: it remembers the last seq that it gave, and takes the next change from the
//! room's newest ones, or from the log, a few at a time, when it began further behind. So a reader who
//! doesn't read costs little more than its place; one that fell far behind is caught up with a snapshot.

use std::{collections::VecDeque, future, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{self, Instant},
};

use super::{
    Change, Outcome, SessionError, Shared,
    presence::{Follower, Present},
    room::{Following, RECENT, Room},
};
use crate::{
    game::{Clocks, Game, GameId, PlayerId, Seat, Time},
    rules::{BySide, Rules, Side},
};

/// A heartbeat is given when nothing else was for so long.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);

/// A watch ends when it is so old, less up to a tenth by lot, so that not all come back at once.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);

/// Events that a watch which begins behind reads at once.
const PAGE: u32 = 32;

/// A watch that was up to date and is further behind now is given a snapshot instead of every event: what
/// it missed is not at hand any more.
const SKIP: u64 = RECENT as u64;

/// How old a stream becomes.
pub(super) fn stream_age() -> Duration {
    MAX_AGE.mul_f64(rand::random_range(0.9..=1.0))
}

/// A watch of one game.
pub struct Watch {
    shared: Arc<Shared>,
    id: GameId,
    variant: String,
    rules: Arc<Rules>,
    following: Following,
    draining: watch::Receiver<bool>,
    ends: Instant,
    snapshot: Option<Arc<Game>>,
    skipped: bool,
    /// Read from the log, but not given yet.
    behind: VecDeque<Arc<Change>>,
    /// The last event given, or in the snapshot.
    seq: u64,
    /// The newest event when the watch began: up to here every one is given.
    begin: u64,
    /// The event that finished the game, once known.
    end: Option<u64>,
    left: bool,
    /// That the watcher is there, if it is a player.
    _present: Option<Present>,
    /// The players in the seats.
    followed: BySide<Option<Follower>>,
    /// Who was told to be there, or not.
    told: BySide<Option<bool>>,
}

/// What a watch gives.
#[derive(Debug)]
pub enum Watched {
    /// The game as it stands: first, if at all, or after a reader was too slow.
    Snapshot {
        /// The game.
        game: Arc<Game>,
        /// Its clocks, when it is told.
        clocks: (Clocks, Time),
        /// Who is there.
        connected: BySide<bool>,
        /// Whether events were skipped.
        skipped: bool,
    },
    /// The next change.
    Change(Arc<Change>),
    /// A player has come, or is gone.
    Presence {
        /// Which.
        side: Side,
        /// Whether it is there.
        connected: bool,
    },
    /// Nothing happened for a while; the newest event has this seq.
    Heartbeat {
        /// The newest seq, which was given.
        seq: u64,
    },
    /// The server drains, or the watch is old: it ends here, before the game does.
    Goodbye {
        /// The last seq that was given.
        seq: u64,
    },
}

impl Watch {
    /// A watch of a locked game: of a snapshot and what follows, or of what follows an event.
    pub(super) fn new(
        shared: Arc<Shared>,
        room: &Arc<Room>,
        game: &Game,
        viewer: Option<PlayerId>,
        after: Option<u64>,
    ) -> Watch {
        let newest = game.seq();
        let plays = viewer.is_some_and(|viewer| game.summary().is_of(viewer));
        let present = |player| Present::new(&shared.presences, player);
        let mut watch = Watch {
            following: room.follow(newest, !plays),
            draining: shared.draining.subscribe(),
            ends: Instant::now() + stream_age(),
            id: game.created().game_id,
            variant: game.created().variant.clone(),
            rules: game.rules().clone(),
            snapshot: after.is_none().then(|| Arc::new(game.clone())),
            skipped: false,
            behind: VecDeque::new(),
            seq: after.unwrap_or(newest),
            begin: newest,
            end: game.state().result.map(|_| newest),
            left: false,
            _present: viewer.map(present),
            followed: BySide::default(),
            told: BySide::default(),
            shared,
        };
        watch.follow_seats(&game.summary().seats);
        watch
    }

    /// The game's id.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// The game's variant.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// The rules that the game is played by.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Whether there are events that were not given yet.
    pub fn is_behind(&self) -> bool {
        !self.behind.is_empty() || self.following.newest() > self.seq
    }

    /// Whether the event that finished the game was given.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.seq >= end)
    }

    /// The next thing that happens; `None` after the event that finished the game.
    ///
    /// # Errors
    ///
    /// Fails if the log can't be read, and with [`SessionError::Draining`] after a goodbye.
    pub async fn next(&mut self) -> Option<Outcome<Watched>> {
        if self.left {
            return Some(Err(SessionError::Draining));
        }
        if let Some(game) = self.snapshot.take() {
            return Some(Ok(self.tell_snapshot(game)));
        }
        if self.is_over() {
            return None;
        }
        Some(self.next_of_active().await)
    }

    async fn next_of_active(&mut self) -> Outcome<Watched> {
        let heartbeat = Instant::now() + HEARTBEAT;
        loop {
            // Who drains still gives what there is: else a page of events could lack some that others were told.
            let leaves = *self.draining.borrow() && !self.is_behind();
            if leaves || Instant::now() >= self.ends {
                self.left = true;
                return Ok(Watched::Goodbye { seq: self.seq });
            }
            // Before the events, of which there may be many.
            if let Some(presence) = self.presence() {
                return Ok(presence);
            }
            if self.following.newest() > self.seq {
                return self.advance().await;
            }
            let gone = self.next_gone();
            let [south, north] = [&mut self.followed.south, &mut self.followed.north];
            tokio::select! {
                biased;
                () = self.following.wait_beyond(self.seq) => {}
                // The session outlives its streams.
                _ = self.draining.wait_for(|draining| *draining) => {}
                () = changed(south) => {}
                () = changed(north) => {}
                () = sleep_until(&self.shared, gone) => {}
                () = time::sleep_until(self.ends) => {}
                () = time::sleep_until(heartbeat) => return Ok(Watched::Heartbeat { seq: self.seq }),
            }
        }
    }

    /// Gives the next change, or a snapshot if there are too many.
    async fn advance(&mut self) -> Outcome<Watched> {
        let newest = self.following.newest();
        if self.behind.is_empty() && self.seq >= self.begin && newest - self.seq > SKIP {
            let game = match self.following.room.shown(newest) {
                Some(game) => game,
                None => self.game().await?,
            };
            self.seq = game.seq();
            self.end = game.state().result.map(|_| game.seq());
            self.skipped = true;
            self.follow_seats(&game.summary().seats);
            return Ok(self.tell_snapshot(game));
        }
        let change = self.change(self.seq + 1).await?;
        self.seq = change.record.seq;
        if change.is_last() {
            self.end = Some(self.seq);
        }
        if let crate::game::Event::SeatTaken { side, player } = &change.record.event {
            self.followed[*side] = Some(Follower::new(&self.shared.presences, *player));
        }
        Ok(Watched::Change(change))
    }

    /// The game as it stands, also for others who have fallen behind.
    async fn game(&self) -> Outcome<Arc<Game>> {
        let room = &self.following.room;
        let mut slot = room.game.lock().await;
        let game = self.shared.loaded(self.id, room, &mut slot).await?;
        let game = Arc::new(game.clone());
        room.show(&game);
        Ok(game)
    }

    /// The change with this seq, which is durable.
    async fn change(&mut self, seq: u64) -> Outcome<Arc<Change>> {
        if let Some(change) = self.behind.pop_front() {
            return Ok(change);
        }
        if let Some(change) = self.following.room.recent(seq) {
            return Ok(change);
        }
        // From the entry before on, which says what the position was.
        let records = self
            .shared
            .read_game(self.id, seq.saturating_sub(2), PAGE)
            .await?;
        self.behind = Change::of(records).into();
        self.behind.retain(|change| change.record.seq >= seq);
        let missing = SessionError::BeyondTheLog { newest: self.seq };
        self.behind.pop_front().ok_or(missing)
    }

    fn tell_snapshot(&mut self, game: Arc<Game>) -> Watched {
        let connected = self.connected(self.shared.clock.now());
        self.told = BySide::from_fn(|side| Some(connected[side]));
        Watched::Snapshot {
            clocks: self.shared.clocks(game.summary()),
            game,
            connected,
            skipped: self.skipped,
        }
    }

    fn follow_seats(&mut self, seats: &BySide<Seat>) {
        for (side, seat) in seats.iter() {
            let Seat::Player(player) = seat else { continue };
            let known = self.followed[side].as_ref().map(Follower::player);
            if known != Some(*player) {
                self.followed[side] = Some(Follower::new(&self.shared.presences, *player));
            }
        }
    }

    fn connected(&mut self, now: Time) -> BySide<bool> {
        BySide::from_fn(|side| {
            let followed = self.followed[side].as_mut();
            followed.is_some_and(|followed| followed.watches().connected(now))
        })
    }

    /// A presence that is other than what was told, or was not told yet.
    fn presence(&mut self) -> Option<Watched> {
        let connected = self.connected(self.shared.clock.now());
        let seated = |side: &Side| self.followed[*side].is_some();
        let news = |side: &Side| self.told[*side] != Some(connected[*side]);
        let side = Side::BOTH.into_iter().filter(seated).find(news)?;
        self.told[side] = Some(connected[side]);
        Some(Watched::Presence {
            side,
            connected: connected[side],
        })
    }

    /// When the next player who was told to be there counts as gone.
    fn next_gone(&mut self) -> Option<Time> {
        let gone = Side::BOTH.into_iter().filter_map(|side| {
            let followed = self.followed[side]
                .as_mut()
                .filter(|_| self.told[side] == Some(true))?;
            followed.watches().gone_at()
        });
        gone.min()
    }
}

async fn changed(followed: &mut Option<Follower>) {
    match followed {
        Some(followed) => followed.changed().await,
        None => future::pending().await,
    }
}

async fn sleep_until(shared: &Shared, time: Option<Time>) {
    match time {
        Some(time) => shared.clock.sleep_until(time).await,
        None => future::pending().await,
    }
}
