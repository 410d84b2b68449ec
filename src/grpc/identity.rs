//! Who calls: from the token that a call has, and whom a service acts for.

use std::sync::Arc;

use http::HeaderMap;
use tokio::sync::watch;
use tonic::{Request, Status};
use unicode_normalization::UnicodeNormalization as _;

use super::{
    Issuer, Tokens,
    error::{self, Reason, invalid},
    issuer::{Issued, LEEWAY},
    method::Method,
    tokens::{Scope, Signed, Whose},
};
use crate::{
    game::{PlayerId, Time, check_name},
    session::{self, Login, Session},
};

/// The metadata key by which a service names the player that it acts for.
const ACT_FOR: &str = "x-mancala-player";

/// Who may register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Registration {
    /// Everybody.
    #[default]
    Open,
    /// Who has a token with the scope `service`.
    Service,
    /// Nobody.
    Off,
}

/// How the server knows who calls.
#[derive(Clone)]
pub struct Identity {
    /// Its own tokens.
    pub tokens: Tokens,
    /// Somebody else whose tokens it takes.
    pub issuer: Option<Arc<Issuer>>,
    /// Who may register.
    pub registration: Registration,
}

/// The caller of a call.
#[derive(Clone, Default)]
pub(super) struct Caller {
    /// The player that it is, or acts for.
    player: Option<Playing>,
    /// What its token may do beside.
    scopes: Vec<Scope>,
    /// Who it is in the audit.
    name: Option<Arc<str>>,
}

/// A player who calls.
#[derive(Clone)]
struct Playing {
    id: PlayerId,
    made: Made,
    /// When its token expires.
    expires: Time,
    /// By which its token is good, or not any more.
    login: watch::Receiver<Login>,
}

impl Playing {
    /// Why its token is good no more.
    fn lapsed(&self) -> Option<Reason> {
        if self.login.has_changed().is_err() {
            // It is not known whether it is good.
            return Some(Reason::StoreUnavailable);
        }
        self.made.lapsed(&self.login.borrow())
    }
}

/// What tells whether a token was made before others of its player were revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// The generation that a token of the server's own has.
    In(u32),
    /// When another issuer's was.
    At(Time),
    /// A service's, which speaks for the player as the player is.
    Service,
}

impl Made {
    /// Why a token is not good for a player with this login.
    pub(super) fn lapsed(self, login: &Login) -> Option<Reason> {
        let revoked = match self {
            Made::In(generation) => generation != login.generation,
            // By its clock, which may be ahead.
            Made::At(time) => login
                .revoked
                .is_some_and(|revoked| time.0 <= revoked.0 + LEEWAY),
            Made::Service => false,
        };
        match login {
            _ if login.deleted => Some(Reason::PlayerDeleted),
            _ if login.banned => Some(Reason::PlayerBanned),
            _ => revoked.then_some(Reason::TokenRevoked),
        }
    }
}

impl Caller {
    /// A caller at the admin's own address.
    pub(super) fn at_the_admins_door() -> Caller {
        Caller {
            scopes: vec![Scope::Admin],
            name: Some("admin address".into()),
            ..Caller::default()
        }
    }

    /// The player whose limits it uses: none whose token is good no more, so that nobody uses those of another.
    pub(super) fn paying_player(&self) -> Option<PlayerId> {
        let player = self.player.as_ref();
        player
            .filter(|player| player.lapsed().is_none())
            .map(|player| player.id)
    }

    /// Whether it has no token.
    pub(super) fn is_nobody(&self) -> bool {
        self.player.is_none() && self.scopes.is_empty()
    }

    fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Identity {
    /// Who calls, from the headers of a call.
    pub(super) async fn identify(
        &self,
        session: &Session,
        headers: &HeaderMap,
        method: Method,
    ) -> Result<Caller, Status> {
        let Some(token) = bearer(headers)? else {
            return match headers.contains_key(ACT_FOR) {
                true => Err(Reason::MayNotActFor.plain()),
                false => Ok(Caller::default()),
            };
        };
        let token = self.read(session, token).await?;
        let player = token.player(headers)?;
        let player = match player {
            None => None,
            Some((id, made)) => Some(follow(session, id, made, token.expires).await?),
        };
        // Whoever is shut out is so for every call.
        match player.as_ref().and_then(Playing::lapsed) {
            Some(reason) if !method.ends_tokens || reason == Reason::PlayerBanned => {
                Err(reason.plain())
            }
            _ => Ok(Caller {
                player,
                scopes: token.scopes,
                name: token.name,
            }),
        }
    }

    /// What a token says, by whomever it is.
    async fn read(&self, session: &Session, token: &str) -> Result<Token, Status> {
        let now = session.now();
        let refused = match self.tokens.check(token, now) {
            Ok(Signed { whose, expires }) => {
                let (player, scopes, name) = match whose {
                    Whose::Player { id, generation } => {
                        (Some((id, Made::In(generation))), vec![], None)
                    }
                    Whose::Scopes { name, scopes } => (None, scopes, Some(name.into())),
                };
                return Ok(Token {
                    player,
                    scopes,
                    name,
                    expires,
                });
            }
            Err(reason) => reason,
        };
        let issuer = self.issuer.as_ref();
        let Some(issuer) = issuer.filter(|_| refused == Reason::TokenInvalid) else {
            return Err(refused.plain());
        };
        let issued = issuer.check(token, now).map_err(Reason::plain)?;
        let id = session::issued_player_id(&issued.issuer, &issued.subject);
        let name = player_name(&issued, id);
        session.issued(id, name).await.map_err(error::of_none)?;
        Ok(Token {
            player: Some((id, Made::At(issued.issued))),
            scopes: vec![],
            name: None,
            expires: issued.expires,
        })
    }

    /// Whether a caller may register players.
    pub(super) fn may_register<T>(&self, request: &Request<T>) -> Result<(), Status> {
        let service = || {
            let caller = request.extensions().get::<Caller>();
            caller.is_some_and(|caller| caller.may(Scope::Service))
        };
        let may = match self.registration {
            Registration::Open => true,
            Registration::Service => service(),
            Registration::Off => false,
        };
        match may {
            true => Ok(()),
            false => Err(Reason::RegistrationClosed.plain()),
        }
    }
}

/// What a token says.
struct Token {
    player: Option<(PlayerId, Made)>,
    scopes: Vec<Scope>,
    name: Option<Arc<str>>,
    expires: Time,
}

impl Token {
    /// The player that it is, or that the headers name for a service.
    fn player(&self, headers: &HeaderMap) -> Result<Option<(PlayerId, Made)>, Status> {
        let Some(named) = headers.get(ACT_FOR) else {
            return Ok(self.player);
        };
        if !self.scopes.contains(&Scope::Service) {
            return Err(Reason::MayNotActFor.plain());
        }
        let id = named.to_str().ok().and_then(|id| id.parse().ok());
        let id = id.ok_or_else(|| invalid(ACT_FOR, "is a UUID"))?;
        Ok(Some((PlayerId(id), Made::Service)))
    }
}

/// A player who calls, if there is one with this id.
async fn follow(
    session: &Session,
    id: PlayerId,
    made: Made,
    expires: Time,
) -> Result<Playing, Status> {
    tracing::Span::current().record("player", tracing::field::display(id));
    let login = session.follow_login(id).await.map_err(error::of_none)?;
    let login = login.ok_or_else(|| match made {
        Made::Service => Reason::PlayerNotFound.not_found("mancala.v1.Player", &id.to_string()),
        Made::In(_) | Made::At(_) => Reason::TokenInvalid.plain(),
    })?;
    Ok(Playing {
        id,
        made,
        expires,
        login,
    })
}

/// The token that a call has.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Status> {
    let mut given = headers.get_all(http::header::AUTHORIZATION).iter();
    let Some(header) = given.next() else {
        return Ok(None);
    };
    let header = header.to_str().unwrap_or_default();
    let (scheme, token) = header.split_once(' ').unwrap_or((header, ""));
    // Two tokens are of two callers.
    match scheme.eq_ignore_ascii_case("bearer") && given.next().is_none() {
        true => Ok(Some(token.trim())),
        false => Err(Reason::TokenInvalid.plain()),
    }
}

