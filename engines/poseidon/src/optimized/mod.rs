// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The same permutation with fewer multiplications.
//!
//! `constants`: a partial round needs only one constant, because the others move through its linear
//! part into the next round. The linear layers then differ by family: Filecoin's partial rounds
//! become a `recurrence` of 2t−2 products and one reduction instead of t² products; StarkWare's
//! matrix needs only additions.
//!
//! `single` computes one permutation, by `serial` arithmetic or with the elements of the state in
//! `lanes`; `batch` computes many, eight side by side in lanes if a backend has them.

mod batch;
mod circom;
mod constants;
pub(crate) mod lanes;
mod prepared;
mod recurrence;
mod serial;
mod single;
mod tables;

pub(crate) use batch::states_in_lanes;
pub use batch::{
    filecoin_digests, filecoin_digests_with, permute_filecoin_batch, permute_filecoin_batch_with,
    permute_stark_batch, permute_stark_batch_with, stark_digests, stark_digests_with,
};
pub use circom::{circom_digests, circom_digests_with};
pub use single::{
    filecoin_digest, filecoin_digest_with, permute_filecoin, permute_filecoin_with, permute_stark,
    permute_stark_with,
};
pub use tables::{circom_table, filecoin_table, stark_table};
