// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_port: takes verify_secp256k1_sig and verify_secp256k1_sig_checked request frames and
// returns reply frames: ECDSA signatures, each with the mask of its failed checks.
//
//   requests -> secp256k1_request -+-> secp256k1_lane -+-> stream_arbiter -> verdict_reply
//                                  +-> secp256k1_lane -+                           |
//                                  +-> corrupt --------+                           |
//                                  +-> refusals -----------------------------------+-> frame fifo
//
// The source of the frames supplies 8 bytes per beat, with zeros after a frame's end, and
// req_last_i on the beat in which its declared length ends. Replies come in any order, with the
// request's index; a frame whose length is not that of its form is answered with fpga_ignore_rpl. A
// checked frame whose checksum does not match is answered `corrupt`, and does not reach a lane. A
// reply's cycles are the clocks from the request's start in a lane to its verdict, without the time
// that it waits behind other requests. They saturate at 65535, as in a busy core, where a signature
// takes some 90,000; a signature in an idle core takes some 18,000.
//
// Each stage waits only for the next one, and the last stage for rpl_ready_i. So the engine stops
// when nobody takes its replies, and continues afterwards.
//
// A word with a flipped bit, in any memory inside, discards everything inside, until the soft
// reset. It is reported three clocks after it occurs; the last beat of a reply comes four clocks
// after the last word of a result.
//
// soft_reset_i (any number of clocks) discards everything inside except the reply frame being
// offered: engine_shell.
module secp256k1_port
  import secp256k1_pkg::*;
