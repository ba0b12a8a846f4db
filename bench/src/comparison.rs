// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Times two functions in turns, so that noise of the machine affects both alike.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::record::Record;

/// Our function and a peer's for the same work; their answers have been compared.
pub struct Comparison {
    /// The engine.
    pub engine: &'static str,
    /// The operation.
    pub case: String,
    /// The number of threads of each side.
    pub threads: usize,
    /// The units of work (e.g. hashes) of a call.
    pub units_a_call: usize,
    /// The unit of the times, e.g. `us/hash`.
    pub unit: &'static str,
    /// The nanoseconds of this unit of time, e.g. 1,000.
    pub unit_ns: f64,
    /// The name of the backend that ours uses.
    pub backend: &'static str,
    /// Does the work with Halimede.
    pub ours: Box<dyn FnMut()>,
    /// The peer and its version.
    pub peer: &'static str,
    /// Does the work with the peer, if available.
    pub theirs: Option<Box<dyn FnMut()>>,
    /// The factor of the peer's time. It is 1, except for a peer that cannot run here: then it is
    /// the ratio of its published time to that of the peer that runs instead.
    pub theirs_factor: f64,
    /// The target ratio of the times, if any.
    pub aim: Option<f64>,
}

impl Comparison {
    /// Times both sides in turns.
    pub fn measure(&mut self, settings: &Settings) -> Record {
        let (ours_ns, theirs_ns) = match &mut self.theirs {
            Some(theirs) => {
                let medians = settings.compare(&mut self.ours, theirs);
                (medians.ours_ns, Some(medians.theirs_ns))
            }
            None => (settings.time_ns(&mut self.ours), None),
        };
        let a_unit = |ns: f64| ns / self.units_a_call as f64 / self.unit_ns;
        let ours = a_unit(ours_ns);
        let theirs = theirs_ns.map(|ns| a_unit(ns) * self.theirs_factor);
        Record {
            bench: self.engine,
            case: self.case.clone(),
            device: "cpu",
            backend: self.backend,
            threads: self.threads,
            ours,
            unit: self.unit,
            peer: self.peer,
            theirs,
            ratio: theirs.map(|theirs| theirs / ours),
            aim: self.aim,
        }
    }
}

/// Runs a batch at a peer without batches: in a loop, divided over the threads of the current pool.
/// The results are in the order of the items.
pub(crate) fn in_a_loop<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    if rayon::current_num_threads() == 1 {
        items.iter().map(work).collect()
    } else {
        items.par_iter().map(work).collect()
    }
}

/// The duration of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    rounds: u32,
    round: Duration,
}

/// Median nanoseconds of one call of each side.
#[derive(Clone, Copy, Debug)]
struct Medians {
    ours_ns: f64,
    theirs_ns: f64,
}

impl Settings {
    /// `rounds` turns of about `round_ms` milliseconds for each side.
    pub fn new(rounds: u32, round_ms: u32) -> Self {
        Self { rounds, round: Duration::from_millis(u64::from(round_ms)) }
    }

    /// Median nanoseconds of one call.
    pub fn time_ns(&self, mut function: impl FnMut()) -> f64 {
        let calls = self.calls_a_round(&mut function);
        median((0..self.rounds).map(|_| time_ns(&mut function, calls)).collect())
    }

