// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads tables of samples as CSV: a class and features in each line.

use std::path::Path;

use halimede_ckks_nn::train::Table;

use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;

/// The maximum size of a table.
const MOST_BYTES: u64 = 256 << 20;

/// Reads the table in a file.
pub fn read_table(path: &Path) -> Result<Table, CommandError> {
    let bytes = read_limited(path, MOST_BYTES)?;
    parse_table(&bytes).map_err(|reason| not_wanted_bytes(path, &bytes, "a table as CSV", reason))
}

/// Parses lines of numbers: the class, one of two numbers, then the features. The first line may
/// hold names. The larger number is the class of samples whose weighted sum is positive.
pub fn parse_table(bytes: &[u8]) -> Result<Table, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8 text", error.valid_up_to()))?;
    let mut classes: Vec<f64> = Vec::new();
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for (line, content) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let parsed: Option<Vec<f64>> = content.split(',').map(number).collect();
        let Some(mut numbers) = parsed else {
            if line == 0 {
                continue;
            }
            return Err(format!("line {}: expected finite numbers", line + 1));
        };
        let class = numbers.remove(0);
        if !classes.contains(&class) {
            classes.push(class);
        }
        if classes.len() > 2 {
            return Err(format!("line {}: {class} is a third class; expected two", line + 1));
        }
        rows.push(numbers);
        labels.push(class);
    }
    if classes.len() < 2 {
        return Err(format!("expected two classes in the first column, got {}", classes.len()));
    }
    let positive = classes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let classes = labels.into_iter().map(|class| class == positive).collect();
    Table::new(rows, classes).map_err(|error| error.to_string())
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_two_classes_and_rows_of_one_length() {
        let table = parse_table(b"digit,a,b\n3,1,2.5\n 8 , -1 ,0\r\n\n3,4,5\n").unwrap();
        assert_eq!(table.rows(), [[1.0, 2.5], [-1.0, 0.0], [4.0, 5.0]]);
        assert_eq!(table.classes(), [false, true, false]);
        let cases: [(&[u8], &str); 8] = [
            (b"", "first column, got 0"),
            (b"1,2\n1,3\n", "first column, got 1"),
            (b"1,2\n0,3\n2,4\n", "line 3: 2 is a third class"),
            (b"1,2\n0,x\n", "line 2: expected finite numbers"),
            (b"1,2\n0,inf\n", "line 2"),
            (b"1,2\n0,3,4\n", "sample 1 has 2 features"),
            (b"1\n0\n", "the samples are empty or have no features"),
            (b"1,2\n0,\xff\n", "byte 6 is not UTF-8"),
        ];
        for (content, wanted) in cases {
            let reason = parse_table(content).unwrap_err();
            assert!(reason.contains(wanted), "{reason}");
        }
    }
}
