// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The header of every file: its kind and its parameters.

use std::io::{Read, Write};

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use super::kind::{FileKind, ParameterHash, FORMAT, MAGIC};
use crate::params::{
    BootstrapShape, Chain, ChainShape, Parameters, ParametersError, SecretKind, SecurityLevel,
    Shape, MOST_PARTIES,
};
use crate::ring::LOG_DEGREES;

/// The largest number of units of 5 bits in the chain of a file's parameters: the security table
/// ends at 3523 bits. Without a limit, a few bytes could cost minutes and gigabytes.
const MAX_UNITS: u32 = 720;
/// The security level of each value of the security byte.
const SECURITY: [Option<SecurityLevel>; 4] = [
    None,
    Some(SecurityLevel::Bits128),
    Some(SecurityLevel::Bits192),
    Some(SecurityLevel::Bits256),
];
/// The kind of a secret that is a sum of ternary ones, one of each party.
const SUM: u8 = 2;

/// The header of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    kind: FileKind,
    shape: Shape,
    secret: SecretKind,
    security: Option<SecurityLevel>,
    parties: u16,
    hash: ParameterHash,
}

impl Header {
    /// Returns the header of a file for these parameters.
    pub fn new(kind: FileKind, parameters: &Parameters) -> Self {
        let (shape, secret) = (parameters.shape().clone(), parameters.secret_kind());
        let (security, parties) = (parameters.security(), parameters.parties() as u16);
        let description = description(&shape, secret, security, parties);
        let hash = ParameterHash::of(&description, &parameters.chain().primes);
        Self { kind, shape, secret, security, parties, hash }
    }

    /// Returns the kind of the file.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Returns the shape that defines the parameters.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the name of the parameters.
    pub fn name(&self) -> String {
        Parameters::name_of(&self.shape, self.secret, self.security, self.parties.into())
    }

    /// Returns the security level that the parameters claim.
    pub fn security(&self) -> Option<SecurityLevel> {
        self.security
    }

    /// Returns the hash of the parameters.
    pub fn hash(&self) -> ParameterHash {
        self.hash
    }

    /// Returns the parameters, which have the security that they claim: 128 bits or more.
    ///
    /// # Errors
    /// [`FileError::Insecure`] if they claim less, [`FileError::Parameters`] if they have less or
    /// their shape is not valid.
    pub fn parameters(&self) -> Result<Parameters, FileError> {
        if self.security.is_none() {
            return Err(FileError::Insecure { name: self.name() });
        }
        self.insecure_parameters()
    }

    /// Returns the parameters, which may be insecure. Use this for tests and for your own files.
    ///
    /// # Errors
    /// As [`Self::parameters`], but parameters that claim no security are accepted.
    pub fn insecure_parameters(&self) -> Result<Parameters, FileError> {
        self.chain()?;
        let (shape, secret) = (self.shape.clone(), self.secret);
        let made = match self.security {
            Some(level) => Parameters::with_security(shape, secret, level),
            None => Parameters::insecure(shape, secret),
        };
        Ok(made?.with_parties(self.parties.into())?.named())
    }

    /// Returns the moduli of the parameters, which need very little memory.
    ///
    /// # Errors
    /// [`FileError::Parameters`] and [`FileError::Malformed`] if no such parameters exist.
    pub(super) fn chain(&self) -> Result<Chain, FileError> {
        let chain = self.shape.chain();
        let units: u32 = chain.steps.iter().sum::<u32>() + chain.base_units;
        if units > MAX_UNITS || !LOG_DEGREES.contains(&chain.log_degree) {
            let what = format!("{units} units of 5 bits with N = 2^{}", chain.log_degree);
            let at = MAGIC.len() as u64 + 3;
            return Err(FileError::Malformed { at, what: format!("no parameters have {what}") });
        }
        let chain = Chain::new(chain).map_err(ParametersError::Chain)?;
        let description = description(&self.shape, self.secret, self.security, self.parties);
        if ParameterHash::of(&description, &chain.primes) != self.hash {
            let at = (MAGIC.len() + 3 + description.len()) as u64;
            let what = "the hash of the parameters does not match".into();
            return Err(FileError::Malformed { at, what });
        }
        Ok(chain)
    }

