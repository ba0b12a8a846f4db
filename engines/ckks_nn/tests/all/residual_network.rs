// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Residual networks read from text files.

use std::fs;
use std::path::Path;

use halimede_ckks::Parameters;
use halimede_ckks_nn::{read_residual_network, Calibration, Model, NetworkError, Options};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use super::setting::{rng, values};

/// Rows and columns of an image.
const SIZE: usize = 32;

/// A network's tensors by the names of their files.
struct Tensors(Vec<(String, Vec<f64>)>);

impl Tensors {
    /// Returns random tensors: `blocks` blocks per stage, with the given channels.
    fn random(rng: &mut ChaCha8Rng, blocks: usize, channels: [usize; 3]) -> Self {
        let mut all = Vec::new();
        let mut convolution = |name: &str, normalization: &str, before: usize, after: usize| {
            let scale = 1.0 / (9.0 * before as f64).sqrt();
            let weights = values(rng, after * before * 9).iter().map(|x| x * scale).collect();
            all.push((format!("{name}_weight"), weights));
            for part in ["weight", "bias", "running_mean"] {
                all.push((format!("{normalization}_{part}"), values(rng, after)));
            }
            let variances = (0..after).map(|_| rng.gen_range(0.5..2.0)).collect();
            all.push((format!("{normalization}_running_var"), variances));
        };
        convolution("conv1", "bn1", 3, channels[0]);
        let mut before = channels[0];
        for (stage, after) in channels.into_iter().enumerate() {
            for block in 0..blocks {
                let of = |part: &str| format!("layer{}_{block}_{part}", stage + 1);
                convolution(&of("conv1"), &of("bn1"), before, after);
                convolution(&of("conv2"), &of("bn2"), after, after);
                before = after;
            }
        }
        all.push(("linear_weight".to_owned(), values(rng, 10 * before)));
        all.push(("linear_bias".to_owned(), values(rng, 10)));
        Self(all)
    }

    fn write(&self, folder: &Path) {
        for (name, tensor) in &self.0 {
            let lines: Vec<String> = tensor.iter().map(|x| format!("{x:e}")).collect();
            fs::write(folder.join(format!("{name}.txt")), lines.join("\n")).unwrap();
        }
    }

    fn get(&self, name: &str) -> &[f64] {
        &self.0.iter().find(|(of, _)| of == name).unwrap().1
    }

    /// Returns a convolution with its normalization, by the definition.
    fn convolved(
        &self,
        name: &str,
        normalization: &str,
        image: &[f64],
        size: usize,
        step: usize,
    ) -> Vec<f64> {
        let of = |part: &str| self.get(&format!("{normalization}_{part}"));
        let weights = self.get(&format!("{name}_weight"));
        let (before, after) = (image.len() / (size * size), of("weight").len());
        let mut result = Vec::new();
        for channel in 0..after {
            for (row, column) in places(size / step) {
                let mut sum = 0.0;
                for within in 0..before {
                    for (y, x) in places(3) {
                        let (y_of, x_of) = (row * step + y, column * step + x);
                        if (1..=size).contains(&y_of) && (1..=size).contains(&x_of) {
                            let pixel = image[(within * size + y_of - 1) * size + x_of - 1];
                            sum += pixel * weights[((channel * before + within) * 3 + y) * 3 + x];
                        }
                    }
                }
                let deviation = (of("running_var")[channel] + 1e-5).sqrt();
                let normal = (sum - of("running_mean")[channel]) / deviation;
                result.push(normal * of("weight")[channel] + of("bias")[channel]);
            }
        }
        result
    }

    /// Returns the network's values, by the definition.
    fn evaluate(&self, blocks: usize, input: &[f64]) -> Vec<f64> {
        let mut size = SIZE;
        let mut image = relu(self.convolved("conv1", "bn1", input, size, 1));
        for stage in 1..=3 {
            for block in 0..blocks {
                let step = if stage > 1 && block == 0 { 2 } else { 1 };
                let of = |part: &str| format!("layer{stage}_{block}_{part}");
                let first = self.convolved(&of("conv1"), &of("bn1"), &image, size, step);
                let second = self.convolved(&of("conv2"), &of("bn2"), &relu(first), size / step, 1);
                let area = (size / step).pow(2);
                let channels = image.len() / (size * size);
                let before = (second.len() / area - channels) / 2;
                let mut sum = second;
                for channel in 0..channels {
                    for (row, column) in places(size / step) {
                        let to = (before + channel) * area + row * (size / step) + column;
                        sum[to] += image[(channel * size + row * step) * size + column * step];
                    }
                }
                image = relu(sum);
                size /= step;
            }
        }
        let area = size * size;
        let means: Vec<f64> =
            image.chunks(area).map(|image| image.iter().sum::<f64>() / area as f64).collect();
        let rows = self.get("linear_weight").chunks(means.len()).zip(self.get("linear_bias"));
        rows.map(|(row, bias)| bias + row.iter().zip(&means).map(|(a, b)| a * b).sum::<f64>())
            .collect()
    }
}

