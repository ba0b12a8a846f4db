// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts: the result of a check with many conditions, as bits that every language and the card
//! share.
//!
//! An engine writes its table once with [`checks!`](crate::checks): names, bits and texts. The
//! names of the outcomes of an item are in a table of [`outcomes!`](crate::outcomes).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A condition that must hold.
pub trait Check: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// All checks. The first failed check in this order names the rejection.
    const TABLE: &'static [Self];

    /// `true` if the text of a mask names every failure, `false` if it names only the first.
    const NAMES_EVERY_FAILURE: bool;

    /// Returns the bit of the check in a mask.
    fn bit(self) -> u8;

    /// Returns the name, e.g. `index-order`.
    fn name(self) -> &'static str;

    /// Returns the message for a failed check.
    fn message(self) -> &'static str;
}

/// The table of an engine's checks: an enum, its bits and its texts.
///
/// ```
/// halimede_arith::checks! {
///     /// A condition that must hold.
///     pub enum Check names_every_failure: true {
///         /// The lid is on.
///         Lid = 0, "lid", "the lid is off",
///         /// The box is dry.
///         Dry = 3, "dry", "the box is wet",
///     }
/// }
/// let mut mask = halimede_arith::verdict::Mask::<Check>::VALID;
/// mask.set(Check::Dry);
/// mask.set(Check::Lid);
/// assert_eq!((mask.bits(), mask.to_string()), (9, "the lid is off; the box is wet".into()));
/// ```
#[macro_export]
macro_rules! checks {
    (
        $(#[$documentation:meta])*
        pub enum $checks:ident names_every_failure: $every:literal {
            $($(#[$text:meta])* $check:ident = $bit:literal, $name:literal, $message:literal,)+
        }
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $checks {
            $($(#[$text])* $check,)+
        }

        impl $checks {
            /// All checks. The first failed check in this order names the rejection.
            pub const ALL: [Self; [$(stringify!($check)),+].len()] = [$(Self::$check),+];

            /// Returns the bit of the check in a mask.
            pub const fn bit(self) -> u8 {
                match self {
                    $(Self::$check => $bit,)+
                }
            }

            /// Returns the name of the check.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$check => $name,)+
                }
            }

            /// Returns the message for a failed check.
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$check => $message,)+
                }
            }
        }

        impl $crate::verdict::Check for $checks {
            const TABLE: &'static [Self] = &Self::ALL;
            const NAMES_EVERY_FAILURE: bool = $every;

            fn bit(self) -> u8 {
                self.bit()
            }

            fn name(self) -> &'static str {
                self.name()
            }

            fn message(self) -> &'static str {
                self.message()
            }
        }
    };
}

/// The table of the possible outcomes of an item: an enum, its numbers and its names.
///
/// ```
/// halimede_arith::outcomes! {
///     /// The outcome of a box.
///     pub enum Outcome {
///         /// The box is whole.
///         Whole = 0, "whole",
///         /// The lid is off.
///         Open = 1, "open",
///     }
/// }
/// assert_eq!((Outcome::ALL[1], Outcome::Open.name()), (Outcome::Open, "open"));
/// assert_eq!(Outcome::Open.name_for_c(), c"open");
/// ```
#[macro_export]
macro_rules! outcomes {
    (
        $(#[$documentation:meta])*
        pub enum $outcomes:ident {
            $($(#[doc = $text:literal])* $outcome:ident = $number:literal, $name:literal,)+
        }
    ) => {
        $(#[$documentation])*
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $outcomes {
            $($(#[doc = $text])* $outcome = $number,)+
        }

        impl $outcomes {
            /// All outcomes, by their numbers.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$outcome),+];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$outcome => $name,)+
                }
            }

            /// Returns a sentence that describes the outcome.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$outcome => concat!($($text),*),)+
                }
            }

            /// Returns the name, for C.
            pub const fn name_for_c(self) -> &'static ::std::ffi::CStr {
                let bytes: &[u8] = match self {
                    $(Self::$outcome => concat!($name, "\0").as_bytes(),)+
                };
                match ::std::ffi::CStr::from_bytes_with_nul(bytes) {
                    Ok(name) => name,
                    Err(_) => c"",
                }
            }
        }
    };
}

/// The failed checks, one bit each, as in a card's reply. 0 if nothing failed.
pub struct Mask<C> {
    bits: u8,
    checks: PhantomData<C>,
}

impl<C: Check> Mask<C> {
    /// No failure.
    pub const VALID: Self = Self { bits: 0, checks: PhantomData };

    /// Makes a mask from the bits of a reply. Returns `None` if a bit has no meaning.
    pub fn from_bits(bits: u8) -> Option<Self> {
        let known = C::TABLE.iter().fold(0, |known, check| known | 1 << check.bit());
        (bits & !known == 0).then_some(Self { bits, checks: PhantomData })
    }

    /// Returns the bits, as in a reply.
    pub fn bits(self) -> u8 {
        self.bits
    }

    /// Marks this check as failed.
    pub fn set(&mut self, check: C) {
        self.bits |= 1 << check.bit();
    }

    /// Returns the mask without this check.
    #[must_use]
    pub fn without(self, check: C) -> Self {
        Self { bits: self.bits & !(1 << check.bit()), checks: PhantomData }
    }

    /// Returns `true` if this check failed.
    pub fn has(self, check: C) -> bool {
        self.bits >> check.bit() & 1 == 1
    }

    /// Returns `true` if no check failed.
    pub fn is_valid(self) -> bool {
        self.bits == 0
    }

    /// Returns the checks that failed, in the order of the table.
    pub fn failures(self) -> impl Iterator<Item = C> {
        C::TABLE.iter().copied().filter(move |check| self.has(*check))
    }

    /// Returns the first check that failed, in the order of the table.
    pub fn first(self) -> Option<C> {
        self.failures().next()
    }
}

impl<C: Check> fmt::Display for Mask<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_valid() {
            return f.write_str("valid");
        }
        let most = if C::NAMES_EVERY_FAILURE { usize::MAX } else { 1 };
        for (number, check) in self.failures().take(most).enumerate() {
            let comma = if number == 0 { "" } else { "; " };
            write!(f, "{comma}{}", check.message())?;
        }
        Ok(())
    }
}

// A derive would require the same traits of the checks.
impl<C> Clone for Mask<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Mask<C> {}

impl<C> PartialEq for Mask<C> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<C> Eq for Mask<C> {}

impl<C> Hash for Mask<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<C: Check> Default for Mask<C> {
    fn default() -> Self {
        Self::VALID
    }
}

impl<C: Check> fmt::Debug for Mask<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({:#010b})", self.bits)
    }
}
