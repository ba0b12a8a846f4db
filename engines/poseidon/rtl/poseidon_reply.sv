// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_reply: converts results and refusals to reply frames.
//
// Frame (64-bit beats, little-endian): header {command, length in bytes}; index; status; then, with
// status 0, words first_word..last_word of the result, four beats each, lowest first; and the
// checksum of all these beats. The other words are skipped. A refusal is one word of input whose
// data is ignored.
//
// Cycles: one beat a clock, with a latency of two clocks; a skipped word takes one clock.
module poseidon_reply
  import poseidon_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic [255:0] in_data_i,
  input  logic         in_last_i,
  input  tag_t         in_tag_i,
  input  status_e      in_status_i,

  output logic         rpl_valid_o,
  input  logic         rpl_ready_i,
  output logic [63:0]  rpl_data_o,
  output logic         rpl_last_o
);
  typedef enum logic [2:0] {
    BeatHeader,
    BeatIndex,
    BeatStatus,
    BeatElements,
    BeatChecksum
  } beat_e;

  beat_e            beat_q;
  logic [3:0]       word_q;
  logic [1:0]       limb_q;
  logic [3:0][63:0] limbs;
  logic             wanted, take, refused;
  logic [31:0]      length;
  logic [3:0]       words;  // to send
  logic             valid, ready, last;
  logic [63:0]      data;

  assign limbs   = in_data_i;
  assign refused = in_status_i != StatusOk;
  assign wanted  = word_q >= in_tag_i.first_word && word_q <= in_tag_i.last_word;
  assign words   = refused ? 4'd0 : in_tag_i.last_word - in_tag_i.first_word + 4'd1;
  assign length  = 32'(FixedBytes + ElementBytes * 32'(words));

  always_comb begin
    valid = in_valid_i;
    last  = 1'b0;
    data  = '0;
    in_ready_o  = 1'b0;
    unique case (beat_q)
      BeatHeader: data = {ReplyCommand, length};
      BeatIndex:  data = in_tag_i.index;
      BeatStatus: begin
        data = 64'(in_status_i);
        in_ready_o = refused && ready;
      end
      BeatChecksum: begin
        valid = 1'b1;  // the input has already been consumed
        last  = 1'b1;
      end
      default: begin
        valid = in_valid_i && wanted;
        data  = limbs[limb_q];
        in_ready_o  = !wanted || (ready && limb_q == 2'd3);
      end
    endcase
  end

  assign take = valid && ready;

  stream_checksum u_checksum (
    .clk_i, .rst_ni,
    .in_valid_i(valid), .in_ready_o(ready), .in_data_i(data), .in_last_i(last), .in_sum_i(1'b1),
    .out_valid_o(rpl_valid_o), .out_ready_i(rpl_ready_i), .out_data_o(rpl_data_o),
    .out_last_o(rpl_last_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= BeatHeader;
      limb_q <= '0;
      word_q <= '0;
    end else begin
      if (in_valid_i && in_ready_o && in_last_i) begin
        beat_q <= BeatChecksum;
      end else if (take) begin
        unique case (beat_q)
          BeatHeader:   beat_q <= BeatIndex;
          BeatIndex:    beat_q <= BeatStatus;
          BeatChecksum: beat_q <= BeatHeader;
          default:      beat_q <= BeatElements;
        endcase
      end
      if (take && beat_q == BeatElements) limb_q <= limb_q + 2'd1;
      if (in_valid_i && in_ready_o) word_q <= in_last_i ? '0 : word_q + 4'd1;
    end
  end

endmodule
