//! What admins ask for, as the audit has it.

use super::{GameId, PlayerId, Time};

/// An entry of the audit: written before what it says is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// From 1, without gaps.
    pub seq: u64,
    /// When it was asked for.
    pub time: Time,
    /// Who asked: the subject of the token, or that the call came by the admin's own address.
    pub admin: String,
    /// What for.
    pub action: AdminAction,
    /// Why, in the admin's words; may be empty.
    pub note: String,
}

/// What an admin can ask for. Without names of players, which would outlive their deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminAction {
    /// To abort a game.
    AbortGame(GameId),
    /// To shut a player out.
    BanPlayer(PlayerId),
    /// To let a player in again.
    UnbanPlayer(PlayerId),
    /// To give a player another name.
    RenamePlayer(PlayerId),
}
