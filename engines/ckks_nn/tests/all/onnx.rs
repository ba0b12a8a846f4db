// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ONNX files: operators, storage of constants, and rejected files.

use halimede_ckks_nn::graph::{Activation, Operator};
use halimede_ckks_nn::{read_onnx, NetworkError};
use proptest::prelude::*;

use super::model_file::{float, int, ints, model, node, tensor, Message, Store};

/// Returns the values of a model for an input.
fn evaluate(file: &[u8], input: &[f64]) -> Vec<f64> {
    read_onnx(file).unwrap().evaluate(input).unwrap()
}

#[test]
fn constants_are_read_however_they_are_stored() {
    for store in [Store::RawFloat, Store::Float, Store::RawDouble, Store::RawInt64, Store::Int64] {
        let weights = tensor("w", &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, -6.0], store);
        let file = model(&[1, 2], &[node("MatMul", &["x", "w"], "y", &[])], &[weights]);
        assert_eq!(evaluate(&file, &[1.0, 10.0]), [41.0, 52.0, -57.0]);
    }
}

#[test]
fn gemm_scales_and_transposes() {
    let attributes = [int("transB", 1), float("alpha", 2.0), float("beta", 0.5)];
    let file = model(
        &[0, 2],
        &[node("Gemm", &["x", "w", "b"], "y", &attributes)],
        &[
            tensor("w", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Store::RawFloat),
            tensor("b", &[3], &[1.0, 2.0, 4.0], Store::Float),
        ],
    );
    assert_eq!(evaluate(&file, &[1.0, 1.0]), [6.5, 15.0, 24.0]);
}

#[test]
fn normalizations_become_part_of_convolutions() {
    let of = |name, values: &[f64]| tensor(name, &[2], values, Store::RawDouble);
    let attributes = [ints("kernel_shape", &[1, 1]), int("group", 1)];
    let file = model(
        &[1, 1, 1, 2],
        &[
            node("Conv", &["x", "w"], "c", &attributes),
            node("BatchNormalization", &["c", "s", "b", "m", "v"], "n", &[]),
            node("AveragePool", &["n"], "p", &[ints("kernel_shape", &[1, 2])]),
            node("Identity", &["p"], "y", &[]),
        ],
        &[
            tensor("w", &[2, 1, 1, 1], &[1.0, 2.0], Store::RawFloat),
            of("s", &[3.0, 1.0]),
            of("b", &[0.5, 0.0]),
            of("m", &[1.0, 2.0]),
            of("v", &[4.0 - 1e-5, 1.0 - 1e-5]),
        ],
    );
    let graph = read_onnx(&file).unwrap();
    let is_scale = |operator: &Operator| matches!(operator, Operator::ChannelScale { .. });
    assert!(!graph.nodes().any(|(_, node)| is_scale(&node.operator)));
    let values = graph.evaluate(&[2.0, 4.0]).unwrap();
    assert!((values[0] - 3.5).abs() < 1e-5 && (values[1] - 4.0).abs() < 1e-5, "{values:?}");
}

#[test]
fn patterns_are_activations() {
    let file = model(
        &[1, 2],
        &[
            node("Sigmoid", &["x"], "s", &[]),
            node("Mul", &["x", "s"], "silu", &[]),
            node("Mul", &["silu", "silu"], "square", &[]),
            node("Pow", &["square", "three"], "cube", &[]),
            node("Gelu", &["cube"], "gelu", &[]),
            node("Add", &["gelu", "one"], "plus", &[]),
            node("Concat", &["plus", "x"], "all", &[int("axis", 1)]),
            node("Reshape", &["all", "shape"], "y", &[]),
        ],
        &[
            tensor("three", &[], &[3.0], Store::RawInt64),
            tensor("one", &[1, 2], &[1.0, 2.0], Store::RawFloat),
            tensor("shape", &[3], &[1.0, -1.0, 2.0], Store::Int64),
        ],
    );
    let graph = read_onnx(&file).unwrap();
    let of: Vec<&Activation> = graph.activations().into_iter().map(|(_, of)| of).collect();
    let power = |n: usize| {
        let mut coefficients = vec![0.0; n + 1];
        coefficients[n] = 1.0;
        Activation::Polynomial(coefficients)
    };
    assert_eq!(of, [&Activation::Silu, &power(2), &power(3), &Activation::Gelu]);
    assert_eq!(graph.output_shape().axes(), [2, 2]);
    let gelu = |x: f64| Activation::Gelu.value(Activation::Silu.value(x).powi(6));
    let wanted = [gelu(1.0) + 1.0, gelu(-2.0) + 2.0, 1.0, -2.0];
    for (got, wanted) in graph.evaluate(&[1.0, -2.0]).unwrap().iter().zip(wanted) {
        assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
    }
}

