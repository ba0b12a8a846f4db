// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_compress: BLAKE3's compression function (paper, section 2.2), a block a clock.
//
// A pipeline without stall: results come out Latency clocks after their inputs, in order. value_o
// is the new chaining value, which is the first half of an extended output. high_o is the second
// half before the XOR with the old chaining value, which is not carried along.
//
// The tag comes out TagAhead clocks before the result, so that its consumer can look up other
// inputs in time.
//
// Latency: 7 * StagesPerRound clocks from issue to result.
module blake3_compress
  import blake3_pkg::*;
#(
  parameter int unsigned StagesPerRound = 4,  // 1, 2, 4 or 8
  parameter int unsigned TagAhead = 5  // at most the latency minus 2
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   issue_valid_i,
  input  input_t issue_i,
  input  tag_t   issue_tag_i,

  output logic   ahead_valid_o,
  output tag_t   ahead_tag_o,
  output value_t value_o,
  output value_t high_o,
  output logic   memory_error_o
);
  localparam int unsigned Latency = Rounds * StagesPerRound;

  logic [Rounds:0] valid;
  logic [15:0][31:0] state[Rounds+1];
  logic [15:0][31:0] message[Rounds+1];

  assign valid[0]   = issue_valid_i;
  assign message[0] = issue_i.block;
  assign state[0]   = {32'(issue_i.flags), 32'(issue_i.bytes), issue_i.counter,
                       InitialValue[3:0], issue_i.value};

  for (genvar r = 0; r < Rounds; r++) begin : gen_round
    logic [15:0][31:0] message_out;

    blake_round #(
      .WordBits (32),
      .Rotation0(16),
      .Rotation1(12),
      .Rotation2(8),
      .Rotation3(7),
      .Stages   (StagesPerRound)
    ) u_round (
      .clk_i,
      .rst_ni,
      .valid_i  (valid[r]),
      .state_i  (state[r]),
      .message_i(message[r]),
      .valid_o  (valid[r+1]),
      .state_o  (state[r+1]),
      .message_o(message_out)
    );
    assign message[r+1] = permute(message_out);
  end

  assign value_o = state[Rounds][7:0] ^ state[Rounds][15:8];
  assign high_o  = state[Rounds][15:8];

  logic unused_end;
  assign unused_end = ^{valid[Rounds], message[Rounds]};

  memory_delay #(
    .DataWidth($bits(tag_t)),
    .Stages   (Latency - TagAhead)
  ) u_tags (
    .clk_i,
    .rst_ni,
    .valid_i(issue_valid_i),
    .data_i (issue_tag_i),
    .valid_o(ahead_valid_o),
    .data_o (ahead_tag_o),
    .memory_error_o
  );
endmodule