    /// Times both in turns; the sides alternate in beginning a round.
    fn compare(&self, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Medians {
        let our_calls = self.calls_a_round(&mut ours);
        let their_calls = self.calls_a_round(&mut theirs);
        let mut ours_ns = Vec::new();
        let mut theirs_ns = Vec::new();
        for round in 0..self.rounds {
            if round % 2 == 0 {
                ours_ns.push(time_ns(&mut ours, our_calls));
                theirs_ns.push(time_ns(&mut theirs, their_calls));
            } else {
                theirs_ns.push(time_ns(&mut theirs, their_calls));
                ours_ns.push(time_ns(&mut ours, our_calls));
            }
        }
        Medians { ours_ns: median(ours_ns), theirs_ns: median(theirs_ns) }
    }

    /// Times both in turns as [`Comparison::measure`] does, for sides that time themselves: each
    /// returns the nanoseconds of a number of calls. Returns the median nanoseconds of one call of
    /// ours and of theirs.
    pub(crate) fn turns(
        &self,
        mut ours: Option<impl FnMut(u32) -> Result<f64, String>>,
        mut theirs: Option<impl FnMut(u32) -> Result<f64, String>>,
    ) -> Result<[Option<f64>; 2], String> {
        let our_calls = self.calls_a_turn(ours.as_mut())?;
        let their_calls = self.calls_a_turn(theirs.as_mut())?;
        let (mut our_ns, mut their_ns) = (Vec::new(), Vec::new());
        for round in 0..2 * self.rounds {
            // Ours begins the even pairs.
            match (round % 4 == 0 || round % 4 == 3, &mut ours, &mut theirs) {
                (true, Some(side), _) => our_ns.push(side(our_calls)? / f64::from(our_calls)),
                (false, _, Some(side)) => {
                    their_ns.push(side(their_calls)? / f64::from(their_calls))
                }
                _ => {}
            }
        }
        let median_of = |ns: Vec<f64>| (!ns.is_empty()).then(|| median(ns));
        Ok([median_of(our_ns), median_of(their_ns)])
    }

    /// Returns the number of calls of a side that fill a round. This also warms the caches.
    fn calls_a_turn(
        &self,
        side: Option<&mut impl FnMut(u32) -> Result<f64, String>>,
    ) -> Result<u32, String> {
        let Some(side) = side else { return Ok(1) };
        let (round_ns, mut calls) = (self.round.as_nanos() as f64, 1);
        while 2.0 * side(calls)? < round_ns && calls < 1 << 24 {
            calls *= 2;
        }
        Ok(calls)
    }

    /// Returns the number of calls that fill a round, found by doubling. This also warms the
    /// caches.
    fn calls_a_round(&self, function: &mut impl FnMut()) -> u32 {
        let mut calls = 1;
        loop {
            let ns = time_ns(function, calls) * f64::from(calls);
            if ns * 2.0 >= self.round.as_nanos() as f64 || calls >= 1 << 24 {
                return calls;
            }
            calls *= 2;
        }
    }
}

fn time_ns(function: &mut impl FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        function();
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

/// Returns the median: the middle value, or the mean of the two middle values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_outliers_and_order() {
        assert_eq!(median(vec![9e9, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn sides_that_time_themselves_take_turns() {
        let order = std::cell::RefCell::new(String::new());
        let side = |name: char, ns: f64| {
            let order = &order;
            move |calls: u32| {
                order.borrow_mut().push(name);
                Ok(ns * f64::from(calls))
            }
        };
        let settings = Settings::new(4, 1);
        let medians = settings.turns(Some(side('a', 6e5)), Some(side('b', 1e7))).unwrap();
        assert_eq!(medians, [Some(6e5), Some(1e7)]);
        assert_eq!(*order.borrow(), "ababbaabba");
        let none = None::<fn(u32) -> Result<f64, String>>;
        assert_eq!(settings.turns(Some(side('a', 2.0)), none).unwrap(), [Some(2.0), None]);
        let failing = Some(|_: u32| Err("no".to_owned()));
        assert_eq!(settings.turns(none, failing).unwrap_err(), "no");
    }

    #[test]
    fn a_loop_keeps_its_order_on_any_threads() {
        let items: Vec<u64> = (0..1000).map(|number| number * number % 977).collect();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let doubled = pool.install(|| in_a_loop(&items, |item| 2 * item));
            assert!(doubled.iter().zip(&items).all(|(twice, item)| *twice == 2 * item));
            assert_eq!(doubled.len(), items.len());
        }
    }

    #[test]
    fn both_sides_are_timed_for_a_call_each() {
        let slow = || std::thread::sleep(Duration::from_millis(2));
        let medians = Settings::new(3, 4).compare(|| (), slow);
        assert!(medians.theirs_ns >= 2e6 && medians.ours_ns < 2e6);
    }
}
