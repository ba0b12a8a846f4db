// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operators of a network.

use super::activation::Activation;
use super::shape::Shape;
use super::window::Window;

/// A convolution of images.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// Channels of the result.
    pub channels: usize,
    /// The number of groups: each has its share of the channels before and after.
    pub groups: usize,
    /// The kernel's size, steps and zeros around the image.
    pub window: Window,
    /// The weights by channel of the result, channel of the image within the group, row and column.
    pub weights: Vec<f64>,
    /// The bias of each channel of the result; empty without a bias.
    pub bias: Vec<f64>,
}

/// A matrix times a vector, and a bias; for a tensor, times each of the vectors along its last
/// axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// The length of the result, or of its last axis.
    pub rows: usize,
    /// The weights, row by row.
    pub weights: Vec<f64>,
    /// The bias of each row; empty without a bias.
    pub bias: Vec<f64>,
}

/// Some of a tensor's values, in any order and with any repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// For each value of the result, the place of its source.
    pub places: Vec<u32>,
    /// The shape of the result.
    pub shape: Shape,
}

/// Weighted sums of some of a tensor's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// For each value of the result, the places of its summands and their weights. A value without
    /// summands is its constant.
    pub rows: Vec<Vec<(u32, f64)>>,
    /// The number added to each value of the result.
    pub constant: f64,
    /// The shape of the result.
    pub shape: Shape,
}

/// One of the values that are carried together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The place of the value among the inputs.
    pub which: usize,
    /// The number of the inputs, from the first, that are arguments of activations. One more input
    /// may follow.
    pub arguments: usize,
}

/// The operation of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// The input of the network.
    Input,
    /// A convolution.
    Convolution(Convolution),
    /// A matrix times a vector, or times each vector along the last axis.
    Linear(Linear),
    /// Weighted sums of some of the values.
    Sums(Sums),
    /// A factor and a summand for each channel: a batch normalization.
    ChannelScale {
        /// The factors by channel.
        factors: Vec<f64>,
        /// The summands by channel.
        summands: Vec<f64>,
    },
    /// The mean of each window.
    AveragePool {
        /// The window; its dilations are 1.
        window: Window,
        /// `true` if zeros around the image count.
        counts_pads: bool,
    },
    /// The mean of each channel.
    GlobalAveragePool,
    /// The sum of two values.
    Add,
    /// The first value less the second.
    Subtract,
    /// The first value minus the second.
    Product,
    /// Some of the values.
    Select(Selection),
    /// One of several values of one shape that a recurrent cell carries from step to step: the
    /// arguments of its gates, and the cell state. One bootstrap serves all of them in one complex
    /// vector: arguments are side by side, and the other value is the imaginary part next to the
    /// first.
    Carried(Carried),
    /// Values concatenated along the channels.
    Concat,
    /// The same values in another shape.
    Reshape(Shape),
    /// A function of each value.
    Activation(Activation),
}