/// What a player is called whom another issuer knows: as it says, as far as that is a name.
fn player_name(issued: &Issued, id: PlayerId) -> String {
    let given = issued.name.as_deref().unwrap_or_default();
    let plain = given.nfc().filter(|letter| !letter.is_control());
    let short: String = plain.take(32).collect();
    let name = short.trim().to_owned();
    match check_name(&name) {
        Ok(()) => name,
        Err(_) => format!("player {}", &id.to_string()[..8]),
    }
}

/// The player of a call, if the call says who it is; as long as its token is good.
pub(super) fn viewer<T>(request: &Request<T>) -> Result<Option<PlayerId>, Status> {
    let player = request.extensions().get::<Caller>();
    match player.and_then(|caller| caller.player.as_ref()) {
        None => Ok(None),
        // It may have lapsed since the call began.
        Some(player) => match player.lapsed() {
            None => Ok(Some(player.id)),
            Some(reason) => Err(reason.plain()),
        },
    }
}

/// The player of a call that must say who it is.
pub(super) fn caller<T>(request: &Request<T>) -> Result<PlayerId, Status> {
    viewer(request)?.ok_or_else(|| nobody(request))
}

fn nobody<T>(request: &Request<T>) -> Status {
    match request.extensions().get::<Caller>() {
        Some(caller) if !caller.scopes.is_empty() => Reason::PlayerNotNamed.plain(),
        _ => Reason::TokenMissing.plain(),
    }
}

/// A player of a call that may end the player's tokens, its own among them.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    pub(super) player: PlayerId,
    pub(super) made: Made,
    /// Why its token is good no more: it may be a retry of the call that made it so.
    pub(super) lapsed: Option<Reason>,
}

/// The player of a call that may end the player's tokens.
pub(super) fn ending<T>(request: &Request<T>) -> Result<Ending, Status> {
    let caller = request.extensions().get::<Caller>();
    let player = caller.and_then(|caller| caller.player.as_ref());
    let player = player.ok_or_else(|| nobody(request))?;
    Ok(Ending {
        player: player.id,
        made: player.made,
        lapsed: player.lapsed(),
    })
}

/// The admin who calls, as the audit has it.
pub(super) fn admin<T>(request: &Request<T>) -> Result<String, Status> {
    let caller = request.extensions().get::<Caller>();
    let admin = caller.filter(|caller| caller.may(Scope::Admin));
    let name = admin.and_then(|admin| admin.name.as_deref());
    match (name, caller) {
        (Some(name), _) => Ok(name.to_owned()),
        (None, Some(caller)) if caller.player.is_some() || !caller.scopes.is_empty() => {
            Err(Reason::NotAdmin.plain())
        }
        (None, _) => Err(Reason::TokenMissing.plain()),
    }
}

/// What ends a long call of a player: that its token isn't good any more.
pub(super) struct Leash {
    session: Session,
    playing: Playing,
}

impl Leash {
    /// The leash of a caller, if it is a player.
    pub(super) fn of(caller: &Caller, session: &Session) -> Option<Leash> {
        let playing = caller.player.clone()?;
        let session = session.clone();
        Some(Leash { session, playing })
    }

    /// Waits until the token is good no more. Gives why.
    pub(super) async fn lapse(mut self) -> Status {
        loop {
            if let Some(reason) = self.playing.lapsed() {
                return reason.plain();
            }
            tokio::select! {
                // If nobody knows any more whether it is good, it has lapsed too.
                _ = self.playing.login.changed() => {}
                () = self.session.sleep_until(self.playing.expires) => {
                    return Reason::TokenExpired.plain();
                }
            }
        }
    }
}
