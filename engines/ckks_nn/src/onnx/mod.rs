// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ONNX models, read as networks.
//!
//! | read | as |
//! |---|---|
//! | Conv, Gemm, MatMul by a constant | convolution, linear |
//! | BatchNormalization, Add, Sub and Mul of a constant for each channel | normalization, folded into the layer before |
//! | AveragePool, GlobalAveragePool | the same |
//! | Add, Concat along the channels | the same |
//! | Flatten, Reshape, Identity, Dropout | reshape |
//! | Relu, Sigmoid, Tanh, Gelu, Mul of x and Sigmoid(x) | activation |
//! | Mul of x and x, Pow by a whole number | polynomial |
//! | Constant, initializers | weights, as float, double, int32 or int64 |

mod attributes;
mod import;
mod messages;
mod operators;
mod tensor;

pub use import::{read_onnx, MOST_BYTES};

/// The operators that are read.
const SUPPORTED: &str = "Add, AveragePool, BatchNormalization, Concat, Constant, Conv, Dropout, \
    Flatten, Gelu, Gemm, GlobalAveragePool, Identity, MatMul, Mul, Pow, Relu, Reshape, Sigmoid, \
    Sub, Tanh";
