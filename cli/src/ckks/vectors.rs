// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads and writes vectors as CSV and NPY.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use halimede_ckks::Complex;

use super::npy;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::open_whole;

/// The maximum size of a file: enough for one value per slot of the largest ring, with many digits.
const MAX_BYTES: u64 = 16 << 20;

/// A vector from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The values.
    pub values: Vec<Complex>,
    /// `true` if the columns or the type of the file, not the values, say that they are real.
    pub is_real: bool,
    /// The file's word for the place of a value.
    pub place: &'static str,
}

/// Reads the vector in a file; `-` is standard input.
pub fn read_vector(path: &Path) -> Result<Vector, CommandError> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes);
        stdin.map_err(|source| CommandError::Stream { stream: "input", source })?;
    } else {
        let (file, _) = open_whole(path)?;
        let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|source| CommandError::File { path: path.to_path_buf(), source })?;
    }
    let parsed = if bytes.len() as u64 > MAX_BYTES {
        Err(format!("more than {} MiB: more values than any ring has slots", MAX_BYTES >> 20))
    } else if is_npy(path) {
        npy::read(&bytes).map(|(values, is_real)| Vector { values, is_real, place: "value" })
    } else {
        parse_csv(&bytes)
    };
    let wanted = if is_npy(path) { "a NumPy array" } else { "a vector as CSV" };
    parsed.map_err(|reason| not_wanted_bytes(path, &bytes, wanted, reason))
}

/// Returns the content of a file for a vector: NPY or CSV, depending on the name.
pub fn vector_bytes(path: Option<&Path>, values: &[Complex], is_real: bool) -> Vec<u8> {
    if path.is_some_and(is_npy) {
        return npy::write(values, is_real);
    }
    let mut text = String::new();
    for value in values {
        // Writing to a string never fails.
        let _ = match is_real {
            true => writeln!(text, "{}", value.re),
            false => writeln!(text, "{},{}", value.re, value.im),
        };
    }
    text.into_bytes()
}

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

/// Parses lines of `re` or `re,im`; empty lines at the end are ignored. Values are real if no line
/// has a second column.
pub fn parse_csv(bytes: &[u8]) -> Result<Vector, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        format!("byte {at} is not UTF-8 text: this is not CSV; an NPY file's name ends in .npy")
    })?;
    let part = |part: &str| part.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let value = |(index, line): (usize, &str)| {
        let value = match line.split_once(',') {
            None => part(line).map(|re| Complex::new(re, 0.0)),
            Some((re, im)) => part(re).zip(part(im)).map(|(re, im)| Complex::new(re, im)),
        };
        let shown: String = line.chars().take(40).collect();
        value.ok_or_else(|| {
            format!("line {}: {shown:?} is not a finite number `re` or `re,im`", index + 1)
        })
    };
    let text = text.trim_end();
    let values = text.lines().enumerate().map(value).collect::<Result<_, _>>()?;
    Ok(Vector { values, is_real: !text.contains(','), place: "line" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            parts in prop::collection::vec((-1e300f64..1e300, -1e-300f64..1e-300), 1..50),
            is_npy in any::<bool>(), is_real in any::<bool>(),
        ) {
            let im = |im: f64| if is_real { 0.0 } else { im };
            let values: Vec<Complex> =
                parts.iter().map(|part| Complex::new(part.0, im(part.1))).collect();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(if is_npy { "v.NPY" } else { "v.csv" });
            std::fs::write(&path, vector_bytes(Some(&path), &values, is_real)).unwrap();
            let place = if is_npy { "value" } else { "line" };
            prop_assert_eq!(read_vector(&path).unwrap(), Vector { values, is_real, place });
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Err(reason) = parse_csv(&bytes) {
                prop_assert!(reason.contains("line") || reason.contains("byte"));
            }
        }
    }

    #[test]
    fn lines_that_are_no_numbers() {
        let vector = |parts: &[(f64, f64)], is_real| {
            let values = parts.iter().map(|(re, im)| Complex::new(*re, *im)).collect();
            Ok(Vector { values, is_real, place: "line" })
        };
        assert_eq!(parse_csv(b"1.5\n\n"), vector(&[(1.5, 0.0)], true));
        assert_eq!(parse_csv(b" -1e-3 , 2 \r\n"), vector(&[(-1e-3, 2.0)], false));
        assert_eq!(parse_csv(b""), vector(&[], true));
        // By the columns, not by the values.
        assert_eq!(parse_csv(b"1,0\n2,0"), vector(&[(1.0, 0.0), (2.0, 0.0)], false));
        assert_eq!(parse_csv(b"1\n2,0\n3"), vector(&[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)], false));
        for (text, line) in [
            ("1\nx\n3", 2),
            ("1\n\n3", 2),
            ("1,2,3", 1),
            ("1,", 1),
            ("nan", 1),
            ("1\n2\ninf,0", 3),
            ("1;2", 1),
        ] {
            let reason = parse_csv(text.as_bytes()).unwrap_err();
            assert!(reason.starts_with(&format!("line {line}:")), "{text}: {reason}");
        }
        let reason = parse_csv(b"1\n\xff").unwrap_err();
        assert!(reason.starts_with("byte 2 is not UTF-8"), "{reason}");
    }
}
