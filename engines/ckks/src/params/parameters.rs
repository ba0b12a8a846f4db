// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameter sets: by name, by shape within the security table, or explicitly outside it.

use std::fmt;
use std::sync::Arc;

use halimede_arith::backend::BackendError;
use halimede_arith::{Backend, EngineBackend};

use super::bootstrap::{BootstrapShape, BootstrapShapeError, UNIT_BITS};
use super::chain::{Chain, ChainError, ChainLevel, ChainShape};
use super::security::{
    check_encapsulation, most_modulus_bits, EncapsulationError, SecretKind, SecurityLevel,
};
use crate::ring::{Basis, LaneBackend, Ring, RingError, LOG_DEGREES};

/// The parameters that client and server agree on: the ring, the moduli of all levels, the kind of
/// secret.
///
/// Clones share the ring's tables.
#[derive(Clone)]
pub struct Parameters {
    name: String,
    shape: Shape,
    secret: SecretKind,
    security: Option<SecurityLevel>,
    /// The number of parties whose secrets add up to the secret key.
    parties: usize,
    chain: Arc<Chain>,
    ring: Arc<Ring>,
}

/// The shape of parameters without the kind of secret: a chain of moduli, and for bootstraps the
/// use of its levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    chain: ChainShape,
    bootstrap: Option<BootstrapShape>,
}

impl From<ChainShape> for Shape {
    fn from(chain: ChainShape) -> Self {
        Self { chain, bootstrap: None }
    }
}

impl From<BootstrapShape> for Shape {
    fn from(shape: BootstrapShape) -> Self {
        Self { chain: shape.chain(), bootstrap: Some(shape) }
    }
}

impl Shape {
    /// The chain of moduli.
    pub fn chain(&self) -> &ChainShape {
        &self.chain
    }

    /// The use of the chain by a bootstrap, if the shape has one.
    pub fn bootstrap(&self) -> Option<&BootstrapShape> {
        self.bootstrap.as_ref()
    }

    /// The digits of a key switch.
    pub fn digits(&self) -> usize {
        self.chain.digits
    }

    /// The same shape with this number of digits.
    #[must_use]
    pub fn with_digits(self, digits: usize) -> Self {
        match self.bootstrap {
            Some(shape) => BootstrapShape { digits, ..shape }.into(),
            None => ChainShape { digits, ..self.chain }.into(),
        }
    }

    /// All moduli.
    fn moduli(&self) -> Result<Chain, ParametersError> {
        self.bootstrap().map(BootstrapShape::check).transpose()?;
        Ok(Chain::new(&self.chain)?)
    }

    /// The level of fresh ciphertexts.
    pub(crate) fn fresh_level(&self) -> usize {
        self.bootstrap().map_or(self.chain.steps.len(), |shape| shape.levels)
    }
}

