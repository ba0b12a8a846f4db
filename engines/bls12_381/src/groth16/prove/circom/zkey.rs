// SPDX-License-Identifier: Apache-2.0 OR MIT
//! snarkjs' proving keys of Groth16. Sections: 1 has the proof system; 2 the primes, the numbers of
//! variables, public inputs and points of the domain, and α, β, γ, δ; 3 the points of the public
//! inputs; 4 the entries of A and B; 5 to 9 the points of A, of B in both groups, of the auxiliary
//! variables, and of the quotient; 10 the contributions, which are not read.
//!
//! Coordinates are little-endian, in Montgomery form (R = 2³⁸⁴), constant term first; infinity is
//! all zeros. Entries are values times 2⁵¹². There is no C: its values are those of A times those
//! of B. The points of the quotient are for its values on a coset; the roots of unity are powers of
//! [`Generator::Five`].

use halimede_arith::transform::{bit_reverse, Generator};
use halimede_arith::Fr;

use super::sections::{Reader, Sections};
use super::CircomError;
use crate::groth16::prove::constraints::Entry;
use crate::groth16::prove::key::{read_points, FixedPoints, Queries, QuotientPoints};
use crate::groth16::prove::{
    Assignment, Constraints, ConstraintsError, Density, PointChecks, ProveError, ProvingKey,
    ProvingKeyError, Secrets,
};
use crate::library::{fp_of_montgomery, Curve, G1, G2, P_BYTES};
use crate::{CurvePoint, Point, PointError};

const KIND: &str = "zkey";
/// The number of the proof system Groth16.
const GROTH16: u32 = 1;

/// Bytes of an entry: the matrix, the row, the variable and the value.
const ENTRY_BYTES: usize = 4 + 4 + 4 + 32;

/// A proving key with its circuit.
#[derive(Clone, Debug)]
pub struct CircomKey {
    key: ProvingKey,
    constraints: Constraints,
}

/// The numbers of a key's header.
struct Numbers {
    variables: usize,
    inputs: usize,
    domain: usize,
}

impl CircomKey {
    /// Reads a key, testing its points on the threads of the current pool.
    ///
    /// # Errors
    /// [`CircomError`].
    pub fn read(bytes: &[u8], checks: PointChecks) -> Result<Self, CircomError> {
        let sections = Sections::read(bytes, KIND, 1)?;
        let mut system = sections.section(1)?;
        if system.number()? != GROTH16 {
            let what = "another proof system than Groth16";
            return Err(CircomError::Contents { kind: KIND, what });
        }
        system.finish()?;
        let mut header = sections.section(2)?;
        header.prime(&P_BYTES)?;
        header.scalar_prime()?;
        let numbers = Numbers {
            variables: header.number()? as usize,
            inputs: header.number()? as usize,
            domain: header.number()? as usize,
        };
        let Numbers { variables, inputs, domain } = numbers;
        let Some(auxiliary) = variables.checked_sub(inputs + 1) else {
            return Err(ConstraintsError::Inputs { inputs, variables }.into());
        };
        let (verifying, fixed) = read_verifying_key(header, sections.section(3)?, inputs)?;
        let mut h = points::<G1>(&mut sections.section(9)?, "h", domain, checks)?;
        if h.iter().any(G1::is_infinity) || !h.len().is_power_of_two() {
            return Err(ProvingKeyError::Domain { got: domain }.into());
        }
        bit_reverse(&mut h);
        let queries = Queries {
            h: QuotientPoints::Coset(h),
            l: points::<G1>(&mut sections.section(8)?, "l", auxiliary, checks)?,
            a: points::<G1>(&mut sections.section(5)?, "a", variables, checks)?,
            b_g1: points::<G1>(&mut sections.section(6)?, "b_g1", variables, checks)?,
            b_g2: points::<G2>(&mut sections.section(7)?, "b_g2", variables, checks)?,
        };
        // The lists have these numbers of points, which bounds what the entries take.
        let constraints = read_entries(sections.section(4)?, &numbers)?;
        let key = ProvingKey::of_parts(verifying, fixed, queries, Generator::Five)?;
        Ok(Self { key, constraints })
    }

    /// Returns the key.
    pub const fn key(&self) -> &ProvingKey {
        &self.key
    }

    /// Computes the values of the circuit. A wrong witness is only found when its proof is
    /// verified, because the file has no right sides of constraints; those of a `.r1cs` file have
    /// them.
    ///
    /// # Errors
    /// [`ProveError`].
    pub fn assign(&self, witness: &Secrets) -> Result<Assignment, ProveError> {
        let inputs = self.constraints.inputs() + 1;
        let auxiliary = self.constraints.variables() - inputs;
        // The lists have a point for each variable, some of them infinity.
        let all = |count| vec![true; count];
        let density =
            Density { a_aux: all(auxiliary), b_inputs: all(inputs), b_aux: all(auxiliary) };
        self.constraints.assign_with(witness, density)
    }
}

