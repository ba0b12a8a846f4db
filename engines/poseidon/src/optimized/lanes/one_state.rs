// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's permutation of one state, one element per lane, with the partial rounds as a
//! [`Recurrence`].
//!
//! *Full rounds* raise all elements to the fifth power at once; a matrix is multiplied column by
//! column, with each S-box output broadcast to the lanes.
//!
//! *Partial rounds* are one long chain of S-boxes, which the processor's ordinary multiplier
//! computes with less latency ([`fr::fifth_power`]). Meanwhile the lanes accumulate the inputs of
//! the next rounds: lane k mod W holds Uₖ, unreduced, for the next W ≥ t−1 rounds. A round takes
//! the next round's sum Kₖ₊₁ = Uₖ₊₁ − Yₖ from its lane, which restarts from zero. It broadcasts the
//! sum, and its own output Yₖ once available, to the lanes and multiplies them by the coefficients
//! of each of those rounds. The lanes do not wait for Uₖ₊₁, because its share of Yₖ is included in
//! Yₖ's coefficients.
//!
//! This is [`Sums::ALaneEach`]. A narrow state leaves most lanes empty; [`LimbSum`] computes its
//! sums in another way, [`Sums::InLimbs`].
//!
//! *Forms.* Full rounds hold x·2²⁶⁰, partial rounds x·2²⁵⁶; the constants of the entry and exit
//! convert between them. *Ranges*, in multiples of r: in full rounds as in [`super::quintic`]; in
//! partial rounds inputs are below 1.02, outputs below 1.93 and the K below 5: K ≤ 2 + n·(K +
//! 1.93)·r/2²⁶⁰ for n < 16 with r/2²⁶⁰ < 0.0283.

#![allow(clippy::needless_range_loop)] // one index runs through several arrays

use halimede_arith::field::Bls12381Scalar;
use halimede_arith::lanes::element::{
    add_product, carry, factors, limbs_52, multiply, reduce, splat_factors, square, start,
    ProductSum, LIMBS,
};
use halimede_arith::lanes::vector::{LIMB_BITS, LIMB_MASK};
use halimede_arith::lanes::{fr as quick, transfer, Columns, Factors, Kernel, Lanes, Wide, LANES};
use halimede_arith::serial::{fr, Arithmetic};
use halimede_arith::Fr;

use super::limb_sums::LimbSum;
use super::{limbs, pack, Limbs, Packed};
use crate::optimized::recurrence::{Recurrence, Row};

/// The widest state that fits: two groups of eight elements.
pub(in crate::optimized) const MAX_ELEMENTS: usize = 2 * LANES;

/// The widest state for [`Sums::InLimbs`].
pub(in crate::optimized) const MOST_FOR_LIMBS: usize = 5;

/// A matrix by columns, and the constants added to its product.
#[derive(Clone, Debug)]
struct Layer {
    /// For each input, its coefficients: one per output, in groups of eight.
    columns: Vec<Vec<Packed>>,
    constants: Vec<Packed>,
}

/// The coefficients with which a partial round's values, its K and the output of the round before,
/// enter the sums of later rounds.
#[derive(Clone, Debug)]
struct Step {
    /// The coefficients of K, in groups of eight lanes.
    known: Vec<Packed>,
    /// The coefficients of the output of the round before.
    output: Vec<Packed>,
}

/// The tables of a Filecoin instance of at most [`MAX_ELEMENTS`] elements.
#[derive(Clone, Debug)]
pub(in crate::optimized) struct OneState {
    width: usize,
    /// The constants before the first round.
    initial: Vec<Packed>,
    /// The layer after the S-boxes of each full round. The one before the partial rounds computes
    /// U₂₋ₜ, …, U₀ and Y₋₁.
    full: Vec<Layer>,
    /// The number of these layers before the partial rounds.
    before: usize,
    /// The coefficients of U₂₋ₜ, …, U₀ and Y₋₁ in the sums of the first rounds.
    begin: Vec<Vec<Packed>>,
    /// The steps of U₁ and Y₀, U₂ and Y₁, ….
    steps: Vec<Step>,
    /// The constant terms of U₁, U₂, ….
    constants: Vec<Limbs>,
    /// U₁ − Y₀, U₂ − Y₁, … computed in limbs; empty if the state is too wide.
    limb_sums: Vec<LimbSum>,
    /// Computes the next full round's inputs from the latest t−1 inputs and t−1 outputs.
    exit: Layer,
}