/// The reason why parameters cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum ParametersError {
    /// The backend that the environment requests is not available.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The modulus is too large for the ring.
    #[error(
        "a modulus of {got:.1} bits with N = 2^{log_degree} has less than {security} of \
         security, for which it may have {most}; take fewer levels, smaller keys (more digits) or \
         a larger N"
    )]
    Insecure {
        /// log₂ of the product of all primes.
        got: f64,
        most: u32,
        /// log₂ N.
        log_degree: u32,
        security: SecurityLevel,
    },
    /// The table has no entry for this ring.
    #[error(
        "{security} of security at N = 2^{log_degree} with {secret:?} secrets is not tabled: take {}",
        tabled(*secret, *security)
    )]
    NotTabled {
        /// log₂ N.
        log_degree: u32,
        secret: SecretKind,
        security: SecurityLevel,
    },
    /// The sparse secret of bootstraps is not secure.
    #[error(transparent)]
    Encapsulation(#[from] EncapsulationError),
    /// No preset has this name.
    #[error("no parameter set is named {got:?}; the names are {}", preset_names())]
    Name { got: String },
    /// The chain of moduli is invalid.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The shape of the bootstrap is invalid.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapShapeError),
    /// The secret key cannot be shared by this number of parties.
    #[error("{got} parties cannot share a secret key: use between 1 and {MOST_PARTIES}")]
    Parties { got: usize },
    /// Parties cannot share this kind of secret key.
    #[error(
        "parties cannot share the secret key of parameters {what}: use ternary secrets without \
        bootstraps"
    )]
    NotShared { what: &'static str },
    /// The ring is invalid.
    #[error(transparent)]
    Ring(#[from] RingError),
}

/// The largest number of parties that share a secret key.
pub const MOST_PARTIES: usize = 256;

/// A named parameter set.
struct Preset {
    name: &'static str,
    log_degree: u32,
    /// The number of the user's levels above the lowest, and the units of each: 8 units are 40
    /// bits.
    levels: usize,
    level_units: u32,
    digits: usize,
    /// The number of rounds of a bootstrap, if the set has levels for one.
    rounds: Option<usize>,
    is_secure: bool,
}

impl Preset {
    fn shape(&self) -> Shape {
        let (log_degree, digits) = (self.log_degree, self.digits);
        let level_units = self.level_units;
        if let Some(rounds) = self.rounds {
            let usual = BootstrapShape::new(log_degree, self.levels, digits);
            return BootstrapShape { level_units, rounds, ..usual }.into();
        }
        let steps = vec![level_units; self.levels];
        ChainShape { log_degree, base_units: BASE_UNITS, steps, digits }.into()
    }
}

/// The bound of vectors that declare none. Bootstraps take values up to 1, and
/// [`ExpectedPrecision`](super::ExpectedPrecision) assumes such values.
const DEFAULT_BOUND: f64 = 1.0;

/// Units of the lowest level: 60 bits, of which 20 are above the scale.
const BASE_UNITS: u32 = 12;

const PRESETS: [Preset; 9] = [
    preset("n10-insecure", 10, 4, 3),
    preset("n13-insecure", 13, 8, 3),
    preset("n14", 14, 5, 3),
    preset("n15", 15, 14, 4),
    preset("n16", 16, 31, 4),
    Preset { rounds: Some(1), ..preset("n10-boot-insecure", 10, 3, 4) },
    Preset { rounds: Some(1), ..preset("n16-boot", 16, 9, 4) },
    precise("n10-boot-precise-insecure", 10, 3, 4),
    precise("n16-boot-precise", 16, 6, 4),
];

/// A set with levels of 60 bits and bootstraps of two rounds.
const fn precise(name: &'static str, log_degree: u32, levels: usize, digits: usize) -> Preset {
    Preset { level_units: 12, rounds: Some(2), ..preset(name, log_degree, levels, digits) }
}

/// A set without bootstraps. It is secure from N = 2¹⁴ on.
const fn preset(name: &'static str, log_degree: u32, levels: usize, digits: usize) -> Preset {
    let is_secure = log_degree >= 14;
    Preset { name, log_degree, levels, level_units: 8, digits, rounds: None, is_secure }
}

/// Returns the tabled rings for this kind of secret and security level, as the end of an error
/// message.
fn tabled(secret: SecretKind, security: SecurityLevel) -> String {
    let is_there = |log_degree: &u32| most_modulus_bits(*log_degree, secret, security).is_some();
    let mut all = LOG_DEGREES.filter(is_there);
    match (all.next(), all.next_back()) {
        (None, _) => "ternary secrets".to_owned(),
        (Some(only), None) => format!("N = 2^{only}"),
        (Some(first), Some(last)) => format!("N from 2^{first} to 2^{last}"),
    }
}

fn preset_names() -> String {
    PRESETS.map(|preset| preset.name).join(", ")
}

/// Returns all moduli of a shape if it has this security level.
fn secure_moduli(
    shape: &Shape,
    secret: SecretKind,
    security: SecurityLevel,
) -> Result<Chain, ParametersError> {
    let log_degree = shape.chain.log_degree;
    let chain = shape.moduli()?;
    if let Some(BootstrapShape { weight, .. }) = shape.bootstrap {
        let bits = chain.encapsulated_modulus_bits();
        check_encapsulation(log_degree, weight, bits, security)?;
    }
    let most = most_modulus_bits(log_degree, secret, security);
    let most = most.ok_or(ParametersError::NotTabled { log_degree, secret, security })?;
    let got = chain.modulus_bits();
    if got > f64::from(most) {
        return Err(ParametersError::Insecure { got, most, log_degree, security });
    }
    Ok(chain)
}

impl Parameters {
    /// The names of all parameter sets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|preset| preset.name)
    }

    /// log₂ N of the set with this name.
    pub fn preset_log_degree(name: &str) -> Option<u32> {
        PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.log_degree)
    }

    /// Returns the parameter set with this name. Levels have 40 bits above a lowest one of 60 bits,
    /// or, for precise bootstraps, 60 bits above 90.
    ///
    /// # Errors
    /// [`ParametersError::Name`] for an unknown name.
    pub fn preset(name: &str) -> Result<Self, ParametersError> {
        let preset = PRESETS.iter().find(|preset| preset.name == name);
        let preset = preset.ok_or_else(|| ParametersError::Name { got: name.to_owned() })?;
        let make = if preset.is_secure { Self::new } else { Self::insecure };
        Ok(Self { name: name.to_owned(), ..make(preset.shape(), SecretKind::Ternary)? })
    }

    /// Like [`Self::preset`], with a ring [without arithmetic](Ring::dry), which takes a
    /// millisecond. For recording programs only.
    ///
    /// # Errors
    /// [`ParametersError::Name`] for an unknown name.
    pub fn dry_preset(name: &str) -> Result<Self, ParametersError> {
        let preset = PRESETS.iter().find(|preset| preset.name == name);
        let preset = preset.ok_or_else(|| ParametersError::Name { got: name.to_owned() })?;
        let (shape, name) = (preset.shape(), name.to_owned());
        let chain = Arc::new(shape.moduli()?);
        let ring = Arc::new(Ring::dry(preset.log_degree, &chain.primes)?);
        let security = preset.is_secure.then_some(SecurityLevel::Bits128);
        Ok(Self { name, shape, secret: SecretKind::Ternary, security, parties: 1, chain, ring })
    }

    /// Returns the same parameters with a ring [without arithmetic](Ring::dry), for recording
    /// programs only.
    #[must_use]
    pub fn to_dry(&self) -> Self {
        Self { ring: Arc::new(self.ring.to_dry()), ..self.clone() }
    }

    /// Returns the parameters of a shape, which must have 128 bits of security.
    ///
    /// # Errors
    /// As [`Self::with_security`].
    pub fn new(shape: impl Into<Shape>, secret: SecretKind) -> Result<Self, ParametersError> {
        Self::with_security(shape, secret, SecurityLevel::Bits128)
    }

    /// Returns the parameters of a shape, which must have this security level. The check covers the
    /// modulus and the kind of secret, and for bootstraps also the sparse secret, which has at most
    /// 128 bits of security.
    ///
    /// # Errors
    /// [`ParametersError::Insecure`], [`ParametersError::Encapsulation`] or
    /// [`ParametersError::NotTabled`] if the security is lower or unknown, and other
    /// [`ParametersError`]s if the shape is invalid.
    pub fn with_security(
        shape: impl Into<Shape>,
        secret: SecretKind,
        security: SecurityLevel,
    ) -> Result<Self, ParametersError> {
        let shape: Shape = shape.into();
        Self::of_chain(secure_moduli(&shape, secret, security)?, shape, secret, Some(security))
    }

    /// Like [`Self::with_security`], with a ring [without arithmetic](Ring::dry), for recording
    /// programs only.
    ///
    /// # Errors
    /// As [`Self::with_security`].
    pub fn dry(
        shape: impl Into<Shape>,
        secret: SecretKind,
        security: SecurityLevel,
    ) -> Result<Self, ParametersError> {
        let shape: Shape = shape.into();
        let chain = Arc::new(secure_moduli(&shape, secret, security)?);
        let ring = Arc::new(Ring::dry(shape.chain.log_degree, &chain.primes)?);
        let name = described(&shape, Some(security));
        Ok(Self { name, shape, secret, security: Some(security), parties: 1, chain, ring })
    }

    /// Returns the parameters of a shape without a check of its security. For tests only.
    ///
    /// # Errors
    /// [`ParametersError`] for an invalid shape.
    pub fn insecure(shape: impl Into<Shape>, secret: SecretKind) -> Result<Self, ParametersError> {
        let shape: Shape = shape.into();
        Self::of_chain(shape.moduli()?, shape, secret, None)
    }

    fn of_chain(
        chain: Chain,
        shape: Shape,
        secret: SecretKind,
        security: Option<SecurityLevel>,
    ) -> Result<Self, ParametersError> {
        let backend = LaneBackend::of(Backend::chosen()?);
        let ring = Ring::new(shape.chain.log_degree, &chain.primes, backend)?;
        let name = described(&shape, security);
        let (chain, ring) = (Arc::new(chain), Arc::new(ring));
        Ok(Self { name, shape, secret, security, parties: 1, chain, ring })
    }

    /// Returns the same parameters for a secret key that is a sum of `parties` ternary secrets.
    /// Errors are larger, and all estimates for these parameters include that. Keys and files of
    /// different numbers of parties do not mix.
    ///
    /// # Errors
    /// [`ParametersError::Parties`] for no parties or more than [`MOST_PARTIES`], and
    /// [`ParametersError::NotShared`] for more than one if the secret is sparse or there are
    /// levels for bootstraps.
    pub fn with_parties(&self, parties: usize) -> Result<Self, ParametersError> {
        if !(1..=MOST_PARTIES).contains(&parties) {
            return Err(ParametersError::Parties { got: parties });
        }
        if parties > 1 && self.secret == SecretKind::Sparse {
            return Err(ParametersError::NotShared { what: "with sparse secrets" });
        }
        if parties > 1 && self.bootstrap().is_some() {
            return Err(ParametersError::NotShared { what: "with bootstraps" });
        }
        let name = Self::name_of(&self.shape, self.secret, self.security, parties);
        Ok(Self { name, parties, ..self.clone() })
    }

    /// The number of parties whose secrets add up to the secret key: 1 for a secret key with one
    /// holder.
    pub fn parties(&self) -> usize {
        self.parties
    }

    /// Returns the same parameters with a ring that computes with the instructions of `backend`.
    ///
    /// # Errors
    /// None for valid parameters, but the ring is built again and has the same checks.
    pub fn with_backend(self, backend: LaneBackend) -> Result<Self, ParametersError> {
        let ring = Ring::new(self.shape.chain.log_degree, &self.chain.primes, backend)?;
        Ok(Self { ring: Arc::new(ring), ..self })
    }

    /// Returns the name of the preset that has these parameters, or else a description.
    pub(crate) fn name_of(
        shape: &Shape,
        secret: SecretKind,
        security: Option<SecurityLevel>,
        parties: usize,
    ) -> String {
        let is_this = |preset: &&Preset| {
            preset.is_secure.then_some(SecurityLevel::Bits128) == security
                && preset.shape() == *shape
        };
        let preset = PRESETS.iter().find(is_this).filter(|_| secret == SecretKind::Ternary);
        let name =
            preset.map_or_else(|| described(shape, security), |preset| preset.name.to_owned());
        match parties {
            1 => name,
            _ => format!("{name}, {parties} parties"),
        }
    }

    /// Returns the same parameters under the name of their preset, if they are one.
    pub(crate) fn named(self) -> Self {
        let name = Self::name_of(&self.shape, self.secret, self.security, self.parties);
        Self { name, ..self }
    }

    /// The primes of all levels up to `level`.
    pub(crate) fn primes_to_level(&self, level: usize) -> Basis {
        let levels = self.chain.levels[..=level].iter();
        Basis::new(levels.flat_map(|level| level.basis.places()).copied())
    }

    /// The primes of the lowest level from which a bootstrap raises the modulus: the largest ones.
    pub(crate) fn raised_basis(&self) -> Basis {
        self.chain.raised_basis()
    }

    /// The name of the preset, or else a description.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The shape of the parameters.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The use of the levels by a bootstrap, if there are levels for one.
    pub fn bootstrap(&self) -> Option<&BootstrapShape> {
        self.shape.bootstrap.as_ref()
    }

    /// The level of fresh ciphertexts: the highest level, or the output level of a bootstrap if
    /// there are levels for one, since the levels above are reserved for it.
    pub fn fresh_level(&self) -> usize {
        self.shape.fresh_level()
    }

    /// The degree N of the ring.
    pub fn degree(&self) -> usize {
        1 << self.shape.chain.log_degree
    }

    /// The number of slots of a ciphertext: N/2.
    pub fn slots(&self) -> usize {
        self.degree() / 2
    }

    /// The highest level.
    pub fn top(&self) -> usize {
        self.shape.chain.steps.len()
    }

    /// Returns the moduli and scale of a level.
    ///
    /// # Panics
    /// Panics if the level is above the highest.
    pub fn level(&self, level: usize) -> &ChainLevel {
        &self.chain.levels[level]
    }

    /// Returns `true` if `other` has the same N, primes and levels, so that vectors of both can be
    /// combined.
    pub fn is_compatible(&self, other: &Self) -> bool {
        self.degree() == other.degree() && self.chain() == other.chain()
    }

    /// All moduli.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The distribution of secrets.
    pub fn secret_kind(&self) -> SecretKind {
        self.secret
    }

    /// The bound of vectors that declare none: 1. It is public and the same for all vectors.
    pub fn default_bound(&self) -> f64 {
        DEFAULT_BOUND
    }

    /// Returns `true` if the parameters have at least 128 bits of security.
    pub fn is_secure(&self) -> bool {
        self.security.is_some()
    }

    /// The security level that the parameters were checked for, or `None` for insecure ones.
    pub fn security(&self) -> Option<SecurityLevel> {
        self.security
    }

    /// The security level in bits.
    pub fn security_bits(&self) -> Option<u32> {
        self.security.map(SecurityLevel::bits)
    }

    /// log₂ of the product of all primes.
    pub fn modulus_bits(&self) -> f64 {
        self.chain.modulus_bits()
    }

    /// The size in memory of a key for relinearization or a rotation, in bytes.
    pub fn switching_key_bytes(&self) -> usize {
        let limbs = self.chain.main.len() + self.chain.special.len();
        2 * self.chain.digits.len() * limbs * self.degree() * size_of::<u32>()
    }
}