    pub(crate) fn write<W: Write>(&self, output: &mut CheckedWriter<W>) -> Result<(), FileError> {
        output.write(&MAGIC)?;
        output.write(&FORMAT.to_le_bytes())?;
        output.write(&[self.kind as u8])?;
        output.write(&description(&self.shape, self.secret, self.security, self.parties))?;
        output.write(self.hash.as_bytes())
    }

    pub(super) fn read<R: Read>(input: &mut CheckedReader<R>) -> Result<Self, FileError> {
        if input.array("the magic number")? != MAGIC {
            return Err(FileError::Magic);
        }
        let format = u16::from_le_bytes(input.array("the format")?);
        match format {
            FORMAT => {}
            1..FORMAT => return Err(FileError::Old { got: format }),
            _ => return Err(FileError::Format { got: format }),
        }
        let [kind] = input.array("the kind")?;
        let kind = FileKind::ALL.into_iter().find(|known| *known as u8 == kind);
        let kind = kind.ok_or_else(|| input.malformed(1, "unknown kind of file"))?;
        let [log_degree, kind_of_secret, security, base_units] = input.array("the parameters")?;
        let secret = match kind_of_secret {
            0 | SUM => SecretKind::Ternary,
            1 => SecretKind::Sparse,
            _ => return Err(input.malformed(3, "unknown kind of secret")),
        };
        let Some(security) = SECURITY.get(usize::from(security)).copied() else {
            return Err(input.malformed(2, "unknown security level"));
        };
        let parties = match kind_of_secret {
            SUM => read_parties(input)?,
            _ => 1,
        };
        let digits = u16::from_le_bytes(input.array("the number of digits")?);
        let count = u16::from_le_bytes(input.array("the number of levels")?);
        if u32::from(count) > MAX_UNITS {
            return Err(input.malformed(2, format!("{count} levels, limit {MAX_UNITS}")));
        }
        let mut steps = vec![0; count.into()];
        input.fill(&mut steps, "the levels")?;
        let chain = ChainShape {
            log_degree: log_degree.into(),
            base_units: base_units.into(),
            steps: steps.into_iter().map(u32::from).collect(),
            digits: digits.into(),
        };
        let shape = read_bootstrap(input, &chain)?.map_or(Shape::from(chain), Shape::from);
        let hash = ParameterHash::of_bytes(input.array("the hash of the parameters")?);
        Ok(Self { kind, shape, secret, security, parties, hash })
    }

    /// Checks that the file is of this kind and for these parameters.
    pub(super) fn check(&self, kind: FileKind, parameters: &Parameters) -> Result<(), FileError> {
        if self.kind != kind {
            return Err(FileError::Kind { got: self.kind, wanted: kind });
        }
        let wanted = Self::new(kind, parameters);
        if *self == wanted {
            return Ok(());
        }
        if self.hash == wanted.hash {
            let what = "the hash of the parameters does not match".into();
            return Err(FileError::Malformed { at: MAGIC.len() as u64 + 3, what });
        }
        Err(FileError::OtherParameters {
            got: self.name(),
            got_hash: self.hash,
            wanted: wanted.name(),
            wanted_hash: wanted.hash,
        })
    }
}

impl Parameters {
    /// Returns the hash that identifies the parameters in files.
    pub fn hash(&self) -> ParameterHash {
        Header::new(FileKind::Parameters, self).hash
    }

