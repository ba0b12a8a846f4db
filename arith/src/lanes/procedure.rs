// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Procedures on lanes that are compiled once and called.
//!
//! A pairing has thousands of products: inlined, its code would fit into no cache, and a compiler
//! needs a minute for one addition of curve points. A procedure declared with
//! [`outlined!`](crate::outlined) is compiled once with the instructions of its lanes. A step
//! declared with [`steps!`](crate::steps) is inlined if lanes are registers. The emulation compiles
//! it once, as do builds with debug assertions, which tests use: they compile in half the time.

/// A call with its arguments. The macros define the type.
pub trait Procedure {
    /// The type of the result.
    type Output;

    /// Computes the result. Must be `#[inline(always)]`, like [`Kernel::run`](super::Kernel::run).
    fn call(self) -> Self::Output;
}

/// Declares functions on [`Lanes`](crate::lanes::Lanes) that are compiled once per type of lanes
/// and constants, and called. Another type follows that of the lanes after a semicolon. A
/// constant parameter must occur in the type of an argument.
#[macro_export]
macro_rules! outlined {
    ($($declarations:tt)*) => { $crate::procedures!(outlined; $($declarations)*); };
}

/// Declares parts of such procedures, which are inlined if lanes are registers. In the emulation,
/// whose registers are arrays in memory, they are compiled once and called: inlined, one product
/// would have thousands of instructions. Builds with debug assertions also call them.
#[macro_export]
macro_rules! steps {
    ($($declarations:tt)*) => { $crate::procedures!(step; $($declarations)*); };
}

/// Declares steps with hundreds of products, which are inlined only if a product is two
/// instructions.
#[macro_export]
macro_rules! large_steps {
    ($($declarations:tt)*) => { $crate::procedures!(large_step; $($declarations)*); };
}

/// The common part of [`outlined!`], [`steps!`] and [`large_steps!`].
#[doc(hidden)]
#[macro_export]
macro_rules! procedures {
    (@output) => { () };
    (@output $output:ty) => { $output };
    (@call $L:ident outlined $call:expr) => { <$L as $crate::lanes::Lanes>::outlined($call) };
    (@call $L:ident step $call:expr) => { <$L as $crate::lanes::Lanes>::step($call) };
    (@call $L:ident large_step $call:expr) => {
        <$L as $crate::lanes::Lanes>::large_step($call)
    };
    ($how:tt; $(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<
            $L:ident: $bound:ident $(; $M:ident: $modulus:path)? $(, const $N:ident: $kind:ty)*
        >($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        $visibility fn $name<$L: $bound $(, $M: $modulus)? $(, const $N: $kind)*>(
            $($argument: $type),*
        ) -> $crate::procedures!(@output $($output)?) {
            struct Call<Arguments, Types>(Arguments, std::marker::PhantomData<Types>);
            impl<$L: $bound $(, $M: $modulus)? $(, const $N: $kind)*>
                $crate::lanes::Procedure for Call<($($type,)*), ($L, $($M)?)>
            {
                type Output = $crate::procedures!(@output $($output)?);

                #[inline(always)]
                fn call(self) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    $body
                }
            }
            $crate::procedures!(
                @call $L $how Call(($($argument,)*), std::marker::PhantomData::<($L, $($M)?)>)
            )
        }
    )*};
}
