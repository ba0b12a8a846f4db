// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Maxima and max pools: plaintext values follow the definition, encrypted ones equal plaintext.

use halimede_ckks::params::{BootstrapShape, SecretKind};
use halimede_ckks::Parameters;
use halimede_ckks_nn::compile::ExactRelu;
use halimede_ckks_nn::graph::Window;
use halimede_ckks_nn::{Calibration, Graph, Model, Options};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{check, rng, shape, values};

/// A window that fits the image.
fn window(rng: &mut ChaCha8Rng, size: [usize; 2], most: usize) -> Window {
    loop {
        let mut pair = |most: usize| [rng.gen_range(1..=most), rng.gen_range(1..=most)];
        let (kernel, strides) = (pair(most), pair(3));
        let mut pad = |axis: usize| rng.gen_range(0..kernel[axis]);
        let pads = [pad(0), pad(1), pad(0), pad(1)];
        let window = Window { kernel, strides, dilations: [1; 2], pads };
        if window.output(size).is_ok() {
            return window;
        }
    }
}

/// Returns the largest value of each window that lies in the image.
fn by_definition(window: &Window, image: &[f64], axes: [usize; 3]) -> Vec<f64> {
    let [channels, height, width] = axes;
    let [rows, columns] = window.output([height, width]).unwrap();
    let mut result = Vec::new();
    for channel in 0..channels {
        for (row, column) in (0..rows * columns).map(|place| (place / columns, place % columns)) {
            let mut largest = f64::NEG_INFINITY;
            for (y, x) in (0..window.kernel[0] * window.kernel[1])
                .map(|place| (place / window.kernel[1], place % window.kernel[1]))
            {
                let (y, x) = (row * window.strides[0] + y, column * window.strides[1] + x);
                let inside = (window.pads[0]..window.pads[0] + height).contains(&y)
                    && (window.pads[1]..window.pads[1] + width).contains(&x);
                if inside {
                    let (y, x) = (y - window.pads[0], x - window.pads[1]);
                    largest = largest.max(image[(channel * height + y) * width + x]);
                }
            }
            result.push(largest);
        }
    }
    result
}

fn pool(window: &Window, axes: [usize; 3]) -> Graph {
    let mut graph = Graph::new(shape(&axes));
    let pool = graph.push_max_pool("pool", window, graph.input()).unwrap();
    graph.set_output(pool);
    graph
}

#[test]
fn pools_are_those_of_their_definition() {
    let mut rng = rng(51);
    for case in 0..150 {
        let mut size = || rng.gen_range(1..8);
        let axes = [size() / 3 + 1, size(), size()];
        let window = window(&mut rng, [axes[1], axes[2]], 5);
        let image = values(&mut rng, axes.iter().product());
        let graph = pool(&window, axes);
        let found = graph.evaluate(&image).unwrap();
        let wanted = by_definition(&window, &image, axes);
        assert_eq!(found.len(), wanted.len(), "case {case}: {window:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-12, "case {case}: {window:?}: {found} {wanted}");
        }
        let [rows, columns] = window.output([axes[1], axes[2]]).unwrap();
        assert_eq!(graph.output_shape().axes(), [axes[0], rows, columns]);
        let rounds = window.kernel.map(|size| size.next_power_of_two().ilog2() as usize);
        assert_eq!(graph.activations().len(), rounds[0] + rounds[1], "{window:?}");
    }
}

#[test]
fn encrypted_pools_have_the_values_of_plaintext() {
    let mut rng = rng(52);
    let shape = BootstrapShape::new(10, 9, 3);
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    for case in 0..4 {
        let axes = [rng.gen_range(1..3), rng.gen_range(2..6), rng.gen_range(2..6)];
        let window = window(&mut rng, [axes[1], axes[2]], 3);
        let graph = pool(&window, axes);
        let samples: Vec<Vec<f64>> =
            (0..20).map(|_| values(&mut rng, axes.iter().product())).collect();
        let calibration = Calibration::with_margin(&graph, &samples, 1.25).unwrap();
        // By a sign, and by an even polynomial.
        let exact_relu = (case % 2 == 0).then_some(ExactRelu { threshold: 0.25, error: 0.1 });
        let options = Options { degree: 15, exact_relu, guard: case < 2, ..Options::default() };
        let model = Model::compile(&graph, &calibration, &parameters, &options).unwrap();
        let exact = graph.evaluate(&samples[0]).unwrap();
        let output = match exact_relu {
            // The claimed error includes that of the sign.
            Some(_) => super::setting::run(&model, &samples[0]),
            None => check(&model, &samples[0], &format!("{window:?}")),
        };
        let approximate = model.approximate(&samples[0]).unwrap();
        for ((got, wanted), exact) in output.values.iter().zip(approximate).zip(exact) {
            assert!((got - wanted).abs() < 1e-4, "{window:?}: {got} {wanted}");
            assert!((got - exact).abs() < 0.25, "{window:?}: {got} {exact}");
        }
        let report = model.report();
        let words =
            if exact_relu.is_some() { "absolute value, sign" } else { "absolute value, degree" };
        let layers = report.layers.iter().filter(|layer| layer.activation.starts_with(words));
        assert_eq!(layers.count(), graph.activations().len(), "{report}");
    }
}

/// The first round moves an image by one place, and does not rearrange its values.
#[test]
fn rounds_take_few_rotations() {
    let mut rng = rng(53);
    for strides in [[1, 1], [2, 2]] {
        let graph = pool(&Window { strides, ..Window::new([2, 2]) }, [4, 8, 8]);
        let samples = [values(&mut rng, 256), values(&mut rng, 256)];
        let options = Options { degree: 3, guard: false, ..Options::default() };
        let model = super::setting::compiled(&graph, &samples, "n13-insecure", &options);
        let report = model.report();
        let first = &report.layers[0];
        assert_eq!((first.diagonals, first.rotations, report.slots), (2, 1, 256), "{report}");
        assert!(report.layers[1].rotations <= 15, "{report}");
    }
}

#[test]
fn what_is_no_pool_is_refused() {
    let three = Window::new([3, 3]);
    for (axes, window, reason) in [
        (&[16][..], three, "expected an image"),
        (&[1, 2, 2], three, "the kernel needs 3 rows"),
        (&[1, 8, 8], Window { dilations: [2, 1], ..three }, "dilations of a max pool"),
        (&[1, 8, 8], Window { pads: [3, 0, 0, 0], ..three }, "must be smaller than its kernel"),
        (&[1, 8, 8], Window { strides: [0, 1], ..three }, "must lie from 1"),
    ] {
        let mut graph = Graph::new(shape(axes));
        let error = graph.push_max_pool("pool", &window, graph.input()).unwrap_err().to_string();
        assert!(error.starts_with("node pool: ") && error.contains(reason), "{error}");
    }
}
