// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// secp256k1_lane: takes signatures and returns masks of failed checks: the scalar unit, a core, the
// verdict.
//
//   request ─▶ answer_guard ─▶ secp256k1_scalars ─┬─▶ field_core ─▶ secp256k1_verdict ─┬─┐
//      mask ◀────────┴────────────────────────────┴─▶ refusals ────────────────────────┴─┘
//
// Contexts signatures are inside the core at once, so that masks come in any order, each with the
// tag of its request. cycles_o counts from the request taken to the answer of the guard, two clocks
// before the mask is offered, and saturates at 65535. A signature that arrives while the core has
// few others is checked by the quick program. No deadlock: each stage waits only for the next one,
// and the last stage for the reader of the masks.
//
// A signature without an answer after TimeoutClocks, which no signature needs, was lost by a fault
// of the circuit: all signatures inside are answered with the time-out, and the parts are reset.
module secp256k1_lane
  import field_core_isa_pkg::*;
  import secp256k1_rom_pkg::*;
#(
  parameter int unsigned Contexts = 56,  // at least the clocks of a turn, to fill the multiplier
  parameter int unsigned Interval = 1,
  parameter int unsigned TileA    = 26,
  parameter int unsigned TileB    = 17,
  parameter bit          UltraMemories = 1'b0,  // registers, tables and results in UltraRAM
  parameter int unsigned TagBits  = 64,
  // In a full core, a signature takes one turn of each context per instruction.
  parameter int unsigned TimeoutClocks = Interval << 18
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [255:0]       r_i,
  input  logic [255:0]       s_i,
  input  logic [255:0]       digest_i,
  input  logic [255:0]       x_i,
  input  logic [255:0]       y_i,
  input  logic [TagBits-1:0] tag_i,

  output logic               mask_valid_o,
  input  logic               mask_ready_i,
  output logic [5:0]         mask_o,
  output logic [15:0]        cycles_o,
  output logic [TagBits-1:0] mask_tag_o,

  output logic               memory_error_o,
  output logic               mul_busy_o
);
  logic [1:0] errors;  // of the guard and of the core
  assign memory_error_o = errors != '0;


  // ---- The guard keeps the tag and the clock of each request ----------------------------------
  localparam int unsigned ClockBits = 32;
  localparam logic [5:0]  TimedOut  = 6'b010000;
  // In addition to the core's contexts, some signatures wait in the scalar unit and at the verdict.
  localparam int unsigned SlotBits  = $clog2(Contexts + 8);
  typedef struct packed {
    logic [ClockBits-1:0] began;
    logic [TagBits-1:0]   tag;
  } stamped_t;
  typedef struct packed {
    logic [5:0]          mask;
    logic [SlotBits-1:0] slot;
  } outcome_t;

  logic [ClockBits-1:0] clock_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clock_q <= '0;
    else clock_q <= clock_q + 1'b1;
  end

  logic                inner_rst_n, unit_valid, unit_ready;
  logic [SlotBits-1:0] unit_slot;
  outcome_t            joined, kept;
  logic                joined_valid, joined_ready, joined_last, kept_valid, kept_ready;
  logic                answer_valid, timed_out;
  // An answer waits until its clocks are counted, and then for the reader.
  logic                counts_q, full_q;
  logic [5:0]          answer;
  stamped_t            stamped;

  answer_guard #(
    .TagBits      ($bits(stamped_t)),
    .AnswerBits   (6),
    .Slots        (1 << SlotBits),
    .TimeoutClocks(TimeoutClocks)
  ) u_guard (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .in_tag_i         ({clock_q, tag_i}),
    .unit_rst_no      (inner_rst_n),
    .unit_in_valid_o  (unit_valid),
    .unit_in_ready_i  (unit_ready),
    .unit_in_slot_o   (unit_slot),
    .unit_out_valid_i (kept_valid),
    .unit_out_ready_o (kept_ready),
    .unit_out_slot_i  (kept.slot),
    .unit_out_answer_i(kept.mask),
    .out_valid_o      (answer_valid),
    .out_ready_i      (!counts_q && !full_q),
    .out_tag_o        (stamped),
    .out_answer_o     (answer),
    .out_timed_out_o  (timed_out),
    .memory_error_o   (errors[0])
  );

  // ---- Before the core ------------------------------------------------------------------------
  logic         job_valid, job_ready, job_last, key_alone;
  logic [255:0] job_data;
  logic [1:0]   job_range, result_range;
  logic [SlotBits-1:0] job_slot, result_slot;
  outcome_t [1:0] outcome;
  logic     [1:0] outcome_valid, outcome_ready;

  secp256k1_scalars #(
    .TagBits(SlotBits)
  ) u_scalars (
    .clk_i,
    .rst_ni         (inner_rst_n),
    .in_valid_i     (unit_valid),
    .in_ready_o     (unit_ready),
    .r_i,
    .s_i,
    .digest_i,
    .x_i,
    .y_i,
    .tag_i          (unit_slot),
    .job_valid_o    (job_valid),
    .job_ready_i    (job_ready),
    .job_data_o     (job_data),
    .job_last_o     (job_last),
    .job_key_alone_o(key_alone),
    .job_tag_o      ({job_range, job_slot}),
    .refused_valid_o(outcome_valid[0]),
    .refused_ready_i(outcome_ready[0]),
    .refused_mask_o (outcome[0].mask),
    .refused_tag_o  (outcome[0].slot)
  );

  // ---- The core and its ROMs ------------------------------------------------------------------
  // The quick program is valid only for a core whose latencies are not larger.
  localparam bit SavedCarries = Interval == 1;
  localparam bit Quick = SavedCarries &&
      arith_pkg::saved_mul_latency(256, TileA, TileB) <= QuickMultiply &&
      arith_pkg::SavedAccumulatorLatency <= QuickAccumulate &&
      arith_pkg::SavedFoldLatency <= QuickReduce &&
      arith_pkg::SavedSumLatency <= QuickSum;

  localparam int unsigned WordBits  = InstructionBits + LookupSlotBits;
  localparam int unsigned FixedBits = LookupTableRowBits + LookupWindowBits + 1;

  logic [ImmBits-1:0]             program_address;
  logic [WordBits-1:0]            program_data;
  logic [ConstantAddressBits-1:0] mul_address, add_address;
  logic [FixedBits-1:0]           fixed_address;
  logic [255:0]                   mul_data, add_data, fixed_data, result_data;
  logic                           result_valid, result_ready, result_last, idle;

  field_core_rom #(
    .Width(WordBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
  ) u_program (
    .clk_i, .address_i(program_address), .data_o(program_data)
  );
  field_core_rom #(
    .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
  ) u_mul (
    .clk_i, .address_i(mul_address), .data_o(mul_data)
  );
  field_core_rom #(
    .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
  ) u_add (
    .clk_i, .address_i(add_address), .data_o(add_data)
  );
  field_core_rom #(
    .Depth(FixedCount), .AddressBits(FixedBits), .Contents(Fixed)
  ) u_fixed (
    .clk_i, .address_i(fixed_address), .data_o(fixed_data)
  );

  field_core #(
    .Modulus     (Modulus),
    .Contexts    (Contexts),
    .RegBits     (RegBits),
    .Interval    (Interval),
    .TileA       (TileA),
    .TileB       (TileB),
    .MemoryStyle (UltraMemories ? "ultra" : "block"),
    .TagBits     (SlotBits + 2),
    .MaxOutputs  (MaxOutputs),
    .ReadMask    (ReadMask),
    .Coefficients(Coefficients),
    .Folds       (1'b1),
    .SavedCarries(SavedCarries),
    .Lookups     (1'b1),
    .QuickRegBits(Quick ? QuickRegBits : 0),
    .QuickTurns  (Quick ? QuickTurns : 1)
  ) u_core (
    .clk_i,
    .rst_ni           (inner_rst_n),
    .job_valid_i      (job_valid),
    .job_ready_o      (job_ready),
    .job_data_i       (job_data),
    .job_last_i       (job_last),
    .job_pc_i         (EntryPc[key_alone]),
    .job_outputs_i    (EntryOutputs[key_alone]),
    .job_tag_i        ({job_range, job_slot}),
    .job_quick_i      (EntryQuick[key_alone]),
    .job_quick_pc_i   (EntryQuickPc[key_alone]),
    .program_address_o(program_address),
    .program_data_i   (program_data),
    .mul_address_o    (mul_address),
    .mul_data_i       (mul_data),
    .add_address_o    (add_address),
    .add_data_i       (add_data),
    .fixed_address_o  (fixed_address),
    .fixed_data_i     (fixed_data),
    .result_valid_o   (result_valid),
    .result_ready_i   (result_ready),
    .result_data_o    (result_data),
    .result_last_o    (result_last),
    .result_tag_o     ({result_range, result_slot}),
    .memory_error_o   (errors[1]),
    .mul_busy_o,
    .idle_o           (idle)
  );
  logic unused_idle;
  assign unused_idle = idle;

  // ---- After the core -------------------------------------------------------------------------
  secp256k1_verdict #(
    .TagBits(SlotBits)
  ) u_verdict (
    .clk_i,
    .rst_ni        (inner_rst_n),
    .result_valid_i(result_valid),
    .result_ready_o(result_ready),
    .result_data_i (result_data),
    .result_last_i (result_last),
    .result_tag_i  ({result_range, result_slot}),
    .mask_valid_o  (outcome_valid[1]),
    .mask_ready_i  (outcome_ready[1]),
    .mask_o        (outcome[1].mask),
    .mask_tag_o    (outcome[1].slot)
  );

  stream_arbiter #(
    .Inputs   (2),
    .DataWidth($bits(outcome_t))
  ) u_join (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (outcome_valid),
    .in_ready_o (outcome_ready),
    .in_data_i  (outcome),
    .in_last_i  ('1),
    .out_valid_o(joined_valid),
    .out_ready_i(joined_ready),
    .out_data_o (joined),
    .out_last_o (joined_last)
  );
  logic unused_last;
  assign unused_last = joined_last;

  // The guard reads the entry of the answer's slot in the clock after the choice.
  stream_skid #(
    .DataWidth($bits(outcome_t))
  ) u_kept (
    .clk_i,
    .rst_ni     (inner_rst_n),
    .clear_i    (1'b0),
    .in_valid_i (joined_valid),
    .in_ready_o (joined_ready),
    .in_data_i  (joined),
    .out_valid_o(kept_valid),
    .out_ready_i(kept_ready),
    .out_data_o (kept)
  );

  // The clocks are counted when the answer comes from the guard, saturating at 65535; the result is
  // offered a clock later.
  logic [ClockBits-1:0] taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counts_q <= 1'b0;
      full_q   <= 1'b0;
    end else begin
      counts_q <= answer_valid && !counts_q && !full_q;
      full_q   <= counts_q || (full_q && !mask_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!counts_q && !full_q) begin
      mask_o     <= timed_out ? TimedOut : answer;
      mask_tag_o <= stamped.tag;
      taken_q    <= clock_q - stamped.began;
    end
    if (counts_q) cycles_o <= taken_q[ClockBits-1:16] != '0 ? '1 : taken_q[15:0];
  end
  assign mask_valid_o = full_q;

endmodule
