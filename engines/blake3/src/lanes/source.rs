// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The source of the lanes' jobs: parents whose children are done, then the chunks of messages.

use std::marker::PhantomData;
use std::ops::Range;

use super::equal::Equal;
use super::job::{Job, Node};
use super::trees::Trees;
use crate::choice::Long;
use crate::constants::{CHUNK_END, CHUNK_START, ROOT};
use crate::{Digest, Messages, Mode, BLOCK_BYTES, CHUNK_BYTES};

/// A message whose chunks are being issued.
struct Chunks<'m> {
    rest: &'m [u8],
    next: usize,
    tree: usize,
}

/// The messages that the crate hashes.
pub(super) struct Stream<'m> {
    /// The mode of the messages.
    pub mode: &'m Mode,
    /// The lengths of messages that the crate hashes.
    pub long: Long,
}

/// A range of messages as jobs. The pointers of a job are valid while the source exists: until
/// [`Self::done`] is called for the job, nothing else reads or writes its output or writes its
/// data.
pub(super) struct Source<'m, M: ?Sized> {
    messages: &'m M,
    range: Range<usize>,
    /// The output of the next message; there is one digest per message of the range.
    digest: *mut Digest,
    stream: Stream<'m>,
    chunks: Option<Chunks<'m>>,
    trees: Trees,
    digests: PhantomData<&'m mut [Digest]>,
}

impl<'m, M: Messages + ?Sized> Source<'m, M> {
    /// Creates the source of a range of messages, with their digests as output.
    ///
    /// # Panics
    /// If the number of digests is not the length of the range.
    pub(super) fn new(
        messages: &'m M,
        range: Range<usize>,
        digests: &'m mut [Digest],
        stream: Stream<'m>,
    ) -> Self {
        assert_eq!(range.len(), digests.len(), "a digest for each message");
        let digest = digests.as_mut_ptr();
        let (chunks, trees) = (None, Trees::default());
        Self { messages, range, digest, stream, chunks, trees, digests: PhantomData }
    }

    /// Returns the next job, if one is available. More may become available when others are done.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Job> {
        if let Some(parent) = self.trees.next_parent() {
            return Some(parent);
        }
        if self.chunks.is_some() {
            return self.next_chunk();
        }
        let (message, output) = self.next_message()?;
        if message.len() > CHUNK_BYTES {
            let tree = self.trees.begin(message.len().div_ceil(CHUNK_BYTES), output);
            self.chunks = Some(Chunks { rest: message, next: 0, tree });
            return self.next_chunk();
        }
        Some(Job {
            data: message.as_ptr(),
            bytes: message.len(),
            counter: 0,
            first_flags: CHUNK_START,
            last_flags: CHUNK_END | ROOT,
            output,
            node: Node::NONE,
        })
    }

    /// Takes the next `count` messages if all have at most one chunk and equally many blocks, and
    /// no message has begun; otherwise returns `false`.
    #[inline(always)]
    pub(super) fn take_equal(&mut self, count: usize, equal: &mut Equal) -> bool {
        if self.range.len() < count || self.chunks.is_some() {
            return false;
        }
        let first = self.messages.message(self.range.start).len();
        let blocks = first.div_ceil(BLOCK_BYTES).max(1);
        let before_last = (blocks - 1) * BLOCK_BYTES;
        if first > CHUNK_BYTES {
            return false;
        }
        for lane in 0..count {
            let message = self.messages.message(self.range.start + lane);
            if message.len().div_ceil(BLOCK_BYTES).max(1) != blocks {
                return false;
            }
            equal.data[lane] = message.as_ptr();
            equal.last_bytes[lane] = (message.len() - before_last) as u32;
        }
        (equal.blocks, equal.digests) = (blocks, self.digest);
        self.range.start += count;
        self.digest = self.digest.wrapping_add(count);
        true
    }

    /// Returns the next message for the lanes, with its output; longer ones are hashed by the
    /// crate.
    #[inline(always)]
    fn next_message(&mut self) -> Option<(&'m [u8], *mut Digest)> {
        loop {
            let message = self.messages.message(self.range.next()?);
            let output = self.digest;
            self.digest = output.wrapping_add(1);
            if !self.stream.long.holds(message.len()) {
                return Some((message, output));
            }
            // SAFETY: there is a digest for each number of the range.
            unsafe { output.write(self.stream.mode.digest(message)) };
        }
    }

    /// Returns the next chunk of the message whose chunks are being issued.
    #[inline(always)]
    fn next_chunk(&mut self) -> Option<Job> {
        let chunks = self.chunks.as_mut()?;
        let (chunk, rest) = chunks.rest.split_at(chunks.rest.len().min(CHUNK_BYTES));
        let (number, tree) = (chunks.next, chunks.tree);
        (chunks.rest, chunks.next) = (rest, number + 1);
        if rest.is_empty() {
            self.chunks = None;
        }
        Some(Job {
            data: chunk.as_ptr(),
            bytes: chunk.len(),
            counter: number as u32,
            first_flags: CHUNK_START,
            last_flags: CHUNK_END,
            output: self.trees.chunk_output(tree, number),
            node: Node::of(tree),
        })
    }

    /// Reports that a job's output has been written.
    #[inline(always)]
    pub(super) fn done(&mut self, node: Node) {
        if let Some(tree) = node.tree() {
            self.trees.done(tree);
        }
    }
}
