// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameter sets.

use std::path::PathBuf;

use halimede_ckks::files::ParameterHash;
use halimede_ckks::params::{ParametersBuilder, SecurityLevel};
use halimede_ckks::ring::LOG_DEGREES;
use halimede_ckks::Parameters;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::brief;
use super::files::{to_bytes, to_file, Input, Source};
use crate::device::require_backend;
use crate::errors::{count, value_error};

/// Parameters that client and server share: the ring, the moduli of all levels, the kind of secret.
/// Immutable. Keys and ciphertexts of equal parameters go together.
///
/// `Parameters.preset(name)` makes one of `Parameters.presets()`, `Parameters.build` what is good
/// for a number of slots, products and bits. Names that say "insecure" are for tests alone; all
/// others have 128 bits of security or more. Presets with "boot" have levels for a bootstrap. `str`
/// tells all there is to know.
#[pyclass(module = "halimede._native", frozen, eq, hash)]
#[derive(Clone)]
pub struct CkksParameters {
    parameters: Parameters,
    hash: ParameterHash,
}

impl PartialEq for CkksParameters {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for CkksParameters {}

impl std::hash::Hash for CkksParameters {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

impl From<Parameters> for CkksParameters {
    fn from(parameters: Parameters) -> Self {
        Self { hash: parameters.hash(), parameters }
    }
}

#[pymethods]
impl CkksParameters {
    /// The preset of this name. ValueError for an unknown name.
    #[staticmethod]
    fn preset(py: Python<'_>, name: &str) -> PyResult<Self> {
        require_backend()?;
        brief(py, || Parameters::preset(name)).map(Self::from).map_err(value_error)
    }

    /// The names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        Parameters::presets().collect()
    }

    /// The secure parameters that meet the demand, with the smallest N, then the fewest digits.
    ///
    /// slots: values that a ciphertext must hold at least; 1 by default.
    /// depth: products in sequence, with `bootstrap` between two bootstraps; 1 by default.
    /// precision: correct bits after the binary point once they are done; 20 by default.
    /// bootstrap: with levels for a bootstrap, of two rounds where one is not precise enough.
    /// digits: of a key switch; the fewest that are secure, by default.
    /// security: bits of security, 128 (the default), 192 or 256; with `bootstrap` 128 at most.
    ///
    /// ValueError for a demand that cannot be met, which tells what could be.
    #[staticmethod]
    #[pyo3(signature = (
        *, slots = None, depth = None, precision = None, bootstrap = false, digits = None,
        security = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn build(
        py: Python<'_>,
        slots: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        precision: Option<f64>,
        bootstrap: bool,
        digits: Option<&Bound<'_, PyAny>>,
        security: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        require_backend()?;
        let level = security.map(security_level).transpose()?.unwrap_or_default();
        let builder = builder(slots, depth, precision, bootstrap, digits)?.security_bits(level);
        brief(py, || builder.build()).map(Self::from).map_err(value_error)
    }

