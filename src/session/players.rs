//! Players: registered once, and looked up.

use super::{Outcome, Session, SessionError, requests::new_player_id, same_request};
use crate::{
    game::{Player, PlayerId, PlayerKind, PlayerRecord, Request},
    store::{AppendError, Entry, Subject},
};

/// Entries of a player's log that are read: there are not more kinds of them yet.
const PAGE: u32 = 16;

impl Session {
    /// Registers a player. The same request gives the same player again.
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
        let subject = Subject::Player(id);
        let player = Player::replay(id, std::slice::from_ref(&record));
        match self
            .shared
            .store
            .append(subject, Entry::Player(record))
            .await
        {
            Ok(()) => player.ok_or(SessionError::NoSuchPlayer),
            Err(AppendError::Conflict { .. }) => {
                let known = self.player_records(id).await?;
                let first = known.first().ok_or(SessionError::NoSuchPlayer)?;
                same_request(first.request, request)?;
                Player::replay(id, &known).ok_or(SessionError::NoSuchPlayer)
            }
            Err(AppendError::Store(error)) => Err(error.into()),
        }
    }

    /// A player.
    ///
    /// # Errors
    ///
    /// Fails if there is none with this id.
    pub async fn player(&self, id: PlayerId) -> Outcome<Player> {
        let records = self.player_records(id).await?;
        Player::replay(id, &records).ok_or(SessionError::NoSuchPlayer)
    }

    async fn player_records(&self, id: PlayerId) -> Outcome<Vec<PlayerRecord>> {
        let entries = self.shared.store.read(Subject::Player(id), 0, PAGE).await?;
        let records = entries.into_iter().filter_map(|entry| match entry {
            Entry::Player(record) => Some(record),
            Entry::Game(_) | Entry::System(_) => None,
        });
        Ok(records.collect())
    }
}
