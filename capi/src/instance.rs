// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instances of the Poseidon permutation with their parameters, and the permutation itself.

use std::ffi::c_char;

use halimede_device::flat::{self, Digit};
use halimede_poseidon::{Instance, Strength};

use crate::device::{resolve, Device};
use crate::memory::{require, text, Array};
use crate::status::{answer, Failure, Status};

/// The families of Poseidon instances.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Filecoin's instances: the scalar field of BLS12-381, S-box x^5.
    Filecoin = 0,
    /// Filecoin's instances with a quarter more partial rounds.
    FilecoinStrengthened = 1,
    /// StarkWare's instances: p = 2^251 + 17 * 2^192 + 1, S-box x^3.
    Stark = 2,
}

impl Family {
    fn from_number(number: u32) -> Result<Self, Failure> {
        let all = [Self::Filecoin, Self::FilecoinStrengthened, Self::Stark];
        all.into_iter().find(|family| *family as u32 == number).ok_or_else(|| {
            let message = format!("family is {number}, expected 0 to {}", all.len() - 1);
            Failure::new(Status::InvalidArgument, message)
        })
    }

    fn of(instance: Instance) -> Self {
        match instance.family() {
            halimede_poseidon::Family::Filecoin(Strength::Standard) => Self::Filecoin,
            halimede_poseidon::Family::Filecoin(Strength::Strengthened) => {
                Self::FilecoinStrengthened
            }
            halimede_poseidon::Family::Stark => Self::Stark,
        }
    }
}

/// The parameters of an instance.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct InstanceInfo {
    /// A halimede_family.
    pub family: u32,
    /// The number of elements of the state, t.
    pub width: u32,
    /// The number of full rounds, half of them before and half after the partial rounds.
    pub full_rounds: u32,
    /// The number of partial rounds.
    pub partial_rounds: u32,
    /// The exponent of the S-box.
    pub alpha: u32,
    /// Reserved; 0.
    pub reserved: u32,
    /// The modulus of the field, least significant limb first.
    pub modulus: [u64; 4],
}

impl From<Instance> for InstanceInfo {
    fn from(instance: Instance) -> Self {
        let info = flat::InstanceInfo::from(instance);
        // Widths and rounds are below 1,000.
        let number = |value: usize| value as u32;
        Self {
            family: Family::of(instance) as u32,
            width: number(info.width),
            full_rounds: number(info.full_rounds),
            partial_rounds: number(info.partial_rounds),
            alpha: info.alpha,
            reserved: 0,
            modulus: info.modulus,
        }
    }
}

fn instance(family: u32, width: usize) -> Result<Instance, Failure> {
    let family = match Family::from_number(family)? {
        Family::Filecoin => halimede_poseidon::Family::Filecoin(Strength::Standard),
        Family::FilecoinStrengthened => halimede_poseidon::Family::Filecoin(Strength::Strengthened),
        Family::Stark => halimede_poseidon::Family::Stark,
    };
    Ok(Instance::new(family, width)?)
}

/// Writes the parameters of the instance of a halimede_family with `width` state elements.
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, whose message lists the widths.
#[no_mangle]
pub unsafe extern "C" fn halimede_instance(
    family: u32,
    width: usize,
    info: *mut InstanceInfo,
) -> Status {
    answer(|| {
        require("info", info)?;
        let found = instance(family, width)?.into();
        // SAFETY: not NULL and aligned; the header requires a place to write to.
        unsafe { info.write(found) };
        Ok(())
    })
}

/// Writes the parameters of the instance with this name: "filecoin-ARITY",
/// "filecoin-ARITY-strengthened" (the width is the arity plus 1) or "stark-WIDTH".
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, whose message lists the names.
#[no_mangle]
pub unsafe extern "C" fn halimede_instance_by_name(
    name: *const c_char,
    info: *mut InstanceInfo,
) -> Status {
    answer(|| {
        require("info", info)?;
        // SAFETY: the header requires a text.
        let found = unsafe { text("name", name) }?.parse::<Instance>()?.into();
        // SAFETY: not NULL and aligned; the header requires a place to write to.
        unsafe { info.write(found) };
        Ok(())
    })
}

/// Permutes states in place.
///
/// `family` is a halimede_family, `states` is uint64_t[count][width][4]: canonical integers below
/// the modulus, least significant limb first. `count` may be 0.
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE, HALIMEDE_STATUS_NOT_REDUCED; the statuses of
/// pointers and lengths; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_permute(
    device: *const Device,
    family: u32,
    width: usize,
    states: *mut u64,
    count: usize,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { permute(device, family, width, states, count) })
}

/// halimede_permute() with bytes: `states` is uint8_t[count][width][32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_permute_bytes(
    device: *const Device,
    family: u32,
    width: usize,
    states: *mut u8,
    count: usize,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { permute(device, family, width, states, count) })
}

/// # Safety
/// As the header requires.
unsafe fn permute<D: Digit>(
    device: *const Device,
    family: u32,
    width: usize,
    states: *mut D,
    count: usize,
) -> Result<(), Failure> {
    let instance = instance(family, width)?;
    let states = Array::new("states", states, &[count, width, D::PER_ELEMENT])?;
    // SAFETY: an open device or NULL, and states, as the header requires.
    let (device, states) = unsafe { (resolve(device)?, states.into_mut_slice()) };
    Ok(flat::permute(device, instance, states)?)
}
