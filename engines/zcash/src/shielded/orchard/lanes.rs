// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs and signatures of Orchard bundles together, in lanes.

use halimede_arith::field::PallasBase;
use orchard::circuit::OrchardCircuitVersion;

use super::signatures::{self, binding_key, Opened};
use super::Actions;
use crate::halo2::{self, Instance, Statement};
use crate::pasta::{decode, encode, normalize, Affine, Decoded, Machine};
use crate::reddsa::{multipliers, Role, Signed};

type Point = Option<Affine<PallasBase>>;

/// The points of Pallas of an action; `None` is the neutral element.
#[derive(Clone, Copy)]
struct ActionPoints {
    key: Point,
    value: Point,
    nonce: Point,
}

/// The points of a bundle.
struct BundlePoints {
    actions: Vec<ActionPoints>,
    binding_nonce: Point,
}

/// Returns `true` if the proofs and signatures of bundles of one circuit hold; signatures only of
/// those with a digest. `None` without lanes or without random numbers.
pub fn hold(machine: Machine, all: &[Actions<'_>]) -> Option<bool> {
    let Some(version) = all.first().map(Actions::version) else { return Some(true) };
    if !all.iter().all(|actions| is_supported(actions, version)) {
        return Some(false);
    }
    let Some(points) = decoded(machine, all)? else { return Some(false) };
    let signatures = opened(machine, all, &points)?;
    let random = multipliers(signatures.len())?;
    if !signatures::hold(machine, &signatures, &random)? {
        return Some(false);
    }
    let statements = all.iter().zip(&points).map(|(actions, points)| Statement {
        proof: actions.bundle.authorization().proof().as_ref(),
        instances: instances(actions, points),
    });
    let statements: Vec<Statement<'_>> = statements.collect();
    let random = multipliers(all.len())?.into_iter().map(|multiplier| multiplier.magnitude);
    halo2::hold(machine, version, &statements, &random.collect::<Vec<_>>())
}

/// Returns `true` unless a bundle has a restriction that the circuit does not check.
fn is_supported(actions: &Actions<'_>, version: OrchardCircuitVersion) -> bool {
    actions.bundle.flags().cross_address_enabled() || version.supports_cross_address_restriction()
}

fn nonce(signature: [u8; 64]) -> [u8; 32] {
    let mut nonce = [0; 32];
    nonce.copy_from_slice(&signature[..32]);
    nonce
}

/// Returns the points of Pallas; `None` without lanes, `Some(None)` if one is invalid.
fn decoded(machine: Machine, all: &[Actions<'_>]) -> Option<Option<Vec<BundlePoints>>> {
    let mut encodings: Vec<[u8; 32]> = Vec::new();
    for actions in all {
        for action in actions.bundle.actions() {
            encodings.push(action.rk().into());
            encodings.push(action.cv_net().to_bytes());
            encodings.push(nonce(action.authorization().into()));
        }
        encodings.push(nonce(actions.bundle.authorization().binding_signature().into()));
    }
    let decoded = decode::<PallasBase>(machine, &encodings)?;
    let points = decoded.into_iter().map(|decoded| match decoded {
        Decoded::Invalid => None,
        Decoded::Identity => Some(None),
        Decoded::Point(point) => Some(Some(point)),
    });
    let Some(points) = points.collect::<Option<Vec<Point>>>() else { return Some(None) };
    let mut points = points.into_iter();
    let bundles = all.iter().map(|actions| {
        let of_action = |_| {
            Some(ActionPoints { key: points.next()?, value: points.next()?, nonce: points.next()? })
        };
        let of_actions = actions.bundle.actions().iter().map(of_action).collect::<Option<_>>()?;
        Some(BundlePoints { actions: of_actions, binding_nonce: points.next()? })
    });
    Some(bundles.collect())
}

/// Returns the signatures with their points.
fn opened(machine: Machine, all: &[Actions<'_>], points: &[BundlePoints]) -> Option<Vec<Opened>> {
    let bindings = all.iter().zip(points).map(|(actions, points)| {
        let values = points.actions.iter().map(|action| action.value);
        binding_key(machine, values, (*actions.bundle.value_balance()).into())
    });
    let bindings = normalize(&bindings.collect::<Option<Vec<_>>>()?);
    let mut opened = Vec::new();
    for ((actions, points), binding) in all.iter().zip(points).zip(bindings) {
        let Some(message) = actions.digest else { continue };
        for (action, points) in actions.bundle.actions().iter().zip(&points.actions) {
            let signature = action.authorization().into();
            let key = action.rk().into();
            let signed = Signed { role: Role::SpendAuthorization, key, signature, message };
            opened.push(Opened { signed, nonce: points.nonce, key: points.key });
        }
        let signature = actions.bundle.authorization().binding_signature().into();
        let key = encode(binding.as_ref());
        let signed = Signed { role: Role::Binding, key, signature, message };
        opened.push(Opened { signed, nonce: points.binding_nonce, key: binding });
    }
    Some(opened)
}

/// Returns the limbs of a canonical integer.
fn limbs(bytes: [u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    limbs
}

/// Returns the coordinates of a point, and zeros for the neutral element (section 4.18.4).
fn coordinates(point: Point) -> [[u64; 4]; 2] {
    point.map_or([[0; 4]; 2], |point| [point.x.canonical_limbs(), point.y.canonical_limbs()])
}

/// Returns the public inputs of a bundle's proof.
fn instances(actions: &Actions<'_>, points: &BundlePoints) -> Vec<Instance> {
    let bundle = actions.bundle;
    let flags = bundle.flags();
    let flags = [flags.spends_enabled(), flags.outputs_enabled(), !flags.cross_address_enabled()];
    let anchor = limbs(bundle.anchor().to_bytes());
    let of_action = bundle.actions().iter().zip(&points.actions);
    of_action
        .map(|(action, points)| {
            let ([value_x, value_y], [key_x, key_y]) =
                (coordinates(points.value), coordinates(points.key));
            let nullifier = limbs(action.nullifier().to_bytes());
            let note = limbs(action.cmx().to_bytes());
            let numbers = [anchor, value_x, value_y, nullifier, key_x, key_y, note];
            Instance { numbers, flags }
        })
        .collect()
}
