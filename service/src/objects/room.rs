// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quotas for objects: how uploads count, and which uploads are evicted for others.
//!
//! An upload counts with its received bytes and a bounded part of the rest, independent of its
//! announced size. Uploads without a new piece for an hour are removed. If the quota is exhausted,
//! uploads are evicted in this order:
//!
//! 1. uploads without a new piece for ten minutes;
//! 2. any upload, the oldest first, if the new piece completes its object;
//! 3. uploads of an owner who uses more of the short resource than the owner of the piece would.
//!
//! An upload is never evicted while a piece of it is being stored. Complete objects are never
//! evicted.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use super::folder::{State, Upload};
use super::{Hash, Owner};

/// The maximum number of objects.
pub const MOST_OBJECTS: usize = 10_000;
/// The maximum number of unfinished uploads.
pub const MOST_UPLOADS: usize = 1024;
/// The maximum number of unfinished uploads of an owner.
pub const MOST_OF_OWNER: usize = 64;
/// The time without a new piece after which uploads are removed.
pub const EXPIRY: Duration = Duration::from_secs(3600);
/// The time without a new piece after which uploads are evicted for any other.
const IDLE: Duration = Duration::from_secs(600);
/// The divisor of the quota for reservations of uploads beyond their received bytes.
const PART_OF_QUOTA: u64 = 16;

/// The needs of a piece.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The owner of the upload.
    pub owner: Owner,
    /// The upload.
    pub hash: Hash,
    /// The number of bytes of the piece.
    pub piece: u64,
    /// `true` if the piece completes its object.
    pub is_last: bool,
    /// The number of additional bytes that the upload counts with the piece.
    pub bytes: u64,
    /// `true` if the piece starts an upload.
    pub is_first: bool,
}

/// A resource that is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The bytes of the quota.
    Bytes,
    /// The number of objects.
    Objects,
    /// The number of uploads.
    Uploads,
    /// The number of uploads of this owner.
    UploadsOfOwner,
}

/// Returns the number of bytes that an upload counts, given the bytes received or being stored.
pub fn reserved(bytes: u64, coming: u64, quota: u64) -> u64 {
    let most = quota / PART_OF_QUOTA / MOST_UPLOADS as u64;
    coming + (bytes - coming).min(most)
}

impl State {
    /// Returns the number of bytes of complete objects.
    pub fn object_bytes(&self) -> u64 {
        self.objects.values().map(|object| object.bytes).sum()
    }

    /// Returns the number of bytes that all objects and uploads count.
    pub fn bytes(&self, quota: u64) -> u64 {
        let count = |upload: &Upload| reserved(upload.bytes, upload.coming, quota);
        self.object_bytes() + self.uploads.values().map(count).sum::<u64>()
    }

    /// Returns the resource that is exhausted for a piece, if any.
    pub fn short(&self, wanted: &Wanted, quota: u64) -> Option<Short> {
        let storing = self.uploads.values().filter(|upload| upload.is_busy).count();
        let own = || self.uploads.values().filter(|upload| upload.owner == wanted.owner).count();
        // An object of a single piece does not count as an unfinished upload.
        let begins = wanted.is_first && !wanted.is_last;
        if self.bytes(quota).saturating_add(wanted.bytes) > quota {
            Some(Short::Bytes)
        } else if self.objects.len() + storing >= MOST_OBJECTS {
            Some(Short::Objects)
        } else if begins && own() >= MOST_OF_OWNER {
            Some(Short::UploadsOfOwner)
        } else if begins && self.uploads.len() >= MOST_UPLOADS {
            Some(Short::Uploads)
        } else {
            None
        }
    }

    /// Returns an upload that has expired.
    pub fn expired(&self, now: SystemTime) -> Option<Hash> {
        let is_old = |upload: &Upload| !upload.is_busy && age(upload, now) >= EXPIRY;
        self.uploads.iter().find(|(_, upload)| is_old(upload)).map(|(hash, _)| *hash)
    }

    /// Returns the upload to evict for a piece; see the module.
    pub fn gives_way(
        &self,
        wanted: &Wanted,
        short: Short,
        quota: u64,
        now: SystemTime,
    ) -> Option<Hash> {
        let others = || {
            let others = self.uploads.iter().filter(|(hash, _)| **hash != wanted.hash);
            others.filter(|(_, upload)| !upload.is_busy)
        };
        let oldest_of = |is_meant: &dyn Fn(&Upload) -> bool| {
            let meant = others().filter(|(_, upload)| is_meant(upload));
            meant.max_by_key(|(_, upload)| age(upload, now)).map(|(hash, _)| *hash)
        };
        let smallest_of = |owner: Owner| {
            let meant = others().filter(|(_, upload)| upload.owner == owner);
            meant.min_by_key(|(_, upload)| upload.received).map(|(hash, upload)| (*hash, upload))
        };
        let is_idle = |upload: &Upload| age(upload, now) >= IDLE;
        match short {
            Short::Objects => None,
            // Many tiny uploads must not block an upload that sends data.
            Short::UploadsOfOwner => {
                let is_meant = |upload: &Upload| upload.owner == wanted.owner && is_idle(upload);
                oldest_of(&is_meant).or_else(|| {
                    let smallest = smallest_of(wanted.owner);
                    let smaller = smallest.filter(|(_, upload)| upload.received < wanted.piece);
                    smaller.map(|(hash, _)| hash)
                })
            }
            Short::Uploads => oldest_of(&is_idle).or_else(|| {
                let largest = self.largest_owner(|_| 1, wanted, 1)?;
                smallest_of(largest).map(|(hash, _)| hash)
            }),
            Short::Bytes => oldest_of(&is_idle)
                .or_else(|| if wanted.is_last { oldest_of(&|_| true) } else { None })
                .or_else(|| {
                    let count = |upload: &Upload| reserved(upload.bytes, upload.coming, quota);
                    let largest = self.largest_owner(count, wanted, wanted.bytes)?;
                    oldest_of(&|upload: &Upload| upload.owner == largest)
                }),
        }
    }

