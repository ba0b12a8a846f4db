// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_request: takes request frames apart, checks them, and makes chunks of the messages' bytes.
//
// Frame (512-bit beats, little-endian, zeros behind its end): length, command; index; bytes of the
// whole message, or those before these; mode, output's bytes and first block; then a key in the
// modes that have one, the message's bytes, {0, CRC-32C of all before}. Without a key the message
// begins in the middle of the first beat, so a block is the high half of a beat and the low half of
// the next; with one it begins with the second beat.
//
// One message is open at a time: the last that blake3_hash began, until all its bytes have come.
// Its chunks go to work as they are complete, all but the last: that one waits for the verdict on
// the frame, so no message is answered whose frames were not all good. What is wrong is told in
// the message's own reply, and closes it:
//
//   frame                                   answer                             the open message
//   hash, while another is open             -                                  abandoned
//   checksum bad: hash                      corrupt, the frame's index         (abandoned before)
//                 data, one open            -                                  corrupt
//                 data, none open           corrupt, to the data               -
//   hash: mode not known                    unknown_mode                       (abandoned before)
//         no output, or too much            wrong_output
//         no room for the key, more bytes than declared, or fewer and no whole number of chunks
//                                           wrong_length
//   data: none open, or another index       no_message, to the data            stays open
//         other bytes are due               -                                  wrong_place
//         more than are due, or fewer and no whole number of chunks            wrong_length
//
// The uppermost that fits is told. A message that is closed so is answered when none of its work is
// left, and only then its slot is free: meanwhile the parser waits.
//
// Cycles: one beat a clock and two more a frame.
module blake3_request
  import blake3_pkg::*;
