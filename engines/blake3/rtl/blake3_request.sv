// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_request: parses request frames, checks them, and divides the messages' bytes into chunks.
//
// Frame (512-bit beats, little-endian, zeros after its end): length, command; index; the number of
// bytes of the whole message, or of those before this frame; mode, output's bytes and first block;
// then a key in the modes that have one, the message's bytes, {0, CRC-32C of all before}. Without a
// key the message begins in the middle of the first beat, so a block is the high half of a beat and
// the low half of the next; with a key it begins with the second beat.
//
// One message is open at a time: the last one that blake3_hash began, until all its bytes have
// arrived. Its chunks are issued when they are complete, except the last, which waits for the
// verdict on the frame, so a message is answered only if all its frames were good. An error is
// reported in the message's own reply and closes the message:
//
//   frame                                   answer                             the open message
//   hash, while another is open             -                                  abandoned
//   checksum bad: hash                      corrupt, the frame's index         (abandoned before)
//                 data, one open            -                                  corrupt
//                 data, none open           corrupt, to the data               -
//   hash: unknown mode                      unknown_mode                       (abandoned before)
//         no output, or too much            wrong_output
//         no room for the key, more bytes than declared, or fewer and not whole chunks
//                                           wrong_length
//   data: none open, or a wrong index       no_message, to the data            stays open
//         other bytes are due               -                                  wrong_place
//         more than are due, or fewer and not whole chunks                     wrong_length
//
// The first matching row is reported. A message that is closed this way is answered when none of
// its work is left, and only then its slot becomes free: meanwhile the parser waits.
//
// A beat passes a register slice, then a register that also holds the properties of a possible
// head. The head is compared with the open message when it is accepted, and judged one clock later.
// The verdict on a frame is known two clocks after its last beat; if all was good, the next head is
// accepted in that clock.
//
// Cycles: one beat a clock plus two per frame; the verdict four clocks after the last beat.
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

  // Free slots, taken on demand.
  input  logic                   message_valid_i,
  output logic                   message_ready_o,
  input  logic [MessageBits-1:0] message_data_i,
  output logic                   message_free_valid_o,  // the slot of a closed message is returned
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

  output logic                   drop_o,  // end the message's work
  output slot_t                  drop_message_o,
  input  logic                   ended_i,
  input  slot_t                  ended_message_i,

  output logic                   refusal_valid_o,
  input  logic                   refusal_ready_i,
  output logic                   refusal_data_o,
  output logic [63:0]            refusal_index_o,
  output status_e                refusal_status_o,

  output logic                   owed_o,  // a reply is owed: message complete or refusal
  output logic                   busy_o   // a frame or message is open, now or a clock ago
);
  // The state of the CRC at the end of a good frame, by the number of zero bytes that fill its last
  // beat. The checksum turns the state to all ones as the bytes before it are shifted out; then the
  // four zero bytes after the checksum and those that fill the beat are shifted in.
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
    StateHead,     // the frame's first beat
    StateJudge,    // the properties of its head are known
    StateBytes,    // the other beats
    StateEnd,      // the last block; is the checksum correct?
    StateVerdict,  // if all was good, the next frame's first beat
    StateClose,    // the open message's work ends
    StateRefuse
  } state_e;

  // ---- The current beat -------------------------------------------------------------------------
  // The properties of a beat as a head.
  typedef struct packed {
    logic        data;          // blake3_data
    logic        keyed;
    logic        unknown_mode;
    logic        wrong_output;
    logic        short_frame;   // no room for the mandatory fields
    logic [31:0] bytes;         // of the message, in the frame
  } head_t;

  logic         early_valid, early_ready, early_last;
  logic [511:0] early;  // a clock before it is current
  head_t        early_head, head_q;

  stream_skid #(
    .DataWidth(513)
  ) u_slice (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (req_valid_i),
    .in_ready_o (req_ready_o),
    .in_data_i  ({req_last_i, req_data_i}),
    .out_valid_o(early_valid),
    .out_ready_i(early_ready),
    .out_data_o ({early_last, early})
  );

  always_comb begin
    early_head.data         = early[32];
    early_head.unknown_mode = early[199:194] != '0;
    early_head.keyed        = !early[32] && early[199:194] == '0 &&
                              has_key(mode_e'(early[193:192]));
    early_head.wrong_output = early[223:208] == '0 || early[223:208] > MaxOutputBytes;
    if (early_head.keyed) begin
      early_head.short_frame = early[31:0] < FixedBytes + KeyBytes;
      early_head.bytes       = early[31:0] - (FixedBytes + KeyBytes);
    end else begin
      early_head.short_frame = early[31:0] < FixedBytes;
      early_head.bytes       = early[31:0] - FixedBytes;
    end
  end

  logic         beat_valid_q, beat_last_q, beat_taken, head_taken;
  logic [511:0] beat_q;
  logic [255:0] half_q;  // the high half of the previous beat
  logic [31:0]  crc_q, crc;

  assign early_ready = !beat_valid_q || beat_taken;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_valid_q <= 1'b0;
    else if (early_ready) beat_valid_q <= early_valid;
  end
  always_ff @(posedge clk_i) begin
    if (early_ready) begin
      beat_q      <= early;
      beat_last_q <= early_last;
      head_q      <= early_head;
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
  head_t       frame_q;
  logic        one_beat_q;
  logic [5:0]  fill_q;          // zero bytes after its end
  logic [63:0] index_q;
  mode_e       mode_q;
  logic [15:0] bytes_q;
  logic [31:0] first_block_q;
  place_t      last_q;          // a new message's chunks - 1
  logic        no_message_bytes_q;  // a new message has no bytes
  logic        other_index_q, other_place_q;  // differs from the open message's index, next place
  logic [63:0] due_after_q;     // bytes due before the frame, minus those in it
  logic        too_many_q;      // the frame has more bytes than are due,
  logic        all_due_q;       // ... exactly the bytes due
  logic        ragged_q;        // not a whole number of chunks
  status_e     verdict_q;
  logic [31:0] residue_q;       // of the CRC, if the frame is good
  logic        corrupt_q;
  logic        wanted_q;        // a block is still to be written:
  logic [16:0] left_q;          // the message's bytes in the frame, that have not been written
  logic        last_of_frame_q; // at most one block of them

  // ---- The open message -------------------------------------------------------------------------
  logic        open_q;
  slot_t       message_q;
  logic [63:0] open_index_q, received_q, due_q;  // bytes, including this frame's once it is judged
  mode_e       open_mode_q;
  place_t      chunk_place_q;
  logic [9:0]  pending_q;      // pieces of its work: chunks waiting or in progress, parents
  logic        ended_q;        // it is being closed, and no work is left
  logic        final_q;        // the frame is its last
  logic        again_q;        // closed by another hash, which is judged afterwards
  status_e     closing_q;

  // ---- The chunk being filled -------------------------------------------------------------------
  logic                 slot_valid_q;
  logic [ChunkBits-1:0] slot_q;
  logic [3:0]           block_q;
  logic [6:0]           held_bytes_q;  // of the message's last block, which waits for a verdict

  // ---- Verdict on the head ----------------------------------------------------------------------
  logic        hash_command, misfit, begins, begun_q;
  logic [63:0] place;      // the message's length; for blake3_data the bytes before
  logic [63:0] due;
  logic [64:0] due_after;  // negative if there are more bytes than are due
  status_e     verdict;

  assign place     = beat_q[191:128];
  assign due       = head_q.data ? due_q : place;
  assign due_after = {1'b0, due} - 65'(head_q.bytes);

  always_ff @(posedge clk_i) begin
    if (head_taken) begin
      frame_q            <= head_q;
      one_beat_q         <= beat_last_q;
      fill_q             <= -beat_q[5:0];
      index_q            <= beat_q[127:64];
      mode_q             <= mode_e'(beat_q[193:192]);
      bytes_q            <= beat_q[223:208];
      first_block_q      <= beat_q[255:224];
      last_q             <= place == '0 ? '0 : place[63:10] - place_t'(place[9:0] == '0);
      no_message_bytes_q <= !head_q.data && place == '0;
      other_index_q      <= beat_q[127:64] != open_index_q;
      other_place_q      <= place != received_q;
      due_after_q        <= due_after[63:0];
      too_many_q         <= due_after[64];
      all_due_q          <= due == 64'(head_q.bytes);
      ragged_q           <= head_q.bytes[9:0] != '0;
    end
  end

  assign hash_command = state_q == StateJudge && !frame_q.data;
  assign misfit       = frame_q.short_frame || too_many_q || (!all_due_q && ragged_q);

  always_comb begin
    if (frame_q.data) begin
      if (!open_q || other_index_q) verdict = StatusNoMessage;
      else if (other_place_q) verdict = StatusWrongPlace;
      else if (misfit) verdict = StatusWrongLength;
      else verdict = StatusOk;
    end else begin
      if (frame_q.unknown_mode) verdict = StatusUnknownMode;
      else if (frame_q.wrong_output) verdict = StatusWrongOutput;
      else if (misfit) verdict = StatusWrongLength;
      else verdict = StatusOk;
    end
  end

  assign begins          = hash_command && !open_q && verdict == StatusOk && message_valid_i;
  assign message_ready_o = begins;

  // The message is announced one clock later, at least two clocks before the frame's first chunk.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begun_q <= 1'b0;
    else begun_q <= begins;
  end
  assign begin_o             = begun_q;
  assign begin_message_o     = message_q;
  assign begin_last_o        = last_q;
  assign begin_key_o         = frame_q.keyed ? half_q : value_t'(InitialValue);
  assign begin_index_o       = index_q;
  assign begin_bytes_o       = bytes_q;
  assign begin_first_block_o = first_block_q;

  // ---- Blocks -----------------------------------------------------------------------------------
  // Bytes after the message's end are set to zero; the checksum may be there.
  function automatic block_t first_bytes(input block_t block, input logic [16:0] bytes);
    for (int unsigned i = 0; i < 64; i++) begin
      first_bytes[8*i +: 8] = 17'(i) < bytes ? block[8*i +: 8] : 8'd0;
    end
  endfunction

  logic   writes, last_of_message, full, hands_over, chunk_valid_q;
  chunk_t chunk_q;

  assign last_of_message = final_q && last_of_frame_q;
  // At the frame's end only half a block can be left.
  assign writes = wanted_q && slot_valid_q &&
                  ((state_q == StateBytes && beat_valid_q) ||
                   (state_q == StateEnd && !frame_q.keyed));
  assign full   = writes && block_q == 4'd15 && !last_of_message;

  assign write_valid_o   = writes;
  assign write_address_o = {slot_q, block_q};
  assign write_block_o   = first_bytes(
      frame_q.keyed ? beat_q : {state_q == StateBytes ? beat_q[255:0] : 256'd0, half_q}, left_q);

  // ---- The frame's end --------------------------------------------------------------------------
  logic at_end, corrupt, judged, good, closes;
  assign at_end  = state_q == StateEnd && (!wanted_q || frame_q.keyed || slot_valid_q);
  // Bytes can be missing only if the number of beats contradicts the length.
  assign corrupt = crc_q != residue_q || (wanted_q && (frame_q.keyed || !last_of_frame_q));
  assign judged  = state_q == StateVerdict;
  assign good    = judged && !corrupt_q && verdict_q == StatusOk;
  // The error belongs to the open message, unless the frame is good and names another one.
  assign closes  = open_q && (corrupt_q || verdict_q != StatusNoMessage);

  assign hands_over         = full || (good && final_q);
  assign chunk_slot_ready_o = !slot_valid_q || hands_over;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) chunk_valid_q <= 1'b0;
    else chunk_valid_q <= hands_over;
  end
  always_ff @(posedge clk_i) begin
    chunk_q <= '{
      chunk:      slot_t'(slot_q),
      message:    message_q,
      place:      chunk_place_q,
      last_block: block_q,
      last_bytes: judged ? held_bytes_q : 7'd64,
      mode:       open_mode_q,
      on_edge:    judged
    };
  end
  assign chunk_valid_o = chunk_valid_q;
  assign chunk_o       = chunk_q;

  // ---- Closing, and refusals --------------------------------------------------------------------
  logic    closed, owed_q, busy_q;
  logic    refusal_data_q;
  logic [63:0] refusal_index_q;
  status_e refusal_status_q, status;

  assign status               = corrupt_q ? StatusCorrupt : verdict_q;
  assign drop_o               = state_q == StateClose;
  assign drop_message_o       = message_q;
  assign message_free_valid_o = ended_q;
  assign message_free_data_o  = message_q;
  assign closed               = ended_q && message_free_ready_i;
  assign refusal_valid_o      = state_q == StateRefuse;
  assign refusal_data_o       = refusal_data_q;
  assign refusal_index_o      = refusal_index_q;
  assign refusal_status_o     = refusal_status_q;
  assign owed_o               = owed_q;
  assign busy_o               = early_valid || busy_q;

  // ---- State ------------------------------------------------------------------------------------
  assign head_taken = beat_valid_q && (state_q == StateHead || good);

  always_comb begin
    state_d    = state_q;
    beat_taken = head_taken;
    unique case (state_q)
      StateHead: if (beat_valid_q) state_d = StateJudge;
      StateJudge: begin
        if (hash_command && open_q) state_d = StateClose;
        else if (!hash_command || begins || verdict != StatusOk) begin
          state_d = one_beat_q ? StateEnd : StateBytes;
        end
      end
      StateBytes: begin
        beat_taken = beat_valid_q && (!wanted_q || slot_valid_q);
        if (beat_taken && beat_last_q) state_d = StateEnd;
      end
      StateEnd: if (at_end) state_d = StateVerdict;
      StateVerdict: begin
        if (good) state_d = beat_valid_q ? StateJudge : StateHead;
        else state_d = closes ? StateClose : StateRefuse;
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
      pending_q    <= '0;
      ended_q      <= 1'b0;
      owed_q       <= 1'b0;
      busy_q       <= 1'b0;
    end else begin
      state_q <= state_d;

      if (head_taken) again_q <= 1'b0;
      else if (state_q == StateJudge) again_q <= hash_command && open_q;

      if (beat_taken) crc_q <= crc;
      else if (at_end) crc_q <= '1;

      if (begins) open_q <= 1'b1;
      else if (closed || (good && final_q)) open_q <= 1'b0;

      if (chunk_slot_ready_o) slot_valid_q <= chunk_slot_valid_i;

      if (closed || hands_over) block_q <= '0;
      else if (writes && !last_of_message) block_q <= block_q + 4'd1;

      if (begins) pending_q <= '0;
      else pending_q <= pending_q + 10'(hands_over)
                        - 10'(ended_i && open_q && ended_message_i == message_q);
      ended_q <= state_q == StateClose && pending_q == '0 && !closed;

      owed_q <= (good && final_q) || (refusal_valid_o && refusal_ready_i);
      busy_q <= early_valid || beat_valid_q || state_q != StateHead || open_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateJudge) begin
      verdict_q       <= verdict;
      residue_q       <= Residues[fill_q];
      wanted_q        <= verdict == StatusOk && (frame_q.bytes != '0 || no_message_bytes_q);
      left_q          <= frame_q.bytes[16:0];
      last_of_frame_q <= frame_q.bytes[16:0] <= 17'd64;
      final_q         <= verdict == StatusOk && all_due_q;
      if (begins) begin
        message_q     <= slot_t'(message_data_i);
        open_index_q  <= index_q;
        open_mode_q   <= mode_q;
        chunk_place_q <= '0;
      end
      if (begins || (frame_q.data && verdict == StatusOk)) begin
        due_q      <= due_after_q;
        received_q <= (frame_q.data ? received_q : '0) + 64'(frame_q.bytes);
      end
    end

    if (writes) begin
      wanted_q        <= !last_of_frame_q;
      left_q          <= left_q - 17'd64;
      last_of_frame_q <= left_q <= 17'd128;
      if (last_of_message) held_bytes_q <= 7'(left_q);
    end
    if (full) chunk_place_q <= chunk_place_q + place_t'(1);
    if (chunk_slot_ready_o) slot_q <= chunk_slot_data_i;

    if (at_end) corrupt_q <= corrupt;

    if (state_q == StateJudge) closing_q <= StatusAbandoned;
    else if (judged) closing_q <= status;

    if (closed) begin
      refusal_data_q   <= 1'b0;
      refusal_index_q  <= open_index_q;
      refusal_status_q <= closing_q;
    end else if (judged) begin
      refusal_data_q   <= frame_q.data;
      refusal_index_q  <= index_q;
      refusal_status_q <= status;
    end
  end

  logic unused;
  assign unused = ^{beat_q[63:33], beat_q[31:6], beat_q[207:194]};
endmodule
