// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults of a link that damage frames.

use std::time::Duration;

use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A fault of a frame, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The frame is lost.
    Drop,
    /// Some of its bits are flipped.
    Corrupt,
    /// A wire sticks: one bit of its index is flipped, and the same bit in some of the next frames.
    Stick,
    /// The card ignores this request and some of the next ones, with or without an *ignore* reply.
    Refuse,
    /// The card confuses the two verify commands: the reply is complete, but to the other command.
    Mistake,
    /// The frame arrives twice.
    Duplicate,
    /// The frame arrives after the next one.
    Reorder,
    /// The frame and all later frames arrive late.
    Delay,
    /// The link transfers nothing for a while.
    Stall,
    /// Its last beats are lost.
    Cut,
    /// Unsolicited replies follow it, some or without end.
    Flood,
    /// The card loses its whole state.
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

/// The kinds of faults of a run, and their frequency.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The faults that can happen.
    pub kinds: Vec<Fault>,
    /// One frame in this number has a fault.
    pub one_in: u32,
    /// The longest delay.
    pub longest: Duration,
    /// The largest number of flipped bits of a frame.
    pub most_flips: u32,
    /// The duration of each reset of the card.
    pub reset: Duration,
    /// The number of faults that are left.
    pub left: u64,
}

impl Plan {
    /// A plan without faults.
    pub fn peace() -> Self {
        let (longest, reset) = (Duration::ZERO, Duration::ZERO);
        Self { kinds: Vec::new(), one_in: 1, longest, most_flips: 1, reset, left: 0 }
    }

    /// A plan of one kind of fault that a host can survive with a card without checksums. Either
    /// one frame is truncated: then the card computes a wrong verdict, and the host must detect it
    /// by missing replies. Or wires stick: then requests exchange their indexes, and each index has
    /// a reply.
    pub fn alone(generator: &mut ChaCha8Rng) -> Self {
        let one_in = generator.gen_range(1..100);
        let (kind, left) = *[(Fault::Cut, 1), (Fault::Stick, u64::MAX)]
            .choose(generator)
            .unwrap_or(&(Fault::Cut, 1));
        Self { kinds: vec![kind], one_in, left, ..Self::peace() }
    }

    /// A random plan. Delays are of the order of the time limit, or of many calls.
    pub fn random(generator: &mut ChaCha8Rng, time_limit: Duration) -> Self {
        let mut kinds = Fault::ALL.to_vec();
        kinds.shuffle(generator);
        kinds.truncate(generator.gen_range(1..=kinds.len()));
        let one_in = *[3, 10, 30, 100, 300].choose(generator).unwrap_or(&10);
        let longest = time_limit * *[1, 2, 3, 40].choose(generator).unwrap_or(&1) / 2;
        let reset = match generator.gen_ratio(1, 4) {
            // Ends shortly before the host gives up the card.
            true => (time_limit / 2).mul_f64(generator.gen_range(0.7..1.0)),
            false => Duration::ZERO,
        };
        Self { kinds, one_in, longest, most_flips: 3, reset, left: u64::MAX }
    }

    /// Removes the faults that a host cannot detect with a card without checksums: a verdict on a
    /// truncated request, or under an index with four flipped bits, looks like any other. Wires
    /// that stick in both directions already flip two bits of an index.
    #[must_use]
    pub fn without_checksums(mut self) -> Self {
        let sticks = self.kinds.contains(&Fault::Stick);
        self.kinds.retain(|kind| *kind != Fault::Cut && !(sticks && *kind == Fault::Corrupt));
        self.most_flips = 1;
        self
    }

    /// Chooses the fault of the next frame, if any.
    pub fn strike(&mut self, generator: &mut ChaCha8Rng) -> Option<Fault> {
        if self.left == 0 || self.kinds.is_empty() || !generator.gen_ratio(1, self.one_in) {
            return None;
        }
        self.left -= 1;
        self.kinds.choose(generator).copied()
    }

    /// Chooses a delay.
    pub fn delay(&self, generator: &mut ChaCha8Rng) -> Duration {
        self.longest.mul_f64(generator.gen::<f64>())
    }
}
