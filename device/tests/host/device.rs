// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Devices without a card: names, capabilities, the list, the processor's self-test.

use halimede_arith::job::{DeviceError, Execute};
use halimede_arith::{Backend, Felt};
use halimede_blake3::operations::Hash;
use halimede_device::{list, Device, Kind};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::Verify as VerifySignature;
use halimede_secp256k1::verdict;

#[test]
fn the_processor_can_do_everything() {
    let device = Device::open("cpu").unwrap();
    let capabilities = device.capabilities();
    assert_eq!(capabilities.kind, Kind::Processor);
    assert_eq!(capabilities.engines[0].instances.len(), 74);
    assert!(capabilities.has::<Permute>());
    assert!(capabilities.has::<FilecoinHash>());
    assert!(capabilities.has::<StarknetHash>());
    assert!(capabilities.has::<Hash>());
    assert!(capabilities.has::<VerifySignature>());
    let backend = Backend::from_environment().unwrap();
    assert_eq!(capabilities.processor.as_ref().unwrap().backend, backend.name());
    let empty = Execute::<StarknetHash>::execute(&device, &[]).unwrap();
    assert!(empty.replies.is_empty());
    let batch =
        Execute::<StarknetHash>::execute(&device, &[StarknetInput::Single(Felt::ZERO)]).unwrap();
    let published = "0x060009f680a43e6f760790f76214b26243464cdd4f31fdc460baf66d32897c1b";
    assert_eq!(batch.replies[0].to_string(), published);
}

#[test]
fn the_processor_checks_signatures_in_order() {
    let (requests, verdicts): (Vec<_>, Vec<_>) = known_answers()
        .unwrap()
        .into_iter()
        .map(|answer| (answer.request, verdict(answer.mask)))
        .unzip();
    let batch = Execute::<VerifySignature>::execute(&Device::cpu(), requests[..].into()).unwrap();
    assert_eq!(batch.replies, verdicts);
}

/// The operations on whole blobs, or on half of their cells.
const LARGE: [&str; 7] = [
    "kzg.verify_blob",
    "kzg.commit",
    "kzg.prove",
    "kzg.prove_blob",
    "kzg.compute_cells",
    "kzg.compute_cells_and_proofs",
    "kzg.recover_cells_and_proofs",
];

#[test]
fn the_processor_passes_its_self_test() {
    let checks = Device::cpu().selftest().unwrap();
    let blake3 = checks.iter().filter(|check| check.name.starts_with("blake3 "));
    let names: Vec<&str> = checks.iter().map(|check| &check.name[..]).collect();
    let examples = names.iter().filter(|name| name.contains('.')).count();
    // Permutations, hashes of Filecoin and of Starknet, modes of BLAKE3, parameter sets of
    // Equihash, signatures, and a program of CKKS.
    assert_eq!((checks.len() - examples, blake3.count()), (12 + 4 + 1 + 3 + 4 + 1 + 1, 3));
    // All operations of the table except those whose items have 128 KiB.
    let unchecked = halimede_device::call::descriptions()
        .into_iter()
        .map(|about| about.name)
        .filter(|name| !names.iter().any(|check| check.starts_with(name)));
    assert_eq!(unchecked.collect::<Vec<_>>(), LARGE);
    assert_eq!(examples, halimede_device::call::descriptions().len() - LARGE.len());
    assert!(checks.iter().any(|check| check.name == "secp256k1"));
    for check in checks {
        assert!(check.passed, "{}: {}", check.name, check.detail);
    }
}

#[test]
fn what_is_not_there_is_unavailable_with_a_reason() {
    let cases = [
        ("cuda:4000000000", "no "),
        ("xdma:/dev/no-such-card", "_h2c_0 not found"),
        ("f2:0000:ff:1f.7", "resource4 not found"),
        ("f2:/dev/no-such-card", "resource4 not found"),
        ("uart:/dev/no-such-line", "open /dev/no-such-line"),
        ("sim:/no/such/socket", "connect to /no/such/socket"),
        ("gpu", "there is no such device"),
    ];
    for (name, expected) in cases {
        let error = Device::open(name).unwrap_err();
        assert!(matches!(error, DeviceError::Unavailable { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn the_list_names_every_kind_of_device() {
    let entries = list();
    for kind in ["cpu", "sim", "xdma:", "f2:", "uart:", "cuda:"] {
        let entry = entries.iter().find(|entry| entry.spec.starts_with(kind)).unwrap();
        assert!(!entry.description.is_empty());
    }
    assert!(entries[0].available && entries[0].capabilities.is_some());
    let json = serde_json::to_value(&entries).unwrap();
    assert_eq!(json[0]["capabilities"]["engines"][0]["name"], "poseidon");
    assert_eq!(json[0]["capabilities"]["engines"][1]["operations"][0], "blake3.hash");
    assert_eq!(json[0]["capabilities"]["engines"][2]["operations"][0], "equihash.verify");
    assert_eq!(json[0]["capabilities"]["engines"][3]["operations"][0], "secp256k1.verify");
    let schnorr = &json[0]["capabilities"]["engines"][3]["operations"][1];
    assert_eq!(schnorr, "secp256k1.verify_schnorr");
    let recover = &json[0]["capabilities"]["engines"][3]["operations"][2];
    assert_eq!(recover, "secp256k1.recover");
    let operations = &json[0]["capabilities"]["engines"][4]["operations"];
    assert_eq!(operations[0], "bls12_381.verify_signature");
    assert_eq!(json[0]["capabilities"]["kind"], "processor");
}
