// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_request: parses verify_equihash and verify_equihash_checked frames, eight bytes a beat.
//
//   beat 0 length, command   1 index   2... header (140 bytes), length of the solution, solution;
//   a checked frame adds, directly after that and unaligned: CRC-32C, four zero bytes
//
// The frame's length determines the parameter set and the form (no length occurs twice); the length
// before the solution must agree. A frame of another length, or in which they disagree, is consumed
// completely and refused: its header goes to refusal_*. By then only the words of a header have
// been passed on.
//
// The checksum is known only when the solution is already being processed: end_* reports, two
// clocks after the last beat, whether it matches; beats enter the CRC through a register. The
// checksum matches if the CRC's state after all beats is the residue of every good frame
// (crc32c_residue).
//
// A frame is accepted only when all resources that it will need are free: a slot, a lane, a buffer
// of the midstate, and space for the words of a whole solution. So none of its beats waits, and a
// lane is held no longer than needed. (A refused frame releases all of them.)
//
// message_*, accept_* and word_* come one clock after the corresponding beat.
module equihash_request
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  input  logic        free_i,            // slot, lane, buffer and space are free

  output logic        begin_o,           // a frame of a known length takes these resources
  output logic        message_valid_o,   // a word of header, length and solution
  output logic [7:0]  message_place_o,
  output logic [63:0] message_word_o,

  output logic        accept_o,          // the header is complete, the set is right
  output set_t        accept_set_o,
  output logic [63:0] accept_index_o,
  output logic [31:0] accept_bits_o,     // the compact target
  output logic [95:0] accept_tail_o,     // the header's last 12 bytes
  output logic        accept_checked_o,  // it is a checked frame

  output logic        word_valid_o,      // message_word_o has bytes of the solution
  output logic        word_first_o,      // the first one: together with accept_o
  output logic        word_last_o,       // the message is complete

  output logic        end_valid_o,       // the accepted frame is complete
  output logic        end_corrupt_o,     // its checksum does not match

  output logic        refusal_valid_o,
  input  logic        refusal_ready_i,
  output logic [63:0] refusal_header_o,

  output logic        frame_begins_o
);
  localparam int unsigned BitsPlace = 13;  // the word whose low half is the compact target
  localparam int unsigned TailPlace = HeaderBytes / 8;

  typedef enum logic [2:0] { Head, Begin, Body, Check, Drop, Refuse } state_e;

  state_e      state_q, state_d;
  logic [63:0] header_q, index_q, before_q;
  logic [31:0] bits_q;
  logic [7:0]  place_q;
  set_t        set_q, set, end_set_q;
  logic        known_q, checked_q, end_checked_q;
  logic        known, checked, agrees, beat, at_tail, at_last, message_valid, accept;
  logic        summed_q, first_q;  // the last beat enters the CRC; it is a frame's first
  logic        ending_q, end_q;    // an accepted frame's last beat came 1 and 2 clocks ago
  logic [31:0] crc_q, crc, residue;

  // ---- Parameter set -------------------------------------------------------------------------
  assign checked = req_data_i[32 + CheckedBit];

  always_comb begin
    known = 1'b0;
    set   = '0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && req_data_i[31:0] == (checked
          ? 32'(FixedBytes + message_bytes(s) + ChecksumBytes)
          : 32'(FixedBytes + message_bytes(s)))) begin
        known = 1'b1;
        set   = set_t'(s);
      end
    end
  end

  always_comb begin
    agrees = 1'b0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && set_q == set_t'(s)) begin
        agrees = prefix_bytes(s) == 1 ? req_data_i[39:32] == 8'(prefix(s))
                                      : req_data_i[55:32] == prefix(s);
      end
    end
  end

  // ---- The message's last word, and the checksum ---------------------------------------------
  logic [7:0] last_mask;  // the bytes of the beat that belong to the message
  always_comb begin
    at_last   = 1'b0;
    last_mask = '1;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && set_q == set_t'(s)) begin
        at_last   = place_q == 8'(message_words(s) - 1);
        last_mask = 8'hff >> (8 * message_words(s) - message_bytes(s));
      end
    end
  end

  crc32c_beat u_crc (
    .state_i(first_q ? '1 : crc_q),
    .data_i (before_q),
    .state_o(crc)
  );

  always_comb begin
    residue = '0;
    for (int unsigned s = 0; s < MostSets; s++) begin
      if (Built[s] && end_set_q == set_t'(s)) begin
        residue = arith_pkg::crc32c_residue(checked_zeros(s));
      end
    end
  end
  assign end_valid_o   = end_q;
  assign end_corrupt_o = end_checked_q && crc_q != residue;

  // ---- Flow of beats -------------------------------------------------------------------------
  assign req_ready_o = state_q == Head || (state_q == Begin && (free_i || !known_q))
                       || state_q == Body || state_q == Check || state_q == Drop;
  assign beat        = req_valid_i && req_ready_o;
  assign at_tail     = place_q == 8'(TailPlace);

  assign begin_o         = beat && state_q == Begin && known_q;
  assign message_valid = beat && state_q == Body;
  assign accept        = message_valid && at_tail && agrees;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      message_valid_o <= 1'b0;
      accept_o        <= 1'b0;
      word_valid_o    <= 1'b0;
    end else begin
      message_valid_o <= message_valid;
      accept_o        <= accept;
      word_valid_o    <= accept || (message_valid && place_q > 8'(TailPlace));
    end
  end
  always_ff @(posedge clk_i) begin
    message_place_o <= place_q;
    // (The checksum may follow the message in its last word.)
    for (int unsigned i = 0; i < 8; i++) begin
      message_word_o[8*i+:8] <= req_data_i[8*i+:8] & {8{!at_last || last_mask[i]}};
    end
    accept_set_o     <= set_q;
    accept_index_o   <= index_q;
    accept_bits_o    <= bits_q;
    accept_tail_o    <= {req_data_i[31:0], before_q};
    accept_checked_o <= checked_q;
    word_first_o     <= at_tail;
    word_last_o      <= at_last;
  end

  assign refusal_valid_o  = state_q == Refuse;
  assign refusal_header_o = header_q;
  assign frame_begins_o   = beat && state_q == Head;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Head: if (beat) state_d = req_last_i ? Refuse : Begin;
      Begin: if (beat) state_d = req_last_i ? Refuse : known_q ? Body : Drop;
      Body: begin
        if (beat && req_last_i) state_d = accept || !at_tail ? Head : Refuse;
        else if (beat && at_tail && !agrees) state_d = Drop;
        else if (beat && at_last) state_d = Check;
      end
      Check: if (beat && req_last_i) state_d = Head;
      Drop: if (beat && req_last_i) state_d = Refuse;
      default: if (refusal_ready_i) state_d = Head;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Head;
      ending_q <= 1'b0;
      end_q    <= 1'b0;
    end else begin
      state_q  <= state_d;
      ending_q <= state_d == Head && (state_q == Body || state_q == Check);
      end_q    <= ending_q;
    end
  end

  always_ff @(posedge clk_i) begin
    summed_q <= beat;
    first_q  <= state_q == Head;
    if (beat) before_q <= req_data_i;
    if (summed_q) crc_q <= crc;
    if (ending_q) begin
      end_set_q     <= set_q;
      end_checked_q <= checked_q;
    end
    if (frame_begins_o) begin
      known_q   <= known;
      header_q  <= req_data_i;
      set_q     <= set;
      checked_q <= checked;
    end
    if (beat && state_q == Begin) begin
      index_q <= req_data_i;
      place_q <= '0;
    end
    if (message_valid) begin
      place_q  <= place_q + 8'd1;
      if (place_q == 8'(BitsPlace)) bits_q <= req_data_i[31:0];
    end
  end
endmodule