impl Operator {
    /// Returns the name in reports and errors.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Convolution(_) => "convolution",
            Self::Linear(_) => "linear",
            Self::Sums(_) => "sums",
            Self::ChannelScale { .. } => "normalization",
            Self::AveragePool { .. } => "average pool",
            Self::GlobalAveragePool => "global average pool",
            Self::Add => "sum",
            Self::Subtract => "difference",
            Self::Product => "product",
            Self::Select(_) => "selection",
            Self::Carried(_) => "carried value",
            Self::Concat => "concatenation",
            Self::Reshape(_) => "reshape",
            Self::Activation(of) => of.name(),
        }
    }

    /// Returns the shape of the result.
    ///
    /// # Errors
    /// A description of the error.
    pub(super) fn shape(&self, inputs: &[&Shape]) -> Result<Shape, String> {
        let image = |shape: &Shape| {
            shape.image().ok_or_else(|| {
                format!("expected an image of channels × height × width, got {shape}")
            })
        };
        let made = |axes: &[usize]| Shape::new(axes).map_err(|error| error.to_string());
        match (self, inputs) {
            (Self::Input, []) => Err("a network has only one input".to_owned()),
            (Self::Convolution(of), [a]) => {
                let [channels, height, width] = image(a)?;
                of.check(channels)?;
                let [rows, columns] = of.window.output([height, width])?;
                made(&[of.channels, rows, columns])
            }
            (Self::Linear(of), [a]) => {
                let mut axes = a.axes().to_vec();
                let columns = std::mem::replace(&mut axes[a.axes().len() - 1], of.rows);
                count("weights", of.weights.len(), of.rows.checked_mul(columns))?;
                finite("weights", &of.weights)?;
                check_bias(&of.bias, of.rows)?;
                made(&axes)
            }
            (Self::Sums(Sums { rows, constant, shape }), [a]) => {
                count("sums", rows.len(), Some(shape.size()))?;
                finite("constants", &[*constant])?;
                match rows
                    .iter()
                    .flatten()
                    .find(|(place, x)| *place as usize >= a.size() || !x.is_finite())
                {
                    None => Ok(shape.clone()),
                    Some((place, x)) => {
                        Err(format!("it adds {x} times value {place} of {}", a.size()))
                    }
                }
            }
            (Self::ChannelScale { factors, summands }, [a]) => {
                count("factors", factors.len(), Some(a.axes()[0]))?;
                count("summands", summands.len(), Some(a.axes()[0]))?;
                finite("factors", factors)?;
                finite("summands", summands)?;
                Ok((*a).clone())
            }
            (Self::AveragePool { window, .. }, [a]) => {
                let [channels, height, width] = image(a)?;
                window.check_pool("average", [height, width])?;
                let [rows, columns] = window.output([height, width])?;
                made(&[channels, rows, columns])
            }
            (Self::GlobalAveragePool, [a]) => made(&[image(a)?[0], 1, 1]),
            (Self::Carried(Carried { which, arguments }), [first, others @ ..]) => {
                let count = inputs.len();
                if *which >= count || !(1..=count).contains(arguments) || arguments + 1 < count {
                    return Err(format!(
                        "value {which} of {count} with {arguments} arguments is not valid"
                    ));
                }
                match others.iter().find(|other| *other != first) {
                    None => Ok((*first).clone()),
                    Some(other) => {
                        Err(format!("its inputs {first} and {other} have different shapes"))
                    }
                }
            }
            (Self::Add | Self::Subtract | Self::Product, [a, b]) => match a == b {
                true => Ok((*a).clone()),
                false => Err(format!("its inputs {a} and {b} have different shapes")),
            },
            (Self::Select(Selection { places, shape }), [a]) => {
                count("places", places.len(), Some(shape.size()))?;
                match places.iter().find(|place| **place as usize >= a.size()) {
                    None => Ok(shape.clone()),
                    Some(place) => Err(format!("it selects value {place} of {}", a.size())),
                }
            }
            (Self::Concat, [first, others @ ..]) => {
                let mut axes = first.axes().to_vec();
                for other in others {
                    if other.axes().len() != axes.len() || other.axes()[1..] != axes[1..] {
                        return Err(format!(
                            "it cannot join {first} and {other} along the channels"
                        ));
                    }
                    axes[0] = axes[0].saturating_add(other.axes()[0]);
                }
                made(&axes)
            }
            (Self::Reshape(shape), [a]) => match a.size() == shape.size() {
                true => Ok(shape.clone()),
                false => Err(format!("{a} cannot become {shape}: the numbers of values differ")),
            },
            (Self::Activation(Activation::Polynomial(coefficients)), [_])
                if coefficients.is_empty() =>
            {
                Err("a polynomial needs at least one coefficient".to_owned())
            }
            (Self::Activation(of), [a]) => {
                if let Activation::Polynomial(coefficients) = of {
                    finite("coefficients", coefficients)?;
                }
                Ok((*a).clone())
            }
            (of, inputs) => Err(format!("a {} of {} inputs", of.name(), inputs.len())),
        }
    }
}

impl Convolution {
    /// Returns the number of channels of the image in a group, and of the result in a group.
    pub(crate) fn group_sizes(&self, channels: usize) -> [usize; 2] {
        [channels / self.groups, self.channels / self.groups]
    }

    fn check(&self, channels: usize) -> Result<(), String> {
        let groups = self.groups;
        if groups == 0 || !channels.is_multiple_of(groups) || !self.channels.is_multiple_of(groups)
        {
            return Err(format!(
                "{groups} groups do not divide {channels} channels before and {} after",
                self.channels
            ));
        }
        let wanted = [channels / groups, self.window.kernel[0], self.window.kernel[1]]
            .iter()
            .try_fold(self.channels, |product, factor| product.checked_mul(*factor));
        count("weights", self.weights.len(), wanted)?;
        finite("weights", &self.weights)?;
        check_bias(&self.bias, self.channels)
    }
}

fn count(what: &str, got: usize, wanted: Option<usize>) -> Result<(), String> {
    match wanted {
        Some(wanted) if wanted == got => Ok(()),
        Some(wanted) => Err(format!("it has {got} {what}, but its input's shape needs {wanted}")),
        None => Err(format!("it needs more {what} than can be counted")),
    }
}

fn check_bias(bias: &[f64], wanted: usize) -> Result<(), String> {
    if !bias.is_empty() && bias.len() != wanted {
        return Err(format!("its bias has {} values, but the result {wanted}", bias.len()));
    }
    finite("biases", bias)
}

fn finite(what: &str, values: &[f64]) -> Result<(), String> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(format!("number {place} of its {what} is {}", values[place])),
        None => Ok(()),
    }
}
