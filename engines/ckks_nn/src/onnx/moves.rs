// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operators that only move values: transpositions, slices, selections, shapes.

use super::messages::NodeMessage;
use super::tensor::Constant;

/// The largest number of values of a result.
const MOST_VALUES: usize = 1 << 20;
/// The largest number of axes.
const MOST_AXES: usize = 8;
/// The data type numbers of float, float16, double and bfloat16.
const FLOATS: [i64; 4] = [1, 10, 11, 16];

/// The values of a tensor, rearranged in other axes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Move {
    /// The axes of the result, including the batch.
    pub axes: Vec<usize>,
    /// The source place of each value; `None` if all stay in order.
    pub places: Option<Vec<u32>>,
}

/// Returns the moves of a node that computes nothing: a result for each output.
pub(super) fn moves(
    kind: &str,
    node: &NodeMessage,
    axes: &[usize],
    constants: &[Option<&Constant>],
) -> Option<Result<Vec<Move>, String>> {
    let given = MoveArguments { node, constants };
    let one = |result: Result<Move, String>| Some(result.map(|of| vec![of]));
    match kind {
        "Identity" | "Dropout" => one(Move::of_shape(axes.to_vec())),
        // A cast to integers would round values.
        "Cast" => one(match FLOATS.contains(&node.int("to", 0)) {
            true => Move::of_shape(axes.to_vec()),
            false => {
                Err(format!("data type {} is not supported: only floats are", node.int("to", 0)))
            }
        }),
        "Flatten" => one(flattened(axes, node.int("axis", 1))),
        "Reshape" => one(given.needed(0, "shape").and_then(|shape| reshaped(axes, &shape))),
        "Squeeze" => one(squeezed(axes, given.list(0, "axes"))),
        "Unsqueeze" => one(unsqueezed(axes, given.list(0, "axes"))),
        "Transpose" => one(transposed(axes, given.node.ints("perm"))),
        "Expand" => one(given.needed(0, "shape").and_then(|shape| expanded(axes, &shape))),
        "Gather" => one(gathered(axes, node.int("axis", 0), given.constant(0))),
        "Slice" => one(given.sliced(axes)),
        "Split" => Some(given.split(axes)),
        _ => None,
    }
}

struct MoveArguments<'a> {
    node: &'a NodeMessage,
    constants: &'a [Option<&'a Constant>],
}

impl MoveArguments<'_> {
    fn constant(&self, place: usize) -> Option<&Constant> {
        self.constants.get(place).copied().flatten()
    }

    /// Returns a list of integers: an input or, in older versions, an attribute.
    fn list(&self, place: usize, name: &str) -> Option<Vec<i64>> {
        match self.constant(place) {
            Some(constant) => constant.integers(),
            None => self.node.ints(name),
        }
    }

    fn needed(&self, place: usize, name: &str) -> Result<Vec<i64>, String> {
        self.list(place, name).ok_or_else(|| format!("its {name} is not a list of integers"))
    }

    fn sliced(&self, axes: &[usize]) -> Result<Move, String> {
        let (starts, ends) = (self.needed(0, "starts")?, self.needed(1, "ends")?);
        let all = (0..starts.len() as i64).collect();
        let along = self.list(2, "axes").unwrap_or(all);
        let steps = self.list(3, "steps").unwrap_or_else(|| vec![1; starts.len()]);
        if [ends.len(), along.len(), steps.len()] != [starts.len(); 3] {
            return Err("its starts, ends, axes and steps have different lengths".to_owned());
        }
        let mut result = Move::of_shape(axes.to_vec())?;
        for (((start, end), along), step) in starts.iter().zip(&ends).zip(&along).zip(&steps) {
            let axis = axis_of(*along, axes.len())?;
            let indices = slice(*start, *end, *step, axes[axis])?;
            result = result.then(|axes| taken(axes, axis, &indices))?;
        }
        Ok(result)
    }

    fn split(&self, axes: &[usize]) -> Result<Vec<Move>, String> {
        let axis = axis_of(self.node.int("axis", 0), axes.len())?;
        let (size, parts) = (axes[axis], self.node.outputs.len());
        let lengths = match self.list(0, "split") {
            Some(lengths) => lengths,
            None => {
                // The last part may be smaller.
                let each = size.div_ceil(parts.max(1));
                let of = |part: usize| size.saturating_sub(part * each).min(each) as i64;
                (0..parts).map(of).collect()
            }
        };
        let lengths: Option<Vec<usize>> = lengths
            .iter()
            .map(|length| usize::try_from(*length).ok().filter(|of| *of > 0))
            .collect();
        let sum =
            |lengths: &Vec<usize>| lengths.iter().try_fold(0usize, |sum, x| sum.checked_add(*x));
        let lengths = lengths.filter(|of| of.len() == parts && sum(of) == Some(size));
        let lengths = lengths
            .ok_or_else(|| format!("it does not split an axis of {size} into {parts} parts"))?;
        let mut first = 0;
        let part = |length: usize| {
            let indices: Vec<usize> = (first..first + length).collect();
            first += length;
            taken(axes, axis, &indices)
        };
        lengths.into_iter().map(part).collect()
    }
}