/// Describes parameters without a name.
fn described(shape: &Shape, security: Option<SecurityLevel>) -> String {
    let levels = match &shape.bootstrap {
        Some(BootstrapShape { levels, level_units: 8, .. }) => {
            format!("{levels} levels after a bootstrap")
        }
        Some(BootstrapShape { levels, level_units, rounds, .. }) => {
            let bits = UNIT_BITS * level_units;
            let rounds = if *rounds == 1 { "" } else { " of two rounds" };
            format!("{levels} levels of {bits} bits after a bootstrap{rounds}")
        }
        None => format!("{} levels", shape.chain.steps.len()),
    };
    let above = security.filter(|level| *level > SecurityLevel::Bits128);
    let security = above.map(|level| format!(", {level} of security")).unwrap_or_default();
    format!("n{}, {levels}{security}", shape.chain.log_degree)
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let security = match self.security {
            Some(level) => format!("{level}, classical"),
            None => "INSECURE: for tests only".to_owned(),
        };
        let top = &self.chain.levels[self.fresh_level()];
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        let limbs = top.basis.len();
        let ciphertext = 2 * limbs * self.degree() * size_of::<u32>();
        writeln!(f, "parameters       {}", self.name)?;
        writeln!(f, "N, slots         2^{}, {}", self.shape.chain.log_degree, self.slots())?;
        writeln!(f, "levels           {}, scale {}", self.fresh_level(), top.scale)?;
        if let Some(BootstrapShape { rounds, .. }) = self.bootstrap() {
            let rounds = if *rounds == 1 { "" } else { ", two rounds" };
            writeln!(f, "for bootstraps   {} more{rounds}", self.top() - self.fresh_level())?;
        }
        if self.parties > 1 {
            writeln!(f, "parties          {}", self.parties)?;
        }
        writeln!(f, "precision        {}", self.expected_precision())?;
        writeln!(f, "log2 QP          {:.1}", self.modulus_bits())?;
        writeln!(f, "security         {security}, {:?} secrets", self.secret)?;
        writeln!(f, "ciphertext       {:.1} MB, {limbs} residues", megabytes(ciphertext))?;
        write!(
            f,
            "switching key    {:.1} MB, {} digits; {:.1} MB on disk",
            megabytes(self.switching_key_bytes()),
            self.chain.digits.len(),
            megabytes(self.switching_key_bytes() / 2)
        )
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameters")
            .field("name", &self.name)
            .field("shape", &self.shape)
            .field("secret", &self.secret)
            .field("security", &self.security)
            .field("parties", &self.parties)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secure_preset_is_within_the_table_and_uses_most_of_it() {
        for preset in PRESETS.iter().filter(|preset| preset.log_degree < 16) {
            let parameters = Parameters::preset(preset.name).unwrap();
            assert_eq!(parameters.is_secure(), preset.is_secure);
            assert_eq!(parameters.fresh_level(), preset.levels);
            let security = SecurityLevel::Bits128;
            let most = most_modulus_bits(preset.log_degree, SecretKind::Ternary, security).unwrap();
            let bits = parameters.modulus_bits();
            assert_eq!(bits <= f64::from(most), preset.is_secure, "{bits} of {most}");
            assert!(!preset.is_secure || bits > 0.9 * f64::from(most), "{bits} of {most}");
            let text = parameters.to_string();
            assert_eq!(text.contains("INSECURE"), !preset.is_secure, "{text}");
        }
    }

    #[test]
    fn the_moduli_of_the_largest_presets_are_within_the_table() {
        // Only the chains: a ring's tables take 60 MB.
        for preset in PRESETS.iter().filter(|preset| preset.log_degree == 16) {
            let bits = Chain::new(&preset.shape().chain).unwrap().modulus_bits();
            assert!((1650.0..=1747.0).contains(&bits), "{}: {bits}", preset.name);
        }
    }

    #[test]
    fn what_is_not_secure_must_be_asked_for_as_such() {
        let shape = ChainShape { log_degree: 13, base_units: 12, steps: vec![8; 8], digits: 3 };
        let error = Parameters::new(shape.clone(), SecretKind::Ternary).unwrap_err();
        assert!(matches!(error, ParametersError::Insecure { most: 214, log_degree: 13, .. }));
        let error = Parameters::new(shape, SecretKind::Sparse).unwrap_err();
        assert!(matches!(error, ParametersError::NotTabled { log_degree: 13, .. }), "{error}");
        let error = Parameters::preset("n99").unwrap_err();
        assert!(error.to_string().contains("n10-insecure, n13-insecure, n14"), "{error}");
    }
}
