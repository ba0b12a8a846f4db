// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fixed points of proofs in the forms that sums need, and commitments to instances.

use std::sync::OnceLock;

use halimede_arith::field::VestaBase;
use orchard::circuit::OrchardCircuitVersion;

use super::description::{Description, Key};
use crate::pasta::{
    decode, normalize, Affine, FixedPoints, FixedSum, Fp, Machine, Projective, Row,
};

/// The rows of the instance column with numbers: anchor, coordinates of the value commitment,
/// nullifier, coordinates of the randomized key, note commitment.
const NUMBERS: usize = 7;
/// The rows with flags: spends enabled, outputs enabled, cross-address transfers disabled.
const FLAGS: usize = 3;

/// The public input of an action.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// The canonical integers.
    pub numbers: [[u64; 4]; NUMBERS],
    pub flags: [bool; FLAGS],
}

/// A version of the circuit with its commitments.
pub struct VersionKey {
    pub key: Key,
    pub fixed: Vec<Row>,
    pub sigma: Vec<Row>,
}

/// The circuit with its fixed points.
pub struct Setup {
    pub description: Description,
    pub g: Vec<Row>,
    pub w: Row,
    pub u: Row,
    instances: FixedPoints<VestaBase, NUMBERS>,
    keys: Vec<VersionKey>,
}

impl Setup {
    /// Returns the setup, which the first call computes, in some 20 ms. `None` without lanes.
    pub fn get(machine: Machine) -> Option<&'static Self> {
        static SETUP: OnceLock<Option<Setup>> = OnceLock::new();
        SETUP.get_or_init(|| Self::new(machine)).as_ref()
    }

    fn new(machine: Machine) -> Option<Self> {
        let description = Description::read()?;
        let points = |encodings: &[[u8; 32]]| -> Option<Vec<Affine<VestaBase>>> {
            let points = decode::<VestaBase>(machine, encodings)?;
            points.into_iter().map(|point| point.point()).collect()
        };
        let rows = |encodings: &[[u8; 32]]| -> Option<Vec<Row>> {
            Some(points(encodings)?.iter().map(Row::new).collect())
        };
        let bases = &description.bases;
        let [w, u] = *points(&[bases.w?, bases.u?])?.as_array()?;
        let lagrange: [_; NUMBERS + FLAGS] = *points(&bases.lagrange)?.as_array()?;
        let (numbers, flags) = lagrange.split_at(NUMBERS);
        let constants = (0..1usize << FLAGS).map(|set| {
            let set = flags.iter().enumerate().filter(|(flag, _)| set >> flag & 1 == 1);
            set.fold(w.projective(), |sum, (_, base)| sum.add_affine(base))
        });
        let half = Fp::from(2).inverse()?.canonical_limbs();
        let constants: Vec<Projective<VestaBase>> = constants.collect();
        let instances = FixedPoints::new(numbers.as_array()?, half, &constants);
        let keys = description.keys.iter().map(|key| {
            let (fixed, sigma) = (rows(&key.fixed)?, rows(&key.sigma)?);
            Some(VersionKey { key: key.clone(), fixed, sigma })
        });
        let keys = keys.collect::<Option<_>>()?;
        let (g, w, u) = (rows(&bases.g)?, Row::new(&w), Row::new(&u));
        Some(Self { description, g, w, u, instances, keys })
    }

    /// Returns the key of a version.
    pub fn key(&self, version: OrchardCircuitVersion) -> Option<&VersionKey> {
        self.keys.iter().find(|key| key.key.version == version)
    }

    /// Returns the commitments to instances; `None` without lanes. A commitment that is the neutral
    /// element is `None`: no transcript begins with it.
    pub fn commitments(
        &self,
        machine: Machine,
        instances: &[Instance],
    ) -> Option<Vec<Option<Affine<VestaBase>>>> {
        let sums = instances.iter().map(|instance| {
            let flags = instance.flags.iter().enumerate();
            let constant = flags.fold(0, |set, (flag, is_set)| set | usize::from(*is_set) << flag);
            FixedSum { factors: instance.numbers, constant }
        });
        let sums: Vec<FixedSum<NUMBERS>> = sums.collect();
        Some(normalize(&self.instances.sums(machine, &sums)?))
    }
}