impl Move {
    /// Returns all values where they are.
    pub fn of_shape(axes: Vec<usize>) -> Result<Self, String> {
        size_of(&axes)?;
        Ok(Self { axes, places: None })
    }

    /// Returns this move followed by another.
    fn then(self, next: impl Fn(&[usize]) -> Result<Self, String>) -> Result<Self, String> {
        let next = next(&self.axes)?;
        let places = match (self.places, next.places) {
            (Some(own), Some(next)) => {
                Some(next.iter().map(|place| own[*place as usize]).collect())
            }
            (own, next) => own.or(next),
        };
        Ok(Self { axes: next.axes, places })
    }

    /// Returns the moved values of a constant.
    pub fn of(&self, constant: &Constant) -> Constant {
        let values = match &self.places {
            None => constant.values.clone(),
            Some(places) => places.iter().map(|place| constant.values[*place as usize]).collect(),
        };
        Constant { axes: self.axes.clone(), values }
    }
}

/// Returns the number of values of a tensor.
pub(super) fn size_of(axes: &[usize]) -> Result<usize, String> {
    let size = axes.iter().try_fold(1usize, |size, axis| size.checked_mul(*axis));
    let size = size.filter(|size| *size <= MOST_VALUES && axes.len() <= MOST_AXES);
    size.ok_or_else(|| {
        let shown = &axes[..axes.len().min(MOST_AXES)];
        format!(
            "a tensor of axes {shown:?}: the limits are {MOST_AXES} axes and {MOST_VALUES} values"
        )
    })
}

/// Returns an axis; a negative number counts from the end.
pub(super) fn axis_of(axis: i64, axes: usize) -> Result<usize, String> {
    let from = if axis < 0 { axis.saturating_add(axes as i64) } else { axis };
    let found = usize::try_from(from).ok().filter(|axis| *axis < axes);
    found.ok_or_else(|| format!("axis {axis} of {axes}"))
}

/// Returns the values at some indices of an axis.
fn taken(axes: &[usize], axis: usize, indices: &[usize]) -> Result<Move, String> {
    let mut result = axes.to_vec();
    result[axis] = indices.len();
    size_of(&result)?;
    let within: usize = axes[axis + 1..].iter().product();
    let blocks: usize = axes[..axis].iter().product();
    let places = (0..blocks).flat_map(|block| {
        indices.iter().flat_map(move |index| {
            let first = (block * axes[axis] + index) * within;
            (first..first + within).map(|place| place as u32)
        })
    });
    Ok(Move { places: Some(places.collect()), axes: result })
}

