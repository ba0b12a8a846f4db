// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_difficulty: double SHA-256 and compact target, in Lanes lanes with one header each.
//
// A message that begins reserves the lane that is free then, and its words go to that lane. Its
// hash starts when the message is accepted, and proceeds while the rest arrives. A lane is busy for
// 65 clocks per block, and while the message's header arrives.
module equihash_difficulty
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001,
  parameter int unsigned Lanes = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        free_o,        // a lane is free; one clock late
  input  logic        begin_i,       // a message begins: it reserves the free lane
  input  logic        write_valid_i,
  input  logic [7:0]  write_place_i,
  input  logic [63:0] write_word_i,

  input  logic        write_last_i,  // of the message

  input  logic        accept_i,      // the message will come completely: its hash starts
  input  set_t        accept_set_i,
  input  slot_t       accept_slot_i,
  input  logic [31:0] accept_bits_i, // target of the slot

  output logic        verdict_valid_o,
  output slot_t       verdict_slot_o,
  output logic        verdict_missed_o,

  output logic        memory_error_o
);
  localparam int unsigned LaneBits = Lanes > 1 ? $clog2(Lanes) : 1;
  typedef logic [LaneBits-1:0] lane_t;

  lane_t             free_lane, free_lane_q, lane_q, done_lane;
  logic              free, start_q;
  set_t              start_set_q;
  logic [Lanes-1:0]  busy, done;
  logic [255:0]      digest[Lanes];
  slot_t             slots[Lanes];
  logic [31:0]       bits[Slots];

  // The lowest free lane. A free lane stays free until the next message is accepted, and is busy
  // before the message after that begins.
  logic [Lanes:0] errors;
  assign memory_error_o = errors != '0;

  always_comb begin
    free      = 1'b0;
    free_lane = '0;
    for (int unsigned l = Lanes; l > 0; l--) begin
      if (!busy[l-1]) begin
        free      = 1'b1;
        free_lane = lane_t'(l - 1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_o  <= 1'b0;
      start_q <= 1'b0;
    end else begin
      free_o  <= free;
      start_q <= accept_i;
    end
  end
  always_ff @(posedge clk_i) begin
    free_lane_q <= free_lane;
    if (begin_i) lane_q <= free_lane_q;
    if (accept_i) begin
      start_set_q         <= accept_set_i;
      slots[lane_q]       <= accept_slot_i;
      bits[accept_slot_i] <= accept_bits_i;
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    equihash_sha_lane #(.Built(Built)) u_lane (
      .clk_i,
      .rst_ni,
      .write_valid_i(write_valid_i && lane_q == lane_t'(l)),
      .write_place_i,
      .write_word_i,
      .write_last_i,
      .start_i      (start_q && lane_q == lane_t'(l)),
      .start_set_i  (start_set_q),
      .busy_o       (busy[l]),
      .done_valid_o (done[l]),
      .done_ready_i (done_lane == lane_t'(l)),
      .done_digest_o(digest[l]),
      .memory_error_o(errors[l])
    );
  end

  // Verdicts are rare: the lowest lane with a verdict outputs it.
  always_comb begin
    done_lane = '0;
    for (int unsigned l = Lanes; l > 0; l--) begin
      if (done[l-1]) done_lane = lane_t'(l - 1);
    end
  end

  memory_parity #(
    .Width     (32),
    .Depth     (Slots),
    .ReadClocks(0)
  ) u_bits_parity (
    .clk_i,
    .write_valid_i  (accept_i),
    .write_address_i(accept_slot_i),
    .write_data_i   (accept_bits_i),
    .read_enable_i  (1'b1),
    .read_address_i (slots[done_lane]),
    .check_i        (|done),
    .data_i         (bits[slots[done_lane]]),
    .error_o        (errors[Lanes])
  );

  equihash_target u_target (
    .clk_i,
    .rst_ni,
    .valid_i (|done),
    .slot_i  (slots[done_lane]),
    .bits_i  (bits[slots[done_lane]]),
    .digest_i(digest[done_lane]),
    .valid_o (verdict_valid_o),
    .slot_o  (verdict_slot_o),
    .missed_o(verdict_missed_o)
  );
endmodule