#(
  parameter int unsigned Cores    = 1,   // lanes, 1..15
  parameter int unsigned Contexts = 56,  // signatures inside each at once, >= 2
  parameter int unsigned Interval = 1,   // clocks between a core's products: 1, 2 or 4
  parameter int unsigned TileA    = 26,  // the multiplier's tile, unsigned
  parameter int unsigned TileB    = 17,
  parameter int unsigned UltraMemories = 0,  // 1: registers, tables and results in UltraRAM
  parameter int unsigned TimeoutClocks = Interval << 18  // more than any signature takes
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

  output logic [3:0]  events_o,    // the manifest's counter: products issued in the clock before
  output logic [0:0][31:0] shape_o,
  output logic        error_o,     // pulse: a request is answered with a status other than ok
  output logic        ignored_o,   // pulse: a frame is answered by fpga_ignore_rpl
  output logic        memory_error_o,
  output logic        idle_o       // no request inside
);
  localparam int unsigned CoreBits = Cores > 1 ? $clog2(Cores) : 1;

  assign shape_o = {16'(Contexts), 8'd0, 8'(Cores)};

  logic [Cores-1:0] errors;  // of memories
  logic        inner_rst_n, request_valid, request_ready, frame_begins;
  logic        reply_valid, reply_ready, reply_last;
  logic [63:0] reply_data;

  engine_shell #(
    .Depth(16)
  ) u_shell (
    .clk_i,
    .rst_ni,
    .soft_reset_i,
    .req_valid_i,
    .req_ready_o,
    .rpl_valid_o,
    .rpl_ready_i,
    .rpl_data_o,
    .rpl_last_o,
    .idle_o,
    .memory_error_o,
    .inner_rst_no   (inner_rst_n),
    .request_valid_o(request_valid),
    .request_ready_i(request_ready),
    .memory_error_i (errors != '0),
    .owed_i         (frame_begins),
    .reply_valid_i  (reply_valid),
    .reply_ready_o  (reply_ready),
    .reply_data_i   (reply_data),
    .reply_last_i   (reply_last)
  );

  // ---- Requests ------------------------------------------------------------------------------
  logic        job_valid, job_ready, job_checked;
  logic        refusal_valid, refusal_ready;
  logic [63:0] refusal_header;
  request_t    request;

  // The verdicts of the lanes, and those of corrupt requests.
  logic     [Cores:0] verdict_valid, verdict_ready;
  verdict_t [Cores:0] verdict;

  secp256k1_request u_request (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .req_valid_i     (request_valid),
    .req_ready_o     (request_ready),
    .req_data_i,
    .req_last_i,
    .request_valid_o (job_valid),
    .request_ready_i (job_ready),
    .request_o       (request),
    .request_checked_o(job_checked),
    .corrupt_valid_o (verdict_valid[Cores]),
    .corrupt_ready_i (verdict_ready[Cores]),
    .refusal_valid_o (refusal_valid),
    .refusal_ready_i (refusal_ready),
    .refusal_header_o(refusal_header),
    .frame_begins_o  (frame_begins)
  );
  assign ignored_o = refusal_valid && refusal_ready;
  assign error_o   = verdict_valid[Cores] && verdict_ready[Cores];
  assign verdict[Cores] = '{
    checked: 1'b1, corrupt: 1'b1, index: request.index, cycles: '0, mask: '0
  };

  // ---- Lanes: a request asks one lane per clock, starting after the last taker --
  logic     [CoreBits-1:0] asked_q;
  logic     [Cores-1:0]    lane_ready, lane_busy;

  assign job_ready = lane_ready[asked_q];
  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) asked_q <= '0;
    else if (job_valid) begin
      asked_q <= asked_q == CoreBits'(Cores - 1) ? '0 : asked_q + 1'b1;
    end
  end

  for (genvar c = 0; c < Cores; c++) begin : gen_lane
    secp256k1_lane #(
      .Contexts(Contexts),
      .Interval(Interval),
      .TileA   (TileA),
      .TileB   (TileB),
      .UltraMemories(UltraMemories != 0),
      .TagBits (65),
      .TimeoutClocks(TimeoutClocks)
    ) u_lane (
      .clk_i,
      .rst_ni      (inner_rst_n),
      .in_valid_i  (job_valid && asked_q == CoreBits'(c)),
      .in_ready_o  (lane_ready[c]),
      .r_i         (request.r),
      .s_i         (request.s),
      .digest_i    (request.digest),
      .x_i         (request.x),
      .y_i         (request.y),
      .tag_i       ({job_checked, request.index}),
      .mask_valid_o(verdict_valid[c]),
      .mask_ready_i(verdict_ready[c]),
      .mask_o      (verdict[c].mask),
      .cycles_o    (verdict[c].cycles),
      .mask_tag_o  ({verdict[c].checked, verdict[c].index}),
      .memory_error_o(errors[c]),
      .mul_busy_o  (lane_busy[c])
    );
    assign verdict[c].corrupt = 1'b0;
  end

  always_ff @(posedge clk_i) events_o <= 4'($countones(lane_busy));

  // ---- Replies -------------------------------------------------------------------------------
  logic        next_valid, next_ready, next_last;
  verdict_t    next;
  logic [7:0]  next_status;

  stream_arbiter #(
    .Inputs   (Cores + 1),
    .DataWidth($bits(verdict_t))
  ) u_arbiter (
    .clk_i,
    .rst_ni     (inner_rst_n),
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

  assign next_status = next.corrupt ? StatusCorrupt : '0;

  verdict_reply #(
    .Command       (ReplyVerify),
    .CheckedCommand(ReplyVerifyChecked)
  ) u_reply (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .verdict_valid_i (next_valid),
    .verdict_ready_o (next_ready),
    .verdict_index_i (next.index),
    .verdict_found_i ({32'd0, next.cycles, next_status, 8'(next.mask)}),
    .verdict_checked_i(next.checked),
    .refusal_valid_i (refusal_valid),
    .refusal_ready_o (refusal_ready),
    .refusal_header_i(refusal_header),
    .rpl_valid_o     (reply_valid),
    .rpl_ready_i     (reply_ready),
    .rpl_data_o      (reply_data),
    .rpl_last_o      (reply_last)
  );
endmodule
