// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card's memory with a job: the data that a host writes before a program runs and reads after
//! it.

use super::compiled::Compiled;
use super::error::{CardError, ProgramFault};
use super::image::{padded, take};
use super::isa::{job, Fault, TRANSFER_BYTES};
use super::memory_map::{limb_bytes, Content, MemoryMap, TABLES};
use super::tables::table;
use crate::ring::{Modulus, Program, UniformSeed};
use crate::sampling::SEED_BYTES;

/// The address of an absent region.
pub(super) const ABSENT: u64 = u64::MAX;

/// A card's memory, with a job at address 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardMemory {
    pub(super) bytes: Vec<u8>,
}

impl CardMemory {
    /// Creates the memory for a program. `of` returns the residues of an external value modulo the
    /// prime at a position, and `seed` the seed of a value that the card expands. A value with
    /// neither is absent, and the program stops when it uses the value.
    ///
    /// # Errors
    /// [`CardError`] for limbs of a wrong length.
    pub fn new<'l>(
        program: &Program,
        compiled: &Compiled,
        of: impl Fn(usize, u16) -> Option<&'l [u32]>,
        seed: impl Fn(usize) -> Option<UniformSeed>,
    ) -> Result<Self, CardError> {
        let map = &compiled.map;
        let image = compiled.image.to_bytes();
        let list = TRANSFER_BYTES + image.len();
        let mut memory = Self { bytes: vec![0; list + padded(8 * map.segments.len())] };
        memory.bytes[TRANSFER_BYTES..list].copy_from_slice(&image);
        let header = job_header(TRANSFER_BYTES as u64, list as u64, map.segments.len());
        memory.bytes[..TRANSFER_BYTES].copy_from_slice(&header);
        for (number, segment) in map.segments.iter().enumerate() {
            let content = match segment.content {
                Content::Scratch | Content::Output(_) => Some(vec![0; segment.bytes]),
                _ => region_bytes(program, compiled, segment.content, &of, &seed)?,
            };
            let address = content.map_or(ABSENT, |content| {
                let address = memory.bytes.len() as u64;
                memory.bytes.extend(&content);
                memory.bytes.resize(padded(memory.bytes.len()), 0);
                address
            });
            let at = list + 8 * number;
            memory.bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
        }
        Ok(memory)
    }

    /// Creates a memory of this number of bytes, all 0.
    pub fn zeroed(bytes: usize) -> Self {
        Self { bytes: vec![0; bytes] }
    }

    /// All bytes, from address 0 on.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads words at an address.
    pub(super) fn words(&self, address: u64, count: usize) -> Result<Vec<u32>, Fault> {
        Ok(limb_words(self.get_bytes(address, 4 * count)?))
    }

    /// Writes words at an address.
    pub(super) fn set_words(&mut self, address: u64, words: &[u32]) -> Result<(), Fault> {
        self.set_bytes(
            address,
            &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>(),
        )
    }

    /// Writes bytes at an address.
    ///
    /// # Errors
    /// [`Fault::Address`] if the range is outside the memory.
    pub fn set_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let start = usize::try_from(address).map_err(|_| Fault::Address)?;
        let end = start.checked_add(bytes.len()).ok_or(Fault::Address)?;
        self.bytes.get_mut(start..end).ok_or(Fault::Address)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Reads bytes at an address.
    ///
    /// # Errors
    /// [`Fault::Address`] if the range is outside the memory.
    pub fn get_bytes(&self, address: u64, count: usize) -> Result<&[u8], Fault> {
        let start = usize::try_from(address).map_err(|_| Fault::Address)?;
        let end = start.checked_add(count).ok_or(Fault::Address)?;
        self.bytes.get(start..end).ok_or(Fault::Address)
    }

    /// The address of a region.
    pub(super) fn segment(&self, number: usize) -> Result<u64, Fault> {
        let list = take(&self.bytes, job::SEGMENTS);
        let words = self.words(list + 8 * number as u64, 2)?;
        match u64::from(words[1]) << 32 | u64::from(words[0]) {
            ABSENT => Err(Fault::Absent),
            address => Ok(address),
        }
    }

    /// The limbs of an output, after the program ran.
    ///
    /// # Errors
    /// [`ProgramFault`] if the memory does not belong to this program.
    pub fn output(&self, compiled: &Compiled, index: usize) -> Result<Vec<Vec<u32>>, ProgramFault> {
        let degree = 1 << compiled.image.log_degree;
        let externals = compiled.map.segments.len() - compiled.outputs.len();
        let limb = |number: usize| {
            let address = self.segment(externals + index)?;
            self.words(address + (number * limb_bytes(degree, 1)) as u64, degree)
        };
        let limbs = (0..compiled.outputs[index].len()).map(limb).collect::<Result<_, _>>();
        limbs.map_err(|fault| ProgramFault { fault, at: 0 })
    }
}

