// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Options of compilation.

/// Options of compilation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The degree of the polynomials that approximate activations: 2ⁿ − 1 needs n levels.
    /// Polynomials of the network keep their own degree.
    pub degree: usize,
    /// The precision of a ReLU by the sign of its argument; `None` for a polynomial.
    pub exact_relu: Option<ExactRelu>,
    /// `true` if results carry a sum that reveals whether an argument left its interval. It needs
    /// four products per activation, and one more rotation each time the slots double.
    pub guard: bool,
    /// `true` if bootstraps use a fraction of the keys, but 1.5 times the time.
    pub few_keys: bool,
    /// The largest size in bytes of the encoded matrices that a server keeps between runs. The
    /// other matrices are encoded in each run, which takes about as long as applying them.
    pub matrix_bytes: usize,
    /// The largest number of ciphertexts of an input, 1 to 1024. With more than 1, the rows of the
    /// last axis, such as the steps of a sequence, may use ciphertexts of few slots, as few as hold
    /// each layer, instead of one ciphertext of many slots. Bootstraps are faster, and all steps
    /// share their matrices, but the client sends more.
    pub input_ciphertexts: usize,
    /// The number of inputs of a run, 1 to 1024. Inputs share ciphertexts: each has a block of
    /// slots, and two are the real and imaginary part of one block, so that matrices and bootstraps
    /// serve several. Each input has its own guard, and one key encrypts all of them.
    pub batch: usize,
}

/// The precision of a ReLU by a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactRelu {
    /// The smallest argument whose sign is found, relative to the interval's radius.
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
