# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE by Vivado: replaces it, strictly. An unknown command, option, property, pin of a core
# or form of a filter is an error. `get_*` finds the objects of the netlist that Yosys elaborated
# (card/boards/netlist.py), which the variables ports, nets, cells and registers hold.
#
# Each command is written to $log. A test sets: missing (a word; a look-up whose arguments contain it
# finds nothing), setup, hold (slacks), crossings (the text of report_cdc), bus_net and core_net (the
# nets of the two clocks).

# The options of each command; those with a colon have a value.
set options {
    create_project {-force -part:} add_files {-norecurse} make_wrapper {-top -files:}
    generate_target {} launch_runs {-jobs:} wait_on_run {} open_run {} close_project {}
    write_checkpoint {-force} open_checkpoint {} opt_design {} place_design {} phys_opt_design {}
    route_design {} write_bitstream {-force}
    write_cfgmem {-force -format: -interface: -size: -loadbit:}
    set_property {-dict:} current_project {} current_fileset {} current_design {}
    set_msg_config {-id: -new_severity:}
    get_property {} get_timing_paths {-delay_type: -max_paths:}
    get_files {} get_runs {} get_ports {} get_nets {} get_clocks {-of_objects:}
    get_cells {-hierarchical -filter:} get_pins {-hierarchical -filter: -of_objects:}
    create_clock {-name: -period:} set_false_path {-from: -to:}
    set_max_delay {-datapath_only -from: -to:} set_bus_skew {-from: -to:}
    report_timing_summary {-report_unconstrained -warn_on_violation -file:}
    report_utilization {-hierarchical -file:} report_exceptions {-ignored_objects -file:}
    report_cdc {-details -file: -no_header -return_string}
    create_bd_design {} create_bd_intf_port {-mode: -vlnv:} create_bd_port {-dir: -type: -from: -to:}
    create_bd_cell {-type: -vlnv:} connect_bd_intf_net {} connect_bd_net {}
    get_bd_intf_ports {} get_bd_ports {} get_bd_cells {} get_bd_pins {} get_bd_intf_pins {}
    assign_bd_address {} validate_bd_design {} save_bd_design {}
    read_verilog {-sv} synth_design {-mode: -top: -part: -generic: -keep_equivalent_registers}
    kit {}
}
set properties {
    PACKAGE_PIN IOSTANDARD PULLUP CFGBVS CONFIG_VOLTAGE CONFIG_MODE USER_SLR_ASSIGNMENT
    target_language file_type top generic BITSTREAM.* CONFIG.*
}
# The pins of the cores of the block design (PG195 for xdma, PG065 for clk_wiz).
set core_pins {
    xdma {sys_clk sys_clk_gt sys_rst_n pcie_mgt usr_irq_req usr_irq_ack user_lnk_up axi_aclk
        axi_aresetn M_AXI_LITE M_AXIS_H2C_0 S_AXIS_C2H_0}
    clk_wiz {clk_in1 resetn clk_out1 locked}
    util_ds_buf {CLK_IN_D IBUF_OUT IBUF_DS_ODIV2}
}
set made {}
set named_clocks {}

# Takes the options of a command apart: sets `given` and `rest` of the caller.
proc take_options {command words} {
    global options log missing
    puts $log [list $command {*}$words]
    upvar 1 given given rest rest
    set given {}
    set rest {}
    set known [dict get $options $command]
    for {set i 0} {$i < [llength $words]} {incr i} {
        set word [lindex $words $i]
        if {[string match -* $word] && ![string is double -strict $word]} {
            if {"$word:" in $known} {
                if {[incr i] >= [llength $words]} { error "$command $word has no value" }
                dict set given $word [lindex $words $i]
            } elseif {$word in $known} {
                dict set given $word 1
            } else {
                error "unknown option: $command $word"
            }
        } else {
            lappend rest $word
        }
    }
    return [expr {$missing ne {} && [string first $missing $words] >= 0}]
}

# Every command does nothing unless it is defined below.
foreach command [dict keys $options] {
    proc $command {args} [format {
        take_options %s $args
        return {}
    } $command]
}

proc unknown {command args} { error "unknown command: $command" }

# ---- objects ----
# In Vivado, brackets of a pattern are those of a name.
proc glob_of {pattern} { return [string map {[ \\[ ] \\]} $pattern] }

# The names that match a pattern, whose `*` does not cross a level of the hierarchy.
proc at_level {pattern names} {
    set levels [regexp -all {/} $pattern]
    set found {}
    foreach name [lsearch -all -inline -glob $names [glob_of $pattern]] {
        if {[regexp -all {/} $name] == $levels} { lappend found $name }
    }
    return $found
}

# The names for which a filter holds: comparisons of one property, joined by ||.
proc filtered {filter names values} {
    set found {}
    foreach comparison [split [string map {|| \x01} $filter] \x01] {
        if {![regexp {^\s*([A-Z_]+) (==|=~) (\S+)\s*$} $comparison - property operator pattern]} {
            error "unknown form of a filter: $filter"
        }
        if {![dict exists $values $property]} { error "unknown property in a filter: $property" }
        set pattern [expr {$operator eq "==" ? [string map {* \\* ? \\?} $pattern] : $pattern}]
        foreach name $names value [dict get $values $property] {
            if {[string match [glob_of $pattern] $value] && $name ni $found} { lappend found $name }
        }
    }
    return $found
}

proc get_ports {args} {
    global ports
    if {[take_options get_ports $args]} { return {} }
    return [at_level [lindex $rest 0] $ports]
}

proc get_nets {args} {
    global nets
    if {[take_options get_nets $args]} { return {} }
    return [at_level [lindex $rest 0] $nets]
}

