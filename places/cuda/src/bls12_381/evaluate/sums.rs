// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums of points, and of multiples of points by buckets.
//!
//! The sums of a run share the width of their windows. A run sorts the terms of each window by
//! their digits, adds each bucket's points with threads of equal work, adds the buckets of windows
//! with their weights in segments, and joins the windows. The host joins those of few sums, since
//! 255 doublings follow each other.

use std::ops::Range;

use halimede_bls12_381::{sum_of_products, Curve, Fr, Point};
use rayon::prelude::*;

use super::super::parts::count_of;
use super::Reply;
use crate::error::CudaError;
use crate::memory::Argument;
use crate::workspace::Workspace;

/// The points of a call.
#[derive(Clone, Copy)]
pub(super) enum List<'r, C: Curve> {
    /// Points to add.
    Points(&'r [Point<C>]),
    /// Points with their factors.
    Terms(&'r [(Point<C>, Fr)]),
}

impl<C: Curve> List<'_, C> {
    fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Terms(terms) => terms.len(),
        }
    }

    /// The bits of windows; 0 for points without factors.
    fn bits(&self) -> u32 {
        match self {
            Self::Points(_) => 0,
            Self::Terms(terms) => best_bits(terms.len()),
        }
    }
}

/// Bits of a scalar, with a carry.
const SCALAR_BITS: u32 = 256;
const SCALAR_BYTES: usize = 32;
/// The least number of points that several threads copy.
const LONG_LIST: usize = 1 << 14;
/// The most bits of a window: more need much memory and save little work.
const MOST_BITS: u32 = 18;
/// The most buckets of a run of several sums, of 192 or 384 bytes.
const MOST_BUCKETS: usize = 1 << 20;
/// The buckets of a thread of `allot`.
const ALLOT_EACH: usize = 8;
/// The carries of a thread, and the points of a thread that adds the segments of windows.
const GROUP: usize = 16;

/// The most sums of a run whose windows the host joins, in a tenth of a millisecond each.
const MOST_JOINED: usize = 4;

/// Words of 64 bits of a point, and bytes of a bucket.
const fn point_words<C: Curve>() -> usize {
    12 * C::DEGREE
}
const fn bucket_bytes<C: Curve>() -> usize {
    192 * C::DEGREE
}
/// Words of 64 bits of a point in Jacobian coordinates.
const fn jacobian_words<C: Curve>() -> usize {
    18 * C::DEGREE
}

fn windows(bits: u32) -> usize {
    SCALAR_BITS.div_ceil(bits.max(1)) as usize
}

/// Returns the width of windows with the least products: an entry has ten, and a bucket two sums
/// of fourteen and a part of its segment's multiple.
fn best_bits(terms: usize) -> u32 {
    let products = |bits: &u32| windows(*bits) * (10 * terms + (40 << (bits - 1)));
    (1..=MOST_BITS).min_by_key(products).unwrap_or(1)
}

/// The kernels of a group.
struct Names {
    add_entries: &'static str,
    add_carries: &'static str,
    reduce: &'static str,
    add_groups: &'static str,
    write_jacobian: &'static str,
    join_windows: &'static str,
}

const NAMES: [Names; 2] = [
    Names {
        add_entries: "bls12_381_evaluate_add_entries_g1",
        add_carries: "bls12_381_evaluate_add_carries_g1",
        reduce: "bls12_381_evaluate_reduce_g1",
        add_groups: "bls12_381_evaluate_add_groups_g1",
        write_jacobian: "bls12_381_evaluate_write_jacobian_g1",
        join_windows: "bls12_381_evaluate_join_windows_g1",
    },
    Names {
        add_entries: "bls12_381_evaluate_add_entries_g2",
        add_carries: "bls12_381_evaluate_add_carries_g2",
        reduce: "bls12_381_evaluate_reduce_g2",
        add_groups: "bls12_381_evaluate_add_groups_g2",
        write_jacobian: "bls12_381_evaluate_write_jacobian_g2",
        join_windows: "bls12_381_evaluate_join_windows_g2",
    },
];

