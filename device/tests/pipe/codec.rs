// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The encoding of requests and replies on the pipe. The other end computes request by request,
//! without the lanes of batches.

use std::sync::Arc;

use halimede_arith::job::{Compute, Operation};
use halimede_arith::{Felt, Fr};
use halimede_blake3::operations::{Hash, HashRequest, HashRow};
use halimede_blake3::Mode;
use halimede_equihash::operations::{
    Verify as VerifySolution, VerifyRequest as Solution, VerifyRow,
};
use halimede_equihash::{Mask as SolutionMask, Params};
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{Instance, State};
use halimede_secp256k1::operations::{
    Verify as VerifySignature, VerifyRequest as Signature, VerifyRow as SignatureRow,
};
use halimede_secp256k1::{check, verdict, Mask as SignatureMask, Rejection};

/// The bytes of a message, field by field.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

/// The rest of a message.
pub struct Reader<'m>(pub &'m [u8]);

impl Writer {
    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.0.push(byte);
        self
    }

    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    /// Bytes, preceded by their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64).0.extend_from_slice(bytes);
        self
    }

    fn elements(&mut self, elements: &[[u8; 32]]) {
        self.bytes(elements.as_flattened());
    }
}

impl<'m> Reader<'m> {
    fn take(&mut self, count: usize) -> &'m [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }

    fn bytes(&mut self) -> &'m [u8] {
        let count = self.number() as usize;
        self.take(count)
    }

    fn array(&mut self) -> [u8; 32] {
        self.bytes().try_into().unwrap()
    }

    fn elements(&mut self) -> Vec<[u8; 32]> {
        let bytes = self.bytes();
        bytes.chunks_exact(32).map(|element| element.try_into().unwrap()).collect()
    }
}

