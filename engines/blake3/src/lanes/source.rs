// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the lanes are to do next: parents whose children are there, then the messages' chunks.

use std::marker::PhantomData;
use std::ops::Range;

use super::job::{Job, Node};
use super::trees::Trees;
use crate::choice::Long;
use crate::constants::{CHUNK_END, CHUNK_START, ROOT};
use crate::{Digest, Messages, Mode, CHUNK_BYTES};

/// A message of several chunks that are being handed out.
struct Chunks<'m> {
    rest: &'m [u8],
    next: usize,
    tree: usize,
}

/// Which messages are the crate's.
pub(super) struct Stream<'m> {
    /// Their mode.
    pub mode: &'m Mode,
    /// Those that are this long.
    pub long: Long,
}

/// A range of messages as jobs. The pointers of a job hold as long as the source is there: until
/// [`Self::done`] was told of it, nothing else writes or reads its output, or writes its data.
pub(super) struct Source<'m, M: ?Sized> {
    messages: &'m M,
    range: Range<usize>,
    /// Where the next message's digest goes; there are as many as the range is long.
    digest: *mut Digest,
    stream: Stream<'m>,
    chunks: Option<Chunks<'m>>,
    trees: Trees,
    digests: PhantomData<&'m mut [Digest]>,
}

impl<'m, M: Messages + ?Sized> Source<'m, M> {
    /// Of these messages, into as many digests.
    ///
    /// # Panics
    /// Where there are not as many.
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

    /// The next job, where there is one now. More may come when others are done.
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

    /// The next message that is not too long, and where its digest goes.
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

    /// The next chunk of the message that is being handed out.
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

    /// Notes that a job's output has been written.
    #[inline(always)]
    pub(super) fn done(&mut self, node: Node) {
        if let Some(tree) = node.tree() {
            self.trees.done(tree);
        }
    }
}
