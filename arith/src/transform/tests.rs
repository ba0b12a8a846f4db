// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms against Horner's rule, on every backend.

use super::*;
use crate::backend::Backend;

/// Returns elements that depend on a seed, with 0, 1 and −1 among them.
fn elements(count: usize, seed: u64) -> Vec<Fr> {
    let mut state = Fr::from(seed + 2);
    let next = |index: usize| {
        state = state.square() + Fr::from(0x9e37_79b9_7f4a_7c15);
        match index % 11 {
            3 => Fr::ZERO,
            5 => Fr::ONE,
            7 => -Fr::ONE,
            _ => state,
        }
    };
    (0..count).map(next).collect()
}

fn value_at(coefficients: &[Fr], x: Fr) -> Fr {
    coefficients.iter().rev().fold(Fr::ZERO, |value, coefficient| value * x + *coefficient)
}

fn domains() -> impl Iterator<Item = (Domain, u64)> {
    let sizes = (0..=9).flat_map(|log| [(log, Generator::Seven), (log, Generator::Five)]);
    sizes.flat_map(|(log, generator)| {
        Backend::available_for_fields().map(move |backend| {
            let domain = Domain::new(generator, log).unwrap().with_backend(backend);
            (domain, 100 * u64::from(log) + backend as u64)
        })
    })
}

#[test]
fn values_are_those_of_the_polynomial() {
    for (domain, seed) in domains() {
        let coefficients = elements(domain.size(), seed);
        let shift = elements(1, seed + 7)[0];
        for g in [None, Some(shift)] {
            let mut values = coefficients.clone();
            match g {
                None => domain.evaluate(&mut values),
                Some(g) => domain.evaluate_on_coset(&mut values, g),
            }
            let mut x = g.unwrap_or(Fr::ONE);
            for value in &values {
                assert_eq!(*value, value_at(&coefficients, x));
                x *= domain.root();
            }
            match g {
                None => domain.interpolate(&mut values),
                Some(g) => domain.interpolate_from_coset(&mut values, g).unwrap(),
            }
            assert_eq!(values, coefficients);
        }
    }
}

#[test]
fn negacyclic_values_are_those_at_odd_powers() {
    for (domain, seed) in domains() {
        let coefficients = elements(domain.size(), seed);
        let mut values = coefficients.clone();
        domain.evaluate_reversed(Ring::Negacyclic, &mut values);
        let mut reversed = values.clone();
        bit_reverse(&mut reversed);
        let mut x = domain.generator.root_of_order(domain.log_size + 1);
        for value in &reversed {
            assert_eq!(*value, value_at(&coefficients, x));
            x *= domain.root();
        }
        domain.interpolate_reversed(Ring::Negacyclic, &mut values);
        let scale = domain.size_inverse();
        assert!(values.iter().zip(&coefficients).all(|(found, sent)| *found * scale == *sent));
    }
}

/// Sizes above a block are split, also across threads.
#[test]
fn large_transforms_are_right_at_some_points_and_invert() {
    for log_size in [12, 13, 15] {
        for backend in Backend::available_for_fields() {
            let domain = Domain::new(Generator::Seven, log_size).unwrap().with_backend(backend);
            let coefficients = elements(domain.size(), u64::from(log_size));
            for ring in [Ring::Cyclic, Ring::Negacyclic] {
                let mut values = coefficients.clone();
                domain.evaluate_reversed(ring, &mut values);
                let first = match ring {
                    Ring::Cyclic => Fr::ONE,
                    Ring::Negacyclic => domain.generator.root_of_order(log_size + 1),
                };
                for place in [0, 1, 2, 4095, 4096, domain.size() / 2, domain.size() - 1] {
                    let power = reversed(place % domain.size(), log_size) as u64;
                    let x = first * domain.root().pow(&[power]);
                    assert_eq!(values[place % domain.size()], value_at(&coefficients, x));
                }
                domain.interpolate_reversed(ring, &mut values);
                let scale = domain.size_inverse();
                assert!(values.iter().zip(&coefficients).all(|(x, y)| *x * scale == *y));
            }
        }
    }
}

