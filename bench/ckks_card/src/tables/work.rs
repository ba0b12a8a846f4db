// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The work of cards: operations, automorphisms, applications, and the counts that energy depends
//! on.

use super::circuits::polynomial_bytes;
use super::table::{grouped, Cell, Mark, Table, BY_BOOTSTRAP, BY_OPERATIONS, NOT_YET, UNKNOWN};
use crate::operations::{
    share, title, CardOperation, Measured, BOOTSTRAP_LEVELS, BOOTSTRAP_LOG_SLOTS, CARDS,
};
use crate::published;

/// Operations, each with its cost on the four cards if requested.
pub struct Work {
    pub operations: Vec<(CardOperation, Option<Vec<Measured>>)>,
    pub bootstrap: Option<(CardOperation, Vec<Measured>)>,
}

/// The columns of tables with all four cards.
fn columns(published: &[&str]) -> Vec<String> {
    let ours = CARDS.map(|card| format!("ours, {}", title(card)));
    published.iter().map(|column| (*column).to_owned()).chain(ours).collect()
}

/// One cell per card, or the reason why it is missing.
fn of_cards(
    measured: Option<&Vec<Measured>>,
    missing: Cell,
    decimals: usize,
    of: impl Fn(&Measured) -> f64,
) -> Vec<Cell> {
    match measured {
        Some(cards) => {
            cards.iter().map(|card| Cell::new(of(card), decimals, Mark::Model)).collect()
        }
        None => vec![missing; CARDS.len()],
    }
}

impl Work {
    /// All tables.
    pub fn tables(&self) -> Vec<Table> {
        vec![
            self.rates(),
            self.latencies(),
            self.bandwidth(),
            self.permutations(),
            self.applications(),
            self.energy(),
        ]
    }

    fn bootstrap_cells(&self, decimals: usize, of: impl Fn(&Measured) -> f64) -> Vec<Cell> {
        let cards = self.bootstrap.as_ref().map(|(_, cards)| cards);
        of_cards(cards, BY_BOOTSTRAP, decimals, of)
    }

    fn rates(&self) -> Table {
        let mut table = Table::new(
            "operations",
            "Operations a second, N = 2^16",
            "tables VI to VIII",
            columns(&["published"]),
        );
        for (operation, measured) in &self.operations {
            let mut cells = vec![Cell::new(operation.published, 0, Mark::Published)];
            cells.extend(of_cards(measured.as_ref(), BY_OPERATIONS, 0, |card| {
                operation.figure(&card.report)
            }));
            let quantity = operation.name.trim_end_matches(", /s");
            table.row(quantity, "/s", &cells);
        }
        table.note("HAdd and PMult are published for one polynomial, not for a ciphertext of two.");
        table
    }

    /// The same in milliseconds, with the published processor.
    fn latencies(&self) -> Table {
        let mut table = Table::new(
            "latencies",
            "Milliseconds of an operation",
            "tables VI to VIII",
            columns(&["published Xeon", "published"]),
        );
        for (operation, measured) in &self.operations {
            let name = operation.name.split(',').next().unwrap_or_default();
            let xeon = published::XEON_MS.iter().find(|(of, _)| *of == name);
            let Some((_, xeon)) = xeon else {
                continue;
            };
            let mut cells = vec![
                Cell::new(*xeon, 0, Mark::Published),
                Cell::new(1e3 / operation.published, 3, Mark::Formula),
            ];
            cells.extend(of_cards(measured.as_ref(), BY_OPERATIONS, 3, |card| {
                card.report.milliseconds / operation.count as f64
            }));
            table.row(name, "ms", &cells);
        }
        table.note("The published milliseconds are the inverse of the rates.");
        table
    }

