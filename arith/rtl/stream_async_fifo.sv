// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_async_fifo: a first-in first-out queue between two clocks of any ratio and phase.
//
// Holds Depth beats and one more in the output register. A beat is offered three to four clocks of
// the output after it was accepted; a place is free again three to four clocks of the input after
// its beat was fetched. Full rate, one beat per clock of the slower side, from Depth = 8 on.
//
// Each side has its own pointer, one bit wider than an index so that full and empty differ. A
// pointer crosses in Gray code, one bit per step, through sync_bits: the other side sees it late,
// never wrong, so it may consider the queue fuller (at the input) or emptier (at the output) than
// it is, never the opposite. A beat has been in the memory for at least one clock of the output
// when its pointer arrives, so the data need no synchronizer.
//
// Resets. Both sides must be reset together: in_rst_ni and out_rst_ni fall at the same time (from
// one source through two reset_sync) and rise in any order. A reset of only one side leaves invalid
// beats. The contents are lost. An input in reset is not ready, so a source that starts early waits
// and loses nothing.
//
// Constraints for a timing tool, with T the shorter of the two periods. Without them the tool
// either fails on paths between clocks or lets the bits of a pointer drift apart by several clocks:
//   - from write_gray_q to stages_q[0] of u_sync_write, from read_gray_q to that of u_sync_read:
//     set_max_delay -datapath_only T, and set_bus_skew T (both below one period of the pointer's
//     own clock, or two steps of it could be seen mixed);
//   - from memory (its write clock) to out_q: set_max_delay -datapath_only, the output's period.
module stream_async_fifo #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth = 16  // a power of two, at least 4
) (
  input  logic                 in_clk_i,
  input  logic                 in_rst_ni,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,

  input  logic                 out_clk_i,
  input  logic                 out_rst_ni,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o
);
  localparam int unsigned IndexBits = $clog2(Depth);
  typedef logic [IndexBits:0] pointer_t;

  // A pointer Depth steps ahead of another differs from it, in Gray code, in its two upper bits.
  localparam pointer_t FullPattern = pointer_t'(3) << (IndexBits - 1);

  if (Depth < 4 || Depth != 1 << IndexBits) begin : gen_bad_depth
    $error("stream_async_fifo: Depth = %0d is not a power of two of at least 4", Depth);
  end

  function automatic pointer_t gray(input pointer_t value);
    return value ^ (value >> 1);
  endfunction

  logic [DataWidth-1:0] memory[Depth];

  // ---- input side ----
  pointer_t write_q, write_gray_q, read_seen;
  logic     push, awake_q;

  assign in_ready_o = awake_q && write_gray_q != (read_seen ^ FullPattern);
  assign push = in_valid_i && in_ready_o;

  always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
    if (!in_rst_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
      awake_q      <= 1'b0;
    end else begin
      awake_q <= 1'b1;
      if (push) begin
        write_q      <= write_q + 1'b1;
        write_gray_q <= gray(write_q + 1'b1);
      end
    end
  end

  always_ff @(posedge in_clk_i) begin
    if (push) memory[write_q[IndexBits-1:0]] <= in_data_i;
  end

  // ---- output side ----
  pointer_t             read_q, read_gray_q, write_seen;
  logic                 fetch, out_valid_q;
  logic [DataWidth-1:0] out_q;

  assign fetch = (!out_valid_q || out_ready_i) && read_gray_q != write_seen;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_q;

  always_ff @(posedge out_clk_i or negedge out_rst_ni) begin
    if (!out_rst_ni) begin
      read_q      <= '0;
      read_gray_q <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (fetch) begin
        read_q      <= read_q + 1'b1;
        read_gray_q <= gray(read_q + 1'b1);
      end
      out_valid_q <= fetch || (out_valid_q && !out_ready_i);
    end
  end

  always_ff @(posedge out_clk_i) begin
    if (fetch) out_q <= memory[read_q[IndexBits-1:0]];
  end

  // ---- the crossing of the pointers ----
  sync_bits #(.Width(IndexBits + 1)) u_sync_write (
    .clk_i(out_clk_i), .rst_ni(out_rst_ni), .data_i(write_gray_q), .data_o(write_seen)
  );
  sync_bits #(.Width(IndexBits + 1)) u_sync_read (
    .clk_i(in_clk_i), .rst_ni(in_rst_ni), .data_i(read_gray_q), .data_o(read_seen)
  );
endmodule
