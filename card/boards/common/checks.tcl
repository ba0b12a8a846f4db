# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: written for Vivado 2023.2; card/boards/tests/test_vivado_scripts.py runs it with
# replacements for Vivado's commands.
#
# The checks of every build before a bitstream is written: each constraint matches an object, setup
# and hold are met, and no clock crossing is critical.

# Runs a command that looks for objects of the design, and returns them: [the get_cells
# u_card/a_reg]. An empty result is an error: Vivado would silently ignore a constraint that matches
# nothing.
proc the {command args} {
    set found [uplevel 1 [list $command {*}$args]]
    if {[llength $found] == 0} {
        error "no object for this constraint: $command [join $args]"
    }
    return $found
}

# Turns Vivado's messages about constraints that match nothing into errors. This includes the
# constraints of IP, which do not use `the`.
proc refuse_unmatched_constraints {} {
    foreach id {
        {Vivado 12-180} {Vivado 12-507} {Vivado 12-508} {Vivado 12-584} {Vivado 12-627}
        {Vivado 12-1387} {Vivado 12-4739} {Common 17-55} {Constraints 18-402} {Constraints 18-540}
        {Designutils 20-1307}
    } {
        set_msg_config -id $id -new_severity ERROR
    }
}

# The least slack of a kind, max for setup or min for hold, in nanoseconds.
proc least_slack {kind} {
    set paths [get_timing_paths -delay_type $kind -max_paths 1]
    if {[llength $paths] == 0} {
        error "no path has a $kind delay to meet: the clocks are not constrained"
    }
    return [get_property SLACK [lindex $paths 0]]
}

# Writes the reports of an implemented design to a folder, and fails if the design must not be used.
proc check_implementation {folder} {
    report_timing_summary -report_unconstrained -warn_on_violation -file $folder/timing.txt
    report_utilization -hierarchical -file $folder/utilization.txt
    report_cdc -details -file $folder/cdc.txt
    report_exceptions -ignored_objects -file $folder/ignored_constraints.txt

    set setup [least_slack max]
    set hold [least_slack min]
    puts "worst slack: setup $setup ns, hold $hold ns"
    if {$setup < 0} {
        error "setup is missed by [expr {-$setup}] ns: lower core_mhz ($folder/timing.txt)"
    }
    if {$hold < 0} {
        error "hold is missed by [expr {-$hold}] ns, at any clock ($folder/timing.txt)"
    }
    set critical {}
    foreach line [split [report_cdc -details -no_header -return_string] "\n"] {
        if {[regexp {(CDC-\d+)\s+Critical|Critical\s+(CDC-\d+)} $line]} {
            lappend critical [string trim $line]
        }
    }
    if {[llength $critical]} {
        error "clock crossings are critical ($folder/cdc.txt):\n[join $critical \n]"
    }
}
