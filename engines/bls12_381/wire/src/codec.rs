// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Implements operations as programs of the coprocessor: one step is one program.

use std::marker::PhantomData;
use std::num::NonZeroU32;

use halimede_bls12_381::coprocessor::Program;
use halimede_bls12_381::operations::ProgramRequest;
use halimede_bls12_381::tasks::{OnCoprocessor, Plan, Task};
use halimede_card::codec::{Codec, ReplyOf, Row};
use halimede_card::command::Status;
use halimede_card::frame::{FrameWriter, CHECKSUM_BYTES};
use halimede_card::spec::{Capability, Command, HEADER_BYTES, MAX_ALIGNMENT_BYTES};

use crate::frames::{payload_bytes, read, write, Told};

/// The codec of an operation that has programs.
#[derive(Clone, Copy, Debug)]
pub struct ProgramCodec<Op>(PhantomData<fn() -> Op>);

/// A request in progress.
pub struct Progress<Reply> {
    /// The reply, if the host knows it; the program is then empty, since each request has a step.
    known: Option<Reply>,
    task: Option<Box<dyn Task<Reply>>>,
    program: ProgramRequest,
}

impl<Op: OnCoprocessor> Codec for ProgramCodec<Op> {
    type Operation = Op;
    const COMMAND: Command = Command::Bls12381RunProgram;
    const PIECE_REQUESTS: usize = 1 << 6;
    type Progress = Progress<Op::Reply>;

    fn supports(request: Row<'_, Self>, card: &Status) -> Result<(), String> {
        if !card.has(Capability::Bls12381) {
            return Err("the card does not have the BLS12-381 coprocessor".into());
        }
        Op::has_programs(request)
    }

    fn begin(request: Row<'_, Self>, card: &Status) -> Result<Progress<Op::Reply>, String> {
        Self::supports(request, card)?;
        Ok(match Op::plan(request) {
            Plan::Known(reply) => {
                let program =
                    ProgramRequest { program: Program::default(), limit: NonZeroU32::MIN };
                Progress { known: Some(reply), task: None, program }
            }
            Plan::Task(task) => Progress { known: None, program: task.next(), task: Some(task) },
        })
    }

    fn step_bytes(_: Row<'_, Self>, progress: &Progress<Op::Reply>) -> usize {
        HEADER_BYTES + payload_bytes(&progress.program) + CHECKSUM_BYTES + MAX_ALIGNMENT_BYTES
    }

    fn write_step(_: Row<'_, Self>, progress: &Progress<Op::Reply>, frame: &mut FrameWriter<'_>) {
        write(&progress.program, frame);
    }

    fn accept_reply(
        _: Row<'_, Self>,
        progress: &mut Progress<Op::Reply>,
        payload: &[u8],
    ) -> Result<Option<ReplyOf<Self>>, String> {
        let told = read(payload)?;
        let Some(task) = &mut progress.task else {
            return Ok(progress.known.take());
        };
        let reply = match told {
            Told::Outcome(outcome) => task.accept(outcome)?,
            Told::TooMuch => {
                Some(task.overflows().ok_or("the program sent more results than are kept")?)
            }
        };
        if reply.is_none() {
            progress.program = task.next();
        }
        Ok(reply)
    }

    /// The engine has its own counter; the status does not report it.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use halimede_bls12_381::coprocessor::assemble;
    use halimede_bls12_381::eip2537::Precompile;
    use halimede_bls12_381::operations::{
        Call, End, Evaluate, PrecompileRequest, ProgramError, RunPrecompile, RunProgram,
    };
    use halimede_bls12_381::{Point, G1};
    use halimede_card::spec::offset::get_fpga_status_reply::CAPABILITIES;
    use halimede_card::spec::Capability;

    use super::*;
    use crate::frames::tests::card;

    fn status(capabilities: &[Capability]) -> Status {
        let mask = capabilities.iter().fold(0, |mask, engine| mask | engine.mask());
        let mut payload = vec![0; CAPABILITIES];
        payload.extend(mask.to_le_bytes());
        Status::parse(&payload)
    }

    /// Performs all steps of a request with the simulator instead of the card. Returns the number
    /// of steps and the reply.
    fn travel<Op: OnCoprocessor>(request: Row<'_, ProgramCodec<Op>>) -> (usize, Op::Reply) {
        let mut progress =
            ProgramCodec::<Op>::begin(request, &status(&[Capability::Bls12381])).unwrap();
        for steps in 1.. {
            let mut frame = Vec::new();
            let command = ProgramCodec::<Op>::COMMAND as u32;
            let mut writer = FrameWriter::new(&mut frame, command);
            ProgramCodec::<Op>::write_step(request, &progress, &mut writer);
            writer.finish(1 << 16).unwrap();
            assert!(frame.len() <= ProgramCodec::<Op>::step_bytes(request, &progress));
            let payload = card(&frame[HEADER_BYTES..]);
            let reply = ProgramCodec::<Op>::accept_reply(request, &mut progress, &payload).unwrap();
            if let Some(reply) = reply {
                return (steps, reply);
            }
        }
        unreachable!()
    }

    #[test]
    fn requests_of_one_step_of_several_and_of_none() {
        let generator = Point::<G1>::generator();
        let call = Call::AddG1(vec![generator; 40]);
        let forty = generator.times(&halimede_bls12_381::Fr::from(40)).to_compressed();
        assert_eq!(travel::<Evaluate>(&call), (3, Ok(forty)));

        let input = vec![0; 7];
        let request = PrecompileRequest { precompile: Precompile::G1Add, input: input.clone() };
        assert_eq!(travel::<RunPrecompile>(&request), (1, Precompile::G1Add.run(&input)));
    }

    #[test]
    fn programs_travel_as_they_are() {
        let text =
            ".org 3\n.start 3\n.data 255 FE 5\nADD_ELEMENT 255, 255, 7\nSEND_INTERRUPT 7, 9\n";
        let program = assemble(text).unwrap().program;
        let limit = NonZeroU32::MAX;
        let mut request = ProgramRequest { program, limit };
        let (_, outcome) = travel::<RunProgram>(&request);
        let outcome = outcome.unwrap();
        assert_eq!((outcome.end, outcome.clocks), (End::Waiting(5), Some(1234)));
        assert_eq!(outcome.results, request.run().unwrap().results);
        request.program.instructions =
            assemble(&"SEND_INTERRUPT 0, 0\n".repeat(146)).unwrap().program.instructions;
        request.program.start = 0;
        assert_eq!(travel::<RunProgram>(&request).1, Err(ProgramError::Results));
        request.program.start = 600;
        let error = ProgramError::Start { start: 600 };
        assert_eq!(travel::<RunProgram>(&request).1, Err(error));
    }

    #[test]
    fn cards_without_the_engine_and_calls_without_programs() {
        let call = Call::MapG1(vec![0; 48]);
        let supports = |card: &Status| ProgramCodec::<Evaluate>::supports(&call, card);
        assert!(supports(&status(&[Capability::Poseidon])).unwrap_err().contains("coprocessor"));
        assert!(supports(&status(&[Capability::Bls12381])).unwrap_err().contains("maps"));
    }
}
