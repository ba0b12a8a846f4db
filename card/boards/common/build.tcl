# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: checked for its syntax and for the files that it names.
#
# Builds a board's bitstream and the image for its flash memory with Vivado; sourced by the build.tcl of
# the board's folder, which sets board, part, pcie_block, gt_quad, core_mhz and constraints. Writes
# build/boards/<board>/.

set here [file dirname [file normalize [info script]]]
set root [file normalize $here/../../..]
set target $root/build/boards/$board
file mkdir $target

# `sources` and `build_id`, by the rule of all tools here (arith/simulation/sources.py).
cd $root
exec python3 -m card.boards.sources $board $target/sources.tcl
source $target/sources.tcl

create_project -force $board $target/vivado -part $part
set_property target_language Verilog [current_project]
add_files -norecurse $sources
set_property file_type SystemVerilog [get_files $sources]
set_property top alveo_top [current_fileset]
set_property generic [list BuildId=32'h[format %08x $build_id]] [current_fileset]

source $here/bd.tcl
add_files -norecurse [make_wrapper -top -files [get_files shell.bd]]
generate_target all [get_files shell.bd]

read_xdc $constraints
read_xdc -unmanaged $here/crossing.xdc
set_property USED_IN {implementation} [get_files crossing.xdc]

launch_runs synth_1 -jobs 4
wait_on_run synth_1
if {[get_property PROGRESS [get_runs synth_1]] ne "100%"} { error "synthesis failed" }

set_property STEPS.PHYS_OPT_DESIGN.IS_ENABLED true [get_runs impl_1]
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} { error "implementation failed" }

open_run impl_1
report_timing_summary -file $target/timing.txt
report_utilization -hierarchical -file $target/utilization.txt
report_cdc -details -file $target/cdc.txt
set slack [get_property SLACK [get_timing_paths -delay_type max]]
file copy -force [glob $target/vivado/$board.runs/impl_1/alveo_top.bit] $target/alveo_top.bit
write_cfgmem -force -format mcs -interface SPIx4 -size 128 \
    -loadbit "up 0x01002000 $target/alveo_top.bit" $target/alveo_top.mcs
puts "$board: worst setup slack $slack ns; $target/alveo_top.bit"
if {$slack < 0} { error "the core's clock is too fast: lower core_mhz in the board's build.tcl" }
