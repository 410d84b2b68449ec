//! What admins may do, each time with a word in the audit before it is done.

use super::{ATTEMPTS, Outcome, Session, SessionError, damaged_log};
use crate::{
    game::{
        AdminAction, AuditRecord, Command, Game, GameId, Player, PlayerEvent, PlayerId, check_name,
    },
    store::{AppendError, Entry, Subject},
};

/// Who asks as an admin, and why.
#[derive(Clone, Debug)]
pub struct Admin {
    /// The subject of the token, or that the call came by the admin's own address.
    pub name: String,
    /// Why, for the audit; may be empty.
    pub note: String,
}

impl Session {
    /// Aborts a game, however far it is.
    ///
    /// # Errors
    ///
    /// Fails if there is no such game, or it is over.
    pub async fn abort_as_admin(&self, id: GameId, admin: Admin) -> Outcome<Game> {
        // What comes to nothing isn't in the audit, unless the game ends at just that moment.
        let looked = self.look_as_admin(id, |game| game.check_unfinished());
        looked.await??;
        let audit = self.audit(admin, AdminAction::AbortGame(id)).await?;
        let nobody = PlayerId(uuid::Uuid::nil());
        let command = Command::AbortAsAdmin { audit };
        self.execute(id, nobody, command, None, |_, game| game.clone())
            .await
    }

    /// Shuts a player out, or lets it in again.
    ///
    /// # Errors
    ///
    /// Fails if there is no such player.
    pub async fn set_banned(&self, id: PlayerId, banned: bool, admin: Admin) -> Outcome<Player> {
        let player = self.living_player(id).await?;
        if player.banned == banned {
            return Ok(player);
        }
        let action = match banned {
            true => AdminAction::BanPlayer(id),
            false => AdminAction::UnbanPlayer(id),
        };
        let audit = self.audit(admin, action).await?;
        self.change_player(id, None, |player| {
            let event = match banned {
                true => PlayerEvent::Banned { audit },
                false => PlayerEvent::Unbanned { audit },
            };
            Ok((player.banned != banned).then_some(event))
        })
        .await
    }

    /// Gives a player another name.
    ///
    /// # Errors
    ///
    /// Fails if there is no such player, and refuses a bad name.
    pub async fn rename_player(&self, id: PlayerId, name: &str, admin: Admin) -> Outcome<Player> {
        check_name(name)?;
        self.living_player(id).await?;
        let audit = self.audit(admin, AdminAction::RenamePlayer(id)).await?;
        self.change_player(id, None, |_| {
            let name = name.to_owned();
            Ok(Some(PlayerEvent::Renamed { name, audit }))
        })
        .await
    }

    /// What admins asked for after the entry with this number, oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn audited(&self, after: u64, limit: u32) -> Outcome<Vec<AuditRecord>> {
        let read = self.shared.store.read(Subject::Audit, after, limit);
        let entries = read.await?.into_iter();
        entries.map(audited).collect()
    }

    async fn living_player(&self, id: PlayerId) -> Outcome<Player> {
        let player = self.player(id).await?;
        match player.deleted {
            true => Err(SessionError::PlayerDeleted),
            false => Ok(player),
        }
    }

    /// Writes into the audit what is going to be done. Gives the number of the entry.
    async fn audit(&self, admin: Admin, action: AdminAction) -> Outcome<u64> {
        let Admin { name, note } = admin;
        for _ in 0..ATTEMPTS {
            let last = self.shared.store.last(Subject::Audit).await?;
            let last = last.map(audited).transpose()?;
            let record = AuditRecord {
                seq: last.as_ref().map_or(0, |last| last.seq) + 1,
                time: last.map_or(self.now(), |last| self.now().max(last.time)),
                admin: name.clone(),
                action,
                note: note.clone(),
            };
            let seq = record.seq;
            let append = self
                .shared
                .store
                .append(Subject::Audit, Entry::Audit(record));
            match append.await {
                Ok(()) => return Ok(seq),
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Store(error)) => return Err(error.into()),
            }
        }
        Err(SessionError::Contended)
    }
}

fn audited(entry: Entry) -> Outcome<AuditRecord> {
    match entry {
        Entry::Audit(record) => Ok(record),
        _ => Err(damaged_log("no entry of the audit in the audit")),
    }
}
