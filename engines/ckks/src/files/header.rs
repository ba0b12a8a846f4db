// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What every file begins with: what it is, and for which parameters.

use std::io::{Read, Write};

use super::checked::{CheckedReader, CheckedWriter};
use super::error::FileError;
use super::kind::{FileKind, ParameterHash, FORMAT, MAGIC};
use crate::params::{
    BootstrapShape, Chain, ChainShape, Parameters, ParametersError, SecretKind, SecurityLevel,
    Shape,
};
use crate::ring::LOG_DEGREES;

/// The most units of 5 bits that the chain of a file's parameters may have: the security table ends
/// with 3523 bits. Without a limit a few bytes would take minutes and gigabytes.
const MAX_UNITS: u32 = 720;
/// What a byte says of security.
const SECURITY: [Option<SecurityLevel>; 4] = [
    None,
    Some(SecurityLevel::Bits128),
    Some(SecurityLevel::Bits192),
    Some(SecurityLevel::Bits256),
];
/// The first part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    kind: FileKind,
    shape: Shape,
    secret: SecretKind,
    security: Option<SecurityLevel>,
    hash: ParameterHash,
}

impl Header {
    /// The header of a file for these parameters.
    pub fn new(kind: FileKind, parameters: &Parameters) -> Self {
        let (shape, secret) = (parameters.shape().clone(), parameters.secret_kind());
        let security = parameters.security();
        let description = description(&shape, secret, security);
        let hash = ParameterHash::of(&description, &parameters.chain().primes);
        Self { kind, shape, secret, security, hash }
    }

    /// What the file holds.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// What the parameters are made from.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What they are called.
    pub fn name(&self) -> String {
        Parameters::name_of(&self.shape, self.secret, self.security)
    }

    /// The level of security that they claim.
    pub fn security(&self) -> Option<SecurityLevel> {
        self.security
    }

    /// Their hash.
    pub fn hash(&self) -> ParameterHash {
        self.hash
    }

    /// The parameters, which have the security that they claim: 128 bits or more.
    ///
    /// # Errors
    /// [`FileError::Insecure`] where they claim less, [`FileError::Parameters`] where they have
    /// less, and for what is no shape.
    pub fn parameters(&self) -> Result<Parameters, FileError> {
        if self.security.is_none() {
            return Err(FileError::Insecure { name: self.name() });
        }
        self.insecure_parameters()
    }

    /// The parameters, which may be insecure: for tests, and for one's own files.
    ///
    /// # Errors
    /// As [`Self::parameters`], but for those that claim no security.
    pub fn insecure_parameters(&self) -> Result<Parameters, FileError> {
        self.chain()?;
        let (shape, secret) = (self.shape.clone(), self.secret);
        let made = match self.security {
            Some(level) => Parameters::with_security(shape, secret, level),
            None => Parameters::insecure(shape, secret),
        };
        Ok(made?.named())
    }

    /// The moduli of the parameters, which take no memory to speak of.
    ///
    /// # Errors
    /// [`FileError::Parameters`] and [`FileError::Malformed`] where there are no such parameters.
    pub(super) fn chain(&self) -> Result<Chain, FileError> {
        let chain = self.shape.chain();
        let units: u32 = chain.steps.iter().sum::<u32>() + chain.base_units;
        if units > MAX_UNITS || !LOG_DEGREES.contains(&chain.log_degree) {
            let what = format!("{units} units of 5 bits with N = 2^{}", chain.log_degree);
            let at = MAGIC.len() as u64 + 3;
            return Err(FileError::Malformed { at, what: format!("no parameters have {what}") });
        }
        let chain = Chain::new(chain).map_err(ParametersError::Chain)?;
        let description = description(&self.shape, self.secret, self.security);
        if ParameterHash::of(&description, &chain.primes) != self.hash {
            let at = (MAGIC.len() + 3 + description.len()) as u64;
            let what = "the parameters have another hash".into();
            return Err(FileError::Malformed { at, what });
        }
        Ok(chain)
    }

    pub(crate) fn write<W: Write>(&self, output: &mut CheckedWriter<W>) -> Result<(), FileError> {
        output.write(&MAGIC)?;
        output.write(&FORMAT.to_le_bytes())?;
        output.write(&[self.kind as u8])?;
        output.write(&description(&self.shape, self.secret, self.security))?;
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
        let kind = kind.ok_or_else(|| input.malformed(1, "no file is of this kind"))?;
        let [log_degree, secret, security, base_units] = input.array("the parameters")?;
        let secret = match secret {
            0 => SecretKind::Ternary,
            1 => SecretKind::Sparse,
            _ => return Err(input.malformed(3, "no secret is of this kind")),
        };
        let Some(security) = SECURITY.get(usize::from(security)).copied() else {
            return Err(input.malformed(2, "security is claimed of no level that is known"));
        };
        let digits = u16::from_le_bytes(input.array("the number of digits")?);
        let count = u16::from_le_bytes(input.array("the number of levels")?);
        if u32::from(count) > MAX_UNITS {
            return Err(input.malformed(2, format!("{count} levels are too many")));
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
        Ok(Self { kind, shape, secret, security, hash })
    }

    /// That the file holds what is wanted, for these parameters.
    pub(super) fn check(&self, kind: FileKind, parameters: &Parameters) -> Result<(), FileError> {
        if self.kind != kind {
            return Err(FileError::Kind { got: self.kind, wanted: kind });
        }
        let wanted = Self::new(kind, parameters);
        if *self == wanted {
            return Ok(());
        }
        if self.hash == wanted.hash {
            let what = "the hash is not that of the parameters".into();
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
    /// What tells them from others in files.
    pub fn hash(&self) -> ParameterHash {
        Header::new(FileKind::Parameters, self).hash
    }

    /// Writes them.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn save(&self, output: impl Write) -> Result<(), FileError> {
        let mut output = CheckedWriter::new(output);
        Header::new(FileKind::Parameters, self).write(&mut output)?;
        output.finish().map(drop)
    }

    /// Reads parameters that have 128 bits of security or more. Those of other files are had by
    /// [`FileReader::header`](super::FileReader::header).
    ///
    /// # Errors
    /// [`FileError`] for what is no file of parameters, and for insecure ones.
    pub fn load(input: impl Read) -> Result<Self, FileError> {
        Self::header(input)?.parameters()
    }

    /// Reads parameters, which may be insecure: for tests, and for nothing else.
    ///
    /// # Errors
    /// [`FileError`] for what is no file of parameters.
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

/// How a bootstrap uses the levels, if one does: it must need just this chain.
fn read_bootstrap<R: Read>(
    input: &mut CheckedReader<R>,
    chain: &ChainShape,
) -> Result<Option<BootstrapShape>, FileError> {
    let [kind] = input.array("whether there are bootstraps")?;
    if kind == 0 {
        return Ok(None);
    }
    if kind > 1 {
        return Err(input.malformed(1, "bootstraps are neither there nor not"));
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
        return Err(input.malformed(9, "the levels are not those of such bootstraps"));
    }
    Ok(Some(shape))
}

/// The bytes that stand for parameters. Each number fits, for else there would be no such
/// parameters.
fn description(shape: &Shape, secret: SecretKind, security: Option<SecurityLevel>) -> Vec<u8> {
    let secret = match secret {
        SecretKind::Ternary => 0,
        SecretKind::Sparse => 1,
    };
    let place = SECURITY.iter().position(|level| *level == security).unwrap_or(0);
    let (security, chain) = (place as u8, shape.chain());
    let mut bytes = vec![chain.log_degree as u8, secret, security, chain.base_units as u8];
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
