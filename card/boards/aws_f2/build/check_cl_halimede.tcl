# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: written for Amazon's F2 developer kit and Vivado 2024.1;
# card/boards/tests/test_vivado_scripts.py runs it with stand-ins for their commands.
#
# Run from build/scripts, after the kit's build and before an image is made from its result:
#
#   vivado -mode batch -source check_cl_halimede.tcl -tclargs <tag of the build>
#
# The kit packs a design even if it misses its timing. This script fails in that case, and also if a
# clock crossing is critical. The reports are written to build/reports.

source [file dirname [file normalize [info script]]]/checks.tcl
set build [file dirname [file dirname [file normalize [info script]]]]
set tag [lindex $argv 0]
set routed $build/checkpoints/cl_halimede.$tag.post_route.dcp
if {![file exists $routed]} {
    error "no $routed: this build does not exist, or it missed its timing (…VIOLATED.dcp)"
}
open_checkpoint $routed
check_implementation $build/reports
puts "cl_halimede.$tag passes: an image can be made from it"
