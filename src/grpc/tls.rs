//! TLS: a certificate and its key from files, read again when they change.

use std::{
    convert::Infallible,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use tokio_rustls::{
    TlsAcceptor, TlsConnector,
    rustls::{
        CertificateError, ClientConfig, DigitallySignedStruct, Error, ServerConfig,
        SignatureScheme,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::{
            CryptoProvider, ring, verify_tls12_signature as verify_12,
            verify_tls13_signature as verify_13,
        },
        pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
        sign::{CertifiedKey, SingleCertAndKey},
    },
};

use super::{key_file::exposed, reload};

/// What is spoken over TLS: gRPC, and gRPC-Web from clients that know no better.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A certificate and its key, the newest good ones of their files.
#[derive(Clone)]
pub struct Tls {
    files: Arc<Files>,
}

struct Files {
    cert: PathBuf,
    key: PathBuf,
    used: RwLock<Used>,
}

/// What new connections get, and the files' contents that it was made of.
struct Used {
    config: Arc<ServerConfig>,
    contents: [Vec<u8>; 2],
}

/// Why a certificate and a key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file can't be read.
    #[error("{}: can't be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others than the owner may read the key.
    #[error(
        "{}: the TLS key may be read by others: chmod 600 it; of a mounted secret whose mode a group \
         shares, as with fsGroup, let an init container copy it to a file of the server's user",
        path.display()
    )]
    Exposed {
        /// The key's file.
        path: PathBuf,
    },
    /// A file isn't what it should be.
    #[error("{}: there is no {what} in PEM, or it is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What should be in it.
        what: &'static str,
    },
    /// Certificate and key are not of one pair.
    #[error("{}: the key is not that of the certificate in {}", key.display(), cert.display())]
    Unfitting {
        /// The certificate's file.
        cert: PathBuf,
        /// The key's file.
        key: PathBuf,
    },
    /// TLS can't be spoken with them.
    #[error("TLS can't be set up")]
    Setup(#[from] Error),
}

impl Tls {
    /// Reads a chain of certificates, the server's own first, and its key.
    ///
    /// # Errors
    ///
    /// Fails if a file is missing or damaged, if others than its owner may read the key, or if the two
    /// don't fit.
    pub fn open(cert: &Path, key: &Path) -> Result<Tls, TlsError> {
        let contents = read_both(cert, key)?;
        let config = configure(cert, key, &contents)?;
        Ok(Tls {
            files: Arc::new(Files {
                cert: cert.to_owned(),
                key: key.to_owned(),
                used: RwLock::new(Used { config, contents }),
            }),
        })
    }

    /// Reads the files again. Says whether they have changed, and then new connections get what they
    /// hold now.
    ///
    /// Contents are compared and not times: mounted secrets change by a link that points elsewhere.
    ///
    /// # Errors
    ///
    /// Fails as opening them does; then all stays as it was.
    pub fn reload(&self) -> Result<bool, TlsError> {
        let Files { cert, key, used } = &*self.files;
        let contents = read_both(cert, key)?;
        if used.read().unwrap_or_else(PoisonError::into_inner).contents == contents {
            return Ok(false);
        }
        let config = configure(cert, key, &contents)?;
        *used.write().unwrap_or_else(PoisonError::into_inner) = Used { config, contents };
        Ok(true)
    }

    /// Reloads the files whenever they change.
    pub(super) async fn follow(&self) -> Infallible {
        let tls = self.clone();
        reload::for_ever("TLS certificate", move || tls.reload()).await
    }

    /// Shakes hands by what the files held last.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let used = self.files.used.read();
        let used = used.unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(used.config.clone())
    }
}

fn read_both(cert: &Path, key: &Path) -> Result<[Vec<u8>; 2], TlsError> {
    let contents = [read(cert)?, read(key)?];
    let may_be_read = exposed(key).map_err(|source| TlsError::File {
        path: key.to_owned(),
        source,
    })?;
    match may_be_read {
        true => Err(TlsError::Exposed {
            path: key.to_owned(),
        }),
        false => Ok(contents),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::File {
        path: path.to_owned(),
        source,
    })
}

fn configure(
    cert: &Path,
    key: &Path,
    [chain, secret]: &[Vec<u8>; 2],
) -> Result<Arc<ServerConfig>, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let chain = parse_chain(cert, chain)?;
    let bad_key = || TlsError::Damaged {
        path: key.to_owned(),
        what: "private key",
    };
    let secret = PrivateKeyDer::from_pem_slice(secret).map_err(|_| bad_key())?;
    let secret = provider.key_provider.load_private_key(secret);
    let pair = CertifiedKey::new(chain, secret.map_err(|_| bad_key())?);
    pair.keys_match().map_err(|error| match error {
        Error::InconsistentKeys(_) => TlsError::Unfitting {
            cert: cert.to_owned(),
            key: key.to_owned(),
        },
        _ => bad_cert(cert),
    })?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    config.alpn_protocols = PROTOCOLS.map(Into::into).into();
    Ok(Arc::new(config))
}

fn parse_chain(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| bad_cert(path))
}

fn bad_cert(path: &Path) -> TlsError {
    TlsError::Damaged {
        path: path.to_owned(),
        what: "certificate",
    }
}

/// Shakes hands, as a client, with the one server that has the certificate in a file, by whatever name
/// it is called: for probes from the same machine.
///
/// # Errors
///
/// Fails if the file is missing or damaged.
pub fn connector(cert: &Path) -> Result<TlsConnector, TlsError> {
    let chain = parse_chain(cert, &read(cert)?)?;
    let provider = Arc::new(ring::default_provider());
    let only = Only {
        expected: chain.into_iter().next().ok_or_else(|| bad_cert(cert))?,
        provider: provider.clone(),
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(only))
        .with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOLS[0].into()];
    Ok(Arc::new(config).into())
}

/// Trusts one certificate and no other.
#[derive(Debug)]
struct Only {
    expected: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Only {
    fn verify_server_cert(
        &self,
        found: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match *found == self.expected {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_12(message, cert, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_13(message, cert, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
