// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The far end of the pipe: it knows a ring and programs, but no ciphertexts.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;

use halimede_ckks::ring::{LaneBackend, Polynomial, Program, Ring, Role};

use super::wire::{self, Reader, Request, Writer};

struct Place {
    ring: Ring,
    kept: HashMap<u64, [Polynomial; 2]>,
    next: u64,
    held: HashMap<u64, Polynomial>,
    programs: HashMap<u64, Program>,
}

/// Answers requests until the near end is closed.
pub fn serve(mut stream: UnixStream, log_degree: u32, primes: Vec<u32>) {
    let ring = Ring::new(log_degree, &primes, LaneBackend::Portable).unwrap();
    let (kept, held, programs) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut place = Place { ring, kept, next: 0, held, programs };
    while let Some((kind, body)) = wire::receive(&mut stream) {
        let (failed, answer) = match place.answer(Request::ALL[usize::from(kind)], Reader(&body)) {
            Ok(answer) => (0, answer.0),
            Err(reason) => (1, reason.into_bytes()),
        };
        wire::send(&mut stream, failed, &answer);
    }
}

impl Place {
    fn answer(&mut self, request: Request, mut body: Reader) -> Result<Writer, String> {
        let mut answer = Writer::default();
        match request {
            Request::Upload => {
                let parts = [0, 1].map(|_| body.polynomial(&self.ring));
                answer.number(self.keep(parts));
            }
            Request::Download => {
                let parts = self.kept.get(&body.number()).ok_or("not kept")?;
                parts.iter().for_each(|part| answer.polynomial(part));
            }
            Request::Free => drop(self.kept.remove(&body.number()).ok_or("freed twice")?),
            Request::Hold => {
                let name = body.number();
                self.held.insert(name, body.polynomial(&self.ring));
            }
            Request::Program => {
                let number = body.number();
                let text = std::str::from_utf8(body.0).map_err(|error| error.to_string())?;
                let program = Program::from_json(text).map_err(|error| error.to_string())?;
                self.programs.insert(number, program);
            }
            Request::Run => return self.run(body),
            Request::Count => answer.number(self.kept.len() as u64),
        }
        Ok(answer)
    }

    fn run(&mut self, mut body: Reader) -> Result<Writer, String> {
        let program = self.programs.get(&body.number()).ok_or("no such program")?;
        let inputs = body.number();
        let inputs: Vec<&Polynomial> =
            (0..inputs).flat_map(|_| &self.kept[&body.number()]).collect();
        let others = program.externals.iter().filter(|external| external.role != Role::Input);
        let others = others.map(|_| &self.held[&body.number()]);
        let all: Vec<&Polynomial> = inputs.into_iter().chain(others).collect();
        let names = program.externals.iter().map(|external| external.name.as_str());
        let by_name: HashMap<&str, &Polynomial> = names.zip(all).collect();
        let outputs = program.replay(&self.ring, |of| by_name.get(of.name.as_str()).copied());
        let outputs = outputs.map_err(|error| error.to_string())?;
        let mut answer = Writer::default();
        answer.number(outputs.len() as u64 / 2);
        for pair in outputs.chunks(2) {
            let number = self.keep([pair[0].clone(), pair[1].clone()]);
            answer.number(number);
        }
        Ok(answer)
    }

    fn keep(&mut self, parts: [Polynomial; 2]) -> u64 {
        self.next += 1;
        self.kept.insert(self.next, parts);
        self.next
    }
}