const fn names<C: Curve>() -> &'static Names {
    &NAMES[C::DEGREE - 1]
}

/// Sums with windows of the same width.
struct Run {
    bits: u32,
    /// The numbers of the lists.
    lists: Vec<usize>,
    /// The places of the terms of all of them.
    terms: Range<usize>,
}

impl Run {
    /// The buckets of a sum.
    fn buckets_each(bits: u32) -> usize {
        match bits {
            0 => 1,
            _ => windows(bits) << (bits - 1),
        }
    }

    fn buckets(&self) -> usize {
        self.lists.len() * Self::buckets_each(self.bits)
    }

    /// The windows that the host joins.
    fn joined(&self) -> usize {
        match self.bits > 0 && self.lists.len() <= MOST_JOINED {
            true => self.lists.len() * windows(self.bits),
            false => 0,
        }
    }

    /// The most entries of buckets.
    fn entries(&self) -> usize {
        self.terms.len() * if self.bits == 0 { 1 } else { windows(self.bits) }
    }
}

/// Returns the runs of lists: those with factors first, and the widest windows first.
fn runs<C: Curve>(lists: &[List<'_, C>]) -> Vec<Run> {
    let mut order: Vec<(u32, usize)> =
        lists.iter().enumerate().map(|(number, list)| (list.bits(), number)).collect();
    order.sort_by_key(|(bits, number)| (std::cmp::Reverse(*bits), *number));
    let (mut runs, mut end): (Vec<Run>, usize) = (Vec::new(), 0);
    for (bits, number) in order {
        let fits = |run: &&mut Run| {
            run.bits == bits && run.buckets() + Run::buckets_each(bits) <= MOST_BUCKETS
        };
        let start = end;
        end += lists[number].len();
        match runs.last_mut().filter(fits) {
            Some(run) => {
                run.lists.push(number);
                run.terms.end = end;
            }
            None => runs.push(Run { bits, lists: vec![number], terms: start..end }),
        }
    }
    runs
}

/// Begins to compute sums. `first` is the first number of memory.
pub(super) fn start<C: Curve>(
    workspace: &mut Workspace,
    first: usize,
    lists: &[List<'_, C>],
) -> Result<(), CudaError> {
    if lists.is_empty() {
        return Ok(());
    }
    let runs = runs(lists);
    let terms: usize = lists.iter().map(List::len).sum();
    let in_order = || runs.iter().flat_map(|run| &run.lists).map(|number| &lists[*number]);
    let points = workspace.input(first, point_words::<C>() * terms, |memory: &mut [u64]| {
        let mut rest = memory;
        for list in in_order() {
            let words = point_words::<C>() * list.len();
            let (places, others) = std::mem::take(&mut rest).split_at_mut(words);
            write_points(places, list);
            rest = others;
        }
    })?;
    let scaled: usize = runs.iter().filter(|run| run.bits > 0).map(|run| run.terms.len()).sum();
    let scalars = workspace.input(first + 1, SCALAR_BYTES * scaled, |memory: &mut [u8]| {
        let mut rest = memory;
        for list in in_order() {
            let List::Terms(terms) = list else { break };
            let bytes = SCALAR_BYTES * terms.len();
            let (places, others) = std::mem::take(&mut rest).split_at_mut(bytes);
            write_scalars(places, terms);
            rest = others;
        }
    })?;
    let numbers = workspace.input(first + 2, terms, |memory: &mut [u32]| {
        let mut rest = memory;
        for run in &runs {
            for (number, list) in run.lists.iter().enumerate() {
                let (places, others) = std::mem::take(&mut rest).split_at_mut(lists[*list].len());
                places.fill(number as u32);
                rest = others;
            }
        }
    })?;
    let joined = runs.iter().map(Run::joined).sum::<usize>() * jacobian_words::<C>();
    let mut results = Results {
        encodings: workspace.output::<u8>(first, C::COMPRESSED_BYTES * lists.len())?,
        windows: workspace.output::<u64>(first + 1, joined)?,
    };
    for run in &runs {
        let inputs = Inputs {
            points: points.after(8 * point_words::<C>() * run.terms.start),
            scalars: scalars.after(SCALAR_BYTES * run.terms.start),
            numbers: numbers.after(4 * run.terms.start),
        };
        compute::<C>(workspace, first, run, inputs, &results)?;
        results.encodings = results.encodings.after(C::COMPRESSED_BYTES * run.lists.len());
        results.windows = results.windows.after(8 * jacobian_words::<C>() * run.joined());
    }
    if joined > 0 {
        workspace.fetch::<u64>(first + 1, joined)?;
    }
    workspace.fetch::<u8>(first, C::COMPRESSED_BYTES * lists.len())
}

/// Copies items to places of `size` elements each, long lists with all threads of the pool.
fn copy<T: Send, I: Sync>(
    places: &mut [T],
    size: usize,
    items: &[I],
    write: impl Fn(&mut [T], &I) + Send + Sync,
) {
    if items.len() < LONG_LIST {
        let places = places.chunks_exact_mut(size);
        places.zip(items).for_each(|(place, item)| write(place, item));
    } else {
        let places = places.par_chunks_exact_mut(size).with_min_len(LONG_LIST / 4);
        places.zip(items).for_each(|(place, item)| write(place, item));
    }
}

fn write_points<C: Curve>(places: &mut [u64], list: &List<'_, C>) {
    let write = |place: &mut [u64], point: &Point<C>| {
        place.copy_from_slice(point.montgomery_words());
    };
    match list {
        List::Points(points) => copy(places, point_words::<C>(), points, write),
        List::Terms(terms) => {
            copy(places, point_words::<C>(), terms, |place, (point, _)| write(place, point));
        }
    }
}

fn write_scalars<C: Curve>(places: &mut [u8], terms: &[(Point<C>, Fr)]) {
    copy(places, SCALAR_BYTES, terms, |place, (_, scalar)| {
        place.copy_from_slice(&scalar.to_le_bytes());
    });
}

/// Returns the sums.
pub(super) fn finish<C: Curve>(
    workspace: &Workspace,
    first: usize,
    lists: &[List<'_, C>],
) -> Result<Vec<Reply>, CudaError> {
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let runs = runs(lists);
    let mut encodings = workspace.fetched::<u8>(first)?.chunks_exact(C::COMPRESSED_BYTES);
    let mut words: &[u64] = match runs.iter().any(|run| run.joined() > 0) {
        true => workspace.fetched(first + 1)?,
        false => &[],
    };
    let mut replies = vec![Ok(Vec::new()); lists.len()];
    for run in &runs {
        let (of_run, others) = words.split_at(jacobian_words::<C>() * run.joined());
        let mut joined = join::<C>(of_run, run.bits).into_iter();
        for number in &run.lists {
            let encoding = encodings.next().unwrap_or_default();
            replies[*number] = Ok(joined.next().unwrap_or_else(|| encoding.to_vec()));
        }
        words = others;
    }
    Ok(replies)
}

/// Joins the windows of sums on the host.
fn join<C: Curve>(words: &[u64], bits: u32) -> Vec<Vec<u8>> {
    let powers: Vec<Fr> = (0..windows(bits) as u64)
        .map(|window| Fr::from(2).pow(&[window * u64::from(bits)]))
        .collect();
    let points = Point::<C>::all_from_jacobian(words);
    let sums = points.chunks_exact(powers.len());
    sums.map(|points| sum_of_products(points, &powers).to_compressed()).collect()
}

/// The addresses of a run's results: compressed sums, or windows in Jacobian coordinates.
struct Results {
    encodings: Argument,
    windows: Argument,
}

/// The addresses of a run's terms.
#[derive(Clone, Copy)]
struct Inputs {
    points: Argument,
    scalars: Argument,
    numbers: Argument,
}

/// The entries of buckets.
struct Entries {
    entries: Argument,
    keys: Argument,
    total: Argument,
}

/// Begins to compute a run.
fn compute<C: Curve>(
    workspace: &mut Workspace,
    first: usize,
    run: &Run,
    inputs: Inputs,
    results: &Results,
) -> Result<(), CudaError> {
    let null = Argument::Pointer(0);
    let entries = match run.bits {
        0 => Entries { entries: null, keys: inputs.numbers, total: null },
        _ => sort(workspace, first, run, inputs)?,
    };
    let buckets = workspace.zeros::<u8>(first + 2, bucket_bytes::<C>() * run.buckets())?;
    add_entries::<C>(workspace, first, run, inputs.points, &entries, buckets)?;
    let (sums, windows) = match run.bits {
        0 => (buckets, 1),
        bits => (reduce::<C>(workspace, first, run, buckets)?, windows(bits)),
    };
    if run.joined() > 0 {
        let arguments = [sums, results.windows, count_of(run.joined())];
        return workspace.launch(names::<C>().write_jacobian, run.joined() as u64, &arguments);
    }
    let (encodings, count) = (results.encodings, count_of(run.lists.len()));
    let arguments = [sums, count_of(windows), run.bits.into(), encodings, count];
    workspace.launch(names::<C>().join_windows, run.lists.len() as u64, &arguments)
}

/// Sorts the terms of each window by their digits.
fn sort(
    workspace: &mut Workspace,
    first: usize,
    run: &Run,
    inputs: Inputs,
) -> Result<Entries, CudaError> {
    let Inputs { scalars, numbers, .. } = inputs;
    let (terms, buckets) = (run.terms.len(), run.buckets());
    let counts = workspace.zeros::<u32>(first, buckets + 1)?;
    let total = counts.after(4 * buckets);
    let entries = workspace.scratch::<u32>(first + 1, 2 * run.entries())?;
    let keys = entries.after(4 * run.entries());
    let (bits, windows) = (run.bits.into(), count_of(windows(run.bits)));
    let arguments = [scalars, numbers, bits, windows, counts, count_of(terms)];
    workspace.launch("bls12_381_evaluate_count_digits", terms as u64, &arguments)?;
    let arguments = [counts, total, count_of(buckets)];
    let threads = buckets.div_ceil(ALLOT_EACH) as u64;
    workspace.launch("bls12_381_evaluate_allot", threads, &arguments)?;
    let arguments = [scalars, numbers, bits, windows, counts, entries, keys, count_of(terms)];
    workspace.launch("bls12_381_evaluate_place_digits", terms as u64, &arguments)?;
    Ok(Entries { entries, keys, total })
}

/// Adds the points of entries to their buckets.
fn add_entries<C: Curve>(
    workspace: &mut Workspace,
    first: usize,
    run: &Run,
    points: Argument,
    entries: &Entries,
    buckets: Argument,
) -> Result<(), CudaError> {
    let most = run.entries();
    // Some hundred thousand threads at most.
    let length = (most >> 17).clamp(8, 64);
    let mut counts = vec![most.div_ceil(length)];
    while let Some(count) = counts.last().copied().filter(|count| *count > 1) {
        counts.push(count.div_ceil(GROUP));
    }
    let all: usize = counts.iter().sum();
    let carries = workspace.scratch::<u8>(first + 3, bucket_bytes::<C>() * all)?;
    let keys = workspace.scratch::<u32>(first + 4, all)?;
    let (mut place, names) = (0, names::<C>());
    let at = |place: usize| (carries.after(bucket_bytes::<C>() * place), keys.after(4 * place));
    let (sums, numbers) = at(0);
    let arguments = [
        points,
        entries.entries,
        entries.keys,
        entries.total,
        count_of(most),
        count_of(length),
        buckets,
        sums,
        numbers,
        count_of(counts[0]),
    ];
    workspace.launch(names.add_entries, counts[0] as u64, &arguments)?;
    for pair in counts.windows(2) {
        let ((sums, numbers), (next, next_numbers)) = (at(place), at(place + pair[0]));
        let (most, length) = (count_of(pair[0]), count_of(GROUP));
        let arguments =
            [sums, numbers, most, length, buckets, next, next_numbers, count_of(pair[1])];
        workspace.launch(names.add_carries, pair[1] as u64, &arguments)?;
        place += pair[0];
    }
    Ok(())
}

/// Adds the buckets of windows with their weights; returns where the sums of windows are.
fn reduce<C: Curve>(
    workspace: &mut Workspace,
    first: usize,
    run: &Run,
    buckets: Argument,
) -> Result<Argument, CudaError> {
    let each = 1 << (run.bits - 1);
    let length = (run.buckets() >> 15).next_power_of_two().clamp(8, 64).min(each);
    let (mut segments, windows) = (each / length, run.lists.len() * windows(run.bits));
    let count = windows * segments;
    // Two buffers take turns.
    let mut sums = workspace.scratch::<u8>(first + 5, bucket_bytes::<C>() * count)?;
    let mut next = workspace.scratch::<u8>(first + 6, bucket_bytes::<C>() * count)?;
    let names = names::<C>();
    let arguments = [buckets, count_of(length), count_of(segments), sums, count_of(count)];
    workspace.launch(names.reduce, count as u64, &arguments)?;
    while segments > 1 {
        let group = segments.min(GROUP);
        segments /= group;
        let count = windows * segments;
        let arguments = [sums, count_of(group), next, count_of(count)];
        workspace.launch(names.add_groups, count as u64, &arguments)?;
        (sums, next) = (next, sums);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use halimede_bls12_381::G1;

    use super::*;

    #[test]
    fn windows_grow_with_the_number_of_terms() {
        let widths: Vec<u32> = [1, 100, 10_000, 1 << 20, 1 << 24].map(best_bits).to_vec();
        assert!(widths.is_sorted(), "{widths:?}");
        assert_eq!((widths[3], widths[4]), (16, MOST_BITS));
        for bits in 1..=MOST_BITS {
            assert!(windows(bits) * bits as usize >= 256);
        }
    }

    #[test]
    fn long_lists_are_copied_as_short_ones() {
        for length in [0, 5, LONG_LIST - 1, LONG_LIST, 3 * LONG_LIST + 7] {
            let items: Vec<u64> = (0..length as u64).collect();
            let mut places = vec![0; 3 * length];
            copy(&mut places, 3, &items, |place, item| place.fill(item * item));
            let expected: Vec<u64> = items.iter().flat_map(|item| [item * item; 3]).collect();
            assert_eq!(places, expected);
        }
    }

    #[test]
    fn runs_have_all_lists_and_limited_buckets() {
        let points = vec![Point::<G1>::generator(); 5000];
        let terms: Vec<_> = points.iter().map(|point| (*point, Fr::from(3))).collect();
        let lists: Vec<List<'_, G1>> = (0..700)
            .map(|number| match number % 3 {
                0 => List::Points(&points[..number]),
                1 => List::Terms(&terms[..number * 7]),
                _ => List::Terms(&terms[..number % 2]),
            })
            .collect();
        let runs = runs(&lists);
        let mut numbers: Vec<usize> = runs.iter().flat_map(|run| run.lists.clone()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..lists.len()).collect::<Vec<_>>());
        let mut end = 0;
        for run in &runs {
            assert_eq!(run.terms.start, end);
            end = run.terms.end;
            let terms: usize = run.lists.iter().map(|number| lists[*number].len()).sum();
            assert_eq!(run.terms.len(), terms);
            assert!(run.lists.iter().all(|number| lists[*number].bits() == run.bits));
            assert!(run.lists.len() == 1 || run.buckets() <= MOST_BUCKETS);
        }
        assert!(runs.windows(2).all(|pair| pair[0].bits >= pair[1].bits));
    }
}
