// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The IO pattern: how many elements a protocol absorbs and squeezes, in which order, and the tag
//! that names it.

use super::SpongeError;

/// One step of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Absorbs this many elements.
    Absorb(u32),
    /// Squeezes this many elements.
    Squeeze(u32),
}

impl Operation {
    /// The number of elements.
    pub fn count(self) -> u32 {
        match self {
            Self::Absorb(count) | Self::Squeeze(count) => count,
        }
    }

    /// The operation in the tag: the number of elements, and bit 31 where they are absorbed.
    fn word(self) -> u32 {
        match self {
            Self::Absorb(count) => count | 1 << 31,
            Self::Squeeze(count) => count,
        }
    }

    /// Both as one where they are of the same kind.
    fn joined(self, next: Self) -> Option<(Self, u64)> {
        let sum = u64::from(self.count()) + u64::from(next.count());
        // Whoever calls refuses sums that do not fit.
        let count = sum.min(u64::from(u32::MAX)) as u32;
        match (self, next) {
            (Self::Absorb(_), Self::Absorb(_)) => Some((Self::Absorb(count), sum)),
            (Self::Squeeze(_), Self::Squeeze(_)) => Some((Self::Squeeze(count), sum)),
            _ => None,
        }
    }
}

/// Most elements of one aggregated operation: bit 31 of its word says what it does.
pub const MAX_COUNT: u64 = (1 << 31) - 1;

/// The input-output pattern of a protocol: what it absorbs and squeezes. Neighbors of the same
/// kind count as one: a pattern is the same however its operations are cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IoPattern {
    aggregated: Vec<Operation>,
}

impl IoPattern {
    /// A pattern of these operations. It begins with an absorb, ends with a squeeze, and none of
    /// its operations is empty.
    ///
    /// # Errors
    /// [`SpongeError::Pattern`].
    pub fn new(operations: &[Operation]) -> Result<Self, SpongeError> {
        let bad = |position, reason| Err(SpongeError::Pattern { position, reason });
        let mut aggregated: Vec<Operation> = Vec::new();
        for (position, &operation) in operations.iter().enumerate() {
            if operation.count() == 0 {
                return bad(position, "an operation of no elements");
            }
            let (operation, count) = match aggregated.last().and_then(|last| last.joined(operation))
            {
                Some(joined) => {
                    aggregated.pop();
                    joined
                }
                None => (operation, u64::from(operation.count())),
            };
            if count > MAX_COUNT {
                return bad(position, "2147483648 or more elements in a row");
            }
            aggregated.push(operation);
        }
        if !matches!(aggregated.first(), Some(Operation::Absorb(_))) {
            return bad(0, "a pattern begins with an absorb");
        }
        if !matches!(aggregated.last(), Some(Operation::Squeeze(_))) {
            return bad(operations.len() - 1, "a pattern ends with a squeeze");
        }
        Ok(Self { aggregated })
    }

    /// The pattern of a hash: everything in, then everything out.
    ///
    /// # Errors
    /// [`SpongeError::Pattern`] where one of the numbers is 0 or above 2³¹ − 1.
    pub fn simplex(absorbed: u32, squeezed: u32) -> Result<Self, SpongeError> {
        Self::new(&[Operation::Absorb(absorbed), Operation::Squeeze(squeezed)])
    }

    /// The operations, neighbors of the same kind joined.
    pub fn aggregated(&self) -> &[Operation] {
        &self.aggregated
    }

    /// Whether nothing is absorbed once something was squeezed: a simplex sponge. Any other
    /// pattern is that of a duplex sponge.
    pub fn is_simplex(&self) -> bool {
        self.aggregated.len() == 2
    }

    /// The tag: Σ wᵢ·xⁱ mod 2¹²⁸ over the words w₁, w₂, … of the aggregated operations and, at the
    /// end, the domain separator, with x = 2¹²⁸ − 159 (SAFE, the note of 2022, section 3.2).
    pub fn tag(&self, domain: u32) -> u128 {
        const BASE: u128 = 159u128.wrapping_neg();
        let words = self.aggregated.iter().map(|operation| operation.word());
        let mut power = 1u128;
        words.chain([domain]).fold(0u128, |tag, word| {
            power = power.wrapping_mul(BASE);
            tag.wrapping_add(power.wrapping_mul(u128::from(word)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Operation::{Absorb, Squeeze};
    use super::*;

    /// The values of neptune's `test_tag_values`.
    #[test]
    fn tags_are_the_published_ones() {
        let patterns: [&[Operation]; 3] = [
            &[Absorb(2), Squeeze(2)],
            &[Absorb(1), Absorb(1), Squeeze(2)],
            &[Absorb(1), Absorb(1), Squeeze(1), Squeeze(1)],
        ];
        for operations in patterns {
            let pattern = IoPattern::new(operations).unwrap();
            assert_eq!(pattern.tag(0), 340_282_366_920_938_463_463_374_607_090_318_361_668);
            assert_eq!(pattern.tag(1), 340_282_366_920_938_463_463_374_607_090_314_341_989);
            assert!(pattern.is_simplex());
        }
    }

    #[test]
    fn patterns_that_are_none_are_refused_where_they_fail() {
        let limit = MAX_COUNT as u32;
        let cases: [(&[Operation], usize); 9] = [
            (&[], 0),
            (&[Squeeze(1)], 0),
            (&[Squeeze(1), Absorb(1), Squeeze(1)], 0),
            (&[Absorb(1)], 0),
            (&[Absorb(1), Squeeze(1), Absorb(2)], 2),
            (&[Absorb(1), Absorb(0), Squeeze(1)], 1),
            (&[Absorb(1), Squeeze(limit + 1)], 1),
            (&[Absorb(limit), Absorb(1), Squeeze(1)], 1),
            (&[Absorb(1), Squeeze(u32::MAX), Squeeze(u32::MAX)], 1),
        ];
        for (operations, wanted) in cases {
            let error = IoPattern::new(operations).unwrap_err();
            let matches =
                matches!(error, SpongeError::Pattern { position, .. } if position == wanted);
            assert!(matches, "{operations:?}: {error}");
        }
        let pattern = IoPattern::new(&[Absorb(limit - 1), Absorb(1), Squeeze(limit)]).unwrap();
        assert_eq!(pattern.aggregated(), [Absorb(limit), Squeeze(limit)]);
    }

    #[test]
    fn different_patterns_and_domains_have_different_tags() {
        let mut tags = std::collections::HashSet::new();
        let patterns: [&[Operation]; 6] = [
            &[Absorb(1), Squeeze(1)],
            &[Absorb(2), Squeeze(1)],
            &[Absorb(1), Squeeze(2)],
            &[Absorb(1), Squeeze(1), Absorb(1), Squeeze(1)],
            &[Absorb(1), Squeeze(1), Absorb(1), Squeeze(2)],
            &[Absorb(1), Squeeze(1), Absorb(1), Squeeze(1), Absorb(1), Squeeze(1)],
        ];
        for operations in patterns {
            let pattern = IoPattern::new(operations).unwrap();
            assert!([0, 1, 2, u32::MAX].into_iter().all(|domain| tags.insert(pattern.tag(domain))));
        }
    }
}
