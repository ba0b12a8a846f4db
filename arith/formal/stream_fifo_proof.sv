// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_fifo_proof: stream_fifo loses no beat, duplicates none, keeps their order, keeps its
// offers until they are accepted, accepts Depth beats and one, and offers a beat at the latest in
// the second clock after it was accepted.
module stream_fifo_proof #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned Depth = 5,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 out_ready_i
);
  localparam int unsigned CountBits = $clog2(Depth + 2) + 1;
  typedef logic [CountBits-1:0] count_t;

  logic                 in_ready, out_valid;
  logic [DataWidth-1:0] out_data;

  stream_fifo #(.DataWidth(DataWidth), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .clear_i, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth)) u_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  count_t               held, ahead;
  logic                 watched;
  logic [DataWidth-1:0] data;

  proof_scoreboard #(.DataWidth(DataWidth), .CountBits(CountBits)) u_scoreboard (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(clear_i),
    .in_beat_i(in_valid_i && in_ready), .in_data_i,
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(clear_i),
    .out_beat_i(out_valid && out_ready_i), .out_data_i(out_data),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(data)
  );

  // No offer while a beat is held: for at most one clock.
  logic empty_handed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) empty_handed_q <= 1'b0;
    else empty_handed_q <= !clear_i && held != 0 && !out_valid;
  end

  always_comb begin
    if (rst_ni) begin
      assert (in_ready == (held - count_t'(out_valid) < count_t'(Depth)));
      assert (held <= count_t'(Depth + 1));
      assert (!empty_handed_q || out_valid);

      cover (held == count_t'(Depth + 1) && out_ready_i);
      if (Depth > 1) cover (held == '0 && u_dut.read_q == 1 && !clear_i);
    end
  end

  // A place of the memory, and that of the watched beat unless it is in the output register.
  function automatic count_t wrapped(input count_t index);
    return index >= count_t'(Depth) ? index - count_t'(Depth) : index;
  endfunction
  count_t place, write_place;
  assign place = wrapped(count_t'(u_dut.read_q) + ahead - count_t'(out_valid));
  assign write_place = wrapped(count_t'(u_dut.read_q) + count_t'(u_dut.count_q));

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (count_t'(u_dut.read_q) < count_t'(Depth));
        assert (count_t'(u_dut.count_q) <= count_t'(Depth));
        assert (held == count_t'(u_dut.count_q) + count_t'(out_valid));
        assert (count_t'(u_dut.write_q) == write_place);
        if (watched && out_valid && ahead == 0) assert (u_dut.out_q == data);
        else if (watched) assert (u_dut.memory[place] == data);
      end
    end
  end
endmodule
