// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The size of a card, as its engine's window reports it.

use crate::card::isa::{COLUMNS, VERSION};
use crate::card::Card;
use crate::ring::LOG_DEGREES;

/// The largest log₂ of the number of lanes and of the radix.
const MAX_LOG_LANES: u32 = 9;
const MAX_LOG_RADIX: u32 = 4;

/// The size of a card: the words `units` and `memory` of `engines/ckks/engine.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardSize {
    /// log₂ of the number of lanes.
    pub log_lanes: u32,
    /// The number of sums with the same first factors that run at the same time.
    pub columns: usize,
    /// log₂ of the length of the longest polynomial.
    pub max_log_degree: u32,
    /// The version of the instruction set.
    pub version: usize,
    /// log₂ of the size of the memory in bytes.
    pub log_memory_bytes: u32,
    /// log₂ of the number of rows of the scratchpad.
    pub log_rows: u32,
    /// The maximal number of limb slots in the scratchpad.
    pub slots: usize,
}

/// The reason why programs of a ring cannot run on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum CardSizeError {
    /// The words are not valid for a card.
    #[error("not a valid size of a card: {size:?}")]
    Unknown { size: CardSize },
    /// The instruction set has another version.
    #[error(
        "the card's instruction set has version {got}; programs are compiled for version \
         {wanted}"
    )]
    Version { got: usize, wanted: usize },
    /// The polynomials of the ring are too long.
    #[error("the card supports rings up to N = 2^{limit}; this one has N = 2^{got}")]
    Degree {
        /// log₂ N.
        got: u32,
        /// log₂ of the card's longest polynomial.
        limit: u32,
    },
    /// A row is longer than half a limb.
    #[error("the card's {lanes} lanes need a ring of a higher degree than N = 2^{got}")]
    Lanes {
        /// log₂ N.
        got: u32,
        lanes: usize,
    },
}

impl CardSize {
    /// Decodes the words of the engine's shape.
    pub fn of_shape(units: u32, memory: u32) -> Self {
        Self {
            log_lanes: units & 0xff,
            columns: (units >> 8 & 0xff) as usize,
            max_log_degree: units >> 16 & 0xff,
            version: (units >> 24) as usize,
            log_memory_bytes: memory & 0xff,
            log_rows: memory >> 8 & 0xff,
            slots: (memory >> 16) as usize,
        }
    }

    /// The size of the memory in bytes.
    pub fn memory_bytes(&self) -> u64 {
        1u64.checked_shl(self.log_memory_bytes).unwrap_or(u64::MAX)
    }

    /// Returns the card for which programs of a ring are compiled. Its timing is that of
    /// [`Card::small`], since a card does not report it.
    ///
    /// # Errors
    /// [`CardSizeError`] for a ring that the card does not support.
    pub fn card(&self, log_degree: u32) -> Result<Card, CardSizeError> {
        let is_known = (1..=MAX_LOG_LANES).contains(&self.log_lanes)
            && (1..=COLUMNS).contains(&self.columns)
            && LOG_DEGREES.contains(&self.max_log_degree)
            && (6..=48).contains(&self.log_memory_bytes)
            && (self.log_lanes..=24).contains(&self.log_rows);
        if !is_known {
            return Err(CardSizeError::Unknown { size: *self });
        }
        let (got, limit) = (log_degree, self.max_log_degree);
        if self.version != VERSION {
            return Err(CardSizeError::Version { got: self.version, wanted: VERSION });
        }
        if got > limit {
            return Err(CardSizeError::Degree { got, limit });
        }
        if self.log_lanes >= got {
            return Err(CardSizeError::Lanes { got, lanes: 1 << self.log_lanes });
        }
        let rows = 1usize << self.log_rows;
        let slots = self.slots.min(rows >> (got - self.log_lanes));
        Ok(Card {
            log_radix: self.log_lanes.min(MAX_LOG_RADIX),
            columns: self.columns,
            scratchpad_bytes: slots << (got + 2),
            ..Card::small(self.log_lanes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the simulated card (engines/ckks/engine.toml).
    const UNITS: u32 = 1 << 24 | 10 << 16 | 3 << 8 | 3;
    const MEMORY: u32 = 64 << 16 | 13 << 8 | 23;

    #[test]
    fn the_words_of_the_simulated_card() {
        let size = CardSize::of_shape(UNITS, MEMORY);
        assert_eq!((size.log_lanes, size.columns, size.max_log_degree), (3, 3, 10));
        assert_eq!((size.memory_bytes(), size.slots), (1 << 23, 64));
        let card = size.card(10).unwrap();
        assert_eq!((card.log_lanes, card.log_radix, card.columns), (3, 3, 3));
        assert_eq!(card.slots(1 << 10), 64);
        // Eight lanes and 2^13 rows hold more limbs of a shorter ring than slot numbers allow.
        assert_eq!(size.card(6).unwrap().slots(1 << 6), 64);
        let narrow = CardSize { log_rows: 10, ..size };
        assert_eq!(narrow.card(10).unwrap().slots(1 << 10), 8);
    }

    #[test]
    fn rings_and_cards_that_do_not_fit() {
        let size = CardSize::of_shape(UNITS, MEMORY);
        assert_eq!(size.card(13), Err(CardSizeError::Degree { got: 13, limit: 10 }));
        let wide = CardSize { log_lanes: 9, max_log_degree: 16, ..size };
        assert_eq!(wide.card(9), Err(CardSizeError::Lanes { got: 9, lanes: 512 }));
        let other = CardSize { version: 2, ..size };
        assert_eq!(other.card(10), Err(CardSizeError::Version { got: 2, wanted: 1 }));
        for (units, memory) in [(0, 0), (UNITS, 0), (u32::MAX, MEMORY), (UNITS, u32::MAX)] {
            let error = CardSize::of_shape(units, memory).card(10).unwrap_err();
            assert!(matches!(error, CardSizeError::Unknown { .. }), "{error}");
        }
    }
}