/// A permutation of one state.
pub(in crate::optimized) struct Permutation<'a> {
    pub tables: &'a OneState,
    /// The state, of the width of the tables.
    pub state: &'a [Fr],
    /// The method for the partial rounds' sums.
    pub sums: Sums,
}

/// The placement of the partial rounds' sums of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::optimized) enum Sums {
    /// One lane for each of the next rounds.
    ALaneEach,
    /// One sum at a time, its limbs in lanes ([`LimbSum`]), for states of at most
    /// [`MOST_FOR_LIMBS`] elements; wider states use one lane each regardless.
    InLimbs,
}

impl Kernel for Permutation<'_> {
    type Output = Elements;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Elements {
        self.tables.permute::<L>(self.state, self.sums)
    }
}

impl OneState {
    /// Returns `None` for a state of more than [`MAX_ELEMENTS`] elements or more rounds than
    /// [`HISTORY`].
    pub fn new(recurrence: &Recurrence) -> Option<Self> {
        let n = recurrence.entry.len();
        let width = n + 1;
        let (initial, first) = recurrence.first_full.split_first()?;
        let rows = uniform_rows(recurrence)?;
        if width > MAX_ELEMENTS || rows.len() >= HISTORY {
            return None;
        }
        let mds = recurrence.mds.rows();
        let layer = |constants: &Vec<Fr>| Layer::new(mds, constants, limbs, limbs);
        let mut full: Vec<Layer> = first.iter().map(layer).collect();
        full.push(entry(recurrence));
        let before = full.len();
        full.extend(recurrence.last_full.iter().map(layer));
        full.push(Layer::new(mds, &vec![Fr::ZERO; width], plain, plain));
        let window = n.div_ceil(LANES);
        let begin = (0..width).map(|value| {
            // U₁₋ₙ … U₀ and Y₋₁.
            pack_window(window, 0, &rows, |row, latest| match value.checked_sub(n) {
                None => input_coefficient(row, latest, value as isize + 1 - n as isize),
                Some(_) => output_coefficient(row, latest, -1),
            })
        });
        let step = |k: usize| Step {
            known: pack_window(window, k, &rows, |row, latest| {
                input_coefficient(row, latest, k as isize)
            }),
            output: pack_window(window, k, &rows, |row, latest| {
                let own = output_coefficient(row, latest, k as isize - 1);
                let through = input_coefficient(row, latest, k as isize);
                Some(own.unwrap_or(Fr::ZERO) + through.unwrap_or(Fr::ZERO))
            }),
        };
        Some(Self {
            width,
            initial: pack(initial, limbs),
            full,
            before,
            begin: begin.collect(),
            steps: (1..rows.len()).map(step).collect(),
            constants: rows.iter().map(|row| plain(&row.constant)).collect(),
            limb_sums: if width <= MOST_FOR_LIMBS {
                rows.iter().map(LimbSum::new).collect()
            } else {
                Vec::new()
            },
            exit: exit(recurrence)?,
        })
    }
}

/// c·2²⁵⁶ mod r.
fn plain(constant: &Fr) -> Limbs {
    limbs_52(constant.montgomery_limbs())
}

/// The rows that give each next input minus the newest output, including the row of U_P, which is
/// scaled like the others.
fn uniform_rows(recurrence: &Recurrence) -> Option<Vec<Row>> {
    let mut exit = recurrence.exit_first.clone();
    let unscale = exit.outputs.pop()?.inverse()?;
    exit.inputs.iter_mut().chain(&mut exit.outputs).for_each(|c| *c *= unscale);
    exit.constant *= unscale;
    Some(recurrence.rounds.iter().cloned().chain([exit]).collect())
}

