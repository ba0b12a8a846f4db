// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The messages of the pipe: a byte that identifies the request, a length, and a body.

use std::io::{Read, Write};

use halimede_ckks::ring::{Basis, Form, Polynomial, Ring};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Request {
    Upload,
    Download,
    Free,
    Hold,
    Program,
    Run,
    Count,
}

impl Request {
    pub const ALL: [Self; 7] = [
        Self::Upload,
        Self::Download,
        Self::Free,
        Self::Hold,
        Self::Program,
        Self::Run,
        Self::Count,
    ];
}

pub fn send(stream: &mut impl Write, kind: u8, body: &[u8]) {
    let mut frame = vec![kind];
    frame.extend((body.len() as u64).to_le_bytes());
    frame.extend(body);
    stream.write_all(&frame).unwrap();
}

/// Receives a message; `None` if the other end is closed.
pub fn receive(stream: &mut impl Read) -> Option<(u8, Vec<u8>)> {
    let mut header = [0; 9];
    stream.read_exact(&mut header).ok()?;
    let mut body = vec![0; u64::from_le_bytes(header[1..].try_into().unwrap()) as usize];
    stream.read_exact(&mut body).ok()?;
    Some((header[0], body))
}

#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    /// The residues of a prime, whether they are values, the places of the primes, and all
    /// residues.
    pub fn polynomial(&mut self, of: &Polynomial) {
        self.number(of.degree() as u64);
        self.number(u64::from(of.form() == Form::Values));
        self.number(of.basis().len() as u64);
        self.0.extend(of.basis().places().iter().flat_map(|place| place.to_le_bytes()));
        self.0.extend(of.limbs().flatten().flat_map(|word| word.to_le_bytes()));
    }
}

pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    pub fn bytes(&mut self, count: usize) -> &[u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }

    pub fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes(8).try_into().unwrap())
    }

    pub fn polynomial(&mut self, ring: &Ring) -> Polynomial {
        let [degree, is_values, count] = [(); 3].map(|()| self.number() as usize);
        let places = self.bytes(2 * count).chunks(2);
        let basis = Basis::new(places.map(|place| u16::from_le_bytes(place.try_into().unwrap())));
        let words = self.bytes(4 * degree * count).to_vec();
        let write = |place: u16, limb: &mut [u32]| {
            let start = 4 * degree * basis.limb_of(place).unwrap();
            let words = words[start..].chunks(4);
            limb.iter_mut().zip(words).for_each(|(residue, word)| {
                *residue = u32::from_le_bytes(word.try_into().unwrap());
            });
        };
        let form = if is_values == 1 { Form::Values } else { Form::Coefficients };
        match ring.degree() / degree {
            1 => ring.from_places(&basis, form, |place, _, limb| write(place, limb)),
            run => ring.factor_from_places(run, &basis, write),
        }
    }
}
