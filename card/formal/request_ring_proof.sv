// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// request_ring_proof: the beats that leave request_ring are the published places, each once and in
// order, with the last byte that was stored at each byte of them before they were published. An
// offered beat stays until it is accepted. Assumed: stores are to free places, and at most the free
// places are published.
//
// The published beats are numbered modulo 2^CountBits. One arbitrary number is watched, as in
// proof_scoreboard, and one arbitrary byte of it.
module request_ring_proof #(
  parameter int unsigned BeatBytes = 2,
  parameter int unsigned Depth = 4,
  parameter bit Invariants = 1'b1,
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   store_i,
  input logic [IndexBits-1:0]   store_index_i,
  input logic [BeatBytes-1:0]   store_strobe_i,
  input logic [8*BeatBytes-1:0] store_data_i,
  input logic [IndexBits:0]     publish_i,
  input logic                   out_ready_i
);
  localparam int unsigned CountBits = IndexBits + 2;
  typedef logic [CountBits-1:0] count_t;

  logic [IndexBits-1:0]   first;
  logic [IndexBits:0]     room;
  logic                   out_valid;
  logic [8*BeatBytes-1:0] out_data;

  request_ring #(.BeatBytes(BeatBytes), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .first_o(first), .room_o(room), .store_i, .store_index_i, .store_strobe_i,
    .store_data_i, .publish_i, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(8 * BeatBytes)) u_out (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  count_t                         number_q, published_q, left_q, ahead, later;
  logic [$clog2(BeatBytes+1)-1:0] byte_q;
  logic [7:0]                     data_q;
  logic [IndexBits-1:0]           place;
  logic                           leaves, watched, future;

  // The watched beat has its place for as long as it is one of the next Depth to be published.
  assign later = number_q - published_q;
  assign ahead = number_q - left_q;
  assign future = later < count_t'(room);
  assign watched = ahead < published_q - left_q;
  assign place = first + later[IndexBits-1:0];
  assign leaves = out_valid && out_ready_i;

  always_ff @(posedge clk_i) begin
    number_q <= number_q;  // arbitrary and constant
    byte_q <= byte_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      published_q <= '0;
      left_q <= '0;
    end else begin
      published_q <= published_q + count_t'(publish_i);
      left_q <= left_q + count_t'(leaves);
    end
  end
  // Stored at least once before it is published, so that the byte is known.
  logic stored_q, stores;
  assign stores = store_i && future && store_index_i == place
      && (store_strobe_i >> byte_q) % 2 == 1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stored_q <= 1'b0;
    else stored_q <= stores || (stored_q && (future || watched));
  end
  always_ff @(posedge clk_i) if (stores) data_q <= 8'(store_data_i >> (8 * byte_q));

  always_comb begin
    assume (byte_q < BeatBytes);
    assume (publish_i <= room);
    if (store_i) assume ({1'b0, store_index_i - first} < room);
    if (rst_ni) begin
      assert (room <= (IndexBits + 1)'(Depth));
      // A place is free as soon as its beat is in the output register.
      assert (count_t'(Depth) - count_t'(room) + count_t'(out_valid) == published_q - left_q);
      if (out_valid && watched && ahead == '0 && stored_q) begin
        assert (8'(out_data >> (8 * byte_q)) == data_q);
      end

      cover (room == '0 && out_valid && stored_q && watched && ahead == 3);
      cover (leaves && watched && stored_q && first != '0 && publish_i > 1);
    end
  end

  if (Invariants) begin : gen_invariants
    logic [IndexBits-1:0] now;
    assign now = u_dut.read_q + ahead[IndexBits-1:0] - IndexBits'(out_valid);
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.first_q == u_dut.read_q + u_dut.count_q[IndexBits-1:0]);
        assert (u_dut.count_q <= (IndexBits + 1)'(Depth));
        assert (first == published_q[IndexBits-1:0]);
        if (watched && stored_q && !(out_valid && ahead == '0)) begin
          assert (u_dut.memory[now][byte_q] == data_q);
        end
        if (future && stored_q) assert (u_dut.memory[place][byte_q] == data_q);
      end
    end
  end
endmodule
