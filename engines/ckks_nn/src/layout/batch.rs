// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The inputs of a batch in shared ciphertexts.
//!
//! The values of a layer need a *block* of slots for each input, a power of two. Ciphertexts are
//! filled with blocks, so that a layer of fewer values needs fewer ciphertexts. In *pairs*, two
//! inputs are the real and the imaginary part of one block: a matrix of real numbers and a
//! bootstrap serve both, and activations are evaluated for each separately.
//!
//! Blocks are distributed to ciphertexts in turn: with G ciphertexts, block k is at place ⌊k/G⌋ of
//! number k mod G. If a layer has half the number of values and of ciphertexts, the block at
//! place p moves to place 2·p or 2·p + 1, so to the beginning or the middle of its old position:
//! all blocks of a ciphertext move by the same distance, and a matrix has no more diagonals than
//! for one input.

/// The largest number of inputs of a batch.
pub const MOST_BATCH: usize = 1024;

/// The inputs of a batch, and the slots that they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    inputs: usize,
    is_paired: bool,
    slots: usize,
    largest: usize,
}

/// The position of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The ciphertext, among those of a layer's part.
    pub ciphertext: usize,
    /// 1 for the imaginary part.
    pub half: usize,
    /// The first slot of the block.
    pub offset: usize,
}

impl Batch {
    /// Returns the batch of inputs whose layers fit blocks of `largest` slots, in ciphertexts of at
    /// most `most` slots, as few as serve all inputs.
    pub fn new(inputs: usize, is_paired: bool, largest: usize, most: usize) -> Self {
        let batch = Self { inputs, is_paired: is_paired && inputs > 1, slots: largest, largest };
        let slots = most.min(largest * batch.blocks().next_power_of_two());
        Self { slots, ..batch }
    }

    /// Returns the batch of a single input, which has all slots.
    #[cfg(test)]
    pub fn alone(slots: usize) -> Self {
        Self::new(1, false, slots, slots)
    }

    /// Returns `true` if there is only one input.
    pub fn is_alone(&self) -> bool {
        self.inputs == 1
    }

    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub fn is_paired(&self) -> bool {
        self.is_paired
    }

    /// Returns the number of slots of a ciphertext.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the largest number of slots of a block.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Returns the number of inputs of a block: two for real and imaginary part, or one.
    fn each(&self) -> usize {
        1 + usize::from(self.is_paired)
    }

    fn blocks(&self) -> usize {
        self.inputs.div_ceil(self.each())
    }

    /// Returns the number of ciphertexts of a layer, or of a part of it, with blocks of `block`
    /// slots.
    pub fn ciphertexts(&self, block: usize) -> usize {
        self.blocks().div_ceil(self.slots / block)
    }

    /// Returns the number of real and imaginary parts of one of those ciphertexts that hold an
    /// input.
    pub fn halves(&self, block: usize, ciphertext: usize) -> usize {
        debug_assert!(ciphertext < self.ciphertexts(block), "{ciphertext} of {self:?}");
        self.each().min(self.inputs.saturating_sub(ciphertext * self.each()))
    }

    /// Returns the number of all those parts.
    pub fn all_halves(&self, block: usize) -> usize {
        (0..self.ciphertexts(block)).map(|ciphertext| self.halves(block, ciphertext)).sum()
    }

    /// Returns the position of an input.
    pub fn seat(&self, input: usize, block: usize) -> Seat {
        let (within, half) = (input / self.each(), input % self.each());
        let ciphertexts = self.ciphertexts(block);
        Seat { ciphertext: within % ciphertexts, half, offset: within / ciphertexts * block }
    }

    /// Returns the positions of the first input of each block for two sizes of blocks.
    pub fn seats(&self, from: usize, to: usize) -> impl Iterator<Item = [Seat; 2]> + '_ {
        let inputs = (0..self.inputs).step_by(self.each());
        inputs.map(move |input| [from, to].map(|block| self.seat(input, block)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_input_has_a_seat_of_its_own() {
        for (inputs, is_paired) in
            [(1, false), (1, true), (2, true), (5, true), (5, false), (16, true)]
        {
            let batch = Batch::new(inputs, is_paired, 16, 64);
            for block in [1, 4, 16] {
                let seats: Vec<Seat> = (0..inputs).map(|input| batch.seat(input, block)).collect();
                let distinct: BTreeSet<_> =
                    seats.iter().map(|of| (of.ciphertext, of.half, of.offset)).collect();
                assert_eq!(distinct.len(), inputs);
                assert!(seats.iter().all(|of| of.offset % block == 0 && of.offset < batch.slots()));
                let used: BTreeSet<_> = seats.iter().map(|of| (of.ciphertext, of.half)).collect();
                let halves = (0..batch.ciphertexts(block))
                    .flat_map(|of| (0..batch.halves(block, of)).map(move |half| (of, half)));
                assert!(halves.eq(used), "{inputs} {is_paired} {block}");
            }
        }
    }

    #[test]
    fn ciphertexts_have_no_more_slots_than_serve_all_inputs() {
        let slots = |inputs, is_paired| Batch::new(inputs, is_paired, 16, 64).slots();
        assert_eq!([slots(1, true), slots(2, true), slots(2, false)], [16, 16, 32]);
        assert_eq!([slots(5, true), slots(16, true), slots(3, false)], [64, 64, 64]);
        let batch = Batch::new(16, true, 16, 64);
        assert_eq!([16, 8, 4].map(|block| batch.ciphertexts(block)), [2, 1, 1]);
        assert_eq!(batch.all_halves(16), 4);
        // Blocks of a ciphertext move by the same distance to smaller blocks.
        let all = Batch::new(32, true, 16, 64);
        for [from, to] in [[16, 8], [8, 4], [16, 4], [4, 16]] {
            let mut moves: std::collections::BTreeMap<_, BTreeSet<i64>> = Default::default();
            for [from, to] in all.seats(from, to) {
                let distances = moves.entry((from.ciphertext, to.ciphertext)).or_default();
                distances.insert(from.offset as i64 - to.offset as i64);
            }
            assert!(moves.values().all(|distances| distances.len() == 1), "{from} {to}: {moves:?}");
        }
        // Five inputs: the last one is only a real part.
        assert_eq!(Batch::new(5, true, 16, 16).all_halves(16), 5);
    }
}
