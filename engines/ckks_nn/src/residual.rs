// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Residual networks for small images (He, Zhang, Ren and Sun: "Deep residual learning for image
//! recognition", 2016, section 4.2) from a folder of text files.
//!
//! A file holds one tensor of a PyTorch model, one number per line, with the last axis varying
//! fastest. Its name is that of the tensor with `_` for `.`, such as `layer2_0_conv1_weight.txt`. A
//! network of 6n + 2 layers has three stages of n blocks; the second and the third begin with steps
//! of 2. If a block changes the shape, its shortcut uses every second row and column, and the new
//! channels are zeros, half of them before the old channels and half after (option A of the paper).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use halimede_files::read_limited;

use crate::error::NetworkError;
use crate::graph::{Activation, Convolution, Graph, Linear, NodeId, Operator, Shape, Window};

/// The largest file size in bytes: 2²² numbers with 16 characters each.
const MOST_BYTES: u64 = 64 << 20;
/// The largest number of blocks of a stage: the deepest network of the paper has 1,202 layers.
const MOST_BLOCKS: usize = 200;
/// The number that PyTorch's normalizations add to a variance.
const EPSILON: f64 = 1e-5;
/// Rows and columns of an image.
const SIZE: usize = 32;
/// Colors of an image.
const COLORS: usize = 3;

/// Returns the network with the parameters of a folder. Its input is an image of 3 × 32 × 32
/// normalized values.
///
/// # Errors
/// [`NetworkError::Parameters`] for files that are missing, too long, not numbers, or do not fit
/// the network.
pub fn read_residual_network(folder: &Path) -> Result<Graph, NetworkError> {
    Reader { folder }.network()
}

/// A folder of parameters.
struct Reader<'a> {
    folder: &'a Path,
}

/// A value in the network with its channels.
#[derive(Clone, Copy)]
struct Image {
    node: NodeId,
    channels: usize,
}

