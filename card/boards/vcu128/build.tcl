# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. From the project's root: vivado -mode batch -source card/boards/vcu128/build.tcl

set board vcu128
set part xcvu37p-fsvh2892-2L-e
# The PCIe block of this board, and the transceivers of lanes 0 to 3. Lanes 4 to 15 are in the three
# quads below.
set pcie_block PCIE4C_X1Y0
set gt_quad GTY_Quad_227
# The requested clock; timing.txt reports the clock reached.
set core_mhz 200.000
# The flash memory has no factory image before ours.
set flash_start 0x00000000
# board_card has the engines of this board, from their manifests. README.md lists how many cores
# fit.

set constraints [file dirname [file normalize [info script]]]/vcu128.xdc
source [file dirname [file normalize [info script]]]/../common/build.tcl