/// Returns the indices of a slice (ONNX, Slice): ends are clamped to the axis.
fn slice(start: i64, end: i64, step: i64, size: usize) -> Result<Vec<usize>, String> {
    let whole = size as i64;
    let from_end = |place: i64| if place < 0 { place.saturating_add(whole) } else { place };
    let indices: Vec<usize> = match step {
        1.. => {
            let (start, end) = (from_end(start).clamp(0, whole), from_end(end).clamp(0, whole));
            let step = usize::try_from(step).unwrap_or(usize::MAX);
            (start as usize..end.max(start) as usize).step_by(step).collect()
        }
        0 => return Err("a slice with steps of 0".to_owned()),
        _ => {
            let (start, end) =
                (from_end(start).clamp(-1, whole - 1), from_end(end).clamp(-1, whole - 1));
            let step = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
            (end + 1..=start).rev().step_by(step).map(|index| index as usize).collect()
        }
    };
    match indices.is_empty() {
        true => Err(format!("a slice from {start} to {end} of an axis of {size} is empty")),
        false => Ok(indices),
    }
}

fn gathered(axes: &[usize], axis: i64, indices: Option<&Constant>) -> Result<Move, String> {
    let axis = axis_of(axis, axes.len())?;
    let given = indices.and_then(|of| Some((of.integers()?, &of.axes)));
    let (indices, shape) = given.ok_or_else(|| "its indices are not a constant".to_owned())?;
    let of_index = |index: &i64| axis_of(*index, axes[axis]);
    let indices: Vec<usize> = indices.iter().map(of_index).collect::<Result<_, _>>()?;
    let mut result = taken(axes, axis, &indices)?;
    result.axes.splice(axis..=axis, shape.iter().copied());
    size_of(&result.axes)?;
    Ok(result)
}

/// Returns the axes in another order; in reverse order by default.
pub(super) fn transposed(axes: &[usize], order: Option<Vec<i64>>) -> Result<Move, String> {
    let order = order.unwrap_or_else(|| (0..axes.len() as i64).rev().collect());
    let order: Vec<usize> =
        order.iter().map(|axis| axis_of(*axis, axes.len())).collect::<Result<_, _>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..axes.len()) {
        return Err(format!("{order:?} is not an order of {} axes", axes.len()));
    }
    let result: Vec<usize> = order.iter().map(|axis| axes[*axis]).collect();
    let strides = strides(axes);
    let moved: Vec<usize> = order.iter().map(|axis| strides[*axis]).collect();
    walked(result, &moved)
}

fn expanded(axes: &[usize], shape: &[i64]) -> Result<Move, String> {
    let wanted: Option<Vec<usize>> = shape.iter().map(|size| usize::try_from(*size).ok()).collect();
    let wanted = wanted.ok_or_else(|| format!("{shape:?} is not a shape"))?;
    let result = broadcast(axes, &wanted)?;
    broadcast_to(axes, &result)
}

/// Returns the concatenation of tensors along an axis, from the concatenated list of their values.
pub(super) fn joined(all: &[&[usize]], axis: i64) -> Result<Move, String> {
    let Some(first) = all.first() else { return Err("it has nothing to join".to_owned()) };
    let axis = axis_of(axis, first.len())?;
    let mut axes = first.to_vec();
    axes[axis] = 0;
    for other in all {
        let is_alike = other.len() == first.len()
            && (0..axes.len()).all(|at| at == axis || other[at] == first[at]);
        if !is_alike {
            return Err(format!("axes {first:?} and {other:?} cannot be joined along axis {axis}"));
        }
        axes[axis] = axes[axis].saturating_add(other[axis]);
    }
    size_of(&axes)?;
    let blocks: usize = axes[..axis].iter().product();
    if blocks == 1 {
        return Ok(Move { axes, places: None });
    }
    let mut begins = Vec::new();
    let mut begin = 0;
    for other in all {
        let size: usize = other.iter().product();
        begins.push((begin, size / blocks));
        begin += size;
    }
    let places = (0..blocks).flat_map(|block| {
        begins.iter().flat_map(move |(begin, each)| {
            let first = begin + block * each;
            (first..first + each).map(|place| place as u32)
        })
    });
    Ok(Move { places: Some(places.collect()), axes })
}

