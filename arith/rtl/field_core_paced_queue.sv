// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_paced_queue: the contexts of a paced core between their issues. Each waits for the
// number of clocks that its last issue specified. The ready ones leave one at a time, in two round
// robins: each block of contexts nominates one of its ready contexts, and the nominated ones leave
// in turn.
//
// A context has only one issue at a time in or after the queue, so each has a place, and nothing
// overflows. The states are in a memory; the nominated context is selected in the clock before the
// issue. Nomination is a clock earlier, so that a large number of contexts costs no deep logic.
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
  logic [Contexts-1:0]              waiting_q, ready_q, starts, picked;
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
        waiting_q[k] <= (starts[k] && wait_gap_i != '0) || (waiting_q[k] && left_q[k] != 1);
        ready_q[k]   <= (starts[k] && wait_gap_i == '0) || (waiting_q[k] && left_q[k] == 1) ||
                        (ready_q[k] && !picked[k]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < Contexts; k++) begin
      left_q[k] <= starts[k] ? wait_gap_i : left_q[k] - 1'b1;
    end
  end

  // ---- Nomination: in each block the next ready context above the last, otherwise the lowest ---
  localparam int unsigned BlockSize = Contexts < 16 ? (Contexts + 1) / 2 : 8;
  localparam int unsigned Blocks    = (Contexts + BlockSize - 1) / BlockSize;

  logic                               fetch, out_valid_q;
  logic [Blocks-1:0]                  nominated_q, leaves;
  logic [Blocks-1:0][ContextBits-1:0] nominee_q;

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    localparam int unsigned First = b * BlockSize;
    localparam int unsigned Size  = arith_pkg::minimum(BlockSize, Contexts - First);
    logic                   nominates;
    logic [Size-1:0]        ready, above_q, high, chosen, last_q;
    logic [ContextBits-1:0] chosen_context;
    assign ready     = ready_q[First+:Size];
    assign high      = ready & above_q;
    assign chosen    = high != '0 ? high & (~high + 1'b1) : ready & (~ready + 1'b1);
    assign nominates = ready != '0 && (!nominated_q[b] || leaves[b]);
    assign picked[First+:Size] = nominates ? chosen : '0;

    always_comb begin
      chosen_context = '0;
      for (int unsigned k = 0; k < Size; k++) begin
        if (chosen[k]) chosen_context |= ContextBits'(First + k);
      end
    end

    // The contexts above the last one are known a clock late.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        nominated_q[b] <= 1'b0;
        last_q         <= '0;
        above_q        <= '0;
      end else begin
        nominated_q[b] <= nominates || (nominated_q[b] && !leaves[b]);
        if (nominates) last_q <= chosen;
        above_q <= ~(last_q | (last_q - 1'b1));
      end
    end
    always_ff @(posedge clk_i) begin
      if (nominates) nominee_q[b] <= chosen_context;
    end
  end

  // ---- Selection: the next nominated context above the last block, otherwise the lowest --------
  logic [Blocks-1:0]      above_q, above, high, chosen;
  logic [ContextBits-1:0] chosen_context;
  assign fetch  = nominated_q != '0 && (!out_valid_q || out_ready_i);
  assign high   = nominated_q & above_q;
  assign leaves = fetch ? chosen : '0;

  always_comb begin
    chosen         = '0;
    chosen_context = '0;
    above          = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      above[b]  = chosen != '0;
      chosen[b] = chosen == '0 && (high[b] || (high == '0 && nominated_q[b]));
      if (chosen[b]) chosen_context |= nominee_q[b];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      above_q     <= '0;
    end else begin
      out_valid_q <= fetch || (out_valid_q && !out_ready_i);
      if (fetch) above_q <= above;
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
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    // A context waits only once.
    assert (!wait_valid_i || !(waiting_q[wait_context_i] || ready_q[wait_context_i]));
    for (int unsigned b = 0; b < Blocks; b++) begin
      assert (!wait_valid_i || !nominated_q[b] || nominee_q[b] != wait_context_i);
    end
  end
`endif

endmodule
