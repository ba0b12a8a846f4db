// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters that meet demands with the least.

use super::*;

fn of(slots: usize, depth: usize, precision_bits: f64) -> ParametersBuilder {
    ParametersBuilder::new().slots(slots).depth(depth).precision_bits(precision_bits)
}

/// The draft that would be built, without the tables of its ring.
fn drafted(builder: &ParametersBuilder) -> (Draft, u32) {
    let draft = |(log_degree, most)| {
        builder.draft(log_degree, f64::from(most)).ok().map(|draft| (draft, most))
    };
    let found = builder.rings().unwrap().find_map(draft);
    found.unwrap_or_else(|| panic!("{builder:?}"))
}

#[test]
fn each_demand_is_met_within_the_table_by_the_least() {
    for (slots, depth, precision) in [
        (1, 0, 10.0),
        (1, 1, 4.5),
        (2048, 2, 12.0),
        (100, 4, 20.0),
        (4097, 5, 25.0),
        (8192, 10, 15.0),
        (1 << 14, 13, 21.5),
        (1, 30, 22.0),
        (1 << 16, 30, 35.0),
        (777, 66, 16.5),
    ] {
        let builder = of(slots, depth, precision);
        let (draft, most) = drafted(&builder);
        let shape = draft.shape.chain();
        let what = format!("{builder:?}: {shape:?}");
        assert!(slots_of(shape.log_degree) >= slots && shape.steps.len() == depth, "{what}");
        assert!(draft.chain.modulus_bits() <= f64::from(most), "{what}");
        let bits = draft.precision_bits();
        // A level's size comes in steps of 5 bits.
        let is_least =
            shape.steps.first().is_none_or(|units| *units == 5) || bits < precision + 5.5;
        assert!(bits >= precision && is_least, "{bits} bits, {what}");
        // Neither a smaller ring nor fewer digits meet the requirements.
        if slots_of(shape.log_degree - 1) >= slots {
            let most = most_modulus_bits(
                shape.log_degree - 1,
                SecretKind::Ternary,
                SecurityLevel::Bits128,
            );
            assert!(builder.draft(shape.log_degree - 1, f64::from(most.unwrap())).is_err());
        }
        for digits in 1..shape.digits {
            let fewer = builder.clone().digits(digits);
            assert!(fewer.draft(shape.log_degree, f64::from(most)).is_err(), "{digits}, {what}");
        }
    }
}

#[test]
fn a_bootstrap_has_its_own_chain() {
    let (draft, most) = drafted(&of(1 << 15, 9, 18.0).bootstrapping(true));
    assert_eq!((draft.shape.chain().log_degree, draft.shape.chain().digits), (16, 4));
    let bits = draft.chain.modulus_bits();
    assert!(bits <= f64::from(most) && draft.shape == BootstrapShape::new(16, 9, 4).into());
    assert!((18.0..23.0).contains(&draft.precision_bits()), "{}", draft.precision_bits());
    let (deeper, _) = drafted(&of(1, 20, 15.0).bootstrapping(true));
    assert_eq!(deeper.shape.chain().log_degree, 17);
}

#[test]
fn bootstraps_have_the_fewest_rounds_and_the_smallest_levels_that_are_precise_enough() {
    for (depth, precision, log_degree, rounds, level_units) in [
        (9, 18.0, 16, 1, 8),
        (5, 21.5, 16, 1, 9),
        (4, 24.0, 16, 2, 9),
        (8, 30.0, 16, 2, 10),
        (5, 33.0, 16, 2, 11),
        (6, 40.5, 16, 2, 12),
        // The smaller ring has no room for this.
        (20, 30.0, 17, 2, 11),
        (7, 36.0, 16, 2, 12),
    ] {
        let builder = of(1, depth, precision).bootstrapping(true);
        let (draft, most) = drafted(&builder);
        let shape = draft.shape.bootstrap().unwrap();
        let what = format!("{depth} levels, {precision} bits: {shape:?}");
        let (bits, modulus) = (draft.precision_bits(), draft.chain.modulus_bits());
        assert!(bits >= precision && modulus <= f64::from(most), "{what}, {bits}");
        assert_eq!(
            (shape.log_degree, shape.rounds, shape.level_units, shape.levels),
            (log_degree, rounds, level_units, depth),
            "{what}"
        );
    }
    // One round that is precise enough needs larger levels, which do not fit.
    let (draft, _) = drafted(&of(1, 10, 23.0).bootstrapping(true));
    let shape = draft.shape.bootstrap().unwrap();
    assert_eq!((shape.log_degree, shape.rounds, shape.level_units), (16, 2, 9), "{shape:?}");
}

