//! Players whom another issuer knows: its JWTs, its keys, and what is none of them.

use std::{fs, path::Path, sync::Arc};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use mancala::grpc::{
    Issuer, IssuerError, Reason,
    proto::{
        self, GetPlayerRequest, Player, PlayerKind, RevokeTokensRequest, RevokeTokensResponse,
    },
};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};
use serde_json::{Value, json};
use tempfile::TempDir;
use tonic::Status;

use crate::support::{
    client::{Caller, solo},
    server::Server,
    status::refused,
    within,
};

const ISSUER: &str = "https://login.example.org/";
const AUDIENCE: &str = "mancala.example.org";

/// Made for these tests, and used nowhere else.
const RSA_PRIVATE: &str = include_str!("keys/rsa.pem");
const RSA_PUBLIC: &str = include_str!("keys/rsa.pub.pem");
const ED_PRIVATE: &str = include_str!("keys/ed.pem");
const ED_PUBLIC: &str = include_str!("keys/ed.pub.pem");
const OTHER_ED_PRIVATE: &str = include_str!("keys/ed_other.pem");

/// A key that an issuer signs with.
struct Key {
    algorithm: Algorithm,
    signing: EncodingKey,
    public: String,
}

fn keys() -> [Key; 3] {
    let ec = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    [
        Key {
            algorithm: Algorithm::RS256,
            signing: EncodingKey::from_rsa_pem(RSA_PRIVATE.as_bytes()).unwrap(),
            public: RSA_PUBLIC.into(),
        },
        Key {
            algorithm: Algorithm::ES256,
            signing: EncodingKey::from_ec_pem(ec.serialize_pem().as_bytes()).unwrap(),
            public: ec.public_key_pem(),
        },
        Key {
            algorithm: Algorithm::EdDSA,
            signing: EncodingKey::from_ed_pem(ED_PRIVATE.as_bytes()).unwrap(),
            public: ED_PUBLIC.into(),
        },
    ]
}

impl Key {
    fn jwk(&self, id: &str) -> Jwk {
        let mut jwk = Jwk::from_encoding_key(&self.signing, self.algorithm).unwrap();
        jwk.common.key_id = Some(id.into());
        jwk
    }

    fn sign(&self, id: Option<&str>, claims: &Value) -> String {
        let mut header = Header::new(self.algorithm);
        header.kid = id.map(str::to_owned);
        encode(&header, claims, &self.signing).unwrap()
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs().try_into().unwrap()
}

/// The claims of a good token, with some changed or, by null, left out.
fn claims(changes: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "user-17", "exp": now() + 600, "iat": now(),
    });
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

async fn server(folder: &TempDir, keys: &Path) -> (Server, Arc<Issuer>) {
    let issuer = Arc::new(Issuer::open(keys, ISSUER, AUDIENCE).unwrap());
    let of_server = issuer.clone();
    let server = Server::start_behind(folder.path(), |edge| {
        edge.identity.issuer = Some(of_server);
    });
    (server.await, issuer)
}

fn caller(server: &Server, token: String) -> Caller {
    Caller::new(server.channel(), Some(token), String::new())
}

async fn me(server: &Server, token: String) -> Result<Player, Status> {
    let caller = caller(server, token);
    let request = caller.request(GetPlayerRequest::default());
    let found = within(caller.players().get_player(request)).await?;
    Ok(found.into_inner().player.unwrap())
}

#[tokio::test]
async fn tokens_by_each_algorithm_are_taken_and_a_subject_is_one_player() {
    for key in keys() {
        for as_set in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("issuer");
            let content = match as_set {
                false => key.public.clone(),
                true => json!({"keys": [key.jwk("one")]}).to_string(),
            };
            fs::write(&file, content).unwrap();
            let (server, _) = server(&folder, &file).await;
            let named = key.sign(None, &claims(json!({"name": "Ann Example"})));
            let first = me(&server, named).await.unwrap();
            assert_eq!(first.name, "Ann Example");
            assert_eq!(first.kind, i32::from(PlayerKind::Human));
            let again = key.sign(
                as_set.then_some("one"),
                &claims(json!({"aud": ["x", AUDIENCE]})),
            );
            assert_eq!(me(&server, again.clone()).await.unwrap(), first);
            let other = key.sign(None, &claims(json!({"sub": "user-18"})));
            let other = me(&server, other).await.unwrap();
            assert_ne!(other.player_id, first.player_id);
            assert_eq!(other.name, format!("player {}", &other.player_id[..8]));
            let game = caller(&server, again).create(solo("bosh")).await.unwrap();
            let seat = game.south.unwrap().seat.unwrap();
            assert_eq!(seat, proto::seat::Seat::PlayerId(first.player_id));
        }
    }
}

