// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults of a link: what can happen to frames on their way.

use std::time::Duration;

use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A fault of a frame, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is lost.
    Drop,
    /// Some of its bits are flipped.
    Corrupt,
    /// A wire sticks: one bit of its index is flipped, and the same bit of some that follow.
    Stick,
    /// The card ignores this request and some that follow, and says so or does not.
    Refuse,
    /// The card takes a verify command for the other one: the reply is whole, and answers that.
    Mistake,
    /// It comes twice.
    Duplicate,
    /// It comes behind the next one.
    Reorder,
    /// It comes later, and what follows it as well.
    Delay,
    /// The link takes, or gives, nothing for a while.
    Stall,
    /// Its last beats are lost.
    Cut,
    /// Behind it come replies that nobody asked for, some or without end.
    Flood,
    /// The card loses all that is inside.
    Reset,
    /// The link closes; it can be opened again.
    HangUp,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 13] = [
        Self::Drop,
        Self::Corrupt,
        Self::Stick,
        Self::Refuse,
        Self::Mistake,
        Self::Duplicate,
        Self::Reorder,
        Self::Delay,
        Self::Stall,
        Self::Cut,
        Self::Flood,
        Self::Reset,
        Self::HangUp,
    ];
}

/// Which faults happen in a run, and how often.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The faults that can happen.
    pub kinds: Vec<Fault>,
    /// One frame in this many is struck.
    pub one_in: u32,
    /// Longest delay.
    pub longest: Duration,
    /// Most bits of a frame that are flipped.
    pub most_flips: u32,
    /// How long the card takes over each reset.
    pub reset: Duration,
    /// Faults that are left.
    pub left: u64,
}

impl Plan {
    /// A plan without faults.
    pub fn peace() -> Self {
        let (longest, reset) = (Duration::ZERO, Duration::ZERO);
        Self { kinds: Vec::new(), one_in: 1, longest, most_flips: 1, reset, left: 0 }
    }

    /// What a card without checksums can bear where nothing else happens. Either one frame is cut:
    /// the card computes a wrong verdict then, of which the host has to learn by what does not come
    /// behind it. Or wires stick: requests exchange their indexes, each of which has a reply.
    pub fn alone(generator: &mut ChaCha8Rng) -> Self {
        let one_in = generator.gen_range(1..100);
        let (kind, left) = *[(Fault::Cut, 1), (Fault::Stick, u64::MAX)]
            .choose(generator)
            .unwrap_or(&(Fault::Cut, 1));
        Self { kinds: vec![kind], one_in, left, ..Self::peace() }
    }

    /// A plan by chance; delays are of the order of the time limit, or of many calls.
    pub fn random(generator: &mut ChaCha8Rng, time_limit: Duration) -> Self {
        let mut kinds = Fault::ALL.to_vec();
        kinds.shuffle(generator);
        kinds.truncate(generator.gen_range(1..=kinds.len()));
        let one_in = *[3, 10, 30, 100, 300].choose(generator).unwrap_or(&10);
        let longest = time_limit * *[1, 2, 3, 40].choose(generator).unwrap_or(&1) / 2;
        let reset = match generator.gen_ratio(1, 4) {
            // Just before the host gives it up.
            true => (time_limit / 2).mul_f64(generator.gen_range(0.7..1.0)),
            false => Duration::ZERO,
        };
        Self { kinds, one_in, longest, most_flips: 3, reset, left: u64::MAX }
    }

    /// What a card without checksums can bear of many faults: a verdict that was computed from a
    /// request whose end was lost, or under an index with four flipped bits, looks like any other.
    /// Where wires stick in both directions, two bits of an index are flipped already.
    #[must_use]
    pub fn without_checksums(mut self) -> Self {
        let sticks = self.kinds.contains(&Fault::Stick);
        self.kinds.retain(|kind| *kind != Fault::Cut && !(sticks && *kind == Fault::Corrupt));
        self.most_flips = 1;
        self
    }

    /// The fault of the next frame.
    pub fn strike(&mut self, generator: &mut ChaCha8Rng) -> Option<Fault> {
        if self.left == 0 || self.kinds.is_empty() || !generator.gen_ratio(1, self.one_in) {
            return None;
        }
        self.left -= 1;
        self.kinds.choose(generator).copied()
    }

    /// A delay.
    pub fn delay(&self, generator: &mut ChaCha8Rng) -> Duration {
        self.longest.mul_f64(generator.gen::<f64>())
    }
}
