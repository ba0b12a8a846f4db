// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What was done to polynomials, in order: what a device's compiler starts from, and what the cost
//! of an operation is counted by.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// One operation of the ring. Each stands for work on whole limbs of N residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Coefficients to values.
    Forward,
    /// Values to coefficients.
    Inverse,
    /// Sums, differences and negatives, place by place.
    Add,
    /// Products place by place, with or without a sum.
    Multiply,
    /// Products with a number a limb.
    Scale,
    /// A conversion to other moduli: `sources` products for each residue that comes out.
    Convert {
        /// The moduli that are converted from.
        sources: u16,
    },
    /// An automorphism of values.
    Permute,
    /// Sums of products with limbs of a key, which are read for it.
    KeyProduct {
        /// The products of each sum.
        terms: u16,
    },
}

/// An operation that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub operation: Operation,
    /// How many limbs came out.
    pub limbs: usize,
    /// The names of the polynomials that went in.
    pub inputs: Vec<u64>,
    /// The names of those that came out.
    pub outputs: Vec<u64>,
}

/// The steps between [`Ring::start_trace`](super::Ring::start_trace) and
/// [`Ring::end_trace`](super::Ring::end_trace).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// N.
    pub degree: usize,
    /// In the order in which they began.
    pub steps: Vec<Step>,
}

/// How often each operation was done, in limbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Limbs transformed to values.
    pub forward_limbs: usize,
    /// Limbs transformed to coefficients.
    pub inverse_limbs: usize,
    /// Limbs that sums and differences gave.
    pub add_limbs: usize,
    /// Limbs that products of two polynomials gave.
    pub multiply_limbs: usize,
    /// Limbs multiplied by a number.
    pub scale_limbs: usize,
    /// Products of conversions, in limbs: sources times targets.
    pub conversion_products: usize,
    /// Limbs permuted.
    pub permute_limbs: usize,
    /// Products with keys, in limbs.
    pub key_products: usize,
    /// Bytes of keys that were read.
    pub key_bytes: usize,
}

impl Trace {
    /// How often each operation was done.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for Step { operation, limbs, .. } in &self.steps {
            match operation {
                Operation::Forward => counts.forward_limbs += limbs,
                Operation::Inverse => counts.inverse_limbs += limbs,
                Operation::Add => counts.add_limbs += limbs,
                Operation::Multiply => counts.multiply_limbs += limbs,
                Operation::Scale => counts.scale_limbs += limbs,
                Operation::Convert { sources } => {
                    counts.conversion_products += usize::from(*sources) * limbs;
                }
                Operation::Permute => counts.permute_limbs += limbs,
                Operation::KeyProduct { terms } => {
                    let products = usize::from(*terms) * limbs;
                    counts.key_products += products;
                    counts.key_bytes += products * self.degree * size_of::<u32>();
                }
            }
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("transforms to values", self.forward_limbs, "limbs"),
            ("transforms to coefficients", self.inverse_limbs, "limbs"),
            ("sums", self.add_limbs, "limbs"),
            ("products of polynomials", self.multiply_limbs, "limbs"),
            ("products with numbers", self.scale_limbs, "limbs"),
            ("products of conversions", self.conversion_products, "limbs"),
            ("permutations", self.permute_limbs, "limbs"),
            ("products with keys", self.key_products, "limbs"),
            ("keys read", self.key_bytes, "bytes"),
        ];
        for (name, count, unit) in rows {
            writeln!(f, "{name:28}{count:>12} {unit}")?;
        }
        Ok(())
    }
}

/// The trace that is being taken, if one is.
#[derive(Default)]
pub(super) struct Recorder {
    is_on: AtomicBool,
    steps: Mutex<Vec<Step>>,
}

impl Recorder {
    pub fn start(&self) {
        self.lock().clear();
        self.is_on.store(true, Ordering::Release);
    }

    pub fn end(&self, degree: usize) -> Trace {
        self.is_on.store(false, Ordering::Release);
        Trace { degree, steps: std::mem::take(&mut *self.lock()) }
    }

    pub fn record(&self, operation: Operation, limbs: usize, inputs: &[u64], outputs: &[u64]) {
        if self.is_on.load(Ordering::Acquire) {
            let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
            self.lock().push(Step { operation, limbs, inputs, outputs });
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Step>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