/// An operation that goes through the pipe.
pub trait Travels: Operation {
    /// The tag before its batches.
    const TAG: u8;
    fn write(row: Self::Row<'_>, message: &mut Writer);
    /// Reads a request and writes its reply.
    fn answer(request: &mut Reader<'_>, reply: &mut Writer);
    fn read_reply(reply: &mut Reader<'_>) -> Self::Reply;
}

/// The replies to a batch.
pub fn answer(batch: &mut Reader<'_>) -> Vec<u8> {
    let answer = match batch.byte() {
        Permute::TAG => Permute::answer,
        FilecoinHash::TAG => FilecoinHash::answer,
        StarknetHash::TAG => StarknetHash::answer,
        Hash::TAG => Hash::answer,
        VerifySolution::TAG => VerifySolution::answer,
        VerifySignature::TAG => VerifySignature::answer,
        other => panic!("no operation has the tag {other}"),
    };
    let mut replies = Writer::default();
    for _ in 0..batch.number() {
        answer(batch, &mut replies);
    }
    replies.0
}

fn write_state(instance: Instance, elements: &[[u8; 32]], message: &mut Writer) {
    message.bytes(instance.to_string().as_bytes()).elements(elements);
}

fn read_state(message: &mut Reader<'_>) -> State {
    let name = std::str::from_utf8(message.bytes()).unwrap();
    State::from_le_bytes(name.parse().unwrap(), &message.elements()).unwrap()
}

impl Travels for Permute {
    const TAG: u8 = 1;

    fn write(state: &State, message: &mut Writer) {
        write_state(state.instance(), &state.to_le_bytes(), message);
    }

    fn answer(request: &mut Reader<'_>, reply: &mut Writer) {
        Self::write(&Self::compute(&read_state(request)), reply);
    }

    fn read_reply(reply: &mut Reader<'_>) -> State {
        read_state(reply)
    }
}

impl Travels for FilecoinHash {
    const TAG: u8 = 2;

    fn write(preimage: &Preimage, message: &mut Writer) {
        let elements: Vec<[u8; 32]> = preimage.elements().iter().map(Fr::to_le_bytes).collect();
        write_state(preimage.instance(), &elements, message);
    }

    fn answer(request: &mut Reader<'_>, reply: &mut Writer) {
        let permuted = Permute::compute(&read_state(request));
        reply.bytes(&permuted.to_le_bytes()[permuted.instance().digest_index()]);
    }

    fn read_reply(reply: &mut Reader<'_>) -> Fr {
        Fr::from_le_bytes(&reply.array()).unwrap()
    }
}

impl Travels for StarknetHash {
    const TAG: u8 = 3;

    fn write(input: &StarknetInput, message: &mut Writer) {
        let (kind, elements) = match input {
            StarknetInput::Pair(x, y) => (0, vec![*x, *y]),
            StarknetInput::Single(x) => (1, vec![*x]),
            StarknetInput::Many(elements) => (2, elements.clone()),
        };
        let elements: Vec<[u8; 32]> = elements.iter().map(Felt::to_le_bytes).collect();
        message.byte(kind).elements(&elements);
    }

    fn answer(request: &mut Reader<'_>, reply: &mut Writer) {
        let kind = request.byte();
        let elements = request.elements();
        let elements: Vec<Felt> =
            elements.iter().map(|element| Felt::from_le_bytes(element).unwrap()).collect();
        let input = match kind {
            0 => StarknetInput::Pair(elements[0], elements[1]),
            1 => StarknetInput::Single(elements[0]),
            _ => StarknetInput::Many(elements),
        };
        reply.bytes(&Self::compute(&input).to_le_bytes());
    }

    fn read_reply(reply: &mut Reader<'_>) -> Felt {
        Felt::from_le_bytes(&reply.array()).unwrap()
    }
}

impl Travels for Hash {
    const TAG: u8 = 4;

    fn write(row: HashRow<'_>, message: &mut Writer) {
        let (mode, key) = match row.mode {
            Mode::Hash => (0, &[0; 32]),
            Mode::Keyed(key) => (1, key),
            Mode::DeriveKey(key) => (2, key),
        };
        message.byte(mode).bytes(key).bytes(row.message);
        message.number(row.output_offset).number(row.output_bytes as u64);
    }

    fn answer(request: &mut Reader<'_>, reply: &mut Writer) {
        let (mode, key) = (request.byte(), request.array());
        let mode = match mode {
            0 => Mode::Hash,
            1 => Mode::Keyed(key),
            _ => Mode::DeriveKey(key),
        };
        let mut kept = HashRequest::digest(&Arc::new(mode), request.bytes());
        kept.output_offset = request.number();
        kept.output_bytes = request.number() as usize;
        reply.bytes(&Self::compute(Self::row(&kept)));
    }

    fn read_reply(reply: &mut Reader<'_>) -> Vec<u8> {
        reply.bytes().to_vec()
    }
}

impl Travels for VerifySolution {
    const TAG: u8 = 5;

    fn write(row: VerifyRow<'_>, message: &mut Writer) {
        message.number(row.params().n().into()).number(row.params().k().into());
        message.byte(row.is_header().into()).bytes(row.input()).bytes(row.solution());
    }

    fn answer(request: &mut Reader<'_>, reply: &mut Writer) {
        let params = Params::new(request.number() as u32, request.number() as u32).unwrap();
        let is_header = request.byte() == 1;
        let (input, solution) = (request.bytes(), request.bytes());
        let mask = match is_header {
            true => {
                let header = input.try_into().unwrap();
                Self::compute(Solution::of_header(params, header, solution).unwrap().row())
            }
            false => Self::compute(VerifyRow::new(params, input, solution).unwrap()),
        };
        reply.byte(mask.bits());
    }

    fn read_reply(reply: &mut Reader<'_>) -> SolutionMask {
        SolutionMask::from_bits(reply.byte()).unwrap()
    }
}

impl Travels for VerifySignature {
    const TAG: u8 = 6;

    /// Writes only the numbers.
    fn write(row: SignatureRow<'_>, message: &mut Writer) {
        let numbers = row.numbers().map(|Signature { r, s, digest, x, y }| [r, s, digest, x, y]);
        message.elements(numbers.as_ref().map_or(&[], |numbers| &numbers[..]));
    }

    fn answer(request: &mut Reader<'_>, reply: &mut Writer) {
        let [r, s, digest, x, y] = request.elements().try_into().unwrap();
        reply.byte(check(&Signature { r, s, digest, x, y }).bits());
    }

    fn read_reply(reply: &mut Reader<'_>) -> Result<(), Rejection> {
        verdict(SignatureMask::from_bits(reply.byte()).unwrap())
    }
}
