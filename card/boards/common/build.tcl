# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: written for Vivado 2023.2; card/boards/tests/test_vivado_scripts.py runs it with
# replacements for Vivado's commands.
#
# Builds a board's bitstream and the image of its flash memory with Vivado. It is sourced by the
# build.tcl in the board's folder, which sets board, part, pcie_block, gt_quad, core_mhz and
# constraints. The results are written to build/boards/<board>/, or to `target` if it is set.
#
# The project runs the synthesis. Constraints and implementation follow on its netlist, in this
# process, so that a constraint that matches nothing, or a failed check, stops the build before a
# bitstream exists.

set here [file dirname [file normalize [info script]]]
set root [file normalize $here/../../..]
if {![info exists target]} { set target $root/build/boards/$board }
# The place of the image in the flash memory of an Alveo board, after the factory's image.
if {![info exists flash_start]} { set flash_start 0x01002000 }
file mkdir $target
source $here/checks.tcl

# Sets `sources` and `build_id`, by the rules of all tools here (arith/simulation/sources.py).
cd $root
exec python3 -m card.boards.sources $board $target/sources.tcl
source $target/sources.tcl

# ---- synthesis ----
create_project -force $board $target/vivado -part $part
# Before the block design: its cores have constraints too.
refuse_unmatched_constraints
set_property target_language Verilog [current_project]
add_files -norecurse $sources
set_property file_type SystemVerilog [the get_files $sources]
set_property top alveo_top [current_fileset]
set_property generic [list BuildId=32'h[format %08x $build_id]] [current_fileset]

source $here/bd.tcl
add_files -norecurse [make_wrapper -top -files [the get_files shell.bd]]
generate_target all [the get_files shell.bd]

launch_runs synth_1 -jobs 4
wait_on_run synth_1
if {[get_property PROGRESS [the get_runs synth_1]] ne "100%"} { error "synthesis failed" }
open_run synth_1
write_checkpoint -force $target/synthesized.dcp
close_project

# ---- constraints ----
open_checkpoint $target/synthesized.dcp
# Closing the project has dropped its rules for messages.
refuse_unmatched_constraints
source $constraints
source $root/card/boards/$board/floorplan.xdc
set bus_clock u_shell/bus_clk
set core_clock u_shell/core_clk
source $here/crossing.xdc

# ---- implementation ----
opt_design
place_design
phys_opt_design
route_design
phys_opt_design
write_checkpoint -force $target/routed.dcp
check_implementation $target

write_bitstream -force $target/alveo_top.bit
write_cfgmem -force -format mcs -interface SPIx4 -size 128 \
    -loadbit "up $flash_start $target/alveo_top.bit" $target/alveo_top.mcs
puts "$board: $target/alveo_top.bit"
