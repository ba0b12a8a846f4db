// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every operation of a GPU has the answers of the processor: on known answers, on the examples of
//! the table, and on examples with changed digits.

use halimede_arith::interface::{Interface, Visitor};
use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_device::Device;

use crate::common::standin::TestGpu;
use crate::requests::{groups, Group};

/// The most requests of a group, which the stand-in driver runs on one thread.
const MOST: usize = 33;
/// The changed items for each example.
const CHANGED: usize = 3;

struct Comparison {
    gpu: Device,
    cpu: Device,
    most: usize,
    changed: usize,
    seed: u64,
    compared: Vec<(String, usize)>,
}

impl Comparison {
    /// Compares the replies to a group, in batches of several sizes.
    fn compare<Op: Operation>(&mut self, group: Group<Op>) {
        let mut kept: Vec<(Op::Request, Option<Op::Reply>)> = match group.replies {
            Some(replies) => {
                group.requests.into_iter().zip(replies.into_iter().map(Some)).collect()
            }
            None => group.requests.into_iter().map(|request| (request, None)).collect(),
        };
        kept.truncate(self.most);
        kept.retain(|(request, _)| self.supports::<Op>(request));
        let requests: Vec<Op::Request> = kept.iter().map(|(request, _)| request.clone()).collect();
        let expected = replies::<Op>(&self.cpu, &requests);
        for (number, (_, known)) in kept.iter().enumerate() {
            let wrong = known.as_ref().filter(|known| **known != expected[number]);
            assert!(wrong.is_none(), "{}: answer {number}", group.name);
        }
        for size in [requests.len(), 1, 2] {
            let end = requests.len().min(size);
            let got = replies::<Op>(&self.gpu, &requests[..end]);
            assert_eq!(got, expected[..end], "{} of seed {}", group.name, self.seed);
        }
        self.compared.push((group.name, requests.len()));
    }

    fn supports<Op: Operation>(&self, request: &Op::Request) -> bool {
        let batch = Op::batch(std::slice::from_ref(request));
        match Execute::<Op>::execute(&self.gpu, batch) {
            Ok(_) => true,
            Err(DeviceError::Unsupported { .. }) => false,
            Err(error) => panic!("{}: {error}", Op::NAME),
        }
    }
}

impl Visitor for Comparison {
    fn visit<I: Interface>(&mut self) {
        if !self.gpu.capabilities().has::<I::Operation>() {
            return;
        }
        for group in groups::<I>(self.changed, self.seed).unwrap() {
            self.compare(group);
        }
    }
}

fn replies<Op: Operation>(device: &Device, requests: &[Op::Request]) -> Vec<Op::Reply> {
    let answered = Execute::<Op>::execute(device, Op::batch(requests)).unwrap();
    answered.replies.into_iter().collect()
}

#[test]
fn every_operation_has_the_answers_of_the_processor() {
    let Some(test) = TestGpu::next() else { return };
    let sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let (most, changed) = if sweep { (1000, 40) } else { (MOST, CHANGED) };
    let mut comparison = Comparison {
        gpu: Device::open(&test.name()).unwrap(),
        cpu: Device::cpu(),
        most,
        changed,
        seed: 1,
        compared: Vec::new(),
    };
    halimede_operations::visit(&mut comparison);
    for (name, count) in &comparison.compared {
        println!("{name}: {count}");
    }
    let engines = &comparison.gpu.capabilities().engines;
    // Programs of CKKS are not in the table.
    let answers = engines.iter().any(|engine| !["loopback", "ckks"].contains(&&*engine.name));
    assert_eq!(comparison.compared.iter().any(|(_, count)| *count > 0), answers);
}
