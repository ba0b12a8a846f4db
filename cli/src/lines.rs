// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commands that answer lines: one line of standard output per line of input, in the same order.
//! The answer to bad input is `error: …`.
//!
//! A batch holds the lines that are available: a file fills large batches, and someone who types
//! gets an answer after each line. While the device computes a batch, the next lines are read and
//! submitted.

use std::collections::VecDeque;
use std::io::{stdin, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{sync_channel, Receiver, TryRecvError};

use halimede_arith::interface::{number_text, Answer, Invalid, Reply};
use halimede_arith::job::{DeviceError, Execute, Operation, Session};
use halimede_device::Device;
use halimede_operations::json;
use rayon::prelude::*;

use crate::arguments::DeviceOptions;
use crate::devices::open;
use crate::error::CommandError;
use crate::files::open_whole;
use crate::output::standard_output;
use crate::progress::bytes_bar;

/// The maximum length of a line, in bytes; the answer to a longer line is an error.
const LINE_LIMIT_BYTES: usize = 16 << 20;
/// The maximum number of lines of a batch.
const BATCH_LINES: usize = 16_384;
const BUFFER_BYTES: usize = 1 << 20;
/// The number of batches that are read ahead.
const BATCHES_AHEAD: usize = 2;

/// Settings of the answers to lines.
#[derive(Clone, Copy, Debug)]
pub struct LineSettings {
    /// The form of the answers.
    pub reply: Reply,
    /// `true` for answers as JSON.
    pub json: bool,
    /// Accepts an input without lines.
    pub allow_empty: bool,
}

/// Answers every line of `input` on `output`. Lines are parsed on all cores.
///
/// # Errors
/// [`CommandError::NoItems`] if the input is empty and that is not allowed;
/// [`CommandError::BadLines`] at the end if lines were bad input, otherwise
/// [`CommandError::ChecksFailed`] if a check failed; [`CommandError::Device`] at once if the device
/// failed, after errors for all unanswered lines that were read.
fn answer_lines<Op: Operation, D: Execute<Op>>(
    device: &D,
    input: impl Read + Send + 'static,
    output: impl Write,
    parse: impl Fn(&str) -> Result<Op::Request, Invalid> + Sync,
    answer: impl Fn(Op::Reply) -> Answer,
    settings: LineSettings,
) -> Result<(), CommandError> {
    let mut answers = Answers {
        session: device.session(),
        parsed: VecDeque::new(),
        parse,
        answer,
        output,
        settings,
        tally: Tally::default(),
    };
    let most = device.limits().batch.unwrap_or(BATCH_LINES).min(BATCH_LINES);
    let lines = read_ahead(LineReader::new(input, most));
    loop {
        match answers.next_lines(&lines).map_err(|source| stream_error("input", source))? {
            Next::Lines(lines) => answers.ask(lines)?,
            Next::NotYet => answers.answer_batch()?,
            Next::End => {
                while !answers.parsed.is_empty() {
                    answers.answer_batch()?;
                }
                return answers.tally.result(settings.allow_empty);
            }
        }
    }
}

/// Answers every line of a file, or of standard input if it is absent or `-`, on standard output,
/// with a progress bar. A line that is not an item, or has no answer, is bad input.
///
/// # Errors
/// [`CommandError`] if the device or the file cannot be opened, the device fails, or lines are bad
/// input.
pub fn answer_file<Op: Operation>(
    device: &DeviceOptions,
    path: Option<&Path>,
    parse: impl Fn(&str) -> Result<Op::Request, Invalid> + Sync,
    answer: impl Fn(Op::Reply) -> Answer,
    settings: LineSettings,
) -> Result<(), CommandError>
where
    Device: Execute<Op>,
{
    let device = open(device)?;
    let (input, length) = open_input(path)?;
    let bar = bytes_bar(length);
    let input = bar.wrap_read(input);
    let result = answer_lines::<Op, _>(&device, input, standard_output(), parse, answer, settings);
    bar.finish_and_clear();
    result
}

/// Opens a file or standard input. Also returns its length, if it is known.
fn open_input(path: Option<&Path>) -> Result<(Box<dyn Read + Send>, Option<u64>), CommandError> {
    match path {
        Some(path) if path != Path::new("-") => {
            let (file, length) = open_whole(path)?;
            Ok((Box::new(file), length))
        }
        _ => Ok((Box::new(stdin()), None)),
    }
}

type Lines = Vec<Result<String, String>>;

/// Reads on a separate thread, which ends with the input, or when the receiver is dropped. A thread
/// that then waits for input lives until the end of the program.
fn read_ahead<R: Read + Send + 'static>(
    mut reader: LineReader<R>,
) -> Receiver<std::io::Result<Lines>> {
    let (send, lines) = sync_channel(BATCHES_AHEAD);
    std::thread::spawn(move || loop {
        let batch = reader.batch();
        let is_last = !batch.as_ref().is_ok_and(|lines| !lines.is_empty());
        if send.send(batch).is_err() || is_last {
            return;
        }
    });
    lines
}

