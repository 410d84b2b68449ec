//! Another issuer's tokens: JWTs signed with keys of which the public parts are in a file.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse},
};
use serde::Deserialize;

use super::error::Reason;
use crate::game::Time;

/// Largest file of keys, in bytes, and most keys in it.
const MAX_FILE: u64 = 256 * 1024;
const MAX_KEYS: usize = 64;

/// Milliseconds by which the issuer's clock may be wrong.
pub(super) const LEEWAY: i64 = 30_000;

/// Longest subject, in bytes.
const MAX_SUBJECT: usize = 255;

/// The algorithms that tokens may be signed with.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];

/// Somebody else who signs tokens.
pub struct Issuer {
    name: String,
    audience: String,
    path: PathBuf,
    keys: RwLock<Arc<Keys>>,
}

/// A file's keys.
struct Keys {
    text: Vec<u8>,
    keys: Vec<Key>,
}

struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

/// Why the keys of an issuer can't be used.
#[derive(Debug, thiserror::Error)]
pub enum IssuerError {
    /// The file can't be read.
    #[error("{}: the issuer's keys can't be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It has no keys that tokens are checked with.
    #[error(
        "{}: no PEM public key and no JWKS with keys for RS256, ES256 or EdDSA", path.display()
    )]
    NoKeys {
        /// The file.
        path: PathBuf,
    },
    /// The issuer would be the server itself.
    #[error(
        "the issuer can't have the name of the server's own tokens, {:?}",
        super::tokens::ISSUER
    )]
    OwnName,
}

/// What a token of the issuer says.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    nbf: Option<f64>,
    iat: Option<f64>,
    name: Option<String>,
    preferred_username: Option<String>,
}

/// A good token of the issuer.
pub(super) struct Issued {
    pub(super) issuer: String,
    pub(super) subject: String,
    /// What the issuer calls the subject, if it says that.
    pub(super) name: Option<String>,
    /// When it was made; long ago if it doesn't say that.
    pub(super) issued: Time,
    pub(super) expires: Time,
}

impl Issuer {
    /// An issuer with its name and the audience that its tokens must be for, as they have it in `iss` and
    /// `aud`, and a file of its public keys: PEM, or a JWKS.
    ///
    /// # Errors
    ///
    /// Fails if the file can't be read or has no keys of use.
    pub fn open(path: &Path, name: &str, audience: &str) -> Result<Issuer, IssuerError> {
        if name == super::tokens::ISSUER {
            return Err(IssuerError::OwnName);
        }
        Ok(Issuer {
            name: name.into(),
            audience: audience.into(),
            keys: RwLock::new(Arc::new(Keys::read(path)?)),
            path: path.into(),
        })
    }

    /// Reads the file again. Says whether it has changed.
    ///
    /// # Errors
    ///
    /// Fails as opening it does; then the old keys stay.
    pub fn reload(&self) -> Result<bool, IssuerError> {
        let keys = Keys::read(&self.path)?;
        if keys.text == self.keys().text {
            return Ok(false);
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        Ok(true)
    }

    fn keys(&self) -> Arc<Keys> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.clone()
    }

    /// What a token says, if it is the issuer's, for this audience, and good now.
    pub(super) fn check(&self, token: &str, now: Time) -> Result<Issued, Reason> {
        let header = decode_header(token).map_err(|_| Reason::TokenInvalid)?;
        let keys = self.keys();
        let fits = |key: &&Key| {
            let same = key.id.is_none() || header.kid.is_none() || key.id == header.kid;
            same && key.algorithm == header.alg
        };
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.name]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // By the session's time, and not by the system's.
        validation.validate_exp = false;
        let mut tried = keys.keys.iter().filter(fits);
        let claims = tried
            .find_map(|key| decode::<Claims>(token, &key.decoding, &validation).ok())
            .ok_or(Reason::TokenInvalid)?
            .claims;
        let time = |seconds: f64| Time((seconds * 1_000.0) as i64);
        let expires = Time(time(claims.exp).0.saturating_add(LEEWAY));
        if expires <= now {
            return Err(Reason::TokenExpired);
        }
        let issued = time(claims.iat.unwrap_or(0.0));
        let begin = claims.nbf.map_or(issued, |nbf| time(nbf).max(issued));
        let early = begin.0 > now.0 + LEEWAY;
        if early || claims.sub.is_empty() || claims.sub.len() > MAX_SUBJECT {
            return Err(Reason::TokenInvalid);
        }
        Ok(Issued {
            issuer: self.name.clone(),
            subject: claims.sub,
            name: claims.name.or(claims.preferred_username),
            issued,
            expires,
        })
    }
}

impl Keys {
    fn read(path: &Path) -> Result<Keys, IssuerError> {
        let error = |source| IssuerError::File {
            path: path.into(),
            source,
        };
        let size = fs::metadata(path).map_err(error)?.len();
        if size > MAX_FILE {
            return Err(error(io::ErrorKind::FileTooLarge.into()));
        }
        let text = fs::read(path).map_err(error)?;
        let keys = match serde_json::from_slice::<JwkSet>(&text) {
            Ok(set) => set.keys.iter().take(MAX_KEYS).filter_map(of_jwk).collect(),
            Err(_) => of_pem(&text).into_iter().collect::<Vec<_>>(),
        };
        match keys.is_empty() {
            true => Err(IssuerError::NoKeys { path: path.into() }),
            false => Ok(Keys { text, keys }),
        }
    }
}

/// The key of a set's entry, if tokens are checked with it.
fn of_jwk(jwk: &Jwk) -> Option<Key> {
    let algorithm = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => Algorithm::RS256,
        AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
            Algorithm::ES256
        }
        AlgorithmParameters::OctetKeyPair(curve) if curve.curve == EllipticCurve::Ed25519 => {
            Algorithm::EdDSA
        }
        _ => return None,
    };
    let common = &jwk.common;
    let other_use = common.public_key_use.as_ref();
    let other_use = other_use.is_some_and(|for_what| *for_what != PublicKeyUse::Signature);
    let named = common.key_algorithm.map(|named| named.to_string());
    let other_algorithm = named.is_some_and(|named| named != format!("{algorithm:?}"));
    if other_use || other_algorithm {
        return None;
    }
    Some(Key {
        id: common.key_id.clone(),
        algorithm,
        decoding: DecodingKey::from_jwk(jwk).ok()?,
    })
}

type Read = fn(&[u8]) -> jsonwebtoken::errors::Result<DecodingKey>;

/// The key of a PEM file.
fn of_pem(text: &[u8]) -> Option<Key> {
    let read: [Read; 3] = [
        DecodingKey::from_rsa_pem,
        DecodingKey::from_ec_pem,
        DecodingKey::from_ed_pem,
    ];
    let mut keys = ALGORITHMS.into_iter().zip(read);
    keys.find_map(|(algorithm, read)| {
        Some(Key {
            id: None,
            algorithm,
            decoding: read(text).ok()?,
        })
    })
}