/// The layer that computes U₁₋ₙ … U₀ and Y₋₁, in the form of partial rounds.
fn entry(recurrence: &Recurrence) -> Layer {
    let n = recurrence.entry.len();
    let mut rows = recurrence.entry.clone();
    rows.push((0..=n).map(|column| if column == 0 { Fr::ONE } else { Fr::ZERO }).collect());
    let mut constants = vec![Fr::ZERO; n + 1];
    constants[n - 1] = recurrence.entry_constant;
    Layer::new(&rows, &constants, plain, plain)
}

/// The layer from U_{P+1−n} … U_P and Y_{P−n} … Y_{P−1} to the form of full rounds.
fn exit(recurrence: &Recurrence) -> Option<Layer> {
    let n = recurrence.entry.len();
    let scale = *recurrence.exit_first.outputs.last()?;
    let mut first = vec![Fr::ZERO; 2 * n];
    first[n - 1] = scale;
    let mut rows = vec![first];
    let mut constants = vec![Fr::ZERO];
    for row in &recurrence.exit {
        let mut coefficients = row.inputs.clone();
        coefficients[n - 1] *= scale;
        coefficients.extend(&row.outputs);
        rows.push(coefficients);
        constants.push(row.constant);
    }
    // 2²⁵⁶ is the input scale and 2²⁶⁰ the output scale; the product divides by 2²⁶⁰.
    Some(Layer::new(&rows, &constants, |c| limbs(&(*c * Fr::from(16))), limbs))
}

/// The coefficient, in a row whose latest input is U of `latest`, of U of `index`.
fn input_coefficient(row: &Row, latest: usize, index: isize) -> Option<Fr> {
    let place = index + row.inputs.len() as isize - 1 - latest as isize;
    row.inputs.get(usize::try_from(place).ok()?).copied()
}

/// The coefficient, in a row whose latest output is Y of `latest` − 1, of Y of `index`.
fn output_coefficient(row: &Row, latest: usize, index: isize) -> Option<Fr> {
    let place = index + row.outputs.len() as isize - latest as isize;
    row.outputs.get(usize::try_from(place).ok()?).copied()
}

/// The coefficients of a value in the rows from `latest` on, each in the lane of its round.
fn pack_window(
    groups: usize,
    latest: usize,
    rows: &[Row],
    coefficient: impl Fn(&Row, usize) -> Option<Fr>,
) -> Vec<Packed> {
    let lanes = groups * LANES;
    let mut window = vec![Fr::ZERO; lanes];
    for (round, row) in rows.iter().enumerate().skip(latest).take(lanes) {
        window[(round + 1) % lanes] = coefficient(row, round).unwrap_or(Fr::ZERO);
    }
    pack(&window, limbs)
}

impl Layer {
    fn new(
        rows: &[Vec<Fr>],
        constants: &[Fr],
        coefficient_form: impl Fn(&Fr) -> Limbs,
        constant_form: impl Fn(&Fr) -> Limbs,
    ) -> Self {
        let column = |index: usize| {
            let column: Vec<Fr> = rows.iter().map(|row| row[index]).collect();
            pack(&column, &coefficient_form)
        };
        let inputs = rows.first().map_or(0, Vec::len);
        Self {
            columns: (0..inputs).map(column).collect(),
            constants: pack(constants, constant_form),
        }
    }
}

/// The capacity for the partial rounds' values.
const HISTORY: usize = 96;

/// The elements of the permuted state; elements beyond its width are arbitrary.
pub(in crate::optimized) type Elements = [Fr; MAX_ELEMENTS];

/// Groups of eight elements, in limbs.
type Stored<const GROUPS: usize> = [Packed; GROUPS];

impl OneState {
    #[inline(always)]
    fn permute<L: Lanes>(&self, state: &[Fr], sums: Sums) -> Elements {
        match (self.width.div_ceil(LANES), (self.width - 1).div_ceil(LANES)) {
            (1, _) if sums == Sums::InLimbs && !self.limb_sums.is_empty() => {
                self.permute_groups::<L, 1, 0>(state)
            }
            (1, _) => self.permute_groups::<L, 1, 1>(state),
            (2, 1) => self.permute_groups::<L, 2, 1>(state),
            _ => self.permute_groups::<L, 2, 2>(state),
        }
    }

