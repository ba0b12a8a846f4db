// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calls of the table's operations: the common part of the generated functions in
//! [`crate::operations`].

use std::ffi::c_char;

use halimede_arith::interface::{About, Answer, Settings};
use halimede_device::call::{description, prepare, value_of, Call, Column};

use crate::device::{resolve, Device};
use crate::memory::{text, Array};
use crate::object::Object;
use crate::status::{answer, Failure, Status};
use crate::verdict::{column, Bytes};

/// The number of bytes of a number.
const NUMBER_BYTES: usize = 32;

/// A setting of an operation, with the same name and value as in the command and the HTTP service.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name, e.g. "scheme".
    pub name: *const c_char,
    /// The value, e.g. "basic".
    pub value: *const c_char,
}

/// A column of the caller.
pub(crate) enum Rows<'r> {
    /// Bytes or text, one row per item.
    Bytes(&'static str, *const Bytes),
    /// Numbers of [`NUMBER_BYTES`] each.
    Numbers(&'static str, *const u8),
    /// Lists, given by offsets, with one column per field of their records.
    Lists(&'static str, *const u64, &'r [Rows<'r>]),
}

/// The arguments of a call.
pub(crate) struct CallArguments<'g> {
    /// The operation.
    pub operation: &'static str,
    /// The device; NULL is this processor.
    pub device: *const Device,
    /// The settings.
    pub settings: *const Setting,
    /// The number of settings.
    pub setting_count: usize,
    /// The settings that are objects.
    pub objects: &'g [(&'static str, *const Object)],
    /// One column per field.
    pub rows: &'g [Rows<'g>],
    /// The number of items.
    pub count: usize,
}

impl CallArguments<'_> {
    /// Runs an operation that only checks, and writes the verdict on each item.
    ///
    /// # Safety
    /// All pointers are as the header requires.
    pub unsafe fn check(&self, verdicts: *mut u8) -> Status {
        answer(|| {
            let places = Array::new("verdicts", verdicts, &[self.count])?;
            // SAFETY: by this function's contract.
            let found = unsafe { self.answers(&*self.call()?, &[places]) }?;
            // SAFETY: by this function's contract; apart from the columns.
            for (place, answer) in unsafe { places.into_mut_slice() }.iter_mut().zip(&found) {
                *place = answer.outcome() as u8;
            }
            Ok(())
        })
    }

    /// Runs an operation, and writes the value of each item, or zeros if it has none, and the
    /// verdict.
    ///
    /// # Safety
    /// All pointers are as the header requires.
    pub unsafe fn compute(&self, values: *mut u8, value_bytes: usize, verdicts: *mut u8) -> Status {
        answer(|| {
            // SAFETY: by this function's contract.
            let call = unsafe { self.call() }?;
            let wanted = call.reply_bytes();
            if value_bytes != wanted {
                let message = format!("value_bytes is {value_bytes}, expected {wanted}");
                return Err(Failure::new(Status::WrongLength, message));
            }
            let verdicts = Array::new("verdicts", verdicts, &[self.count])?;
            let values = Array::new("values", values, &[self.count, value_bytes])?;
            values.require_apart(&verdicts)?;
            // SAFETY: by this function's contract.
            let found = unsafe { self.answers(&*call, &[values, verdicts]) }?;
            let is_wrong = |bytes: &&[u8]| bytes.len() != wanted;
            if let Some(bytes) = found.iter().filter_map(value_of).find(is_wrong) {
                let message = format!("expected a value of {wanted} bytes, got {}", bytes.len());
                return Err(Failure::new(Status::Internal, message));
            }
            // SAFETY: by this function's contract; apart from the columns and from each other.
            let (values, verdicts) =
                unsafe { (values.into_mut_slice(), verdicts.into_mut_slice()) };
            let places = values.chunks_exact_mut(value_bytes.max(1)).zip(verdicts);
            for ((value, verdict), answer) in places.zip(&found) {
                *verdict = answer.outcome() as u8;
                value.fill(0);
                if let Some(bytes) = value_of(answer) {
                    value.copy_from_slice(bytes);
                }
            }
            Ok(())
        })
    }

    /// # Safety
    /// Settings and objects are as the header requires.
    unsafe fn call(&self) -> Result<Box<dyn Call>, Failure> {
        let refused = |error: String| Failure::new(Status::InvalidArgument, error);
        let about = description(self.operation).map_err(refused)?;
        // SAFETY: by this function's contract.
        let mut settings = unsafe { read_settings(about, self.settings, self.setting_count) }?;
        for (name, object) in self.objects {
            let described = settings.named_kind(name).map_err(refused)?;
            // SAFETY: by this function's contract.
            let object = unsafe { Object::of_kind(name, *object, described) }?;
            settings.attach(name, object).map_err(refused)?;
        }
        prepare(self.operation, &settings.complete().map_err(refused)?).map_err(refused)
    }

    /// # Safety
    /// All pointers are as the header requires.
    unsafe fn answers(
        &self,
        call: &dyn Call,
        outputs: &[Array<u8>],
    ) -> Result<Vec<Answer>, Failure> {
        // SAFETY: by this function's contract.
        let device = unsafe { resolve(self.device) }?;
        // SAFETY: by this function's contract.
        let columns = self.rows.iter().map(|rows| unsafe { rows.read(self.count, outputs) });
        let columns: Vec<Column<'_>> = columns.collect::<Result<_, Failure>>()?;
        Ok(call.answer(device, &columns, self.count)?)
    }
}

