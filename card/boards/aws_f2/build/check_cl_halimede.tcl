# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: written for Amazon's F2 developer kit and Vivado 2024.1;
# card/boards/tests/test_vivado_scripts.py runs it with stand-ins for their commands.
#
# From build/scripts, behind the kit's build and before an image is made of it:
#
#   vivado -mode batch -source check_cl_halimede.tcl -tclargs <tag of the build>
#
# The kit packs a design also where it misses its timing: this fails there, and where a clock
# crossing is critical. The reports come into build/reports.

source [file dirname [file normalize [info script]]]/checks.tcl
set build [file dirname [file dirname [file normalize [info script]]]]
set tag [lindex $argv 0]
set routed $build/checkpoints/cl_halimede.$tag.post_route.dcp
if {![file exists $routed]} {
    error "no $routed: there is no such build, or it has missed its timing (…VIOLATED.dcp)"
}
open_checkpoint $routed
check_implementation $build/reports
puts "cl_halimede.$tag may be made an image of"