    /// Permutes with `STATE` groups of elements and `WINDOW` groups of sums; `WINDOW` is 0 for sums
    /// in limbs.
    #[inline(always)]
    fn permute_groups<L: Lanes, const STATE: usize, const WINDOW: usize>(
        &self,
        state: &[Fr],
    ) -> Elements {
        let mut groups = self.load::<L, STATE>(state);
        for (round, layer) in self.full.iter().enumerate() {
            // All rounds share one call, because the inlined code is large.
            if round == self.before {
                let entered = stored::<L, STATE>(groups);
                groups = if WINDOW == 0 {
                    self.partial_rounds_in_limbs::<L, STATE>(&entered)
                } else {
                    self.partial_rounds::<L, STATE, WINDOW>(&entered)
                };
            }
            let outputs = sboxes::<L, STATE>(groups);
            groups = multiply_layer::<L, STATE>(layer, |index| limbs_at(&outputs, index));
        }
        let mut elements = [Fr::ZERO; MAX_ELEMENTS];
        for group in 0..STATE {
            let group_elements = transfer::store::<L, Bls12381Scalar>(groups[group]);
            elements[group * LANES..(group + 1) * LANES].copy_from_slice(&group_elements);
        }
        elements
    }

    /// Loads the state and adds the first round's constants.
    #[inline(always)]
    fn load<L: Lanes, const STATE: usize>(&self, state: &[Fr]) -> [Columns<L>; STATE] {
        let mut groups = [[L::splat(0); LIMBS]; STATE];
        for group in 0..STATE {
            let element = |lane: usize| state.get(group * LANES + lane).unwrap_or(&Fr::ZERO);
            groups[group] = transfer::load::<L, Bls12381Scalar>([
                element(0),
                element(1),
                element(2),
                element(3),
                element(4),
                element(5),
                element(6),
                element(7),
            ]);
            for limb in 0..LIMBS {
                let constant = L::load(&self.initial[group][limb]);
                groups[group][limb] = groups[group][limb].add(constant);
            }
        }
        groups
    }

    /// Maps the entry's values to the inputs of the full round after the partial rounds.
    #[inline(always)]
    fn partial_rounds<L: Lanes, const STATE: usize, const WINDOW: usize>(
        &self,
        entered: &Stored<STATE>,
    ) -> [Columns<L>; STATE] {
        let n = self.width - 1;
        let mut sums = [[L::splat(0); 2 * LIMBS]; WINDOW];
        for (value, columns) in self.begin.iter().enumerate() {
            add_spread::<L, WINDOW>(&mut sums, columns, &limbs_at(entered, value));
        }
        // U and Y of round k at index k, in limbs.
        let mut inputs = [[0u64; LIMBS]; HISTORY];
        let mut outputs = [[0u64; LIMBS]; HISTORY];
        let mut input = fr::fold::<L::Serial>(serial_sum(limbs_at(entered, n - 1)));
        for (round, constant) in self.constants.iter().enumerate() {
            // Before the S-box: the processor starts instructions roughly in program order, and the
            // products of the next output wait for this.
            let known = take_lane::<L, WINDOW>(&mut sums, (round + 1) % (WINDOW * LANES), constant);
            let output = L::Serial::fifth_power(input);
            outputs[round] = limbs_52(output);
            if let Some(step) = self.steps.get(round) {
                add_spread::<L, WINDOW>(&mut sums, &step.known, &known);
                add_spread::<L, WINDOW>(&mut sums, &step.output, &outputs[round]);
            }
            let sum = fr::add::<L::Serial>(serial_sum(known), output);
            input = fr::fold::<L::Serial>(sum);
            inputs[round + 1] = limbs_52(input);
        }
        let rounds = self.constants.len();
        self.leave::<L, STATE>(&inputs[..=rounds], &outputs[..rounds])
    }