    /// `build` with this N and without any claim of security, for tests only.
    #[staticmethod]
    #[pyo3(signature = (
        degree, *, slots = None, depth = None, precision = None, bootstrap = false, digits = None
    ))]
    fn build_insecure(
        py: Python<'_>,
        degree: &Bound<'_, PyAny>,
        slots: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        precision: Option<f64>,
        bootstrap: bool,
        digits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        require_backend()?;
        let degree = count("degree", degree)?;
        let (least, most) = (1 << LOG_DEGREES.start(), 1 << LOG_DEGREES.end());
        if !degree.is_power_of_two() || !(least..=most).contains(&degree) {
            let wanted = format!("wanted a power of two from {least} to {most}");
            return Err(value_error(format!("degree: got {degree}, {wanted}")));
        }
        let builder = builder(slots, depth, precision, bootstrap, digits)?;
        let built = brief(py, || builder.build_insecure(degree.trailing_zeros()));
        built.map(Self::from).map_err(value_error)
    }

    /// Parameters from a file (a path) or its content (bytes); insecure ones only where they are
    /// asked for.
    #[staticmethod]
    #[pyo3(signature = (source, *, insecure = false))]
    fn load(py: Python<'_>, source: &Bound<'_, PyAny>, insecure: bool) -> PyResult<Self> {
        require_backend()?;
        let load = |input: Input<'_>| match insecure {
            true => Parameters::load_insecure(input),
            false => Parameters::load(input),
        };
        Source::new(source)?.load(py, load).map(Self::from)
    }

    /// The content of a file of them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.parameters.save(output))
    }

    /// Writes a file of them.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        to_file(py, &path, |output| self.parameters.save(output))
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.parameters.name()
    }

    /// The degree N of polynomials.
    #[getter]
    fn degree(&self) -> usize {
        self.parameters.degree()
    }

    /// The most values of a ciphertext: N/2.
    #[getter]
    fn slots(&self) -> usize {
        self.parameters.slots()
    }

    /// The level of fresh ciphertexts: multiplications in sequence.
    #[getter]
    fn levels(&self) -> usize {
        self.parameters.fresh_level()
    }

    /// log₂ of the product of all primes, those of keys included, which determines the security.
    #[getter]
    fn log_qp(&self) -> f64 {
        self.parameters.modulus_bits()
    }

    /// Bits of security; None for parameters that are for tests alone.
    #[getter]
    fn security(&self) -> Option<u32> {
        self.parameters.security_bits()
    }

    /// The bound of values where none is declared.
    #[getter]
    fn default_bound(&self) -> f64 {
        self.parameters.default_bound()
    }

    /// Whether there are levels for a bootstrap.
    #[getter]
    fn has_bootstrap(&self) -> bool {
        self.parameters.bootstrap().is_some()
    }

    /// log₂ of the scale of fresh ciphertexts.
    #[getter]
    fn scale_bits(&self) -> f64 {
        self.parameters.level(self.parameters.fresh_level()).scale.log2()
    }

    /// The expected number of correct bits after the binary point, of values up to 1 after a
    /// product on each level: the `precision` of `build`.
    #[getter]
    fn precision(&self) -> f64 {
        self.parameters.expected_precision().product_bits
    }

    /// The digits of a key switch.
    #[getter]
    fn digits(&self) -> usize {
        self.parameters.shape().chain().digits
    }

    /// Bytes of an evaluation key in memory; a file has half of that.
    #[getter]
    fn key_bytes(&self) -> usize {
        self.parameters.switching_key_bytes()
    }

    fn __str__(&self) -> String {
        self.parameters.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<halimede.ckks.Parameters {}>", self.parameters.name())
    }
}

/// A level of security by its bits.
///
/// # Errors
/// As [`count`], and `ValueError` for other bits than those of a level.
fn security_level(bits: &Bound<'_, PyAny>) -> PyResult<SecurityLevel> {
    let bits = count("security", bits)?;
    let level = u32::try_from(bits).ok().and_then(SecurityLevel::from_bits);
    level.ok_or_else(|| value_error(format!("security: got {bits}, wanted 128, 192 or 256")))
}

/// What builds parameters: what is not asked for is the builder's own.
///
/// # Errors
/// As [`count`].
fn builder(
    slots: Option<&Bound<'_, PyAny>>,
    depth: Option<&Bound<'_, PyAny>>,
    precision: Option<f64>,
    bootstrap: bool,
    digits: Option<&Bound<'_, PyAny>>,
) -> PyResult<ParametersBuilder> {
    let mut builder = ParametersBuilder::new().bootstrapping(bootstrap);
    if let Some(slots) = slots {
        builder = builder.slots(count("slots", slots)?);
    }
    if let Some(depth) = depth {
        builder = builder.depth(count("depth", depth)?);
    }
    if let Some(bits) = precision {
        builder = builder.precision_bits(bits);
    }
    if let Some(digits) = digits {
        builder = builder.digits(count("digits", digits)?);
    }
    Ok(builder)
}

impl CkksParameters {
    /// The parameters themselves.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Checks that `what` has the same parameters.
    ///
    /// # Errors
    /// `ValueError`, which names both.
    pub fn check(&self, what: &str, other: &Self) -> PyResult<()> {
        if self == other {
            return Ok(());
        }
        let (name, hash) = (self.parameters.name(), self.hash);
        let (got, got_hash) = (other.parameters.name(), other.hash);
        Err(value_error(format!(
            "{what} is for the parameters {got} (hash {got_hash}), and {name} (hash {hash}) are in \
            use: keys and ciphertexts go together only if all were made with the same parameters"
        )))
    }

    /// A level for fresh ciphertexts or keys: that of fresh ones where none is given.
    ///
    /// # Errors
    /// `ValueError` for a level above the highest, `TypeError` for another type.
    pub fn level(&self, level: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        let Some(level) = level else { return Ok(self.parameters.fresh_level()) };
        let (level, top) = (count("level", level)?, self.parameters.top());
        if level > top {
            let name = self.parameters.name();
            return Err(value_error(format!("level: got {level}, the highest of {name} is {top}")));
        }
        Ok(level)
    }
}
