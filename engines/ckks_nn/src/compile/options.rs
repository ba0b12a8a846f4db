// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a network is compiled.

/// How a network is compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The degree of the polynomials that stand for activations: 2ⁿ − 1 takes n levels.
    /// Polynomials of the network keep their own.
    pub degree: usize,
    /// ReLU by the sign of its argument instead of a polynomial.
    pub exact_relu: Option<ExactRelu>,
    /// `true` if results carry a sum that tells where an argument left its interval. It takes four
    /// products for each activation, and one more rotation for each doubling of the slots.
    pub guard: bool,
    /// `true` if bootstraps are such as take a fraction of the keys, but half as much time again.
    pub few_keys: bool,
    /// How many bytes of encoded matrices a server keeps from one run to the next, at most; the
    /// others are encoded again in each run, which takes about as long as applying them.
    pub matrix_bytes: usize,
    /// The most ciphertexts of an input, 1 to 1024. With more than 1 the rows of its last axis, such as
    /// the steps of a sequence, may stand in ciphertexts of few slots, as few as hold each layer, instead
    /// of one of many: bootstraps take less, and matrices are the same for all steps. The client sends
    /// more.
    pub input_ciphertexts: usize,
    /// The inputs of a run, 1 to 1024. Several share ciphertexts: each has a block of slots, and two are
    /// real and imaginary part of one, so that matrices and bootstraps serve several. Each input has its
    /// own guard, and all are encrypted by one key.
    pub batch: usize,
}

/// The precision of a ReLU by a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactRelu {
    /// The least argument whose sign is found, as a part of the interval's radius.
    pub threshold: f64,
    /// The largest error of the sign.
    pub error: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            degree: 15,
            exact_relu: None,
            guard: true,
            few_keys: false,
            matrix_bytes: 1 << 28,
            input_ciphertexts: 1,
            batch: 1,
        }
    }
}
