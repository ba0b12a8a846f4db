// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// proof_scoreboard: the beats that leave a queue are those that entered it, each once and in order.
//
// Beats are numbered on each side, modulo 2^CountBits. One arbitrary number is watched, so a proof
// for it holds for all numbers. The beat of that number is stored when it enters and compared when
// it leaves. A queue holds fewer than 2^CountBits beats (its proof asserts a bound of held_o), so
// at most one of the numbers that are equal modulo 2^CountBits is inside.
//
// The outputs are for the invariants of a proof: the number of beats inside, whether the watched
// one is inside, how many leave before it, and its contents.
module proof_scoreboard #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned CountBits = 6
) (
  input  logic                 in_clk_i,
  input  logic                 in_rst_ni,
  input  logic                 in_clear_i,   // drop all beats, in this clock
  input  logic                 in_beat_i,    // valid and ready
  input  logic [DataWidth-1:0] in_data_i,

  input  logic                 out_clk_i,
  input  logic                 out_rst_ni,
  input  logic                 out_clear_i,
  input  logic                 out_beat_i,
  input  logic [DataWidth-1:0] out_data_i,

  output logic [CountBits-1:0] held_o,
  output logic                 watched_o,
  output logic [CountBits-1:0] ahead_o,
  output logic [DataWidth-1:0] data_o
);
  logic [CountBits-1:0] number_q, taken_q, given_q;
  logic [DataWidth-1:0] data_q;

  // No reset and no other value: arbitrary and constant.
  always_ff @(posedge in_clk_i) number_q <= number_q;

  always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
    if (!in_rst_ni) begin
      taken_q <= '0;
      data_q  <= '0;
    end else if (in_clear_i) begin
      taken_q <= '0;
    end else if (in_beat_i) begin
      taken_q <= taken_q + 1'b1;
      if (taken_q == number_q) data_q <= in_data_i;
    end
  end

  always_ff @(posedge out_clk_i or negedge out_rst_ni) begin
    if (!out_rst_ni) given_q <= '0;
    else if (out_clear_i) given_q <= '0;
    else if (out_beat_i) given_q <= given_q + 1'b1;
  end

  assign held_o = taken_q - given_q;
  assign ahead_o = number_q - given_q;
  assign watched_o = ahead_o < held_o;
  assign data_o = data_q;

  always_comb begin
    if (out_rst_ni && out_beat_i) begin
      assert (held_o != '0);                                   // no invented beat, no duplicate
      if (given_q == number_q) assert (out_data_i == data_q);  // the right one
    end
  end
endmodule
