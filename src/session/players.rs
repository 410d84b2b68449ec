//! Players: registered once, looked up, and changed.

use tokio::task;

use super::{
    ATTEMPTS, Login, Outcome, Session, SessionError, Shared, damaged_log, requests::new_player_id,
    same_request,
};
use crate::{
    game::{Player, PlayerEvent, PlayerId, PlayerKind, PlayerRecord, Request},
    store::{AppendError, Entry, Subject},
};

/// Entries of a player's log that are read at once.
const PAGE: u32 = 128;

/// Most events of a player: so often can tokens be revoked.
const MOST_EVENTS: u64 = 1_000;

impl Session {
    /// Registers a player. The same request gives the same player again, as it was then.
    ///
    /// # Errors
    ///
    /// Refuses a bad name, and a request id that was used with other content.
    pub async fn register(
        &self,
        name: String,
        kind: PlayerKind,
        request: Option<Request>,
    ) -> Outcome<Player> {
        let id = new_player_id(request);
        let record = Player::register(name, kind, request, self.now())?;
        if let Some(player) = self.begin_player(id, record).await? {
            return Ok(player);
        }
        let known = self.player_records(id).await?;
        let first = known.first().ok_or(SessionError::NoSuchPlayer)?;
        if first.stands_alone() {
            return Err(SessionError::PlayerDeleted);
        }
        same_request(first.request, request)?;
        Player::replay(id, &known[..1]).ok_or(SessionError::NoSuchPlayer)
    }

    /// The player of somebody whom another issuer knows, registered now if it was not before.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn issued(&self, id: PlayerId, name: String) -> Outcome<()> {
        if self.follow_login(id).await?.is_none() {
            let record = Player::register(name, PlayerKind::Human, None, self.now())?;
            // Somebody else may be first: it is the same player.
            self.begin_player(id, record).await?;
        }
        Ok(())
    }

    /// Makes a player's first event durable; `None` if there is such a player.
    async fn begin_player(&self, id: PlayerId, record: PlayerRecord) -> Outcome<Option<Player>> {
        let player = Player::replay(id, std::slice::from_ref(&record));
        let append = self
            .shared
            .store
            .append(Subject::Player(id), Entry::Player(record));
        match append.await {
            Ok(()) => Ok(player),
            Err(AppendError::Conflict { .. }) => Ok(None),
            Err(AppendError::Store(error)) => Err(error.into()),
        }
    }

    /// A player.
    ///
    /// # Errors
    ///
    /// Fails if there is none with this id.
    pub async fn player(&self, id: PlayerId) -> Outcome<Player> {
        self.find_player(id)
            .await?
            .ok_or(SessionError::NoSuchPlayer)
    }

    pub(super) async fn find_player(&self, id: PlayerId) -> Outcome<Option<Player>> {
        Ok(Player::replay(id, &self.player_records(id).await?))
    }

    /// Makes all tokens that a player has no good any more, and gives the player as it is then; if those who
    /// ask may by then, as `may` says of the player's login.
    ///
    /// # Errors
    ///
    /// Refuses it if it was done too often, and a request id that was used with other content.
    pub async fn revoke_tokens(
        &self,
        id: PlayerId,
        request: Option<Request>,
        may: impl Fn(&Login) -> bool,
    ) -> Outcome<Player> {
        self.change_player(id, request, |player| match player.seq < MOST_EVENTS {
            _ if !may(&Login::of(player)) => Err(SessionError::TokenLapsed),
            true => Ok(Some(PlayerEvent::TokensRevoked)),
            false => Err(SessionError::TooManyRevocations),
        })
        .await
    }

    /// Deletes a player: its name, and all that its log had of it; if those who ask may by then, as `may` says
    /// of the player's login.
    ///
    /// # Errors
    ///
    /// Refuses a request id that was used with other content.
    pub async fn delete_player(
        &self,
        id: PlayerId,
        request: Option<Request>,
        may: impl Fn(&Login) -> bool,
    ) -> Outcome<Player> {
        self.change_player(id, request, |player| match may(&Login::of(player)) {
            true => Ok(Some(player.deletion())),
            false => Err(SessionError::TokenLapsed),
        })
        .await
    }

    /// The player as a request left it, if it was carried out before.
    ///
    /// # Errors
    ///
    /// Refuses a request id that was used with other content.
    pub async fn changed_by(
        &self,
        id: PlayerId,
        request: Option<Request>,
    ) -> Outcome<Option<Player>> {
        let records = self.player_records(id).await?;
        left_by(id, request, &records)
    }

    /// Has an event happen to a player, if `event` says so; gives the player after it.
    pub(super) async fn change_player(
        &self,
        id: PlayerId,
        request: Option<Request>,
        event: impl Fn(&Player) -> Outcome<Option<PlayerEvent>>,
    ) -> Outcome<Player> {
        for _ in 0..ATTEMPTS {
            let records = self.player_records(id).await?;
            if let Some(player) = left_by(id, request, &records)? {
                return Ok(player);
            }
            let player = Player::replay(id, &records);
            let mut player = player.ok_or(SessionError::NoSuchPlayer)?;
            if player.deleted {
                return Err(SessionError::PlayerDeleted);
            }
            let Some(event) = event(&player)? else {
                return Ok(player);
            };
            let record = player.next(event, request, self.now());
            player.apply(&record);
            // Whoever waits for it: what the log has, logins have.
            let (shared, changed) = (self.shared.clone(), player.clone());
            let change = task::spawn(async move { shared.change_player(&changed, record).await });
            match change.await.map_err(|_| SessionError::Lost)? {
                Ok(()) => return Ok(player),
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Store(error)) => return Err(error.into()),
            }
        }
        Err(SessionError::Contended)
    }

    async fn player_records(&self, id: PlayerId) -> Outcome<Vec<PlayerRecord>> {
        let mut records: Vec<PlayerRecord> = Vec::new();
        loop {
            let after = records.last().map_or(0, |record| record.seq);
            let read = self.shared.store.read(Subject::Player(id), after, PAGE);
            let page = read.await?;
            let full = page.len() == PAGE as usize;
            for entry in page {
                let Entry::Player(record) = entry else {
                    return Err(damaged_log("another's in a player's log"));
                };
                records.push(record);
            }
            if !full {
                return Ok(records);
            }
        }
    }
}

impl Shared {
    /// Makes a player's event durable, after which it is this one, and tells of it.
    async fn change_player(
        &self,
        player: &Player,
        record: PlayerRecord,
    ) -> Result<(), AppendError> {
        let subject = Subject::Player(player.id);
        let appended = self.store.append(subject, Entry::Player(record)).await;
        match &appended {
            Ok(()) => self.logins.change(player),
            Err(AppendError::Conflict { .. }) => {}
            // It may be there or not: whoever calls next finds out.
            Err(AppendError::Store(_)) => self.logins.forget(player.id),
        }
        appended
    }
}

/// The player as a request left it, if one of these is by it.
fn left_by(
    id: PlayerId,
    request: Option<Request>,
    records: &[PlayerRecord],
) -> Outcome<Option<Player>> {
    let Some(request) = request else {
        return Ok(None);
    };
    let by = |record: &PlayerRecord| record.request.is_some_and(|known| known.key == request.key);
    let Some(done) = records.iter().position(by) else {
        return Ok(None);
    };
    same_request(records[done].request, Some(request))?;
    Ok(Player::replay(id, &records[..=done]))
}
