// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many times as fast as other libraries batches are, by kind of processor: measured ratios of
//! `docs/benchmarks.md`.

use halimede_arith::processor::Maker;
use halimede_arith::Backend;

/// The ratios of one batch. `None` where it was not measured.
struct Row {
    batch: &'static str,
    peer: &'static str,
    /// With AVX-512 IFMA, with AVX-512, and with AVX2, on AMD's processors and on Intel's.
    amd: [Option<&'static str>; 3],
    intel: [Option<&'static str>; 3],
}

const ROWS: [Row; 4] = [
    Row {
        batch: "Poseidon of Filecoin with arity 8",
        peer: "neptune",
        amd: [Some("16.9"), None, Some("3.9")],
        intel: [Some("14.3"), Some("5.9"), Some("3.3")],
    },
    Row {
        batch: "ECDSA",
        peer: "libsecp256k1",
        amd: [Some("5.3"), Some("2.6"), Some("1.6")],
        intel: [Some("5.5"), Some("2.4"), Some("1.5")],
    },
    Row {
        batch: "128 BLS signatures",
        peer: "blst",
        amd: [Some("7.1"), Some("2.1"), Some("1.6")],
        intel: [Some("5.9"), Some("2.3"), Some("1.5")],
    },
    Row {
        batch: "64 blobs",
        peer: "c-kzg",
        amd: [Some("7.8"), Some("5.2"), Some("3.3")],
        intel: [Some("7.7"), Some("5.3"), Some("3.9")],
    },
];

/// Says which ratios to expect from a backend on a maker's processors; `None` if none was measured.
pub fn expected(maker: Maker, backend: Backend) -> Option<String> {
    let column = match backend {
        Backend::Avx512Ifma => 0,
        Backend::Avx512 => 1,
        Backend::Adx | Backend::Avx2 => 2,
        _ => return None,
    };
    let name = match maker {
        Maker::Amd => "an AMD EPYC",
        Maker::Intel => "an Intel Xeon",
        Maker::Other => return None,
    };
    let row = |row: &Row| {
        let ratios = if maker == Maker::Amd { row.amd } else { row.intel };
        ratios[column].map(|ratio| format!("{} {ratio} ({})", row.batch, row.peer))
    };
    let rows: Vec<String> = ROWS.iter().filter_map(row).collect();
    Some(format!(
        "batches on one thread, times as fast as with another library, measured on {name}: {}",
        rows.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a row of the `table`-th table by kind of processor, with the title of the row,
    /// and of lists the number at `place`.
    fn measured(table: usize, title: &str, place: usize) -> [Option<String>; 3] {
        let page = include_str!("../../../docs/benchmarks.md");
        let head = "| Batch | AVX-512 IFMA | AVX-512 | AVX2 (`adx`) |";
        let rows = page.split(head).nth(table).expect("a table");
        let row = rows.lines().find(|line| line.starts_with(&format!("| {title} |")));
        let cells = row.unwrap_or_else(|| panic!("no row {title}")).split('|').skip(2);
        let numbers: Vec<Option<String>> = cells
            .take(3)
            .map(|cell| Some(cell.split(';').nth(place)?.trim().to_owned()))
            .map(|cell| cell.filter(|number| !number.is_empty()))
            .collect();
        numbers.try_into().expect("three columns")
    }

    #[test]
    fn the_ratios_are_those_of_the_benchmarks() {
        let rows = [
            ("Poseidon, Filecoin arity 2; 8; 11", 1),
            ("ECDSA, 1,000 signatures and keys", 0),
            ("BLS signatures, 128 distinct messages", 0),
            ("KZG, 64 blobs", 0),
        ];
        for (row, (title, place)) in ROWS.iter().zip(rows) {
            for (table, ratios) in [(1, row.amd), (2, row.intel)] {
                let stated = ratios.map(|ratio| ratio.map(str::to_owned));
                assert_eq!(stated, measured(table, title, place), "table {table}, {title}");
            }
        }
    }

    #[test]
    fn what_was_not_measured_is_not_promised() {
        let intel = expected(Maker::Intel, Backend::Avx2).unwrap();
        assert!(intel.contains("ECDSA 1.5 (libsecp256k1)"), "{intel}");
        assert!(!expected(Maker::Amd, Backend::Avx512).unwrap().contains("Poseidon"));
        for (maker, backend) in [
            (Maker::Other, Backend::Avx2),
            (Maker::Amd, Backend::Portable),
            (Maker::Intel, Backend::AvxIfma),
        ] {
            assert_eq!(expected(maker, backend), None);
        }
    }
}
