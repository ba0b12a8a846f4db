# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. The constraints of the crossings between the clocks of the bus and of the core (see
# the head of arith/rtl/stream_async_fifo.sv). Sourced as Tcl after checks.tcl, on a synthesized
# design. Uses bus_clock and core_clock, the nets of the two clocks.

set bus_period [get_property PERIOD [the get_clocks -of_objects [the get_nets $bus_clock]]]
set core_period [get_property PERIOD [the get_clocks -of_objects [the get_nets $core_clock]]]
set shorter [expr {min($bus_period, $core_period)}]
set fifos [the get_cells -hierarchical -filter \
    {ORIG_REF_NAME == stream_async_fifo || REF_NAME =~ stream_async_fifo*}]

foreach fifo $fifos {
    # Gray pointers may be late, but no bit much later than another.
    foreach {pointer synchronizer} {write_gray_q u_sync_write read_gray_q u_sync_read} {
        # In braces: Tcl runs what is in brackets.
        set from [the get_cells [format {%s/%s_reg[*]} $fifo $pointer]]
        set to [the get_cells [format {%s/%s/stages_q_reg[0][*]} $fifo $synchronizer]]
        set_max_delay -datapath_only -from $from -to $to $shorter
        set_bus_skew -from $from -to $to $shorter
    }
    # A beat is in the memory for a clock of its reader before it is read.
    set output [the get_cells [format {%s/out_q_reg[*]} $fifo]]
    set clock [the get_clocks -of_objects \
        [the get_pins -filter {REF_PIN_NAME == C} -of_objects $output]]
    set input_clock [the get_clocks -of_objects [the get_pins -filter {REF_PIN_NAME == C} \
        -of_objects [the get_cells [format {%s/write_gray_q_reg[*]} $fifo]]]]
    set_max_delay -datapath_only -from $input_clock -to $output [get_property PERIOD $clock]
}

# The card's interrupt, which is a level.
set_max_delay -datapath_only -from [the get_clocks -of_objects [the get_nets $core_clock]] \
    -to [the get_cells -hierarchical -filter {NAME =~ *u_interrupt/stages_q_reg[0][*]}] $shorter

# The lock of the core's clock, which belongs to no clock.
set_false_path -to [the get_cells -hierarchical -filter {NAME =~ *u_locked/stages_q_reg[0][*]}]

# Resets are released through two registers in each clock domain.
set_false_path -to [the get_pins -hierarchical -filter {NAME =~ *_reset/stages_q_reg[*]/CLR}]