    fn bandwidth(&self) -> Table {
        let mut table = Table::new(
            "bandwidth",
            "Part of the memory's bandwidth that HAdd takes",
            "exhibit unknown",
            columns(&["published", "by its rate"]),
        );
        let bytes = 3.0 * polynomial_bytes() as f64 * published::SUMS;
        let by_rate = 100.0 * bytes / published::BYTES_PER_SECOND;
        let mut cells = vec![
            Cell::new(published::SUM_BANDWIDTH, 1, Mark::Published),
            Cell::new(by_rate, 1, Mark::Formula),
        ];
        let measured = self.operations.first().and_then(|(_, measured)| measured.as_ref());
        let of_card = |card: &Measured| 100.0 * share(&card.report, "memory");
        cells.extend(of_cards(measured, BY_OPERATIONS, 1, of_card));
        table.row("HAdd", "%", &cells);
        table.note(format!(
            "{} HAdd a second move three polynomials each: {by_rate:.1} % of the bandwidth, not {} %.",
            grouped(published::SUMS as usize),
            published::SUM_BANDWIDTH
        ));
        table
    }

    fn permutations(&self) -> Table {
        let mut table = Table::new(
            "automorphisms",
            "Automorphisms of limbs",
            "table IX",
            columns(&["published, implied"]),
        );
        let mut cells = vec![Cell::whole(published::BOOTSTRAP_PERMUTATIONS, Mark::Formula)];
        cells.extend(self.bootstrap_cells(0, |card| card.permutations as f64));
        table.row("bootstrap", "", &cells);
        let mut cells = vec![Cell::whole(published::LSTM_PERMUTATIONS, Mark::Formula)];
        cells.extend([NOT_YET; CARDS.len()]);
        table.row("LSTM", "", &cells);
        table.note(format!(
            "The LSTM has {} bootstraps, which alone would take {} automorphisms.",
            published::LSTM_BOOTSTRAPS,
            grouped(published::LSTM_BOOTSTRAPS * published::BOOTSTRAP_PERMUTATIONS)
        ));
        table
    }

    fn applications(&self) -> Table {
        let mut table = Table::new(
            "applications",
            "Bootstraps and applications",
            "tables VI to VIII",
            columns(&["published Xeon", "published"]),
        );
        let mut row = |quantity: &str, unit, xeon: Cell, published: Cell, ours: Vec<Cell>| {
            let cells: Vec<Cell> = [xeon, published].into_iter().chain(ours).collect();
            table.row(quantity, unit, &cells);
        };
        let by_paper = |figure, decimals| Cell::new(figure, decimals, Mark::Published);
        let milliseconds = self.bootstrap_cells(1, |card| card.report.milliseconds);
        row("bootstrap", "ms", UNKNOWN, by_paper(published::BOOTSTRAP_MS, 2), milliseconds);
        let parts = f64::from(1u32 << BOOTSTRAP_LOG_SLOTS) * BOOTSTRAP_LEVELS as f64;
        let amortized = self.bootstrap_cells(0, |card| 1e6 * card.report.milliseconds / parts);
        row("bootstrap, a slot and level", "ns", UNKNOWN, UNKNOWN, amortized);
        let none = vec![NOT_YET; CARDS.len()];
        let xeon = by_paper(published::RESNET_XEON_S, 0);
        row("ResNet-20, an image", "s", xeon, by_paper(published::RESNET_S, 2), none.clone());
        row("LSTM", "s", UNKNOWN, by_paper(published::LSTM_S, 2), none.clone());
        let iteration = by_paper(published::REGRESSION_S, 3);
        row("logistic regression, an iteration", "s", UNKNOWN, iteration, none);
        table.note(format!(
            "The published bootstrap (packed) goes from level 3 to 57; ours leaves \
             {BOOTSTRAP_LEVELS} levels of 2^{BOOTSTRAP_LOG_SLOTS} slots. They are not the same \
             work."
        ));
        let bootstraps = published::LSTM_BOOTSTRAPS;
        table.note(format!(
            "{bootstraps} bootstraps of {} ms, as the LSTM has, are {:.1} s, not {} s.",
            published::BOOTSTRAP_MS,
            bootstraps as f64 * published::BOOTSTRAP_MS / 1e3,
            published::LSTM_S
        ));
        table
    }