#[test]
fn what_cannot_be_met_says_what_could() {
    let error = |builder: ParametersBuilder| builder.build().unwrap_err();
    for slots in [0, (1 << 16) + 1, usize::MAX] {
        let error = error(of(slots, 1, 10.0));
        assert_eq!(error, BuilderError::Slots { got: slots, limit: 1 << 16 });
    }
    for precision in [f64::INFINITY, f64::NAN, 60.0] {
        let error = error(of(1, 3, precision));
        assert!(matches!(error, BuilderError::Precision { most, .. } if most > 30.0), "{error}");
    }
    for depth in [90, MOST_DEPTH, usize::MAX] {
        let deep = error(of(1, depth, 30.0));
        let BuilderError::Depth { needed, most: 3523, log_degree: 17, ref instead, .. } = deep
        else {
            panic!("{deep}");
        };
        assert!(needed > 3523.0, "{deep}");
        assert!(instead.starts_with("depth 5") || instead.starts_with("depth 6"), "{deep}");
    }
    let text = error(of(1, 90, 18.0)).to_string();
    assert!(text.contains("with bootstrapping") && text.contains("levels at a time"), "{text}");
    let text = error(of(1, 90, 14.0).bootstrapping(true)).to_string();
    assert!(text.contains("is possible after a bootstrap"), "{text}");
    let text = error(of(1, 9, 50.0).bootstrapping(true)).to_string();
    assert!(text.contains(": at most 39.") && text.contains("or no bootstrap"), "{text}");
    let text = error(of(1, 60, 30.0).bootstrapping(true)).to_string();
    assert!(text.contains("depth 3") && text.contains("is possible after a"), "{text}");
    let text = error(of(1, 3, 20.0).digits(0)).to_string();
    assert!(text.contains("0 digits of"), "{text}");
    let text = error(of(1, 3, 20.0).digits(99)).to_string();
    assert!(text.contains("99 digits of"), "{text}");
}

#[test]
fn the_depth_that_an_error_names_is_possible_and_no_deeper_one() {
    let text = of(1, 200, 24.0).build().unwrap_err().to_string();
    let depth = text.split("depth ").nth(2).unwrap().split(' ').next().unwrap();
    let depth: usize = depth.parse().unwrap();
    assert!(of(1, depth, 24.0).draft(17, 3523.0).is_ok(), "{text}");
    assert!(of(1, depth + 1, 24.0).draft(17, 3523.0).is_err(), "{text}");
}

#[test]
fn sparse_secrets_have_one_ring() {
    let builder = of(1, 2, 10.0).secret(SecretKind::Sparse);
    let (draft, most) = drafted(&builder);
    assert_eq!((draft.shape.chain().log_degree, most), (16, 1550));
    let error = builder.slots(1 << 16).build().unwrap_err();
    assert!(error.to_string().contains("is not tabled"), "{error}");
}

#[test]
fn what_is_a_preset_is_called_so() {
    let preset = Parameters::preset("n14").unwrap();
    let precision = preset.expected_precision().product_bits;
    let parameters = of(8192, 5, precision - 1.0).digits(3).build().unwrap();
    assert_eq!((parameters.name(), parameters.shape()), ("n14", preset.shape()));
}

#[test]
fn small_rings_must_be_asked_for_as_insecure() {
    let parameters = of(512, 6, 20.0).build_insecure(10).unwrap();
    assert!(!parameters.is_secure() && parameters.degree() == 1024);
    assert!(parameters.expected_precision().product_bits >= 20.0);
    let error = of(513, 6, 20.0).build_insecure(10).unwrap_err();
    assert_eq!(error, BuilderError::Slots { got: 513, limit: 512 });
    for log_degree in [0, 4, 18, u32::MAX] {
        assert!(of(1, 6, 20.0).build_insecure(log_degree).is_err());
    }
    for (log_degree, primes) in [(5, 395), (16, 395), (17, 211)] {
        let shape = |depth| of(1, depth, 3.0).digits(30).build_insecure(log_degree);
        // One digit of 30 primes needs 30 special primes too.
        let text = shape(usize::MAX).unwrap_err().to_string();
        let what = format!("1 modulo 2^{}, and there are {primes}", 17.max(log_degree + 1));
        assert!(text.contains(&what) && text.contains("primes of 30 bits"), "{text}");
    }
    assert!(of(1, usize::MAX, 20.0).build_insecure(10).is_err());
}
