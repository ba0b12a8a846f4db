// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The status of a call, and its error message.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_char, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

use halimede_arith::job::DeviceError;
use halimede_arith::Backend;
use halimede_device::flat::FlatError;
use halimede_poseidon::filecoin::PreimageError;
use halimede_poseidon::tree::TreeError;
use halimede_poseidon::InstanceError;

/// The status that a call returns. Unless it is HALIMEDE_STATUS_OK, the call has written no output,
/// and halimede_last_error() returns the reason with details.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// A pointer is NULL, but must not be.
    NullPointer = 1,
    /// A pointer is not aligned for its type.
    Misaligned = 2,
    /// Two arrays overlap, but must not.
    Overlap = 3,
    /// A length does not match the instance, arrays do not match each other, or an array does not
    /// fit into memory.
    WrongLength = 4,
    /// An element is not below the modulus of its field.
    NotReduced = 5,
    /// No instance has this family and width, or this name.
    UnknownInstance = 6,
    /// An argument has an invalid value.
    InvalidArgument = 7,
    /// The leaves do not fill a tree.
    NotATree = 8,
    /// The device is not available on this machine.
    DeviceUnavailable = 9,
    /// The device does not support the operation.
    DeviceUnsupported = 10,
    /// The device stopped answering, or its answer was malformed.
    DeviceFailed = 11,
    /// A defect of this library; please report it.
    Internal = 12,
    /// An input such as a block is malformed; the message gives the place.
    Malformed = 13,
    /// A file cannot be read, or is too long.
    Unreadable = 14,
}

impl Status {
    const ALL: [Self; 15] = [
        Self::Ok,
        Self::NullPointer,
        Self::Misaligned,
        Self::Overlap,
        Self::WrongLength,
        Self::NotReduced,
        Self::UnknownInstance,
        Self::InvalidArgument,
        Self::NotATree,
        Self::DeviceUnavailable,
        Self::DeviceUnsupported,
        Self::DeviceFailed,
        Self::Internal,
        Self::Malformed,
        Self::Unreadable,
    ];
}

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl From<FlatError> for Failure {
    fn from(error: FlatError) -> Self {
        let status = match &error {
            FlatError::Length { .. } | FlatError::Count { .. } | FlatError::Offsets { .. } => {
                Status::WrongLength
            }
            FlatError::Element { .. } => Status::NotReduced,
            FlatError::Instance(_) => Status::UnknownInstance,
            FlatError::Output { .. } => Status::InvalidArgument,
            FlatError::Preimage(error) => preimage_status(error),
            FlatError::Tree(error) => tree_status(error),
            FlatError::Device(error) => device_status(error),
            _ => Status::Internal,
        };
        Self::new(status, error.to_string())
    }
}

impl From<halimede_blake3::FlatError> for Failure {
    fn from(error: halimede_blake3::FlatError) -> Self {
        Self::new(Status::WrongLength, format!("offsets: {error}"))
    }
}

impl From<InstanceError> for Failure {
    fn from(error: InstanceError) -> Self {
        Self::new(Status::UnknownInstance, error.to_string())
    }
}

impl From<PreimageError> for Failure {
    fn from(error: PreimageError) -> Self {
        Self::new(preimage_status(&error), error.to_string())
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::new(device_status(&error), error.to_string())
    }
}

fn preimage_status(error: &PreimageError) -> Status {
    match error {
        PreimageError::Length { .. } => Status::WrongLength,
        PreimageError::Arity { .. } => Status::UnknownInstance,
        _ => Status::InvalidArgument,
    }
}

fn tree_status(error: &TreeError) -> Status {
    match error {
        TreeError::NotFull { .. } => Status::NotATree,
        TreeError::Arity(error) => preimage_status(error),
        TreeError::Device { source, .. } => device_status(source),
        _ => Status::Internal,
    }
}

fn device_status(error: &DeviceError) -> Status {
    match error {
        DeviceError::Unavailable { .. } => Status::DeviceUnavailable,
        DeviceError::Unsupported { .. } => Status::DeviceUnsupported,
        _ => Status::DeviceFailed,
    }
}