/// Returns the common axes of two tensors (ONNX, Broadcasting).
pub(super) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, String> {
    let count = a.len().max(b.len());
    let of = |axes: &[usize], place: usize| {
        (place + axes.len()).checked_sub(count).map_or(1, |place| axes[place])
    };
    let both = |place: usize| match (of(a, place), of(b, place)) {
        (1, size) | (size, 1) => Ok(size),
        (a, b) if a == b => Ok(a),
        _ => Err(format!("axes {a:?} and {b:?} do not match")),
    };
    let axes: Vec<usize> = (0..count).map(both).collect::<Result<_, _>>()?;
    size_of(&axes)?;
    Ok(axes)
}

/// Returns values in the axes of [`broadcast`].
pub(super) fn broadcast_to(axes: &[usize], result: &[usize]) -> Result<Move, String> {
    if axes.iter().product::<usize>() == result.iter().product::<usize>() {
        return Move::of_shape(result.to_vec());
    }
    let lacking = result.len() - axes.len();
    let own = strides(axes);
    let stride = |place: usize| match place.checked_sub(lacking) {
        Some(place) if axes[place] > 1 => own[place],
        _ => 0,
    };
    let strides: Vec<usize> = (0..result.len()).map(stride).collect();
    walked(result.to_vec(), &strides)
}

/// Returns the distance of neighbors along each axis.
fn strides(axes: &[usize]) -> Vec<usize> {
    (0..axes.len()).map(|axis| axes[axis + 1..].iter().product()).collect()
}

/// Returns values in these axes, whose source places have these distances.
fn walked(axes: Vec<usize>, distances: &[usize]) -> Result<Move, String> {
    let size = size_of(&axes)?;
    let own = strides(&axes);
    let place = |index: usize| -> u32 {
        let of = |axis: usize| index / own[axis] % axes[axis] * distances[axis];
        (0..axes.len()).map(of).sum::<usize>() as u32
    };
    let places = (0..size).map(place).collect();
    Ok(Move { places: Some(places), axes })
}

fn squeezed(axes: &[usize], given: Option<Vec<i64>>) -> Result<Move, String> {
    let gone: Vec<usize> = match given {
        None => (0..axes.len()).filter(|axis| axes[*axis] == 1).collect(),
        Some(given) => {
            given.iter().map(|axis| axis_of(*axis, axes.len())).collect::<Result<_, _>>()?
        }
    };
    if let Some(axis) = gone.iter().find(|axis| axes[**axis] != 1) {
        return Err(format!(
            "axis {axis} has the size {}, but only axes of size 1 can be dropped",
            axes[*axis]
        ));
    }
    let kept = (0..axes.len()).filter(|axis| !gone.contains(axis));
    Move::of_shape(kept.map(|axis| axes[axis]).collect())
}

fn unsqueezed(axes: &[usize], given: Option<Vec<i64>>) -> Result<Move, String> {
    let given = given.ok_or_else(|| "its axes are not a list of integers".to_owned())?;
    let count = axes.len().saturating_add(given.len());
    let new: Vec<usize> =
        given.iter().map(|axis| axis_of(*axis, count)).collect::<Result<_, _>>()?;
    let mut old = axes.iter().copied();
    let result = (0..count).map(|axis| if new.contains(&axis) { Some(1) } else { old.next() });
    let result: Option<Vec<usize>> = result.collect();
    Move::of_shape(result.ok_or_else(|| "an axis is named twice".to_owned())?)
}

