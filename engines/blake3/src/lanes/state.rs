// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of every lane, and a step, which compresses one block of each.

use halimede_arith::arx::{Words, WORDS};

use super::alone::{self, digest};
use super::job::{Job, Node};
use super::vector::{DigestRows, Vector};
use super::{rounds, MOST_GROUPS, MOST_LANES};
use crate::constants::IV;
use crate::mode::ModeWords;
use crate::{Digest, BLOCK_BYTES};

/// One number per lane.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Row([u32; MOST_LANES]);

/// The block that idle lanes compress.
static IDLE: [u8; BLOCK_BYTES] = [0; BLOCK_BYTES];

/// The lanes of one or two registers.
pub(super) struct Lanes<'m, V> {
    mode: &'m ModeWords,
    /// Between two steps, the first eight words are the chaining values.
    states: [Words<V>; MOST_GROUPS],
    /// The blocks left, including the last one; 1 for an idle lane.
    blocks_left: Row,
    /// The number of bytes of the last block and, above it, the flags of the last block.
    last: Row,
    /// The flags of the next block unless it is the last, with [`FRESH`] before the first.
    flags: Row,
    counters: Row,
    /// The next block unless it is the last.
    next: [*const u8; MOST_LANES],
    last_block: [*const u8; MOST_LANES],
    outputs: [*mut Digest; MOST_LANES],
    nodes: [Node; MOST_LANES],
    /// Partial last blocks, padded with zeros; accessed only through this pointer.
    tails: *mut [u8; BLOCK_BYTES],
    /// A bit for each busy lane.
    active: u32,
}

/// A bit of the flags: the lane's chaining value is still the key.
const FRESH: u32 = 1 << 31;
/// The position of the flags in [`Lanes::last`].
const LAST_FLAGS_SHIFT: u32 = 8;

impl<'m, V: Vector> Lanes<'m, V> {
    const LANES: usize = V::LANES * V::GROUPS;
    const ALL: u32 = (((1u64 << (V::LANES * V::GROUPS - 1)) << 1) - 1) as u32;

    /// Creates the lanes, all idle.
    #[inline(always)]
    pub(super) fn new(mode: &'m ModeWords, tails: &'m mut [[u8; BLOCK_BYTES]; MOST_LANES]) -> Self {
        let row = |number| Row([number; MOST_LANES]);
        Self {
            mode,
            states: [[V::splat(0); WORDS]; MOST_GROUPS],
            blocks_left: row(1),
            last: row(0),
            flags: row(0),
            counters: row(0),
            next: [IDLE.as_ptr(); MOST_LANES],
            last_block: [IDLE.as_ptr(); MOST_LANES],
            outputs: [std::ptr::null_mut(); MOST_LANES],
            nodes: [Node::NONE; MOST_LANES],
            tails: tails.as_mut_ptr(),
            active: 0,
        }
    }

    /// Returns `true` if a lane is idle.
    #[inline(always)]
    pub(super) fn has_room(&self) -> bool {
        self.active != Self::ALL
    }

    /// The number of busy lanes.
    #[inline(always)]
    pub(super) fn busy(&self) -> u32 {
        self.active.count_ones()
    }

    /// Begins a job in an idle lane, which must exist.
    ///
    /// # Safety
    /// Until the job is done its data can be read and its output written.
    #[inline(always)]
    pub(super) unsafe fn begin(&mut self, job: &Job) {
        let lane = self.active.trailing_ones() as usize;
        debug_assert!(lane < Self::LANES, "no lane is idle");
        // An empty message has one block of zeros.
        let blocks = job.bytes.div_ceil(BLOCK_BYTES).max(1);
        let before_last = (blocks - 1) * BLOCK_BYTES;
        let last_bytes = job.bytes - before_last;
        let last_block = job.data.wrapping_add(before_last);
        self.last_block[lane] = last_block;
        if last_bytes < BLOCK_BYTES {
            let tail = self.tails.wrapping_add(lane);
            // SAFETY: the caller guarantees that the data can be read; the tail is this lane's.
            unsafe { V::pad_block(last_block, last_bytes, tail) };
            self.last_block[lane] = tail.cast();
        }
        self.next[lane] = job.data;
        self.blocks_left.0[lane] = blocks as u32;
        let last_flags = job.last_flags | self.mode.flags;
        let first_flags = job.first_flags | self.mode.flags;
        self.last.0[lane] = last_flags << LAST_FLAGS_SHIFT | last_bytes as u32;
        self.flags.0[lane] = first_flags | FRESH;
        self.counters.0[lane] = job.counter;
        self.outputs[lane] = job.output;
        self.nodes[lane] = job.node;
        self.active |= 1 << lane;
    }

