// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// request_queue_proof: request_queue is idle if and only if it is empty, accepts Depth beats and
// one, keeps its offers until they are accepted, and is empty after clear_i. (The order of its
// beats is that of stream_fifo: see stream_fifo_proof.)
module request_queue_proof #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned Depth = 4,
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
  logic                 in_ready, out_valid, idle;
  logic [DataWidth-1:0] out_data;

  request_queue #(.DataWidth(DataWidth), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .clear_i, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .idle_o(idle)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth)) u_stable (
    .clk_i, .rst_ni, .free_i(clear_i), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  logic [CountBits-1:0] held_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (clear_i) held_q <= '0;
    else held_q <= held_q + CountBits'(in_valid_i && in_ready) - CountBits'(out_valid && out_ready_i);
  end

  always_comb begin
    if (rst_ni) begin
      assert (idle == (held_q == '0));
      assert (!(idle && out_valid));
      assert (in_ready || held_q >= CountBits'(Depth));

      cover (held_q == CountBits'(Depth + 1));
      cover (idle && u_dut.u_fifo.read_q == 1 && !clear_i);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (CountBits'(u_dut.count_q) == held_q);
        assert (held_q == CountBits'(u_dut.u_fifo.count_q) + CountBits'(out_valid));
        assert (32'(u_dut.u_fifo.count_q) <= Depth);
      end
    end
  end
endmodule
