// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_request: parses verify_secp256k1_sig and verify_secp256k1_sig_checked frames, eight
// bytes per beat, and offers each as a whole. The next frame begins when it is taken: at most 25
// clocks per request, compared with the two thousand that a core takes for it.
//
//   beat 0 length, command   1 index   2... s, r, digest, x, y: four beats each, low words first;
//   a checked frame has one more: CRC-32C, four zero bytes
//
// A checked frame whose checksum does not match is offered only as corrupt_*, and nothing of it is
// started. Beats enter the CRC a clock after they are taken, from their registers.
//
// A frame of another length is consumed and refused: its header goes to refusal_*.
module secp256k1_request
  import secp256k1_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        request_valid_o,
  input  logic        request_ready_i,
  output request_t    request_o,
  output logic        request_checked_o,

  output logic        corrupt_valid_o,  // only the index of request_o is used
  input  logic        corrupt_ready_i,

  output logic        refusal_valid_o,
  input  logic        refusal_ready_i,
  output logic [63:0] refusal_header_o,

  output logic        frame_begins_o
);
  typedef enum logic [2:0] { Head, Body, Judge, Offer, Corrupt, Drop, Refuse } state_e;

  state_e      state_q, state_d;
  logic [63:0] header_q;
  logic [PayloadWords-1:0][63:0] words_q;
  logic        beat, fits, checked, checked_q, at_checksum;
  logic        summed_q, first_q;  // the last clock's beat enters the CRC; it is the header
  logic [31:0] crc_q, crc;

  assign req_ready_o = state_q == Head || state_q == Body || state_q == Drop;
  assign beat        = req_valid_i && req_ready_o;

  assign frame_begins_o   = beat && state_q == Head;
  assign request_valid_o  = state_q == Offer;
  assign request_o        = words_q;
  assign request_checked_o = checked_q;
  assign corrupt_valid_o  = state_q == Corrupt;
  assign refusal_valid_o  = state_q == Refuse;
  assign refusal_header_o = header_q;

  assign checked = req_data_i[32 + CheckedBit];
  assign fits    = req_data_i[31:0] == (checked ? 32'(CheckedBytes) : 32'(RequestBytes));

  assign at_checksum = state_q == Body && checked_q && req_last_i;

  crc32c_beat u_crc (
    .state_i(first_q ? '1 : crc_q),
    .data_i (first_q ? header_q : words_q[PayloadWords-1]),
    .state_o(crc)
  );

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Head: begin
        if (beat) begin
          state_d = req_last_i ? Refuse : fits ? Body : Drop;
        end
      end
      Body:    if (beat && req_last_i) state_d = checked_q ? Judge : Offer;
      Judge:   state_d = header_q == {32'd0, ~crc_q} ? Offer : Corrupt;
      Offer:   if (request_ready_i) state_d = Head;
      Corrupt: if (corrupt_ready_i) state_d = Head;
      Drop:    if (beat && req_last_i) state_d = Refuse;
      default: if (refusal_ready_i) state_d = Head;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Head;
    else state_q <= state_d;
  end

  // The words move down as they come, so that the first is lowest at the end. A checksum replaces
  // the header, which is no longer needed.
  always_ff @(posedge clk_i) begin
    summed_q <= beat && !at_checksum;
    first_q  <= state_q == Head;
    if (summed_q) crc_q <= crc;
    if (frame_begins_o) checked_q <= checked;
    if (frame_begins_o || (beat && at_checksum)) header_q <= req_data_i;
    if (beat && state_q == Body && !at_checksum) begin
      words_q <= {req_data_i, words_q[PayloadWords-1:1]};
    end
  end
endmodule