/// A job's header: the addresses of its program and of the table of its `count` regions.
pub(crate) fn job_header(program: u64, regions: u64, count: usize) -> [u8; TRANSFER_BYTES] {
    let mut header = [0; TRANSFER_BYTES];
    let mut put = |(at, width): (usize, usize), number: u64| {
        header[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
    };
    put(job::PROGRAM, program);
    put(job::SEGMENTS, regions);
    put(job::COUNT, count as u64);
    header
}

/// Decodes the words of a limb.
pub(crate) fn limb_words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// Returns the content of a region that a host writes: `None` for a region that the program only
/// writes, and for a missing external value.
pub(crate) fn region_bytes<'l>(
    program: &Program,
    compiled: &Compiled,
    content: Content,
    of: &impl Fn(usize, u16) -> Option<&'l [u32]>,
    seed: &impl Fn(usize) -> Option<UniformSeed>,
) -> Result<Option<Vec<u8>>, CardError> {
    match content {
        Content::Tables => tables(program, &compiled.map, compiled.image.log_radix).map(Some),
        Content::Scratch | Content::Output(_) => Ok(None),
        Content::External(index) => limbs(program, index, of),
        Content::Seed(index) => Ok(seed(index).map(|UniformSeed { seed, index }| {
            let mut bytes = vec![0; TRANSFER_BYTES];
            bytes[..SEED_BYTES].copy_from_slice(&seed);
            bytes[SEED_BYTES..SEED_BYTES + 4].copy_from_slice(&index.to_le_bytes());
            bytes
        })),
    }
}

/// The tables of all primes.
fn tables(program: &Program, map: &MemoryMap, log_radix: u32) -> Result<Vec<u8>, CardError> {
    let mut bytes = vec![0; map.segments[TABLES].bytes];
    for (number, prime) in program.primes.iter().enumerate() {
        let modulus = Modulus::new(prime.modulus)?;
        for (is_inverse, root) in [(false, prime.root), (true, modulus.inverse(prime.root))] {
            let words = table(modulus, root, program.degree, log_radix);
            let start = map.table_offset(number, is_inverse);
            for (chunk, word) in bytes[start..].chunks_exact_mut(4).zip(words) {
                chunk.copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    Ok(bytes)
}

/// The limbs of an external value, if all are available.
fn limbs<'l>(
    program: &Program,
    index: usize,
    of: &impl Fn(usize, u16) -> Option<&'l [u32]>,
) -> Result<Option<Vec<u8>>, CardError> {
    let external = &program.externals[index];
    let stride = limb_bytes(program.degree, external.run);
    let mut bytes = Vec::new();
    for place in external.basis.places() {
        let Some(residues) = of(index, *place) else { return Ok(None) };
        if residues.len() * external.run != program.degree {
            return Err(CardError::Limb { name: external.name.clone(), place: *place });
        }
        let start = bytes.len();
        residues.iter().for_each(|residue| bytes.extend(residue.to_le_bytes()));
        bytes.resize(start + stride, 0);
    }
    Ok(Some(bytes))
}
