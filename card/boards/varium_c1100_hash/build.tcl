# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. From the project's root: vivado -mode batch -source card/boards/varium_c1100_hash/build.tcl

set board varium_c1100_hash
set part xcu55n-fsvh2892-2L-e
# The PCIe block of this board, and the transceivers of lanes 0 to 3. Lanes 4 to 15 are in the three
# quads below.
set pcie_block PCIE4C_X1Y1
set gt_quad GTY_Quad_227
# The requested clock; timing.txt reports the clock reached.
set core_mhz 200.000
# The Varium C1100 with one engine, which fills it. board_card has that engine, from its manifest.

set constraints [file dirname [file normalize [info script]]]/../varium_c1100/varium_c1100.xdc
source [file dirname [file normalize [info script]]]/../common/build.tcl
