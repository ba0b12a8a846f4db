// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The second phase by several machines that have the same files at the same paths.
//!
//! [`Spread`] is the process that distributes the work; [`Job::part`](crate::Job::part) is a
//! worker. A part is a subtree of a base tree with the columns, or the nodes of the replica, below
//! it. A worker writes its rows to their places in the files, then to disk, and returns the root.
//! `Spread` adds the rows above, and does everything that only one process may do: it compares the
//! data, keeps the journal, and gives complete files their names.
//!
//! A part may be computed twice or late: its bytes depend on files alone that no part changes.

mod driver;
mod parts;
mod worker;

pub use driver::Spread;
pub use parts::Stage;