#[tokio::test]
async fn what_is_no_good_token_of_the_issuer_is_refused() {
    let [rsa, ec, ed] = keys();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuer.json");
    // A secret one is none of theirs, nor is one that is for encryption.
    let mut other_use = json!(ec.jwk("for encryption"));
    other_use["use"] = "enc".into();
    let set = json!({"keys": [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "secret"}, other_use, rsa.jwk("rsa"), ed.jwk("ed"),
    ]});
    fs::write(&file, set.to_string()).unwrap();
    let (server, _) = server(&folder, &file).await;
    me(&server, ed.sign(Some("ed"), &claims(json!({}))))
        .await
        .unwrap();
    let expired = [json!({"exp": now() - 31}), json!({"exp": 0})];
    for changes in expired {
        let answer = me(&server, ed.sign(Some("ed"), &claims(changes))).await;
        refused(answer, Reason::TokenExpired);
    }
    let bad = [
        json!({"iss": "https://other.example.org/"}),
        json!({"iss": null}),
        json!({"iss": "mancala"}),
        json!({"aud": "other.example.org"}),
        json!({"aud": []}),
        json!({"aud": null}),
        json!({"exp": null}),
        json!({"exp": "soon"}),
        json!({"exp": -1e300}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": "x".repeat(256)}),
        json!({"nbf": now() + 60}),
        json!({"nbf": 1e300}),
    ];
    for changes in bad {
        eprintln!("{changes}");
        let answer = me(&server, ed.sign(Some("ed"), &claims(changes))).await;
        refused(answer, Reason::TokenInvalid);
    }
    let good = claims(json!({"name": "\u{0}"}));
    me(&server, ed.sign(None, &good)).await.unwrap();
    let [_, other_ec, mut other_ed] = keys();
    other_ed.signing = EncodingKey::from_ed_pem(OTHER_ED_PRIVATE.as_bytes()).unwrap();
    let secret = EncodingKey::from_secret(rsa.public.as_bytes()).unwrap();
    let confused = encode(&Header::new(Algorithm::HS256), &good, &secret).unwrap();
    let known = EncodingKey::from_secret(b"secret").unwrap();
    let by_secret = encode(&Header::new(Algorithm::HS256), &good, &known).unwrap();
    let signed = [
        other_ed.sign(Some("ed"), &good),
        other_ec.sign(None, &good),
        ec.sign(Some("for encryption"), &good),
        ed.sign(Some("rsa"), &good),
        ed.sign(Some("unknown"), &good),
        confused,
        by_secret,
    ];
    for token in signed {
        refused(me(&server, token).await, Reason::TokenInvalid);
    }
    // What scopes it claims are none here.
    let scoped = claims(json!({"scope": "service admin"}));
    let scoped = caller(&server, ed.sign(None, &scoped));
    let acting = Caller {
        acting_for: Some(crate::support::client::fresh_id()),
        ..scoped.clone()
    };
    refused(acting.list(Default::default()).await, Reason::MayNotActFor);
    let request = scoped.request(Default::default());
    refused(scoped.admins().list_limits(request).await, Reason::NotAdmin);
}

#[tokio::test]
async fn keys_are_changed_while_the_server_runs() {
    let [rsa, ec, ed] = keys();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuer.json");
    let write = |keys: &[Jwk]| fs::write(&file, json!({"keys": keys}).to_string()).unwrap();
    write(&[rsa.jwk("a")]);
    let (server, issuer) = server(&folder, &file).await;
    let by = |key: &Key, id| key.sign(Some(id), &claims(json!({})));
    let first = me(&server, by(&rsa, "a")).await.unwrap();
    refused(me(&server, by(&ec, "b")).await, Reason::TokenInvalid);
    write(&[rsa.jwk("a"), ec.jwk("b")]);
    assert!(issuer.reload().unwrap());
    assert_eq!(me(&server, by(&ec, "b")).await.unwrap(), first);
    assert_eq!(me(&server, by(&rsa, "a")).await.unwrap(), first);
    write(&[ec.jwk("b"), ed.jwk("c")]);
    assert!(issuer.reload().unwrap());
    refused(me(&server, by(&rsa, "a")).await, Reason::TokenInvalid);
    assert_eq!(me(&server, by(&ed, "c")).await.unwrap(), first);
    assert!(!issuer.reload().unwrap(), "nothing has changed");
    // What is no set of keys changes nothing.
    for bad in ["", "{}", "{\"keys\": []}", "no key"] {
        fs::write(&file, bad).unwrap();
        assert!(issuer.reload().is_err(), "{bad}");
        assert_eq!(me(&server, by(&ed, "c")).await.unwrap(), first);
    }
}

#[tokio::test]
async fn revoking_makes_those_bad_that_were_made_before() {
    let [_, _, ed] = keys();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuer.pem");
    fs::write(&file, &ed.public).unwrap();
    let (server, _) = server(&folder, &file).await;
    let old = ed.sign(None, &claims(json!({})));
    let undated = ed.sign(None, &claims(json!({"iat": null})));
    let first = me(&server, undated.clone()).await.unwrap();
    let alice = caller(&server, old.clone());
    let request = alice.request(RevokeTokensRequest::default());
    let revoked = within(alice.players().revoke_tokens(request))
        .await
        .unwrap();
    for bad in [old, undated] {
        refused(me(&server, bad).await, Reason::TokenRevoked);
    }
    // New ones are to be had from the issuer; its clock may be ahead by half a minute.
    assert_eq!(revoked.into_inner(), RevokeTokensResponse::default());
    let unsure = ed.sign(None, &claims(json!({"iat": now() + 29})));
    refused(me(&server, unsure).await, Reason::TokenRevoked);
    let future = ed.sign(None, &claims(json!({"iat": now() + 60})));
    refused(me(&server, future).await, Reason::TokenInvalid);
    drop(first);
}

#[test]
fn what_cannot_be_used_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuer.pem");
    let open = |name| Issuer::open(&file, name, AUDIENCE).map(|_| ());
    assert!(matches!(open(ISSUER), Err(IssuerError::File { .. })));
    fs::write(&file, "no key").unwrap();
    assert!(matches!(open(ISSUER), Err(IssuerError::NoKeys { .. })));
    fs::write(&file, RSA_PUBLIC).unwrap();
    assert!(matches!(open("mancala"), Err(IssuerError::OwnName)));
    open(ISSUER).unwrap();
}