    /// [`Self::partial_rounds`] with the sums in limbs.
    #[inline(always)]
    fn partial_rounds_in_limbs<L: Lanes, const STATE: usize>(
        &self,
        entered: &Stored<STATE>,
    ) -> [Columns<L>; STATE] {
        let n = self.width - 1;
        // U₁₋ₙ … U₀, U₁, … and Y₋₁, Y₀, … in limbs.
        let mut inputs = [[0u64; LIMBS]; HISTORY + MAX_ELEMENTS];
        let mut outputs = [[0u64; LIMBS]; HISTORY + 1];
        for (index, input) in inputs.iter_mut().take(n).enumerate() {
            *input = limbs_at(entered, index);
        }
        outputs[0] = limbs_at(entered, n);
        let mut input = fr::fold::<L::Serial>(serial_sum(inputs[n - 1]));
        for (round, sum) in self.limb_sums.iter().enumerate() {
            let sums = sum.of::<L>(&inputs[..n + round], &outputs[..=round]);
            let output = L::Serial::fifth_power(input);
            input = sums.known().plus::<L::Serial>(output);
            outputs[round + 1] = limbs_52(output);
            inputs[n + round] = limbs_52(input);
        }
        let rounds = self.limb_sums.len();
        self.leave::<L, STATE>(&inputs[..n + rounds], &outputs[..=rounds])
    }

    /// Computes the inputs of the next full round from the latest of these inputs and outputs.
    #[inline(always)]
    fn leave<L: Lanes, const STATE: usize>(
        &self,
        inputs: &[Limbs],
        outputs: &[Limbs],
    ) -> [Columns<L>; STATE] {
        let n = self.width - 1;
        let (inputs, outputs) = (&inputs[inputs.len() - n..], &outputs[outputs.len() - n..]);
        multiply_layer::<L, STATE>(&self.exit, |index| match index.checked_sub(n) {
            None => inputs[index],
            Some(index) => outputs[index],
        })
    }
}

/// The limbs of one element.
#[inline(always)]
fn limbs_at<const GROUPS: usize>(stored: &Stored<GROUPS>, index: usize) -> Limbs {
    let (group, lane) = (&stored[index / LANES], index % LANES);
    [group[0][lane], group[1][lane], group[2][lane], group[3][lane], group[4][lane]]
}

#[inline(always)]
fn stored<L: Lanes, const GROUPS: usize>(groups: [Columns<L>; GROUPS]) -> Stored<GROUPS> {
    let mut stored = [[[0; LANES]; LIMBS]; GROUPS];
    for group in 0..GROUPS {
        let limbs = carry(groups[group]);
        for limb in 0..LIMBS {
            stored[group][limb] = limbs[limb].store();
        }
    }
    stored
}

/// a², reduced. A single group would stall on its own results and uses [`quick`]; two groups keep
/// the multipliers busy.
#[inline(always)]
fn squared<L: Lanes, const GROUPS: usize>(a: &Factors<L>) -> Columns<L> {
    if GROUPS == 1 {
        quick::square::<L>(a)
    } else {
        reduce::<L, Bls12381Scalar>(square::<L, Bls12381Scalar>(a))
    }
}

/// a·b, reduced, as in [`squared`].
#[inline(always)]
fn multiplied<L: Lanes, const GROUPS: usize>(a: &Factors<L>, b: &Factors<L>) -> Columns<L> {
    if GROUPS == 1 {
        quick::multiply::<L>(a, b)
    } else {
        multiply::<L, Bls12381Scalar>(a, b)
    }
}

/// A sum of products, reduced, as in [`squared`].
#[inline(always)]
fn reduced<L: Lanes, const GROUPS: usize>(wide: Wide<L>) -> Columns<L> {
    if GROUPS == 1 {
        quick::reduce::<L>(wide)
    } else {
        reduce::<L, Bls12381Scalar>(wide)
    }
}

/// The fifth power of each element.
#[inline(always)]
fn sboxes<L: Lanes, const GROUPS: usize>(inputs: [Columns<L>; GROUPS]) -> Stored<GROUPS> {
    let mut columns = inputs;
    let mut bases = [factors(inputs[0]); GROUPS];
    for group in 0..GROUPS {
        bases[group] = factors(inputs[group]);
    }
    for _ in 0..2 {
        for group in 0..GROUPS {
            columns[group] = squared::<L, GROUPS>(&factors(columns[group]));
        }
    }
    for group in 0..GROUPS {
        columns[group] = multiplied::<L, GROUPS>(&factors(columns[group]), &bases[group]);
    }
    stored::<L, GROUPS>(columns)
}

