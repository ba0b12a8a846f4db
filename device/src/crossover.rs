// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The faster of a device and its fallback for a batch, by the times of earlier batches.
//!
//! A device for large batches, as a GPU, has a fixed time for each batch. Below some number of
//! requests, the crossover, the processor answers sooner. The times are those of this process, by
//! operation and by the size of requests.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use halimede_arith::job::{Columns, Operation};
use serde::Serialize;

/// The number of ranges of numbers of requests: range k is 2^k up to 2^(k + 1) - 1 requests.
const RANGES: usize = usize::BITS as usize;
/// The part of a new time in a range's average: a time that is shorter counts more, because other
/// work of the machine only lengthens times.
const SHORTER: f64 = 0.5;
const LONGER: f64 = 0.125;
/// The slower place is measured again after the batches of a range took this many times as long as
/// it would, so measuring takes 3 % of the time.
const AGAIN: f64 = 32.0;
/// A place that is slower by more than this factor is not measured again.
const HOPELESS: f64 = 8.0;

/// The number of requests from which a device is faster than its fallback, as measured so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crossover {
    /// The operation, by [`Operation::NAME`].
    pub operation: &'static str,
    /// The least units of a request that this is about, a power of two. The next entry of the
    /// operation begins at two times this number or above. [`Operation::units`] defines the unit.
    pub units: usize,
    /// The number of requests from which the device is faster; `None` if the fallback is faster for
    /// the largest batch that the device has computed.
    pub requests: Option<usize>,
}

/// A place for a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Device,
    Fallback,
}

/// Batches of about the same cost per request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Work {
    operation: &'static str,
    /// The binary logarithm of the mean units of a request.
    units: u32,
}

impl Work {
    /// The work of a batch of at least one request.
    pub fn of<Op: Operation>(batch: Op::Batch<'_>) -> Self {
        let units = batch.rows().map(Op::units).fold(0usize, usize::saturating_add);
        Self { operation: Op::NAME, units: (units / batch.len().max(1)).max(1).ilog2() }
    }
}

/// The measured times of a device and its fallback. Threads may share it.
#[derive(Debug, Default)]
pub(crate) struct Crossovers(Mutex<Vec<(Work, Times)>>);

impl Crossovers {
    /// Returns the place for a batch of this number of requests.
    pub fn choose(&self, work: Work, requests: usize) -> Choice {
        self.with(work, |times| times.choose(requests))
    }

    /// Takes the time of a batch that the device alone answered. Returns `true` if the caller
    /// should now measure the fallback, for the first time.
    pub fn device_took(&self, work: Work, requests: usize, time: Duration) -> bool {
        self.with(work, |times| {
            // The first batch of a range loads kernels and allocates memory.
            let range = 1u64 << range_of(requests);
            let is_warm = times.warm & range != 0;
            times.warm |= range;
            if is_warm {
                times.take(Choice::Device, requests, time.as_secs_f64());
            }
            is_warm && !std::mem::replace(&mut times.is_sampled, true)
        })
    }

    /// Takes the time of a batch, or of a sample of it, that the fallback answered.
    pub fn fallback_took(&self, work: Work, requests: usize, time: Duration) {
        self.with(work, |times| times.take(Choice::Fallback, requests, time.as_secs_f64()));
    }

    /// Returns the crossovers of everything that both places have computed.
    pub fn found(&self) -> Vec<Crossover> {
        let known = self.lock();
        let measured = known.iter().filter_map(|(work, times)| {
            let requests = times.crossover()?;
            let Work { operation, units } = *work;
            Some(Crossover { operation, units: 1 << units, requests })
        });
        measured.collect()
    }

