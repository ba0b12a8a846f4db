// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lanes whose halves of products are plain integers, and procedures that are compiled once.
//!
//! A pairing has thousands of products: inlined, its code would not fit any cache. A procedure that
//! [`outlined!`](crate::outlined) declares is compiled once with the instructions of its lanes, and called.

use super::vector::{Lanes, LIMB_MASK};

/// [`Lanes`] without a bias, whose factors are the lanes themselves.
pub trait IntegerLanes: Lanes<Factor = Self> {
    /// Runs a procedure that is compiled with the instructions of these lanes and not inlined.
    fn outlined<P: Procedure>(procedure: P) -> P::Output;

    /// sum + the low half of a·b.
    #[must_use]
    fn add_low(sum: Self, a: Self, b: Self) -> Self;
    /// sum + the high half of a·b.
    #[must_use]
    fn add_high(sum: Self, a: Self, b: Self) -> Self;

    /// The low 52 bits of each lane.
    #[inline(always)]
    #[must_use]
    fn low_limb(self) -> Self {
        self.and(Self::splat(LIMB_MASK))
    }
}

/// A call with its arguments; [`outlined!`](crate::outlined) makes the type.
pub trait Procedure {
    /// What it returns.
    type Output;

    /// Computes it; must be `#[inline(always)]`, as [`Kernel::run`](super::Kernel::run).
    fn call(self) -> Self::Output;
}

/// A computation over eight lanes without a bias; see [`Kernel`](super::Kernel) for its rules.
pub trait IntegerKernel {
    /// The result.
    type Output;

    /// Computes it.
    fn run<L: IntegerLanes>(self) -> Self::Output;
}

/// Declares functions over [`IntegerLanes`] that are compiled once for their lanes and constants,
/// and called. A constant parameter must occur in the type of an argument.
#[macro_export]
macro_rules! outlined {
    (@output) => { () };
    (@output $output:ty) => { $output };
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$L:ident $(, const $N:ident: $kind:ty)*>
            ($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        $visibility fn $name<$L: $crate::lanes::IntegerLanes $(, const $N: $kind)*>(
            $($argument: $type),*
        ) -> $crate::outlined!(@output $($output)?) {
            struct Call<Arguments, Lanes>(Arguments, std::marker::PhantomData<Lanes>);
            impl<$L: $crate::lanes::IntegerLanes $(, const $N: $kind)*>
                $crate::lanes::Procedure for Call<($($type,)*), $L>
            {
                type Output = $crate::outlined!(@output $($output)?);

                #[inline(always)]
                fn call(self) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    $body
                }
            }
            <$L as $crate::lanes::IntegerLanes>::outlined(Call(($($argument,)*), std::marker::PhantomData::<$L>))
        }
    )*};
}
