// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several holders of one secret key: messages are bytes.

use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_ckks::files::{open_party_file, FileReader};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::parties::{Masking, Party, PartyError, Quorum, SecretMessage, Session};
use halimede_ckks::{Ciphertext, FileError, Operations, Parameters, Sharing};
use halimede_files::{Options, OutputError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::ciphertext::CkksCiphertext;
use super::files::{of_file, open_file, to_bytes, to_file, Input};
use super::load_key::load_key;
use super::parameters::CkksParameters;
use super::plan::CkksExpected;
use super::public::CkksPublicKey;
use super::{brief, long};
use crate::buffers::Buffer;
use crate::errors::value_error;

/// The agreement of the parties.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksSession {
    pub(super) session: Session,
    pub(super) parameters: CkksParameters,
}

impl From<Session> for CkksSession {
    fn from(session: Session) -> Self {
        let parameters = session.parameters().clone().into();
        Self { session, parameters }
    }
}

/// Converts the error of a session or a party to that of a file.
fn of_party(error: PartyError) -> FileError {
    match error {
        PartyError::File(error) => error,
        error => FileError::Malformed { at: 0, what: error.to_string() },
    }
}

#[pymethods]
impl CkksSession {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn new(
        py: Python<'_>,
        parameters: &Bound<'_, CkksParameters>,
        names: Vec<String>,
        threshold: Option<usize>,
        multiply: bool,
        conjugate: bool,
        rotations: Vec<i64>,
        seed: [u8; 32],
    ) -> PyResult<Self> {
        let (of, threshold) = (parameters.get().parameters(), threshold.unwrap_or(names.len()));
        let operations = Operations { multiply, conjugate, rotations, ..Operations::default() };
        let make = || Session::for_operations(of, &seed, &names, threshold, &operations);
        brief(py, make).map(Self::from).map_err(value_error)
    }

    /// Loads a session from a file (path) or its content (bytes).
    #[staticmethod]
    fn load(source: &Bound<'_, PyAny>, insecure: bool) -> PyResult<Self> {
        let read =
            |reader: FileReader<Input<'_>>, of: &Parameters| reader.session(of).map_err(of_party);
        load_key(source, None, insecure, open_file, read).map(Self::from)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.session.save(output))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        to_file(py, &path, |output| self.session.save(output))
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.session.names().to_vec()
    }

    #[getter]
    fn threshold(&self) -> usize {
        self.session.threshold()
    }

    /// The identity of the session, 32 bytes.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.session.id().as_bytes())
    }

    /// The identifier of the collective secret key.
    #[getter]
    fn key_id(&self) -> String {
        self.session.key().to_string()
    }

    /// The number of re-sharings since the first session of the key.
    #[getter]
    fn epoch(&self) -> u32 {
        self.session.epoch()
    }

    /// Returns the session after a re-sharing.
    fn reshared(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        threshold: Option<usize>,
        quorum: Option<Vec<String>>,
        seed: [u8; 32],
    ) -> PyResult<Self> {
        let (quorum, threshold) = (self.quorum(quorum)?, threshold.unwrap_or(names.len()));
        let make = || self.session.reshared(&quorum, &seed, &names, threshold);
        brief(py, make).map(Self::from).map_err(value_error)
    }
}

impl CkksSession {
    /// Returns the named parties, or all, as a quorum.
    pub(super) fn quorum(&self, names: Option<Vec<String>>) -> PyResult<Quorum> {
        let quorum = match names {
            Some(names) => self.session.quorum(&names),
            None => self.session.everyone(),
        };
        quorum.map_err(value_error)
    }

    /// Returns a ciphertext for the parameters of the session.
    pub(super) fn sealed<'c>(
        &self,
        ciphertext: &'c Bound<'_, CkksCiphertext>,
    ) -> PyResult<&'c Ciphertext> {
        ciphertext.get().of(&self.parameters)
    }
}

/// A party of a session.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksParty {
    party: Mutex<Party>,
    session: CkksSession,
    /// The process that made the party: a forked child would count and answer on its own.
    owner: u32,
}

impl From<Party> for CkksParty {
    fn from(party: Party) -> Self {
        let session = party.session().clone().into();
        Self { party: Mutex::new(party), session, owner: process::id() }
    }
}

#[pymethods]
impl CkksParty {
    #[new]
    fn new(py: Python<'_>, session: &Bound<'_, CkksSession>, name: &str) -> PyResult<Self> {
        let session = &session.get().session;
        brief(py, || Party::new(session, name)).map(Self::from).map_err(value_error)
    }

    /// Loads the state of a party; only its owner may be able to read the file.
    #[staticmethod]
    fn load(source: &Bound<'_, PyAny>, insecure: bool) -> PyResult<Self> {
        let read =
            |reader: FileReader<Input<'_>>, of: &Parameters| reader.party(of).map_err(of_party);
        load_key(source, None, insecure, open_party_file, read).map(Self::from)
    }

