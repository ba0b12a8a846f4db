// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Attributes of nodes, with their defaults.

use super::messages::{Attribute, NodeMessage};
use crate::graph::Window;
use crate::post_processing::Label;

impl NodeMessage {
    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns an integer.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |attribute| attribute.int)
    }

    /// Returns the node with another attribute.
    pub fn with_int(mut self, name: &str, int: i64) -> Self {
        self.attributes.push(Attribute { name: name.to_owned(), int, ..Attribute::default() });
        self
    }

    /// Returns a number.
    pub fn float(&self, name: &str, default: f32) -> f64 {
        f64::from(self.attribute(name).map_or(default, |attribute| attribute.float))
    }

    /// Returns a text.
    pub fn text(&self, name: &str, default: &str) -> String {
        let text = self.attribute(name).map(|attribute| attribute.string.as_slice());
        text.map_or_else(|| default.to_owned(), |text| String::from_utf8_lossy(text).into_owned())
    }

    /// Returns `true` if an attribute of this name exists.
    pub fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// Returns a list of integers.
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.attribute(name).map(|attribute| attribute.ints.clone())
    }

    /// Returns a list of numbers; empty by default.
    pub fn floats(&self, name: &str) -> Vec<f64> {
        let floats = self.attribute(name).map_or(&[][..], |attribute| &attribute.floats);
        floats.iter().copied().map(f64::from).collect()
    }

    /// Returns a list of texts; empty by default.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.attribute(name).map_or(&[][..], |attribute| &attribute.strings);
        texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }

    /// Returns the names of classes, from a list of integers or of texts.
    pub fn labels(&self, integers: &str, texts: &str) -> Vec<Label> {
        match self.ints(integers).filter(|integers| !integers.is_empty()) {
            Some(integers) => integers.into_iter().map(Label::Integer).collect(),
            None => self.texts(texts).into_iter().map(Label::Text).collect(),
        }
    }

    /// Returns a list of sizes, which must have the length of the default.
    fn sizes<const COUNT: usize>(
        &self,
        name: &str,
        default: [usize; COUNT],
    ) -> Result<[usize; COUNT], String> {
        let Some(attribute) = self.attribute(name) else { return Ok(default) };
        let sizes: Option<Vec<usize>> =
            attribute.ints.iter().map(|size| usize::try_from(*size).ok()).collect();
        let sizes = sizes.and_then(|sizes| sizes.try_into().ok());
        sizes.ok_or_else(|| {
            let got = &attribute.ints[..attribute.ints.len().min(8)];
            format!("its {name} are {got:?}, expected {COUNT} numbers from 0 for an image")
        })
    }

    /// Returns a constant tensor.
    pub fn tensor(&self, name: &str) -> Option<&super::messages::Tensor> {
        self.attribute(name).and_then(|attribute| attribute.tensor.as_ref())
    }

    /// Returns the window of a convolution or pool over an image. The kernel of a convolution may
    /// follow from its weights.
    pub fn window(&self, kernel: Option<[usize; 2]>, size: [usize; 2]) -> Result<Window, String> {
        let kernel = match (self.attribute("kernel_shape"), kernel) {
            (None, None) => return Err("it has no kernel_shape".to_owned()),
            (_, of_weights) => {
                let stated = self.sizes("kernel_shape", of_weights.unwrap_or([1; 2]))?;
                if of_weights.is_some_and(|of_weights| of_weights != stated) {
                    return Err(format!("its kernel_shape {stated:?} does not match its weights"));
                }
                stated
            }
        };
        if self.int("ceil_mode", 0) != 0 {
            return Err("ceil_mode is not supported: sizes are rounded down".to_owned());
        }
        let strides = self.sizes("strides", [1; 2])?;
        let dilations = self.sizes("dilations", [1; 2])?;
        let mut window = Window { kernel, strides, dilations, pads: [0; 4] };
        match self.text("auto_pad", "NOTSET").as_str() {
            "NOTSET" => window.pads = self.sizes("pads", [0; 4])?,
            "VALID" => {}
            "SAME_UPPER" => window.pads = same_pads(&window, size, false),
            "SAME_LOWER" => window.pads = same_pads(&window, size, true),
            other => return Err(format!("auto_pad {other:?} is not defined in ONNX")),
        }
        Ok(window)
    }
}

/// Returns the pads with which the result has ⌈size/stride⌉ rows and columns.
fn same_pads(window: &Window, size: [usize; 2], is_lower: bool) -> [usize; 4] {
    let mut pads = [0; 4];
    for axis in 0..2 {
        let stride = window.strides[axis].max(1);
        let results = size[axis].div_ceil(stride);
        let extent = window.kernel[axis].saturating_sub(1).saturating_mul(window.dilations[axis]);
        let wanted = (results.saturating_sub(1) * stride).saturating_add(extent.saturating_add(1));
        let all = wanted.saturating_sub(size[axis]);
        let before = if is_lower { all.div_ceil(2) } else { all / 2 };
        (pads[axis], pads[axis + 2]) = (before, all - before);
    }
    pads
}
