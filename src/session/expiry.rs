//! What happens by time alone: games whose seats nobody takes are aborted.

use std::{convert::Infallible, time::Duration};

use tokio::{task, time};

use super::{Carried, Outcome, SEATS_EXPIRE, Session, SessionError, Time};
use crate::game::GameId;

/// How often games are looked for whose time has run out.
const PERIOD: Duration = Duration::from_secs(60);

/// Games that are looked for at once.
const PAGE: u32 = 256;

impl Session {
    /// Aborts what has run out of time, for as long as it is polled.
    pub async fn expire_for_ever(&self) -> Infallible {
        let mut period = time::interval(PERIOD);
        loop {
            period.tick().await;
            if let Err(error) = self.expire().await {
                // The next round tries again.
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "games whose time has run out could not be aborted"
                );
            }
        }
    }

    /// Aborts every game whose seats were not taken in time.
    ///
    /// # Errors
    ///
    /// Fails if the store does. A game that can't be aborted doesn't keep the others from it.
    pub async fn expire(&self) -> Outcome<()> {
        let created = Time(self.now().0 - SEATS_EXPIRE);
        let (mut after, mut done) = (None, Ok(()));
        loop {
            let page = self
                .shared
                .store
                .waiting_games(created, after, PAGE)
                .await?;
            let Some(last) = page.last() else {
                return done;
            };
            after = Some(*last);
            for id in page {
                done = done.and(self.expire_game(id).await);
            }
        }
    }

    async fn expire_game(&self, id: GameId) -> Outcome<()> {
        let room = self.shared.room(id);
        let mut slot = room.game.clone().lock_owned().await;
        let game = self.shared.loaded(id, &room, &mut slot).await?;
        let Some(record) = game.expire(self.now()) else {
            return Ok(());
        };
        let shared = self.shared.clone();
        let carried =
            task::spawn(async move { shared.carry(&room, slot, record, |_, _| ()).await });
        match carried.await.map_err(|_| SessionError::Lost)? {
            Carried::Through(answer) => answer,
            // Somebody changed it at this moment: the next round looks again.
            Carried::Conflict(..) => Ok(()),
        }
    }
}