    /// Compresses a block of each lane; calls `done` for each finished job.
    ///
    /// # Safety
    /// The conditions of [`Self::begin`] hold for the busy lanes.
    #[inline(always)]
    pub(super) unsafe fn step(&mut self, done: impl FnMut(Node)) {
        if V::GROUPS == 2 && self.active.count_ones() as usize <= V::LANES {
            self.gather();
        }
        // SAFETY: the caller guarantees that the lanes' data can be read.
        let (blocks, mut ended) = unsafe { self.load(0) };
        if V::GROUPS == 2 && self.active >> (V::LANES - 1) > 1 {
            // SAFETY: as above.
            let (other_blocks, other_ended) = unsafe { self.load(1) };
            ended |= other_ended << V::LANES;
            V::compress_two(&mut self.states, &blocks, &other_blocks);
        } else {
            rounds::compress(&mut self.states[0], &blocks);
        }
        // SAFETY: the caller guarantees that the outputs can be written.
        unsafe { self.finish(ended & self.active, done) };
    }

    /// Returns the next block of each lane of a group, and a bit for each lane whose block is its
    /// last; prepares the states for the compression.
    ///
    /// # Safety
    /// The lanes' data must be readable.
    #[inline(always)]
    unsafe fn load(&mut self, group: usize) -> (Words<V>, u32) {
        let (ended, masks) = self.prepare(group);
        let first = group * V::LANES;
        let mut places = [IDLE.as_ptr(); MOST_LANES / 2];
        for lane in 0..V::LANES {
            let next = self.next[first + lane];
            places[lane] = if masks[lane] != 0 { self.last_block[first + lane] } else { next };
            self.next[first + lane] = next.wrapping_add(BLOCK_BYTES);
            V::prefetch(self.next[first + lane]);
        }
        // SAFETY: a busy lane has 64 readable bytes for its next block, or for its last block,
        // which was padded to 64; an idle lane's last block is `IDLE`.
        (unsafe { V::load_blocks(places.as_ptr()) }, ended)
    }

    /// Prepares the states of a group for its next blocks and counts down the blocks. Returns the
    /// lanes whose block is the last, as bits and as masks.
    #[inline(always)]
    fn prepare(&mut self, group: usize) -> (u32, [u32; MOST_LANES / 2]) {
        let first = group * V::LANES;
        let state = &mut self.states[group];
        let at = |row: &Row| row.0[first..first + V::LANES].as_ptr();
        // SAFETY: each row has `LANES` numbers from the group's first lane on.
        let (left, last, flags, counters) = unsafe {
            (
                V::load(at(&self.blocks_left)),
                V::load(at(&self.last)),
                V::load(at(&self.flags)),
                V::load(at(&self.counters)),
            )
        };
        let one = V::splat(1);
        let is_last = left.equals(one);
        let fresh = flags.and(V::splat(FRESH)).equals(V::splat(FRESH));
        for (word, key) in state.iter_mut().zip(self.mode.key) {
            *word = V::select(fresh, V::splat(key), *word);
        }
        for (word, iv) in state[8..].iter_mut().zip(IV).take(4) {
            *word = V::splat(iv);
        }
        state[12] = counters;
        state[13] = V::splat(0);
        let bytes = last.and(V::splat((1 << LAST_FLAGS_SHIFT) - 1));
        state[14] = V::select(is_last, bytes, V::splat(BLOCK_BYTES as u32));
        // A first block that is not the last takes its flags from one row, a last block from the
        // other, and a block that is both from both.
        let flags = flags.and(V::splat(!FRESH));
        state[15] = flags.or(V::shift_right_8(last).and(is_last));
        let mode_flags = V::splat(self.mode.flags);
        // The count stays 1 after a last block, so idle lanes keep theirs.
        let left = left.add(V::splat(u32::MAX)).add(is_last.and(one));
        let mut masks = [0; MOST_LANES / 2];
        // SAFETY: as above; `masks` has a number for each lane.
        unsafe {
            left.store(self.blocks_left.0[first..].as_mut_ptr());
            mode_flags.store(self.flags.0[first..].as_mut_ptr());
            is_last.store(masks.as_mut_ptr());
        }
        (is_last.top_bits(), masks)
    }