thread_local! {
    /// The message of this thread's last call; `None` after a success.
    static MESSAGE: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Runs a call: a failure or a panic becomes its status and the message of this thread. All calls
/// fail if the environment selects a backend that this processor does not have.
pub(crate) fn answer(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    let call = || {
        Backend::chosen().map_err(|error| DeviceError::of_backend("cpu", &error))?;
        call()
    };
    // No state is left inconsistent by a panic: the only state of the library are caches, which are
    // written as a whole.
    let outcome = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        Err(Failure::new(Status::Internal, format!("a defect: {}", words(panic.as_ref()))))
    });
    let (status, message) = match outcome {
        Ok(()) => (Status::Ok, None),
        Err(Failure { status, message }) => (status, c_string(message)),
    };
    // While a thread ends, it can no longer keep a message.
    let _ = MESSAGE.try_with(|kept| kept.replace(message));
    status
}

/// Frees a handle of the caller, and keeps the message of the last call.
pub(crate) fn free<T>(pointer: *mut T, free: impl FnOnce(*mut T)) {
    if !pointer.is_null() && pointer.is_aligned() {
        // The caller could not do anything about a panic of a destructor.
        let _ = catch_unwind(AssertUnwindSafe(|| free(pointer)));
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn c_string(message: String) -> Option<CString> {
    CString::new(message.replace('\0', "\u{fffd}")).ok()
}

/// Returns the error message of this thread's last call that returned a status, in UTF-8; empty if
/// the status was HALIMEDE_STATUS_OK. The string is valid until this thread's next such call.
#[no_mangle]
pub extern "C" fn halimede_last_error() -> *const c_char {
    let pointer = MESSAGE.try_with(|kept| kept.borrow().as_ref().map(|message| message.as_ptr()));
    pointer.ok().flatten().unwrap_or(c"".as_ptr())
}

/// Returns the name of a status, e.g. "HALIMEDE_STATUS_NOT_REDUCED"; "unknown status" for another
/// number. The string is valid forever.
#[no_mangle]
pub extern "C" fn halimede_status_name(status: i32) -> *const c_char {
    let known = Status::ALL.into_iter().find(|known| *known as i32 == status);
    let name = match known {
        Some(Status::Ok) => c"HALIMEDE_STATUS_OK",
        Some(Status::NullPointer) => c"HALIMEDE_STATUS_NULL_POINTER",
        Some(Status::Misaligned) => c"HALIMEDE_STATUS_MISALIGNED",
        Some(Status::Overlap) => c"HALIMEDE_STATUS_OVERLAP",
        Some(Status::WrongLength) => c"HALIMEDE_STATUS_WRONG_LENGTH",
        Some(Status::NotReduced) => c"HALIMEDE_STATUS_NOT_REDUCED",
        Some(Status::UnknownInstance) => c"HALIMEDE_STATUS_UNKNOWN_INSTANCE",
        Some(Status::InvalidArgument) => c"HALIMEDE_STATUS_INVALID_ARGUMENT",
        Some(Status::NotATree) => c"HALIMEDE_STATUS_NOT_A_TREE",
        Some(Status::DeviceUnavailable) => c"HALIMEDE_STATUS_DEVICE_UNAVAILABLE",
        Some(Status::DeviceUnsupported) => c"HALIMEDE_STATUS_DEVICE_UNSUPPORTED",
        Some(Status::DeviceFailed) => c"HALIMEDE_STATUS_DEVICE_FAILED",
        Some(Status::Internal) => c"HALIMEDE_STATUS_INTERNAL",
        Some(Status::Malformed) => c"HALIMEDE_STATUS_MALFORMED",
        Some(Status::Unreadable) => c"HALIMEDE_STATUS_UNREADABLE",
        None => c"unknown status",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn last_error() -> String {
        // SAFETY: a message of this thread, which is valid until its next call.
        unsafe { CStr::from_ptr(halimede_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_does_not_get_out() {
        assert_eq!(answer(|| panic!("the {}", "reason")), Status::Internal);
        assert_eq!(last_error(), "a defect: the reason");
        assert_eq!(answer(|| std::panic::panic_any(7)), Status::Internal);
        assert_eq!(last_error(), "a defect: no message");
        assert_eq!((answer(|| Ok(())), last_error().as_str()), (Status::Ok, ""));
    }

    #[test]
    fn a_message_is_its_threads_own_and_a_zero_does_not_end_it() {
        let fail = |words: &str| answer(|| Err(Failure::new(Status::Overlap, words)));
        assert_eq!(fail("one\0two"), Status::Overlap);
        std::thread::spawn(move || {
            assert_eq!((last_error().as_str(), fail("3")), ("", Status::Overlap))
        })
        .join()
        .unwrap();
        assert_eq!(last_error(), "one\u{fffd}two");
    }
}