/// Reads the settings of an operation.
///
/// # Safety
/// `settings` points to `count` settings, whose members are texts.
pub(crate) unsafe fn read_settings(
    about: &About,
    settings: *const Setting,
    count: usize,
) -> Result<Settings, Failure> {
    let mut read = Settings::of(about.settings);
    let given = Array::new("settings", settings, &[count])?;
    // SAFETY: by this function's contract.
    for setting in unsafe { given.into_slice() } {
        // SAFETY: by this function's contract.
        let (name, value) = unsafe {
            (text("the name of a setting", setting.name)?, text("its value", setting.value)?)
        };
        let refused = |error| Failure::new(Status::InvalidArgument, error);
        read.set(name, value.to_owned()).map_err(refused)?;
    }
    Ok(read)
}

impl Rows<'_> {
    /// # Safety
    /// The pointers point to `count` rows, for the lifetime of the returned value.
    unsafe fn read<'c>(&self, count: usize, outputs: &[Array<u8>]) -> Result<Column<'c>, Failure> {
        match *self {
            Self::Lists(name, offsets, columns) => {
                // A count of usize::MAX is refused like usize::MAX offsets.
                let offsets = Array::new(name, offsets, &[count.saturating_add(1)])?;
                for output in outputs {
                    offsets.require_apart(output)?;
                }
                // SAFETY: by this function's contract.
                let ends = ends(name, unsafe { offsets.into_slice() })?;
                let rows = ends.last().copied().unwrap_or(0);
                // SAFETY: by this function's contract.
                let columns = columns.iter().map(|column| unsafe { column.values(rows, outputs) });
                Ok(Column::Lists { ends, columns: columns.collect::<Result<_, Failure>>()? })
            }
            // SAFETY: by this function's contract.
            _ => Ok(Column::Values(unsafe { self.values(count, outputs) }?)),
        }
    }

    /// # Safety
    /// As [`Self::read`].
    unsafe fn values<'c>(
        &self,
        count: usize,
        outputs: &[Array<u8>],
    ) -> Result<Vec<&'c [u8]>, Failure> {
        match *self {
            // SAFETY: by this function's contract.
            Self::Bytes(name, rows) => unsafe { column(name, rows, count, outputs) },
            Self::Numbers(name, numbers) => {
                let numbers = Array::new(name, numbers, &[count, NUMBER_BYTES])?;
                for output in outputs {
                    numbers.require_apart(output)?;
                }
                // SAFETY: by this function's contract.
                Ok(unsafe { numbers.into_slice() }.chunks_exact(NUMBER_BYTES).collect())
            }
            Self::Lists(name, ..) => {
                let message = format!("{name}: no operation has lists of lists");
                Err(Failure::new(Status::Internal, message))
            }
        }
    }
}

/// Returns the ends of lists, given their offsets.
fn ends(name: &str, offsets: &[u64]) -> Result<Vec<usize>, Failure> {
    let wrong = |reason: String| Failure::new(Status::WrongLength, format!("{name}: {reason}"));
    if let Some(first @ 1..) = offsets.first() {
        return Err(wrong(format!("the first is {first}, expected 0")));
    }
    let end = |(number, pair): (usize, &[u64])| match pair[0] <= pair[1] {
        true => usize::try_from(pair[1]).map_err(|error| wrong(error.to_string())),
        false => {
            let (before, offset) = (pair[0], pair[1]);
            Err(wrong(format!(
                "number {} is {offset}, less than the previous {before}",
                number + 1
            )))
        }
    };
    offsets.windows(2).enumerate().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_ends_of_lists() {
        assert_eq!(ends("o", &[0, 0, 2, 3]).unwrap(), [0, 2, 3]);
        assert!(ends("o", &[0]).unwrap().is_empty());
        for wrong in [&[1, 2][..], &[0, 2, 1]] {
            assert_eq!(ends("o", wrong).unwrap_err().status, Status::WrongLength);
        }
    }
}
