// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core: a barrel processor around one pipelined modular multiplier.
//
// Contexts jobs are in the core at once. In each clock (every Interval clocks) another ready
// context issues one instruction (arith/microcode/isa.toml): a product with an accumulator, a
// reduction, and a sum of up to three operands and a constant, which may use the product of the
// same turn. All stages have fixed latencies and the pipeline never stalls.
//
// The earliest next issue of a context. The last write of a turn is that of the sum, in clock
// StageWrite after the issue (the product's write into P and the accumulator's come earlier). A
// turn's first read, of registers or of scalars, is in clock StageTurn. So an issue TurnClocks =
// StageWrite - StageTurn + 1 after the last one reads one clock after the last write: the earliest
// safe time for an instruction that may use any result of the previous one. The context enters the
// ready FIFO so that it can issue at that time; fetch and decode overlap the end of the previous
// turn.
//   The multiplier is busy in every clock if at least TurnClocks / Interval contexts are running;
// with fewer, the utilization is contexts * Interval / TurnClocks. A few spare contexts hide
// loading and sending.
//
// Stages, in clocks after the issue (LM, LA, LR, LS: latencies of product, accumulator, reduction
// and sum):
//   1 fetch; 3 decode; 4 read operands; 7 multiply; 7+LM product; 7+LM+LA accumulated; 7+LM+LA+LR
//   product reduced (written to P; the add slot's operands were addressed two clocks before);
//   8+LM+LA+LR sum; 8+LM+LA+LR+LS sum written to S or to the output buffer.
//   TurnClocks = 5+LM+LA+LR+LS. With Lookups everything from the operands' read on is 4 clocks
// later.
//
// With Lookups an instruction has one more slot: the second operand may come from a table, selected
// by digits of scalars (field_core_lookup), which delays the operands' read and everything after it
// by four clocks; and a halt may depend on the context's flag. With Folds products are reduced by
// fold_reduce and have no factor 2^-Width.
//
// With QuickRegBits the highest context is for jobs that should end soon. It has a turn in every
// fourth clock, or with QuickTurns = 2 in every second one (field_core_control), so several of its
// turns are in flight, and it has more registers, in the highest words of the banks. A job with a
// quick program gets this context if the others leave enough clocks: fewer than QuickJobs are in
// the core and none is in that context. The program must be built for latencies at least as large
// as these (arith/microcode/timing.py, Pace).
//
// With Paced every context has several turns in flight: instructions have the pace slot, which
// gives the time of the context's next turns (field_core_control). The program must be built for
// latencies at least as large as these; TurnClocks then does not apply to its turns.
//
// With Frames a program may have nested loops and subroutines (field_core_control), and an
// instruction has the sequence slot.
//
// Words of jobs and results are in [0, Modulus). job_pc_i, job_outputs_i and job_tag_i are sampled
// with the first word. A job may have at most 2^RegBits words. The ROMs are outside, so that large
// tables do not pass through parameters and cores can share them. Results leave in the order in
// which jobs halt. rst_ni may be pulsed at any time, for one clock or more. memory_error_o reports,
// in one of the four clocks after its use, a word with a flipped bit (memory_parity): each memory
// of field_core is checked.
module field_core
  import field_core_isa_pkg::*;