#[test]
fn what_is_not_supported_is_named() {
    let error = |axes: &[i64], nodes: &[Message]| {
        let weights = tensor("w", &[1, 1, 9, 9], &[0.5; 81], Store::RawFloat);
        read_onnx(&model(axes, nodes, &[weights])).unwrap_err().to_string()
    };
    let text = error(&[1, 1, 4, 4], &[node("Sin", &["x"], "y", &[])]);
    assert!(
        text.starts_with(
            "node /y: Sin is not supported; the supported operators are Abs, Add, Average"
        ),
        "{text}"
    );
    assert!(text.contains("choose its input x as the output (`--output NAME`"), "{text}");
    let large = node("Conv", &["x", "w"], "y", &[]);
    let text = error(&[1, 1, 4, 4], std::slice::from_ref(&large));
    assert!(text.contains("node /y: ") && text.contains("needs 9 rows"), "{text}");
    for (axes, nodes, wanted) in [
        (&[2, 1, 4, 4][..], vec![large.clone()], "a batch of 2"),
        (&[1, 0, 4, 4], vec![large.clone()], "an axis other than the batch has no size"),
        (&[4], vec![large], "not a batch of vectors or images"),
        (&[1, 4], vec![node("Relu", &["z"], "y", &[])], "its input z is not computed before"),
        (&[1, 4], vec![node("Relu", &["x"], "z", &[])], "its output y is not computed"),
        (&[1, 4], vec![node("MaxPool", &["x"], "y", &[])], "MaxPool: it has no kernel_shape"),
        (
            &[1, 1, 4, 4],
            vec![node("MaxPool", &["x"], "y", &[ints("kernel_shape", &[5, 2])])],
            "node /y: the kernel needs 5 rows",
        ),
        (&[1, 4], vec![node("Add", &["x", "w"], "y", &[])], "do not match"),
        (&[1, 4], vec![node("Max", &["x", "w"], "y", &[])], "Max: an input is a constant"),
        (
            &[1, 4],
            vec![node("Squeeze", &["x"], "z", &[]), node("Gemm", &["z", "w"], "y", &[])],
            "its input has the axes [4]",
        ),
    ] {
        let text = error(axes, &nodes);
        assert!(text.contains(wanted), "{text}");
    }
    let empty = read_onnx(b"").unwrap_err();
    assert!(matches!(empty, NetworkError::Onnx { .. }), "{empty}");
}

/// Returns a model with an operator of each kind that reads numbers.
fn whole() -> Vec<u8> {
    model(
        &[0, 2, 4, 4],
        &[
            node("Conv", &["x", "w", "b"], "c", &[ints("pads", &[1; 4]), ints("strides", &[2; 2])]),
            node("BatchNormalization", &["c", "b", "b", "b", "b"], "n", &[]),
            node("AveragePool", &["n"], "p", &[ints("kernel_shape", &[2, 2])]),
            node("Reshape", &["p", "s"], "f", &[]),
            node("Gemm", &["f", "d"], "g", &[int("transB", 1)]),
            node("Div", &["g", "two"], "half", &[]),
            node("ReduceSum", &["half", "last"], "sum", &[int("keepdims", 1)]),
            node("Pow", &["sum", "two"], "y", &[]),
        ],
        &[
            tensor("last", &[1], &[-1.0], Store::Int64),
            tensor("w", &[3, 2, 2, 2], &[0.5; 24], Store::RawFloat),
            tensor("b", &[3], &[1.0, 2.0, 3.0], Store::Float),
            tensor("s", &[2], &[1.0, -1.0], Store::RawInt64),
            tensor("d", &[1, 12], &[1.0; 12], Store::RawDouble),
            tensor("two", &[], &[2.0], Store::Int64),
        ],
    )
}

#[test]
fn cut_files_are_refused() {
    let file = whole();
    assert_eq!(read_onnx(&file).unwrap().output_shape().axes(), [1]);
    for length in 0..file.len() {
        assert!(read_onnx(&file[..length]).is_err(), "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_files_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut file = whole();
        let length = file.len();
        for (place, byte) in changes {
            file[place.index(length)] = byte;
        }
        if let Ok(graph) = read_onnx(&file) {
            let size = graph.input_shape().size();
            if size < 4096 {
                let _ = graph.evaluate(&vec![0.5; size]);
            }
        }
    }
}
