// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of spent outputs.

use halimede_zcash::SpentOutputs;
use proptest::prelude::*;

fn line(txid: &str, vout: &str, value: &str, script: &str) -> String {
    format!(r#"{{"txid": "{txid}", "vout": {vout}, "value": {value}, "script": "{script}"}}"#)
}

const TXID: &str = "85ffcd5de5ae9a6d2d2ab5e4cd3eea4ee5ea0c4b0c1d1d1d4d5d6d7d8d9dadbd";

#[test]
fn lines_are_read_or_named() {
    let good = line(TXID, "3", "1250000000", "76a9");
    let other = line(TXID, "4", "0", "");
    let text = format!("{good}\n\n  \r\n{other}\n{good}");
    assert_eq!(SpentOutputs::read(text.as_bytes()).unwrap().len(), 2);
    assert!(SpentOutputs::read(&b"\n"[..]).unwrap().is_empty());
    let cases = [
        (line(&TXID[1..], "3", "1", "76"), "is not a hash: expected 64 hexadecimal digits"),
        (line(TXID, "-1", "1", "76"), "expected u32"),
        (line(TXID, "4294967296", "1", "76"), "expected u32"),
        (line(TXID, "3", "1.5", "76"), "expected u64"),
        (line(TXID, "3", "2100000000000001", "76"), "exceeds the money supply"),
        (line(TXID, "3", "1", "7"), "\"script\": Odd number of digits"),
        (line(TXID, "3", "1", "7g"), "\"script\": Invalid character 'g'"),
        (line(TXID, "3", "1250000001", "76a9"), "was given before, but differs"),
        (good.replace("vout", "n"), "unknown field `n`"),
        (good.replace(", \"vout\": 3", ""), "missing field `vout`"),
        (format!("{good} {good}"), "trailing characters"),
        ("[]".into(), "invalid length 0"),
    ];
    for (bad, reason) in cases {
        let error = SpentOutputs::read(format!("{good}\n{bad}\n").as_bytes()).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("line 2: ") && message.contains(reason), "{message}");
    }
    let error = SpentOutputs::read(&b"\xff\n"[..]).unwrap_err().to_string();
    assert!(error.starts_with("line 1: "), "{error}");
}

/// Repeats a byte endlessly, and counts.
struct Endless(u8, u64);

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(self.0);
        self.1 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn lines_and_files_without_an_end_are_refused() {
    for byte in [0, b' ', b'{'] {
        let mut endless = Endless(byte, 0);
        let error = SpentOutputs::read(std::io::BufReader::new(&mut endless)).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("line 1: it is longer than 4065536 bytes"), "{text}");
        assert!(endless.1 < 5_000_000, "{} bytes", endless.1);
    }
    let mut endless = Endless(b'\n', 0);
    let error = SpentOutputs::read(std::io::BufReader::new(&mut endless)).unwrap_err();
    assert!(error.to_string().contains("more than 1048576 lines"), "{error}");
    assert!(endless.1 < 2_000_000, "{} bytes", endless.1);
}

proptest! {
    #[test]
    fn any_lines_are_read_or_refused(text: String, bytes: Vec<u8>) {
        let _ = SpentOutputs::read(text.as_bytes());
        let _ = SpentOutputs::read(&bytes[..]);
    }
}
