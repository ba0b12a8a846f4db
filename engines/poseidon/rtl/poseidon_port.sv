// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_port: poseidon_hash request frames in, reply frames out, over one or both fields.
//
//   requests -> poseidon_request -+-> poseidon_lane Fr   (queue, cores) -+-> stream_arbiter
//                                 +-> poseidon_lane Felt (queue, cores) -+   -> poseidon_reply
//                                 +-> refusals (stream_fifo) ------------+  -> frame fifo -> replies
//
// Many requests are in progress at once; replies carry the request's index and may come in any
// order. Every request gets one reply: the hash, or a status with the reason of the rejection. Each
// stage waits only for the next one, and the last one only for rpl_ready_i, so the engine cannot
// deadlock. A lane whose contexts are all busy stalls its own requests and, once its queue is full,
// the requests after them.
//
// soft_reset_i (any number of clocks) drops everything inside, except the reply frame that is being
// offered: engine_shell.
//
// A word with a flipped bit, in any memory inside, stops all work inside until the soft reset.
// memory_error_o reports it three clocks after it appears, so before an affected reply ends: the
// last beat of a reply comes seven clocks after the last word of its result, or five clocks after
// the content of a refusal.
//
// Throughput: one beat a clock in and out; 4 + 4 * width beats per frame.
module poseidon_port
  import poseidon_pkg::*;
  import poseidon_programs_pkg::*;