proc get_cells {args} {
    global cells registers
    if {[take_options get_cells $args]} { return {} }
    set names [concat [dict keys $cells] [dict keys $registers]]
    if {[dict exists $given -hierarchical]} {
        if {$rest ne {}} { error "get_cells -hierarchical with a pattern of paths finds nothing" }
        if {![regexp {REF_NAME} [dict get $given -filter]]} {
            return [filtered [dict get $given -filter] $names [dict create NAME $names]]
        }
        set modules [dict values $cells]
        return [filtered [dict get $given -filter] [dict keys $cells] \
            [dict create ORIG_REF_NAME $modules REF_NAME $modules]]
    }
    return [at_level [lindex $rest 0] $names]
}

proc get_pins {args} {
    global registers
    if {[take_options get_pins $args]} { return {} }
    set owners [dict keys $registers]
    if {[dict exists $given -of_objects]} { set owners [dict get $given -of_objects] }
    set names {}
    set short {}
    foreach owner $owners {
        if {![dict exists $registers $owner]} { error "no register: $owner" }
        foreach pin [lindex [dict get $registers $owner] 1] {
            lappend names $owner/$pin
            lappend short $pin
        }
    }
    return [filtered [dict get $given -filter] $names [dict create NAME $names REF_PIN_NAME $short]]
}

# A clock is named after its net.
proc get_clocks {args} {
    global registers bus_net core_net named_clocks
    if {[take_options get_clocks $args]} { return {} }
    if {![dict exists $given -of_objects]} { return [at_level [lindex $rest 0] $named_clocks] }
    set found {}
    foreach object [dict get $given -of_objects] {
        set owner [regsub {/C$} $object {}]
        set net $object
        if {[dict exists $registers $owner]} { set net [lindex [dict get $registers $owner] 0] }
        if {$net in [list $bus_net [lindex [split $bus_net /] end]]} {
            set net $bus_net
        } elseif {$net in [list $core_net [lindex [split $core_net /] end]]} {
            set net $core_net
        } else {
            error "no clock on $object ($net)"
        }
        if {$net ni $found} { lappend found $net }
    }
    return $found
}

proc get_files {args} { take_options get_files $args; return $rest }
proc get_runs {args} { take_options get_runs $args; return $rest }

# ---- properties and constraints ----
proc known_property {name} {
    global properties
    foreach pattern $properties { if {[string match $pattern $name]} { return } }
    error "unknown property: $name"
}

proc set_property {args} {
    take_options set_property $args
    if {[dict exists $given -dict]} {
        foreach {name -} [dict get $given -dict] { known_property $name }
    } else {
        known_property [lindex $rest 0]
    }
    return {}
}

proc get_property {args} {
    global setup hold core_net
    take_options get_property $args
    lassign $rest name object
    switch $name {
        PROGRESS { return 100% }
        PERIOD { return [expr {$object eq $core_net ? 5.0 : 4.0}] }
        SLACK { return [set [dict get {max setup min hold} $object]] }
    }
    error "unknown property: $name"
}

proc get_timing_paths {args} {
    global missing
    take_options get_timing_paths $args
    return [expr {$missing eq "timing_paths" ? {} : [dict get $given -delay_type]}]
}

proc create_clock {args} {
    global named_clocks
    take_options create_clock $args
    lappend named_clocks [dict get $given -name]
    return {}
}

foreach command {set_false_path set_max_delay set_bus_skew} {
    proc $command {args} [format {
        take_options %1$s $args
        foreach {end objects} $given {
            if {$end in {-from -to} && [llength $objects] == 0} { error "%1$s $end: nothing" }
        }
        if {"%1$s" ne "set_false_path" && ![string is double -strict $rest]} {
            error "%1$s: no delay: $rest"
        }
        return {}
    } $command]
}

proc report_cdc {args} {
    global crossings
    take_options report_cdc $args
    return [expr {[dict exists $given -return_string] ? $crossings : {}}]
}

# ---- the block design ----
proc make {kind name} {
    global made
    if {"$kind $name" in $made} { error "made twice: $kind $name" }
    lappend made "$kind $name"
}

proc find {kind name} {
    global made
    if {"$kind $name" ni $made} { error "no $kind of the block design: $name" }
    return $name
}

proc create_bd_port {args} { take_options create_bd_port $args; make port $rest; return $rest }
proc create_bd_intf_port {args} {
    take_options create_bd_intf_port $args
    make interface $rest
    return $rest
}
proc create_bd_cell {args} {
    global core_pins kinds
    take_options create_bd_cell $args
    set kind [lindex [split [dict get $given -vlnv] :] 2]
    if {![dict exists $core_pins $kind]} { error "unknown core: $kind" }
    make cell $rest
    dict set kinds $rest $kind
    return $rest
}
proc get_bd_ports {args} { take_options get_bd_ports $args; return [find port $rest] }
proc get_bd_intf_ports {args} {
    take_options get_bd_intf_ports $args
    return [find interface $rest]
}
proc get_bd_cells {args} { take_options get_bd_cells $args; return [find cell $rest] }
proc pin_of {name} {
    global core_pins kinds
    lassign [split $name /] cell pin
    find cell $cell
    if {$pin ni [dict get $core_pins [dict get $kinds $cell]]} { error "no pin of a core: $name" }
    return $name
}
proc get_bd_pins {args} { take_options get_bd_pins $args; return [pin_of $rest] }
proc get_bd_intf_pins {args} { take_options get_bd_intf_pins $args; return [pin_of $rest] }
proc make_wrapper {args} { take_options make_wrapper $args; return shell_wrapper.v }