    /// The counts for energy. Energy itself is omitted: the energy of a product or a byte is not
    /// known.
    fn energy(&self) -> Table {
        let mut table = Table::new(
            "energy",
            "Basis of an energy estimate",
            "exhibit unknown",
            columns(&["published"]),
        );
        let operations = self.operations.iter();
        let operations = operations.filter_map(|(of, cards)| Some((of, cards.as_ref()?)));
        let bootstrap = self.bootstrap.iter().map(|(of, cards)| (of, cards));
        for (operation, cards) in operations.chain(bootstrap) {
            let name = operation.name.trim_end_matches(", /s").trim_end_matches(", ms");
            let count = operation.count as f64;
            let mut row = |what: &str, unit, of: &dyn Fn(&Measured) -> f64| {
                let ours = cards.iter().map(|card| Cell::new(of(card) / count, 2, Mark::Model));
                let cells: Vec<Cell> = std::iter::once(UNKNOWN).chain(ours).collect();
                table.row(format!("{name}: {what}"), unit, &cells);
            };
            row("memory", "MB", &|card| card.report.traffic.total() as f64 / 1e6);
            row("modular products", "millions", &|card| card.products as f64 / 1e6);
        }
        table.note(
            "Joules are left out: no source at hand has the energy of a byte and of a product. \
             --operations and --bootstrap print the numbers of both.",
        );
        table
    }
}

/// The published tables and figures that are known from secondary sources.
pub const KNOWN: [(&str, &str); 8] = [
    ("table II", "partial: the products of fused butterflies"),
    ("tables III, IV, V and X", "missing, except cells whose table is unknown"),
    ("tables VI to VIII", "partial: rates, and times of the bootstrap and the applications"),
    ("table IX", "partial: the automorphisms that it implies"),
    ("table XI", "partial: registers a lane"),
    ("table XII", "partial: registers a lane"),
    (
        "cells whose table is unknown",
        "multipliers, memories, clocks of automorphisms, part of the bandwidth",
    ),
    ("figures 7 to 12", "missing"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{any_measured, basic_operations};

    #[test]
    fn what_is_measured_stands_in_every_table() {
        let measured = any_measured();
        let operations = basic_operations().unwrap();
        let count = operations.len();
        let bootstrap = Some((basic_operations().unwrap().remove(0), measured.clone()));
        let operations = operations.into_iter().map(|one| (one, Some(measured.clone()))).collect();
        let tables = Work { operations, bootstrap }.tables();
        let ours = |name: &str, quantity: &str| -> Vec<Cell> {
            let table = tables.iter().find(|table| table.name == name).unwrap();
            let row = table.rows.iter().find(|row| row.quantity == quantity).unwrap();
            assert_eq!(row.cells.len(), table.columns.len());
            row.cells[row.cells.len() - CARDS.len()..].to_vec()
        };
        let by_model = |figure, decimals| vec![Cell::new(figure, decimals, Mark::Model); 4];
        assert_eq!(tables[0].rows.len(), count);
        assert_eq!(ours("operations", "CMult"), by_model(500.0, 0));
        assert_eq!(ours("operations", "HAdd, one polynomial"), by_model(4000.0, 0));
        assert_eq!(ours("latencies", "Rotation"), by_model(2.0, 3));
        assert_eq!(ours("bandwidth", "HAdd"), by_model(75.0, 1));
        assert_eq!(ours("automorphisms", "bootstrap"), by_model(11.0, 0));
        assert_eq!(ours("applications", "bootstrap"), by_model(2.0, 1));
        assert_eq!(ours("applications", "LSTM"), [NOT_YET; 4]);
        assert_eq!(ours("energy", "CMult: memory"), by_model(3.0, 2));
        assert_eq!(ours("energy", "CMult: modular products"), by_model(5.0, 2));
    }
}
