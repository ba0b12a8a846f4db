// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cores of a lane, synthesized by Yosys for UltraScale+, with registers and adders in the DSP
//! slices: the table in `engines/ckks/rtl`'s README.

/// A core: multipliers (DSP48E2), LUTs and registers.
pub struct Core {
    pub name: &'static str,
    pub multipliers: usize,
    pub luts: usize,
    pub registers: usize,
}

const fn core(name: &'static str, multipliers: usize, luts: usize, registers: usize) -> Core {
    Core { name, multipliers, luts, registers }
}

/// a·b (MM), by Montgomery's steps; by Barrett's reduction (SBT); a ± b (MA); three sums of
/// products with their reduction.
pub const MULTIPLY: Core = core("ckks_multiply", 4, 158, 183);
pub const BARRETT: Core = core("ckks_barrett", 6, 520, 464);
pub const ADD: Core = core("ckks_add", 0, 106, 93);
pub const COLUMNS: Core = core("ckks_columns", 8, 837, 997);

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = include_str!("../../../../engines/ckks/rtl/README.md");

    #[test]
    fn the_readme_has_the_same_table() {
        for core in [MULTIPLY, BARRETT, ADD, COLUMNS] {
            let start = format!("| `{}`", core.name);
            let cells = README.lines().filter(|line| line.starts_with(&start)).find_map(|line| {
                let cells: Vec<&str> = line.split('|').map(str::trim).collect();
                let number = |place: usize| cells[place].replace(',', "").parse::<usize>().ok();
                Some([number(2)?, number(3)?, number(4)?])
            });
            let expected = [core.multipliers, core.luts, core.registers];
            assert_eq!(cells, Some(expected), "{}", core.name);
        }
    }
}
