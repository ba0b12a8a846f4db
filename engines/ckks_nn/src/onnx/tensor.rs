// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constants of a model: weights, shapes, exponents.

use super::messages::Tensor;

/// The largest number of values of a tensor: those of a linear layer of 2¹⁴ by 2¹².
const MOST_VALUES: usize = 1 << 26;

/// A constant. Integers up to 2⁵³ are exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// The axes; empty for a number.
    pub axes: Vec<usize>,
    /// The values. The last axis varies fastest.
    pub values: Vec<f64>,
}

impl Constant {
    /// Returns the values as integers, if they are integers.
    pub fn integers(&self) -> Option<Vec<i64>> {
        let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
        let whole = |value: &f64| is_whole(value).then_some(*value as i64);
        self.values.iter().map(whole).collect()
    }
}

/// Returns the values of a tensor, from the field that holds them.
pub fn constant(tensor: &Tensor) -> Result<Constant, String> {
    if tensor.data_location != 0 {
        return Err("its data is in another file: save the model with its weights inside".into());
    }
    let axis = |dim: &i64| usize::try_from(*dim).ok();
    let axes: Option<Vec<usize>> = tensor.dims.iter().map(axis).collect();
    let axes = axes.ok_or_else(|| format!("its axes are {:?}", tensor.dims))?;
    let size = axes.iter().try_fold(1usize, |size, axis| size.checked_mul(*axis));
    let size = size.filter(|size| *size <= MOST_VALUES);
    let size = size.ok_or_else(|| {
        format!("its axes are {axes:?}, but a tensor has at most {MOST_VALUES} values")
    })?;
    let raw = &tensor.raw_data;
    let values: Vec<f64> = match tensor.data_type {
        1 if !raw.is_empty() => words(raw, |four: [u8; 4]| f64::from(f32::from_le_bytes(four))),
        1 => tensor.float_data.iter().map(|value| f64::from(*value)).collect(),
        6 if !raw.is_empty() => words(raw, |four: [u8; 4]| f64::from(i32::from_le_bytes(four))),
        6 => tensor.int32_data.iter().map(|value| f64::from(*value)).collect(),
        7 if !raw.is_empty() => words(raw, |eight: [u8; 8]| i64::from_le_bytes(eight) as f64),
        7 => tensor.int64_data.iter().map(|value| *value as f64).collect(),
        11 if !raw.is_empty() => words(raw, f64::from_le_bytes),
        11 => tensor.double_data.clone(),
        other => {
            return Err(format!(
                "its data type has the number {other}: float (1), int32 (6), int64 (7) and double \
                 (11) are read"
            ))
        }
    };
    if values.len() != size {
        let got = values.len();
        return Err(format!("it has {got} whole values for axes {axes:?}, expected {size}"));
    }
    Ok(Constant { axes, values })
}

/// Returns the texts of a tensor of one axis; `None` for a tensor of numbers.
pub fn texts(tensor: &Tensor) -> Option<Vec<String>> {
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    (tensor.data_type == 8).then(|| tensor.string_data.iter().map(text).collect())
}

/// Returns the words; `None` if bytes are left over, which the number of values reveals.
fn words<const SIZE: usize>(bytes: &[u8], of: impl Fn([u8; SIZE]) -> f64) -> Vec<f64> {
    let word = |chunk: &[u8]| <[u8; SIZE]>::try_from(chunk).map(&of).unwrap_or(f64::NAN);
    match bytes.len() % SIZE {
        0 => bytes.chunks_exact(SIZE).map(word).collect(),
        _ => Vec::new(),
    }
}