    /// Returns the owner whose uploads, idle or busy, have the largest sum of `count`, if it
    /// exceeds the sum of the owner of the piece with `more` added.
    fn largest_owner(
        &self,
        count: impl Fn(&Upload) -> u64,
        wanted: &Wanted,
        more: u64,
    ) -> Option<Owner> {
        let mut sums: BTreeMap<Owner, u64> = BTreeMap::new();
        for upload in self.uploads.values() {
            *sums.entry(upload.owner).or_default() += count(upload);
        }
        let own = sums.remove(&wanted.owner).unwrap_or_default().saturating_add(more);
        let (owner, sum) = sums.into_iter().max_by_key(|(_, sum)| *sum)?;
        (sum > own).then_some(owner)
    }
}

fn age(upload: &Upload, now: SystemTime) -> Duration {
    now.duration_since(upload.changed).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::Kind;

    const QUOTA: u64 = 1 << 30;

    fn owner(number: u8) -> Owner {
        Owner([number; 8])
    }

    fn hash(number: u32) -> Hash {
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        hash
    }

    /// Returns a state with an upload per entry: owner, bytes received, and age in seconds.
    fn state(uploads: &[(u8, u64, u64)], now: SystemTime) -> State {
        let mut state = State::default();
        for (number, (name, received, seconds)) in (0..).zip(uploads) {
            let (received, changed) = (*received, now - Duration::from_secs(*seconds));
            let new = Upload::new(Kind::CkksKeys, QUOTA, owner(*name));
            let upload = Upload { received, coming: received, changed, ..new };
            state.uploads.insert(hash(number), upload);
        }
        state
    }

    fn wanted(name: u8, piece: u64, is_last: bool) -> Wanted {
        let (owner, hash) = (owner(name), hash(9999));
        Wanted { owner, hash, piece, is_last, bytes: piece, is_first: true }
    }

    #[test]
    fn uploads_count_what_has_come_and_a_bounded_rest() {
        let rest = QUOTA / 16 / 1024;
        assert_eq!(reserved(QUOTA, 1, QUOTA), 1 + rest);
        assert_eq!(reserved(100, 1, QUOTA), 100);
        assert_eq!(reserved(100, 100, QUOTA), 100);
        let now = SystemTime::now();
        let many = state(&[(1, 1, 0); MOST_UPLOADS], now);
        assert!(many.bytes(QUOTA) < QUOTA / 15, "{}", many.bytes(QUOTA));
    }

    #[test]
    fn the_idle_give_way_to_all_and_any_to_what_is_whole() {
        let now = SystemTime::now();
        let full = state(&[(1, QUOTA / 2, 300), (1, QUOTA / 2, 20)], now);
        let asked = |state: &State, wanted: Wanted| {
            assert_eq!(state.short(&wanted, QUOTA), Some(Short::Bytes));
            state.gives_way(&wanted, Short::Bytes, QUOTA, now)
        };
        assert_eq!(asked(&full, wanted(1, 1 << 20, true)), Some(hash(0)));
        assert_eq!(asked(&full, wanted(1, 1 << 20, false)), None);
        // Another owner has less, or would have more with the piece.
        assert_eq!(asked(&full, wanted(2, 1 << 20, false)), Some(hash(0)));
        let halves = state(&[(1, QUOTA / 2, 300), (2, QUOTA / 2, 20)], now);
        assert_eq!(asked(&halves, wanted(2, 1 << 20, false)), None);
        let idle = state(&[(1, QUOTA / 2, 10), (1, QUOTA / 2, 700)], now);
        assert_eq!(asked(&idle, wanted(1, 1 << 20, false)), Some(hash(1)));
        let mut busy = full;
        busy.uploads.values_mut().for_each(|upload| upload.is_busy = true);
        assert_eq!(asked(&busy, wanted(1, 1 << 20, true)), None);
    }

    #[test]
    fn many_small_uploads_give_way_to_one_that_sends_more() {
        let now = SystemTime::now();
        let mut uploads = vec![(1, 7, 1); MOST_OF_OWNER];
        uploads[5].1 = 3;
        let many = state(&uploads, now);
        let short = Short::UploadsOfOwner;
        assert_eq!(many.short(&wanted(1, 8, false), QUOTA), Some(short));
        assert_eq!(many.gives_way(&wanted(1, 8, false), short, QUOTA, now), Some(hash(5)));
        assert_eq!(many.gives_way(&wanted(1, 2, false), short, QUOTA, now), None);
        assert_eq!(many.short(&wanted(1, 8, true), QUOTA), None);
        assert_eq!(many.short(&wanted(2, 8, false), QUOTA), None);
        let all: Vec<_> = (0..MOST_UPLOADS).map(|number| ((number % 17) as u8, 7, 1)).collect();
        let all = state(&all, now);
        let asked = wanted(100, 1, false);
        assert_eq!(all.short(&asked, QUOTA), Some(Short::Uploads));
        assert!(all.gives_way(&asked, Short::Uploads, QUOTA, now).is_some());
    }

    #[test]
    fn old_uploads_expire_unless_a_piece_is_being_stored() {
        let now = SystemTime::now();
        let mut old = state(&[(1, 5, 10), (2, 5, 3601)], now);
        assert_eq!(old.expired(now), Some(hash(1)));
        old.uploads.values_mut().for_each(|upload| upload.is_busy = true);
        assert_eq!(old.expired(now), None);
    }
}