    fn with<T>(&self, work: Work, act: impl FnOnce(&mut Times) -> T) -> T {
        let mut known = self.lock();
        let place = known.binary_search_by_key(&work, |(work, _)| *work).unwrap_or_else(|place| {
            known.insert(place, (work, Times::default()));
            place
        });
        act(&mut known[place].1)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Work, Times)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The times of one kind of work.
#[derive(Debug)]
struct Times {
    device: Curve,
    fallback: Curve,
    /// The ranges in which the device answered a batch, as bits.
    warm: u64,
    is_sampled: bool,
    /// The seconds of the batches in each range since the slower place was last measured.
    since: [f64; RANGES],
}

impl Default for Times {
    fn default() -> Self {
        let (device, fallback) = (Curve::default(), Curve::default());
        Self { device, fallback, warm: 0, is_sampled: false, since: [0.0; RANGES] }
    }
}

impl Times {
    fn choose(&mut self, requests: usize) -> Choice {
        let Some((device, fallback)) = self.both(requests) else { return Choice::Device };
        let (faster, slower) = match device <= fallback {
            true => (Choice::Device, Choice::Fallback),
            false => (Choice::Fallback, Choice::Device),
        };
        let (least, most) = (device.min(fallback), device.max(fallback));
        let since = &mut self.since[range_of(requests)];
        if most <= HOPELESS * least && *since >= AGAIN * most {
            *since = 0.0;
            return slower;
        }
        faster
    }

    /// Returns the expected seconds at the device and at the fallback. A device is expected to
    /// need no longer for more requests until a larger batch shows how much longer: so it is tried.
    /// The fallback is expected to need a time in proportion.
    fn both(&self, requests: usize) -> Option<(f64, f64)> {
        Some((self.device.at(requests, 0.0)?, self.fallback.at(requests, 1.0)?))
    }

    fn take(&mut self, place: Choice, requests: usize, seconds: f64) {
        match place {
            Choice::Device => self.device.take(requests, seconds),
            Choice::Fallback => self.fallback.take(requests, seconds),
        }
        self.since[range_of(requests)] += seconds;
    }

    /// Returns the number of requests from which the device is faster, up to the largest that it
    /// has computed; `None` before both places are measured.
    fn crossover(&self) -> Option<Option<usize>> {
        let is_faster =
            |requests| self.both(requests).is_some_and(|(device, fallback)| device <= fallback);
        let most = self.device.points().last()?.requests as usize;
        self.both(1)?;
        if !is_faster(most) {
            return Some(None);
        }
        let powers = (0..usize::BITS).map(|k| 1 << k).take_while(|size| *size < most);
        let mut below = powers.filter(|size| !is_faster(*size)).last().unwrap_or_default();
        let mut above = (2 * below).clamp(1, most);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            match is_faster(middle) {
                true => above = middle,
                false => below = middle,
            }
        }
        Some(Some(above))
    }
}

/// The seconds that a place takes, by the number of requests.
#[derive(Debug)]
struct Curve([Option<Point>; RANGES]);

/// The averages of the batches in a range.
#[derive(Clone, Copy, Debug)]
struct Point {
    requests: f64,
    seconds: f64,
}

impl Default for Curve {
    fn default() -> Self {
        Self([None; RANGES])
    }
}

impl Curve {
    fn take(&mut self, requests: usize, seconds: f64) {
        let slot = &mut self.0[range_of(requests)];
        let new = Point { requests: requests as f64, seconds };
        *slot = Some(match *slot {
            None => new,
            Some(old) => {
                // The same time per request changes nothing.
                let is_shorter = seconds * old.requests < old.seconds * new.requests;
                let part = if is_shorter { SHORTER } else { LONGER };
                let mean = |old: f64, new: f64| old + part * (new - old);
                let requests = mean(old.requests, new.requests);
                Point { requests, seconds: mean(old.seconds, new.seconds) }
            }
        });
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.0.iter().flatten()
    }

    /// Returns the expected seconds of a batch: on the line between the two next points, in
    /// proportion below the first point, and above the last one in proportion to the power
    /// `growth` of the number of requests.
    fn at(&self, requests: usize, growth: f64) -> Option<f64> {
        let requests = requests as f64;
        let below = self.points().filter(|point| point.requests <= requests).last();
        let above = self.points().find(|point| point.requests > requests);
        Some(match (below, above) {
            (Some(below), Some(above)) => {
                let part = (requests - below.requests) / (above.requests - below.requests);
                below.seconds + part * (above.seconds - below.seconds)
            }
            (None, Some(above)) => above.seconds * requests / above.requests,
            (Some(below), None) => below.seconds * (requests / below.requests).powf(growth),
            (None, None) => return None,
        })
    }
}