/// Applies a layer to values that are given in limbs.
#[inline(always)]
fn multiply_layer<L: Lanes, const GROUPS: usize>(
    layer: &Layer,
    value: impl Fn(usize) -> Limbs,
) -> [Columns<L>; GROUPS] {
    let products = layer.columns.len() as u64;
    let mut wides = [start::<L, Bls12381Scalar>(products); GROUPS];
    if GROUPS == 1 {
        let mut sum = ProductSum::<L>::new();
        for (index, column) in layer.columns.iter().enumerate() {
            sum.add_product(&load_factors::<L>(&column[0]), &splat_factors::<L>(&value(index)));
        }
        wides[0] = sum.finish::<Bls12381Scalar>(products);
    } else {
        for (index, column) in layer.columns.iter().enumerate() {
            add_spread::<L, GROUPS>(&mut wides, column, &value(index));
        }
    }
    let mut results = [[L::splat(0); LIMBS]; GROUPS];
    for group in 0..GROUPS {
        results[group] = reduced::<L, GROUPS>(wides[group]);
        for limb in 0..LIMBS {
            let constant = L::load(&layer.constants[group][limb]);
            results[group][limb] = results[group][limb].add(constant);
        }
    }
    results
}

/// sums += value·column, lane by lane.
#[inline(always)]
fn add_spread<L: Lanes, const GROUPS: usize>(
    sums: &mut [Wide<L>; GROUPS],
    column: &[Packed],
    value: &Limbs,
) {
    let value = splat_factors::<L>(value);
    for group in 0..GROUPS {
        add_product(&mut sums[group], &load_factors::<L>(&column[group]), &value);
    }
}

#[inline(always)]
fn load_factors<L: Lanes>(packed: &Packed) -> Factors<L> {
    [
        L::load(&packed[0]).factor(),
        L::load(&packed[1]).factor(),
        L::load(&packed[2]).factor(),
        L::load(&packed[3]).factor(),
        L::load(&packed[4]).factor(),
    ]
}

/// Takes the sum of one lane, reduced, plus a constant, and resets the lane to zero.
#[inline(always)]
fn take_lane<L: Lanes, const WINDOW: usize>(
    sums: &mut [Wide<L>; WINDOW],
    lane: usize,
    constant: &Limbs,
) -> Limbs {
    let others = L::load(&OTHER_LANES[lane % LANES]);
    let mut limbs = *constant;
    for group in 0..WINDOW {
        if lane / LANES == group {
            let reduced = quick::reduce::<L>(sums[group]);
            for limb in 0..LIMBS {
                limbs[limb] = limbs[limb].wrapping_add(reduced[limb].store()[lane % LANES]);
            }
            for column in &mut sums[group] {
                *column = column.and(others);
            }
        }
    }
    for limb in 1..LIMBS {
        limbs[limb] = limbs[limb].wrapping_add(((limbs[limb - 1] as i64) >> LIMB_BITS) as u64);
        limbs[limb - 1] &= LIMB_MASK;
    }
    limbs
}

/// For each lane a mask with all bits set except in that lane.
const OTHER_LANES: [[u64; LANES]; LANES] = {
    let mut masks = [[u64::MAX; LANES]; LANES];
    let mut lane = 0;
    while lane < LANES {
        masks[lane][lane] = 0;
        lane += 1;
    }
    masks
};

/// Five limbs of 52 bits, the last of up to 64, converted to limbs of 64 bits.
#[inline(always)]
fn serial_sum(limbs: Limbs) -> fr::Sum {
    [
        limbs[0] | (limbs[1] << 52),
        (limbs[1] >> 12) | (limbs[2] << 40),
        (limbs[2] >> 24) | (limbs[3] << 28),
        (limbs[3] >> 36) | (limbs[4] << 16),
        limbs[4] >> 48,
    ]
}
