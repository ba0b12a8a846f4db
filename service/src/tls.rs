// SPDX-License-Identifier: Apache-2.0 OR MIT
//! TLS 1.2 and 1.3 (rustls): the certificate and key of a server, and the trust of a client.

use std::fmt::Display;
use std::fs::File;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halimede_files::read_to_limit;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, StreamOwned};
use tokio_rustls::TlsAcceptor;

use crate::error::{ClientError, ServeError};
use crate::owners_file;

/// The maximum number of bytes of a file of certificates.
const MOST_BYTES: u64 = 1 << 20;

/// The files for TLS of a server, both in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate of the server, followed by the certificates that signed it.
    pub certificates: PathBuf,
    /// The key of the certificate. The file must be readable only by its owner.
    pub key: PathBuf,
}

/// Returns an acceptor for the connections of a server with these files.
///
/// # Errors
/// [`ServeError::Tls`].
pub fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ServeError> {
    let chain = read_certificates(&files.certificates)
        .map_err(|reason| refused(&files.certificates, reason))?;
    let in_key = |reason: String| refused(&files.key, reason);
    let pem = owners_file::read(&files.key).map_err(in_key)?;
    let key = PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|error| in_key(format!("the file has no private key in PEM: {error}")))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|error| in_key(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let pem = read_to_limit(file, MOST_BYTES).map_err(|error| error.to_string())?;
    certificates(&pem)
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(all) if all.is_empty() => Err("the file has no certificate in PEM".into()),
        Ok(all) => Ok(all),
        Err(error) => Err(error.to_string()),
    }
}

fn refused(path: &Path, reason: impl Display) -> ServeError {
    ServeError::Tls { path: path.to_owned(), reason: reason.to_string() }
}

/// The certificates that a client trusts, and the name that the server must have.
#[derive(Clone)]
pub struct Trust {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Trust {
    /// Trusts servers with this name whose certificates are signed by one of these, in PEM.
    ///
    /// # Errors
    /// [`ClientError::Trust`] if the certificates or the name are invalid.
    pub fn new(certificates_pem: &[u8], name: &str) -> Result<Self, ClientError> {
        let name = ServerName::try_from(name.to_owned())
            .map_err(|_| ClientError::Trust(format!("{name:?} is not a valid server name")))?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates(certificates_pem).map_err(ClientError::Trust)? {
            roots.add(certificate).map_err(|error| ClientError::Trust(error.to_string()))?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| ClientError::Trust(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config: Arc::new(config), name })
    }

    /// Starts TLS on a connection.
    pub(crate) fn stream(
        &self,
        connection: TcpStream,
    ) -> std::io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let session = ClientConnection::new(Arc::clone(&self.config), self.name.clone());
        Ok(StreamOwned::new(session.map_err(std::io::Error::other)?, connection))
    }
}
