// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_ring_proof: the ready beats of stream_ring are the beats that came in and were not
// consumed, in order, at the reported places, however often they are fetched. None is overwritten,
// and as long as fewer than Depth are ready the next one comes in. Assumed: at most the ready beats
// are consumed.
//
// The beats are numbered modulo 2^CountBits. One arbitrary number is watched, as in
// proof_scoreboard.
module stream_ring_proof #(
  parameter int unsigned DataWidth = 4,
  parameter int unsigned Depth = 4,
  parameter bit Invariants = 1'b1,
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic [IndexBits:0]   take_i,
  input logic                 fetch_i,
  input logic [IndexBits-1:0] fetch_index_i
);
  localparam int unsigned CountBits = IndexBits + 2;
  typedef logic [CountBits-1:0] count_t;

  logic                 in_ready;
  logic [IndexBits-1:0] first;
  logic [IndexBits:0]   ready;
  logic [DataWidth-1:0] fetched;

  stream_ring #(.DataWidth(DataWidth), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .first_o(first), .ready_o(ready), .take_i, .fetch_i, .fetch_index_i, .fetched_o(fetched)
  );

  proof_reset u_reset (.rst_ni);

  count_t               number_q, came_q, taken_q, ahead;
  logic [DataWidth-1:0] data_q;
  logic                 comes, watched, fetched_q;

  assign comes = in_valid_i && in_ready;
  assign ahead = number_q - taken_q;
  assign watched = ahead < came_q - taken_q;

  always_ff @(posedge clk_i) number_q <= number_q;  // arbitrary and constant
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      came_q <= '0;
      taken_q <= '0;
      data_q <= '0;
      fetched_q <= 1'b0;
    end else begin
      came_q <= came_q + count_t'(comes);
      taken_q <= taken_q + count_t'(take_i);
      if (comes && came_q == number_q) data_q <= in_data_i;
      fetched_q <= (fetch_i && watched && fetch_index_i == first + IndexBits'(ahead))
          || (fetched_q && !fetch_i);
    end
  end

  // A fetched beat stays, although a beat of the same number may have come in since.
  logic [DataWidth-1:0] kept_q;
  always_ff @(posedge clk_i) if (fetch_i) kept_q <= data_q;

  always_comb begin
    assume (take_i <= ready);
    if (rst_ni) begin
      assert (count_t'(ready) == came_q - taken_q && ready <= (IndexBits + 1)'(Depth));
      assert (in_ready == (ready < (IndexBits + 1)'(Depth)));
      if (fetched_q) assert (fetched == kept_q);

      cover (ready == (IndexBits + 1)'(Depth) && fetched_q && fetched != '0);
      cover (comes && take_i == ready && ready > 1 && first != '0);
    end
  end

  if (Invariants) begin : gen_invariants
    logic [IndexBits-1:0] place;
    assign place = first + IndexBits'(ahead);
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.write_q == first + ready[IndexBits-1:0]);
        assert (first == taken_q[IndexBits-1:0]);
        if (watched) assert (u_dut.memory[place] == data_q);
      end
    end
  end
endmodule