#(
  parameter int unsigned Chunks = 128,
  parameter int unsigned Messages = 128,
  localparam int unsigned ChunkBits = $clog2(Chunks),
  localparam int unsigned MessageBits = $clog2(Messages)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  logic [511:0]           req_data_i,
  input  logic                   req_last_i,

  // Free slots: taken when they are needed.
  input  logic                   message_valid_i,
  output logic                   message_ready_o,
  input  logic [MessageBits-1:0] message_data_i,
  output logic                   message_free_valid_o,  // one that was closed comes back
  input  logic                   message_free_ready_i,
  output slot_t                  message_free_data_o,
  input  logic                   chunk_slot_valid_i,
  output logic                   chunk_slot_ready_o,
  input  logic [ChunkBits-1:0]   chunk_slot_data_i,

  output logic                   begin_o,  // a message begins
  output slot_t                  begin_message_o,
  output place_t                 begin_last_o,  // its chunks - 1
  output value_t                 begin_key_o,
  output logic [63:0]            begin_index_o,
  output logic [15:0]            begin_bytes_o,
  output logic [31:0]            begin_first_block_o,

  output logic                   write_valid_o,
  output logic [ChunkBits+3:0]   write_address_o,
  output block_t                 write_block_o,
  output logic                   chunk_valid_o,
  output chunk_t                 chunk_o,

  output logic                   drop_o,  // the message's work is to end
  output slot_t                  drop_message_o,
  input  logic                   ended_i,
  input  slot_t                  ended_message_i,

  output logic                   refusal_valid_o,
  input  logic                   refusal_ready_i,
  output logic                   refusal_data_o,
  output logic [63:0]            refusal_index_o,
  output status_e                refusal_status_o,

  output logic                   owed_o,  // a message is complete or a refusal taken: one reply
  output logic                   busy_o   // a frame is in work, or a message open
);
  // The state of the CRC at the end of a good frame, by the number of zero bytes that fill its last
  // beat: the checksum turns it to all ones as the bytes before it are shifted out, and the four
  // zero bytes behind the checksum and those that fill the beat are shifted in.
  typedef logic [63:0][31:0] residues_t;
  function automatic residues_t find_residues();
    logic [31:0] state;
    state = '1;
    for (int unsigned bytes = 1; bytes <= 71; bytes++) begin
      for (int unsigned i = 0; i < 8; i++) begin
        state = (state >> 1) ^ (state[0] ? 32'h82f6_3b78 : 32'd0);
      end
      if (bytes >= 8) find_residues[bytes-8] = state;
    end
  endfunction
  localparam residues_t Residues = find_residues();

  typedef enum logic [2:0] {
    StateHead,    // the frame's first beat
    StateJudge,   // what its head says is known
    StateBytes,   // the other beats
    StateEnd,     // the last block, and the verdict
    StateClose,   // the open message's work ends
    StateRefuse
  } state_e;

  // ---- The beat at hand -------------------------------------------------------------------------
  logic         beat_valid_q, beat_last_q, beat_taken;
  logic [511:0] beat_q;
  logic [255:0] half_q;  // the high half of the one before
  logic [31:0]  crc_q, crc;

  assign req_ready_o = !beat_valid_q || beat_taken;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_valid_q <= 1'b0;
    else if (req_ready_o) beat_valid_q <= req_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      beat_q      <= req_data_i;
      beat_last_q <= req_last_i;
    end
    if (beat_taken) half_q <= beat_q[511:256];
  end

  crc32c_beat #(
    .Bytes(64)
  ) u_crc (
    .state_i(crc_q),
    .data_i (beat_q),
    .state_o(crc)
  );

  // ---- The frame --------------------------------------------------------------------------------
  state_e      state_q, state_d;
  logic        data_q;         // blake3_data
  logic        one_beat_q;
  logic [31:0] length_q;
  logic [63:0] index_q;
  logic [63:0] place_q;        // the message's length; of blake3_data the bytes before
  logic [7:0]  mode_q;
  logic [15:0] bytes_q;
  logic [31:0] first_block_q;
  status_e     verdict_q;
  logic        keyed_q;
  logic [16:0] left_q;         // the message's bytes in the frame, that have not been written
  logic        empty_q;        // the one block without a byte is to be written

  // ---- The message that is open -----------------------------------------------------------------
  logic        open_q;
  slot_t       message_q;
  logic [63:0] open_index_q, received_q, due_q;  // bytes, with this frame's once it is judged
  mode_e       open_mode_q;
  place_t      chunk_place_q;
  logic [9:0]  pending_q;      // pieces of its work: chunks that wait or are at work, parents
  logic        final_q;        // the frame is its last
  logic        again_q;        // closed by another hash, which is judged then
  status_e     closing_q;

  // ---- The chunk that is being filled -----------------------------------------------------------
  logic                 slot_valid_q;
  logic [ChunkBits-1:0] slot_q;
  logic [3:0]           block_q;
  logic                 held_q;        // the message's last chunk: complete, waits for the verdict
  logic [6:0]           held_bytes_q;

  // ---- Verdict on the head ----------------------------------------------------------------------
  logic        keyed, short_frame, misfit, hash_command, begins;
  logic [31:0] fixed, frame_bytes;
  logic [63:0] due, due_after;
  status_e     verdict;

  assign hash_command = state_q == StateJudge && !data_q;
  assign keyed        = !data_q && mode_q < 8'd4 && has_key(mode_e'(mode_q[1:0]));
  assign fixed        = keyed ? FixedBytes + KeyBytes : FixedBytes;
  assign short_frame  = length_q < fixed;
  assign frame_bytes  = length_q - fixed;
  assign due          = data_q ? due_q : place_q;
  assign due_after    = due - 64'(frame_bytes);
  assign misfit       = short_frame || 64'(frame_bytes) > due ||
                        (due_after != '0 && frame_bytes[9:0] != '0);

  always_comb begin
    if (data_q) begin
      if (!open_q || index_q != open_index_q) verdict = StatusNoMessage;
      else if (place_q != received_q) verdict = StatusWrongPlace;
      else if (misfit) verdict = StatusWrongLength;
      else verdict = StatusOk;
    end else begin
      if (mode_q > 8'd3) verdict = StatusUnknownMode;
      else if (bytes_q == '0 || bytes_q > MaxOutputBytes) verdict = StatusWrongOutput;
      else if (misfit) verdict = StatusWrongLength;
      else verdict = StatusOk;
    end
  end

  assign begins          = hash_command && !open_q && verdict == StatusOk && message_valid_i;
  assign message_ready_o = begins;
  assign begin_o         = begins;
  assign begin_message_o = slot_t'(message_data_i);
  assign begin_last_o    = place_q == '0 ? '0 : PlaceBits'((place_q - 64'd1) >> 10);
  assign begin_key_o     = keyed ? half_q : value_t'(InitialValue);
  assign begin_index_o       = index_q;
  assign begin_bytes_o       = bytes_q;
  assign begin_first_block_o = first_block_q;

  // ---- Blocks -----------------------------------------------------------------------------------
  // Bytes behind the message's end are zero: the checksum would stand there.
  function automatic block_t first_bytes(input block_t block, input logic [16:0] bytes);
    for (int unsigned i = 0; i < 64; i++) begin
      first_bytes[8*i +: 8] = 17'(i) < bytes ? block[8*i +: 8] : 8'd0;
    end
  endfunction

  logic wanted, writes, last_of_frame, last_of_message, full, hands_over;

  assign wanted          = left_q != '0 || empty_q;
  assign last_of_frame   = left_q <= 17'd64;
  assign last_of_message = final_q && last_of_frame;
  // At the frame's end only half a block can be left.
  assign writes = wanted && slot_valid_q &&
                  ((state_q == StateBytes && beat_valid_q) || (state_q == StateEnd && !keyed_q));
  assign full   = writes && block_q == 4'd15 && !last_of_message;

  assign write_valid_o   = writes;
  assign write_address_o = {slot_q, block_q};
  assign write_block_o   = first_bytes(
      keyed_q ? beat_q : {state_q == StateBytes ? beat_q[255:0] : 256'd0, half_q}, left_q);

  // ---- The frame's end --------------------------------------------------------------------------
  logic [5:0] fill;       // zero bytes behind its end
  logic       at_end, corrupt, good, closes;
  assign fill    = -length_q[5:0];
  assign at_end  = state_q == StateEnd && (!wanted || keyed_q || slot_valid_q);
  // Bytes can only be missing where the beats were not as many as the length says.
  assign corrupt = crc_q != Residues[fill] || (wanted && (keyed_q || !last_of_frame));
  assign good    = at_end && !corrupt && verdict_q == StatusOk;
  // The open message is the one at fault, unless the frame is good and speaks of another.
  assign closes  = open_q && (corrupt || verdict_q != StatusNoMessage);

  assign hands_over    = full || (good && final_q);
  assign chunk_valid_o = hands_over;
  assign chunk_o = '{
    chunk:      slot_t'(slot_q),
    message:    message_q,
    place:      chunk_place_q,
    last_block: block_q,
    last_bytes: full ? 7'd64 : held_q ? held_bytes_q : 7'(left_q),
    mode:       open_mode_q,
    on_edge:    !full
  };
  assign chunk_slot_ready_o = !slot_valid_q || hands_over;

  // ---- Closing, and refusals --------------------------------------------------------------------
  logic    closed;
  logic    refusal_data_q;
  logic [63:0] refusal_index_q;
  status_e refusal_status_q;

  assign drop_o               = state_q == StateClose;
  assign drop_message_o       = message_q;
  assign message_free_valid_o = state_q == StateClose && pending_q == '0;
  assign message_free_data_o  = message_q;
  assign closed               = message_free_valid_o && message_free_ready_i;
  assign refusal_valid_o      = state_q == StateRefuse;
  assign refusal_data_o       = refusal_data_q;
  assign refusal_index_o      = refusal_index_q;
  assign refusal_status_o     = refusal_status_q;
  assign owed_o               = (good && final_q) || (refusal_valid_o && refusal_ready_i);
  assign busy_o               = state_q != StateHead || beat_valid_q || open_q;

  // ---- State ------------------------------------------------------------------------------------
  always_comb begin
    state_d    = state_q;
    beat_taken = 1'b0;
    unique case (state_q)
      StateHead: begin
        beat_taken = beat_valid_q;
        if (beat_valid_q) state_d = StateJudge;
      end
      StateJudge: begin
        if (hash_command && open_q) state_d = StateClose;
        else if (!hash_command || begins || verdict != StatusOk) begin
          state_d = one_beat_q ? StateEnd : StateBytes;
        end
      end
      StateBytes: begin
        beat_taken = beat_valid_q && (!wanted || slot_valid_q);
        if (beat_taken && beat_last_q) state_d = StateEnd;
      end
      StateEnd: begin
        if (good) state_d = StateHead;
        else if (at_end) state_d = closes ? StateClose : StateRefuse;
      end
      StateClose: if (closed) state_d = StateRefuse;
      default: if (refusal_ready_i) state_d = again_q ? StateJudge : StateHead;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateHead;
      crc_q        <= '1;
      open_q       <= 1'b0;
      again_q      <= 1'b0;
      slot_valid_q <= 1'b0;
      block_q      <= '0;
      held_q       <= 1'b0;
      pending_q    <= '0;
    end else begin
      state_q <= state_d;

      if (state_q == StateHead) again_q <= 1'b0;
      else if (state_q == StateJudge) again_q <= hash_command && open_q;

      if (beat_taken) crc_q <= crc;
      else if (state_q == StateEnd && at_end) crc_q <= '1;

      if (begins) open_q <= 1'b1;
      else if (closed || (good && final_q)) open_q <= 1'b0;

      if (chunk_slot_ready_o) slot_valid_q <= chunk_slot_valid_i;

      if (closed || hands_over) block_q <= '0;
      else if (writes && !last_of_message) block_q <= block_q + 4'd1;

      if (closed || hands_over) held_q <= 1'b0;
      else if (writes && last_of_message) held_q <= 1'b1;

      if (begins) pending_q <= '0;
      else pending_q <= pending_q + 10'(hands_over)
                        - 10'(ended_i && open_q && ended_message_i == message_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateHead && beat_valid_q) begin
      length_q      <= beat_q[31:0];
      data_q        <= beat_q[32];
      index_q       <= beat_q[127:64];
      place_q       <= beat_q[191:128];
      mode_q        <= beat_q[199:192];
      bytes_q       <= beat_q[223:208];
      first_block_q <= beat_q[255:224];
      one_beat_q    <= beat_last_q;
    end

    if (state_q == StateJudge) begin
      verdict_q <= verdict;
      keyed_q   <= keyed;
      left_q    <= verdict == StatusOk ? frame_bytes[16:0] : '0;
      empty_q   <= begins && place_q == '0;
      final_q   <= verdict == StatusOk && due_after == '0;
      if (begins) begin
        message_q     <= slot_t'(message_data_i);
        open_index_q  <= index_q;
        open_mode_q   <= mode_e'(mode_q[1:0]);
        chunk_place_q <= '0;
      end
      if (begins || (data_q && verdict == StatusOk)) begin
        due_q      <= due_after;
        received_q <= (data_q ? received_q : '0) + 64'(frame_bytes);
      end
    end

    if (writes) begin
      left_q  <= last_of_frame ? '0 : left_q - 17'd64;
      empty_q <= 1'b0;
      if (last_of_message) held_bytes_q <= 7'(left_q);
    end
    if (full) chunk_place_q <= chunk_place_q + place_t'(1);
    if (chunk_slot_ready_o) slot_q <= chunk_slot_data_i;

    if (state_q == StateJudge) closing_q <= StatusAbandoned;
    else if (at_end) closing_q <= corrupt ? StatusCorrupt : verdict_q;

    if (closed) begin
      refusal_data_q   <= 1'b0;
      refusal_index_q  <= open_index_q;
      refusal_status_q <= closing_q;
    end else if (at_end) begin
      refusal_data_q   <= data_q;
      refusal_index_q  <= index_q;
      refusal_status_q <= corrupt ? StatusCorrupt : verdict_q;
    end
  end

  logic unused;
  assign unused = ^{beat_q[63:33], beat_q[207:200]};
endmodule
