//! Tokens that the server signs itself and knows again.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{error::Reason, key_file::exposed};
use crate::game::{PlayerId, Time};

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// Days that a player's token is good for if nobody says otherwise.
pub const TOKEN_DAYS: u32 = 90;

const KEY_FILE: &str = "token.key";
const KEY_BYTES: usize = 32;

/// Who the server's tokens are from.
pub(super) const ISSUER: &str = "mancala";

/// Signs tokens and checks them.
#[derive(Clone)]
pub struct Tokens {
    keys: Arc<Keys>,
    /// Seconds that a player's token is good for.
    lifetime: i64,
}

struct Keys {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

/// Why the key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Reading or making its file failed.
    #[error("{}: the token key can't be read or made", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others than the owner may read it.
    #[error("{}: the token key may be read by others: chmod 600 it", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// It is no key.
    #[error("{}: the token key is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// It signs nothing.
    #[error("the token can't be signed")]
    Sign(#[source] jsonwebtoken::errors::Error),
}

/// What a token may do that is no player's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Act for players that it names, and register them.
    Service,
    /// What an admin may do.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 2] = [Scope::Service, Scope::Admin];

    /// Its name in tokens and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Service => "service",
            Scope::Admin => "admin",
        }
    }

    fn named(name: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// What a token says.
#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    scope: String,
    #[serde(default, rename = "gen", skip_serializing_if = "is_first")]
    generation: u32,
    iat: i64,
    exp: i64,
}

fn is_first(generation: &u32) -> bool {
    *generation == 0
}

/// A token that the server has signed.
pub(super) struct Signed {
    pub(super) whose: Whose,
    pub(super) expires: Time,
}

/// Whose a token is.
pub(super) enum Whose {
    /// A player's, of a generation.
    Player { id: PlayerId, generation: u32 },
    /// Somebody's who has scopes.
    Scopes { name: String, scopes: Vec<Scope> },
}

impl Tokens {
    /// Tokens signed with the key of a data folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// Fails if the key can't be read or made, or if others than its owner may read it.
    pub fn open(folder: &Path) -> Result<Tokens, KeyError> {
        let path = folder.join(KEY_FILE);
        let error = |source| KeyError::File {
            path: path.clone(),
            source,
        };
        let secret = match fs::read(&path) {
            Ok(secret) => secret,
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                make_key(folder, &path).map_err(error)?
            }
            Err(other) => return Err(error(other)),
        };
        if exposed(&path).map_err(error)? {
            return Err(KeyError::Exposed { path });
        }
        if secret.len() != KEY_BYTES {
            return Err(KeyError::Damaged { path });
        }
        let damaged = |_| KeyError::Damaged { path: path.clone() };
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        // By the session's time, and not by the system's.
        validation.validate_exp = false;
        Ok(Tokens {
            lifetime: i64::from(TOKEN_DAYS) * DAY,
            keys: Arc::new(Keys {
                encoding: EncodingKey::from_secret(&secret).map_err(damaged)?,
                decoding: DecodingKey::from_secret(&secret).map_err(damaged)?,
                validation,
            }),
        })
    }

    /// The same, with tokens of players that are good for so many days.
    pub fn lasting(self, days: u32) -> Tokens {
        let lifetime = i64::from(days) * DAY;
        Tokens { lifetime, ..self }
    }

    /// A player's token of a generation, and when it expires. The same for the same of all three.
    pub(super) fn sign_player(
        &self,
        player: PlayerId,
        generation: u32,
        issued: Time,
    ) -> Result<(String, Time), Status> {
        let subject = player.to_string();
        let signed = self.sign(subject, "", generation, issued, self.lifetime);
        signed.map_err(|error| {
            tracing::error!(%error, "a token could not be signed");
            Reason::Internal.plain()
        })
    }

    /// A token with scopes, which is no player's, good for so many days; and when it expires.
    ///
    /// # Errors
    ///
    /// Fails if it can't be signed.
    pub fn sign_scopes(
        &self,
        name: &str,
        scopes: &[Scope],
        issued: Time,
        days: u32,
    ) -> Result<(String, Time), KeyError> {
        let scopes: Vec<_> = scopes.iter().map(|scope| scope.name()).collect();
        let lifetime = i64::from(days) * DAY;
        self.sign(name.into(), &scopes.join(" "), 0, issued, lifetime)
            .map_err(KeyError::Sign)
    }

    fn sign(
        &self,
        sub: String,
        scope: &str,
        generation: u32,
        issued: Time,
        lifetime: i64,
    ) -> jsonwebtoken::errors::Result<(String, Time)> {
        let iat = issued.0.div_euclid(1_000);
        let claims = Claims {
            iss: ISSUER.into(),
            sub,
            scope: scope.into(),
            generation,
            iat,
            exp: iat.saturating_add(lifetime),
        };
        let token = encode(&Header::default(), &claims, &self.keys.encoding)?;
        Ok((token, Time(claims.exp.saturating_mul(1_000))))
    }

    /// What a token says, if it is one of these and has not expired.
    pub(super) fn check(&self, token: &str, now: Time) -> Result<Signed, Reason> {
        let keys = &*self.keys;
        let decoded = decode::<Claims>(token, &keys.decoding, &keys.validation);
        let claims = decoded.map_err(|_| Reason::TokenInvalid)?.claims;
        let expires = Time(claims.exp.saturating_mul(1_000));
        if expires <= now {
            return Err(Reason::TokenExpired);
        }
        let scopes = claims.scope.split_ascii_whitespace();
        let scopes: Option<Vec<Scope>> = scopes.map(Scope::named).collect();
        let whose = match scopes.ok_or(Reason::TokenInvalid)? {
            none if none.is_empty() => Whose::Player {
                id: PlayerId(claims.sub.parse().map_err(|_| Reason::TokenInvalid)?),
                generation: claims.generation,
            },
            scopes => Whose::Scopes {
                name: claims.sub,
                scopes,
            },
        };
        Ok(Signed { whose, expires })
    }
}

/// Makes a key: whole and on the disk, or not at all.
fn make_key(folder: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let key: [u8; KEY_BYTES] = rand::random();
    let unfinished = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(&key)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    File::open(folder)?.sync_all()?;
    Ok(key.to_vec())
}
