// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files and streams of parameters, keys and ciphertexts.
//!
//! All numbers are little-endian. A file is a header followed by the content of its kind:
//!
//! | header | bytes |
//! |---|---|
//! | 0x89 `CKKS` CR LF 0x1a: detects transfers as text | 8 |
//! | format, 5 | 2 |
//! | [`FileKind`] | 1 |
//! | log₂ N; kind of secret, 0 ternary, 1 sparse, 2 a sum of ternary ones; claimed security, 0 none, 1, 2, 3 for 128, 192, 256 bits | 3 |
//! | units of the lowest level; for a sum the number of parties, 2; digits; steps, and the units of each | 1, 0 or 2, 2, 2, 1 a step |
//! | 0; or 1 and the shape of bootstraps: levels, matrices of CoeffToSlot, degree, doublings, weight, range, log₂ of modulus over scale, units of a level, rounds | 1 or 10 |
//! | [`ParameterHash`] | 32 |
//!
//! A file of parameters is only a header. The interface of a network follows its header with the
//! number of bytes, 4, the bytes, which its own module describes, and their BLAKE3 hash. Sessions
//! and parties are described in `parties`. All other files follow the header with the 16 bytes of
//! the secret key's identifier and with records. Each record ends with the BLAKE3 hash of all
//! content of the file up to there:
//!
//! | record | content |
//! |---|---|
//! | secret key | N coefficients of two bits: 0, 1, and 2 for −1 |
//! | public key | the seed of a, 32 bytes; b |
//! | ciphertext | level, 2; values, 4; scale, 8, 8, 4; estimated error, and that for all values, 8, 8; 1 and an interval where values are declared real, or 0, 0 and their largest absolute value, 1, 8, 8; 2 where c₁ is a seed, 1 for seeds of earlier versions, otherwise 0; c₀; c₁ or its seed |
//! | evaluation key | 1 for products, 2 for an automorphism, 5 for one of matrices at level 1, 3 and 4 for bootstraps, to and from the sparse secret; its exponent, 4; level, 2; the seed of all aᵢ, 32; bᵢ for each digit that has primes at the level |
//! | end of evaluation keys | 0, 1 |
//! | checkpoint | hash of the run, 32; steps that are done and all steps, 4, 4; the number of values, 4; 1 and the seed of bootstraps' angles, or 33 zeros; for each value: its step, 4; its metadata; both polynomials |
//!
//! Evaluation keys are read and written one by one. A polynomial is its limbs in the order of its
//! basis, each residue with the bit length of its prime: 30 for main primes, 25 or 26 for terminal
//! ones. Compared with words of 32 bits this saves 9 % (`n15`, five terminal primes among 23), 0.36
//! bytes per residue, and costs 1.5 ns per residue on one thread, writing and reading together
//! (expanding the other halves from seeds costs 3.3 ns). It pays off below 0.5 GB/s per thread, so
//! on networks and most disks.
//!
//! Only the two polynomials of a file depend on values: bounds are as declared. A checkpoint is
//! valid only for the version of the library that wrote it: another version has another hash of the
//! run and rejects the file. Each value of a checkpoint has the identifier of its key.
//!
//! Input is not trusted: every number is checked, and memory is allocated only for bytes already
//! read (twice their size if a seed expands to a polynomial) and one limb.

mod checked;
mod ciphertext;
mod content;
mod error;
mod footprint;
mod header;
mod keys;
mod kind;
mod packing;
mod public;
mod reader;
mod secret;
#[cfg(not(target_family = "wasm"))]
mod secret_file;
mod whole;

pub(crate) use checked::{CheckedReader, CheckedWriter};
pub use content::write_content;
pub use error::FileError;
pub use footprint::Footprint;
pub use header::Header;
pub use keys::{KeyReader, KeyWriter};
pub use kind::{FileKind, ParameterHash, FORMAT};
pub(crate) use packing::{
    packed_bytes_of, read_polynomial, read_secret_polynomial, slice_polynomial, write_polynomial,
};
pub use reader::{expect_end, FileReader};
pub(crate) use secret::{read_secret_coefficients, secret_coefficient_bytes};
#[cfg(not(target_family = "wasm"))]
pub use secret_file::{open_party_file, open_secret_file};
pub(crate) use whole::{read_count, read_whole, write_whole};
