// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Procedures over lanes, which are compiled once and called.
//!
//! A pairing has thousands of products: inlined, its code would not fit any cache, and a sum of points
//! of a curve takes a compiler a minute. A procedure that [`outlined!`](crate::outlined) declares is
//! compiled once with the instructions of its lanes.

/// A call with its arguments; [`outlined!`](crate::outlined) makes the type.
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
    (@output) => { () };
    (@output $output:ty) => { $output };
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$L:ident: $bound:ident $(, const $N:ident: $kind:ty)*>
            ($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        $visibility fn $name<$L: $bound $(, const $N: $kind)*>(
            $($argument: $type),*
        ) -> $crate::outlined!(@output $($output)?) {
            struct Call<Arguments, Lanes>(Arguments, std::marker::PhantomData<Lanes>);
            impl<$L: $bound $(, const $N: $kind)*>
                $crate::lanes::Procedure for Call<($($type,)*), $L>
            {
                type Output = $crate::outlined!(@output $($output)?);

                #[inline(always)]
                fn call(self) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    $body
                }
            }
            <$L as $crate::lanes::Lanes>::outlined(Call(($($argument,)*), std::marker::PhantomData::<$L>))
        }
    )*};
}