    /// Returns the content of a file of the state.
    fn secret_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_process()?;
        to_bytes(py, |output| self.lock().save(output))
    }

    /// Writes the state atomically to a file of mode 0600.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.check_process()?;
        let write = || {
            let options = Options { is_secret: true, ..Options::default() };
            // Unbuffered, because a buffer would not be wiped.
            let mut output =
                halimede_files::create(&path, &options).map_err(OutputError::into_io)?;
            self.lock().save(&mut output)?;
            Ok(output.complete().map_err(OutputError::into_io)?)
        };
        brief(py, write).map_err(|error| of_file(py, &path, error))
    }

    #[getter]
    fn session(&self) -> CkksSession {
        self.session.session.clone().into()
    }

    #[getter]
    fn name(&self) -> String {
        self.lock().name().to_owned()
    }

    /// The number of answers, and the smallest number that was stated.
    #[getter]
    fn answers(&self) -> (usize, Option<u32>) {
        let party = self.lock();
        (party.answers(), party.most_answers())
    }

    #[getter]
    fn missing_shares(&self) -> Vec<String> {
        self.lock().missing_shares()
    }

    /// Makes the messages for the collector, or those of the first round for products.
    fn key_messages<'py>(
        &self,
        py: Python<'py>,
        are_products: bool,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.check_process()?;
        let make = || {
            let mut party = self.lock();
            let keys = party.session().operations().keys(party.session().parameters());
            let chosen = |of: &KeyUse| (*of == KeyUse::Multiply) == are_products;
            let mut messages = Vec::new();
            if !are_products {
                messages.push(party.public_key_message()?);
            }
            for (of, level) in keys.into_iter().filter(|(of, _)| chosen(of)) {
                messages.push(party.key_message(of, level)?);
            }
            Ok::<_, PartyError>(messages)
        };
        let messages = long(py, |_| make())?.map_err(value_error)?;
        Ok(messages.iter().map(|message| PyBytes::new(py, message)).collect())
    }

    /// Receives the message of another party. May return a reply for the collector.
    fn receive<'py>(
        &self,
        py: Python<'py>,
        sender: &str,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.check_process()?;
        let message = bytes_of(message)?;
        let bytes = message.as_slice()?;
        let reply = brief(py, || self.lock().receive(sender, bytes)).map_err(value_error)?;
        Ok(reply.map(|reply| PyBytes::new(py, &reply)))
    }

    /// Makes the secret message of each other party under a threshold, with its receiver.
    fn share_messages<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        self.check_process()?;
        let messages = brief(py, || self.lock().share_messages()).map_err(value_error)?;
        let of = |message: &SecretMessage| (message.to.clone(), PyBytes::new(py, &message.bytes));
        Ok(messages.iter().map(of).collect())
    }

    /// Makes the secret message of each party of the next session, with its receiver.
    fn hand_over_messages<'py>(
        &self,
        py: Python<'py>,
        next: &Bound<'py, CkksSession>,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        self.check_process()?;
        let next = &next.get().session;
        let make = || self.lock().hand_over_messages(next);
        let messages = brief(py, make).map_err(value_error)?;
        let of = |message: &SecretMessage| (message.to.clone(), PyBytes::new(py, &message.bytes));
        Ok(messages.iter().map(of).collect())
    }

    /// Wipes the secrets of the party, which were handed over to the next session.
    fn retire(&self, py: Python<'_>, next: &Bound<'_, CkksSession>) -> PyResult<()> {
        self.check_process()?;
        let next = &next.get().session;
        brief(py, || self.lock().retire(next)).map_err(value_error)
    }

    /// Makes the party's share of a refresh.
    fn refresh_message<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, CkksCiphertext>,
        quorum: Option<Vec<String>>,
        security_bits: u32,
        values_at_most: Option<f64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_process()?;
        let (sealed, quorum) = (self.session.sealed(ciphertext)?, self.session.quorum(quorum)?);
        let masking = Masking { security_bits, values_at_most };
        let make = || self.lock().refresh_message(sealed, &masking, &quorum);
        Ok(PyBytes::new(py, &brief(py, make).map_err(value_error)?))
    }

    /// Makes the party's share of a decryption, or of a key switch to a receiver.
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, CkksCiphertext>,
        receiver: Option<&Bound<'py, CkksPublicKey>>,
        quorum: Option<Vec<String>>,
        security_bits: u32,
        queries: u32,
        error_at_least: Option<f64>,
        expected: Option<&Bound<'py, CkksExpected>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check_process()?;
        let (sealed, quorum) = (self.session.sealed(ciphertext)?, self.session.quorum(quorum)?);
        let expected = expected.map(|expected| expected.get().expected);
        let sharing = Sharing { security_bits, queries, error_at_least, expected };
        let receiver = receiver.map(|receiver| receiver.get().key());
        let make = || match receiver {
            Some(key) => self.lock().switch_message(sealed, &sharing, &quorum, key),
            None => self.lock().decryption_message(sealed, &sharing, &quorum),
        };
        Ok(PyBytes::new(py, &brief(py, make).map_err(value_error)?))
    }

    /// Returns the bits of precision that a decryption would leave.
    fn precision_for_sharing(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, CkksCiphertext>,
        security_bits: u32,
        queries: u32,
        error_at_least: Option<f64>,
        expected: Option<&Bound<'_, CkksExpected>>,
    ) -> PyResult<f64> {
        let sealed = self.session.sealed(ciphertext)?;
        let expected = expected.map(|expected| expected.get().expected);
        let sharing = Sharing { security_bits, queries, error_at_least, expected };
        brief(py, || self.lock().precision_for_sharing(sealed, &sharing)).map_err(value_error)
    }
}

impl CkksParty {
    /// Locks the party.
    fn lock(&self) -> MutexGuard<'_, Party> {
        self.party.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that this process is not a forked child.
    fn check_process(&self) -> PyResult<()> {
        if self.owner == process::id() {
            return Ok(());
        }
        Err(value_error(
            "this party was made by the process that this one was forked from, and would answer \
            a second time for the same ciphertext: make it here, or save it there and load it here",
        ))
    }
}

/// Returns the bytes of a message.
pub(super) fn bytes_of<'py>(message: &Bound<'py, PyAny>) -> PyResult<Buffer<'py>> {
    Buffer::new(|| "message".to_owned(), message)
}
