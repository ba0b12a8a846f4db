// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Procedures over lanes, which are compiled once and called.
//!
//! A pairing has thousands of products: inlined, its code would not fit any cache, and a sum of points
//! of a curve takes a compiler a minute. A procedure that [`outlined!`](crate::outlined) declares is
//! compiled once with the instructions of its lanes. What [`steps!`](crate::steps) declares is inlined where lanes
//! are registers; the emulation compiles it once.

/// A call with its arguments; the macros make the type.
pub trait Procedure {
    /// What it returns.
    type Output;

    /// Computes it; must be `#[inline(always)]`, as [`Kernel::run`](super::Kernel::run).
    fn call(self) -> Self::Output;
}

/// Declares functions over [`Lanes`](crate::lanes::Lanes) that are compiled once for their lanes and
/// constants, and called. A constant parameter must occur in the type of an argument.
#[macro_export]
macro_rules! outlined {
    ($($declarations:tt)*) => { $crate::procedures!(outlined; $($declarations)*); };
}

/// Declares parts of such procedures, which are inlined where lanes are registers. In the emulation, whose
/// registers are arrays in memory, they are compiled once and called: inlined, one product has thousands of
/// instructions.
#[macro_export]
macro_rules! steps {
    ($($declarations:tt)*) => { $crate::procedures!(step; $($declarations)*); };
}

/// What [`outlined!`] and [`steps!`] have in common.
#[doc(hidden)]
#[macro_export]
macro_rules! procedures {
    (@output) => { () };
    (@output $output:ty) => { $output };
    (@call $L:ident outlined $call:expr) => { <$L as $crate::lanes::Lanes>::outlined($call) };
    (@call $L:ident step $call:expr) => { <$L as $crate::lanes::Lanes>::step($call) };
    ($how:tt; $(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$L:ident: $bound:ident $(, const $N:ident: $kind:ty)*>
            ($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        $visibility fn $name<$L: $bound $(, const $N: $kind)*>(
            $($argument: $type),*
        ) -> $crate::procedures!(@output $($output)?) {
            struct Call<Arguments, Lanes>(Arguments, std::marker::PhantomData<Lanes>);
            impl<$L: $bound $(, const $N: $kind)*>
                $crate::lanes::Procedure for Call<($($type,)*), $L>
            {
                type Output = $crate::procedures!(@output $($output)?);

                #[inline(always)]
                fn call(self) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    $body
                }
            }
            $crate::procedures!(
                @call $L $how Call(($($argument,)*), std::marker::PhantomData::<$L>)
            )
        }
    )*};
}
