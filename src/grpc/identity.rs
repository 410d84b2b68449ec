//! Who calls: tokens that the server signs and knows again.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode, errors::ErrorKind,
};
use serde::{Deserialize, Serialize};
use tonic::{Request, Status, service::Interceptor};
use uuid::Uuid;

use super::error::Reason;
use crate::game::{PlayerId, Time};

/// Seconds that a token is good for: a year, since there is no renewal yet.
const LIFETIME: i64 = 365 * 24 * 60 * 60;

const KEY_FILE: &str = "token.key";
const KEY_BYTES: usize = 32;

/// Who the server's tokens are from.
const ISSUER: &str = "mancala";

/// The metadata key by which a service names the player that it acts for.
const ACT_FOR: &str = "x-mancala-player";

/// Signs tokens and checks them.
#[derive(Clone)]
pub struct Tokens {
    keys: Arc<Keys>,
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
}

/// What a token says.
#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: Uuid,
    iat: i64,
    exp: i64,
}

/// The caller of a call that has a good token.
#[derive(Clone, Copy)]
struct Caller(PlayerId);

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
        validation.leeway = 0;
        Ok(Tokens {
            keys: Arc::new(Keys {
                encoding: EncodingKey::from_secret(&secret).map_err(damaged)?,
                decoding: DecodingKey::from_secret(&secret).map_err(damaged)?,
                validation,
            }),
        })
    }

    /// A player's token, and when it expires. The same for the same player and time.
    pub(super) fn sign(&self, player: PlayerId, issued: Time) -> Result<(String, Time), Status> {
        let iat = issued.0.div_euclid(1_000);
        let claims = Claims {
            iss: ISSUER.into(),
            sub: player.0,
            iat,
            exp: iat + LIFETIME,
        };
        let token = encode(&Header::default(), &claims, &self.keys.encoding);
        let token = token.map_err(|error| {
            tracing::error!(%error, "a token could not be signed");
            Reason::Internal.plain()
        })?;
        Ok((token, Time(claims.exp * 1_000)))
    }

    fn check(&self, token: &str) -> Result<PlayerId, Status> {
        let Keys {
            decoding,
            validation,
            ..
        } = &*self.keys;
        match decode::<Claims>(token, decoding, validation) {
            Ok(token) => Ok(PlayerId(token.claims.sub)),
            Err(error) => Err(match error.kind() {
                ErrorKind::ExpiredSignature => Reason::TokenExpired.plain(),
                _ => Reason::TokenInvalid.plain(),
            }),
        }
    }
}

/// Checks the token of every call that has one. Whether a call needs one, the call says.
impl Interceptor for Tokens {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = request.metadata().get("authorization") {
            let header = header.to_str().unwrap_or_default();
            let (scheme, token) = header.split_once(' ').unwrap_or((header, ""));
            if !scheme.eq_ignore_ascii_case("bearer") {
                return Err(Reason::TokenInvalid.plain());
            }
            let player = self.check(token.trim())?;
            tracing::Span::current().record("player", tracing::field::display(player));
            request.extensions_mut().insert(Caller(player));
        }
        if request.metadata().contains_key(ACT_FOR) {
            return Err(Reason::MayNotActFor.plain());
        }
        Ok(request)
    }
}

/// The caller, if the call says who it is.
pub(super) fn viewer<T>(request: &Request<T>) -> Option<PlayerId> {
    request.extensions().get().map(|Caller(player)| *player)
}

/// The caller of a call that must say who it is.
pub(super) fn caller<T>(request: &Request<T>) -> Result<PlayerId, Status> {
    viewer(request).ok_or_else(|| Reason::TokenMissing.plain())
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

#[cfg(unix)]
fn exposed(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn exposed(_: &Path) -> io::Result<bool> {
    Ok(false)
}