/// The next part of the input.
enum Next {
    Lines(Lines),
    /// No lines are available now, but answers are pending.
    NotYet,
    End,
}

/// Lines that a device is answering.
struct Answers<'d, Op: Operation, P, F, W> {
    session: Box<dyn Session<Op> + 'd>,
    /// The lines of each submitted batch, with the errors of bad lines.
    parsed: VecDeque<Vec<Result<(), Invalid>>>,
    parse: P,
    answer: F,
    output: W,
    settings: LineSettings,
    tally: Tally,
}

impl<Op, P, F, W> Answers<'_, Op, P, F, W>
where
    Op: Operation,
    P: Fn(&str) -> Result<Op::Request, Invalid> + Sync,
    F: Fn(Op::Reply) -> Answer,
    W: Write,
{
    /// Returns the next lines; waits for them only if no answers are pending.
    fn next_lines(&self, lines: &Receiver<std::io::Result<Lines>>) -> std::io::Result<Next> {
        let next = if self.parsed.is_empty() {
            lines.recv().map_err(|_| TryRecvError::Disconnected)
        } else if self.session.wants_more() {
            lines.try_recv()
        } else {
            return Ok(Next::NotYet);
        };
        match next {
            Ok(lines) => lines.map(|lines| match lines.is_empty() {
                true => Next::End,
                false => Next::Lines(lines),
            }),
            Err(TryRecvError::Empty) => Ok(Next::NotYet),
            Err(TryRecvError::Disconnected) => Ok(Next::End),
        }
    }

    /// Submits the requests of the lines.
    fn ask(&mut self, lines: Lines) -> Result<(), CommandError> {
        let parse = &self.parse;
        let parsed: Vec<Result<Op::Request, Invalid>> =
            lines.into_par_iter().map(|line| parse(&line?)).collect();
        let mut requests = Vec::with_capacity(parsed.len());
        let waiting = parsed.into_iter().map(|line| line.map(|request| requests.push(request)));
        let waiting = waiting.collect();
        self.parsed.push_back(waiting);
        self.session.submit(Op::batch(&requests)).or_else(|error| self.fail(error))
    }

    /// Answers the lines of the oldest batch.
    fn answer_batch(&mut self) -> Result<(), CommandError> {
        let replies = match self.session.collect() {
            Ok(replies) => replies.unwrap_or_default(),
            Err(error) => return self.fail(error),
        };
        let mut replies = replies.into_iter();
        for line in self.parsed.pop_front().unwrap_or_default() {
            let reply = line.map(|()| replies.next());
            let answer = match reply {
                Ok(Some(reply)) => (self.answer)(reply),
                Ok(None) => Answer::Bad("the device gave no answer".into()),
                Err(fault) => Answer::Bad(fault),
            };
            self.write(&answer, false)?;
        }
        self.flush()
    }

    /// Answers all pending lines with the failure of the device.
    fn fail(&mut self, error: DeviceError) -> Result<(), CommandError> {
        for line in std::mem::take(&mut self.parsed).into_iter().flatten() {
            let fault = line.err().unwrap_or_else(|| error.to_string().into());
            self.write(&Answer::Bad(fault), true)?;
        }
        self.flush()?;
        Err(error.into())
    }

    fn write(&mut self, answer: &Answer, device_failed: bool) -> Result<(), CommandError> {
        self.tally.count(answer, device_failed);
        write_answer(&mut self.output, answer, self.settings)
            .map_err(|source| stream_error("output", source))
    }

    fn flush(&mut self) -> Result<(), CommandError> {
        self.output.flush().map_err(|source| stream_error("output", source))
    }
}

