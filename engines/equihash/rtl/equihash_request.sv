// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_request: takes verify_equihash frames apart, eight bytes a beat.
//
//   beat 0 length, command   1 index   2... header (140 bytes), length of the solution, solution
//
// The frame's length says which parameter set it is of; the length before the solution must agree.
// A frame of another length, or in which they do not agree, is swallowed whole and refused: its
// header goes to refusal_*. Nothing but a header's words has been handed on by then.
//
// A frame begins to be taken when everything that it will need is free: a slot, a lane, the
// midstate's buffer, and room for a whole solution's words. So no beat of it waits, and a lane is
// held no longer than needed. (A frame that is refused gives all of it back.)
module equihash_request
  import equihash_pkg::*;
#(
  parameter logic [Sets-1:0] Built = 4'b0001
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  input  logic        free_i,            // slot, lane, buffer and room are there

  output logic        begin_o,           // a frame of a known length takes them
  output logic        message_valid_o,   // a word of header, length and solution
  output logic [7:0]  message_place_o,
  output logic [63:0] message_word_o,

  output logic        accept_o,          // the header is complete, the set is right
  output set_t        accept_set_o,
  output logic [63:0] accept_index_o,
  output logic [31:0] accept_bits_o,     // the compact target
  output logic [95:0] accept_tail_o,     // the header's last 12 bytes

  output logic        word_valid_o,      // message_word_o has bytes of the solution
  output logic        word_first_o,      // the first one: together with accept_o
  output logic        word_last_o,       // the message is complete

  output logic        refusal_valid_o,
  input  logic        refusal_ready_i,
  output logic [63:0] refusal_header_o,

  output logic        frame_begins_o
);
  localparam int unsigned BitsPlace = 13;  // the word whose low half is the compact target
  localparam int unsigned TailPlace = HeaderBytes / 8;

  typedef enum logic [2:0] { Head, Begin, Body, Drop, Refuse } state_e;

  state_e      state_q, state_d;
  logic [63:0] header_q, index_q, before_q;
  logic [31:0] bits_q;
  logic [7:0]  place_q;
  set_t        set_q, set;
  logic        known, agrees, beat, at_tail;

  // ---- Which set -----------------------------------------------------------------------------
  always_comb begin
    known = 1'b0;
    set   = '0;
    for (int unsigned s = 0; s < Sets; s++) begin
      if (Built[s] && req_data_i[31:0] == 32'(FixedBytes + message_bytes(s))) begin
        known = 1'b1;
        set   = set_t'(s);
      end
    end
  end

  always_comb begin
    agrees = 1'b0;
    for (int unsigned s = 0; s < Sets; s++) begin
      if (Built[s] && set_q == set_t'(s)) begin
        agrees = prefix_bytes(s) == 1 ? req_data_i[39:32] == 8'(prefix(s))
                                      : req_data_i[55:32] == prefix(s);
      end
    end
  end

  // ---- Where beats go ------------------------------------------------------------------------
  assign req_ready_o = state_q == Head || (state_q == Begin && free_i) || state_q == Body
                       || state_q == Drop;
  assign beat        = req_valid_i && req_ready_o;
  assign at_tail     = place_q == 8'(TailPlace);

  assign begin_o         = beat && state_q == Begin;
  assign message_valid_o = beat && state_q == Body;
  assign message_place_o = place_q;
  assign message_word_o  = req_data_i;

  assign accept_o       = message_valid_o && at_tail && agrees;
  assign accept_set_o   = set_q;
  assign accept_index_o = index_q;
  assign accept_bits_o  = bits_q;
  assign accept_tail_o  = {req_data_i[31:0], before_q};

  assign word_valid_o = accept_o || (message_valid_o && place_q > 8'(TailPlace));
  assign word_first_o = at_tail;
  assign word_last_o  = req_last_i;

  assign refusal_valid_o  = state_q == Refuse;
  assign refusal_header_o = header_q;
  assign frame_begins_o   = beat && state_q == Head;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Head: if (beat) state_d = req_last_i ? Refuse : known ? Begin : Drop;
      Begin: if (beat) state_d = req_last_i ? Refuse : Body;
      Body: begin
        if (beat && req_last_i) state_d = accept_o || !at_tail ? Head : Refuse;
        else if (beat && at_tail && !agrees) state_d = Drop;
      end
      Drop: if (beat && req_last_i) state_d = Refuse;
      default: if (refusal_ready_i) state_d = Head;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Head;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (frame_begins_o) begin
      header_q <= req_data_i;
      set_q    <= set;
    end
    if (beat && state_q == Begin) begin
      index_q <= req_data_i;
      place_q <= '0;
    end
    if (message_valid_o) begin
      place_q  <= place_q + 8'd1;
      before_q <= req_data_i;
      if (place_q == 8'(BitsPlace)) bits_q <= req_data_i[31:0];
    end
  end
endmodule
