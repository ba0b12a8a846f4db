// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The security of parameters, and of decryptions that others see.

mod forged;
mod parameters;
mod sharing;
mod sharing_attack;
mod sign_attack;