#(
  parameter int unsigned CoresFr   = 1,  // field cores for BLS12-381 Fr (Filecoin), 0..7
  parameter int unsigned CoresFelt = 1,  // field cores for the Stark field, 0..7
  parameter int unsigned Contexts  = 64,  // jobs in flight in a core, >= 2 (poseidon_lane)
  parameter int unsigned Programs  = 0,   // poseidon_programs_pkg::programs_e
  parameter int unsigned Interval  = 1,   // clocks per product of a core: 1, 2 or 4
  parameter int unsigned TileA     = 26,  // the multiplier's tile, unsigned
  parameter int unsigned TileB     = 17,
  parameter int unsigned UltraMemories = 0  // 1: registers and results in UltraRAM
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

  // The manifest's counters, delayed by one clock. Bits 3:0: products issued. Bits 4 (Fr) and 5
  // (Felt): a core of the lane could have begun a job, but no request waited.
  output logic [5:0]  events_o,
  output logic [1:0][31:0] shape_o,
  output logic        error_o,      // pulse: a request is answered with a status other than 0
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o        // no request in progress
);
  localparam logic [Lanes-1:0] Enabled = {CoresFelt != 0, CoresFr != 0};

  localparam programs_e        ProgramSet = programs_e'(Programs);

  // Bit i of the low word: instance i of the wire format's list is available.
  assign shape_o   = {16'(Contexts), 8'(CoresFelt), 8'(CoresFr), 32'(instance_mask(Enabled, ProgramSet))};
  assign ignored_o = 1'b0;

  logic [Lanes:0] errors;  // memory errors of the lanes and of the refusals
  logic        inner_rst_n, request_valid, request_ready, frame_begins;
  logic        reply_valid, reply_ready, reply_last;
  logic [63:0] reply_data;

  engine_shell #(
    .Depth(64)
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

  // ---- Requests -------------------------------------------------------------------------------
  logic [Lanes-1:0] job_valid, job_ready, job_drop;
  logic [255:0]     job_data;
  logic             job_last;
  logic [3:0]       job_entry;
  tag_t             job_tag;
  logic             refusal_valid, refusal_ready;
  logic [63:0]      refusal_index;
  status_e          refusal_status;

  poseidon_request #(
    .Enabled (Enabled),
    .Programs(ProgramSet)
  ) u_request (
    .clk_i,
    .rst_ni          (inner_rst_n),
    .req_valid_i     (request_valid),
    .req_ready_o     (request_ready),
    .req_data_i,
    .req_last_i,
    .job_valid_o     (job_valid),
    .job_ready_i     (job_ready),
    .job_data_o      (job_data),
    .job_last_o      (job_last),
    .job_entry_o     (job_entry),
    .job_tag_o       (job_tag),
    .job_drop_o      (job_drop),
    .refusal_valid_o (refusal_valid),
    .refusal_ready_i (refusal_ready),
    .refusal_index_o (refusal_index),
    .refusal_status_o(refusal_status),
    .frame_begins_o  (frame_begins)
  );
  assign error_o = refusal_valid && refusal_ready;

  // ---- Answers: results of the lanes, refusals -------------------------------------------------
  typedef struct packed {
    status_e      status;
    tag_t         tag;
    logic [255:0] data;
  } answer_t;

  localparam int unsigned Sources = Lanes + 1;
  localparam int unsigned Refusal = Lanes;

  logic    [Sources-1:0] answer_valid, answer_ready, answer_last;
  answer_t [Sources-1:0] answer;
  logic [Lanes-1:0][3:0] busy;
  logic [Lanes-1:0]      starved;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    localparam int unsigned Cores = l == LaneFr ? CoresFr : CoresFelt;
    assign answer[l].status = StatusOk;

    if (Cores != 0) begin : gen_cores
      poseidon_lane #(
        .Lane    (l),
        .Programs(ProgramSet),
        .Cores   (Cores),
        .Contexts(Contexts),
        .Interval(Interval),
        .TileA   (TileA),
        .TileB   (TileB),
        .UltraMemories(UltraMemories != 0)
      ) u_lane (
        .clk_i,
        .rst_ni        (inner_rst_n),
        .job_valid_i   (job_valid[l]),
        .job_ready_o   (job_ready[l]),
        .job_data_i    (job_data),
        .job_last_i    (job_last),
        .job_entry_i   (job_entry),
        .job_tag_i     (job_tag),
        .job_drop_i    (job_drop[l]),
        .result_valid_o(answer_valid[l]),
        .result_ready_i(answer_ready[l]),
        .result_data_o (answer[l].data),
        .result_last_o (answer_last[l]),
        .result_tag_o  (answer[l].tag),
        .memory_error_o(errors[l]),
        .mul_busy_o    (busy[l]),
        .starved_o     (starved[l])
      );
    end else begin : gen_none
      assign job_ready[l]    = 1'b1;
      assign answer_valid[l] = 1'b0;
      assign answer_last[l]  = 1'b1;
      assign answer[l].data  = '0;
      assign answer[l].tag   = '0;
      assign busy[l]         = '0;
      assign errors[l]       = 1'b0;
      assign starved[l]      = 1'b0;
      logic unused;
      assign unused = ^{job_valid[l], job_drop[l], answer_ready[l]};
    end
  end

  always_ff @(posedge clk_i) begin
    events_o[3:0] <= busy[LaneFr] + busy[LaneFelt];
    events_o[5:4] <= starved;
  end

  stream_fifo #(
    .DataWidth(64 + $bits(status_e)),
    .Depth    (16)
  ) u_refusals (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (refusal_valid),
    .in_ready_o (refusal_ready),
    .in_data_i  ({refusal_index, refusal_status}),
    .out_valid_o(answer_valid[Refusal]),
    .out_ready_i(answer_ready[Refusal]),
    .out_data_o ({answer[Refusal].tag.index, answer[Refusal].status}),
    .memory_error_o(errors[Lanes])
  );
  assign answer[Refusal].tag.first_word = '0;
  assign answer[Refusal].tag.last_word  = '0;
  assign answer[Refusal].data           = '0;
  assign answer_last[Refusal]           = 1'b1;

  // ---- Replies --------------------------------------------------------------------------------
  logic    chosen_valid, chosen_ready, chosen_last;
  answer_t chosen;
  logic    next_valid, next_ready, next_last;
  answer_t next;

  stream_arbiter #(
    .Inputs   (Sources),
    .DataWidth($bits(answer_t))
  ) u_arbiter (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (answer_valid),
    .in_ready_o (answer_ready),
    .in_data_i  (answer),
    .in_last_i  (answer_last),
    .out_valid_o(chosen_valid),
    .out_ready_i(chosen_ready),
    .out_data_o (chosen),
    .out_last_o (chosen_last)
  );

  // Cuts the timing path between the formatting of one word and the choice of the next.
  stream_skid #(
    .DataWidth($bits(answer_t) + 1)
  ) u_slice (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (chosen_valid),
    .in_ready_o (chosen_ready),
    .in_data_i  ({chosen_last, chosen}),
    .out_valid_o(next_valid),
    .out_ready_i(next_ready),
    .out_data_o ({next_last, next})
  );

  poseidon_reply u_reply (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .in_valid_i (next_valid),
    .in_ready_o (next_ready),
    .in_data_i  (next.data),
    .in_last_i  (next_last),
    .in_tag_i   (next.tag),
    .in_status_i(next.status),
    .rpl_valid_o(reply_valid),
    .rpl_ready_i(reply_ready),
    .rpl_data_o (reply_data),
    .rpl_last_o (reply_last)
  );
endmodule
