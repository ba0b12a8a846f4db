// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calls of any operation of the table by name: the interface for other languages.
//!
//! ```
//! use halimede_arith::interface::{Answer, Settings};
//! use halimede_device::call::{description, prepare, Column};
//! use halimede_device::Device;
//!
//! let settings = Settings::of(description("blake3.hash")?.settings).complete()?;
//! let call = prepare("blake3.hash", &settings)?;
//! let answers = call.answer(&Device::open("cpu")?, &[Column::Values(vec![b"abc", b""])], 2)?;
//! assert!(matches!(&answers[..], [Answer::Bytes(digest), _] if digest[..2] == [0x64, 0x37]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A batch is a list of [`Column`]s, one for each field of the operation's items. An item that does
//! not match its description is answered by [`Answer::Bad`] and does not affect the others.

use halimede_arith::interface::{About, Answer, Interface, Plan, Settings, Visitor};
use halimede_arith::job::{in_pieces, Columns, DeviceError, Execute, Operation};
pub use halimede_operations::columns::{fields_of, names_of, value_of, Column};
use halimede_operations::{columns, Item};
pub use halimede_operations::{descriptions, OBJECT_KINDS};
use rayon::prelude::*;

use crate::device::Device;
use crate::in_pool;

/// The smallest number of items whose requests are made on all cores.
const MANY: usize = 64;
/// The largest number of items of a piece of work that can be interrupted.
const MOST_AT_ONCE: usize = 1 << 14;

/// An operation with its settings, ready for batches.
pub trait Call: Send + Sync {
    /// The description.
    fn about(&self) -> &'static About;

    /// The size of an answer's value in bytes; the largest size if values differ in length.
    fn reply_bytes(&self) -> usize;

    /// Returns `true` if a device answers this number of values before an interrupt could matter.
    fn is_brief(&self, device: &Device, values: usize) -> bool;

    /// Returns the answer to each item. There is one column per field, and each column has all
    /// items.
    ///
    /// # Errors
    /// [`DeviceError`] if the device lacks the operation, fails or is interrupted.
    fn answer(
        &self,
        device: &Device,
        columns: &[Column<'_>],
        items: usize,
    ) -> Result<Vec<Answer>, DeviceError>;
}

/// Returns the description of an operation.
///
/// # Errors
/// A message for an unknown name.
pub fn description(name: &str) -> Result<&'static About, String> {
    halimede_operations::description(name)
        .ok_or_else(|| format!("unknown operation {:?}", name.chars().take(40).collect::<String>()))
}

/// Prepares an operation by name. The settings must be complete and have their objects attached.
///
/// # Errors
/// A message for an unknown name or for invalid settings.
pub fn prepare(name: &str, settings: &Settings) -> Result<Box<dyn Call>, String> {
    struct Named<'s> {
        name: &'s str,
        settings: &'s Settings,
        call: Option<Result<Box<dyn Call>, String>>,
    }
    impl Visitor for Named<'_> {
        fn visit<I: Interface>(&mut self) {
            if I::ABOUT.name == self.name {
                let about = I::ABOUT;
                let call =
                    I::plan(self.settings).map(|plan| Box::new(Planned { about, plan }) as _);
                self.call = Some(call);
            }
        }
    }
    let mut named = Named { name, settings, call: None };
    halimede_operations::visit(&mut named);
    named.call.unwrap_or_else(|| description(name).and(Err(String::new())))
}

struct Planned<Op: Operation> {
    about: &'static About,
    plan: Plan<Op>,
}

impl<Op: Operation> Call for Planned<Op> {
    fn about(&self) -> &'static About {
        self.about
    }

    fn reply_bytes(&self) -> usize {
        self.plan.reply_bytes
    }

    fn is_brief(&self, device: &Device, values: usize) -> bool {
        device.limits::<Op>().brief.holds(values, values)
    }

    fn answer(
        &self,
        device: &Device,
        columns: &[Column<'_>],
        items: usize,
    ) -> Result<Vec<Answer>, DeviceError> {
        let piece = device.limits::<Op>().piece.requests.min(MOST_AT_ONCE);
        let mut answers = Vec::with_capacity(items);
        in_pieces(
            device.name(),
            items,
            |_| piece,
            |range| {
                let read = |number: usize| {
                    let item: Item = columns::item(self.about.item, columns, number);
                    item.and_then(|record| (self.plan.read)(record)).map_err(Answer::Bad)
                };
                let read: Vec<Result<Op::Request, Answer>> = match range.len() {
                    // A single request with many points also uses all cores.
                    0..MANY => in_pool(|| range.map(read).collect()),
                    _ => in_pool(|| range.into_par_iter().map(read).collect()),
                };
                answers.extend(self.answer_piece(device, read)?);
                Ok::<_, DeviceError>(())
            },
        )?;
        Ok(answers)
    }
}

impl<Op: Operation> Planned<Op> {
    /// Answers the good items, and inserts the faults of the bad items.
    fn answer_piece(
        &self,
        device: &Device,
        items: Vec<Result<Op::Request, Answer>>,
    ) -> Result<Vec<Answer>, DeviceError> {
        let (mut requests, mut places) = (Vec::with_capacity(items.len()), Vec::new());
        let mut answers: Vec<Answer> = Vec::with_capacity(items.len());
        for (place, item) in items.into_iter().enumerate() {
            match item {
                Ok(request) => {
                    requests.push(request);
                    places.push(place);
                    answers.push(Answer::Bad("the device gave no answer".into()));
                }
                Err(bad) => answers.push(bad),
            }
        }
        let (batch, piece) = (Op::batch(&requests), device.limits::<Op>().piece);
        let first_of = |start| piece.first_of::<Op>(batch.slice(start..requests.len()));
        let mut replies: Vec<Op::Reply> = Vec::with_capacity(requests.len());
        in_pieces(device.name(), requests.len(), first_of, |range| {
            replies.extend(Execute::<Op>::execute(device, batch.slice(range))?.replies);
            Ok(())
        })
        .map_err(|error: DeviceError| of_item(error, &places, answers.len()))?;
        for (place, reply) in places.into_iter().zip(replies) {
            answers[place] = (self.plan.answer)(reply);
        }
        Ok(answers)
    }
}

/// Replaces the number of a request in an error by the number of its item.
fn of_item(error: DeviceError, places: &[usize], items: usize) -> DeviceError {
    match error {
        DeviceError::Failed { device, request_index, reason, .. } => {
            let request_index = places.get(request_index).copied().unwrap_or(request_index);
            DeviceError::Failed { device, request_index, requests: items, reason }
        }
        other => other,
    }
}
