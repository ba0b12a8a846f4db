// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The supported operators, and what to do about others.

use super::messages::NodeMessage;
use super::names::short;

/// The prefix of the operators of classical machine learning.
pub(super) const ML: &str = "ai.onnx.ml.";

/// How to choose an output.
pub(super) const CHOOSE: &str = "`--output NAME`, `output=` in Python, `read_onnx_output` in Rust";

/// The supported operators.
const SUPPORTED: &str = "Abs, Add, AveragePool, BatchNormalization, Cast, Concat, Constant, \
    ConstantOfShape, Conv, Div, Dropout, Erf, Exp, Expand, Flatten, Gather, Gelu, Gemm, GRU, \
    GlobalAveragePool, Identity, LSTM, LayerNormalization, MatMul, Max, MaxPool, Mul, Neg, Pow, RNN, Reciprocal, \
    ReduceMean, ReduceSum, Relu, Reshape, Shape, Sigmoid, Slice, Softmax, Split, Sqrt, Squeeze, \
    Sub, Tanh, Transpose, Unsqueeze, ai.onnx.ml.LinearClassifier, ai.onnx.ml.LinearRegressor, ai.onnx.ml.Scaler";

/// The operators that are only supported after decryption.
const AT_END: &str =
    "ArgMax, Greater, GreaterOrEqual, LogSoftmax, ai.onnx.ml.ArrayFeatureExtractor, \
    ai.onnx.ml.Normalizer, ai.onnx.ml.ZipMap";

/// Returns the operator of a node with its domain, unless that is ONNX's own.
pub(super) fn kind_of(node: &NodeMessage) -> String {
    match node.domain.as_str() {
        "" | "ai.onnx" => short(&node.operator),
        domain => format!("{}.{}", short(domain), short(&node.operator)),
    }
}

/// Returns `true` for an operator that can be read at some place.
pub(super) fn is_supported(kind: &str) -> bool {
    let is_in = |list: &str| list.split(", ").any(|supported| supported == kind);
    is_in(SUPPORTED) || is_in(AT_END)
}

/// Returns the error about an operator that is not supported.
pub(super) fn unsupported(kind: &str, node: &NodeMessage) -> String {
    format!(
        "{kind} is not supported; the supported operators are {SUPPORTED}, and at the end \
         {AT_END}; {}{}",
        advice(kind),
        before(node)
    )
}

/// Returns the error about an operator that is only supported after decryption.
pub(super) fn not_at_end(kind: &str, node: &NodeMessage, user: &str) -> String {
    format!(
        "{kind} is only supported at the end of a network, where the client computes it after \
         decryption, but {user} follows; {}{}",
        advice(kind),
        before(node)
    )
}

/// Returns the error about an operator that cannot follow decryption.
pub(super) fn not_after_decryption(kind: &str, node: &NodeMessage, first: &str) -> String {
    format!(
        "{kind} cannot follow {first}, which the client computes after decryption: only Add, Sub, \
         Mul and Div with constants, Cast, Concat, Neg, Sigmoid, Tanh, moves of values, and \
         {AT_END} can; {}",
        before(node)
    )
}

/// Returns what to do instead.
fn advice(kind: &str) -> &'static str {
    let Some(own) = kind.strip_prefix(ML) else { return "" };
    match own {
        "Imputer" => {
            "fill in missing values before encryption, and export the model without its imputer; "
        }
        "Normalizer" => {
            "a norm of encrypted values is not a polynomial: normalize inputs before encryption, \
             and export the model without its normalizer; "
        }
        "OneHotEncoder" | "LabelEncoder" | "CategoryMapper" | "DictVectorizer" | "Binarizer" => {
            "encode inputs before encryption, and export the model without its encoder; "
        }
        "TreeEnsembleClassifier" | "TreeEnsembleRegressor" | "TreeEnsemble" => {
            "trees compare encrypted values, which takes far too many levels: train a linear model \
             or a small neural network on the same samples; "
        }
        "SVMClassifier" | "SVMRegressor" => {
            "kernels are not supported: use a linear model (LinearSVC, LinearSVR) or a small \
             neural network; "
        }
        _ => "",
    }
}

/// Returns how to end the network before a node.
fn before(node: &NodeMessage) -> String {
    let name = node.inputs.iter().find(|input| !input.is_empty());
    let name = name.map_or("NAME".to_owned(), |name| short(name));
    format!("to end the network before this node, choose its input {name} as the output ({CHOOSE})")
}
