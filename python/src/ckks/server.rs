// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server: computes with evaluation keys, without the secret key.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use halimede_ckks::circuit::Input;
use halimede_ckks::evaluator::{conjugation_exponent, rotation_exponent};
use halimede_ckks::files::FileReader;
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{
    Ciphertext, CircuitError, EvaluationError, EvaluationKeys, Evaluator, Expression, Parameters,
    Plan, Server, Values,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::ciphertext::CkksCiphertext;
use super::declared::operand;
use super::errors::evaluation_error;
use super::files::{self, open_file, to_bytes, to_file};
use super::load_key::load_key;
use super::parameters::CkksParameters;
use super::power::{check_power, exponent, power};
use super::{brief, long};
use crate::errors::count;

type Operand<'b, 'py> = &'b Bound<'py, CkksCiphertext>;

/// A server: computes with evaluation keys.
#[pyclass(module = "halimede._native", frozen)]
pub struct CkksServer {
    pub(super) server: Arc<Server>,
    pub(super) parameters: CkksParameters,
}

#[pymethods]
impl CkksServer {
    #[staticmethod]
    fn load(
        source: &Bound<'_, PyAny>,
        parameters: Option<&Bound<'_, CkksParameters>>,
        insecure: bool,
    ) -> PyResult<Self> {
        let read = |reader: FileReader<files::Input<'_>>, parameters: &Parameters| {
            let mut keys = EvaluationKeys::new(parameters);
            for key in reader.keys(parameters)? {
                let (of, key) = key?;
                keys.insert(of, key);
            }
            Ok(keys)
        };
        load_key(source, parameters, insecure, open_file, read).map(Self::new)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.server.keys().save(output))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        to_file(py, &path, |output| self.server.keys().save(output))
    }

    #[getter(parameters)]
    fn parameters_of(&self) -> CkksParameters {
        self.parameters.clone()
    }

    /// Checks that a ciphertext has the same parameters and is under the secret key of the keys.
    fn check(&self, a: Operand<'_, '_>) -> PyResult<()> {
        let got = a.get().of(&self.parameters)?.owner();
        match self.server.keys().owner().filter(|ours| *ours != got) {
            Some(ours) => Err(evaluation_error(EvaluationError::Owner { got, ours })),
            None => Ok(()),
        }
    }

    /// The identifier of the secret key that the keys belong to; `None` without keys.
    #[getter]
    fn key_id(&self) -> Option<String> {
        self.server.keys().owner().map(|owner| owner.to_string())
    }

    /// The operations with keys: "multiply", "conjugate", "bootstrap", and the steps of rotations.
    #[getter]
    fn operations(&self) -> (Vec<&'static str>, Vec<i64>) {
        let parameters = self.parameters.parameters();
        let has = |of: KeyUse| self.server.keys().get(of).is_some();
        let conjugation = KeyUse::Automorphism(conjugation_exponent(parameters));
        let named = [
            ("multiply", has(KeyUse::Multiply)),
            ("conjugate", has(conjugation)),
            ("bootstrap", self.server.can_bootstrap()),
        ];
        let names = named.into_iter().filter_map(|(name, is_there)| is_there.then_some(name));
        let slots = parameters.slots() as i64;
        let has_step = |step: &i64| has(KeyUse::Automorphism(rotation_exponent(parameters, *step)));
        let steps = (1..slots).filter(has_step);
        let shortest = steps.map(|step| if step > slots / 2 { step - slots } else { step });
        (names.collect(), shortest.collect())
    }

    #[getter]
    fn can_bootstrap(&self) -> bool {
        self.server.can_bootstrap()
    }

    /// Encodes the matrices of bootstraps.
    fn prepare_bootstrap(&self, py: Python<'_>, slots: usize) -> PyResult<usize> {
        long(py, |_| self.server.prepare_bootstrap_of(slots))?.map_err(evaluation_error)
    }

    fn add(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        self.binary(py, [a.get(), b.get()], |server, a, b| server.add(a, b))
    }

    fn sub(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        self.binary(py, [a.get(), b.get()], |server, a, b| server.sub(a, b))
    }

    fn mul(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        self.binary(py, [a.get(), b.get()], |server, a, b| server.mul(a, b))
    }

    fn neg(&self, py: Python<'_>, a: Operand<'_, '_>) -> PyResult<CkksCiphertext> {
        self.unary(py, a.get(), |server, a| server.neg(a))
    }

    /// a + a plain vector or number.
    fn add_plain(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksCiphertext> {
        let values = self.operand(values, bound)?;
        self.unary(py, a.get(), |server, a| server.add_plain(a, &values))
    }

    /// a · a plain vector or number, one level lower.
    fn mul_plain(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksCiphertext> {
        let values = self.operand(values, bound)?;
        self.unary(py, a.get(), |server, a| server.mul_plain(a, &values))
    }

    /// The dot product of a and b.
    fn dot(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        b: Operand<'_, '_>,
    ) -> PyResult<CkksCiphertext> {
        let pair = [a.get(), b.get()];
        self.check_keys(pair, |[a, b]| (a * b).sum())?;
        self.binary(py, pair, |server, a, b| server.sum(&server.mul(a, b)?))
    }

    /// The dot product of a and a plain vector.
    fn dot_plain(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<CkksCiphertext> {
        let values = self.operand(values, bound)?;
        self.check_keys([a.get()], |[a]| a.sum())?;
        self.unary(py, a.get(), |server, a| server.sum(&server.mul_plain(a, &values)?))
    }

    /// a · (re + i·im) for small integers, at the same level.
    fn mul_gaussian(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        re: i64,
        im: i64,
    ) -> PyResult<CkksCiphertext> {
        self.unary(py, a.get(), |server, a| {
            let turned = |a: &Ciphertext| server.mul_integer(&server.mul_by_i(a)?, im);
            match (re, im) {
                (re, 0) => server.mul_integer(a, re),
                (0, _) => turned(a),
                (re, _) => server.add(&server.mul_integer(a, re)?, &turned(a)?),
            }
        })
    }

    /// aⁿ for n ≥ 1, ⌈log₂ n⌉ levels lower.
    fn power(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        by: &Bound<'_, PyAny>,
    ) -> PyResult<CkksCiphertext> {
        let exponent = exponent(by)?;
        check_power(&self.server, a.get().of(&self.parameters)?, exponent)?;
        self.lengthy(py, a.get(), |server, a| power(server, a, exponent))
    }

    fn rotate(&self, py: Python<'_>, a: Operand<'_, '_>, steps: i64) -> PyResult<CkksCiphertext> {
        self.check_keys([a.get()], |[a]| a.rotate(steps))?;
        self.unary(py, a.get(), |server, a| server.rotate(a, steps))
    }

    /// Rotates by each number of steps. The digit decomposition is computed once (hoisting).
    fn rotate_many(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        steps: Vec<i64>,
    ) -> PyResult<Vec<CkksCiphertext>> {
        self.check_keys([a.get()], |[a]| {
            steps.iter().fold(a.clone(), |sum, by| sum + a.rotate(*by))
        })?;
        let a = a.get().of(&self.parameters)?;
        let images = brief(py, || self.server.rotate_many(a, &steps)).map_err(evaluation_error)?;
        Ok(images.into_iter().map(|image| CkksCiphertext::new(image, &self.parameters)).collect())
    }

    fn conjugate(&self, py: Python<'_>, a: Operand<'_, '_>) -> PyResult<CkksCiphertext> {
        self.unary(py, a.get(), |server, a| server.conjugate(a))
    }

    /// The sum of all values, in each place.
    fn sum(&self, py: Python<'_>, a: Operand<'_, '_>) -> PyResult<CkksCiphertext> {
        self.check_keys([a.get()], |[a]| a.sum())?;
        self.unary(py, a.get(), |server, a| server.sum(a))
    }

    /// The mean of all values, in each place, one level lower.
    fn mean(&self, py: Python<'_>, a: Operand<'_, '_>) -> PyResult<CkksCiphertext> {
        self.check_keys([a.get()], |[a]| a.mean())?;
        self.unary(py, a.get(), |server, a| server.mean(a))
    }

    /// The values from place `from_` to before place `to`.
    fn slice(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        from_: usize,
        to: usize,
    ) -> PyResult<CkksCiphertext> {
        self.check_keys([a.get()], |[a]| a.slice(from_, to))?;
        self.unary(py, a.get(), |server, a| server.slice(a, from_, to))
    }

    /// The sum of `terms` consecutive batches; with `copies`, instead `terms` copies of the first
    /// batch.
    fn inner_sum(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        terms: &Bound<'_, PyAny>,
        batch: &Bound<'_, PyAny>,
        copies: bool,
    ) -> PyResult<CkksCiphertext> {
        let (terms, batch) = (count("count", terms)?, count("batch", batch)?);
        self.check_keys([a.get()], |[a]| match copies {
            true => a.replicate(terms, batch),
            false => a.inner_sum(terms, batch),
        })?;
        let of = if copies { Evaluator::replicate } else { Evaluator::inner_sum };
        self.unary(py, a.get(), |server, a| of(server, a, terms, batch))
    }

    fn at_level(
        &self,
        py: Python<'_>,
        a: Operand<'_, '_>,
        level: &Bound<'_, PyAny>,
    ) -> PyResult<CkksCiphertext> {
        let level = count("level", level)?;
        self.unary(py, a.get(), |server, a| server.at_level(a, level))
    }

    fn bootstrap(&self, py: Python<'_>, a: Operand<'_, '_>) -> PyResult<CkksCiphertext> {
        self.lengthy(py, a.get(), |server, a| server.bootstrap(a))
    }
}

impl CkksServer {
    /// Creates a server with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        let parameters = keys.parameters().clone().into();
        Self { server: Arc::new(Server::new(keys)), parameters }
    }

    /// The server itself.
    pub fn shared(&self) -> &Arc<Server> {
        &self.server
    }

    /// Converts the plain operand of an operation with an encrypted operand.
    ///
    /// # Errors
    /// As [`operand`].
    pub fn operand(
        &self,
        values: &Bound<'_, PyAny>,
        bound: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Values<'static>> {
        operand("operand", values, bound, self.parameters.parameters().default_bound())
    }

    /// Checks before work begins that all keys of an expression without bootstraps are present. The
    /// operation itself reports other errors.
    ///
    /// # Errors
    /// `ValueError` with the names of all missing keys.
    pub fn check_keys<const COUNT: usize>(
        &self,
        operands: [&CkksCiphertext; COUNT],
        of: impl FnOnce([Expression; COUNT]) -> Expression,
    ) -> PyResult<()> {
        let name = |place: usize| format!("operand {place}");
        let mut inputs = BTreeMap::new();
        for (place, operand) in operands.iter().enumerate() {
            inputs.insert(name(place), Input::from(operand.of(&self.parameters)?));
        }
        let expression = of(std::array::from_fn(|place| Expression::input(name(place))));
        match Plan::new(&expression, self.parameters.parameters(), &inputs) {
            Ok(plan) if plan.bootstraps() == 0 => {
                self.server.check_plan(&plan).map_err(evaluation_error)
            }
            _ => Ok(()),
        }
    }

    /// Runs a short operation on a ciphertext.
    ///
    /// # Errors
    /// `ValueError` for a ciphertext of other parameters and if the operation fails.
    pub fn unary<E: Into<CircuitError> + Send>(
        &self,
        py: Python<'_>,
        a: &CkksCiphertext,
        of: impl FnOnce(&Server, &Ciphertext) -> Result<Ciphertext, E> + Send,
    ) -> PyResult<CkksCiphertext> {
        let a = a.of(&self.parameters)?;
        self.sealed(brief(py, || of(&self.server, a)))
    }

    /// Runs a short operation on two ciphertexts.
    ///
    /// # Errors
    /// As [`Self::unary`].
    pub fn binary<E: Into<CircuitError> + Send>(
        &self,
        py: Python<'_>,
        [a, b]: [&CkksCiphertext; 2],
        of: impl FnOnce(&Server, &Ciphertext, &Ciphertext) -> Result<Ciphertext, E> + Send,
    ) -> PyResult<CkksCiphertext> {
        let b = b.of(&self.parameters)?;
        self.unary(py, a, |server, a| of(server, a, b))
    }

    /// Runs a long operation on a ciphertext; signal handlers run meanwhile.
    ///
    /// # Errors
    /// As [`Self::unary`], and the exception of a signal handler.
    pub fn lengthy<E: Into<CircuitError> + Send>(
        &self,
        py: Python<'_>,
        a: &CkksCiphertext,
        of: impl FnOnce(&Server, &Ciphertext) -> Result<Ciphertext, E> + Send,
    ) -> PyResult<CkksCiphertext> {
        let a = a.of(&self.parameters)?;
        self.sealed(long(py, |_| of(&self.server, a))?)
    }

    fn sealed<E: Into<CircuitError>>(
        &self,
        result: Result<Ciphertext, E>,
    ) -> PyResult<CkksCiphertext> {
        Ok(CkksCiphertext::new(result.map_err(evaluation_error)?, &self.parameters))
    }
}
