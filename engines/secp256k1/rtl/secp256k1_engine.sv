// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_engine: verify_secp256k1_sig request frames in, reply frames out: ECDSA signatures,
// each with the mask of the checks that it fails.
//
//   requests -> secp256k1_request -+-> secp256k1_lane -+-> stream_arbiter -> secp256k1_reply
//                                  +-> secp256k1_lane -+                           |
//                                  +-> refusals -----------------------------------+-> frame fifo
//
// The frames' source gives 8 bytes a beat, zeros behind a frame's end, and req_last_i on the beat
// in which its declared length ends. Replies come in any order, with the request's index; a frame
// of another length than 176 bytes is answered by fpga_ignore_rpl. A reply's cycles are the clocks
// from the request's start in a lane to its verdict, which waiting behind other requests is not
// part of; they stay at 65535, as they do for most: a signature passes a core in some 80,000.
//
// Each stage waits only for the one behind it, the last for rpl_ready_i. So the engine stands still
// where nobody takes its replies, and goes on afterwards.
//
// soft_reset_i (any number of clocks) drops everything inside, except that the reply frame that is
// being offered is finished whole. Meanwhile and in the clock after it req_ready_o is low; then the
// request stream begins with a new frame.
module secp256k1_engine
  import secp256k1_pkg::*;
#(
  parameter int unsigned Cores    = 1,   // lanes, 1..15
  parameter int unsigned Contexts = 48,  // signatures inside each at once, >= 2
  parameter int unsigned Interval = 1,   // clocks between a core's products: 1, 2 or 4
  parameter int unsigned TileA    = 26,  // the multiplier's tile, unsigned
  parameter int unsigned TileB    = 17
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic [3:0]  mul_busy_o,  // products issued in the clock before
  output logic        ignored_o,   // pulse: a frame is answered by fpga_ignore_rpl
  output logic        idle_o       // no request inside
);
  localparam int unsigned CoreBits = Cores > 1 ? $clog2(Cores) : 1;

  // A flop of its own makes the reset of all parts but the last: it is free of glitches, and
  // after a soft reset it is released in step with the clock.
  logic inner_rst_nq, inner_open;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inner_rst_nq <= 1'b0;
    else inner_rst_nq <= !soft_reset_i;
  end
  // Between a soft reset's first clock and the end of the inner reset no beat is taken.
  assign inner_open = inner_rst_nq && !soft_reset_i;

  // ---- Requests ------------------------------------------------------------------------------
  logic        parser_ready, frame_begins, request_valid, request_ready;
  logic        refusal_valid, refusal_ready;
  logic [63:0] refusal_header;
  request_t    request;

  assign req_ready_o = parser_ready && inner_open;

  secp256k1_request u_request (
    .clk_i,
    .rst_ni          (inner_rst_nq),
    .req_valid_i     (req_valid_i && inner_open),
    .req_ready_o     (parser_ready),
    .req_data_i,
    .req_last_i,
    .request_valid_o (request_valid),
    .request_ready_i (request_ready),
    .request_o       (request),
    .refusal_valid_o (refusal_valid),
    .refusal_ready_i (refusal_ready),
    .refusal_header_o(refusal_header),
    .frame_begins_o  (frame_begins)
  );
  assign ignored_o = refusal_valid && refusal_ready;

  // ---- Lanes: a request asks one after the other, a clock each, from that behind the last taker --
  logic     [CoreBits-1:0] asked_q;
  logic     [Cores-1:0]    lane_ready, lane_busy, verdict_valid, verdict_ready;
  verdict_t [Cores-1:0]    verdict;

  assign request_ready = lane_ready[asked_q];
  always_ff @(posedge clk_i or negedge inner_rst_nq) begin
    if (!inner_rst_nq) asked_q <= '0;
    else if (request_valid) begin
      asked_q <= asked_q == CoreBits'(Cores - 1) ? '0 : asked_q + 1'b1;
    end
  end

  for (genvar c = 0; c < Cores; c++) begin : gen_lane
    secp256k1_lane #(
      .Contexts(Contexts),
      .Interval(Interval),
      .TileA   (TileA),
      .TileB   (TileB),
      .TagBits (64)
    ) u_lane (
      .clk_i,
      .rst_ni      (inner_rst_nq),
      .in_valid_i  (request_valid && asked_q == CoreBits'(c)),
      .in_ready_o  (lane_ready[c]),
      .r_i         (request.r),
      .s_i         (request.s),
      .digest_i    (request.digest),
      .x_i         (request.x),
      .y_i         (request.y),
      .tag_i       (request.index),
      .mask_valid_o(verdict_valid[c]),
      .mask_ready_i(verdict_ready[c]),
      .mask_o      (verdict[c].mask),
      .cycles_o    (verdict[c].cycles),
      .mask_tag_o  (verdict[c].index),
      .mul_busy_o  (lane_busy[c])
    );
  end

  always_ff @(posedge clk_i) mul_busy_o <= 4'($countones(lane_busy));

  // ---- Replies -------------------------------------------------------------------------------
  logic        next_valid, next_ready, next_last, reply_valid, reply_ready, reply_last;
  verdict_t    next;
  logic [63:0] reply_data;

  stream_arbiter #(
    .Inputs   (Cores),
    .DataWidth($bits(verdict_t))
  ) u_arbiter (
    .clk_i,
    .rst_ni     (inner_rst_nq),
    .clear_i    (1'b0),
    .in_valid_i (verdict_valid),
    .in_ready_o (verdict_ready),
    .in_data_i  (verdict),
    .in_last_i  ('1),
    .out_valid_o(next_valid),
    .out_ready_i(next_ready),
    .out_data_o (next),
    .out_last_o (next_last)
  );
  logic unused;
  assign unused = next_last;

  secp256k1_reply u_reply (
    .clk_i,
    .rst_ni          (inner_rst_nq),
    .verdict_valid_i (next_valid),
    .verdict_ready_o (next_ready),
    .verdict_i       (next),
    .refusal_valid_i (refusal_valid),
    .refusal_ready_o (refusal_ready),
    .refusal_header_i(refusal_header),
    .rpl_valid_o     (reply_valid),
    .rpl_ready_i     (reply_ready),
    .rpl_data_o      (reply_data),
    .rpl_last_o      (reply_last)
  );

  // The one part that outlives a soft reset: it finishes the frame that is being offered.
  stream_frame_fifo #(
    .DataWidth(64),
    .Depth    (16)
  ) u_frames (
    .clk_i,
    .rst_ni,
    .flush_i    (!inner_open),
    .in_valid_i (reply_valid),
    .in_ready_o (reply_ready),
    .in_data_i  (reply_data),
    .in_last_i  (reply_last),
    .drop_i     (1'b0),
    .out_valid_o(rpl_valid_o),
    .out_ready_i(rpl_ready_i),
    .out_data_o (rpl_data_o),
    .out_last_o (rpl_last_o)
  );

  // Requests whose reply is not yet in the frame fifo.
  logic [15:0] open_q;
  always_ff @(posedge clk_i or negedge inner_rst_nq) begin
    if (!inner_rst_nq) open_q <= '0;
    else open_q <= open_q + 16'(frame_begins) - 16'(reply_valid && reply_ready && reply_last);
  end
  assign idle_o = open_q == '0 && !rpl_valid_o;
endmodule
