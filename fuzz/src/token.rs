//! Tokens as the server's own are, made and checked a second time.

use std::{
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::{Algorithm, EncodingKey};
use serde::Deserialize;
use sha2::Sha256;
use uuid::Uuid;

/// What must be in a token that is accepted.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: Uuid,
    exp: f64,
}

/// A token of these parts, signed with HMAC-SHA-256.
pub fn signed(key: &[u8], header: &[u8], claims: &[u8]) -> String {
    let [header, claims] = [header, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
    let content = format!("{header}.{claims}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(hash(key, &content).finalize().into_bytes());
    format!("{content}.{signature}")
}

/// Whose token it is, if it is one that the server may accept.
pub fn owner(key: &[u8], token: &str) -> Option<Uuid> {
    let (content, signature) = token.rsplit_once('.')?;
    let (_, claims) = content.split_once('.')?;
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
    hash(key, content).verify_slice(&signature).ok()?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims: Claims = serde_json::from_slice(&claims).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    // It may have run out since it was accepted.
    let good = claims.iss == "mancala" && claims.exp >= now.as_secs_f64() - 2.0;
    good.then_some(claims.sub)
}

/// Who signs the other issuer's tokens, and for whom they must be.
pub const ISSUER: &str = "https://login.example.org/";
/// For whom the other issuer's tokens must be.
pub const AUDIENCE: &str = "mancala.example.org";

/// What must be in a token of the other issuer that is accepted.
#[derive(Deserialize)]
struct IssuedClaims {
    iss: String,
    sub: String,
    exp: f64,
}

/// A token of these parts, signed by the other issuer.
pub fn issued(header: &[u8], claims: &[u8]) -> String {
    let [header, claims] = [header, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
    let content = format!("{header}.{claims}");
    let signature = issuers_signature(&content);
    format!("{content}.{signature}")
}

/// Whose token of the other issuer it is, if it is one that the server may accept.
pub fn issued_owner(token: &str) -> Option<Uuid> {
    let (content, signature) = token.rsplit_once('.')?;
    let (_, claims) = content.split_once('.')?;
    if issuers_signature(content) != signature {
        return None;
    }
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims: IssuedClaims = serde_json::from_slice(&claims).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let good = claims.iss == ISSUER && claims.exp >= now.as_secs_f64() - 32.0;
    good.then(|| mancala::session::issued_player_id(ISSUER, &claims.sub).0)
}

/// One content has one signature.
fn issuers_signature(content: &str) -> String {
    static KEY: LazyLock<EncodingKey> = LazyLock::new(|| {
        let key = include_bytes!("../../tests/it/service/keys/ed.pem");
        EncodingKey::from_ed_pem(key).expect("it is a key")
    });
    let signed = jsonwebtoken::crypto::sign(content.as_bytes(), &KEY, Algorithm::EdDSA);
    signed.expect("the key signs")
}

fn hash(key: &[u8], content: &str) -> Hmac<Sha256> {
    let mut hash = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    hash.update(content.as_bytes());
    hash
}
