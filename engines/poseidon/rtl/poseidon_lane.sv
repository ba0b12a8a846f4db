// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_lane: all logic of one field: the queue of checked requests, the cores, and the merging
// of their results. Both fields use this module, with different programs (poseidon_rom).
//
// A core whose programs are paced has several turns of each job in flight. It has three quarters of
// Contexts, which fill it, with twice the registers.
//
// The queue holds a request until it is complete and checked. Its depth lets the next requests
// arrive while all contexts are busy, so that a context that becomes free is loaded at the core's
// own pace (one element a clock) and not at the pace of the request stream (one element in four
// clocks).
module poseidon_lane
  import field_core_isa_pkg::*;
  import poseidon_pkg::*;
  import poseidon_programs_pkg::*;
#(
  parameter int unsigned Lane       = LaneFr,
  parameter programs_e   Programs   = ProgramsOptimized,
  parameter int unsigned Cores      = 1,   // 1..7
  parameter int unsigned Contexts   = 64,
  parameter int unsigned Interval   = 1,
  parameter int unsigned TileA      = 26,
  parameter int unsigned TileB      = 17,
  parameter bit          UltraMemories = 1'b0,  // registers and results in UltraRAM
  parameter int unsigned QueueWords = 64   // a power of two, at least LongestState
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Words of requests; job_drop_i discards those of the request being received.
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

  output logic         memory_error_o,
  output logic [3:0]   mul_busy_o,  // multipliers that issue a product in this clock
  output logic         starved_o    // a core could begin a job, but no request waits
);
  localparam core_shape_t Shape     = core_shape(Lane, Programs);
  localparam int unsigned EntryBits = Shape.entries > 1 ? $clog2(Shape.entries) : 1;
  localparam int unsigned CoreContexts =
      Shape.paced && Contexts > 4 ? Contexts * 3 / 4 : Contexts;
  localparam int unsigned AddressBits = address_bits(Lane, Programs);
  localparam int unsigned WordBits    = word_bits(Lane, Programs);

  if (Shape.paced &&
      (arith_pkg::mul_wide_latency(256, 256, Interval, TileA, TileB) -
           arith_pkg::skewed_product_clocks(256) > Shape.multiply ||
       arith_pkg::accumulator_latency(256, AccumulatorExtraBits, 1'b1) > Shape.accumulate ||
       arith_pkg::montgomery_reduce_latency(256, arith_pkg::constant_t'(Shape.modulus),
                                            AccumulatorExtraBits, Interval, TileA, TileB,
                                            1'b0) > Shape.reduce ||
       arith_pkg::linear_sum_latency(256) > Shape.sum)) begin : gen_too_late
    $error("the programs require smaller latencies");
  end

  typedef struct packed {
    tag_t                 tag;
    logic [EntryBits-1:0] entry;
    logic [255:0]         data;
  } word_t;

  // ---- Queue ----------------------------------------------------------------------------------
  logic [Cores:0] errors;
  assign memory_error_o = errors != '0;

  word_t queued, whole, word;
  logic  whole_valid, whole_ready, whole_last;
  logic  word_valid, word_ready, word_last;

  assign queued = '{tag: job_tag_i, entry: job_entry_i[EntryBits-1:0], data: job_data_i};

  stream_frame_fifo #(
    .DataWidth ($bits(word_t)),
    .Depth     (QueueWords),
    .Registered(1'b1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .flush_i    (1'b0),
    .in_valid_i (job_valid_i),
    .in_ready_o (job_ready_o),
    .in_data_i  (queued),
    .in_last_i  (job_last_i),
    .drop_i     (job_drop_i),
    .out_valid_o(whole_valid),
    .out_ready_i(whole_ready),
    .out_data_o (whole),
    .out_last_o (whole_last),
    .memory_error_o(errors[Cores])
  );

  // Cuts the timing path from the queue's pointers to the cores' ready.
  stream_skid #(
    .DataWidth($bits(word_t) + 1)
  ) u_slice (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (whole_valid),
    .in_ready_o (whole_ready),
    .in_data_i  ({whole_last, whole}),
    .out_valid_o(word_valid),
    .out_ready_i(word_ready),
    .out_data_o ({word_last, word})
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

  // The queue outputs whole requests, so it can run empty only between two of them.
  assign starved_o = !word_valid && |core_ready;

  // The start of the program of the word's job, and the number of words of its result.
  /* verilator lint_off UNUSEDSIGNAL */
  entry_t entry;
  /* verilator lint_on UNUSEDSIGNAL */
  assign entry = program_entry(Lane, Programs, 32'(word.entry));

  typedef struct packed {
    tag_t         tag;
    logic [255:0] data;
  } result_t;

  logic    [Cores-1:0] result_valid, result_ready, result_last;
  result_t [Cores-1:0] result;

  // Two cores read the same tables of instructions and constants, each through its own port: the
  // tables are more than half of a core's block RAM. The last core of an odd number has its own
  // tables.
  logic [Cores-1:0][AddressBits-1:0]         program_address;
  logic [Cores-1:0][WordBits-1:0]            program_data;
  logic [Cores-1:0][ConstantAddressBits-1:0] mul_address, add_address;
  logic [Cores-1:0][255:0]                   mul_data, add_data;

  for (genvar c = 0; c < Cores; c += 2) begin : gen_rom
    localparam int unsigned Ports = c + 1 < Cores ? 2 : 1;
    poseidon_rom #(
      .Lane    (Lane),
      .Programs(Programs),
      .Ports   (Ports)
    ) u_rom (
      .clk_i,
      .program_address_i(program_address[c+:Ports]),
      .program_data_o   (program_data[c+:Ports]),
      .mul_address_i    (mul_address[c+:Ports]),
      .mul_data_o       (mul_data[c+:Ports]),
      .add_address_i    (add_address[c+:Ports]),
      .add_data_o       (add_data[c+:Ports])
    );
  end

  for (genvar c = 0; c < Cores; c++) begin : gen_core
    logic                                         idle;
    logic [LookupTableRowBits+LookupWindowBits:0] fixed_address;

    field_core #(
      .Modulus     (Shape.modulus),
      .Contexts    (CoreContexts),
      .RegBits     (Shape.reg_bits),
      .Interval    (Interval),
      .TileA       (TileA),
      .TileB       (TileB),
      .MemoryStyle (UltraMemories ? "ultra" : "block"),
      .TagBits     ($bits(tag_t)),
      .MaxOutputs  (Shape.max_outputs),
      .ReadMask    (Shape.read_mask),
      .Coefficients(Shape.coefficients),
      .Paced       (Shape.paced)
    ) u_core (
      .clk_i,
      .rst_ni,
      .job_valid_i      (core_valid[c]),
      .job_ready_o      (core_ready[c]),
      .job_data_i       (word.data),
      .job_last_i       (word_last),
      .job_pc_i         (entry.pc[AddressBits-1:0]),
      .job_outputs_i    (entry.outputs),
      .job_tag_i        (word.tag),
      .job_quick_i      (1'b0),
      .job_quick_pc_i   ('0),
      .program_address_o(program_address[c]),
      .program_data_i   (program_data[c]),
      .mul_address_o    (mul_address[c]),
      .mul_data_i       (mul_data[c]),
      .add_address_o    (add_address[c]),
      .add_data_i       (add_data[c]),
      .fixed_address_o  (fixed_address),
      .fixed_data_i     ('0),
      .result_valid_o   (result_valid[c]),
      .result_ready_i   (result_ready[c]),
      .result_data_o    (result[c].data),
      .result_last_o    (result_last[c]),
      .result_tag_o     (result[c].tag),
      .memory_error_o   (errors[c]),
      .mul_busy_o       (busy[c]),
      .idle_o           (idle)
    );
    // Unused: the engine counts its requests itself, and its programs have no lookups.
    logic unused_idle;
    assign unused_idle = ^{idle, fixed_address};
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
