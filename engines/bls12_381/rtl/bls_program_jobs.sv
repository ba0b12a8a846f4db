// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_program_jobs: tracks the programs that bls_program_loader has started: which contexts are
// free, the results that each has sent, and the reply after its end. Contexts below WindowContexts
// belong to the register window: they take no frames, and their interrupts are passed on unchanged.
//
// A context is *parked* when it has stopped: writes to its memories do not start it. To park a
// context, its pointer is set to a place that does not exist; the interrupt that reports this error
// comes after everything that the context has sent, since interrupts keep their order.
//
//   Parking -> Free -> Loading -> Running -> Ending -> Replying -> Free
//                         |          +---------------^
//                         +--------------------------^
//
// Parking: after a reset. Running ends when the context waits, which parks it (Ending); when it has
// stopped with an error; or after 2^LogProgramClocks clocks, which parks it at the end of its
// instruction.
//
// Results are kept in a memory of ResultBeats per context: each SEND_INTERRUPT takes a beat {index,
// kind} and six beats per slot. If a result does not fit, the reply has no results and says so.
//
// Throughput: one beat of an interrupt per clock, one data beat of a reply in four clocks.
module bls_program_jobs
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts         = 4,
  parameter int unsigned WindowContexts   = 0,     // less than Contexts
  parameter int unsigned ResultBeats      = 1016,  // per context; at least 73
  parameter int unsigned LogProgramClocks = 26     // at most 31
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // The loader.
  output logic        free_valid_o,
  output context_t    free_context_o,
  input  logic        take_i,
  input  logic        job_valid_i,
  input  context_t    job_context_i,
  input  logic [63:0] job_index_i,
  input  logic [15:0] job_start_i,
  input  job_status_e job_status_i,

  // The coprocessor.
  input  logic        int_valid_i,
  output logic        int_ready_o,
  input  logic [63:0] int_data_i,
  input  logic        int_last_i,
  input  logic        retired_valid_i,
  input  context_t    retired_context_i,
  input  logic [15:0] retired_next_i,
  input  logic        waits_valid_i,
  input  context_t    waits_context_i,

  // The write of the pointer that parks a context, held until bus_done_i.
  output logic        bus_valid_o,
  output logic [31:0] bus_address_o,
  output logic [31:0] bus_value_o,
  input  logic        bus_done_i,

  // Interrupts of the window's contexts; and replies, whose last beat waits for its checksum.
  output logic        notice_valid_o,
  input  logic        notice_ready_i,
  output logic [63:0] notice_data_o,
  output logic        notice_last_o,
  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic        error_o,         // pulse: a reply with another status than ok
  output logic        memory_error_o
);
  localparam logic [31:0] ReplyCommand = 32'h8000_0201;
  localparam int unsigned IndexBits = Contexts > 1 ? $clog2(Contexts) : 1;
  localparam int unsigned CountBits = $clog2(ResultBeats + 1);
  localparam int unsigned ResultBits = $clog2(ResultBeats);
  localparam int unsigned FixedBeats = 5;      // of a reply
  localparam logic [14:0] Parked = 15'h7FFF;   // the place that parks, as in an error word

  typedef logic [IndexBits-1:0] index_t;
  typedef logic [CountBits-1:0] count_t;
  typedef logic [Contexts-1:0]  mask_t;
  typedef enum logic [2:0] { Window, Parking, Free, Loading, Running, Ending, Replying } state_e;

  function automatic mask_t one_hot(input logic valid, input context_t context_id);
    for (int unsigned c = 0; c < Contexts; c++) begin
      one_hot[c] = valid && context_id == context_t'(c);
    end
  endfunction

  state_e [Contexts-1:0] states_q;

  // ---- Interrupts -------------------------------------------------------------------------------
  // Header, Second; then the slots, which are kept, passed on or dropped.
  typedef enum logic [2:0] { Header, Second, Judge, Keep, Pass, Drop } take_e;

  take_e       take_q;
  logic [63:0] header_q, second_q;
  logic        second_last_q, sends_header_q;
  index_t      owner;
  logic        stops_q, parks_at_q, is_window_q, room_q, kept;
  mask_t       owner_q;
  count_t      count_q, end_count;
  logic        running_q;  // the owner may have results
  count_t [Contexts-1:0] counts_q;

  // (Registered before use: second_q is stable for two clocks of Judge by then.)
  assign owner = second_q[48+:IndexBits];
  always_ff @(posedge clk_i) begin
    owner_q     <= one_hot(1'b1, context_t'(owner));
    is_window_q <= 32'(second_q[55:48]) + 1 <= WindowContexts;
    stops_q     <= second_q[47:40] != '0;
    parks_at_q  <= second_q[30:16] == Parked;
    count_q     <= counts_q[owner];
    running_q   <= states_q[owner] inside {Running, Ending};
    room_q      <= 32'(count_q) + 32'(header_q[12:3]) <= ResultBeats + 1;
  end
  // The beats after the first two, and one for these.
  assign end_count = count_q + count_t'(header_q[12:3]) - count_t'(1);

  logic waited_q, judged_q;  // one clock in Judge, two clocks: the values belong to this interrupt
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      take_q         <= Header;
      waited_q       <= 1'b0;
      judged_q       <= 1'b0;
      sends_header_q <= 1'b0;
    end else begin
      waited_q <= take_q == Judge && !waited_q && !judged_q;
      judged_q <= waited_q;
      unique case (take_q)
        Header: if (int_valid_i) take_q <= Second;
        Second: if (int_valid_i) take_q <= Judge;
        Judge:
          if (judged_q) begin
            sends_header_q <= is_window_q;
            take_q <= is_window_q ? Pass : second_last_q ? Header : room_q ? Keep : Drop;
          end
        Pass:
          if (notice_ready_i) begin
            sends_header_q <= 1'b0;
            if (notice_valid_o && notice_last_o) take_q <= Header;
          end
        default: if (int_valid_i && int_last_i) take_q <= Header;  // Keep, Drop
      endcase
    end
  end

  logic sends_second_q;
  always_ff @(posedge clk_i) begin
    if (take_q == Header) header_q <= int_data_i;
    if (take_q == Second) begin
      second_q      <= int_data_i;
      second_last_q <= int_last_i;
    end
    if (take_q == Judge) sends_second_q <= 1'b1;
    else if (take_q == Pass && notice_ready_i && !sends_header_q) sends_second_q <= 1'b0;
  end
  assign notice_valid_o = take_q == Pass && (sends_header_q || sends_second_q || int_valid_i);
  assign notice_data_o  = sends_header_q ? header_q : sends_second_q ? second_q : int_data_i;
  assign notice_last_o  = !sends_header_q && (sends_second_q ? second_last_q : int_last_i);
  always_comb begin
    unique case (take_q)
      Header, Second, Keep, Drop: int_ready_o = 1'b1;
      Pass:    int_ready_o = notice_ready_i && !sends_header_q && !sends_second_q;
      default: int_ready_o = 1'b0;
    endcase
  end

  logic judges, element;
  assign judges  = take_q == Judge && judged_q && !is_window_q;
  assign element = judges && !stops_q;
  assign kept    = element && room_q && running_q;

  // ---- State changes of the contexts ----------------------------------------------------------
  mask_t  parks_q;     // the pointer must be written
  mask_t  full_q, late_q, error_valid_q;
  mask_t  takes, jobs, waits, parked, stopped, spills, too_long, written, replied;
  logic   answered;
  index_t reply_q, park_q;

  assign takes   = one_hot(take_i, free_context_o);
  assign jobs    = one_hot(job_valid_i, job_context_i);
  assign waits   = one_hot(waits_valid_i, waits_context_i);
  assign parked  = owner_q & {Contexts{judges && stops_q && parks_at_q}};
  assign stopped = owner_q & {Contexts{judges && stops_q && !parks_at_q}};
  assign spills  = owner_q & {Contexts{element && !room_q}};
  assign written = one_hot(bus_valid_o && bus_done_i, context_t'(park_q));
  assign replied = one_hot(answered, context_t'(reply_q));

  for (genvar c = 0; c < Contexts; c++) begin : gen_context
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        states_q[c] <= c < WindowContexts ? Window : Parking;
        parks_q[c]  <= c >= WindowContexts;
      end else begin
        if (written[c]) parks_q[c] <= 1'b0;
        unique case (states_q[c])
          Parking: if (parked[c]) states_q[c] <= Free;
          Free:    if (takes[c]) states_q[c] <= Loading;
          Loading: if (jobs[c]) states_q[c] <= job_status_i == JobOk ? Running : Replying;
          Running:
            if (stopped[c]) begin
              states_q[c] <= Replying;
            end else if (waits[c] || too_long[c]) begin
              states_q[c] <= Ending;
              parks_q[c]  <= 1'b1;
            end
          Ending:   if (parked[c]) states_q[c] <= Replying;
          Replying: if (replied[c]) states_q[c] <= Free;
          default: ;  // Window
        endcase
      end
    end

    always_ff @(posedge clk_i) begin
      if (jobs[c]) begin
        full_q[c]        <= 1'b0;
        late_q[c]        <= 1'b0;
        error_valid_q[c] <= 1'b0;
      end else begin
        if (spills[c]) full_q[c] <= 1'b1;
        if (stopped[c]) error_valid_q[c] <= 1'b1;
        if (states_q[c] == Running && too_long[c] && !waits[c] && !stopped[c]) late_q[c] <= 1'b1;
      end
    end

    // Clocks and instructions since the write of the pointer.
    logic [31:0] clocks_q, instructions_q;
    logic [15:0] pointer_q;
    always_ff @(posedge clk_i) begin
      if (jobs[c]) begin
        clocks_q       <= '0;
        instructions_q <= '0;
        pointer_q      <= job_start_i;
      end else begin
        if (states_q[c] == Running) clocks_q <= clocks_q + 32'd1;
        if (retired_valid_i && retired_context_i == context_t'(c)) begin
          instructions_q <= instructions_q + 32'd1;
          pointer_q      <= retired_next_i;
        end
      end
    end
    assign too_long[c] = clocks_q[LogProgramClocks];
  end

  logic [Contexts-1:0][31:0] clocks, instructions;
  logic [Contexts-1:0][15:0] pointers;
  for (genvar c = 0; c < Contexts; c++) begin : gen_counts
    assign clocks[c]       = gen_context[c].clocks_q;
    assign instructions[c] = gen_context[c].instructions_q;
    assign pointers[c]     = gen_context[c].pointer_q;
  end

  // ---- State of each job: its index, status, error word, results -----------------------------
  logic [63:0] indices[Contexts];
  job_status_e statuses[Contexts];
  logic [31:0] errors[Contexts];
  always_ff @(posedge clk_i) begin
    if (job_valid_i) indices[job_context_i[IndexBits-1:0]] <= job_index_i;
    if (job_valid_i) statuses[job_context_i[IndexBits-1:0]] <= job_status_i;
    if (judges && stops_q && !parks_at_q) errors[owner] <= second_q[31:0];
  end
  for (genvar c = 0; c < Contexts; c++) begin : gen_count
    always_ff @(posedge clk_i) begin
      if (jobs[c]) counts_q[c] <= '0;
      else if (kept && owner_q[c]) counts_q[c] <= end_count;
    end
  end

  count_t      place_q;     // of the beat being written
  index_t      keeper_q;
  logic        keeps_q, write;
  logic [63:0] write_data;
  always_ff @(posedge clk_i) begin
    if (kept) begin
      place_q  <= count_q + count_t'(1);
      keeper_q <= owner;
    end else if (take_q == Keep && int_valid_i) begin
      place_q <= place_q + count_t'(1);
    end
    if (element) keeps_q <= kept;
  end
  assign write      = kept || (take_q == Keep && int_valid_i && keeps_q);
  assign write_data = kept ? {24'd0, second_q[39:0]} : int_data_i;

  // ---- Parking ----------------------------------------------------------------------------------
  logic parks_valid_q;
  index_t first_parks;
  always_comb begin
    first_parks = '0;
    for (int unsigned c = Contexts; c > 0; c--) if (parks_q[c-1]) first_parks = index_t'(c - 1);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) parks_valid_q <= 1'b0;
    else parks_valid_q <= parks_valid_q ? !bus_done_i : parks_q != '0 && written == '0;
  end
  always_ff @(posedge clk_i) if (!parks_valid_q) park_q <= first_parks;
  assign bus_valid_o   = parks_valid_q;
  assign bus_address_o = {13'd0, context_t'(park_q), 15'(RegisterInstructionPointer)};
  assign bus_value_o   = 32'h0000_FFFF;

  // ---- Free contexts ----------------------------------------------------------------------------
  mask_t  free;
  index_t first_free;
  always_comb begin
    first_free = '0;
    for (int unsigned c = Contexts; c > 0; c--) begin
      free[c-1] = states_q[c-1] == Free;
      if (free[c-1]) first_free = index_t'(c - 1);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) free_valid_o <= 1'b0;
    else free_valid_o <= free != '0 && !take_i;
  end
  always_ff @(posedge clk_i) free_context_o <= context_t'(first_free);

  // ---- Replies: the next context with a reply after the last one, cyclically ------------------
  typedef enum logic [3:0] { Rest, Pick, Collect, Head, Index, Outcome, Numbers, Data, Sum } reply_e;

  reply_e      reply_state_q;
  mask_t       ready_q, above;
  index_t      choice;
  logic        any;
  logic [1:0]  wait_q;
  count_t      left_q, read_q;
  logic [63:0] index_q;
  logic [31:0] error_q, clocks_q, instructions_q;
  logic [15:0] pointer_q;
  job_status_e status, status_q;
  logic [63:0] result;
  always_comb begin
    for (int unsigned c = 0; c < Contexts; c++) begin
      above[c] = ready_q[c] && index_t'(c) > reply_q;
    end
    choice = '0;
    for (int unsigned c = Contexts; c > 0; c--) if (ready_q[c-1]) choice = index_t'(c - 1);
    for (int unsigned c = Contexts; c > 0; c--) if (above[c-1]) choice = index_t'(c - 1);
    any = ready_q != '0;
  end
  // (A clock late: in Rest the context just answered is still among them.)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ready_q <= '0;
    else for (int unsigned c = 0; c < Contexts; c++) ready_q[c] <= states_q[c] == Replying;
  end
  assign status = statuses[reply_q] != JobOk ? statuses[reply_q]
                : full_q[reply_q] ? JobResults
                : late_q[reply_q] && !error_valid_q[reply_q] ? JobTimedOut : JobOk;
  assign answered = reply_state_q == Sum && rpl_valid_o && rpl_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reply_state_q <= Pick;
      reply_q       <= '0;
      wait_q        <= '0;
    end else begin
      unique case (reply_state_q)
        Rest: reply_state_q <= Pick;
        Pick: if (any) begin
          reply_q       <= choice;
          reply_state_q <= Collect;
        end
        Collect: begin
          wait_q <= wait_q + 2'd1;
          if (wait_q == 2'd3) reply_state_q <= Head;
        end
        Head:    if (rpl_ready_i) reply_state_q <= Index;
        Index:   if (rpl_ready_i) reply_state_q <= Outcome;
        Outcome: if (rpl_ready_i) reply_state_q <= Numbers;
        Numbers: if (rpl_ready_i) reply_state_q <= left_q != '0 ? Data : Sum;
        Data: begin
          if (wait_q != 2'd3) begin
            wait_q <= wait_q + 2'd1;
          end else if (rpl_ready_i) begin
            wait_q <= '0;
            if (left_q == count_t'(1)) reply_state_q <= Sum;
          end
        end
        default: begin  // Sum
          if (wait_q != 2'd3) begin
            wait_q <= wait_q + 2'd1;
          end else if (rpl_ready_i) begin
            wait_q        <= '0;
            reply_state_q <= Rest;
          end
        end
      endcase
    end
  end

  logic [31:0] length_q;
  always_ff @(posedge clk_i) begin
    length_q <= 32'(8 * FixedBeats) + {{(29 - CountBits){1'b0}}, left_q, 3'd0};
    if (reply_state_q == Collect) begin
      status_q       <= status;
      index_q        <= indices[reply_q];
      error_q        <= error_valid_q[reply_q] ? errors[reply_q] : '0;
      clocks_q       <= clocks[reply_q];
      instructions_q <= instructions[reply_q];
      pointer_q      <= pointers[reply_q];
      left_q         <= status_q == JobOk ? counts_q[reply_q] : '0;
      read_q         <= '0;
    end else if (reply_state_q == Data && wait_q == 2'd3 && rpl_ready_i) begin
      left_q <= left_q - count_t'(1);
      read_q <= read_q + count_t'(1);
    end
  end

  assign rpl_valid_o = reply_state_q inside {Head, Index, Outcome, Numbers} ||
                       (reply_state_q inside {Data, Sum} && wait_q == 2'd3);
  assign rpl_last_o  = reply_state_q == Sum;
  always_comb begin
    unique case (reply_state_q)
      Head:    rpl_data_o = {ReplyCommand, length_q};
      Index:   rpl_data_o = index_q;
      Outcome: rpl_data_o = {instructions_q, pointer_q, 8'd0, status_q};
      Numbers: rpl_data_o = {clocks_q, error_q};
      Data:    rpl_data_o = result;
      default: rpl_data_o = '0;
    endcase
  end
  assign error_o = reply_state_q == Head && rpl_ready_i && status_q != JobOk;

  localparam int unsigned AddressBits = IndexBits + ResultBits;
  checked_memory #(
    .Width         (64),
    .Depth         (2**AddressBits),
    .OutputRegister(1'b1)
  ) u_results (
    .clk_i,
    .write_valid_i  (write),
    .write_address_i(kept ? {owner, count_q[ResultBits-1:0]}
                          : {keeper_q, place_q[ResultBits-1:0]}),
    .write_data_i   (write_data),
    .read_enable_i  (1'b1),
    .read_address_i ({reply_q, read_q[ResultBits-1:0]}),
    .read_data_o    (result),
    .check_i        (reply_state_q == Data && wait_q == 2'd3),
    .error_o        (memory_error_o)
  );

  if (WindowContexts >= Contexts) begin : gen_no_contexts
    $error("bls_program_jobs: no context takes frames");
  end

  logic unused;
  assign unused = ^{header_q, second_q, clocks};
endmodule
