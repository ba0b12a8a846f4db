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

/// Parameters that client and server share: the ring, the moduli of all levels, the distribution of
/// the secret key. Immutable. Keys and ciphertexts of equal parameters can be combined.
///
/// `Parameters.preset(name)` returns one of `Parameters.presets()`; `Parameters.build` searches for
/// parameters for a number of slots, products and bits. Presets with "insecure" in their name are
/// only for tests; all others have 128 bits of security or more. Presets with "boot" have levels
/// for a bootstrap. `str` describes all parameters.
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
    /// Returns the preset with this name. Raises ValueError for an unknown name.
    #[staticmethod]
    fn preset(py: Python<'_>, name: &str) -> PyResult<Self> {
        require_backend()?;
        brief(py, || Parameters::preset(name)).map(Self::from).map_err(value_error)
    }

    /// Returns the names of the presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        Parameters::presets().collect()
    }

    /// Returns secure parameters that meet the requirements, with the smallest N and then the
    /// fewest digits.
    ///
    /// slots: the smallest number of values that a ciphertext must hold; 1 by default.
    /// depth: the multiplicative depth, with `bootstrap` between two bootstraps; 1 by default.
    /// precision: correct bits after the binary point after these products; 20 by default.
    /// bootstrap: add levels for a bootstrap, of two rounds if one is not precise enough.
    /// digits: the digits of a key switch; by default, the fewest that are secure.
    /// security: bits of security, 128 (the default), 192 or 256; with `bootstrap` 128 at most.
    ///
    /// Raises ValueError for requirements that cannot be met, with the nearest that can.
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

    /// As `build`, with this N and without any claim of security, only for tests.
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

    /// Loads parameters from a file (path) or its content (bytes); insecure ones only with
    /// `insecure`.
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

    /// Returns the content of a file of the parameters.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, |output| self.parameters.save(output))
    }

    /// Writes a file of the parameters.
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

    /// The largest number of values of a ciphertext: N/2.
    #[getter]
    fn slots(&self) -> usize {
        self.parameters.slots()
    }

    /// The level of fresh ciphertexts, the multiplicative depth.
    #[getter]
    fn levels(&self) -> usize {
        self.parameters.fresh_level()
    }

    /// log₂ of the product of all primes, those of keys included, which determines the security.
    #[getter]
    fn log_qp(&self) -> f64 {
        self.parameters.modulus_bits()
    }

    /// Bits of security; None for parameters that are only for tests.
    #[getter]
    fn security(&self) -> Option<u32> {
        self.parameters.security_bits()
    }

    /// The bound of values without a declared bound.
    #[getter]
    fn default_bound(&self) -> f64 {
        self.parameters.default_bound()
    }

    /// True if there are levels for a bootstrap.
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

    /// The size of an evaluation key in memory in bytes; a file has half the size.
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

/// Converts bits of security.
///
/// # Errors
/// As [`count`], and `ValueError` for other bits than those of a level.
fn security_level(bits: &Bound<'_, PyAny>) -> PyResult<SecurityLevel> {
    let bits = count("security", bits)?;
    let level = u32::try_from(bits).ok().and_then(SecurityLevel::from_bits);
    level.ok_or_else(|| value_error(format!("security: got {bits}, wanted 128, 192 or 256")))
}

/// Returns a builder of parameters; omitted arguments keep the builder's defaults.
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

    /// Converts a level for ciphertexts or keys; by default, the level of fresh ciphertexts.
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
