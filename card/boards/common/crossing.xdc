# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. What the crossings between the bus's clock and the core's need (see the head of
# arith/rtl/stream_async_fifo.sv). Read as unmanaged Tcl, after synthesis, so that the clocks exist.

set bus_period [get_property PERIOD [get_clocks -of_objects [get_nets u_shell/bus_clk]]]
set core_period [get_property PERIOD [get_clocks -of_objects [get_nets u_shell/core_clk]]]
set shorter [expr {min($bus_period, $core_period)}]

# Grey pointers: late, but no bit much later than another.
foreach {pointer synchroniser} {write_grey_q u_sync_write read_grey_q u_sync_read} {
    foreach fifo [get_cells -hierarchical -filter {ORIG_REF_NAME == stream_async_fifo || REF_NAME =~ stream_async_fifo*}] {
        set from [get_cells "$fifo/${pointer}_reg[*]"]
        set to [get_cells "$fifo/$synchroniser/stages_q_reg[0][*]"]
        set_max_delay -datapath_only -from $from -to $to $shorter
        set_bus_skew -from $from -to $to $shorter
    }
}

# A beat lies in the memory for a clock of its reader before it is read.
foreach fifo [get_cells -hierarchical -filter {ORIG_REF_NAME == stream_async_fifo || REF_NAME =~ stream_async_fifo*}] {
    set output [get_cells "$fifo/out_q_reg[*]"]
    set clock [get_clocks -of_objects [get_pins -filter {REF_PIN_NAME == C} -of_objects $output]]
    set input_clock [get_clocks -of_objects [get_pins -filter {REF_PIN_NAME == C} \
        -of_objects [get_cells "$fifo/write_grey_q_reg[*]"]]]
    set_max_delay -datapath_only -from $input_clock -to $output [get_property PERIOD $clock]
}

# Resets are released through two registers of each clock.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *_reset/stages_q_reg[*]/CLR}]