    /// Writes the parameters.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Parameters, self).write(&mut output)?;
        output.finish().map(drop)
    }

    /// Reads parameters that have 128 bits of security or more.
    /// [`FileReader::header`](super::FileReader::header) returns the parameters of other files.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a file of parameters, and for insecure parameters.
    pub fn load(input: impl Read) -> Result<Self, FileError> {
        Self::header(input)?.parameters()
    }

    /// Reads parameters, which may be insecure. Use this only for tests.
    ///
    /// # Errors
    /// [`FileError`] for an input that is not a file of parameters.
    pub fn load_insecure(input: impl Read) -> Result<Self, FileError> {
        Self::header(input)?.insecure_parameters()
    }

    fn header(input: impl Read) -> Result<Header, FileError> {
        let header = Header::read(&mut CheckedReader::new(input))?;
        if header.kind != FileKind::Parameters {
            return Err(FileError::Kind { got: header.kind, wanted: FileKind::Parameters });
        }
        Ok(header)
    }
}

/// Reads the number of parties of a secret that is a sum.
fn read_parties<R: Read>(input: &mut CheckedReader<R>) -> Result<u16, FileError> {
    let parties = u16::from_le_bytes(input.array("the number of parties")?);
    match (2..=MOST_PARTIES).contains(&parties.into()) {
        true => Ok(parties),
        false => {
            let what = format!("{parties} parties, expected 2 to {MOST_PARTIES}");
            Err(input.malformed(2, what))
        }
    }
}

/// Reads the shape of the bootstraps, if the parameters have any. It must result in exactly this
/// chain.
fn read_bootstrap<R: Read>(
    input: &mut CheckedReader<R>,
    chain: &ChainShape,
) -> Result<Option<BootstrapShape>, FileError> {
    let [kind] = input.array("the mark of bootstraps")?;
    if kind == 0 {
        return Ok(None);
    }
    if kind > 1 {
        return Err(input.malformed(1, "expected a mark of bootstraps (1) or none (0)"));
    }
    let [levels, coeff_to_slot, degree, doublings, weight, range, ratio_bits, level_units, rounds] =
        input.array("the numbers of bootstraps")?;
    let shape = BootstrapShape {
        log_degree: chain.log_degree,
        levels: levels.into(),
        level_units: level_units.into(),
        rounds: rounds.into(),
        digits: chain.digits,
        coeff_to_slot: coeff_to_slot.into(),
        degree: degree.into(),
        doublings: doublings.into(),
        weight: weight.into(),
        range: range.into(),
        ratio_bits: ratio_bits.into(),
    };
    if shape.check().is_err() || shape.chain() != *chain {
        return Err(input.malformed(9, "the levels do not match the bootstraps"));
    }
    Ok(Some(shape))
}

/// Returns the bytes that describe parameters. All valid parameters have numbers that fit.
fn description(
    shape: &Shape,
    secret: SecretKind,
    security: Option<SecurityLevel>,
    parties: u16,
) -> Vec<u8> {
    let secret = match secret {
        _ if parties > 1 => SUM,
        SecretKind::Ternary => 0,
        SecretKind::Sparse => 1,
    };
    let place = SECURITY.iter().position(|level| *level == security).unwrap_or(0);
    let (security, chain) = (place as u8, shape.chain());
    let mut bytes = vec![chain.log_degree as u8, secret, security, chain.base_units as u8];
    if parties > 1 {
        bytes.extend(parties.to_le_bytes());
    }
    bytes.extend((chain.digits as u16).to_le_bytes());
    bytes.extend((chain.steps.len() as u16).to_le_bytes());
    bytes.extend(chain.steps.iter().map(|units| *units as u8));
    bytes.push(u8::from(shape.bootstrap().is_some()));
    if let Some(shape) = shape.bootstrap() {
        let sizes =
            [shape.levels, shape.coeff_to_slot, shape.degree, shape.doublings, shape.weight];
        bytes.extend(sizes.map(|size| size as u8));
        bytes.extend([shape.range as u8, shape.ratio_bits as u8]);
        bytes.extend([shape.level_units as u8, shape.rounds as u8]);
    }
    bytes
}
