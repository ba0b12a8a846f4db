// SPDX-License-Identifier: Apache-2.0 OR MIT
//! With a backend that it lacks, this processor computes nothing, through any interface. This is a
//! separate program, since a process reads the environment only once.
#![allow(clippy::unwrap_used, clippy::panic)]

use halimede_arith::backend::VARIABLE;
use halimede_arith::interface::Settings;
use halimede_arith::job::{DeviceError, Execute};
use halimede_arith::Felt;
use halimede_blake3::Mode;
use halimede_device::call::{description, prepare, Column};
use halimede_device::flat::{blake3, ecdsa, FlatError};
use halimede_device::{shared_processor, Device};
use halimede_poseidon::operations::{StarknetHash, StarknetInput};
use halimede_secp256k1::operations::Signatures;
use halimede_secp256k1::{Rules, Verifier};

fn is_refused(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Unavailable { reason, .. } if reason.starts_with(VARIABLE))
}

fn assert_refused<T>(what: &str, result: Result<T, FlatError>) {
    match result {
        Err(FlatError::Device(error)) if is_refused(&error) => {}
        Err(other) => panic!("{what}: {other}"),
        Ok(_) => panic!("{what} was computed"),
    }
}

#[test]
fn this_processor_computes_nothing_with_a_backend_that_is_not_here() {
    std::env::set_var(VARIABLE, "avx1024");
    assert!(is_refused(&Device::open("cpu").unwrap_err()));
    assert!(is_refused(&shared_processor().unwrap_err()));
    let device = Device::cpu();
    let requests = [StarknetInput::Pair(Felt::from(1), Felt::from(2))];
    assert!(is_refused(&Execute::<StarknetHash>::execute(&device, &requests).unwrap_err()));
    let mut session = Execute::<StarknetHash>::session(&device);
    assert!(is_refused(&session.submit(&requests).unwrap_err()));
    assert!(is_refused(&device.selftest().unwrap_err()));

    let mut output = [0; 32];
    assert_refused("blake3", blake3::hash(&device, &Mode::Hash, b"abc", 0, &mut output));
    let messages = &[&b"one"[..], b"another"][..];
    let mut digests = [[0; 32]; 2];
    assert_refused("hashes", blake3::hash_many(&device, &Mode::Hash, messages, &mut digests));
    assert_eq!((output, digests), ([0; 32], [[0; 32]; 2]));
    let settings = Settings::of(description("blake3.hash").unwrap().settings).complete().unwrap();
    let call = prepare("blake3.hash", &settings).unwrap();
    let answers = call.answer(&device, &[Column::Values(vec![b"abc"])], 1);
    assert_refused("an operation of the table", answers.map_err(FlatError::from));
    let verifier = Verifier::new(Rules::default());
    let part = &[&b""[..]][..];
    let signatures = Signatures::new(&verifier, part, part, part);
    assert_refused("ecdsa", ecdsa::verify(&device, signatures));
}