fn places(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size * size).map(move |place| (place / size, place % size))
}

fn relu(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|x| x.max(0.0)).collect()
}

fn image(rng: &mut ChaCha8Rng) -> Vec<f64> {
    values(rng, 3 * SIZE * SIZE)
}

#[test]
fn a_folder_of_parameters_is_the_network_of_its_definition() {
    let mut rng = rng(31);
    for (blocks, channels) in [(1, [2, 4, 8]), (2, [3, 4, 7])] {
        let tensors = Tensors::random(&mut rng, blocks, channels);
        let folder = TempDir::new().unwrap();
        tensors.write(folder.path());
        let graph = read_residual_network(folder.path()).unwrap();
        let input = image(&mut rng);
        let found = graph.evaluate(&input).unwrap();
        for (found, expected) in found.iter().zip(tensors.evaluate(blocks, &input)) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert_eq!(found.len(), 10);
    }
}

#[test]
fn a_folder_that_does_not_fit_is_an_error_that_names_the_file() {
    let mut rng = rng(32);
    let tensors = Tensors::random(&mut rng, 1, [2, 2, 4]);
    let refused = |name: &str, change: &dyn Fn(&Path), reason: &str| {
        let folder = TempDir::new().unwrap();
        tensors.write(folder.path());
        change(&folder.path().join(format!("{name}.txt")));
        match read_residual_network(folder.path()) {
            Err(NetworkError::Parameters { file, reason: got }) => {
                assert!(file.contains(name) && got.contains(reason), "{file}: {got}");
            }
            other => panic!("{name}: {other:?}"),
        }
    };
    let missing: &dyn Fn(&Path) = &|path| fs::remove_file(path).unwrap();
    for name in ["conv1_weight", "bn1_bias", "layer2_0_conv1_weight", "layer3_0_bn2_running_var"] {
        refused(name, missing, "the file does not exist");
    }
    let write = |text: &'static [u8]| move |path: &Path| fs::write(path, text).unwrap();
    refused("linear_bias", &write(b""), "no numbers");
    refused("bn1_weight", &write(b"1.0\nNaN"), "word 2 is not a finite number: NaN");
    refused("bn1_weight", &write(b"1.0\ninf"), "not a finite number");
    refused("bn1_weight", &write(b"1.0 0x10"), "not a finite number: 0x10");
    refused("bn1_weight", &write(b"\xff\xfe"), "not a text file");
    refused("conv1_weight", &write(b"1.0"), "it has 1 numbers, expected 54");
    refused("layer1_0_bn1_running_var", &write(b"1.0\n-0.5"), "a variance is -0.5");
    let folder_there = |path: &Path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    };
    refused("linear_weight", &folder_there, "not a regular file");
    let nowhere = Path::new("no/such/folder");
    assert!(matches!(read_residual_network(nowhere), Err(NetworkError::Parameters { .. })));
}

/// Diagonals, key switches and bootstraps of twenty layers, as expected from multiplexed packing.
#[test]
fn the_plan_of_twenty_layers_has_the_known_counts() {
    let mut rng = rng(33);
    let folder = TempDir::new().unwrap();
    Tensors::random(&mut rng, 3, [16, 32, 64]).write(folder.path());
    let graph = read_residual_network(folder.path()).unwrap();
    let calibration = Calibration::new(&graph, &[image(&mut rng), image(&mut rng)]).unwrap();
    let parameters = Parameters::preset("n16-boot").unwrap();
    let options = Options { degree: 63, ..Options::default() };
    let report = Model::compile(&graph, &calibration, &parameters, &options).unwrap().report();
    assert_eq!((report.layers.len(), report.bootstraps, report.slots), (20, 18, 1 << 14));
    let counts = |layer: usize| {
        let layer = &report.layers[layer];
        (layer.diagonals, layer.rotations)
    };
    // The first convolution of a block in each stage.
    for (layer, (diagonals, rotations)) in [(3, (144, 24)), (9, (392, 56)), (15, (900, 76))] {
        let found = counts(layer);
        assert!(found.0 == diagonals && found.1 <= rotations, "layer {layer}: {found:?}");
    }
}
