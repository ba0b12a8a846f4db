// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that operations need beside their items.

use std::ffi::c_char;

use halimede_arith::interface::{self, ObjectKind};
use halimede_device::{call, in_pool};

use crate::memory::{file, hand_out, require, text};
use crate::status::{answer, free, Failure, Status};
use crate::verdict::bytes;

/// A file that was read and checked, such as the trusted setup of KZG openings. Threads may share one
/// that none of them frees.
pub struct Object {
    kind: &'static ObjectKind,
    object: interface::Object,
}

impl Object {
    /// The object of this kind behind a pointer.
    ///
    /// # Safety
    /// What is not NULL is an object.
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
                let message = format!("{name} is a {}, wanted a {}", given.kind.name, kind.name);
                Err(Failure::new(Status::InvalidArgument, message))
            }
        }
    }
}

fn kind_of(name: &str) -> Result<&'static ObjectKind, Failure> {
    call::OBJECT_KINDS.into_iter().find(|kind| kind.name == name).ok_or_else(|| {
        let known = call::OBJECT_KINDS.map(|kind| kind.name).join(", ");
        Failure::new(Status::InvalidArgument, format!("kind: there are {known}, not {name:?}"))
    })
}

fn read(kind: &'static ObjectKind, content: &[u8]) -> Result<Object, Failure> {
    let object = in_pool(|| (kind.read)(content));
    let wrong = |error| Failure::new(Status::Malformed, format!("not a {}: {error}", kind.name));
    Ok(Object { kind, object: object.map_err(wrong)? })
}

/// Reads an object from its file's content, uint8_t[length]; to be freed with halimede_object_free().
///
/// The functions that take an object say its kind, e.g. "kzg-setup".
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for the kind, HALIMEDE_STATUS_MALFORMED, whose message
/// says what is wrong; those of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_object_new(
    kind: *const c_char,
    content: *const u8,
    length: usize,
    object: *mut *mut Object,
) -> Status {
    answer(|| {
        // SAFETY: a text, and content of this length, as the header asks.
        let (kind, content) =
            unsafe { (kind_of(text("kind", kind)?)?, bytes("content", content, length, &[])?) };
        // SAFETY: the header asks for a place to write to.
        unsafe { hand_out("the place for the object", object, || read(kind, content)) }
    })
}

/// The same, read from the file with this path.
///
/// Statuses: HALIMEDE_STATUS_UNREADABLE for the file, those of halimede_object_new().
#[no_mangle]
pub unsafe extern "C" fn halimede_object_open(
    kind: *const c_char,
    path: *const c_char,
    object: *mut *mut Object,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for texts.
        let kind = kind_of(unsafe { text("kind", kind) }?)?;
        // SAFETY: the header asks for texts.
        let content = unsafe { file("path", path, kind.most_bytes) }?;
        // SAFETY: the header asks for a place to write to.
        unsafe { hand_out("the place for the object", object, || read(kind, &content)) }
    })
}

/// Frees an object. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_object_free(object: *mut Object) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free(object, |object| drop(unsafe { Box::from_raw(object) }));
}

/// A number by which an object is used, by its name: "inputs" of a "groth16-key" is the number of a
/// proof's public inputs.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT where the object has no such number, those of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_object_number(
    object: *const Object,
    name: *const c_char,
    number: *mut u64,
) -> Status {
    answer(|| {
        require("object", object)?;
        require("number", number)?;
        // SAFETY: the header asks for an object, and for a text.
        let (object, name) = unsafe { (&*object, text("name", name)?) };
        let facts = (object.kind.facts)(&object.object);
        let Some((_, fact)) = facts.into_iter().find(|(known, _)| *known == name) else {
            let message = format!("a {} has no number {name:?}", object.kind.name);
            return Err(Failure::new(Status::InvalidArgument, message));
        };
        // SAFETY: not NULL and aligned; the header asks for a place to write to.
        unsafe { number.write(fact) };
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lets the header say that threads may share an object.
    #[test]
    fn objects_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<Object>();
    }
}