fn stream_error(stream: &'static str, source: std::io::Error) -> CommandError {
    CommandError::Stream { stream, source }
}

fn write_answer(
    output: &mut impl Write,
    answer: &Answer,
    LineSettings { reply, json, .. }: LineSettings,
) -> std::io::Result<()> {
    match (answer, json) {
        (Answer::Bad(fault), true) => {
            writeln!(output, "{}", serde_json::json!({ "error": fault.reason }))
        }
        (answer, true) => writeln!(output, "{}", json::answer(0, answer, reply)),
        (Answer::Bad(fault), false) => writeln!(output, "error: {fault}"),
        (Answer::Verdict(Ok(())), false) => writeln!(output, "valid"),
        (Answer::Verdict(Err(fault)), false) => writeln!(output, "invalid: {fault}"),
        (Answer::Bytes(bytes), false) => writeln!(output, "{}", hex::encode(bytes)),
        (Answer::Json(text), false) => writeln!(output, "{text}"),
        (Answer::Numbers(numbers), false) => {
            let numbers: Vec<String> = numbers.iter().map(number_text).collect();
            writeln!(output, "{}", numbers.join(" "))
        }
    }
}

/// The numbers of lines, bad lines, and failed checks.
#[derive(Default)]
struct Tally {
    lines: u64,
    bad: u64,
    first_bad: u64,
    failed: u64,
}

impl Tally {
    fn count(&mut self, answer: &Answer, device_failed: bool) {
        self.lines += 1;
        self.failed += u64::from(matches!(answer, Answer::Verdict(Err(_))));
        if matches!(answer, Answer::Bad(_)) && !device_failed {
            self.bad += 1;
            if self.bad == 1 {
                self.first_bad = self.lines;
            }
        }
    }

    fn result(&self, allow_empty: bool) -> Result<(), CommandError> {
        if self.lines == 0 && !allow_empty {
            return Err(CommandError::NoItems);
        }
        if self.bad == 0 && self.failed == 0 {
            return Ok(());
        }
        if self.bad == 0 {
            let (failed, checks) = (self.failed as usize, self.lines as usize);
            return Err(CommandError::ChecksFailed { failed, checks });
        }
        Err(CommandError::BadLines { count: self.bad, lines: self.lines, first: self.first_bad })
    }
}

/// Reads batches of the lines that are available.
struct LineReader<R> {
    input: BufReader<R>,
    /// The maximum number of lines of a batch.
    most: usize,
}

impl<R: Read> LineReader<R> {
    fn new(input: R, most: usize) -> Self {
        Self { input: BufReader::with_capacity(BUFFER_BYTES, input), most }
    }

    /// Waits for a line, and returns it with the other complete lines of the buffer. Returns no
    /// lines at the end of the input.
    fn batch(&mut self) -> std::io::Result<Vec<Result<String, String>>> {
        let mut lines = Vec::new();
        while let Some(line) = self.line()? {
            lines.push(line);
            if lines.len() == self.most || !self.input.buffer().contains(&b'\n') {
                break;
            }
        }
        Ok(lines)
    }

