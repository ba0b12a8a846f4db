// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Rust programs in the READMEs, run: each block is in this file, with the context that it
//! needs. The documents of CKKS have a test in their crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "the README's program prints")]

use std::error::Error;

use halimede_arith::job::Execute;
use halimede_device::Device;
use halimede_zcash::SpentOutputs;

const HERE: &str = include_str!("readme_programs.rs");
const READMES: [(&str, &str, usize); 6] = [
    ("README.md", include_str!("../../README.md"), 1),
    ("engines/blake3", include_str!("../../engines/blake3/README.md"), 1),
    ("engines/equihash", include_str!("../../engines/equihash/README.md"), 2),
    ("engines/poseidon", include_str!("../../engines/poseidon/README.md"), 0),
    ("engines/secp256k1", include_str!("../../engines/secp256k1/README.md"), 1),
    ("engines/zcash", include_str!("../../engines/zcash/README.md"), 1),
];
const BLOCK_346: &str = include_str!("../../engines/zcash/vectors/zcash_block_346.hex");

/// Lines without the white space around them: here they are indented.
fn lines(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_program_of_the_readmes_stands_here() {
    let here = lines(HERE);
    for (name, readme, programs) in READMES {
        let blocks = readme.split("```rust\n").skip(1);
        let blocks: Vec<&str> = blocks.map(|rest| rest.split("```").next().unwrap()).collect();
        assert_eq!(blocks.len(), programs, "{name}");
        for block in blocks {
            assert!(here.contains(&lines(block)), "{name}: this is not tested:\n{block}");
        }
    }
}

/// The README's lines in C are those of the first program in `capi/README.md`, which the tests of
/// `capi` compile and run.
#[test]
fn the_lines_in_c_stand_in_a_program_that_is_compiled() {
    let block = |text: &'static str| -> Vec<&'static str> {
        let (_, block) = text.split_once("```c\n").unwrap();
        let lines = block.split("```").next().unwrap().lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).collect()
    };
    let written = block(include_str!("../../README.md"));
    let mut program = block(include_str!("../../capi/README.md")).into_iter();
    assert!(written.len() >= 5);
    for line in written {
        assert!(
            program.any(|compiled| compiled == line),
            "not in capi/README.md, in order: {line}"
        );
    }
}

/// The README's device is the card; without one here, the program ends with that error.
#[rustfmt::skip]
#[test]
fn the_first_program() -> Result<(), Box<dyn Error>> {
    if halimede_device::simulator::Image::default().find().is_err() {
        return Ok(());
    }
    use halimede_arith::{job::Execute, Felt};
    use halimede_device::Device;
    use halimede_poseidon::operations::{StarknetHash, StarknetInput};

    let device = Device::open("sim")?.with_fallback(Device::cpu());
    let requests = vec![StarknetInput::Pair(Felt::from(1), Felt::from(2))];
    let batch = Execute::<StarknetHash>::execute(&device, &requests)?;
    println!("{} in {:?}", batch.replies[0], batch.timing.compute);
    // The digest of the README in Python.
    let digest = "0x5d44a3decb2b2e0cc71071f7b802f45dd792d064f0fc7316c46514f70f9891a";
    let digits = |text: &str| text.trim_start_matches("0x").trim_start_matches('0').to_owned();
    assert_eq!(digits(&batch.replies[0].to_string()), digits(digest));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn blake3() -> Result<(), Box<dyn Error>> {
    use halimede_blake3::{Flat, HashMany, Mode};

    let digests = HashMany::new(Mode::Hash).digests(&[&b"one"[..], b"another"][..]);
    let flat = Flat::new(b"oneanother", &[0, 3, 10])?;          // as Arrow has binary arrays
    assert_eq!(HashMany::new(Mode::Hash).digests_parallel(&flat), digests);
    Ok(())
}

#[rustfmt::skip]
#[allow(unused_variables, reason = "the README goes no further")]
#[test]
fn equihash() -> Result<(), Box<dyn Error>> {
    let block = hex::decode(BLOCK_346.trim())?;
    let (header, solution) = (block[..140].to_vec(), block[143..1_487].to_vec());
    {
        use halimede_equihash::{verify_batch, Params, Verifier, VerifyRow};

        // All that is hashed before an index' number: a header of 140 bytes, nonce included.
        let verifier = Verifier::new(Params::ZCASH, &header);
        verifier.verify(&solution)?;                        // or the first check that fails
        let mask = verifier.mask(&solution)?;               // every check, as the card answers
        let results = verify_batch(&[VerifyRow::new(Params::ZCASH, &header, &solution)?]);
        assert!(results[0].is_ok() && mask == halimede_equihash::Mask::VALID);
    }
    {
        use halimede_equihash::{minimal_from_indices, Params, Solver};

        let solver = Solver::new(Params::REGTEST).with_memory_limit(1 << 30);
        for indices in solver.solve(&header)? {                 // the 140 bytes, nonce included
            let solution = minimal_from_indices(solver.params(), &indices)?;
        }
    }
    Ok(())
}

#[rustfmt::skip]
#[test]
fn secp256k1() -> Result<(), Box<dyn Error>> {
    let secret = secp256k1::SecretKey::from_secret_bytes([7; 32])?;
    let key = secp256k1::PublicKey::from_secret_key(&secret).serialize();
    let digest = [9; 32];
    let signature = secp256k1::ecdsa::sign(secp256k1::Message::from_digest(digest), &secret);
    let signature = signature.serialize_der();
    let device = Device::cpu();
    use halimede_secp256k1::operations::{Signatures, Verify, VerifyBatch};
    use halimede_secp256k1::{Format, Rules, Verifier};

    let verifier = Verifier::new(Rules { format: Format::Der, low_s: false });
    verifier.verify(&key, &digest, &signature)?;             // or why it is not valid
    let (keys, digests, signatures) = ([&key[..]], [&digest[..]], [&signature[..]]);
    let signatures = Signatures::new(&verifier, &keys[..], &digests[..], &signatures[..]);
    let batch = VerifyBatch::Signatures(signatures);
    let verdicts = Execute::<Verify>::execute(&device, batch)?.replies;       // in order
    assert_eq!(verdicts, [Ok(())]);
    Ok(())
}

#[rustfmt::skip]
#[test]
fn zcash() -> Result<(), Box<dyn Error>> {
    let (bytes, spent, device) = (BLOCK_346, SpentOutputs::default(), Device::cpu());
    let bytes = bytes.as_bytes().to_vec();
    use halimede_arith::job::{Execute, Operation};
    use halimede_equihash::operations::Verify as VerifySolution;
    use halimede_secp256k1::operations::Verify as VerifySignature;
    use halimede_zcash::{Block, Known, Network, VerifyProof};

    let block = Block::parse(&bytes, Network::Main)?;               // raw, or as `getblock … 0` prints it
    let mut checks = block.checks(&spent, Known::default());
    let header = [block.header().request().clone()];
    let solution = Execute::<VerifySolution>::execute(&device, VerifySolution::batch(&header))?;
    while !checks.requests().is_empty() {                           // usually one round
        let batch = Execute::<VerifySignature>::execute(&device, checks.requests()[..].into())?;
        checks.answer(&batch.replies)?;
    }
    let proofs = checks.proofs();                                   // Groth16, of Sprout and Sapling
    let batch = Execute::<VerifyProof>::execute(&device, VerifyProof::batch(&proofs))?;
    checks.answer_proofs(&batch.replies)?;
    let report = checks.report(solution.replies[0]);
    assert_eq!(report.verdict(), halimede_zcash::Verdict::Incomplete);
    Ok(())
}
