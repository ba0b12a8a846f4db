// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results as a table: a row for each operation, a column for each number of parties.

use serde::Serialize;

use crate::report::{json_lines, number_or_dash, BenchReport};

/// One operation of a number of parties.
#[derive(Clone, Debug, Serialize)]
pub struct PartiesRecord {
    /// The engine.
    pub bench: &'static str,
    /// The operation and the number of parties.
    pub case: String,
    /// The operation.
    pub operation: &'static str,
    /// The number of parties.
    pub parties: usize,
    /// The processor's backend that ours used.
    pub backend: &'static str,
    /// The number of threads of each side.
    pub threads: usize,
    /// log₂ of all our moduli.
    pub ours_log2_qp: f64,
    /// log₂ of our modulus of the ciphertexts that are decrypted, switched and refreshed.
    pub ours_log2_low: f64,
    /// log₂ of the standard deviation of the noise of decryptions, on both sides.
    pub noise_bits: f64,
    /// The unit of `ours` and `theirs`; less is better.
    pub unit: &'static str,
    /// Our median; none for an operation that ours does not need.
    pub ours: Option<f64>,
    /// The bytes of our message, if the operation makes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours_bytes: Option<usize>,
    /// The peer and its version.
    pub peer: &'static str,
    /// log₂ of all moduli of the peer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs_log2_qp: Option<f64>,
    /// log₂ of the peer's modulus of low ciphertexts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs_log2_low: Option<f64>,
    /// The peer's median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<f64>,
    /// The bytes of the peer's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs_bytes: Option<usize>,
    /// The peer's time over ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// Returns the report of records, which are ordered by the number of parties.
///
/// # Errors
/// If there is no record, or if one cannot be serialized.
pub fn report(records: &[PartiesRecord]) -> Result<BenchReport, String> {
    let first = records.first().ok_or("no case was measured")?;
    let mut counts: Vec<usize> = records.iter().map(|record| record.parties).collect();
    counts.dedup();
    let cases = records.iter().take_while(|record| record.parties == first.parties);
    let row = |case: &PartiesRecord| {
        let of = |count: &usize| {
            let is_it = |record: &&PartiesRecord| {
                record.operation == case.operation && record.parties == *count
            };
            records.iter().find(is_it).map_or_else(String::new, times)
        };
        let bytes = |side: fn(&PartiesRecord) -> Option<usize>| {
            let same = records.iter().filter(|record| record.operation == case.operation);
            number_or_dash(same.filter_map(side).next().map(|bytes| bytes as f64 / 1e6), 2)
        };
        let ours = bytes(|record| record.ours_bytes);
        let start = [case.operation.to_owned(), ours, bytes(|record| record.theirs_bytes)];
        start.into_iter().chain(counts.iter().map(of)).collect()
    };
    let measured: Vec<&PartiesRecord> =
        records.iter().filter(|record| record.ours.is_some()).collect();
    let their_bits = |bits: Option<f64>| number_or_dash(bits, 0);
    let columns = ["operation", "MB, ours", "MB, theirs"].map(str::to_owned).into_iter();
    Ok(BenchReport {
        name: "ckks-parties",
        caption: format!(
            "N = 2^15; log2 QP {:.0} and {}; ciphertexts of decryptions, key switches and \
             refreshes with log2 Q {:.0} and {}, noise of 2^{:.1}; t is a majority; threads {}, \
             {}. Medians in ms: ours, {}, ratio.",
            first.ours_log2_qp,
            their_bits(first.theirs_log2_qp),
            first.ours_log2_low,
            their_bits(first.theirs_log2_low),
            first.noise_bits,
            first.threads,
            first.backend,
            first.peer
        ),
        columns: columns.chain(counts.iter().map(|count| format!("{count} parties"))).collect(),
        rows: cases.map(row).collect(),
        notes: Vec::new(),
        json: json_lines(&measured)?,
    })
}

/// Both times with three digits, and the ratio.
fn times(record: &PartiesRecord) -> String {
    let time = |ms: Option<f64>| {
        let digits = ms.map_or(0, |ms| 2 - (ms.log10().floor() as i32).clamp(-1, 2));
        number_or_dash(ms, digits as usize)
    };
    let (ours, theirs) = (time(record.ours), time(record.theirs));
    match (record.ratio, record.ours.or(record.theirs)) {
        (Some(ratio), _) => format!("{ours}, {theirs}, {ratio:.1}"),
        (None, Some(_)) => format!("{ours}, {theirs}, -"),
        (None, None) => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(operation: &'static str, parties: usize, ours: Option<f64>) -> PartiesRecord {
        let theirs = Some(parties as f64 * 10.0);
        PartiesRecord {
            bench: "ckks",
            case: format!("{operation}, {parties} parties"),
            operation,
            parties,
            backend: "portable",
            threads: 1,
            ours_log2_qp: 849.1,
            ours_log2_low: 139.8,
            noise_bits: 21.25,
            unit: "ms",
            ours,
            ours_bytes: Some(2_450_000),
            peer: "peer 1",
            theirs_log2_qp: Some(848.0),
            theirs_log2_low: None,
            theirs,
            theirs_bytes: None,
            ratio: ours.zip(theirs).map(|(ours, theirs)| theirs / ours),
        }
    }

    #[test]
    fn each_operation_has_a_row_and_each_number_of_parties_a_column() {
        let records = [
            record("a", 2, Some(2.5)),
            record("b", 2, None),
            record("a", 16, Some(1234.5)),
            record("b", 16, Some(0.0123)),
        ];
        let report = report(&records).unwrap();
        assert_eq!(report.columns[2..], ["MB, theirs", "2 parties", "16 parties"]);
        assert_eq!(report.rows[0], ["a", "2.45", "-", "2.50, 20.0, 8.0", "1234, 160, 0.1"]);
        assert_eq!(report.rows[1], ["b", "2.45", "-", "-, 20.0, -", "0.012, 160, 13008.1"]);
        assert!(report.caption.contains("log2 QP 849 and 848;"), "{}", report.caption);
        assert!(report.caption.contains("log2 Q 140 and -, noise of 2^21.2"), "{}", report.caption);
        // Each line has our time.
        assert_eq!(report.json.len(), 3);
        assert!(super::report(&[]).is_err());
    }
}
