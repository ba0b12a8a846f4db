// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_async_fifo_proof: stream_async_fifo loses no beat, duplicates none, keeps their order and
// keeps its offers until they are accepted, for any behavior of the two clocks: each has its edges
// at any step, also both in the same step, and pointer bits arrive late as in models/sync_bits.sv.
// Assumed: no side is reset alone.
module stream_async_fifo_proof #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned Depth = 4,
  parameter bit Invariants = 1'b1
) (
  input logic                 in_clk_i,
  input logic                 in_rst_ni,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 out_clk_i,
  input logic                 out_rst_ni,
  input logic                 out_ready_i
);
  localparam int unsigned IndexBits = $clog2(Depth);
  typedef logic [IndexBits:0] pointer_t;
  typedef logic [IndexBits+1:0] count_t;

  logic                 in_ready, out_valid;
  logic [DataWidth-1:0] out_data;

  stream_async_fifo #(.DataWidth(DataWidth), .Depth(Depth)) u_dut (
    .in_clk_i, .in_rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_clk_i, .out_rst_ni, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );

  // ---- resets: both from the first step on, then either side only with the other ----
  logic in_rst_before, out_rst_before;
  formal_previous u_in_rst (.value_i(in_rst_ni), .value_o(in_rst_before));
  formal_previous u_out_rst (.value_i(out_rst_ni), .value_o(out_rst_before));
  proof_reset u_in_reset (.rst_ni(in_rst_ni));
  proof_reset u_out_reset (.rst_ni(out_rst_ni));
  always_comb begin
    if (in_rst_before && !in_rst_ni) assume (!out_rst_ni);
    if (out_rst_before && !out_rst_ni) assume (!in_rst_ni);
  end

  proof_stable #(.DataWidth(DataWidth)) u_stable (
    .clk_i(out_clk_i), .rst_ni(out_rst_ni), .free_i(1'b0), .valid_i(out_valid),
    .ready_i(out_ready_i), .data_i(out_data)
  );

  count_t               held, ahead;
  logic                 watched;
  logic [DataWidth-1:0] data;

  proof_scoreboard #(.DataWidth(DataWidth), .CountBits(IndexBits + 2)) u_scoreboard (
    .in_clk_i, .in_rst_ni, .in_clear_i(1'b0), .in_beat_i(in_valid_i && in_ready), .in_data_i,
    .out_clk_i, .out_rst_ni, .out_clear_i(1'b0), .out_beat_i(out_valid && out_ready_i),
    .out_data_i(out_data),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(data)
  );

  always_comb begin
    assert (held <= count_t'(Depth + 1));
    if (in_rst_ni && out_rst_ni) begin
      cover (held == count_t'(Depth + 1) && !in_ready);
      cover (u_dut.read_q == pointer_t'(3) && !out_valid && in_ready);
      cover (u_dut.u_sync_write.sampled != u_dut.write_gray_q && out_valid);
    end
  end

  // ---- the pointers in transit: none overtakes another ----
  function automatic pointer_t decoded(input pointer_t code);
    pointer_t value;
    value = code;
    for (int unsigned i = 1; i <= IndexBits; i++) value = value ^ (code >> i);
    return value;
  endfunction

  // Counted from the oldest, the read pointer at the input side, up to the write pointer.
  pointer_t oldest;
  pointer_t [5:0] way;
  assign oldest = decoded(u_dut.u_sync_read.stages_q[1]);
  assign way[0] = decoded(u_dut.u_sync_read.stages_q[0]) - oldest;
  assign way[1] = decoded(u_dut.u_sync_read.sampled) - oldest;
  assign way[2] = u_dut.read_q - oldest;
  assign way[3] = decoded(u_dut.u_sync_write.stages_q[1]) - oldest;
  assign way[4] = decoded(u_dut.u_sync_write.stages_q[0]) - oldest;
  assign way[5] = decoded(u_dut.u_sync_write.sampled) - oldest;

  pointer_t write_way, place;
  assign write_way = u_dut.write_q - oldest;
  assign place = u_dut.read_q + pointer_t'(ahead) - pointer_t'(out_valid);

  if (Invariants) begin : gen_invariants
    always_comb begin
      assert (u_dut.write_gray_q == u_dut.gray(u_dut.write_q));
      assert (u_dut.read_gray_q == u_dut.gray(u_dut.read_q));
      for (int unsigned i = 0; i < 5; i++) assert (way[i] <= way[i+1]);
      assert (way[5] <= write_way && write_way <= pointer_t'(Depth));
      // A value that is not the newest is the one before it.
      if (u_dut.u_sync_write.sampled != u_dut.write_gray_q) begin
        assert (u_dut.u_sync_write.older == u_dut.gray(u_dut.write_q - 1'b1));
      end
      if (u_dut.u_sync_read.sampled != u_dut.read_gray_q) begin
        assert (u_dut.u_sync_read.older == u_dut.gray(u_dut.read_q - 1'b1));
      end

      assert (held == count_t'(pointer_t'(u_dut.write_q - u_dut.read_q)) + count_t'(out_valid));
      if (watched && out_valid && ahead == 0) assert (u_dut.out_q == data);
      else if (watched) assert (u_dut.memory[place[IndexBits-1:0]] == data);
    end
  end
endmodule
