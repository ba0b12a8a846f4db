// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A whole bootstrap of the small ring by the card's instructions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "tests print what they measured")]

use std::sync::Arc;

use halimede_ckks::executor::{ProcessorPrograms, ProgramPlace, ProgramServer, Routine};
use halimede_ckks::{Client, Operations, Parameters};

use crate::test_card::{hash, remote, TestCard};

/// The angles that spread a message.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

/// The smallest parameters with bootstraps, which are insecure: N = 2¹⁰, all slots and few.
#[test]
fn bootstraps_by_instructions_give_the_processors_bits() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    for (slots, few_keys) in [(8, true), (512, false)] {
        let mut client = Client::of_test(&parameters, 81);
        let operations =
            Operations { bootstrap_slots: vec![slots], few_keys, ..Operations::default() };
        let server = Arc::new(client.server(&operations).with_angles(ANGLES));
        let values: Vec<f64> = (0..slots).map(|k| ((k * 37) % 101) as f64 / 101.0 - 0.5).collect();
        let ciphertext = client.encrypt_at(&values, 0).unwrap();
        let oracle = Arc::new(ProcessorPrograms::new(&parameters));
        let oracle = ProgramServer::new(Arc::clone(&server), oracle);
        let place = TestCard::new(25).place();
        let on_card = remote(&server, &place);
        let results = [&oracle, &on_card].map(|place| {
            let handle = place.upload(&ciphertext).unwrap();
            let result = place.call(&Routine::Bootstrap, &[&handle]).unwrap().remove(0);
            place.download(&result).unwrap()
        });
        let bytes = place.traffic().unwrap().written_bytes;
        println!(
            "{slots} slots: {} keys, {bytes} bytes for the card",
            server.keys().iter().count()
        );
        assert_eq!(hash(&results[1]), hash(&results[0]), "{slots} slots");
        assert!(results[1].level() > ciphertext.level());
        let decrypted = client.decrypt(&results[1]).unwrap();
        for (got, value) in decrypted.iter().zip(&values) {
            assert!((got.re - value).abs() < 1e-3, "{} is not {value}", got.re);
        }
    }
}
