// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of all forms of a batch.

use std::error::Error;

use halimede_arith::interface::{Invalid, Record};

/// An item, or the reason why it is bad.
pub type Item = Result<Record, Invalid>;

/// Receives the items of a batch while it is read.
pub trait Sink {
    /// Reserves bytes of memory for the item that is being read.
    ///
    /// # Errors
    /// [`FormError::Ended`] if memory runs out. Reading stops.
    fn grow(&mut self, bytes: usize) -> Result<(), FormError>;

    /// Receives an item.
    ///
    /// # Errors
    /// [`FormError::Ended`] if the sink accepts no more items. Reading stops.
    fn item(&mut self, item: Item) -> Result<(), FormError>;
}

/// Keeps all items.
impl Sink for Vec<Item> {
    fn grow(&mut self, _: usize) -> Result<(), FormError> {
        Ok(())
    }

    fn item(&mut self, item: Item) -> Result<(), FormError> {
        self.push(item);
        Ok(())
    }
}

/// The reason why a batch cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// The body does not have the form.
    #[error("{0}")]
    Malformed(String),
    /// The batch has too many items.
    #[error("the batch has more than {limit} items")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The sink stopped the reading for its own reason.
    #[error("{0}")]
    Ended(Box<dyn Error + Send + Sync>),
}

/// Checks the number of bytes or records of a value.
pub fn check_count(got: usize, least: usize, most: usize, what: &str) -> Result<(), String> {
    match (least..=most).contains(&got) {
        true => Ok(()),
        false if least == most => Err(format!("{least} {what} are expected, got {got}")),
        false => Err(format!("{least} to {most} {what} are expected, got {got}")),
    }
}
