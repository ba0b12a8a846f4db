// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_blake2b: BLAKE2b of a block header and a number, one hash a clock, given the chaining
// value after the header's first 128 bytes (RFC 7693, section 3.2).
//
// The second and last block consists of the header's last 12 bytes and the number, 32 bits
// little-endian: words 0 and 1. The other 14 words are zero, so each round is built without them.
//
// A pipeline without stall: mixed_o belongs to the input of Latency = 12 * StagesPerRound clocks
// ago. The hash is mixed_o ^ value_i; value_i is not carried along.
module equihash_blake2b
  import equihash_pkg::*;
#(
  parameter int unsigned StagesPerRound = 8  // 1, 2, 4 or 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [7:0][63:0] value_i,
  input  logic [95:0]      tail_i,
  input  logic [31:0]      number_i,
  output logic [7:0][63:0] mixed_o
);
  // Returns the position in the round that uses a word of the message.
  function automatic int unsigned place_of(input int unsigned round, input logic [3:0] word);
    place_of = 0;
    for (int unsigned i = 0; i < 16; i++) begin
      if (Sigma[round % 10][i] == word) place_of = i;
    end
  endfunction

  logic [Rounds:0]   valid;
  logic [15:0][63:0] state[Rounds+1];
  logic [1:0][63:0]  words[Rounds+1];

  assign valid[0] = valid_i;
  assign words[0] = {number_i, tail_i};
  always_comb begin
    state[0] = {InitialValue, value_i};
    state[0][12] ^= 64'd144;  // length of the message in bytes
    state[0][14] = ~state[0][14];
  end

  for (genvar r = 0; r < Rounds; r++) begin : gen_round
    localparam int unsigned Place0 = place_of(r, 4'd0);
    localparam int unsigned Place1 = place_of(r, 4'd1);
    logic [15:0][63:0] message, message_out;

    always_comb begin
      message = '0;
      message[Place0] = words[r][0];
      message[Place1] = words[r][1];
    end

    blake_round #(
      .WordBits (64),
      .Rotation0(32),
      .Rotation1(24),
      .Rotation2(16),
      .Rotation3(63),
      .Stages   (StagesPerRound),
      .Used     (16'(1 << Place0 | 1 << Place1))
    ) u_round (
      .clk_i,
      .rst_ni,
      .valid_i  (valid[r]),
      .state_i  (state[r]),
      .message_i(message),
      .valid_o  (valid[r+1]),
      .state_o  (state[r+1]),
      .message_o(message_out)
    );
    assign words[r+1] = {message_out[Place1], message_out[Place0]};

    logic unused_zeros;
    assign unused_zeros = ^message_out;
  end

  assign mixed_o = state[Rounds][7:0] ^ state[Rounds][15:8];

  logic unused;
  assign unused = ^{valid[Rounds], words[Rounds]};
endmodule
