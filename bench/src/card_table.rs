// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of the simulated card, which the measuring commands write into an engine's README.

/// The comment before a README's table of measurements.
const BEGIN: &str = "<!-- begin generated -->";

/// Returns a cell of the table in a README's generated section, by the first cell of its row and
/// the title of its column; `None` if the table lacks it.
pub fn figure<'t>(readme: &'t str, row: &str, column: &str) -> Option<&'t str> {
    let (_, generated) = readme.split_once(BEGIN)?;
    let mut rows = generated.lines().filter(|line| line.starts_with('|')).map(cells);
    let place = rows.next()?.position(|title| title == column)?;
    let mut found = rows.find_map(|mut cells| (cells.next() == Some(row)).then_some(cells))?;
    found.nth(place.checked_sub(1)?)
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim().trim_matches('|').split('|').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str =
        "| clocks | x |\n|---|---|\n| 48 | 1 |\n<!-- begin generated -->\nText.\n\n\
        | contexts | busy | clocks |\n|---|---|---|\n| 48 | 99 % | 1,958.0 |\n| 64 | 98 % | 7 |\n\
        <!-- end generated -->\n";

    #[test]
    fn a_cell_is_found_by_row_and_column() {
        assert_eq!(figure(README, "48", "clocks"), Some("1,958.0"));
        assert_eq!(figure(README, "64", "busy"), Some("98 %"));
    }

    #[test]
    fn the_notes_of_the_engines_have_the_cards_clocks() {
        for (note, most) in [(crate::ecdsa::note(), 2000.0), (crate::equihash::note(), 520.0)] {
            let (_, clocks) = note.rsplit_once(": ").unwrap();
            let (clocks, unit) = clocks.split_once(' ').unwrap();
            assert!(unit.starts_with("clocks a s"), "{note}");
            let clocks: f64 = clocks.replace(',', "").parse().unwrap();
            assert!(0.0 < clocks && clocks <= most, "{note}");
        }
    }

    #[test]
    fn what_is_not_there_is_none() {
        for (row, column) in [("49", "clocks"), ("48", "x"), ("48", "contexts"), ("", "clocks")] {
            assert_eq!(figure(README, row, column), None, "{row}, {column}");
        }
        assert_eq!(figure("| contexts | clocks |\n|---|---|\n| 48 | 5 |", "48", "clocks"), None);
        assert_eq!(figure(BEGIN, "48", "clocks"), None);
    }
}
