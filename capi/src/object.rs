// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Objects: files that operations need besides their items.

use std::ffi::c_char;

use halimede_arith::interface::{self, ObjectKind};
use halimede_device::{call, in_pool};

use crate::memory::{file, hand_out, require, text};
use crate::status::{answer, free, Failure, Status};
use crate::verdict::bytes;

/// A file that was read and checked, such as the trusted setup of KZG openings. Threads may share
/// an object, as long as none of them frees it.
pub struct Object {
    kind: &'static ObjectKind,
    object: interface::Object,
}

impl Object {
    /// Returns the object behind a pointer, if it is of this kind.
    ///
    /// # Safety
    /// The pointer is NULL, or points to an object.
    pub(crate) unsafe fn of_kind(
        name: &'static str,
        pointer: *const Self,
        kind: &ObjectKind,
    ) -> Result<interface::Object, Failure> {
        require(name, pointer)?;
        // SAFETY: not NULL and aligned; the rest is the caller's.
        let given = unsafe { &*pointer };
        match given.kind.name == kind.name {
            true => Ok(interface::Object::clone(&given.object)),
            false => {
                let message = format!("{name} is a {}, expected a {}", given.kind.name, kind.name);
                Err(Failure::new(Status::InvalidArgument, message))
            }
        }
    }
}

fn kind_of(name: &str) -> Result<&'static ObjectKind, Failure> {
    call::OBJECT_KINDS.into_iter().find(|kind| kind.name == name).ok_or_else(|| {
        let known = call::OBJECT_KINDS.map(|kind| kind.name).join(", ");
        Failure::new(Status::InvalidArgument, format!("kind is {name:?}, expected one of {known}"))
    })
}

fn read(kind: &'static ObjectKind, content: &[u8]) -> Result<Object, Failure> {
    let object = in_pool(|| (kind.read)(content));
    let wrong = |error| Failure::new(Status::Malformed, format!("not a {}: {error}", kind.name));
    Ok(Object { kind, object: object.map_err(wrong)? })
}

/// Creates an object from the content of its file, uint8_t[length]. Free it with
/// halimede_object_free().
///
/// Functions that need an object state its kind, e.g. "kzg-setup".
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for the kind; HALIMEDE_STATUS_MALFORMED, whose
/// message gives the reason; the statuses of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_object_new(
    kind: *const c_char,
    content: *const u8,
    length: usize,
    object: *mut *mut Object,
) -> Status {
    answer(|| {
        // SAFETY: a text, and content of this length, as the header requires.
        let (kind, content) =
            unsafe { (kind_of(text("kind", kind)?)?, bytes("content", content, length, &[])?) };
        // SAFETY: the header requires a place to write to.
        unsafe { hand_out("the place for the object", object, || read(kind, content)) }
    })
}

/// halimede_object_new() with the content of the file at this path.
///
/// Statuses: HALIMEDE_STATUS_UNREADABLE for the file; the statuses of halimede_object_new().
#[no_mangle]
pub unsafe extern "C" fn halimede_object_open(
    kind: *const c_char,
    path: *const c_char,
    object: *mut *mut Object,
) -> Status {
    answer(|| {
        // SAFETY: the header requires texts.
        let kind = kind_of(unsafe { text("kind", kind) }?)?;
        // SAFETY: the header requires texts.
        let content = unsafe { file("path", path, kind.most_bytes) }?;
        // SAFETY: the header requires a place to write to.
        unsafe { hand_out("the place for the object", object, || read(kind, &content)) }
    })
}

/// Frees an object. Does nothing for NULL.
#[no_mangle]
pub unsafe extern "C" fn halimede_object_free(object: *mut Object) {
    // SAFETY: made by this library and not freed before, as the header requires.
    free(object, |object| drop(unsafe { Box::from_raw(object) }));
}

/// Writes a number that belongs to an object, by its name: "inputs" of a "groth16-key" is the
/// number of public inputs of a proof.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT if the object has no such number; the statuses of
/// pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_object_number(
    object: *const Object,
    name: *const c_char,
    number: *mut u64,
) -> Status {
    answer(|| {
        require("object", object)?;
        require("number", number)?;
        // SAFETY: the header requires an object, and for a text.
        let (object, name) = unsafe { (&*object, text("name", name)?) };
        let facts = (object.kind.facts)(&object.object);
        let Some((_, fact)) = facts.into_iter().find(|(known, _)| *known == name) else {
            let message = format!("a {} has no number {name:?}", object.kind.name);
            return Err(Failure::new(Status::InvalidArgument, message));
        };
        // SAFETY: not NULL and aligned; the header requires a place to write to.
        unsafe { number.write(fact) };
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header promises that threads may share an object.
    #[test]
    fn objects_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<Object>();
    }
}
