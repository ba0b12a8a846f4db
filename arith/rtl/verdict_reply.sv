// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// verdict_reply: converts verdicts and refused frames to reply frames, with eight bytes per beat.
//
//   of a verdict           0 length, Command         1 index   2 the verdict
//   of a checked verdict   0 length, CheckedCommand  1 index   2 the verdict      3 checksum
//   of a refusal           0 length, IgnoreCommand   1 the refused frame's header
//
// The checksum is the CRC-32C of the beats before it. A verdict stays the same until it is
// accepted.
//
// Each is accepted with the last beat of its reply. A refusal goes first. The source of refusals
// offers the next one only afterwards, so that a waiting verdict passes between two refusals.
//
// Cycles: one before each frame, then one per beat.
module verdict_reply #(
  parameter logic [31:0] Command = 32'd0,               // of a verdict's reply
  parameter logic [31:0] CheckedCommand = 32'd0,        // of a checked verdict's
  parameter logic [31:0] IgnoreCommand = 32'h8000_0002  // fpga_ignore_rpl
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        verdict_valid_i,
  output logic        verdict_ready_o,
  input  logic [63:0] verdict_index_i,
  input  logic [63:0] verdict_found_i,
  input  logic        verdict_checked_i,  // its reply ends with a checksum

  input  logic        refusal_valid_i,
  output logic        refusal_ready_o,
  input  logic [63:0] refusal_header_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o
);
  localparam logic [31:0] VerdictBytes = 32'd24;
  localparam logic [31:0] CheckedBytes = 32'd32;
  localparam logic [31:0] IgnoreBytes  = 32'd16;

  logic        offers_q, refusal_q;  // a reply has begun; it is a refusal's
  logic [1:0]  place_q;              // the offered beat
  logic [1:0]  last_place;
  logic        ends;
  logic [31:0] crc_q, crc;  // of the beats before this one, and including it

  assign last_place      = refusal_q ? 2'd1 : verdict_checked_i ? 2'd3 : 2'd2;
  assign rpl_valid_o     = offers_q;
  assign rpl_last_o      = place_q == last_place;
  assign ends            = offers_q && rpl_ready_i && rpl_last_o;
  assign verdict_ready_o = ends && !refusal_q;
  assign refusal_ready_o = ends && refusal_q;

  always_comb begin
    unique case (place_q)
      2'd0:    rpl_data_o = refusal_q ? {IgnoreCommand, IgnoreBytes}
                            : verdict_checked_i ? {CheckedCommand, CheckedBytes}
                            : {Command, VerdictBytes};
      2'd1:    rpl_data_o = refusal_q ? refusal_header_i : verdict_index_i;
      2'd2:    rpl_data_o = verdict_found_i;
      default: rpl_data_o = {32'd0, ~crc_q};
    endcase
  end

  // The input of the checksum: not all of rpl_data_o, for a short path.
  logic [63:0] summed;
  always_comb begin
    unique case (place_q)
      2'd0:    summed = {CheckedCommand, CheckedBytes};
      2'd1:    summed = verdict_index_i;
      default: summed = verdict_found_i;
    endcase
  end
  crc32c_beat u_crc (
    .state_i(crc_q),
    .data_i (summed),
    .state_o(crc)
  );
  always_ff @(posedge clk_i) begin
    if (!offers_q) crc_q <= '1;
    else if (rpl_ready_i) crc_q <= crc;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offers_q  <= 1'b0;
      refusal_q <= 1'b0;
      place_q   <= '0;
    end else if (!offers_q) begin
      offers_q  <= verdict_valid_i || refusal_valid_i;
      refusal_q <= refusal_valid_i;
      place_q   <= '0;
    end else if (rpl_ready_i) begin
      offers_q <= !rpl_last_o;
      place_q  <= place_q + 2'd1;
    end
  end
endmodule
