// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ONNX models, read as networks.
//!
//! | read | as |
//! |---|---|
//! | Conv, Gemm, MatMul by a constant | convolution, linear; with more than two axes, on the last axis |
//! | BatchNormalization, Neg, Add, Sub, Mul and Div by a constant for each channel | normalization, folded into the layer before |
//! | AveragePool, GlobalAveragePool, ReduceMean, ReduceSum | averages |
//! | MaxPool, Max | absolute values of differences |
//! | LSTM, GRU, RNN | gates, step by step |
//! | Add, Sub, Mul of two values, Concat | the same |
//! | Flatten, Reshape, Squeeze, Unsqueeze, Identity, Dropout, Cast | reshape |
//! | Transpose, Slice, Split, Gather, Expand | selection |
//! | Relu, Sigmoid, Tanh, Gelu, Abs, Mul of x and Sigmoid(x) | activation |
//! | Mul of x and x, Pow by an integer | polynomial |
//! | Constant, ConstantOfShape, Shape, initializers | weights, as float, double, int32 or int64 |
//! | Scaler, LinearRegressor of `ai.onnx.ml` | normalization, linear |
//! | LinearClassifier of `ai.onnx.ml` | linear, and post-processing |
//! | at the end: Softmax, LogSoftmax, Sigmoid, Tanh, ArgMax, Greater; Normalizer, ArrayFeatureExtractor, ZipMap of `ai.onnx.ml` | [post-processing](crate::post_processing) |

mod after_decryption;
mod attributes;
mod decrypted;
mod end;
mod import;
mod linear_models;
mod messages;
mod moves;
mod names;
mod operators;
mod patterns;
mod recurrent;
mod reductions;
mod rows;
mod tensor;
mod unsupported;
mod value;

pub use import::{read_onnx, read_onnx_output, MOST_BYTES};
