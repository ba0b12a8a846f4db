// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_merge: merges each pair of incoming sorted runs of Run indices into one of 2 * Run.
//
// Accepts an index in every clock, without a ready, and outputs one in every clock in which the
// smallest is known. Once the right run has begun, this is always the case while indices arrive
// without a pause. So at most Run indices plus those of a few clocks are ever inside:
//
// While the right run arrives, an index leaves for each one that arrives, except in the first few
// clocks. When the right run is complete, Run indices have arrived and Run minus those few have
// left; from then on one leaves in every clock, and at most one arrives. Pauses only delay the
// input.
//
// The data that travels with an index (its slot and set) is in higher bits and is not compared.
module equihash_merge
  import equihash_pkg::*;
#(
  parameter int unsigned Run = 1
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  valid_i,
  input  leaf_t leaf_i,
  output logic  valid_o,
  output leaf_t leaf_o,
  output logic  memory_error_o
);
  logic [1:0] errors;
  assign memory_error_o = errors != '0;

  // Additional entries besides a whole run: an index is offered two clocks after it arrives.
  localparam int unsigned Slack = 5;
  localparam int unsigned CountBits = $clog2(Run + 1);

  typedef logic [CountBits-1:0] count_t;

  logic   right_in_q;             // the incoming run is a right one
  count_t in_left_q;              // indices of it still to come
  count_t left_left_q, right_left_q;  // indices left of the runs being merged
  logic   left_valid, left_take, left_ready, right_valid, right_take, right_ready;
  leaf_t  left, right;
  logic   left_done, right_done, left_first, last;

  stream_fifo #(.DataWidth($bits(leaf_t)), .Depth(Run + Slack)) u_left (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (valid_i && !right_in_q),
    .in_ready_o (left_ready),
    .in_data_i  (leaf_i),
    .out_valid_o(left_valid),
    .out_ready_i(left_take),
    .out_data_o (left),
    .memory_error_o(errors[0])
  );

  stream_fifo #(.DataWidth($bits(leaf_t)), .Depth(Run + Slack)) u_right (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (valid_i && right_in_q),
    .in_ready_o (right_ready),
    .in_data_i  (leaf_i),
    .out_valid_o(right_valid),
    .out_ready_i(right_take),
    .out_data_o (right),
    .memory_error_o(errors[1])
  );

  assign left_done  = left_left_q == '0;
  assign right_done = right_left_q == '0;
  assign left_first = left.index <= right.index;
  assign left_take  = left_valid && !left_done
                      && (right_done || (right_valid && left_first));
  assign right_take = right_valid && !right_done
                      && (left_done || (left_valid && !left_first));
  assign last       = (left_take && right_done && left_left_q == count_t'(1))
                      || (right_take && left_done && right_left_q == count_t'(1));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      right_in_q   <= 1'b0;
      in_left_q    <= count_t'(Run);
      left_left_q  <= count_t'(Run);
      right_left_q <= count_t'(Run);
      valid_o      <= 1'b0;
    end else begin
      if (valid_i) begin
        in_left_q <= in_left_q == count_t'(1) ? count_t'(Run) : in_left_q - count_t'(1);
        if (in_left_q == count_t'(1)) right_in_q <= !right_in_q;
      end
      left_left_q  <= last ? count_t'(Run) : left_left_q - count_t'(left_take);
      right_left_q <= last ? count_t'(Run) : right_left_q - count_t'(right_take);
      valid_o      <= left_take || right_take;
    end
  end

  always_ff @(posedge clk_i) begin
    if (left_take || right_take) leaf_o <= left_take ? left : right;
  end

`ifndef SYNTHESIS
  // The claim of the header about the indices inside.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni && valid_i) assert (right_in_q ? right_ready : left_ready);
  end
`endif
endmodule
