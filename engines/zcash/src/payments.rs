// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payments of coinbase transactions: block subsidy, founders' reward, funding streams,
//! lockbox and fees (Zcash protocol specification, sections 3.4, 7.1.2 and 7.8 to 7.10; ZIPs 207,
//! 208, 214, 236, 271 and 2001).

mod address;
mod check;
mod networks;
mod recipients;
mod subsidy;
mod terms;

pub use check::{check_payments, Fees, PaymentCheck};
pub use terms::{CoinbaseTerms, Payment, PaymentKind};