    /// Returns the next line without its line end, or `None` at the end of the input.
    fn line(&mut self) -> std::io::Result<Option<Result<String, String>>> {
        let mut bytes = Vec::new();
        let limit = LINE_LIMIT_BYTES as u64 + 1;
        if (&mut self.input).take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if bytes.len() > LINE_LIMIT_BYTES {
            self.skip_line()?;
            return Ok(Some(Err(format!("the line is longer than {LINE_LIMIT_BYTES} bytes"))));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            format!(
                "the line is not UTF-8 text after its byte {}",
                error.utf8_error().valid_up_to()
            )
        });
        Ok(Some(text))
    }

    fn skip_line(&mut self) -> std::io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let (used, done) = match end {
                Some(position) => (position + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.input.consume(used);
            if done {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::job::{Answered, Timing};

    use super::*;

    const SETTINGS: LineSettings =
        LineSettings { reply: Reply::Bytes("double"), json: false, allow_empty: false };

    struct Double;
    halimede_arith::operation_over!(Double, u64, u64, "test.double", |_number| 1);

    /// Doubles numbers; fails on a batch that holds a 13.
    struct Doubler;
    impl Execute<Double> for Doubler {
        fn execute(&self, requests: &[u64]) -> Result<Answered<Vec<u64>>, DeviceError> {
            if let Some(request_index) = requests.iter().position(|&request| request == 13) {
                let (device, reason) = ("test".into(), "unlucky".into());
                let requests = requests.len();
                return Err(DeviceError::Failed { device, request_index, requests, reason });
            }
            let replies = requests.iter().map(|request| request * 2).collect();
            Ok(Answered { replies, timing: Timing::default() })
        }
    }

    fn run(input: &[u8], json: bool) -> (String, Result<(), CommandError>) {
        run_with(input, LineSettings { json, ..SETTINGS })
    }

    fn run_with(input: &[u8], settings: LineSettings) -> (String, Result<(), CommandError>) {
        let mut output = Vec::new();
        let parse = |line: &str| line.trim().parse().map_err(|_| format!("bad {line:?}").into());
        let input = std::io::Cursor::new(input.to_vec());
        let answer = |number: u64| Answer::Bytes(vec![number as u8]);
        let result =
            answer_lines::<Double, _>(&Doubler, input, &mut output, parse, answer, settings);
        (String::from_utf8(output).unwrap(), result)
    }

    #[test]
    fn each_line_is_answered_in_its_place() {
        let (output, result) = run(b"1\n2\nx\n\xff\n\n5", false);
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines[..3], ["02", "04", "error: bad \"x\""]);
        assert!(lines[3].starts_with("error: the line is not UTF-8"));
        assert_eq!(lines[4..], ["error: bad \"\"", "0a"]);
        assert!(matches!(result, Err(CommandError::BadLines { count: 3, lines: 6, first: 3 })));
        assert_eq!(result.unwrap_err().exit_code(), 2);
    }

    #[test]
    fn an_overlong_line_is_refused_and_skipped() {
        let mut input = vec![b'7'; LINE_LIMIT_BYTES + 5];
        input.extend(b"\n21\n");
        let (output, result) = run(&input, true);
        assert!(output.starts_with("{\"error\":\"the line is longer"));
        assert!(output.ends_with("{\"double\":\"2a\"}\n"));
        assert!(result.is_err());
    }

    #[test]
    fn a_device_failure_ends_the_command_with_its_own_code() {
        let (output, result) = run(b"1\nx\n13\n", false);
        assert_eq!(output.lines().count(), 3);
        assert!(output.contains("unlucky"));
        assert_eq!(result.unwrap_err().exit_code(), 3);
    }

    #[test]
    fn no_input_is_bad_input_unless_it_is_allowed() {
        let (output, result) = run(b"", false);
        assert!(output.is_empty() && matches!(result, Err(CommandError::NoItems)));
        assert_eq!(result.unwrap_err().exit_code(), 2);
        let (output, result) = run_with(b"", LineSettings { allow_empty: true, ..SETTINGS });
        assert!(output.is_empty() && result.is_ok());
        // An empty line is a line.
        assert!(matches!(run(b"\n", false).1, Err(CommandError::BadLines { lines: 1, .. })));
    }
}