impl Reader<'_> {
    fn network(&self) -> Result<Graph, NetworkError> {
        let mut graph = Graph::new(Shape::new(&[COLORS, SIZE, SIZE])?);
        let input = Image { node: graph.input(), channels: COLORS };
        let first = self.convolution(&mut graph, "conv1", "bn1", input, 1)?;
        let mut image = relu(&mut graph, "relu", first)?;
        for stage in 1..=3 {
            let mut blocks = 0;
            while blocks < MOST_BLOCKS && self.has(&format!("layer{stage}_{blocks}_conv1_weight")) {
                let step = if stage > 1 && blocks == 0 { 2 } else { 1 };
                image = self.block(&mut graph, &format!("layer{stage}_{blocks}"), image, step)?;
                blocks += 1;
            }
            if blocks == 0 {
                let file = self.path(&format!("layer{stage}_0_conv1_weight"));
                return Err(wrong(&file, "the file does not exist"));
            }
        }
        let mean = graph.push("mean", Operator::GlobalAveragePool, &[image.node])?;
        let flat = Operator::Reshape(Shape::new(&[image.channels])?);
        let flat = graph.push("flat", flat, &[mean])?;
        let bias = self.numbers("linear_bias", None)?;
        let weights = self.numbers("linear_weight", Some(bias.len() * image.channels))?;
        let linear = Linear { rows: bias.len(), weights, bias };
        graph.push("linear", Operator::Linear(linear), &[flat])?;
        Ok(graph.fold_normalizations())
    }

    /// Adds two convolutions, and adds the second to a shortcut.
    fn block(
        &self,
        graph: &mut Graph,
        name: &str,
        image: Image,
        step: usize,
    ) -> Result<Image, NetworkError> {
        let part = |part: &str| format!("{name}_{part}");
        let first = self.convolution(graph, &part("conv1"), &part("bn1"), image, step)?;
        let first = relu(graph, &part("relu1"), first)?;
        let second = self.convolution(graph, &part("conv2"), &part("bn2"), first, 1)?;
        let shortcut = self.shortcut(graph, &part("shortcut"), image, second.channels, step)?;
        let sum = graph.push(part("sum"), Operator::Add, &[second.node, shortcut])?;
        relu(graph, &part("relu2"), Image { node: sum, ..second })
    }

    /// Returns a convolution of 3 × 3 and its normalization.
    fn convolution(
        &self,
        graph: &mut Graph,
        name: &str,
        normalization: &str,
        image: Image,
        step: usize,
    ) -> Result<Image, NetworkError> {
        let of = |part: &str| format!("{normalization}_{part}");
        let scales = self.numbers(&of("weight"), None)?;
        let channels = scales.len();
        let values = |part: &str| self.numbers(&of(part), Some(channels));
        let (shifts, means) = (values("bias")?, values("running_mean")?);
        let variances = values("running_var")?;
        if let Some(variance) = variances.iter().find(|variance| **variance < 0.0) {
            let reason = format!("a variance is {variance}");
            return Err(wrong(&self.path(&of("running_var")), &reason));
        }
        let count = channels * image.channels * 9;
        let weights = self.numbers(&format!("{name}_weight"), Some(count))?;
        let window = Window { strides: [step; 2], pads: [1; 4], ..Window::new([3; 2]) };
        let convolution = Convolution { channels, groups: 1, window, weights, bias: Vec::new() };
        let node = graph.push(name, Operator::Convolution(convolution), &[image.node])?;
        let pairs = scales.iter().zip(&variances);
        let factors: Vec<f64> =
            pairs.map(|(scale, variance)| scale / (variance + EPSILON).sqrt()).collect();
        let moved = shifts.iter().zip(&means).zip(&factors);
        let summands = moved.map(|((shift, mean), factor)| shift - mean * factor).collect();
        let scale = Operator::ChannelScale { factors, summands };
        let node = graph.push(normalization, scale, &[node])?;
        Ok(Image { node, channels })
    }

    /// Returns the image itself, or every `step`-th pixel of it between channels of zeros.
    fn shortcut(
        &self,
        graph: &mut Graph,
        name: &str,
        image: Image,
        channels: usize,
        step: usize,
    ) -> Result<NodeId, NetworkError> {
        if step == 1 && channels == image.channels {
            return Ok(image.node);
        }
        let Some(before) = channels.checked_sub(image.channels).map(|new| new / 2) else {
            let reason = format!("{channels} channels cannot follow {}", image.channels);
            return Err(wrong(self.folder, &reason));
        };
        let mut weights = vec![0.0; channels * image.channels];
        for channel in 0..image.channels {
            weights[(before + channel) * image.channels + channel] = 1.0;
        }
        let window = Window { strides: [step; 2], ..Window::new([1; 2]) };
        let convolution = Convolution { channels, groups: 1, window, weights, bias: Vec::new() };
        graph.push(name, Operator::Convolution(convolution), &[image.node])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.txt"))
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).is_file()
    }

    /// Returns the numbers of a file; an error if it is empty or does not have `count` numbers.
    fn numbers(&self, name: &str, count: Option<usize>) -> Result<Vec<f64>, NetworkError> {
        let path = self.path(name);
        let text = read(&path)?;
        let number = |(line, text): (usize, &str)| match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => {
                let shown: String = text.chars().take(40).collect();
                Err(wrong(&path, &format!("word {} is not a finite number: {shown}", line + 1)))
            }
        };
        let numbers =
            text.split_whitespace().enumerate().map(number).collect::<Result<Vec<_>, _>>()?;
        match count {
            Some(count) if count != numbers.len() => {
                let got = numbers.len();
                Err(wrong(&path, &format!("it has {got} numbers, expected {count}")))
            }
            None if numbers.is_empty() => Err(wrong(&path, "it has no numbers")),
            _ => Ok(numbers),
        }
    }
}

fn relu(graph: &mut Graph, name: &str, image: Image) -> Result<Image, NetworkError> {
    let node = graph.push(name, Operator::Activation(Activation::Relu), &[image.node])?;
    Ok(Image { node, ..image })
}

/// Returns the text of a regular file.
fn read(path: &Path) -> Result<String, NetworkError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => wrong(path, "the file does not exist"),
        _ => wrong(path, &error.to_string()),
    };
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(wrong(path, "not a regular file"));
    }
    let bytes = read_limited(path, MOST_BYTES).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| wrong(path, "not a text file"))
}

fn wrong(path: &Path, reason: &str) -> NetworkError {
    NetworkError::Parameters { file: path.display().to_string(), reason: reason.to_owned() }
}
