// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares sponges, for any splitting of a protocol, with the plain permutation applied by hand,
//! and checks their errors. `bench/tests/peers/neptune_sponge.rs` compares them with neptune.

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::{Felt, Field, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::sponge::{
    constant_length, IoPattern, Operation, Sponge, SpongeError, SpongeField,
};
use halimede_poseidon::{plain, Instance, PoseidonField, Strength};
use proptest::prelude::*;
use Operation::{Absorb, Squeeze};

fn element<M: PoseidonField>(seed: u64) -> Field<M> {
    match seed % 7 {
        0 => Field::from(seed % 3),
        1 => -Field::from(seed % 3),
        _ => Field::from(seed).pow(&[seed | 1]),
    }
}

/// Runs a protocol; each call performs a whole operation.
fn run<M: SpongeField>(
    instance: Instance,
    operations: &[Operation],
    domain: u32,
    input: &[Field<M>],
) -> Vec<Field<M>> {
    let pattern = IoPattern::new(operations).unwrap();
    let mut sponge = Sponge::<M>::start(instance, pattern, domain).unwrap();
    let (mut rest, mut output) = (input, vec![]);
    for operation in operations {
        match *operation {
            Absorb(count) => {
                let (now, later) = rest.split_at(count as usize);
                sponge.absorb(now).unwrap();
                rest = later;
            }
            Squeeze(count) => output.extend(sponge.squeeze(count).unwrap()),
        }
    }
    sponge.finish().unwrap();
    output
}

/// The same protocol by hand: a simplex sponge on the plain permutation, in whole blocks.
fn simplex_by_hand<M: SpongeField>(
    instance: Instance,
    tag: u128,
    input: &[Field<M>],
    squeezed: usize,
) -> Vec<Field<M>> {
    let parameters = M::parameters(instance).unwrap();
    let two_to_64 = Field::from(2).pow(&[64]);
    let tag = Field::from((tag >> 64) as u64) * two_to_64 + Field::from(tag as u64);
    let is_stark = instance.to_string().starts_with("stark");
    let mut state = vec![Field::ZERO; instance.width()];
    let first = usize::from(!is_stark);
    state[if is_stark { instance.arity() } else { 0 }] = tag;
    for block in input.chunks(instance.arity()) {
        for (element, addend) in state[first..].iter_mut().zip(block) {
            *element += *addend;
        }
        plain::permute(&parameters, &mut state);
    }
    let mut output = vec![];
    while output.len() < squeezed {
        if !output.is_empty() {
            plain::permute(&parameters, &mut state);
        }
        output.extend_from_slice(&state[first..first + instance.arity()]);
    }
    output.truncate(squeezed);
    output
}

fn simplex_is_by_the_book<M: SpongeField>(instance: &str) {
    let instance: Instance = instance.parse().unwrap();
    let rate = instance.arity();
    for absorbed in [1, rate - 1, rate, rate + 1, 2 * rate, 3 * rate + 1] {
        if absorbed == 0 {
            continue;
        }
        for squeezed in [1, rate - 1, rate, rate + 1, 2 * rate + 1] {
            if squeezed == 0 {
                continue;
            }
            let input: Vec<Field<M>> = (0..absorbed as u64).map(|i| element(i * 31 + 5)).collect();
            let operations = [Absorb(absorbed as u32), Squeeze(squeezed as u32)];
            let tag = IoPattern::new(&operations).unwrap().tag(7);
            let expected = simplex_by_hand(instance, tag, &input, squeezed);
            let output = run(instance, &operations, 7, &input);
            assert_eq!(output, expected, "{instance}: {absorbed} in, {squeezed} out");
        }
    }
}

#[test]
fn simplex_sponges_are_by_the_book() {
    for instance in ["filecoin-2", "filecoin-3-strengthened", "filecoin-8", "filecoin-16"] {
        simplex_is_by_the_book::<Bls12381Scalar>(instance);
    }
    for instance in ["stark-3", "stark-4", "stark-9"] {
        simplex_is_by_the_book::<StarkPrime>(instance);
    }
}

#[test]
fn a_duplex_sponge_permutes_before_each_squeeze_after_an_absorb() {
    // Absorb 2, squeeze 1, absorb 1, squeeze 3, at a rate of 2 on the plain permutation.
    let instance: Instance = "filecoin-2".parse().unwrap();
    let operations = [Absorb(2), Squeeze(1), Absorb(1), Squeeze(3)];
    let input = [3, 5, 7].map(Fr::from);
    let tag = IoPattern::new(&operations).unwrap().tag(0);
    let parameters = Bls12381Scalar::parameters(instance).unwrap();
    let low_and_high = [tag as u64, (tag >> 64) as u64, 0, 0];
    let mut state = vec![Fr::from_canonical_limbs(low_and_high).unwrap(), input[0], input[1]];
    plain::permute(&parameters, &mut state);
    let mut expected = vec![state[1]];
    state[1] += input[2];
    plain::permute(&parameters, &mut state);
    expected.extend([state[1], state[2]]);
    plain::permute(&parameters, &mut state);
    expected.push(state[1]);
    assert_eq!(run(instance, &operations, 0, &input), expected);
}

#[test]
fn outputs_depend_on_pattern_domain_instance_and_input() {
    let input: Vec<Fr> = (1..=4).map(Fr::from).collect();
    let first = |instance: &str, operations: &[Operation], domain, input: &[Fr]| {
        run(instance.parse().unwrap(), operations, domain, input)[0]
    };
    let hash = [Absorb(4), Squeeze(1)];
    let mut outputs = vec![
        first("filecoin-4", &hash, 0, &input),
        first("filecoin-4", &hash, 1, &input),
        first("filecoin-4", &hash, u32::MAX, &input),
        first("filecoin-4", &[Absorb(4), Squeeze(2)], 0, &input),
        first("filecoin-4", &[Absorb(4), Squeeze(1), Absorb(1), Squeeze(1)], 0, &{
            [&input[..], &[Fr::ONE]].concat()
        }),
        first("filecoin-4-strengthened", &hash, 0, &input),
        first("filecoin-5", &hash, 0, &input),
        // A zero at the end is not padding: the tag distinguishes the lengths.
        first("filecoin-8", &[Absorb(5), Squeeze(1)], 0, &[&input[..], &[Fr::ZERO]].concat()),
        first("filecoin-8", &hash, 0, &input),
    ];
    for position in 0..4 {
        let mut changed = input.clone();
        changed[position] += Fr::ONE;
        outputs.push(first("filecoin-4", &hash, 0, &changed));
    }
    let distinct: std::collections::HashSet<_> = outputs.iter().collect();
    assert_eq!(distinct.len(), outputs.len());
}

fn sponge(operations: &[Operation]) -> Sponge<StarkPrime> {
    let pattern = IoPattern::new(operations).unwrap();
    Sponge::start("stark-3".parse().unwrap(), pattern, 0).unwrap()
}

#[test]
fn whatever_departs_from_the_pattern_ends_the_sponge() {
    let operations = [Absorb(3), Squeeze(2), Absorb(1), Squeeze(1)];
    let elements = [Felt::ONE; 4];
    let assert_violated = |mut sponge: Sponge<StarkPrime>, error: SpongeError, reason: &str| {
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(sponge.absorb(&elements[..1]), Err(SpongeError::Aborted));
        assert_eq!(sponge.squeeze(1), Err(SpongeError::Aborted));
        let mut output = elements;
        assert_eq!(sponge.squeeze_into(&mut output[..1]), Err(SpongeError::Aborted));
        assert_eq!(output, elements);
        assert_eq!(sponge.finish(), Err(SpongeError::Aborted));
    };
    let mut early = sponge(&operations);
    early.absorb(&elements[..2]).unwrap();
    let error = early.squeeze(1).unwrap_err();
    let reason =
        "squeeze of 1 elements where the pattern has absorb of 3 elements: operation 0, of \
                  which 2 elements are done";
    assert_violated(early, error, reason);

    let mut many = sponge(&operations);
    let error = many.absorb(&elements).unwrap_err();
    assert_violated(many, error, "absorb of 4 elements where the pattern has absorb of 3");

    let mut greedy = sponge(&operations);
    greedy.absorb(&elements[..3]).unwrap();
    let error = greedy.squeeze(u32::MAX).unwrap_err();
    assert_violated(greedy, error, "squeeze of 4294967295 elements where the pattern has squeeze");

    let mut on = sponge(&[Absorb(1), Squeeze(1)]);
    on.absorb(&elements[..1]).unwrap();
    on.squeeze(1).unwrap();
    let error = on.absorb(&elements[..1]).unwrap_err();
    assert_violated(on, error, "absorb of 1 elements where the pattern has its end: operation 2");
}

#[test]
fn an_unfinished_protocol_and_a_foreign_instance_are_refused() {
    let operations = [Absorb(3), Squeeze(2)];
    assert!(matches!(
        sponge(&operations).finish(),
        Err(SpongeError::Unfinished { position: 0, next: Absorb(3), done: 0 })
    ));
    let mut half = sponge(&operations);
    half.absorb(&[Felt::ONE; 3]).unwrap();
    half.squeeze(1).unwrap();
    let error = half.finish().unwrap_err();
    assert_eq!(error, SpongeError::Unfinished { position: 1, next: Squeeze(2), done: 1 });
    let pattern = IoPattern::simplex(1, 1).unwrap();
    let error = Sponge::<StarkPrime>::start("filecoin-2".parse().unwrap(), pattern.clone(), 0);
    assert_eq!(error.unwrap_err().to_string(), "filecoin-2 is not an instance over Felt");
    assert!(Sponge::<Bls12381Scalar>::start("stark-3".parse().unwrap(), pattern, 0).is_err());
}

#[test]
fn a_constant_length_goes_on_where_the_fixed_length_hash_ends() {
    for arity in [2, 4, 11] {
        let hasher = Hasher::new(arity, Strength::Standard, HashType::ConstantLength).unwrap();
        let input: Vec<Fr> = (0..3 * arity as u64).map(|i| element(i * 7 + 2)).collect();
        for length in 1..=arity {
            let mut digest = [Fr::ZERO];
            constant_length(hasher.instance(), &input[..length], &mut digest).unwrap();
            assert_eq!(digest[0], hasher.hash(&input[..length]).unwrap());
        }
        let mut digests = std::collections::HashSet::new();
        for length in 1..=input.len() {
            let mut output = vec![Fr::ZERO; 2 * arity + 1];
            constant_length(hasher.instance(), &input[..length], &mut output).unwrap();
            assert!(output.iter().all(|element| digests.insert(*element)));
        }
    }
    let instance = "filecoin-2".parse().unwrap();
    let refused = |instance, input: &[Fr], outputs: usize| {
        constant_length(instance, input, &mut vec![Fr::ONE; outputs]).unwrap_err()
    };
    assert_eq!(refused(instance, &[], 1), SpongeError::Length { what: "input", got: 0 });
    assert_eq!(refused(instance, &[Fr::ONE], 0), SpongeError::Length { what: "output", got: 0 });
    let stark = refused("stark-3".parse().unwrap(), &[Fr::ONE], 1);
    assert!(matches!(stark, SpongeError::Instance { field: "Fr", .. }));
}

/// Runs a protocol with its operations split by `cuts`; only calls that `cuts` leaves empty are
/// empty.
fn run_cut(
    instance: Instance,
    operations: &[Operation],
    input: &[Fr],
    mut cut: impl FnMut(usize) -> usize,
) -> Vec<Fr> {
    let pattern = IoPattern::new(operations).unwrap();
    let mut sponge = Sponge::<Bls12381Scalar>::start(instance, pattern, 9).unwrap();
    let (mut rest, mut output) = (input, vec![]);
    for operation in operations {
        let mut left = operation.count() as usize;
        while left > 0 {
            let now = cut(left).min(left);
            match operation {
                Absorb(_) => {
                    sponge.absorb(&rest[..now]).unwrap();
                    rest = &rest[now..];
                }
                Squeeze(_) => output.extend(sponge.squeeze(now as u32).unwrap()),
            }
            left -= now;
        }
    }
    sponge.finish().unwrap();
    output
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The output does not depend on how operations are split, in the pattern or in the calls.
    #[test]
    fn cuts_do_not_matter(
        counts in prop::collection::vec(1u32..9, 2..8),
        cuts in prop::collection::vec(0usize..5, 1..40),
        arity in 2usize..7,
    ) {
        let even = counts.len() / 2 * 2;
        let operations: Vec<Operation> = counts[..even]
            .iter()
            .enumerate()
            .map(|(i, &count)| if i % 2 == 0 { Absorb(count) } else { Squeeze(count) })
            .collect();
        let absorbed: u32 = operations.iter().map(|op| if let Absorb(n) = op { *n } else { 0 }).sum();
        let input: Vec<Fr> = (0..u64::from(absorbed)).map(|i| element(i * 97 + 13)).collect();
        let instance: Instance = format!("filecoin-{arity}").parse().unwrap();
        let whole = run(instance, &operations, 9, &input);
        // Split calls, every third of them empty.
        let mut turn = 0;
        let cut = run_cut(instance, &operations, &input, |_| {
            turn += 1;
            cuts[turn % cuts.len()].max(usize::from(turn % 3 > 0))
        });
        prop_assert_eq!(&cut, &whole);
        // A pattern that is split into single elements.
        let single = |operation: &Operation| {
            let one = if let Absorb(_) = operation { Absorb(1) } else { Squeeze(1) };
            vec![one; operation.count() as usize]
        };
        let singles: Vec<Operation> = operations.iter().flat_map(single).collect();
        prop_assert_eq!(run(instance, &singles, 9, &input), whole);
    }
}
