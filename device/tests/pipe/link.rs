// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The pipe: a socket with a thread behind it, and an executor of every operation in front.

use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread::spawn;

use halimede_arith::job::{
    Amount, Answered, AtOnce, Attempts, Columns, DeviceError, Executor, Limits, Timing, Unsupported,
};

use crate::codec::{answer, Reader, Travels, Writer};

/// The behavior of the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// It answers.
    Good,
    /// It supports only requests with an even sum of bytes.
    Picky,
    /// It closes the pipe after this number of batches.
    HangUp(usize),
    /// It loses the replies to the first batch, the third and so on.
    LosesEveryOther,
}

/// This end of the pipe; clones share it.
#[derive(Clone)]
pub struct Pipe {
    stream: Arc<Mutex<UnixStream>>,
    behavior: Behavior,
}

impl Pipe {
    /// Starts the thread of the other end, which ends with this one.
    pub fn start(behavior: Behavior) -> Self {
        let (host, other) = UnixStream::pair().unwrap();
        spawn(move || serve(other, behavior));
        Self { stream: Arc::new(Mutex::new(host)), behavior }
    }
}

/// Answers messages until the pipe is closed.
fn serve(mut stream: UnixStream, behavior: Behavior) {
    let mut batches = 0;
    while let Ok(message) = read_message(&mut stream) {
        if behavior == Behavior::HangUp(batches) {
            return;
        }
        let is_lost = behavior == Behavior::LosesEveryOther && batches % 2 == 0;
        batches += 1;
        let replies = if is_lost { Vec::new() } else { answer(&mut Reader(&message)) };
        if write_message(&mut stream, &replies).is_err() {
            return;
        }
    }
}

/// A message is its length and its bytes.
fn write_message(stream: &mut UnixStream, message: &[u8]) -> std::io::Result<()> {
    stream.write_all(&(message.len() as u64).to_le_bytes())?;
    stream.write_all(message)
}

fn read_message(stream: &mut UnixStream) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let mut message = vec![0; u64::from_le_bytes(length) as usize];
    stream.read_exact(&mut message)?;
    Ok(message)
}

impl Pipe {
    fn ask<Op: Travels>(&self, batch: Op::Batch<'_>) -> std::io::Result<Op::Replies> {
        let mut message = Writer::default();
        message.byte(Op::TAG).number(batch.len() as u64);
        batch.rows().for_each(|row| Op::write(row, &mut message));
        let mut stream = self.stream.lock().unwrap();
        write_message(&mut stream, &message.0)?;
        let replies = read_message(&mut stream)?;
        if replies.is_empty() && !batch.is_empty() {
            return Err(Error::new(ErrorKind::InvalidData, "the replies are lost"));
        }
        let mut replies = Reader(&replies);
        Ok((0..batch.len()).map(|_| Op::read_reply(&mut replies)).collect())
    }
}

impl<Op: Travels> Executor<Op> for Pipe {
    fn limits(&self) -> Limits {
        Limits { batch: Some(16), piece: Amount { requests: 4, units: 5000 }, ..Limits::default() }
    }

    fn supports(&self, batch: Op::Batch<'_>) -> Result<(), Vec<Unsupported>> {
        let is_odd = |(_, row): &(usize, Op::Row<'_>)| {
            let mut bytes = Writer::default();
            Op::write(*row, &mut bytes);
            bytes.0.iter().copied().map(u64::from).sum::<u64>() % 2 == 1
        };
        let lacks = |(request, _)| {
            let reason = "its bytes have an odd sum".into();
            Unsupported { request, reason }
        };
        match self.behavior {
            Behavior::Picky => Err(batch.rows().enumerate().filter(is_odd).map(lacks).collect()),
            _ => Ok(()),
        }
    }

    fn execute(&self, batch: Op::Batch<'_>) -> Result<Answered<Op::Replies>, DeviceError> {
        match self.ask::<Op>(batch) {
            Ok(replies) => Ok(Answered { replies, timing: Timing::default() }),
            Err(error) => {
                let (device, reason) = ("pipe".into(), error.to_string());
                let requests = batch.len();
                Err(DeviceError::Failed { device, request_index: 0, requests, reason })
            }
        }
    }

    fn attempts(&self, _: usize) -> Box<dyn Attempts<Op> + '_> {
        Box::new(AtOnce::new(self))
    }
}
