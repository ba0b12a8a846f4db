// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several holders of one secret key: what adds up their messages.

use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_ckks::keys::PublicKey;
use halimede_ckks::parties::{Decryption, KeyCollector, KeySwitch, Refresh};
use halimede_ckks::Ciphertext;
use pyo3::prelude::*;

use super::ciphertext::CkksCiphertext;
use super::client::values_of;
use super::parameters::CkksParameters;
use super::parties::{bytes_of, CkksSession};
use super::public::CkksPublicKey;
use super::server::CkksServer;
use super::{brief, long};
use crate::errors::value_error;

/// Collects the parties' messages for keys.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksKeyCollector(Mutex<KeyCollector>);

#[pymethods]
impl CkksKeyCollector {
    #[new]
    fn new(session: &Bound<'_, CkksSession>) -> PyResult<Self> {
        let session = &session.get().session;
        let keys = KeyCollector::new(session, session.operations()).map_err(value_error)?;
        Ok(Self(Mutex::new(keys)))
    }

    fn receive(&self, py: Python<'_>, sender: &str, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = bytes_of(message)?;
        let bytes = message.as_slice()?;
        brief(py, || self.lock().receive(sender, bytes)).map_err(value_error)
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.lock().is_complete()
    }

    fn public_key(&self, py: Python<'_>) -> PyResult<CkksPublicKey> {
        brief(py, || self.lock().public_key()).map(CkksPublicKey::from).map_err(value_error)
    }

    fn evaluation_keys(&self, py: Python<'_>) -> PyResult<CkksServer> {
        let keys = long(py, |_| self.lock().evaluation_keys())?;
        keys.map(CkksServer::new).map_err(value_error)
    }
}

impl CkksKeyCollector {
    fn lock(&self) -> MutexGuard<'_, KeyCollector> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects the shares of a decryption.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksDecryption {
    decryption: Mutex<Decryption>,
    ciphertext: Ciphertext,
}

#[pymethods]
impl CkksDecryption {
    #[new]
    fn new(
        py: Python<'_>,
        session: &Bound<'_, CkksSession>,
        ciphertext: &Bound<'_, CkksCiphertext>,
        quorum: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let session = session.get();
        let (sealed, quorum) = (session.sealed(ciphertext)?, session.quorum(quorum)?);
        let decryption = brief(py, || Decryption::new(&session.session, sealed, &quorum));
        let decryption = Mutex::new(decryption.map_err(value_error)?);
        Ok(Self { decryption, ciphertext: sealed.clone() })
    }

    fn receive(&self, py: Python<'_>, sender: &str, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = bytes_of(message)?;
        let bytes = message.as_slice()?;
        brief(py, || self.lock().receive(sender, bytes)).map_err(value_error)
    }

    /// Returns the values, and the bits of precision.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, f64)> {
        let decrypted = brief(py, || self.lock().finish()).map_err(value_error)?;
        Ok((values_of(py, &self.ciphertext, &decrypted.values), decrypted.precision_bits))
    }
}

impl CkksDecryption {
    fn lock(&self) -> MutexGuard<'_, Decryption> {
        self.decryption.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects the shares of a key switch.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksKeySwitch {
    switch: Mutex<KeySwitch>,
    receiver: CkksParameters,
}

#[pymethods]
impl CkksKeySwitch {
    #[new]
    fn new(
        py: Python<'_>,
        session: &Bound<'_, CkksSession>,
        ciphertext: &Bound<'_, CkksCiphertext>,
        quorum: Option<Vec<String>>,
        receiver: &Bound<'_, CkksPublicKey>,
    ) -> PyResult<Self> {
        let session = session.get();
        let (sealed, quorum) = (session.sealed(ciphertext)?, session.quorum(quorum)?);
        let key: &PublicKey = receiver.get().key();
        let switch = brief(py, || KeySwitch::new(&session.session, sealed, &quorum, key));
        let receiver = key.parameters().clone().into();
        Ok(Self { switch: Mutex::new(switch.map_err(value_error)?), receiver })
    }

    fn receive(&self, py: Python<'_>, sender: &str, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = bytes_of(message)?;
        let bytes = message.as_slice()?;
        brief(py, || self.lock().receive(sender, bytes)).map_err(value_error)
    }

    /// Returns the ciphertext under the receiver's key.
    fn finish(&self, py: Python<'_>) -> PyResult<CkksCiphertext> {
        let switched = brief(py, || self.lock().finish()).map_err(value_error)?;
        Ok(CkksCiphertext::new(switched, &self.receiver))
    }
}

impl CkksKeySwitch {
    fn lock(&self) -> MutexGuard<'_, KeySwitch> {
        self.switch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects the shares of a refresh.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksRefresh {
    refresh: Mutex<Refresh>,
    parameters: CkksParameters,
}

#[pymethods]
impl CkksRefresh {
    #[new]
    fn new(
        py: Python<'_>,
        session: &Bound<'_, CkksSession>,
        ciphertext: &Bound<'_, CkksCiphertext>,
        quorum: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let session = session.get();
        let (sealed, quorum) = (session.sealed(ciphertext)?, session.quorum(quorum)?);
        let refresh = brief(py, || Refresh::new(&session.session, sealed, &quorum));
        let parameters = session.parameters.clone();
        Ok(Self { refresh: Mutex::new(refresh.map_err(value_error)?), parameters })
    }

    fn receive(&self, py: Python<'_>, sender: &str, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = bytes_of(message)?;
        let bytes = message.as_slice()?;
        brief(py, || self.lock().receive(sender, bytes)).map_err(value_error)
    }

    /// Returns the refreshed ciphertext.
    fn finish(&self, py: Python<'_>) -> PyResult<CkksCiphertext> {
        let refreshed = brief(py, || self.lock().finish()).map_err(value_error)?;
        Ok(CkksCiphertext::new(refreshed, &self.parameters))
    }
}

impl CkksRefresh {
    fn lock(&self) -> MutexGuard<'_, Refresh> {
        self.refresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
