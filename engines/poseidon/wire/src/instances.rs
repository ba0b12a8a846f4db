// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instances of Poseidon: their codes on the wire, and the instances that a card has.

use halimede_arith::job::Offer;
use halimede_card::command::Status;
use halimede_card::spec::{Capability, Register};
use halimede_card::Opening;
use halimede_poseidon::{Family, Instance, Strength};

use crate::spec::{status, PoseidonInstance};

impl PoseidonInstance {
    /// The number of elements in the state.
    pub const fn width(self) -> usize {
        (self as u8 & 15) as usize
    }
}

/// The code of an instance on the wire, if it has one: the family in bits 7:4, the width in bits
/// 3:0.
fn wire_instance(instance: Instance) -> Option<PoseidonInstance> {
    // The code of a wider instance would collide with another family's.
    let width = u8::try_from(instance.width()).ok().filter(|width| *width < 16)?;
    let family = match instance.family() {
        Family::Filecoin(Strength::Standard) => 0u8,
        Family::Filecoin(Strength::Strengthened) => 1,
        Family::Stark => 2,
    };
    PoseidonInstance::from_u8(family << 4 | width)
}

pub(crate) fn require_instance(
    instance: Instance,
    card: &Status,
) -> Result<PoseidonInstance, String> {
    let code = wire_instance(instance)
        .ok_or_else(|| format!("{instance} has no code in the card's protocol"))?;
    require(code, card)
}

pub(crate) fn require(
    instance: PoseidonInstance,
    card: &Status,
) -> Result<PoseidonInstance, String> {
    if has(card, instance) {
        return Ok(instance);
    }
    let name = Instance::published()
        .find(|candidate| wire_instance(*candidate) == Some(instance))
        .map_or_else(|| instance.name().to_owned(), |instance| instance.to_string());
    Err(format!("the card does not have the Poseidon instance {name}"))
}

/// The Poseidon instances that a card has.
pub fn poseidon_instances(card: &Status) -> Vec<Instance> {
    let is_here =
        |instance: &Instance| wire_instance(*instance).is_some_and(|code| has(card, code));
    Instance::published().filter(is_here).collect()
}

/// Returns `true` if a card has the engine with this instance.
fn has(card: &Status, instance: PoseidonInstance) -> bool {
    card.has(Capability::Poseidon) && card.get(status::INSTANCES) >> instance.bit() & 1 == 1
}

/// A card's offer of an operation with its instances that are `wanted`: their names, and the
/// numbers of field cores over BLS12-381 Fr and over the Stark field.
pub(crate) fn offer(opening: &Opening, wanted: impl Fn(&Instance) -> bool) -> Option<Offer> {
    let here = poseidon_instances(opening.status()).into_iter().filter(wanted);
    let instances: Vec<String> = here.map(|instance| instance.to_string()).collect();
    let cores = opening.register(Register::PoseidonCores);
    let units = vec![("cores_fr", cores & 0xFF), ("cores_felt", cores >> 8 & 0xFF)];
    (!instances.is_empty()).then_some(Offer { instances, units })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_instances_alone_have_codes_and_each_its_own() {
        let published: Vec<Instance> = Instance::published().collect();
        let mut codes = std::collections::HashSet::new();
        for instance in Instance::all() {
            let code = wire_instance(instance);
            assert_eq!(code.is_some(), published.contains(&instance), "{instance}");
            assert_eq!(code.map(PoseidonInstance::width), code.map(|_| instance.width()));
            assert!(code.is_none_or(|code| codes.insert(code.code())), "{instance}");
        }
        assert_eq!(codes.len(), 12);
    }
}
