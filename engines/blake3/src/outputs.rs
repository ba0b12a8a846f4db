// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The replies of a batch of hashes: digests in one array, or outputs of any lengths.

use std::ops::Index;

use crate::Digest;

/// The outputs of a batch, in the order of its messages. Two batches are equal if their bytes are
/// equal.
#[derive(Clone, Debug)]
pub enum Outputs {
    /// The digest of one message.
    One(Digest),
    /// One digest per message.
    Digests(Vec<Digest>),
    /// One output per message, of any length.
    Each(Vec<Vec<u8>>),
}

impl Outputs {
    /// The number of messages.
    pub fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Digests(digests) => digests.len(),
            Self::Each(outputs) => outputs.len(),
        }
    }

    /// Returns `true` if the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the outputs, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|number| &self[number])
    }
}

impl Index<usize> for Outputs {
    type Output = [u8];

    fn index(&self, number: usize) -> &[u8] {
        match self {
            Self::One(digest) => &std::slice::from_ref(digest)[number],
            Self::Digests(digests) => &digests[number],
            Self::Each(outputs) => &outputs[number],
        }
    }
}

impl Default for Outputs {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl PartialEq for Outputs {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Outputs {}

impl FromIterator<Vec<u8>> for Outputs {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(outputs: I) -> Self {
        Self::Each(outputs.into_iter().collect())
    }
}

impl IntoIterator for Outputs {
    type Item = Vec<u8>;
    type IntoIter = std::vec::IntoIter<Vec<u8>>;

    fn into_iter(self) -> Self::IntoIter {
        match self {
            Self::Each(outputs) => outputs.into_iter(),
            digests => digests.iter().map(<[u8]>::to_vec).collect::<Vec<_>>().into_iter(),
        }
    }
}

impl<'o> IntoIterator for &'o Outputs {
    type Item = &'o [u8];
    type IntoIter = Box<dyn ExactSizeIterator<Item = &'o [u8]> + 'o>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl PartialEq<Vec<Vec<u8>>> for Outputs {
    fn eq(&self, other: &Vec<Vec<u8>>) -> bool {
        self.iter().eq(other.iter().map(Vec::as_slice))
    }
}

impl PartialEq<Outputs> for Vec<Vec<u8>> {
    fn eq(&self, other: &Outputs) -> bool {
        other == self
    }
}