/// Reads the entries of A and B, the last rows of which are those of the inputs.
fn read_entries(mut entries: Reader<'_>, numbers: &Numbers) -> Result<Constraints, CircomError> {
    let Numbers { variables, inputs, domain } = *numbers;
    let count = entries.number()? as usize;
    if entries.len() != count.saturating_mul(ENTRY_BYTES) {
        return Err(CircomError::Truncated {
            kind: KIND,
            section: 4,
            expected: count.saturating_mul(ENTRY_BYTES) as u64,
            got: entries.len() as u64,
        });
    }
    let scale = Fr::from(2).pow(&[256]).inverse().unwrap_or_default();
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..count {
        let (matrix, row, variable) = (entries.number()?, entries.number()?, entries.number()?);
        let coefficient = entries.montgomery_scalar()? * scale;
        let Some(side) = sides.get_mut(matrix as usize) else {
            return Err(CircomError::Contents { kind: KIND, what: "an entry of neither A nor B" });
        };
        if row as usize >= domain {
            return Err(CircomError::Contents { kind: KIND, what: "a row outside the domain" });
        }
        side.push(Entry { row, variable, coefficient });
    }
    let [mut a, b] = sides;
    let last = a.iter().map(|entry| entry.row as usize + 1).max().unwrap_or(0);
    let rows = last.checked_sub(inputs + 1);
    let no_inputs = CircomError::Contents { kind: KIND, what: "no rows of the public inputs" };
    let Some(rows) = rows else { return Err(no_inputs) };
    let of_inputs: Vec<Entry> = a.extract_if(.., |entry| entry.row as usize >= rows).collect();
    let are_inputs = of_inputs.len() == inputs + 1
        && of_inputs.iter().all(|entry| {
            entry.row as usize == rows + entry.variable as usize && entry.coefficient == Fr::ONE
        });
    if !are_inputs || b.iter().any(|entry| entry.row as usize >= rows) {
        return Err(no_inputs);
    }
    Ok(Constraints::of_entries(inputs, variables, rows, [a, b])?)
}

/// Reads the points that a verifying key has, and those that only the prover needs.
fn read_verifying_key(
    mut header: Reader<'_>,
    mut terms: Reader<'_>,
    inputs: usize,
) -> Result<(Vec<u8>, FixedPoints), CircomError> {
    let mut bytes = Vec::new();
    let (alpha, beta_g1) = (one::<G1>(&mut header)?, one::<G1>(&mut header)?);
    let (beta, gamma) = (one::<G2>(&mut header)?, one::<G2>(&mut header)?);
    let (delta_g1, delta_g2) = (one::<G1>(&mut header)?, one::<G2>(&mut header)?);
    header.finish()?;
    for point in [alpha, beta_g1] {
        bytes.extend(point.to_uncompressed());
    }
    for point in [beta, gamma] {
        bytes.extend(point.to_uncompressed());
    }
    bytes.extend(delta_g1.to_uncompressed());
    bytes.extend(delta_g2.to_uncompressed());
    let count = u32::try_from(inputs + 1).unwrap_or(u32::MAX);
    bytes.extend(count.to_be_bytes());
    for _ in 0..count {
        bytes.extend(one::<G1>(&mut terms)?.to_uncompressed());
    }
    terms.finish()?;
    Ok((bytes, FixedPoints { beta_g1, delta_g1, delta_g2 }))
}

/// Reads a point of the group.
fn one<C: Curve>(reader: &mut Reader<'_>) -> Result<Point<C>, CircomError> {
    let point = decode::<C>(reader.take(C::UNCOMPRESSED_BYTES)?);
    let point = point.and_then(CurvePoint::into_group);
    let error = |error| ProvingKeyError::Point { name: "verifying key", index: 0, error };
    Ok(point.map_err(error)?)
}

/// Reads the points of a section, infinity among them.
fn points<C: Curve>(
    reader: &mut Reader<'_>,
    name: &'static str,
    count: usize,
    checks: PointChecks,
) -> Result<Vec<C::Affine>, CircomError> {
    let bytes = reader.take(count.saturating_mul(C::UNCOMPRESSED_BYTES))?;
    if reader.len() > 0 {
        return Err(CircomError::Contents { kind: KIND, what: "more points than variables" });
    }
    let encodings: Vec<&[u8]> = bytes.chunks_exact(C::UNCOMPRESSED_BYTES).collect();
    Ok(read_points::<C>(name, count, checks, |index| decode(encodings[index]))?)
}

/// Decodes a point from the Montgomery form of its coordinates.
fn decode<C: Curve>(bytes: &[u8]) -> Result<CurvePoint<C>, PointError> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(CurvePoint::default());
    }
    let mut encoding = Vec::with_capacity(C::UNCOMPRESSED_BYTES);
    for (coordinate, bytes) in bytes.chunks_exact(C::COMPRESSED_BYTES).enumerate() {
        let (elements, _) = bytes.as_chunks::<48>();
        for (number, element) in elements.iter().enumerate().rev() {
            let element = fp_of_montgomery(element)
                .ok_or(PointError::NotCanonical { element: coordinate * C::DEGREE + number })?;
            encoding.extend(element);
        }
    }
    CurvePoint::from_uncompressed(&encoding)
}