#[test]
fn all_backends_agree_with_extreme_elements() {
    let extremes = [Fr::ZERO, Fr::ONE, -Fr::ONE, -Fr::from(2), Fr::from(1 << 63).square()];
    let input: Vec<Fr> = (0..1 << 13).map(|index| extremes[index * index % 5]).collect();
    let with = |backend| {
        let domain = Domain::new(Generator::Seven, 13).unwrap().with_backend(backend);
        let mut values = input.clone();
        domain.evaluate_reversed(Ring::Negacyclic, &mut values);
        domain.interpolate_reversed(Ring::Cyclic, &mut values);
        values
    };
    let expected = with(Backend::Portable);
    for backend in Backend::available_for_fields() {
        assert_eq!(with(backend), expected, "{backend}");
    }
}

/// The emulated lanes of both kinds against the portable code, from one tile on.
#[test]
fn emulated_lanes_agree() {
    for log_size in [6, 7, 9] {
        let domain = Domain::new(Generator::Five, log_size + 1).unwrap();
        let all = domain.roots.iter().copied().chain([-Fr::ONE]);
        let lane_roots: Vec<[u64; 5]> = all.map(lane_root).collect();
        let (minus_one, lane_roots) = lane_roots.split_last().unwrap();
        let roots = LaneRoots { roots: lane_roots, minus_one };
        for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
            for block in [0, 1] {
                let mut input = elements(1 << log_size, u64::from(log_size));
                input[1] = -Fr::ONE;
                let (mut ours, mut expected) = (input.clone(), input.clone());
                let kernel = EvaluateBlock { values: &mut expected, block, roots: &domain.roots };
                run(Backend::Portable, kernel);
                let values = &mut ours[..];
                lane::emulate(backend, EvaluateInLanes { values, block, roots });
                assert!(ours == expected, "{log_size} {backend} {block}");

                let kernel =
                    InterpolateBlock { values: &mut expected, block, roots: &domain.roots };
                run(Backend::Portable, kernel);
                let values = &mut ours[..];
                lane::emulate(backend, InterpolateInLanes { values, block, roots });
                assert!(ours == expected, "{log_size} {backend} {block}");

                let half = input.len() / 2;
                for inverse in [false, true] {
                    let (mut ours, mut expected) = (input.clone(), input.clone());
                    let (low, high) = expected.split_at_mut(half);
                    let (root, ordinary) = (domain.roots[block], &domain.roots[..]);
                    match inverse {
                        false => run(Backend::Portable, EvaluateLevel { low, high, root }),
                        true => {
                            let roots = ordinary;
                            run(Backend::Portable, InterpolateLevel { low, high, block, roots });
                        }
                    }
                    let (low, high) = ours.split_at_mut(half);
                    lane::emulate(backend, LevelInLanes { low, high, block, roots, inverse });
                    assert!(ours == expected, "{log_size} {backend} {block} {inverse}");
                }
            }
        }
    }
}

/// Values that grow the most, through all levels of the largest block.
#[test]
fn lanes_stay_within_their_bounds() {
    for backend in Backend::available_for_fields().filter(|backend| lane::available(*backend)) {
        for log_size in [14, 15] {
            let values = vec![-Fr::ONE; 1 << log_size];
            let portable = Domain::new(Generator::Seven, log_size).unwrap();
            let in_lanes = portable.clone().with_backend(backend);
            let portable = portable.with_backend(Backend::Portable);
            for ring in [Ring::Cyclic, Ring::Negacyclic] {
                let (mut ours, mut expected) = (values.clone(), values.clone());
                in_lanes.evaluate_reversed(ring, &mut ours);
                portable.evaluate_reversed(ring, &mut expected);
                assert!(ours == expected, "{backend} {log_size} {ring:?}");
                in_lanes.interpolate_reversed(ring, &mut ours);
                portable.interpolate_reversed(ring, &mut expected);
                assert!(ours == expected, "{backend} {log_size} {ring:?}");
            }
        }
    }
}

#[test]
fn domains_that_are_too_large_and_shifts_by_zero_are_refused() {
    assert!(Domain::new(Generator::Seven, MOST_LOG_SIZE + 1).is_none());
    let domain = Domain::new(Generator::Seven, 3).unwrap();
    assert_eq!(domain.interpolate_from_coset(&mut elements(8, 1), Fr::ZERO), None);
}

#[test]
#[should_panic(expected = "the size of the domain")]
fn other_numbers_of_coefficients_are_a_bug() {
    Domain::new(Generator::Seven, 3).unwrap().evaluate(&mut elements(16, 1));
}
