// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_paced_queue: the contexts of a paced core between their issues. Each waits for the
// number of clocks that its last issue specified. The ready ones leave one at a time, round robin,
// so that no context is overtaken by another one twice.
//
// A context has only one issue at a time in or after the queue, so each has a place, and nothing
// overflows. The states are in a memory; the context is selected in the clock before the issue.
//
// Cycles: for a turn issued in clock t, wait_* is in t+3 and state_i in t+4; its context is at the
// output from clock t + PaceLeastWait + gap on, unless another one goes first.
module field_core_paced_queue
  import field_core_isa_pkg::GapBits;
#(
  parameter  int unsigned DataWidth   = 64,
  parameter  int unsigned Contexts    = 16,  // >= 2
  localparam int unsigned ContextBits = $clog2(Contexts)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   wait_valid_i,
  input  logic [ContextBits-1:0] wait_context_i,
  input  logic [GapBits-1:0]     wait_gap_i,
  input  logic [DataWidth-1:0]   state_i,  // one clock later

  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic [DataWidth-1:0]   out_data_o,

  output logic                   memory_error_o  // of two clocks before (memory_parity)
);

  // ---- Waiting --------------------------------------------------------------------------------
  logic [Contexts-1:0]             waiting_q, ready_q, starts, picked;
  logic [Contexts-1:0][GapBits-1:0] left_q;  // clocks

  always_comb begin
    for (int unsigned k = 0; k < Contexts; k++) begin
      starts[k] = wait_valid_i && wait_context_i == ContextBits'(k);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
      ready_q   <= '0;
    end else begin
      for (int unsigned k = 0; k < Contexts; k++) begin
        waiting_q[k] <= starts[k] || (waiting_q[k] && left_q[k] != '0);
        ready_q[k]   <= (waiting_q[k] && left_q[k] == '0) || (ready_q[k] && !picked[k]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Contexts; k++) begin
      left_q[k] <= starts[k] ? wait_gap_i : left_q[k] - 1'b1;
    end
  end

  // ---- Selection: the next one above the last, otherwise the lowest ----------------------------
  // The lowest one of each block, with a short carry chain, unless a lower block has one.
  localparam int unsigned Block = 16;

  function automatic logic [Contexts-1:0] lowest(input logic [Contexts-1:0] bits);
    logic none;
    none   = 1'b1;
    lowest = '0;
    for (int unsigned first = 0; first < Contexts; first += Block) begin
      logic [Block-1:0] part, one;
      part = Block'(bits >> first);
      one  = part & (~part + 1'b1);
      if (none) lowest |= Contexts'(one) << first;
      none = none && part == '0;
    end
  endfunction

  logic                   fetch, out_valid_q;
  logic [Contexts-1:0]    above_q, high, chosen, last_q;
  logic [ContextBits-1:0] chosen_context;
  assign fetch  = ready_q != '0 && (!out_valid_q || out_ready_i);
  assign high   = ready_q & above_q;
  assign chosen = high != '0 ? lowest(high) : lowest(ready_q);
  assign picked = fetch ? chosen : '0;

  always_comb begin
    chosen_context = '0;
    for (int unsigned k = 0; k < Contexts; k++) begin
      if (chosen[k]) chosen_context |= ContextBits'(k);
    end
  end

  // The contexts above the last one are known a clock late.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      last_q      <= '0;
      above_q     <= '0;
    end else begin
      out_valid_q <= fetch || (out_valid_q && !out_ready_i);
      if (fetch) last_q <= chosen;
      above_q <= ~(last_q | (last_q - 1'b1));
    end
  end
  assign out_valid_o = out_valid_q;

  // ---- States ---------------------------------------------------------------------------------
  logic                   write_q, fetched_q;
  logic [ContextBits-1:0] write_context_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {write_q, fetched_q} <= '0;
    else {write_q, fetched_q} <= {wait_valid_i, fetch};
  end
  always_ff @(posedge clk_i) write_context_q <= wait_context_i;

  checked_memory #(
    .Width      (DataWidth),
    .Depth      (Contexts),
    .MemoryStyle("auto")
  ) u_states (
    .clk_i,
    .write_valid_i  (write_q),
    .write_address_i(write_context_q),
    .write_data_i   (state_i),
    .read_enable_i  (fetch),
    .read_address_i (chosen_context),
    .read_data_o    (out_data_o),
    .check_i        (fetched_q),
    .error_o        (memory_error_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    // A context waits only once.
    assert (!wait_valid_i || !(waiting_q[wait_context_i] || ready_q[wait_context_i]));
  end
`endif

endmodule