fn flattened(axes: &[usize], axis: i64) -> Result<Move, String> {
    let axis = match usize::try_from(axis) {
        Ok(axis) if axis == axes.len() => axis,
        _ => axis_of(axis, axes.len())?,
    };
    Move::of_shape(vec![axes[..axis].iter().product(), axes[axis..].iter().product()])
}

/// Returns the axes that a shape defines: 0 keeps an axis, −1 is inferred.
fn reshaped(axes: &[usize], wanted: &[i64]) -> Result<Move, String> {
    let unclear = || {
        let shown = &wanted[..wanted.len().min(MOST_AXES)];
        format!("axes {axes:?} cannot be reshaped to {shown:?}")
    };
    let size = size_of(axes)?;
    let mut sizes = Vec::new();
    for (place, axis) in wanted.iter().enumerate() {
        sizes.push(match axis {
            0 => Some(*axes.get(place).ok_or_else(unclear)?),
            -1 => None,
            size => Some(usize::try_from(*size).map_err(|_| unclear())?),
        });
    }
    let known = sizes.iter().flatten().try_fold(1usize, |size, axis| size.checked_mul(*axis));
    let known = known.filter(|known| *known > 0).ok_or_else(unclear)?;
    let open = sizes.iter().filter(|size| size.is_none()).count();
    let fits = if open == 0 { size == known } else { open == 1 && size.is_multiple_of(known) };
    if !fits {
        return Err(unclear());
    }
    Move::of_shape(sizes.iter().map(|axis| axis.unwrap_or(size / known)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_those_of_numpy() {
        let of = |start, end, step| slice(start, end, step, 6).unwrap();
        assert_eq!(of(1, 4, 1), [1, 2, 3]);
        assert_eq!(of(-2, i64::MAX, 1), [4, 5]);
        assert_eq!(of(0, 100, 4), [0, 4]);
        assert_eq!(of(-1, i64::MIN, -2), [5, 3, 1]);
        assert_eq!(of(100, 2, -1), [5, 4, 3]);
        for (start, end, step) in [(3, 3, 1), (4, 1, 1), (1, 4, -1), (0, 1, 0)] {
            assert!(slice(start, end, step, 6).is_err(), "{start} {end} {step}");
        }
    }

    #[test]
    fn moves_by_hand() {
        let places = |of: Result<Move, String>| of.unwrap().places.unwrap();
        assert_eq!(places(transposed(&[2, 3], None)), [0, 3, 1, 4, 2, 5]);
        assert_eq!(places(transposed(&[1, 2, 2], Some(vec![2, 0, 1]))), [0, 2, 1, 3]);
        assert_eq!(places(taken(&[2, 3, 2], 1, &[2, 0])), [4, 5, 0, 1, 10, 11, 6, 7]);
        assert_eq!(places(broadcast_to(&[2, 1], &[2, 3])), [0, 0, 0, 1, 1, 1]);
        assert_eq!(broadcast(&[4, 1, 3], &[2, 1]).unwrap(), [4, 2, 3]);
        assert!(broadcast(&[4], &[3]).is_err());
        let both = taken(&[4], 0, &[3, 1, 0]).unwrap().then(|axes| taken(axes, 0, &[2, 0]));
        assert_eq!(places(both), [0, 3]);
        assert_eq!(squeezed(&[1, 2, 1], Some(vec![-1])).unwrap().axes, [1, 2]);
        assert_eq!(unsqueezed(&[2], Some(vec![0, -1])).unwrap().axes, [1, 2, 1]);
        assert_eq!(reshaped(&[1, 6], &[0, 2, -1]).unwrap().axes, [1, 2, 3]);
        assert!(reshaped(&[1, 6], &[4]).is_err() && squeezed(&[2], Some(vec![0])).is_err());
        assert!(unsqueezed(&[2], Some(vec![0, 0])).is_err());
        assert!(transposed(&[2, 2], Some(vec![0, 0])).is_err());
    }
}
