// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's Poseidon hash and Merkle trees.

use halimede_device::flat::{self, Digit};
use halimede_poseidon::filecoin::{CustomId, HashType as PoseidonHashType, Hasher};

use crate::device::{resolve, Device};
use crate::memory::{require, Array};
use crate::status::{answer, Failure, Status};

/// The strength of a Filecoin instance: how many partial rounds.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// 128 bits of security with the usual margin.
    Standard = 0,
    /// A quarter more partial rounds.
    Strengthened = 1,
}

/// The use of a hash, which determines the domain tag.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashType {
    /// A node of a Merkle tree.
    MerkleTree = 0,
    /// A preimage of a fixed length from 1 to the arity, zero-padded.
    ConstantLength = 1,
    /// Encryption.
    Encryption = 2,
    /// A type defined by an application, with a number from 1 to 256.
    Custom = 3,
}

/// A hash of Filecoin. If all members except the arity are 0, it is the hash of nodes of Merkle
/// trees.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FilecoinHasher {
    /// The number of elements of a preimage.
    pub arity: u32,
    /// A halimede_strength.
    pub strength: u32,
    /// A halimede_hash_type.
    pub hash_type: u32,
    /// The number from 1 to 256 if the type is HALIMEDE_HASH_TYPE_CUSTOM, otherwise 0.
    pub custom_id: u32,
}

fn strength(number: u32) -> Result<halimede_poseidon::Strength, Failure> {
    match number {
        _ if number == Strength::Standard as u32 => Ok(halimede_poseidon::Strength::Standard),
        _ if number == Strength::Strengthened as u32 => {
            Ok(halimede_poseidon::Strength::Strengthened)
        }
        _ => Err(Failure::new(
            Status::InvalidArgument,
            format!("strength is {number}, expected 0 or 1"),
        )),
    }
}

impl FilecoinHasher {
    fn hash_type(&self) -> Result<PoseidonHashType, Failure> {
        let is_type = |hash_type: HashType| self.hash_type == hash_type as u32;
        if is_type(HashType::Custom) {
            return Ok(PoseidonHashType::Custom(CustomId::new(self.custom_id.into())?));
        }
        let found = if is_type(HashType::MerkleTree) {
            PoseidonHashType::MerkleTree
        } else if is_type(HashType::ConstantLength) {
            PoseidonHashType::ConstantLength
        } else if is_type(HashType::Encryption) {
            PoseidonHashType::Encryption
        } else {
            let message = format!("hash_type is {}, expected 0 to 3", self.hash_type);
            return Err(Failure::new(Status::InvalidArgument, message));
        };
        if self.custom_id != 0 {
            let message = format!("custom_id is {}, but the type is not custom", self.custom_id);
            return Err(Failure::new(Status::InvalidArgument, message));
        }
        Ok(found)
    }

    fn hasher(&self) -> Result<Hasher, Failure> {
        let arity = usize::try_from(self.arity).unwrap_or(usize::MAX);
        Ok(Hasher::new(arity, strength(self.strength)?, self.hash_type()?)?)
    }
}

/// Computes Filecoin's hash of each preimage.
///
/// `preimages` is uint64_t[count][length][4]: canonical integers below the modulus, least
/// significant limb first; `digests` is uint64_t[count][4], and must not overlap with the inputs.
/// `length` is the arity of the hasher, or 1 to the arity if its type is
/// HALIMEDE_HASH_TYPE_CONSTANT_LENGTH. `count` may be 0.
///
/// Statuses: HALIMEDE_STATUS_UNKNOWN_INSTANCE for an unknown arity;
/// HALIMEDE_STATUS_INVALID_ARGUMENT for another member; HALIMEDE_STATUS_NOT_REDUCED; the statuses
/// of pointers and lengths; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_filecoin_hash(
    device: *const Device,
    hasher: *const FilecoinHasher,
    preimages: *const u64,
    count: usize,
    length: usize,
    digests: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { filecoin_hash(device, hasher, preimages, count, length, digests) })
}

/// halimede_filecoin_hash() with bytes: `preimages` is uint8_t[count][length][32], `digests` is
/// uint8_t[count][32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_filecoin_hash_bytes(
    device: *const Device,
    hasher: *const FilecoinHasher,
    preimages: *const u8,
    count: usize,
    length: usize,
    digests: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { filecoin_hash(device, hasher, preimages, count, length, digests) })
}

/// # Safety
/// As the header requires.
unsafe fn filecoin_hash<D: Digit>(
    device: *const Device,
    hasher: *const FilecoinHasher,
    preimages: *const D,
    count: usize,
    length: usize,
    digests: *mut D,
) -> Result<(), Failure> {
    require("hasher", hasher)?;
    // SAFETY: not NULL and aligned; the header requires a hasher there.
    let hasher = unsafe { hasher.read() }.hasher()?;
    let preimages = Array::new("preimages", preimages, &[count, length, D::PER_ELEMENT])?;
    let digests = Array::new("digests", digests, &[count, D::PER_ELEMENT])?;
    preimages.require_apart(&digests)?;
    // SAFETY: an open device or NULL, and arrays of these lengths, as the header requires; apart.
    let (device, preimages, digests) =
        unsafe { (resolve(device)?, preimages.into_slice(), digests.into_mut_slice()) };
    Ok(flat::filecoin_hash(device, &hasher, length, preimages, digests)?)
}

/// Computes the root of the full Merkle tree over these leaves, with Filecoin's hash of this arity
/// and halimede_strength.
///
/// `leaves` is uint64_t[count][4]: canonical integers below the modulus, least significant limb
/// first; `root` is uint64_t[4], and must not overlap with the leaves. `count` is a power of the
/// arity, at least the arity.
///
/// Statuses: HALIMEDE_STATUS_NOT_A_TREE; HALIMEDE_STATUS_UNKNOWN_INSTANCE for an unknown arity;
/// HALIMEDE_STATUS_INVALID_ARGUMENT for the strength; HALIMEDE_STATUS_NOT_REDUCED; the statuses of
/// pointers and lengths; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_tree_root(
    device: *const Device,
    arity: usize,
    strength: u32,
    leaves: *const u64,
    count: usize,
    root: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { tree_root(device, arity, strength, leaves, count, root) })
}

/// halimede_tree_root() with bytes: `leaves` is uint8_t[count][32], `root` is uint8_t[32], least
/// significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_tree_root_bytes(
    device: *const Device,
    arity: usize,
    strength: u32,
    leaves: *const u8,
    count: usize,
    root: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { tree_root(device, arity, strength, leaves, count, root) })
}

/// # Safety
/// As the header requires.
unsafe fn tree_root<D: Digit>(
    device: *const Device,
    arity: usize,
    number: u32,
    leaves: *const D,
    count: usize,
    root: *mut D,
) -> Result<(), Failure> {
    let strength = strength(number)?;
    let leaves = Array::new("leaves", leaves, &[count, D::PER_ELEMENT])?;
    let root = Array::new("root", root, &[D::PER_ELEMENT])?;
    leaves.require_apart(&root)?;
    // SAFETY: an open device or NULL, and arrays of these lengths, as the header requires; apart.
    let (device, leaves, root) =
        unsafe { (resolve(device)?, leaves.into_slice(), root.into_mut_slice()) };
    Ok(flat::tree_root(device, arity, strength, leaves, root)?)
}
