// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_lane: everything of one field: the queue of checked requests, the cores, and the
// joining of their results. Both fields are this module, with another ROM package.
//
// The queue holds a request until it is whole and judged; its depth lets the next requests come
// in while all contexts are taken, so that a context that gets free is loaded at the core's own
// pace (one element a clock) and not at that of the request stream (one element in four clocks).
module poseidon_lane
  import field_core_isa_pkg::*;
  import poseidon_pkg::*;
#(
  parameter int unsigned  Cores         = 1,    // 1..8
  parameter int unsigned  Contexts      = 64,
  parameter int unsigned  Interval      = 1,
  parameter int unsigned  TileA         = 26,
  parameter int unsigned  TileB         = 17,
  parameter int unsigned  QueueWords    = 32,   // a power of two, at least LongestState
  // From the ROM package.
  parameter logic [255:0] Modulus       = arith_pkg::FeltModulus,
  parameter int unsigned  RegBits       = 3,
  parameter int unsigned  ProgramLength = 1,
  parameter int unsigned  MulConstCount = 1,
  parameter int unsigned  AddConstCount = 1,
  parameter int unsigned  EntryCount    = 1,
  parameter logic [InstructionBits-1:0] Program[ProgramLength]   = '{default: '0},
  parameter logic [255:0]               MulConst[MulConstCount]  = '{default: '0},
  parameter logic [255:0]               AddConst[AddConstCount]  = '{default: '0},
  parameter logic [11:0]                EntryPc[EntryCount]      = '{default: '0},
  parameter logic [3:0]                 EntryOutputs[EntryCount] = '{default: 4'd1}
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Words of requests; job_drop_i takes back those of the request that is coming in.
  input  logic         job_valid_i,
  output logic         job_ready_o,
  input  logic [255:0] job_data_i,
  input  logic         job_last_i,
  input  logic [3:0]   job_entry_i,
  input  tag_t         job_tag_i,
  input  logic         job_drop_i,

  output logic         result_valid_o,
  input  logic         result_ready_i,
  output logic [255:0] result_data_o,
  output logic         result_last_o,
  output tag_t         result_tag_o,

  output logic [3:0]   mul_busy_o,  // products issued in this clock
  output logic         starved_o    // a core could begin a job and no request is there
);
  localparam int unsigned EntryBits = EntryCount > 1 ? $clog2(EntryCount) : 1;

  // Words of the largest result, at least 2 as the core wants it.
  function automatic int unsigned max_outputs();
    max_outputs = 2;
    for (int unsigned i = 0; i < EntryCount; i++) begin
      if (32'(EntryOutputs[i]) > max_outputs) max_outputs = 32'(EntryOutputs[i]);
    end
  endfunction

  typedef struct packed {
    tag_t                 tag;
    logic [EntryBits-1:0] entry;
    logic [255:0]         data;
  } word_t;

  // ---- Queue ----------------------------------------------------------------------------------
  word_t queued, word;
  logic  word_valid, word_ready, word_last;

  assign queued = '{tag: job_tag_i, entry: job_entry_i[EntryBits-1:0], data: job_data_i};

  stream_frame_fifo #(
    .DataWidth($bits(word_t)),
    .Depth    (QueueWords)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .flush_i    (1'b0),
    .in_valid_i (job_valid_i),
    .in_ready_o (job_ready_o),
    .in_data_i  (queued),
    .in_last_i  (job_last_i),
    .drop_i     (job_drop_i),
    .out_valid_o(word_valid),
    .out_ready_i(word_ready),
    .out_data_o (word),
    .out_last_o (word_last)
  );

  if (EntryBits < 4) begin : gen_unused_entry
    logic unused_entry;
    assign unused_entry = ^job_entry_i[3:EntryBits];
  end

  // ---- Cores ----------------------------------------------------------------------------------
  logic [Cores-1:0] core_valid, core_ready, busy;

  poseidon_dispatcher #(
    .Cores(Cores)
  ) u_dispatcher (
    .clk_i,
    .rst_ni,
    .in_valid_i  (word_valid),
    .in_ready_o  (word_ready),
    .in_last_i   (word_last),
    .core_valid_o(core_valid),
    .core_ready_i(core_ready)
  );

  // The queue gives out whole requests, so it runs dry between two of them only.
  assign starved_o = !word_valid && |core_ready;

  typedef struct packed {
    tag_t         tag;
    logic [255:0] data;
  } result_t;

  logic    [Cores-1:0] result_valid, result_ready, result_last;
  result_t [Cores-1:0] result;

  for (genvar c = 0; c < Cores; c++) begin : gen_core
    logic idle;
    field_core #(
      .Modulus      (Modulus),
      .Contexts     (Contexts),
      .RegBits      (RegBits),
      .Interval     (Interval),
      .TileA        (TileA),
      .TileB        (TileB),
      .TagBits      ($bits(tag_t)),
      .MaxOutputs   (max_outputs()),
      .ProgramLength(ProgramLength),
      .MulConstCount(MulConstCount),
      .AddConstCount(AddConstCount),
      .EntryCount   (EntryCount),
      .Program      (Program),
      .MulConst     (MulConst),
      .AddConst     (AddConst),
      .EntryPc      (EntryPc),
      .EntryOutputs (EntryOutputs)
    ) u_core (
      .clk_i,
      .rst_ni,
      .job_valid_i   (core_valid[c]),
      .job_ready_o   (core_ready[c]),
      .job_data_i    (word.data),
      .job_last_i    (word_last),
      .job_entry_i   (word.entry),
      .job_tag_i     (word.tag),
      .result_valid_o(result_valid[c]),
      .result_ready_i(result_ready[c]),
      .result_data_o (result[c].data),
      .result_last_o (result_last[c]),
      .result_tag_o  (result[c].tag),
      .mul_busy_o    (busy[c]),
      .idle_o        (idle)
    );
    // The engine counts its requests itself.
    logic unused_idle;
    assign unused_idle = idle;
  end

  result_t joined;
  stream_arbiter #(
    .Inputs   (Cores),
    .DataWidth($bits(result_t))
  ) u_join (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (result_valid),
    .in_ready_o (result_ready),
    .in_data_i  (result),
    .in_last_i  (result_last),
    .out_valid_o(result_valid_o),
    .out_ready_i(result_ready_i),
    .out_data_o (joined),
    .out_last_o (result_last_o)
  );
  assign result_data_o = joined.data;
  assign result_tag_o  = joined.tag;

  always_comb begin
    mul_busy_o = '0;
    for (int unsigned i = 0; i < Cores; i++) mul_busy_o += 4'(busy[i]);
  end

endmodule
