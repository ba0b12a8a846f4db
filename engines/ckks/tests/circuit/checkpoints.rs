// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run that continues from any checkpoint has the bits of an uninterrupted run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ops::ControlFlow;

use halimede_ckks::circuit::{Checkpoint, Step};
use halimede_ckks::{
    Ciphertext, CircuitError, Client, Complex, EvaluationKeys, Parameters, Plan, Server,
};

use super::expressions::{bootstrapping, deep};

/// Returns the file of a ciphertext, which has its residues and its estimate.
fn bytes(of: &Ciphertext, parameters: &Parameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    of.save(&mut bytes, parameters).unwrap();
    bytes
}

#[test]
fn runs_go_on_from_any_step_to_the_same_bits() {
    let mut setting = bootstrapping();
    let (plan, ciphertext, _) = deep(&mut setting, 0.5);
    let parameters = plan.parameters().clone();
    let mut keys = Vec::new();
    setting.client.evaluation_keys(&plan.operations()).save(&mut keys).unwrap();
    // As in another process: with the same keys, and with its own angles.
    let started = || Server::new(EvaluationKeys::load(&keys[..], &parameters).unwrap());
    let server = started();
    let inputs = [("x", &ciphertext)];
    let mut files = Vec::new();
    let result = server.run_plan_from(&plan, &inputs, None, |moment| {
        let mut file = Vec::new();
        moment.checkpoint().save(&mut file, &parameters).unwrap();
        files.push((moment.place(), file));
        ControlFlow::Continue(())
    });
    let result = result.unwrap();
    let without = server.run_plan(&plan, &inputs, |_| {}).unwrap();
    let wanted = bytes(&result, &parameters);
    assert_eq!(bytes(&without, &parameters), wanted);
    assert_eq!(files.len(), plan.steps().len());
    assert!(plan.bootstraps() > 0);
    // From every third step and the last, in the same process and in another.
    let last = files.len() - 1;
    let some = files.iter().filter(|(place, _)| place % 3 == 0 || *place == last);
    for ((place, file), is_other) in some.zip([true, false, false].into_iter().cycle()) {
        let checkpoint = Checkpoint::load(&file[..], &parameters).unwrap();
        let first_bootstrap = plan.steps().iter().position(Step::is_bootstrap).unwrap();
        let others = started();
        let is_started = is_other && *place >= first_bootstrap;
        let server = if is_started { &others } else { &server };
        assert_eq!(checkpoint.done(), place + 1);
        let mut steps = Vec::new();
        let result = server.run_plan_from(&plan, &inputs, Some(checkpoint), |moment| {
            steps.push(moment.place());
            ControlFlow::Continue(())
        });
        let result = result.unwrap();
        assert_eq!(bytes(&result, &parameters), wanted, "from step {place}");
        assert_eq!(result.estimate().error, without.estimate().error, "from step {place}");
        assert!(steps.into_iter().eq(place + 1..=last), "from step {place}");
    }
    // A server that has drawn its angles before does not continue.
    let server = started();
    server.run_plan(&plan, &inputs, |_| {}).unwrap();
    let checkpoint = Checkpoint::load(&files[last - 1].1[..], &parameters).unwrap();
    let error = server.take_angles(&checkpoint).unwrap_err();
    assert!(matches!(error, CircuitError::OtherAngles), "{error}");
    let result =
        server.run_plan_from(&plan, &inputs, Some(checkpoint), |_| ControlFlow::Continue(()));
    assert_eq!(result.unwrap_err(), error);
}

#[test]
fn checkpoints_are_for_one_plan_and_one_input() {
    let mut setting = bootstrapping();
    let (plan, ciphertext, _) = deep(&mut setting, 0.5);
    let server = setting.client.server(&plan.operations());
    let mut made = None;
    let stopped = server.run_plan_from(&plan, &[("x", &ciphertext)], None, |moment| {
        made = Some(moment.checkpoint());
        ControlFlow::Break(())
    });
    assert!(matches!(stopped, Err(CircuitError::Stopped { done: 1, .. })));
    let checkpoint = made.unwrap();
    let run = |plan: &Plan, input: &Ciphertext| {
        server.run_plan_from(plan, &[("x", input)], Some(checkpoint.clone()), |_| {
            ControlFlow::Break(())
        })
    };
    let is_other = |result: Result<Ciphertext, CircuitError>| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains("belongs to another run"), "{error}");
        matches!(error, CircuitError::OtherRun { got, .. } if got == checkpoint.run())
    };
    assert!(matches!(run(&plan, &ciphertext), Err(CircuitError::Stopped { done: 2, .. })));
    // The same values, encrypted again, and other values.
    let plain = setting.client.decrypt(&ciphertext).unwrap();
    let seal = |client: &mut Client, values: &[Complex]| client.encrypt_at(values, 3).unwrap();
    assert!(is_other(run(&plan, &seal(&mut setting.client, &plain))));
    assert!(is_other(run(
        &plan,
        &seal(&mut setting.client, &plain[..64].iter().rev().copied().collect::<Vec<_>>())
    )));
    // A plan whose matrix has other entries by the last bit of a double.
    let (other, ..) = deep(&mut setting, 0.5 + f64::EPSILON);
    assert!(is_other(run(&other, &ciphertext)));
    // The same plan, constructed again.
    let (same, ..) = deep(&mut setting, 0.5);
    assert!(matches!(run(&same, &ciphertext), Err(CircuitError::Stopped { done: 2, .. })));
}