    /// Writes the outputs of these lanes, which then become idle.
    ///
    /// # Safety
    /// The outputs of the lanes can be written.
    #[inline(always)]
    unsafe fn finish(&mut self, ended: u32, mut done: impl FnMut(Node)) {
        self.active &= !ended;
        for group in 0..V::GROUPS {
            let first = group * V::LANES;
            let mut ended = ended >> first & (Self::ALL >> (Self::LANES - V::LANES));
            if ended == 0 {
                continue;
            }
            let rows = DigestRows::of(&self.states[group]);
            while ended != 0 {
                let lane = ended.trailing_zeros() as usize;
                ended &= ended - 1;
                let digest = rows.digest::<V>(lane);
                let lane = first + lane;
                // SAFETY: the caller guarantees that the output can be written.
                unsafe { self.outputs[lane].write(digest) };
                self.last_block[lane] = IDLE.as_ptr();
                done(self.nodes[lane]);
            }
        }
    }

    /// Moves the busy lanes to the front; they must fit in one register.
    #[inline(always)]
    fn gather(&mut self) {
        let mut behind = self.active >> (V::LANES - 1) >> 1;
        while behind != 0 {
            let from = V::LANES + behind.trailing_zeros() as usize;
            behind &= behind - 1;
            self.move_lane(from, self.active.trailing_ones() as usize);
        }
    }

    fn move_lane(&mut self, from: usize, to: usize) {
        for row in [&mut self.blocks_left, &mut self.last, &mut self.flags, &mut self.counters] {
            row.0[to] = row.0[from];
        }
        self.blocks_left.0[from] = 1;
        let tail = self.tails.wrapping_add(from);
        let has_tail = std::ptr::eq(self.last_block[from], tail.cast());
        self.last_block[to] = if has_tail {
            // SAFETY: both are tails of lanes, and distinct.
            unsafe { self.tails.wrapping_add(to).write(tail.read()) };
            self.tails.wrapping_add(to).cast()
        } else {
            self.last_block[from]
        };
        self.last_block[from] = IDLE.as_ptr();
        self.next[to] = self.next[from];
        self.outputs[to] = self.outputs[from];
        self.nodes[to] = self.nodes[from];
        for word in 0..8 {
            let value = self.word(from, word);
            self.set_word(to, word, value);
        }
        self.active = self.active & !(1 << from) | 1 << to;
    }

    /// Finishes the first busy job sequentially, if too few lanes are busy for a step of all.
    ///
    /// # Safety
    /// The conditions of [`Self::begin`] hold for the job.
    pub(super) unsafe fn finish_alone(&mut self, mut done: impl FnMut(Node)) {
        let lane = self.active.trailing_zeros() as usize;
        let mut flags = self.flags.0[lane];
        let mut chaining_value = if flags & FRESH != 0 {
            self.mode.key
        } else {
            std::array::from_fn(|word| self.word(lane, word))
        };
        flags &= !FRESH;
        let mut next = self.next[lane];
        let counter = self.counters.0[lane];
        for _ in 1..self.blocks_left.0[lane] {
            // SAFETY: the caller guarantees that the lane's blocks can be read.
            let block = unsafe { &*next.cast::<[u8; BLOCK_BYTES]>() };
            alone::compress(&mut chaining_value, block, counter, BLOCK_BYTES as u32, flags);
            next = next.wrapping_add(BLOCK_BYTES);
            flags = self.mode.flags;
        }
        // SAFETY: as above; it was padded to 64 bytes.
        let block = unsafe { self.last_block[lane].cast::<[u8; BLOCK_BYTES]>().read() };
        let last = self.last.0[lane];
        let bytes = last & ((1 << LAST_FLAGS_SHIFT) - 1);
        flags |= last >> LAST_FLAGS_SHIFT;
        alone::compress(&mut chaining_value, &block, counter, bytes, flags);
        // SAFETY: the caller guarantees that the output can be written.
        unsafe { self.outputs[lane].write(digest(&chaining_value[..4], &chaining_value[4..])) };
        self.blocks_left.0[lane] = 1;
        self.last_block[lane] = IDLE.as_ptr();
        self.active &= !(1 << lane);
        done(self.nodes[lane]);
    }

    fn word(&self, lane: usize, word: usize) -> u32 {
        let mut words = [0; MOST_LANES];
        // SAFETY: `words` has room for the words of a register.
        unsafe { self.states[lane / V::LANES][word].store(words.as_mut_ptr()) };
        words[lane % V::LANES]
    }

    fn set_word(&mut self, lane: usize, word: usize, value: u32) {
        let mut words = [0; MOST_LANES];
        let register = &mut self.states[lane / V::LANES][word];
        // SAFETY: `words` has room for the words of a register.
        unsafe { register.store(words.as_mut_ptr()) };
        words[lane % V::LANES] = value;
        // SAFETY: as above.
        *register = unsafe { V::load(words.as_ptr()) };
    }
}
