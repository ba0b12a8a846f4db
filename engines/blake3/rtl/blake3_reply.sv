// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_reply: converts the messages' output and refusals to reply frames.
//
// Frame (64-bit beats, little-endian): header {command, length in bytes}; index; status; then, with
// status 0, the bytes of output; CRC-32C of all these bytes, and four zero bytes. The checksum
// follows the output directly, at any byte of a beat, so this module does not use stream_checksum,
// which puts it in a separate beat.
//
// Cycles: one beat a clock, with a latency of two clocks, without a gap between frames while output
// is available; if the output does not end with a beat, one more clock for each byte of its last
// beat.
module blake3_reply
  import blake3_pkg::*;
#(
  parameter int unsigned Messages = 128,
  localparam int unsigned MessageBits = $clog2(Messages)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        begin_i,  // a message begins: its index and the length of its reply
  input  slot_t       begin_message_i,
  input  logic [63:0] begin_index_i,
  input  logic [15:0] begin_bytes_i,

  input  logic        refusal_valid_i,
  output logic        refusal_ready_o,
  input  logic        refusal_data_i,  // the refused command is blake3_data
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

  output logic        memory_error_o,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o
);
  // ---- The next reply ---------------------------------------------------------------------------
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

  checked_memory #(
    .Width(80),
    .Depth(Messages)
  ) u_messages (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(MessageBits'(begin_message_i)),
    .write_data_i   ({begin_index_i, begin_bytes_i}),
    .read_enable_i  (fetch),
    .read_address_i (MessageBits'(done_message_i)),
    .read_data_o    ({index, bytes}),
    .check_i        (fetching_q),
    .error_o        (memory_error_o)
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
    BeatChecksum  // or the part of it that does not fit after the output
  } beat_e;

  beat_e       beat_q;
  answer_t     answer_q;
  logic [15:0] left_q;         // bytes of output
  logic        last_output_q;  // at most eight
  logic [2:0]  place_q;        // beat of the block
  logic        valid, ready, take, last, answered_q;
  logic [2:0]  tail;           // output bytes of a partial beat; 0 for a full beat
  logic [63:0] data;

  always_comb begin
    valid = 1'b1;
    last  = 1'b0;
    tail  = '0;
    data  = block_i[64*place_q +: 64];
    unique case (beat_q)
      BeatHeader: begin
        valid = next_valid_q;
        data  = {next_q.data ? ReplyData : ReplyHash, ReplyFixedBytes + 32'(next_q.bytes)};
      end
      BeatIndex:  data = answer_q.index;
      BeatStatus: data = 64'(answer_q.status);
      BeatOutput: begin
        valid = block_valid_i;
        if (last_output_q) tail = left_q[2:0];
      end
      default: last = 1'b1;  // (the data is ignored)
    endcase
  end
  assign take          = valid && ready;
  assign next_taken    = take && beat_q == BeatHeader;
  assign block_ready_o = take && beat_q == BeatOutput && (place_q == 3'd7 || last_output_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q     <= BeatHeader;
      answered_q <= 1'b0;
    end else begin
      answered_q <= take && last && answer_q.status == StatusOk;
      if (take) begin
        unique case (beat_q)
          BeatHeader: beat_q <= BeatIndex;
          BeatIndex:  beat_q <= BeatStatus;
          BeatStatus: beat_q <= left_q == '0 ? BeatChecksum : BeatOutput;
          BeatOutput: if (last_output_q) beat_q <= BeatChecksum;
          default:    beat_q <= BeatHeader;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (next_taken) begin
      answer_q      <= next_q;
      left_q        <= next_q.bytes;
      last_output_q <= next_q.bytes <= 16'd8;
      place_q       <= '0;
    end else if (take && beat_q == BeatOutput) begin
      left_q        <= left_q - 16'd8;
      last_output_q <= left_q <= 16'd16;
      place_q       <= place_q + 3'd1;
    end
    free_message_o <= answer_q.message;
  end
  assign free_valid_o = answered_q;

  // ---- The checksum -----------------------------------------------------------------------------
  // (Shifts are by less than eight bytes: 8 - behind_q in three bits.)
  logic        sum_valid, sum_ready, sum_last, whole;
  logic [63:0] sum_data, checksum, mixed;
  logic [2:0]  sum_tail, summed_q;  // bytes of the beat, and those in the checksum
  logic [2:0]  behind_q;            // bytes of output in the beat before the last
  logic [31:0] crc_q, crc, crc_tail;

  stream_skid #(
    .DataWidth(68)
  ) u_slice (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (valid),
    .in_ready_o (ready),
    .in_data_i  ({last, tail, data}),
    .out_valid_o(sum_valid),
    .out_ready_i(sum_ready),
    .out_data_o ({sum_last, sum_tail, sum_data})
  );

  crc32c_beat u_crc (
    .state_i(crc_q),
    .data_i (sum_data),
    .state_o(crc)
  );
  crc32c_beat #(
    .Bytes(1)
  ) u_crc_tail (
    .state_i(crc_q),
    .data_i (sum_data[8*summed_q +: 8]),
    .state_o(crc_tail)
  );

  assign whole     = summed_q == sum_tail;  // the beat is ready to be sent
  assign sum_ready = whole && (!rpl_valid_o || rpl_ready_i);
  assign checksum  = {32'd0, ~crc_q};
  assign mixed     = (sum_data & ~(64'hffff_ffff_ffff_ffff << {sum_tail, 3'd0}))
                     | (checksum << {sum_tail, 3'd0});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rpl_valid_o <= 1'b0;
      crc_q       <= '1;
      summed_q    <= '0;
      behind_q    <= '0;
    end else begin
      if (!rpl_valid_o || rpl_ready_i) rpl_valid_o <= sum_valid && whole;
      if (sum_valid && sum_ready) begin
        summed_q <= '0;
        behind_q <= sum_tail;
        if (sum_last) crc_q <= '1;
        else if (sum_tail == '0) crc_q <= crc;
      end else if (sum_valid && !whole) begin
        summed_q <= summed_q + 3'd1;
        crc_q    <= crc_tail;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rpl_valid_o || rpl_ready_i) begin
      rpl_last_o <= sum_last;
      if (sum_last) rpl_data_o <= checksum >> {-behind_q, 3'd0};
      else rpl_data_o <= sum_tail == '0 ? sum_data : mixed;
    end
  end

  logic unused;
  assign unused = ^{answer_q.data, answer_q.bytes, begin_message_i};
endmodule
