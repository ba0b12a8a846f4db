// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_sequencer: runs the programs of all contexts. It fetches an instruction of a
// context, checks it in the manual's order, and executes its steps
// (engines/bls12_381/microcode/instructions.py): jobs of the core, inversions of single words, and
// simple operations that it performs itself. While a context waits for results, others proceed.
//
// Events that a context waits for are kept as bits: start_q (the pointer was written), wake_q (an
// instruction was written), more_q (an instruction has ended) and resume_q (a job has ended, or
// there may be room for an interrupt now). A context is active from the fetch of an instruction to
// its end.
module bls_coprocessor_sequencer
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
  import bls_coprocessor_control_pkg::*;
#(
  parameter int unsigned Contexts  = 4,
  parameter bit          Extension = 1'b1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // From the window.
  input  logic                clearing_i,
  input  context_t            window_context_i,
  input  logic [Contexts-1:0] start_i,
  input  logic [15:0]         start_pointer_i,
  input  logic [Contexts-1:0] wake_i,
  input  logic                limit_write_i,
  input  logic [31:0]         limit_i,
  output status_t             status_o,  // of window_context_i
  output logic [31:0]         limit_o,

  // Memories: a word comes ReadClocks after its address. Reads and writes are never refused.
  output logic                instruction_read_valid_o,
  output context_t            instruction_context_o,
  output logic [8:0]          instruction_place_o,
  /* verilator lint_off UNUSEDSIGNAL */  // the eighth byte has no meaning
  input  logic [63:0]         instruction_data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                data_read_valid_o,
  output logic                data_check_o,          // the word read was written before
  output logic                data_write_valid_o,
  output context_t            data_context_o,
  output place_t              data_read_place_o,
  output place_t              data_write_place_o,
  output slot_t               data_write_o,
  input  slot_t               data_i,

  // The core.
  output logic                job_valid_o,
  input  logic                job_ready_i,
  output logic [DataBits-1:0] job_number_o,
  output logic                job_last_o,
  output job_t                job_o,
  // The inverter.
  output logic                invert_valid_o,
  input  logic                invert_ready_i,
  output logic [DataBits-1:0] invert_number_o,
  output logic                invert_form_o,  // in Montgomery form
  output tag_t                invert_tag_o,
  input  logic                done_valid_i,   // the last word of a result was written
  input  context_t            done_context_i,

  // Interrupts.
  input  logic                room_i,
  output logic                beat_valid_o,
  output logic [63:0]         beat_data_o,
  output logic                beat_last_o,

  // Each executed instruction, in the clock of its end.
  output logic                retired_valid_o,
  output context_t            retired_context_o,
  output logic [15:0]         retired_pointer_o,
  output logic [15:0]         retired_next_o,
  output instruction_t        retired_instruction_o,
  output logic                idle_o,         // no instruction is active
  output logic                memory_error_o
);
  localparam int unsigned IndexBits = Contexts > 1 ? $clog2(Contexts) : 1;
  typedef logic [IndexBits-1:0] index_t;

  // The state of a context that waits in the middle of an instruction.
  typedef struct packed {
    instruction_t               instruction;
    logic [15:0]                pointer;
    fault_e                     fault;     // it stops as soon as there is room for the interrupt
    logic                       names;     // the error word includes the instruction's code
    kind_e                      kind_a;
    logic                       affine_a;
    logic                       affine_b;
    kind_e                      result_kind;
    logic [3:0]                 unit;
    logic [1:0]                 degree;
    logic [8:0]                 extent;    // of operand a
    logic [StepAddressBits-1:0] step;
    logic [8:0]                 i;
    logic [8:0]                 n;
    place_t                     p;
    place_t                     q;
    logic                       zero;
    logic [31:0]                began;     // the clock of its start
  } thread_t;

  typedef enum logic [5:0] {
    Pick, Load, Begin, FetchWait1, FetchWait2, Judge,
    Decode,
    Scan, Scanning, ScanDrain, Scanned,
    Step, StepWait1, StepWait2, StepPlaces, Do,
    Word, WordWait1, WordWait2, InvertSend, MoveWrite, TestDrain,
    Other, OtherWait1, OtherWait2, Compared, DigitChoose, DigitTake, DigitScale, DigitAdd, TopShift,
    DecrementWait,
    SendHeader, SendIndex, SendSlot,
    Stop, StopIndex, Suspend
  } state_e;

  state_e    state_q;
  thread_t   thread_q;
  index_t    index_q;        // the context
  logic      stopped_q, limited_q, beyond_q, noop_q;
  logic      waits;          // in Judge: the context waits
  assign waits = !beyond_q && noop_q;
  step_t     step_q;
  logic [1:0] addressed_q;   // in Word, [1]: the next step can be read
  logic      in_job_q;       // between the first and the last word of a job
  logic      load_room;      // there is room for a word for the core
  logic [3:0] phase_q;       // of Decode
  logic       faulty_q;      // it has found an error
  logic [3:0] wait_q;
  logic [31:0] clock_q;

  // The last clock of bls_coprocessor_decode, whose first clock is that of Judge.
  localparam logic [3:0] LastPhase = 4'd10;
  localparam int unsigned SumClocks = arith_pkg::ceil_div(DataBits + 1, arith_pkg::SegmentWidth);

  assign data_context_o        = context_t'(index_q);
  assign instruction_context_o = context_t'(index_q);

  // ---- Contexts and the events that they wait for --------------------------------------------
  logic [Contexts-1:0] start_q, wake_q, more_q, resume_q, active_q, eligible, eligible_q, later_q;
  index_t choice;
  logic   any;
  assign eligible = resume_q | (~active_q & (start_q | wake_q | more_q));
  always_comb begin
    // The next context after the last one, cyclically.
    choice = '0;
    for (int unsigned k = Contexts; k > 0; k--) if (eligible_q[k-1]) choice = index_t'(k - 1);
    for (int unsigned k = Contexts; k > 0; k--) if (later_q[k-1]) choice = index_t'(k - 1);
    any = eligible_q != '0;
  end
  // (A clock late: Load checks that the context is still eligible.)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      eligible_q <= '0;
      later_q    <= '0;
    end else begin
      eligible_q <= eligible;
      for (int unsigned k = 0; k < Contexts; k++) begin
        later_q[k] <= eligible[k] && index_t'(k) > index_q;
      end
    end
  end
  assign idle_o = active_q == '0 && eligible == '0 && state_q == Pick;

  logic ends, yields, begins;  // the instruction, or the wait; the context's turn is over
  assign begins = state_q == Begin;
  assign ends   = retired_valid_o || state_q == StopIndex ||
                  (state_q == Begin && stopped_q && !start_q[index_q]) ||
                  (state_q == Judge && waits);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q  <= '0;
      wake_q   <= '0;
      more_q   <= '0;
      resume_q <= '0;
      active_q <= '0;
    end else begin
      start_q <= start_q | start_i;
      wake_q  <= wake_q | wake_i;
      if (begins) begin
        start_q[index_q]  <= start_i[index_q];
        wake_q[index_q]   <= wake_i[index_q];
        more_q[index_q]   <= 1'b0;
        active_q[index_q] <= 1'b1;
      end
      if (state_q == Load) resume_q[index_q] <= 1'b0;
      if (done_valid_i) resume_q[done_context_i[IndexBits-1:0]] <= 1'b1;
      if (yields) resume_q[index_q] <= 1'b1;
      if (ends) active_q[index_q] <= 1'b0;
      if (retired_valid_o) more_q[index_q] <= 1'b1;
    end
  end

  // ---- State of each context -------------------------------------------------------------------
  thread_t     threads[Contexts];
  logic [15:0] start_pointers[Contexts], pointers[Contexts];
  logic [31:0] limits[Contexts], errors[Contexts], retired[Contexts], last_clocks[Contexts];
  index_t      window_index;
  logic [Contexts-1:0] started_q;  // start_q, a clock ago
  assign window_index = window_context_i[IndexBits-1:0];

  always_comb begin
    status_o.pointer     = pointers[window_index];
    status_o.error       = errors[window_index];
    status_o.retired     = retired[window_index];
    status_o.last_clocks = last_clocks[window_index];
    // (Until the values written by the start have arrived.)
    if (start_q[window_index] || started_q[window_index]) begin
      status_o.pointer = start_pointers[window_index];
      status_o.error   = '0;
      status_o.retired = '0;
    end
    limit_o = limits[window_index];
  end

  logic        starts;
  logic [31:0] error_word, count;
  logic [15:0] next_pointer, begin_pointer;
  assign starts     = state_q == Begin && start_q[index_q];
  assign begin_pointer = starts ? start_pointers[index_q] : pointers[index_q];
  assign count      = retired[index_q];
  assign error_word = {1'b1, thread_q.pointer[14:0],
                       thread_q.names ? thread_q.instruction.code : 8'd0, 8'(thread_q.fault)};

  // Writes to a context's state, a clock later: at a start, at the end of an instruction, at a
  // stop, and after a reset.
  logic                write_pointer_q, write_error_q, write_clocks_q;
  index_t              write_index_q;
  logic [15:0]         pointer_q;
  logic [31:0]         count_q, error_q, clocks_q;
  always_ff @(posedge clk_i) begin
    started_q       <= start_q;
    write_index_q   <= clearing_i ? window_index : index_q;
    write_pointer_q <= clearing_i || starts || retired_valid_o;
    write_error_q   <= clearing_i || starts || state_q == StopIndex;
    write_clocks_q  <= clearing_i ||
                       (retired_valid_o && thread_q.instruction.code != OpSendInterrupt);
    pointer_q       <= clearing_i ? '0 : starts ? start_pointers[index_q] : next_pointer;
    count_q         <= clearing_i || starts ? '0 : count == '1 ? count : count + 32'd1;
    error_q         <= clearing_i || starts ? '0 : error_word;
    clocks_q        <= clearing_i ? '0 : clock_q - thread_q.began;

    if (write_pointer_q) pointers[write_index_q] <= pointer_q;
    if (write_pointer_q) retired[write_index_q] <= count_q;
    if (write_error_q) errors[write_index_q] <= error_q;
    if (write_clocks_q) last_clocks[write_index_q] <= clocks_q;
    if (start_i != '0) start_pointers[window_index] <= start_pointer_i;
    if (limit_write_i || clearing_i) limits[window_index] <= limit_i;
    if (state_q == Suspend) threads[index_q] <= thread_q;
    clock_q <= clock_q + 32'd1;
  end

  // ---- Decoding -------------------------------------------------------------------------------
  kind_e       kinds_q[3], written_kind, key;
  fault_e      decode_fault;
  logic [2:0]  reads, in_range;
  logic        pairs;
  logic [8:0]  extents[3];

  bls_coprocessor_decode #(
    .Extension(Extension)
  ) u_decode (
    .clk_i,
    .instruction_i(thread_q.instruction),
    .kinds_i      (kinds_q),
    .fault_o      (decode_fault),
    .reads_o      (reads),
    .in_range_o   (in_range),
    .pairs_o      (pairs),
    .extents_o    (extents),
    .result_kind_o(written_kind),
    .key_o        (key)
  );

  logic [StepAddressBits-1:0] start_step;
  logic [StepBits-1:0]        step_bits;
  field_core_rom #(
    .Width(StepAddressBits), .Depth(2**StartBits), .AddressBits(StartBits), .Contents(Starts)
  ) u_starts (.clk_i, .address_i({thread_q.instruction.code[5:0], key}), .data_o(start_step));
  field_core_rom #(
    .Width(StepBits), .Depth(StepCount), .AddressBits(StepAddressBits), .Contents(Steps)
  ) u_steps (.clk_i, .address_i(thread_q.step), .data_o(step_bits));

  // ---- Places of a step -----------------------------------------------------------------------
  place_t     place_q, to_q, place, to;
  logic [8:0] left_q;  // words left, including the one at place_q

  place_t [7:0] bases;  // by base_e
  always_comb begin
    bases              = '0;
    bases[BaseA]       = place_t'(thread_q.instruction.a[7:0]);
    bases[BaseB]       = place_t'(thread_q.instruction.b[7:0]);
    bases[BaseC]       = place_t'(thread_q.instruction.c[7:0]);
    bases[BaseScratch] = place_t'(Slots);
    bases[BaseP]       = thread_q.p;
    bases[BaseQ]       = thread_q.q;
  end

  function automatic place_t units_of(input logic [2:0] count_of, input logic [3:0] unit);
    unique case (count_of)
      3'd0:    return '0;
      3'd1:    return place_t'(unit);
      3'd2:    return place_t'({unit, 1'b0});
      3'd3:    return place_t'({unit, 1'b0}) + place_t'(unit);
      3'd4:    return place_t'({unit, 2'b0});
      default: return -place_t'(unit);
    endcase
  endfunction

  // The offsets to the bases and the number of words depend only on the step.
  step_t      next_step;
  place_t     offset_q, to_offset_q;
  logic [8:0] words_q;
  assign next_step = step_t'(step_bits);
  always_ff @(posedge clk_i) begin
    offset_q    <= next_step.offset + units_of(next_step.units, thread_q.unit);
    to_offset_q <= next_step.to_offset + units_of(next_step.to_units, thread_q.unit);
    unique case (next_step.counts)
      CountUnits: words_q <= 9'(small_product(thread_q.unit, 9'(next_step.count[2:0])));
      CountSlots: words_q <= 9'(slots_of(thread_q.kind_a));
      default:    words_q <= 9'(next_step.count);
    endcase
  end
  assign place = bases[step_q.base] + offset_q;
  assign to    = bases[step_q.to_base] + to_offset_q;

  logic is_constant;
  assign is_constant = step_q.base == BaseConstant;
  logic last_word;
  assign last_word = left_q[8:1] == '0;  // (Not used without words.)

  // ---- Reading one word per clock: kinds, ranges, zeros ---------------------------------------
  logic [1:0]  operand_q;     // being scanned
  logic [2:0]  pair_word_q;
  logic        streams;       // a word is addressed in this clock
  logic [ReadClocks:1] stream_q;
  kind_e       expected, expected_q[ReadClocks];
  logic        ranged, ranged_q[ReadClocks];
  logic        wrong_kind_q, wrong_range_q, nonzero_q, partly_valid_q;
  logic [23:0] partly_q;
  logic [SumClocks-1:0] range_valid_q;
  logic [DataBits:0] sum;     // the number minus one; or the carry is set if it is p or more
  logic        decrements_q;

  assign streams  = state_q == Scanning || (state_q == Word && step_q.operation == StepTest);
  assign expected = pairs && operand_q == 2'd0
      ? (pair_word_q < 3'd2 ? KindFpAf : KindFp2Af) : kinds_q[operand_q];
  assign ranged   = state_q == Scanning && in_range[operand_q];

  wide_add #(.Width(DataBits + 1)) u_sum (
    .clk_i,
    .a_i  ({1'b0, data_i.number}),
    .b_i  ({1'b0, decrements_q ? {DataBits{1'b1}} : BeyondModulus}),
    .sum_o(sum)
  );

  logic clears_flags;
  assign clears_flags = state_q == Scan && operand_q == 2'd0 || state_q == StepPlaces;
  always_ff @(posedge clk_i) begin
    stream_q   <= {stream_q[ReadClocks-1:1], streams};
    expected_q <= '{expected, expected_q[0]};
    ranged_q   <= '{ranged, ranged_q[0]};
    // The word has arrived.
    for (int unsigned k = 0; k < 24; k++) begin
      partly_q[k] <= |(16'(384'(data_i.number) >> (16 * k)));
    end
    partly_valid_q <= stream_q[ReadClocks];
    range_valid_q  <= SumClocks'({range_valid_q, stream_q[ReadClocks] && ranged_q[ReadClocks-1]});
    if (clears_flags) begin
      wrong_kind_q  <= 1'b0;
      wrong_range_q <= 1'b0;
      nonzero_q     <= 1'b0;
    end else begin
      if (stream_q[ReadClocks] && data_i.kind != expected_q[ReadClocks-1]) wrong_kind_q <= 1'b1;
      if (range_valid_q[SumClocks-1] && sum[DataBits]) wrong_range_q <= 1'b1;
      if (partly_valid_q && partly_q != '0) nonzero_q <= 1'b1;
    end
  end
  localparam int unsigned TestClocks = ReadClocks + 1;

  // ---- A word in hand -------------------------------------------------------------------------
  slot_t       word_q;
  slot_t       constant;
  logic [383:0] shifted_q;   // for the highest bit that is 1
  logic        bottom_q;     // no bit above the lowest is 1
  logic [24:0] unlike_q;     // parts in which two words differ
  logic        unequal_q;
  logic [23:0][3:0] digits_q;  // one digit of each 16 bits
  logic [3:0]  digit_q;
  place_t      row_q;        // the row of the digit in a table
  logic [5:0]  beats_q;      // beats of the slot being sent

  always_ff @(posedge clk_i) bottom_q <= state_q == TopShift && thread_q.i == '0;
  always_comb begin
    constant = '{kind: KindScalar, number: DataBits'(place_q == '0)};
  end

  // ---- Memories -------------------------------------------------------------------------------
  // (Not of a stopped context: its pointer's NOOP_WAIT would be reported.)
  assign instruction_read_valid_o = state_q == Begin && !(stopped_q && !start_q[index_q]);
  assign instruction_place_o      = begin_pointer[8:0];

  always_comb begin
    data_read_place_o = place_q;
    unique case (state_q)
      Judge:   data_read_place_o = place_t'(thread_q.instruction.a[7:0]);
      Decode:  data_read_place_o = phase_q == '0 ? place_t'(thread_q.instruction.b[7:0])
                                                 : place_t'(thread_q.instruction.c[7:0]);
      Other:   data_read_place_o = to_q;
      default: ;
    endcase
  end
  assign data_read_valid_o  = state_q inside {Judge, Decode, Scanning, Word, Other};
  // (Not in Judge and Decode, which also read places that are not operands, even while the host
  // writes them.)
  assign data_check_o       = state_q inside {Scanning, Other} || (state_q == Word && !is_constant);
  assign data_write_place_o = state_q == DecrementWait ? place_q : to_q;
  assign data_write_valid_o = state_q == MoveWrite ||
                              (state_q == DecrementWait && wait_q == '0 && sum[DataBits]);
  assign data_write_o = state_q == DecrementWait
      ? '{kind: KindScalar, number: sum[DataBits-1:0]}
      : '{kind: step_q.flag ? word_q.kind : thread_q.result_kind, number: word_q.number};

  // ---- The core -------------------------------------------------------------------------------
  // A job's words are read one per clock and wait for the core in a queue, so that the sequencer
  // proceeds.
  localparam int unsigned QueuedWords = 16;
  localparam int unsigned RoomBits = $clog2(QueuedWords + 1);
  typedef struct packed {
    job_t                job;
    logic                last;
    logic [DataBits-1:0] number;
  } load_t;
  typedef struct packed {
    logic last;
    logic is_constant;
    logic one;          // the constant
  } load_word_t;

  job_t                job_q;
  load_t               load, loaded;
  load_word_t          load_word_q[ReadClocks];
  logic [ReadClocks:1] loads_q;
  logic                loads, load_ready;
  logic [RoomBits-1:0] rest_q;  // room in the queue and in the reads before it, in words
  assign loads       = state_q == Word && step_q.operation == StepLoad && load_room;
  assign load_room   = rest_q != '0;
  assign load.job    = job_q;
  assign load.last   = load_word_q[ReadClocks-1].last;
  assign load.number = load_word_q[ReadClocks-1].is_constant ? DataBits'(load_word_q[ReadClocks-1].one)
                                                             : data_i.number;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loads_q <= '0;
      rest_q  <= RoomBits'(QueuedWords);
    end else begin
      loads_q <= {loads_q[ReadClocks-1:1], loads};
      rest_q  <= rest_q - RoomBits'(loads) + RoomBits'(job_valid_o && job_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    load_word_q <= '{'{step_q.flag && last_word, is_constant, place_q == '0}, load_word_q[0]};
  end

  stream_fifo #(
    .DataWidth($bits(load_t)),
    .Depth    (QueuedWords)
  ) u_loads (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (loads_q[ReadClocks]),
    .in_ready_o (load_ready),
    .in_data_i  (load),
    .out_valid_o(job_valid_o),
    .out_ready_i(job_ready_i),
    .out_data_o (loaded),
    .memory_error_o
  );
  assign job_number_o = loaded.number;
  assign job_last_o   = loaded.last;
  assign job_o        = loaded.job;

  assign invert_valid_o  = state_q == InvertSend;
  assign invert_number_o = word_q.number;
  assign invert_form_o   = step_q.flag;
  assign invert_tag_o    = job_q.tag;
  always_ff @(posedge clk_i) begin
    if (state_q == Do && !in_job_q) begin
      job_q.entry   <= step_q.entry + (step_q.by_degree ? 7'(thread_q.degree) : 7'd0);
      job_q.outputs <= step_q.outputs_units ? 4'(small_product(thread_q.unit, 9'(step_q.outputs)))
                                            : step_q.outputs;
      job_q.tag     <= '{context_id: context_t'(index_q), place: to_q, kind: thread_q.result_kind};
    end
  end

  // ---- Interrupts -----------------------------------------------------------------------------
  logic [383:0] sent_q;
  logic [9:0]   length_q;
  always_comb begin
    beat_valid_o = 1'b1;
    beat_last_o  = 1'b0;
    beat_data_o  = sent_q[63:0];
    unique case (state_q)
      SendHeader: beat_data_o = {InterruptCommand, 32'(length_q)};
      SendIndex:
        beat_data_o = {8'd0, 8'(index_q), 8'd0, 8'(thread_q.kind_a), 16'd0, thread_q.instruction.b};
      SendSlot: begin
        beat_valid_o = beats_q != '0;
        beat_last_o  = last_word && beats_q == 6'd1;
      end
      Stop: begin
        beat_valid_o = room_i;
        beat_data_o  = {InterruptCommand, 32'(ReplyPaddingOffset + 1)};
      end
      StopIndex: begin
        beat_data_o = {8'd0, 8'(index_q), 8'(thread_q.fault), 8'd0, error_word};
        beat_last_o = 1'b1;
      end
      default: beat_valid_o = 1'b0;
    endcase
  end

  // ---- The end of an instruction ---------------------------------------------------------------
  assign retired_valid_o       = state_q == Do && step_q.operation inside {StepEnd, StepJump};
  assign retired_context_o     = context_t'(index_q);
  assign retired_pointer_o     = thread_q.pointer;
  assign retired_instruction_o = thread_q.instruction;
  assign next_pointer          = step_q.operation == StepJump ? thread_q.instruction.a
                                                              : thread_q.pointer + 16'd1;
  assign retired_next_o        = next_pointer;
  assign yields = (state_q == Do && step_q.operation == StepSend && !room_i) ||
                  (state_q == Stop && !room_i);

  logic holds_q;  // the branch's condition; its inputs are valid in StepPlaces
  always_ff @(posedge clk_i) begin
    unique case (step_q.condition)
      IfZero:     holds_q <= thread_q.zero;
      IfNotZero:  holds_q <= !thread_q.zero;
      IfNIs0:     holds_q <= thread_q.n == '0;
      IfNIsNot0:  holds_q <= thread_q.n != '0;
      IfIIs0:     holds_q <= thread_q.i == '0;
      IfIIsNot0:  holds_q <= thread_q.i != '0;
      IfAAffine:  holds_q <= thread_q.affine_a;
      IfBAffine:  holds_q <= thread_q.affine_b;
      IfCUpToA:   holds_q <= thread_q.instruction.c[7:0] <= thread_q.instruction.a[7:0];
      IfDegreeIs0: holds_q <= thread_q.degree == '0;
      default:    holds_q <= 1'b1;
    endcase
  end

  // ---- The machine ----------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Pick;
      index_q  <= '0;
      in_job_q <= 1'b0;
    end else begin
      unique case (state_q)
        Pick: if (any) begin
          index_q <= choice;
          state_q <= Load;
        end
        Load: state_q <= !eligible[index_q] ? Pick
                       : !resume_q[index_q] ? Begin
                       : threads[index_q].fault != FaultNone ? Stop : Step;
        Begin: state_q <= stopped_q && !start_q[index_q] ? Pick : FetchWait1;
        FetchWait1: state_q <= FetchWait2;
        FetchWait2: state_q <= Judge;
        Judge:
          if (waits) state_q <= Pick;
          else if (limited_q || beyond_q) state_q <= Stop;
          else state_q <= Decode;
        Decode: if (phase_q == LastPhase) state_q <= Scan;
        Scan:
          if (faulty_q) state_q <= Stop;
          else if (operand_q == 2'd3) state_q <= ScanDrain;
          else if (reads[operand_q]) state_q <= Scanning;
        Scanning: if (last_word) state_q <= Scan;
        // The flags of the last word are valid in Scanned.
        ScanDrain: if (stream_q == '0 && range_valid_q[SumClocks-2:0] == '0) state_q <= Scanned;
        Scanned: state_q <= wrong_kind_q || wrong_range_q ? Stop : StepPlaces;
        // The next step is addressed from the clock after Do; longer operations skip the wait for
        // it.
        Step: state_q <= StepWait1;
        StepWait1: state_q <= StepWait2;
        StepWait2: state_q <= StepPlaces;
        StepPlaces: state_q <= Do;
        Do:
          unique case (step_q.operation)
            StepSend:          state_q <= room_i ? SendHeader : Suspend;
            StepEnd, StepJump: state_q <= Pick;
            StepFault:         state_q <= Stop;
            StepSet, StepBranch: state_q <= Step;
            default:           state_q <= Word;
          endcase
        Word: begin
          if (step_q.operation == StepTest) begin
            if (last_word) state_q <= TestDrain;
          end else if (step_q.operation == StepLoad) begin
            if (load_room) begin
              in_job_q <= !(step_q.flag && last_word);
              if (last_word) begin
                state_q <= step_q.flag ? Suspend : addressed_q[1] ? StepPlaces : StepWait1;
              end
            end
          end else begin
            state_q <= WordWait1;
          end
        end
        TestDrain: if (wait_q == '0) state_q <= StepWait2;
        WordWait1: state_q <= WordWait2;
        WordWait2:
          unique case (step_q.operation)
            StepInvert:    state_q <= InvertSend;
            StepMove:      state_q <= MoveWrite;
            StepEqual:     state_q <= Other;
            StepDigit:     state_q <= DigitChoose;
            StepTop:       state_q <= TopShift;
            StepSend:      state_q <= SendSlot;
            default:       state_q <= DecrementWait;
          endcase
        InvertSend: if (invert_ready_i) state_q <= Suspend;
        MoveWrite: state_q <= last_word ? StepWait2 : Word;
        Other: state_q <= OtherWait1;
        OtherWait1: state_q <= OtherWait2;
        OtherWait2: state_q <= Compared;
        Compared: state_q <= last_word ? TestDrain : Word;
        DigitChoose: state_q <= DigitTake;
        DigitTake: state_q <= DigitScale;
        DigitScale: state_q <= DigitAdd;
        DigitAdd: state_q <= StepWait2;
        TopShift: if (shifted_q[383] || bottom_q) state_q <= StepWait2;
        DecrementWait: if (wait_q == '0) state_q <= StepWait2;
        SendHeader: state_q <= SendIndex;
        SendIndex: state_q <= Word;
        SendSlot: if (beats_q == 6'd1) state_q <= last_word ? StepWait2 : Word;
        Stop: state_q <= room_i ? StopIndex : Suspend;
        StopIndex: state_q <= Pick;
        default: state_q <= Pick;  // Suspend
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Load: begin
        thread_q  <= threads[index_q];
        stopped_q <= errors[index_q] != '0;
      end
      Begin: begin
        thread_q.pointer <= begin_pointer;
        thread_q.fault   <= FaultNone;
        thread_q.names   <= 1'b0;
        thread_q.began   <= clock_q;
      end
      FetchWait1: beyond_q <= thread_q.pointer >= 16'(Instructions);
      FetchWait2: begin
        limited_q            <= limits[index_q] != '0 && count >= limits[index_q];
        thread_q.instruction <= instruction_data_i[$bits(instruction_t)-1:0];
        noop_q               <= instruction_data_i[7:0] == OpNoopWait;
      end
      Judge: begin
        // (Set again unless there is an error.)
        thread_q.fault <= limited_q ? FaultLimit : beyond_q ? FaultPointer : FaultNone;
        phase_q        <= '0;
      end
      Decode: begin
        phase_q <= phase_q + 4'd1;
        if (phase_q == 4'd1) kinds_q[0] <= data_i.kind;
        if (phase_q == 4'd2) kinds_q[1] <= data_i.kind;
        if (phase_q == 4'd3) kinds_q[2] <= data_i.kind;
        // (All this is valid in the last phase.)
        thread_q.kind_a      <= kinds_q[0];
        thread_q.fault       <= decode_fault;
        faulty_q             <= decode_fault != FaultNone;
        thread_q.names       <= 1'b1;
        thread_q.result_kind <= written_kind;
        thread_q.affine_a    <= is_affine(kinds_q[0]);
        thread_q.affine_b    <= is_affine(kinds_q[1]);
        thread_q.unit        <= unit_of(key);
        thread_q.degree      <= degree_of(key);
        thread_q.extent      <= extents[0];
        thread_q.step        <= start_step;
        operand_q            <= '0;
        decrements_q         <= 1'b0;
      end
      Scan: begin
        unique case (operand_q)
          2'd0: place_q <= place_t'(thread_q.instruction.a[7:0]);
          2'd1: place_q <= place_t'(thread_q.instruction.b[7:0]);
          default: place_q <= place_t'(thread_q.instruction.c[7:0]);
        endcase
        if (operand_q != 2'd3) left_q <= extents[operand_q];
        pair_word_q <= '0;
        if (operand_q != 2'd3 && !reads[operand_q]) operand_q <= operand_q + 2'd1;
      end
      Scanning: begin
        place_q     <= place_q + place_t'(1);
        left_q      <= left_q - 9'd1;
        pair_word_q <= pair_word_q == 3'd5 ? '0 : pair_word_q + 3'd1;
        if (last_word) operand_q <= operand_q + 2'd1;
      end
      Scanned: begin
        thread_q.fault <= wrong_kind_q ? FaultKind : wrong_range_q ? FaultRange : FaultNone;
        step_q         <= next_step;  // addressed since the end of Decode
      end
      StepWait2: step_q <= next_step;
      StepPlaces: begin
        place_q       <= place;
        to_q          <= to;
        left_q        <= words_q;
        decrements_q  <= step_q.operation == StepDecrement;
        unequal_q     <= 1'b0;
      end
      Do: begin
        thread_q.step <= yields ? thread_q.step : thread_q.step + StepAddressBits'(1);
        unique case (step_q.operation)
          StepBranch: if (holds_q) thread_q.step <= step_q.target;
          StepFault: thread_q.fault <= fault_e'(8'(step_q.count));
          StepDigit: if (step_q.flag) thread_q.i[8:2] <= thread_q.i[8:2] - 7'd1;
          StepSet:
            unique case (register_e'(step_q.entry))
              SetP:     thread_q.p <= place_q + (step_q.flag ? thread_q.extent : '0);
              SetQ:     thread_q.q <= place_q + (step_q.flag ? thread_q.extent : '0);
              SetN:     thread_q.n <= step_q.offset;
              SetNOfB:  thread_q.n <= thread_q.instruction.b[8:0];
              SetI:     thread_q.i <= step_q.offset;
              SetNLess: thread_q.n <= thread_q.n - 9'd1;
              SetIWindow: thread_q.i[1:0] <= '0;
              default: begin  // SetUnit
                thread_q.unit   <= step_q.count[3:0];
                thread_q.degree <= step_q.offset[1:0];
              end
            endcase
          default: ;
        endcase
        wait_q      <= 4'(TestClocks);
        addressed_q <= '0;
        length_q    <= 10'(ReplyPaddingOffset + 1) + 10'(left_q[3:0]) * 10'(ValueBytes);
      end
      Word: begin
        if (step_q.operation == StepTest || loads) begin
          place_q <= place_q + place_t'(1);
          left_q  <= left_q - 9'd1;
        end
        addressed_q <= {addressed_q[0], 1'b1};
        if (loads && last_word && addressed_q[1]) step_q <= next_step;
      end
      WordWait2: begin
        word_q     <= is_constant ? constant : data_i;
        sent_q     <= 384'(data_i.number);
        beats_q    <= 6'd6;
        shifted_q  <= {data_i.number, 3'b000};
        wait_q     <= 4'(SumClocks - 1);
        if (step_q.operation == StepTop) thread_q.i <= 9'(DataBits - 1);
      end
      MoveWrite: begin
        place_q <= place_q + place_t'(1);
        to_q    <= to_q + place_t'(1);
        left_q  <= left_q - 9'd1;
      end
      OtherWait2:
        for (int unsigned k = 0; k < 25; k++) begin
          unlike_q[k] <= |(16'(($bits(slot_t)+15)'(word_q ^ data_i) >> (16 * k)));
        end
      Compared: begin
        if (unlike_q != '0) unequal_q <= 1'b1;
        place_q <= place_q + place_t'(1);
        to_q    <= to_q + place_t'(1);
        left_q  <= left_q - 9'd1;
        wait_q  <= '0;
      end
      TestDrain: begin
        wait_q <= wait_q - 4'd1;
        thread_q.zero <= step_q.operation == StepTest ? !nonzero_q : !unequal_q;
      end
      DigitChoose:
        for (int unsigned k = 0; k < 24; k++) begin
          digits_q[k] <= 4'(16'(384'(word_q.number) >> (16 * k)) >> {thread_q.i[3:2], 2'b00});
        end
      DigitTake: digit_q <= digits_q[thread_q.i[8:4]];
      DigitScale: row_q <= place_t'(small_product(digit_q, 9'(left_q[3:0])));
      DigitAdd: thread_q.q <= to_q + row_q;
      TopShift: begin
        thread_q.zero <= !shifted_q[383];
        if (shifted_q[383-:16] == '0 && thread_q.i[8:4] != '0) begin
          shifted_q       <= shifted_q << 16;
          thread_q.i[8:4] <= thread_q.i[8:4] - 5'd1;
        end else if (!shifted_q[383] && thread_q.i != '0) begin
          shifted_q  <= shifted_q << 1;
          thread_q.i <= thread_q.i - 9'd1;
        end
      end
      DecrementWait: begin
        wait_q        <= wait_q - 4'd1;
        thread_q.zero <= !sum[DataBits];
      end
      SendSlot: begin
        sent_q  <= sent_q >> 64;
        beats_q <= beats_q - 6'd1;
        if (beats_q == 6'd1) begin
          place_q <= place_q + place_t'(1);
          left_q  <= left_q - 9'd1;
        end
      end
      default: ;
    endcase
  end

  logic unused;
  assign unused = ^{window_context_i, done_context_i, step_q, load_ready};
endmodule