#(
  parameter  int unsigned  Width         = 256,     // of a word, up to 384
  parameter  logic [Width-1:0] Modulus   = Width'(arith_pkg::FeltModulus),  // odd
  parameter  int unsigned  Contexts      = 64,      // >= 2
  parameter  int unsigned  RegBits       = 3,       // log2 of a bank's registers, 1..6
  parameter  int unsigned  Interval      = 1,       // clocks between products: 1, 2 or 4
  parameter  int unsigned  TileA         = 26,      // the multiplier's tile, unsigned
  parameter  int unsigned  TileB         = 17,
  parameter  bit           ReduceTiles   = 1'b0,    // tiles in the reduction: montgomery_reduce
  parameter  int unsigned  TagBits       = 72,
  parameter  int unsigned  MaxOutputs    = 3,       // words of the largest result, 2..16
  // The banks that the program's operands read (field_core_registers): the others get no memory.
  parameter  logic [9:0]   ReadMask      = '1,
  // The coefficients of the program's sums (linear_sum): the others get no logic.
  parameter  logic [26:0]  Coefficients  = '1,
  parameter  bit           Folds         = 1'b0,    // fold_reduce instead of montgomery_reduce
  // Products and sums in fewer clocks (mul_saved; fold_saved or montgomery_saved): with Interval =
  // 1, and with Folds or without Lookups.
  parameter  bit           SavedCarries  = 1'b0,
  parameter  bit           Lookups       = 1'b0,    // the lookup slot; without it fixed_* is idle
  // The memory type of registers, tables and results: "block" or "ultra" (field_core_memory).
  parameter                MemoryStyle   = "block",
  // log2 of a bank's registers of the quick context, RegBits..6; 0: no quick context.
  parameter  int unsigned  QuickRegBits  = 0,
  parameter  int unsigned  QuickTurns    = 1,  // its turns in four clocks: 2 needs SavedCarries
  // The number of nested loops and calls, besides an outermost loop: 0..SequenceFrames.
  parameter  int unsigned  Frames        = 0,
  parameter  bit           Paced         = 1'b0,    // the pace slot; Interval = 1, no lookups
  localparam int unsigned  PcBits        = ImmBits + (Paced ? UpperBits : 0),
  localparam int unsigned  WordBits      = InstructionBits + (Lookups ? LookupSlotBits : 0) +
                                           (Frames != 0 ? SequenceSlotBits : 0) +
                                           (Paced ? PaceSlotBits : 0),
  localparam int unsigned  FixedBits     = LookupTableRowBits + LookupWindowBits + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  logic [Width-1:0]     job_data_i,
  input  logic                 job_last_i,
  input  logic [PcBits-1:0]    job_pc_i,       // start address of its program
  input  logic [3:0]           job_outputs_i,  // words of its result, 1..MaxOutputs
  input  logic [TagBits-1:0]   job_tag_i,
  input  logic                 job_quick_i,    // sampled likewise: the job has a quick program
  input  logic [PcBits-1:0]    job_quick_pc_i,

  // ROMs of instructions and of the constants of both slots: data belongs to the address of two
  // clocks before.
  output logic [PcBits-1:0]              program_address_o,
  input  logic [WordBits-1:0]            program_data_i,
  output logic [ConstantAddressBits-1:0] mul_address_o,
  input  logic [Width-1:0]               mul_data_i,
  output logic [ConstantAddressBits-1:0] add_address_o,
  input  logic [Width-1:0]               add_data_i,
  output logic [FixedBits-1:0]           fixed_address_o,
  input  logic [Width-1:0]               fixed_data_i,

  output logic                 result_valid_o,
  input  logic                 result_ready_i,
  output logic [Width-1:0]     result_data_o,
  output logic                 result_last_o,
  output logic [TagBits-1:0]   result_tag_o,

  output logic                 memory_error_o,
  output logic                 mul_busy_o,  // a product was issued in this clock
  output logic                 idle_o       // no job inside
);

  localparam int unsigned ExtraBits = AccumulatorExtraBits;
  // The sum of products is a skewed number: the reduction begins with its first segment. Likewise
  // the product for the accumulator.
  localparam bit Skewed = !Folds && !Lookups && !SavedCarries &&
      arith_pkg::uses_bls12_reduce(Width, arith_pkg::constant_t'(Modulus), ReduceTiles);
  localparam bit SkewedProduct = Skewed || (Folds && Width == 256);
  localparam int unsigned MulLatency =
      SavedCarries ? arith_pkg::saved_mul_latency(Width, TileA, TileB)
                   : arith_pkg::mul_wide_latency(Width, Width, Interval, TileA, TileB) -
                     (SkewedProduct ? arith_pkg::skewed_product_clocks(Width) : 0);
  localparam int unsigned ReduceLatency =
      SavedCarries ? arith_pkg::saved_reduce_latency(Folds) :
      Folds ? arith_pkg::fold_reduce_latency(Width, arith_pkg::constant_t'(Modulus), ExtraBits)
            : arith_pkg::montgomery_reduce_latency(
                  Width, arith_pkg::constant_t'(Modulus), ExtraBits, Interval, TileA, TileB,
                  ReduceTiles);
  localparam int unsigned AccumulatorLatency =
      SavedCarries ? arith_pkg::SavedAccumulatorLatency
                   : arith_pkg::accumulator_latency(Width, ExtraBits, Skewed);
  localparam int unsigned SumLatency =
      SavedCarries ? arith_pkg::saved_sum_latency(Folds) : arith_pkg::linear_sum_latency(Width);

  // Stages, in clocks after the issue.
  localparam int unsigned StageTurn     = 4;  // field_core_control
  localparam int unsigned LookupClocks  = Lookups ? 4 : 0;
  localparam int unsigned StageRead     = StageTurn + LookupClocks;
  localparam int unsigned StageMultiply = StageRead + 3;
  localparam int unsigned StageProduct  = StageMultiply + MulLatency;
  localparam int unsigned StageReduce   = StageProduct + AccumulatorLatency;
  localparam int unsigned StageReduced  = StageReduce + ReduceLatency;
  localparam int unsigned StageSum      = StageReduced + 1;
  localparam int unsigned StageWrite    = StageSum + SumLatency;
  localparam int unsigned TurnClocks    = StageWrite - StageTurn + 1;

  localparam int unsigned ContextBits = $clog2(Contexts);
  localparam bit          Quick       = QuickRegBits != 0;
  // Registers of a bank: those of the usual contexts, then up to the end of the quick context's.
  localparam int unsigned UsualWords  = (Quick ? Contexts - 1 : Contexts) << RegBits;
  localparam int unsigned AddressBits = $clog2(UsualWords + (Quick ? 2**QuickRegBits : 0));
  localparam int unsigned BankWords   = Quick ? 2**AddressBits : UsualWords;
  localparam int unsigned QuickIndexBits = Quick ? QuickRegBits : RegBits;
  // The quick context takes every fourth or second turn; this number of contexts uses the rest.
  localparam int unsigned QuickJobs   = TurnClocks * (4 - QuickTurns) / 4;
  localparam int unsigned OutIndexBitsUsed = $clog2(MaxOutputs);

  typedef logic [ContextBits-1:0] context_t;
  typedef logic [AddressBits-1:0] address_t;

  // RegBits of an index are used, or QuickRegBits.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic address_t register_address(input context_t context_id,
                                                input logic [RegisterIndexBits-1:0] index);
  /* verilator lint_on UNUSEDSIGNAL */
    address_t address;
    address = AddressBits'({context_id, index[RegBits-1:0]});
    if (Quick && context_id == ContextBits'(Contexts - 1)) begin
      address = {{(AddressBits - QuickIndexBits){1'b1}}, index[QuickIndexBits-1:0]};
    end
    return address;
  endfunction

  if (QuickTurns != 1 && !SavedCarries) begin : gen_quick_accumulator
    $error("only the accumulator with saved carries adds to the sum of two clocks before");
  end

  // ---- Control: a turn appears StageTurn clocks after its issue -------------------------------
  typedef struct packed {
    lookup_t      lookups;
    logic         goes_on;  // a halt that does not take place
    logic         negated;  // coefficient 0 changes its sign; known from StageRead on
    context_t     context_id;
    instruction_t slots;
  } turn_t;
  // The fields of a turn in the pipeline: without lookups the upper fields are zero.
  localparam int unsigned TurnBits = ContextBits + InstructionBits +
                                     (Lookups ? LookupSlotBits + 2 : 0);

  // Errors of the control, the accumulator, the lookups, the registers, the loader and the output.
  logic [5:0] memory_errors;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) memory_error_o <= 1'b0;
    else memory_error_o <= memory_errors != '0;
  end

  logic               start_valid, start_ready, flag;
  logic               first_follows, sum_follows;  // in the issue of the turn one clock before
  context_t           start_context, first_context;
  logic [PcBits-1:0]  start_pc;

  // The fields of a turn are used along the pipeline; unused ones are optimized away.
  /* verilator lint_off UNUSEDSIGNAL */
  turn_t first_turn, read_turn, sum_turn, add_turn, last_turn, write_turn;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [StageWrite-1:StageTurn] valid;  // a turn is in this stage

  field_core_control #(
    .Contexts  (Contexts),
    .Interval  (Interval),
    .TurnClocks(TurnClocks),
    .Lookups   (Lookups),
    .Quick     (Quick),
    .QuickTurns(QuickTurns),
    .Frames    (Frames),
    .Paced     (Paced)
  ) u_control (
    .clk_i,
    .rst_ni,
    .start_valid_i  (start_valid),
    .start_ready_o  (start_ready),
    .start_context_i(start_context),
    .start_pc_i     (start_pc),
    .program_address_o,
    .program_data_i,
    .flag_i         (flag),
    .turn_valid_o   (valid[StageTurn]),
    .turn_context_o (first_context),
    .turn_o         (first_turn.slots),
    .turn_lookup_o  (first_turn.lookups),
    .turn_goes_on_o (first_turn.goes_on),
    .turn_follows_o (first_follows),
    .memory_error_o (memory_errors[0])
  );
  assign first_turn.context_id = first_context;
  assign first_turn.negated    = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid[StageWrite-1:StageTurn+1] <= '0;
    else valid[StageWrite-1:StageTurn+1] <= valid[StageWrite-2:StageTurn];
  end

  // The turn travels with its data; it is used at five stages.
  localparam int unsigned StageSumTurn = StageProduct - 2;  // reads the accumulator
  localparam int unsigned StageAddTurn = StageReduced - 2;  // reads the add slot's operands

  logic [TurnBits-1:0] sum_turn_bits, add_turn_bits, last_turn_bits;
  assign sum_turn   = $bits(turn_t)'(sum_turn_bits);
  assign add_turn   = $bits(turn_t)'(add_turn_bits);
  assign last_turn  = $bits(turn_t)'(last_turn_bits);

  pipeline_delay #(
    .DataWidth(TurnBits),
    .Stages   (StageSumTurn - StageRead)
  ) u_to_sum (
    .clk_i,
    .data_i(read_turn[TurnBits-1:0]),
    .data_o(sum_turn_bits)
  );
  if (Paced) begin : gen_follows
    pipeline_delay #(
      .DataWidth(1),
      .Stages   (StageSumTurn - StageTurn)
    ) u_follows (
      .clk_i,
      .data_i(first_follows),
      .data_o(sum_follows)
    );
  end else begin : gen_no_follows
    assign sum_follows = first_follows;  // 0
  end
  pipeline_delay #(
    .DataWidth(TurnBits),
    .Stages   (StageAddTurn - StageSumTurn)
  ) u_to_add (
    .clk_i,
    .data_i(sum_turn[TurnBits-1:0]),
    .data_o(add_turn_bits)
  );
  pipeline_delay #(
    .DataWidth(TurnBits),
    .Stages   (StageWrite - 1 - StageAddTurn)
  ) u_to_write (
    .clk_i,
    .data_i(add_turn[TurnBits-1:0]),
    .data_o(last_turn_bits)
  );
  always_ff @(posedge clk_i) write_turn <= last_turn;

  // ---- Multiply slot --------------------------------------------------------------------------
  logic [Width-1:0] operand[5];
  assign mul_busy_o = valid[StageTurn] && first_turn.slots.mul_en;

  assign mul_address_o = read_turn.slots.mul_const;

  logic [Width-1:0] product;

  field_core_products #(
    .Width        (Width),
    .Modulus      (Modulus),
    .Contexts     (Contexts),
    .Interval     (Interval),
    .TileA        (TileA),
    .TileB        (TileB),
    .ReduceTiles  (ReduceTiles),
    .Folds        (Folds),
    .SavedCarries (SavedCarries),
    .High         (Lookups),
    .Follows      (Paced),
    .SkewedProduct(SkewedProduct),
    .Skewed       (Skewed),
    .ReduceLatency(ReduceLatency)
  ) u_products (
    .clk_i,
    .rst_ni,
    .multiply_valid_i(valid[StageMultiply]),
    .a_i             (operand[0]),
    .b_i             (operand[1]),
    .turn_valid_i    (valid[StageSumTurn] && sum_turn.slots.mul_en),
    .turn_context_i  (sum_turn.context_id),
    .turn_add_i      (sum_turn.slots.mul_acc),
    .turn_follows_i  (sum_follows),
    .reduce_valid_i  (valid[StageReduce]),
    .high_i          (add_turn.lookups.mul_high),
    .product_o       (product),
    .memory_error_o  (memory_errors[1])
  );

  // The product is available two clocks after add_turn.
  logic     product_emitted_q, product_write_q;
  address_t product_address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      product_emitted_q <= 1'b0;
      product_write_q   <= 1'b0;
    end else begin
      product_emitted_q <= valid[StageAddTurn] && add_turn.slots.mul_en &&
                           add_turn.slots.mul_emit && add_turn.slots.mul_write;
      product_write_q   <= product_emitted_q;
    end
  end
  pipeline_delay #(
    .DataWidth(AddressBits),
    .Stages   (StageReduced - StageAddTurn)
  ) u_product_address (
    .clk_i,
    .data_i(register_address(add_turn.context_id, add_turn.slots.mul_dst)),
    .data_o(product_address_q)
  );

  // ---- Add slot -------------------------------------------------------------------------------
  logic [Width-1:0] add_constant_q, sum;
  logic [1:0]       add_constant_en_q;
  logic signed [3:0] coef0, coef1, coef2;

  assign add_address_o = add_turn.slots.add_const;

  always_ff @(posedge clk_i) begin
    add_constant_en_q <= {add_constant_en_q[0], add_turn.slots.add_const_en};
    add_constant_q    <= add_constant_en_q[1] ? add_data_i : '0;
  end

  logic signed [3:0] signed_coef0;
  assign signed_coef0 = add_turn.negated ? -add_turn.slots.coef0 : add_turn.slots.coef0;

  pipeline_delay #(
    .DataWidth(12),
    .Stages   (StageSum - StageAddTurn)
  ) u_coefficients (
    .clk_i,
    .data_i({signed_coef0, add_turn.slots.coef1, add_turn.slots.coef2}),
    .data_o({coef0, coef1, coef2})
  );

  linear_sum #(
    .Width       (Width),
    .Modulus     (Modulus),
    .Coefficients(Coefficients),
    .Folds       (SavedCarries && Folds),
    .Saved       (SavedCarries && !Folds)
  ) u_sum (
    .clk_i,
    .op0_i   (operand[2]),
    .op1_i   (operand[3]),
    .op2_i   (operand[4]),
    .const_i (add_constant_q),
    .coef0_i (coef0),
    .coef1_i (coef1),
    .coef2_i (coef2),
    .result_o(sum)
  );

  // Decided one clock before, because the loader's ready depends on it.
  logic sum_valid_q, sum_write_q, sum_out_q, job_done_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {sum_valid_q, sum_write_q, sum_out_q, job_done_q} <= '0;
    end else begin
      sum_valid_q <= valid[StageWrite-1] && last_turn.slots.add_en;
      sum_write_q <= valid[StageWrite-1] && last_turn.slots.add_en && last_turn.slots.add_write;
      sum_out_q   <= valid[StageWrite-1] && last_turn.slots.add_en && last_turn.slots.out_en;
      job_done_q  <= valid[StageWrite-1] && last_turn.slots.control == ControlHalt &&
                   !last_turn.goes_on;
    end
  end

  // ---- Lookups: tables, scalars, flags --------------------------------------------------------
  logic [Width-1:0] second_factor;  // the replacement of operand b, if any

  if (Lookups) begin : gen_lookup
    logic             negative;
    logic [1:0]       looked_up_q;
    logic [Width-1:0] lookup_word;
    turn_t            delayed;

    pipeline_delay #(
      .DataWidth($bits(turn_t)),
      .Stages   (LookupClocks)
    ) u_to_read (
      .clk_i,
      .data_i(first_turn),
      .data_o(delayed)
    );
    always_comb begin
      read_turn         = delayed;
      read_turn.negated = delayed.lookups.sign_op0 && negative;
    end

    field_core_lookup #(
      .Width      (Width),
      .Contexts   (Contexts),
      .MemoryStyle(MemoryStyle)
    ) u_lookup (
      .clk_i,
      .turn_valid_i   (valid[StageTurn]),
      .turn_context_i (first_turn.context_id),
      .turn_i         (first_turn.lookups),
      .fixed_address_o,
      .fixed_data_i,
      .negative_o     (negative),
      .word_o         (lookup_word),
      .write_valid_i  (sum_valid_q),
      .write_context_i(write_turn.context_id),
      .write_turn_i   (write_turn.lookups),
      .write_data_i   (sum),
      .memory_error_o (memory_errors[2])
    );
    always_ff @(posedge clk_i) begin
      looked_up_q <= {looked_up_q[0], read_turn.lookups.lookup != LookupNone};
    end
    assign second_factor = looked_up_q[1] ? lookup_word : mul_data_i;

    // A job reads its flag only after it has written it.
    logic [Contexts-1:0] flags_q;
    always_ff @(posedge clk_i) begin
      if (sum_valid_q && write_turn.lookups.flag_write) flags_q[write_turn.context_id] <= sum == '0;
    end
    assign flag = flags_q[first_context];
  end else begin : gen_no_lookup
    assign read_turn       = first_turn;
    assign second_factor   = mul_data_i;
    assign flag            = 1'b0;
    assign fixed_address_o = '0;
    assign memory_errors[2] = 1'b0;
    logic unused_of_lookups;
    assign unused_of_lookups = ^{fixed_data_i, sum_valid_q};
  end

  // ---- Registers ------------------------------------------------------------------------------
  logic               load_valid;
  context_t           load_context;
  logic [RegBits-1:0] load_index;
  logic [Width-1:0]   load_data;

  address_t sum_address, load_address;
  assign sum_address  = register_address(write_turn.context_id, write_turn.slots.add_dst);
  assign load_address = register_address(load_context, RegisterIndexBits'(load_index));

  // Operands a, b, op0, op1, op2: the first two are addressed at read_turn, the others at add_turn.
  logic     read_from_s[5], used[5], replace[5];
  address_t read_address[5];
  always_comb begin
    logic [RegisterIndexBits:0] register_id[5];  // {bank, index}
    register_id[0] = read_turn.slots.mul_a;
    register_id[1] = read_turn.slots.mul_b;
    register_id[2] = add_turn.slots.op0;
    register_id[3] = add_turn.slots.op1;
    register_id[4] = add_turn.slots.op2;
    for (int unsigned k = 0; k < 5; k++) begin
      read_from_s[k]  = register_id[k][RegisterIndexBits];
      read_address[k] = register_address(k < 2 ? read_turn.context_id : add_turn.context_id,
                                         register_id[k][RegisterIndexBits-1:0]);
      used[k]         = k < 2 ? valid[StageRead] && read_turn.slots.mul_en
                              : valid[StageAddTurn] && add_turn.slots.add_en;
      replace[k]      = 1'b0;
    end
    if (add_turn.slots.coef0 == '0) used[2] = 1'b0;
    if (add_turn.slots.coef1 == '0) used[3] = 1'b0;
    if (add_turn.slots.coef2 == '0) used[4] = 1'b0;
    replace[1] = read_turn.slots.mul_b_is_const || read_turn.lookups.lookup != LookupNone;
    replace[2] = add_turn.slots.op0_is_product;
  end

  field_core_registers #(
    .Width   (Width),
    .Words   (BankWords),
    .ReadMask(ReadMask),
    .MemoryStyle(MemoryStyle)
  ) u_registers (
    .clk_i,
    .p_write_valid_i  (product_write_q),
    .p_write_address_i(product_address_q),
    .p_write_data_i   (product),
    .s_write_valid_i  (sum_write_q || load_valid),
    .s_write_address_i(sum_write_q ? sum_address : load_address),
    .s_write_data_i   (sum_write_q ? sum : load_data),
    .read_from_s_i    (read_from_s),
    .read_address_i   (read_address),
    .used_i           (used),
    .replace_i        (replace),
    .replacement_i    ('{'0, second_factor, product, '0, '0}),
    .operand_o        (operand),
    .memory_error_o   (memory_errors[3])
  );

  // ---- Jobs in, results out -------------------------------------------------------------------
  logic     job_begins, free_valid, few_jobs_q;
  context_t job_context, free_context;

  field_core_loader #(
    .Width   (Width),
    .Contexts(Contexts),
    .RegBits (RegBits),
    .Quick   (Quick),
    .PcBits  (PcBits)
  ) u_loader (
    .clk_i,
    .rst_ni,
    .job_valid_i,
    .job_ready_o,
    .job_data_i,
    .job_last_i,
    .job_pc_i,
    .job_quick_i,
    .job_quick_pc_i,
    .quick_i        (few_jobs_q),
    .job_begins_o   (job_begins),
    .job_context_o  (job_context),
    .write_valid_o  (load_valid),
    .write_ready_i  (!sum_write_q),
    .write_context_o(load_context),
    .write_index_o  (load_index),
    .write_data_o   (load_data),
    .start_valid_o  (start_valid),
    .start_ready_i  (start_ready),
    .start_context_o(start_context),
    .start_pc_o     (start_pc),
    .free_valid_i   (free_valid),
    .free_context_i (free_context),
    .memory_error_o (memory_errors[4])
  );

  field_core_output #(
    .Width     (Width),
    .Contexts  (Contexts),
    .TagBits   (TagBits),
    .MaxOutputs(MaxOutputs),
    .MemoryStyle(MemoryStyle)
  ) u_output (
    .clk_i,
    .rst_ni,
    .begin_valid_i     (job_begins),
    .begin_context_i   (job_context),
    .begin_tag_i       (job_tag_i),
    .begin_last_index_i(OutIndexBitsUsed'(job_outputs_i - 4'd1)),
    .write_valid_i     (sum_out_q),
    .write_context_i   (write_turn.context_id),
    .write_index_i     (write_turn.slots.out_index[OutIndexBitsUsed-1:0]),
    .write_data_i      (sum),
    .done_valid_i      (job_done_q),
    .done_context_i    (write_turn.context_id),
    .result_valid_o,
    .result_ready_i,
    .result_data_o,
    .result_last_o,
    .result_tag_o,
    .free_valid_o      (free_valid),
    .free_context_o    (free_context),
    .memory_error_o    (memory_errors[5])
  );

  // A context is free while its last word is still at the output: one job more than contexts.
  localparam int unsigned JobBits = $clog2(Contexts + 2);
  logic [JobBits-1:0] jobs_q;
  logic               job_ends;
  assign job_ends = result_valid_o && result_ready_i && result_last_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) jobs_q <= '0;
    else jobs_q <= jobs_q + JobBits'(job_begins) - JobBits'(job_ends);
  end
  assign idle_o = jobs_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) few_jobs_q <= 1'b1;
    else few_jobs_q <= 32'(jobs_q) < QuickJobs;
  end

endmodule
