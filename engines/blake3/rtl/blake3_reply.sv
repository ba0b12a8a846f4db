// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_reply: writes reply frames out of the messages' output and of refusals.
//
// Frame (64-bit beats, little-endian): header {command, length in bytes}; index; status; then, with
// status 0, the bytes of output; CRC-32C of all that, and four zero bytes. The checksum stands
// directly behind the output, wherever in a beat that ends.
//
// Cycles: one beat a clock, without a gap between frames while the output is there; where the
// output does not end with a beat, one more for each byte of its last one.
module blake3_reply
  import blake3_pkg::*;
#(
  parameter int unsigned Messages = 128,
  localparam int unsigned MessageBits = $clog2(Messages)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        begin_i,  // a message begins: whom to answer, and with how much
  input  slot_t       begin_message_i,
  input  logic [63:0] begin_index_i,
  input  logic [15:0] begin_bytes_i,

  input  logic        refusal_valid_i,
  output logic        refusal_ready_o,
  input  logic        refusal_data_i,  // of a blake3_data command
  input  logic [63:0] refusal_index_i,
  input  status_e     refusal_status_i,

  input  logic        done_valid_i,  // messages, in the order of their blocks
  output logic        done_ready_o,
  input  slot_t       done_message_i,
  input  logic        block_valid_i,
  output logic        block_ready_o,
  input  block_t      block_i,

  output logic        free_valid_o,  // a message is answered
  output slot_t       free_message_o,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o
);
  // ---- What to answer next ----------------------------------------------------------------------
  typedef struct packed {
    logic        data;
    logic [63:0] index;
    status_e     status;
    logic [15:0] bytes;
    slot_t       message;
  } answer_t;

  answer_t     next_q;
  logic        next_valid_q, fetching_q, next_taken, fetch;
  logic [63:0] index;
  logic [15:0] bytes;

  assign refusal_ready_o = !next_valid_q && !fetching_q;
  assign done_ready_o    = !next_valid_q && !fetching_q && !refusal_valid_i;
  assign fetch           = done_valid_i && done_ready_o;

  field_core_memory #(
    .Width(80),
    .Depth(Messages)
  ) u_messages (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(MessageBits'(begin_message_i)),
    .write_data_i   ({begin_index_i, begin_bytes_i}),
    .read_enable_i  (fetch),
    .read_address_i (MessageBits'(done_message_i)),
    .read_data_o    ({index, bytes})
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      fetching_q   <= 1'b0;
    end else begin
      fetching_q <= fetch;
      if (fetching_q || (refusal_valid_i && refusal_ready_o)) next_valid_q <= 1'b1;
      else if (next_taken) next_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch) next_q.message <= done_message_i;
    if (fetching_q) begin
      next_q.data   <= 1'b0;
      next_q.index  <= index;
      next_q.status <= StatusOk;
      next_q.bytes  <= bytes;
    end else if (refusal_valid_i && refusal_ready_o) begin
      next_q.data   <= refusal_data_i;
      next_q.index  <= refusal_index_i;
      next_q.status <= refusal_status_i;
      next_q.bytes  <= '0;
    end
  end

  // ---- The frame --------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    BeatHeader,
    BeatIndex,
    BeatStatus,
    BeatOutput,
    BeatTail,      // no beat: the checksum of the output's last bytes, one a clock
    BeatMixed,     // those bytes, and the checksum as far as it fits
    BeatChecksum,
    BeatRest       // what did not fit
  } beat_e;

  beat_e       beat_q;
  answer_t     answer_q;
  logic [15:0] left_q;   // bytes of output
  logic [2:0]  place_q;  // beat of the block
  logic [2:0]  tail_q;   // bytes of the last beat that are in the checksum
  logic [31:0] crc_q, crc, crc_tail;
  logic [63:0] output_beat, checksum, tail_mask;
  logic [7:0]  tail_byte;
  logic        take, ends_block;

  assign output_beat = block_i[64*place_q +: 64];
  assign tail_byte   = output_beat[8*tail_q +: 8];
  assign tail_mask   = ~(64'hffff_ffff_ffff_ffff << (8 * left_q[2:0]));
  assign checksum    = {32'd0, ~crc_q};

  always_comb begin
    rpl_valid_o = 1'b1;
    rpl_last_o  = 1'b0;
    rpl_data_o  = checksum;
    unique case (beat_q)
      BeatHeader: begin
        rpl_valid_o = next_valid_q;
        rpl_data_o  = {next_q.data ? ReplyData : ReplyHash, ReplyFixedBytes + 32'(next_q.bytes)};
      end
      BeatIndex:  rpl_data_o = answer_q.index;
      BeatStatus: rpl_data_o = 64'(answer_q.status);
      BeatOutput: begin
        rpl_valid_o = block_valid_i;
        rpl_data_o  = output_beat;
      end
      BeatTail:   rpl_valid_o = 1'b0;
      BeatMixed:  rpl_data_o = (output_beat & tail_mask) | (checksum << (8 * left_q[2:0]));
      BeatRest: begin
        rpl_data_o = checksum >> (8 * (4'd8 - 4'(left_q[2:0])));
        rpl_last_o = 1'b1;
      end
      default:    rpl_last_o = 1'b1;
    endcase
  end
  assign take       = rpl_valid_o && rpl_ready_i;
  assign next_taken = take && beat_q == BeatHeader;
  assign ends_block = place_q == 3'd7 || left_q == 16'd8;
  assign block_ready_o = (beat_q == BeatOutput && take && ends_block) ||
                         (beat_q == BeatMixed && take);
  assign free_valid_o   = take && rpl_last_o && answer_q.status == StatusOk;
  assign free_message_o = answer_q.message;

  crc32c_beat u_crc (
    .state_i(crc_q),
    .data_i (rpl_data_o),
    .state_o(crc)
  );
  crc32c_beat #(
    .Bytes(1)
  ) u_crc_tail (
    .state_i(crc_q),
    .data_i (tail_byte),
    .state_o(crc_tail)
  );

  // What comes behind `left` more bytes of output.
  function automatic beat_e beat_for(input logic [15:0] left);
    if (left == '0) return BeatChecksum;
    return left < 16'd8 ? BeatTail : BeatOutput;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= BeatHeader;
      crc_q  <= '1;
    end else begin
      unique case (beat_q)
        BeatHeader: if (take) beat_q <= BeatIndex;
        BeatIndex:  if (take) beat_q <= BeatStatus;
        BeatStatus: if (take) beat_q <= beat_for(left_q);
        BeatOutput: if (take) beat_q <= beat_for(left_q - 16'd8);
        BeatTail:   if (block_valid_i && tail_q + 3'd1 == left_q[2:0]) beat_q <= BeatMixed;
        BeatMixed:  if (take) beat_q <= BeatRest;
        default:    if (take) beat_q <= BeatHeader;
      endcase
      if (take && rpl_last_o) crc_q <= '1;
      else if (take && beat_q != BeatMixed) crc_q <= crc;
      else if (beat_q == BeatTail && block_valid_i) crc_q <= crc_tail;
    end
  end

  always_ff @(posedge clk_i) begin
    if (next_taken) begin
      answer_q <= next_q;
      left_q   <= next_q.bytes;
      place_q  <= '0;
      tail_q   <= '0;
    end else if (take && beat_q == BeatOutput) begin
      left_q  <= left_q - 16'd8;
      place_q <= place_q + 3'd1;
    end
    if (beat_q == BeatTail && block_valid_i) tail_q <= tail_q + 3'd1;
  end

  logic unused;
  assign unused = ^{answer_q.data, answer_q.bytes, begin_message_i};
endmodule
