// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Foreign handles, too little memory, and failing GPUs.

use halimede_ckks::executor::{ExecutorError, ProgramPlace, Routine};
use halimede_ckks::ring::{Form, ProgramError};
use halimede_ckks::{Operations, Parameters};

use crate::common::standin::TestGpu;
use crate::setting::{assert_same, place, results, Setting};

fn setting(rotations: &[i64]) -> Setting {
    let rotations = rotations.to_vec();
    Setting::new("n10-insecure", Operations { rotations, ..Operations::default() })
}

#[test]
fn handles_of_other_places_and_rings_are_refused() {
    let (Some(test), Some(other)) = (TestGpu::next(), TestGpu::next()) else { return };
    let (place, other) = (place(test.open().unwrap()), place(other.open().unwrap()));
    let mut setting = setting(&[]);
    let a = setting.complex(3, 1);
    let (remote, other) = (setting.on_place(&place), setting.on_place(&other));
    let on_other = other.upload(&a).unwrap();
    let on_processor = setting.on_processor().upload(&a).unwrap();
    for foreign in [&on_other, &on_processor] {
        let error = remote.mul(foreign, foreign).err().unwrap();
        assert!(matches!(&error, ExecutorError::Foreign { executor } if executor == "cuda:0"));
        assert!(matches!(remote.download(foreign), Err(ExecutorError::Foreign { .. })));
    }
    // An executor of the same place accepts the handles of another one.
    let same = setting.on_place(&place);
    let here = remote.upload(&a).unwrap();
    assert_same(std::slice::from_ref(&a), &[same.download(&here).unwrap()], "another executor");
    // A polynomial of another ring.
    let parameters = Parameters::preset("n13-insecure").unwrap();
    let executor = place.executor(&parameters).unwrap();
    let error = executor.upload(a.parts()).err().unwrap();
    assert!(matches!(error, ExecutorError::Program(ProgramError::Shape { .. })), "{error}");
}

#[test]
fn secrets_stay_on_this_machine() {
    let Some(test) = TestGpu::next() else { return };
    let place = place(test.open().unwrap());
    let setting = setting(&[]);
    let ring = setting.parameters.ring();
    let zero = || ring.zero(&setting.parameters.level(1).basis, Form::Values);
    let (public, mut secret) = (zero(), zero());
    secret.mark_secret();
    let executor = place.executor(&setting.parameters).unwrap();
    let error = executor.upload([&public, &secret]).err().unwrap();
    assert!(matches!(error, ExecutorError::Secret { .. }), "{error}");
}

/// A limit with room for one of three keys at a time: results are right, and keys alternate.
#[test]
fn keys_make_room_for_others() {
    let rotations = [1, 2, 4];
    let Some(test) = TestGpu::next() else { return };
    let mut setting = setting(&rotations);
    let a = setting.complex(4, 2);
    let processor = setting.on_processor();
    // Tables of factors, a key, ciphertexts and the work of a rotation.
    let key = setting.server.keys().iter().map(|(_, key)| key.bytes()).max().unwrap();
    let tables = 16 * setting.parameters.ring().all().len() * setting.parameters.ring().degree();
    let gpu = test.open_with(Some(tables + 2 * key + 700_000)).unwrap();
    let remote = setting.on_place(&place(gpu));
    let handle = remote.upload(&a).unwrap();
    for round in 0..2 {
        for steps in rotations {
            let routine = Routine::Rotate(vec![steps]);
            let expected = processor.compute(&routine, &[&a]).unwrap();
            let got = results(&remote, &routine, &[&handle]).unwrap();
            assert_same(&expected, &got, &format!("{steps}, round {round}"));
        }
    }
}

#[test]
fn too_little_memory_says_what_is_needed() {
    let Some(test) = TestGpu::next() else { return };
    let mut setting = setting(&[1]);
    let a = setting.complex(4, 2);
    let remote = setting.on_place(&place(test.open_with(Some(300_000)).unwrap()));
    let handle = remote.upload(&a).unwrap();
    let error = remote.rotate(&handle, 1).err().unwrap();
    let text = error.to_string();
    assert!(matches!(error, ExecutorError::Unavailable { .. }), "{text}");
    assert!(text.contains("bytes of GPU memory at once"), "{text}");
    assert!(text.ends_with("but at most 300000 may be used"), "{text}");
    // The ciphertext is still there.
    assert_same(std::slice::from_ref(&a), &[remote.download(&handle).unwrap()], "after the error");
    let mut held = Vec::new();
    let full = (0..100).find_map(|_| match remote.upload(&setting.complex(4, 3)) {
        Ok(handle) => {
            held.push(handle);
            None
        }
        Err(error) => Some(error.to_string()),
    });
    let full = full.unwrap();
    assert!(full.contains("do not fit into the memory of the GPU"), "{full}");
    assert!(full.ends_with("would fit"), "{full}");
}

/// A kernel of the second program fails: the program is an error, and once the driver works again,
/// the same call gives the right result. Ciphertexts that were only on the GPU are lost.
#[test]
fn a_fault_in_a_program_leaves_nothing_wrong() {
    for fault in ["launch_failure=9", "illegal_address=12", "lost=150"] {
        let Some(test) = TestGpu::next() else { return };
        test.configure("recovers=1");
        let mut setting = setting(&[1]);
        let a = setting.complex(4, 2);
        let remote = setting.on_place(&place(test.open().unwrap()));
        let routine = Routine::Rotate(vec![1]);
        let expected = setting.on_processor().compute(&routine, &[&a]).unwrap();
        let handle = remote.upload(&a).unwrap();
        assert_same(&expected, &results(&remote, &routine, &[&handle]).unwrap(), fault);
        let product = remote.mul(&handle, &handle).unwrap();
        test.configure(fault);
        let error = (0..40).find_map(|_| remote.rotate(&handle, 1).err()).unwrap();
        assert!(matches!(error, ExecutorError::Failed { .. }), "{fault}: {error}");
        test.configure(&format!("{}=0", fault.split('=').next().unwrap()));
        let got = results(&remote, &routine, &[&handle]);
        assert_same(&expected, &got.unwrap_or_else(|error| panic!("{fault}: {error}")), fault);
        let lost = remote.download(&product).err().unwrap();
        assert!(matches!(lost, ExecutorError::Failed { .. }), "{fault}: {lost}");
        assert!(lost.to_string().contains("was only on the GPU"), "{fault}: {lost}");
    }
}

/// A GPU that does not recover: every call is an error, and ciphertexts of this machine remain.
#[test]
fn a_dead_gpu_gives_back_what_was_uploaded() {
    let Some(test) = TestGpu::next() else { return };
    let mut setting = setting(&[1]);
    let a = setting.complex(4, 2);
    let remote = setting.on_place(&place(test.open().unwrap()));
    let handle = remote.upload(&a).unwrap();
    test.configure("launch_failure=5");
    for _ in 0..3 {
        let error = remote.rotate(&handle, 1).err().unwrap();
        assert!(matches!(error, ExecutorError::Failed { .. }), "{error}");
    }
    assert_same(std::slice::from_ref(&a), &[remote.download(&handle).unwrap()], "after the loss");
}
