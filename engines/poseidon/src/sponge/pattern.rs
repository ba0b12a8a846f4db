// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The IO pattern: the numbers of elements that a protocol absorbs and squeezes, in order, and the
//! tag that identifies it.

use super::SpongeError;

/// One step of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Absorbs the given number of elements.
    Absorb(u32),
    /// Squeezes the given number of elements.
    Squeeze(u32),
}

impl Operation {
    /// The number of elements.
    pub fn count(self) -> u32 {
        match self {
            Self::Absorb(count) | Self::Squeeze(count) => count,
        }
    }

    /// The word of the operation in the tag: the number of elements, with bit 31 set for an absorb.
    fn word(self) -> u32 {
        match self {
            Self::Absorb(count) => count | 1 << 31,
            Self::Squeeze(count) => count,
        }
    }

    /// Joins two operations of the same kind into one, and returns the exact sum of their elements.
    fn joined(self, next: Self) -> Option<(Self, u64)> {
        let sum = u64::from(self.count()) + u64::from(next.count());
        // The caller rejects sums that do not fit.
        let count = sum.min(u64::from(u32::MAX)) as u32;
        match (self, next) {
            (Self::Absorb(_), Self::Absorb(_)) => Some((Self::Absorb(count), sum)),
            (Self::Squeeze(_), Self::Squeeze(_)) => Some((Self::Squeeze(count), sum)),
            _ => None,
        }
    }
}

/// The most elements of one aggregated operation: bit 31 of its word is the kind of operation.
pub const MAX_COUNT: u64 = (1 << 31) - 1;

/// The input-output pattern of a protocol: what it absorbs and squeezes. Adjacent operations of the
/// same kind count as one, so a pattern does not depend on how its operations are split.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IoPattern {
    aggregated: Vec<Operation>,
}

impl IoPattern {
    /// Creates a pattern of these operations. It must begin with an absorb and end with a squeeze,
    /// and no operation may be empty.
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
                return bad(position, "2147483648 or more consecutive elements of one kind");
            }
            aggregated.push(operation);
        }
        if !matches!(aggregated.first(), Some(Operation::Absorb(_))) {
            return bad(0, "a pattern must begin with an absorb");
        }
        if !matches!(aggregated.last(), Some(Operation::Squeeze(_))) {
            return bad(operations.len() - 1, "a pattern must end with a squeeze");
        }
        Ok(Self { aggregated })
    }

    /// Creates the pattern of a hash: one absorb, then one squeeze.
    ///
    /// # Errors
    /// [`SpongeError::Pattern`] if one of the numbers is 0 or above 2³¹ − 1.
    pub fn simplex(absorbed: u32, squeezed: u32) -> Result<Self, SpongeError> {
        Self::new(&[Operation::Absorb(absorbed), Operation::Squeeze(squeezed)])
    }

    /// The operations, with adjacent ones of the same kind joined.
    pub fn aggregated(&self) -> &[Operation] {
        &self.aggregated
    }

    /// Returns `true` if nothing is absorbed after the first squeeze: a simplex sponge. Any other
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