fn range_of(requests: usize) -> usize {
    requests.max(1).ilog2() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work { operation: "test.work", units: 0 };

    /// A place that takes a fixed time and a time for each request, in microseconds.
    #[derive(Clone, Copy)]
    struct Line(u64, u64);

    impl Line {
        fn time(self, requests: usize) -> Duration {
            Duration::from_micros(self.0 + self.1 * requests as u64)
        }
    }

    /// Answers batches at the chosen places, which take these times. Returns how many the device
    /// answered.
    fn run(crossovers: &Crossovers, device: Line, fallback: Line, sizes: &[usize]) -> usize {
        let mut by_device = 0;
        for size in sizes {
            if crossovers.choose(WORK, *size) == Choice::Fallback {
                crossovers.fallback_took(WORK, *size, fallback.time(*size));
                continue;
            }
            by_device += 1;
            if crossovers.device_took(WORK, *size, device.time(*size)) {
                for sample in [1, 2, 4, 8].into_iter().filter(|sample| sample <= size) {
                    crossovers.fallback_took(WORK, sample, fallback.time(sample));
                }
            }
        }
        by_device
    }

    #[test]
    fn the_device_answers_from_the_crossover_on() {
        // (device, fallback, exact crossover)
        for (device, fallback, exact) in [
            (Line(1000, 1), Line(0, 20), 53),
            (Line(300, 2), Line(3, 10), 38),
            (Line(20_000, 1), Line(0, 5), 5000),
            (Line(5, 1), Line(0, 30), 1),
        ] {
            for first in [1, 30, 1000, 50_000] {
                let crossovers = Crossovers::default();
                // The first batch of a size is cold, and the second is measured.
                assert_eq!(run(&crossovers, device, fallback, &[first, first]), 2);
                let sizes: Vec<usize> = (0..400).map(|k| 1 << (k * 7 % 17)).collect();
                run(&crossovers, device, fallback, &sizes);
                let [Crossover { operation: "test.work", units: 1, requests: Some(found) }] =
                    crossovers.found()[..]
                else {
                    panic!("{:?}", crossovers.found())
                };
                let (least, most) = (exact - exact / 8, exact + exact / 8);
                assert!((least..=most).contains(&found), "{first}: {found} of {exact}");
                let chosen = |size| crossovers.choose(WORK, size) == Choice::Device;
                assert!((2 * exact..100_000).step_by(997).all(chosen), "{first}: {exact}");
                assert!(!(1..=exact / 2).any(chosen), "{first}: {exact}");
            }
        }
    }

    #[test]
    fn a_device_that_is_always_slower_gets_no_work_after_the_first_measurements() {
        let crossovers = Crossovers::default();
        let (device, fallback) = (Line(100, 4000), Line(0, 2));
        assert_eq!(run(&crossovers, device, fallback, &[40, 40]), 2);
        let sizes: Vec<usize> = (0..1000).map(|k| 1 + k % 60).collect();
        assert_eq!(run(&crossovers, device, fallback, &sizes), 0);
        assert_eq!(crossovers.found()[0].requests, None);
        // A large batch might be worth it: it is tried in a range until it is measured.
        assert!(run(&crossovers, device, fallback, &[1 << 20; 50]) <= 2);
    }

    #[test]
    fn without_both_times_the_device_answers() {
        let crossovers = Crossovers::default();
        assert_eq!(crossovers.choose(WORK, 1), Choice::Device);
        assert!(!crossovers.device_took(WORK, 9, Duration::from_secs(1)));
        assert!(crossovers.device_took(WORK, 9, Duration::from_secs(1)));
        // The fallback is sampled once, even if that fails.
        assert!(!crossovers.device_took(WORK, 9, Duration::from_secs(1)));
        assert_eq!(crossovers.choose(WORK, 1), Choice::Device);
        assert_eq!(crossovers.found(), []);
        let other = Work { units: 3, ..WORK };
        crossovers.fallback_took(WORK, 9, Duration::from_micros(1));
        let places = [WORK, other].map(|work| crossovers.choose(work, 9));
        assert_eq!(places, [Choice::Fallback, Choice::Device]);
    }

    #[test]
    fn a_place_that_becomes_faster_is_found_at_little_cost() {
        let crossovers = Crossovers::default();
        let (slow, fast, fallback) = (Line(400, 0), Line(10, 0), Line(0, 10));
        run(&crossovers, slow, fallback, &[10; 2]);
        // The device takes four times as long.
        let tries = run(&crossovers, slow, fallback, &[10; 1280]);
        assert!((5..=10).contains(&tries), "{tries}");
        assert!(run(&crossovers, fast, fallback, &[10; 1000]) > 500);
    }
}
