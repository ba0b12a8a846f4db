// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_control: decides whose turn it is, fetches the instruction, and follows the loops.
//
// The whole control state of a context (program counter, loop counter, the bases of constants and
// digits) is one record that is always in exactly one place: in the ready FIFO, or beside the
// context's turn in the pipeline. So there is no state memory, nothing to clear at the start of a
// job, and no hazard.
//
// Each clock (every Interval clocks) a started job or else the head of the ready FIFO takes a turn.
// Its next state goes into the ready FIFO just in time to be its head TurnClocks after the issue,
// unless the instruction was a halt. A started job goes first, past the FIFO: while the pipeline is
// full a state comes back in every clock, and a start that had to wait for a gap at the FIFO's
// input would keep its context from running at all. The FIFO has a place for each context and
// cannot overflow.
//
// Cycles: issue in clock t, the turn at the output in clock t+1; the context's next issue in
// clock t + TurnClocks at the earliest.
module field_core_control
  import field_core_isa_pkg::*;
#(
  parameter  int unsigned Contexts      = 64,
  parameter  int unsigned Interval      = 1,
  parameter  int unsigned TurnClocks    = 64,  // >= 5
  parameter  bit          Lookups       = 1'b0,  // instructions have the lookup slot
  localparam int unsigned ContextBits   = $clog2(Contexts),
  localparam int unsigned WordBits      = InstructionBits + (Lookups ? LookupSlotBits : 0)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // A loaded job, to be started.
  input  logic                           start_valid_i,
  output logic                           start_ready_o,
  input  logic [ContextBits-1:0]         start_context_i,
  input  logic [ImmBits-1:0]             start_pc_i,

  // The program's ROM: a word belongs to the address of the clock before.
  output logic [ImmBits-1:0]             program_address_o,
  input  logic [WordBits-1:0]            program_data_i,

  // The flag of the turn's context.
  input  logic                           flag_i,

  // A turn: the instruction with absolute addresses of constants and numbers of windows, whose it
  // is, and whether it is a halt that does not take place.
  output logic                           turn_valid_o,
  output logic [ContextBits-1:0]         turn_context_o,
  output instruction_t                   turn_o,
  output lookup_t                        turn_lookup_o,
  output logic                           turn_goes_on_o
);

  typedef struct packed {
    logic [DigitBits-1:0]           digit_base;  // kept only in a core with lookups
    logic [ContextBits-1:0]         context_id;
    logic [ImmBits-1:0]             pc;
    logic [ImmBits-1:0]             count;      // turns of the loop left, with this one
    logic [ConstantAddressBits-1:0] mul_base;
    logic [ConstantAddressBits-1:0] add_base;
  } state_t;
  localparam int unsigned StateBits = $bits(state_t) - (Lookups ? 0 : DigitBits);

  state_t head, chosen, requeued;
  logic [StateBits-1:0] head_bits;
  assign head = $bits(state_t)'(head_bits);
  logic   head_valid, requeue, queue_ready;

  // ---- Issue ----------------------------------------------------------------------------------
  logic may_issue, issue;

  if (Interval == 1) begin : gen_every_clock
    assign may_issue = 1'b1;
  end else begin : gen_every_interval
    logic [$clog2(Interval)-1:0] wait_q;  // clocks until the multiplier takes operands again
    assign may_issue = wait_q == '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        wait_q <= '0;
      end else if (issue) begin
        wait_q <= ($clog2(Interval))'(Interval - 1);
      end else if (wait_q != '0) begin
        wait_q <= wait_q - 1'b1;
      end
    end
  end

  assign issue         = may_issue && (head_valid || start_valid_i);
  assign start_ready_o = may_issue;
  always_comb begin
    chosen = head;
    if (start_valid_i) begin
      chosen            = '0;
      chosen.context_id = start_context_i;
      chosen.pc         = start_pc_i;
    end
  end

  assign program_address_o = chosen.pc;

  logic   valid_q;
  state_t state_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= issue;
  end
  always_ff @(posedge clk_i) state_q <= chosen;

  // ---- The turn and the state after it --------------------------------------------------------
  instruction_t instruction;
  lookup_t      lookup;
  logic         goes_on, halts;
  assign instruction = instruction_t'(program_data_i[InstructionBits-1:0]);
  if (Lookups) begin : gen_lookup
    assign lookup = lookup_t'(program_data_i[InstructionBits+:LookupSlotBits]);
  end else begin : gen_no_lookup
    assign lookup = '0;
  end
  assign goes_on = lookup.halt_unless_zero && flag_i;
  assign halts   = instruction.control == ControlHalt && !goes_on;

  always_comb begin
    turn_o           = instruction;
    turn_o.mul_const = instruction.mul_const + state_q.mul_base;
    turn_o.add_const = instruction.add_const + state_q.add_base;
    turn_lookup_o       = lookup;
    turn_lookup_o.digit = lookup.digit + state_q.digit_base;
  end
  assign turn_goes_on_o = goes_on;
  assign turn_valid_o   = valid_q;
  assign turn_context_o = state_q.context_id;

  state_t state_after;
  always_comb begin
    state_after    = state_q;
    state_after.pc = state_q.pc + 1'b1;
    unique case (instruction.control)
      ControlLoopBegin: state_after.count = instruction.imm;
      ControlLoopEnd: begin
        if (state_q.count > 1) begin
          state_after.pc       = instruction.imm;
          state_after.count    = state_q.count - 1'b1;
          state_after.mul_base = state_q.mul_base + ConstantAddressBits'(instruction.mul_stride);
          state_after.add_base = state_q.add_base + ConstantAddressBits'(instruction.add_stride);
          state_after.digit_base = state_q.digit_base + lookup.digit_stride;
        end else begin
          state_after.mul_base   = '0;
          state_after.add_base   = '0;
          state_after.digit_base = '0;
        end
      end
      default: ;  // next; after a halt that takes place the state is dropped
    endcase
  end

  // ---- Requeue --------------------------------------------------------------------------------
  // The turn stands here one clock after its issue, and the FIFO offers a word QueueClocks after
  // its push.
  localparam int unsigned QueueClocks   = 2;
  localparam int unsigned RequeueClocks = TurnClocks - QueueClocks - 1;

  logic [RequeueClocks-1:0] requeue_q;  // newest in bit 0
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) requeue_q <= '0;
    else requeue_q <= RequeueClocks'({requeue_q, valid_q && !halts});
  end
  assign requeue = requeue_q[RequeueClocks-1];

  pipeline_delay #(
    .DataWidth($bits(state_t)),
    .Stages   (RequeueClocks)
  ) u_state_delay (
    .clk_i,
    .data_i(state_after),
    .data_o(requeued)
  );

  stream_fifo #(
    .DataWidth(StateBits),
    .Depth    (Contexts)
  ) u_ready (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (requeue),
    .in_ready_o (queue_ready),
    .in_data_i  (requeued[StateBits-1:0]),
    .out_valid_o(head_valid),
    .out_ready_i(may_issue && !start_valid_i),
    .out_data_o (head_bits)
  );

  if (!Lookups) begin : gen_unused
    logic unused_digit_base;
    assign unused_digit_base = ^requeued.digit_base;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (queue_ready || !requeue);
  end
`else
  logic unused_queue_ready;
  assign unused_queue_ready = queue_ready;
`endif

endmodule
