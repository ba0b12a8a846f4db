// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_control: selects the context of each turn, fetches the instruction, and tracks the
// loops.
//
// The whole control state of a context (program counter, loop counter, the bases of constants and
// digits, and with Frames a stack of them) is one record that is always in exactly one place: in
// the ready FIFO, or with the context's turn in the pipeline. So the control needs no state memory,
// no clearing at the start of a job, and has no hazards.
//
// With Frames instructions have the sequence slot, and loops and calls may be nested. The begin of
// a loop saves the outer loop's counter and the bases in the first frame, a call saves the return
// address and the bases, and the older frames move by one. The end restores them, and zeros move
// in. Both kinds of frames have the same form, so one shift serves both. An outermost loop saves
// nothing that is needed again: its frame may fall out at the end.
//
// Each clock (every Interval clocks) a started job, or otherwise the head of the ready FIFO, takes
// a turn. Its next state enters the ready FIFO just in time to be its head TurnClocks after the
// issue, unless the instruction was a halt. A started job goes first and bypasses the FIFO: in a
// full pipeline one state returns per clock, and a start that waited for a gap at the FIFO's input
// would keep its context from running. The FIFO has one place per context and cannot overflow.
//
// With Quick the highest context has several turns in flight: if its turn is not a halt, the state
// after it, known one clock after the decoder, takes the next turn at once, before a start and
// before the FIFO. So such a job has a turn in every fourth clock, whatever other jobs are in the
// core, and its program ensures that values are read only when they are valid
// (arith/microcode/spaced.py). After a halt that is not taken, it continues like the others. With
// QuickTurns = 2 it also has the turn two clocks after each of these, with the next instruction and
// the same bases. Such a second turn has no control: that of the first one acts after it.
//
// With Paced every context has several turns in flight: an issue has up to PaceMostTurns turns, one
// per clock, and its first instruction gives the earliest time of the context's next issue and its
// number of turns. A queue in which each context waits for its own time (field_core_paced_queue)
// replaces the FIFO. A started job goes first here too, but not within an issue.
//
// Cycles: issue in clock t; the ROM is addressed in t+1 and returns the instruction in t+3; the
// turn is at the output in t+4 (TurnStage); the context's next issue is in clock t + TurnClocks at
// the earliest, with Paced in t + PaceLeastWait.
module field_core_control
  import field_core_isa_pkg::*;
#(
  parameter  int unsigned Contexts      = 64,
  parameter  int unsigned Interval      = 1,
  parameter  int unsigned TurnClocks    = 64,  // >= 8
  parameter  bit          Lookups       = 1'b0,  // instructions have the lookup slot
  parameter  bit          Quick         = 1'b0,  // context Contexts - 1 is quick; Interval = 1
  parameter  int unsigned QuickTurns    = 1,  // its turns in four clocks, 1 or 2
  // The number of nested loops and calls, besides an outermost loop: 0..SequenceFrames. If it is
  // not 0, instructions have the sequence slot.
  parameter  int unsigned Frames        = 0,
  parameter  bit          Paced         = 1'b0,  // instructions have the pace slot; Interval = 1
  localparam int unsigned PcBits        = ImmBits + (Paced ? UpperBits : 0),
  localparam int unsigned ContextBits   = $clog2(Contexts),
  localparam int unsigned WordBits      = InstructionBits + (Lookups ? LookupSlotBits : 0) +
                                          (Frames != 0 ? SequenceSlotBits : 0) +
                                          (Paced ? PaceSlotBits : 0)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // A loaded job, to be started.
  input  logic                           start_valid_i,
  output logic                           start_ready_o,
  input  logic [ContextBits-1:0]         start_context_i,
  input  logic [PcBits-1:0]              start_pc_i,

  // The program's ROM: a word belongs to the address two clocks before.
  output logic [PcBits-1:0]              program_address_o,
  input  logic [WordBits-1:0]            program_data_i,

  // The flag of turn_context_o.
  input  logic                           flag_i,

  // A turn: the instruction with absolute addresses of constants and numbers of windows, its
  // context, whether it is a halt that is not taken, and whether the turn one clock before is of
  // the same issue.
  output logic                           turn_valid_o,
  output logic [ContextBits-1:0]         turn_context_o,
  output instruction_t                   turn_o,
  output lookup_t                        turn_lookup_o,
  output logic                           turn_goes_on_o,
  output logic                           turn_follows_o,

  output logic                           memory_error_o
);

  // The values that a loop or a call restores; in a core with lookups also the digits' base.
  localparam int unsigned FrameBits  = PcBits + 2 * ConstantAddressBits +
                                       (Lookups ? DigitBits : 0);
  localparam int unsigned FrameSlots = Frames == 0 ? 1 : Frames;
  typedef struct packed {
    logic [DigitBits-1:0]           digit_base;
    logic [PcBits-1:0]              value;  // the count of the outer loop, or a return address
    logic [ConstantAddressBits-1:0] mul_base;
    logic [ConstantAddressBits-1:0] add_base;
  } frame_t;

  typedef struct packed {
    logic                           follows;     // in an issue, after its first turn
    logic [FollowingBits-1:0]       following;   // turns of the next issue, minus one
    logic                           quick;       // always 0 in the FIFO
    logic [DigitBits-1:0]           digit_base;  // kept only in a core with lookups
    logic [ContextBits-1:0]         context_id;
    logic [PcBits-1:0]              pc;
    logic [ImmBits-1:0]             count;      // turns of the loop left, including this one
    logic [ConstantAddressBits-1:0] mul_base;
    logic [ConstantAddressBits-1:0] add_base;
    logic [FrameSlots-1:0][FrameBits-1:0] frames;  // the last one in 0; zero without Frames
  } state_t;
  // The part of a state that the FIFO stores: not the fields above, and frames only with Frames.
  localparam int unsigned StateLow  = Frames == 0 ? FrameBits : 0;
  localparam int unsigned StateBits = $bits(state_t) - 2 - FollowingBits -
                                      (Lookups ? 0 : DigitBits) - StateLow;

  state_t chosen, after_q;
  state_t state_q[3:1];  // one clock after the issue, two, three
  localparam logic [FollowingBits-1:0] QuickFollowing = FollowingBits'(QuickTurns - 1);
  logic   head_valid, take_head;
  logic   goes_quickly;  // after_q takes the turn of this clock
  logic   goes_second_q;   // the quick context's second turn
  logic   goes_on;       // the issue of the clock before continues
  logic [StateBits-1:0]     head;
  logic [FollowingBits-1:0] head_following;

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

  assign issue         = may_issue && (head_valid || start_valid_i || goes_quickly || goes_second_q || goes_on);
  assign take_head     = may_issue && !start_valid_i && !goes_quickly && !goes_second_q && !goes_on;
  assign start_ready_o = may_issue && !goes_quickly && !goes_second_q && !goes_on;
  always_comb begin
    chosen                      = '0;
    chosen[StateLow+:StateBits] = head;
    chosen.following            = head_following;
    if (goes_on) begin
      chosen         = state_q[1];
      chosen.pc      = state_q[1].pc + 1'b1;
      chosen.follows = 1'b1;
    end else if (goes_second_q) begin
      chosen         = state_q[2];
      chosen.pc      = state_q[2].pc + 1'b1;
      chosen.follows = 1'b1;
    end else if (goes_quickly) begin
      chosen = after_q;
    end else if (start_valid_i) begin
      chosen            = '0;
      chosen.context_id = start_context_i;
      chosen.pc         = start_pc_i;
      chosen.quick      = Quick && start_context_i == ContextBits'(Contexts - 1);
      chosen.following  = chosen.quick ? QuickFollowing : '0;
    end
  end

  if (Paced) begin : gen_issue
    logic [FollowingBits-1:0] left_q;  // turns of the issue that are left
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) left_q <= '0;
      else if (goes_on) left_q <= left_q - 1'b1;
      else if (issue) left_q <= chosen.following;
    end
    assign goes_on = left_q != '0;
  end else begin : gen_single
    assign goes_on = 1'b0;
  end

  // ---- Fetch: clock 1 addresses the ROM, clock 3 has the instruction --------------------------
  localparam int unsigned DecodeStage = 3;
  localparam int unsigned TurnStage   = DecodeStage + 1;

  logic [TurnStage:1] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[TurnStage-1:1], issue};
  end
  always_ff @(posedge clk_i) begin
    state_q[1] <= chosen;
    for (int unsigned k = 2; k <= DecodeStage; k++) state_q[k] <= state_q[k-1];
  end

  // Two clocks after the quick context's first turn.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) goes_second_q <= 1'b0;
    else goes_second_q <= Quick && QuickTurns == 2 && valid_q[1] && state_q[1].quick &&
                        !state_q[1].follows;
  end

  state_t state;
  assign state             = state_q[DecodeStage];
  assign program_address_o = state_q[1].pc;

  // ---- Decode: absolute addresses, and the state after the turn -------------------------------
  instruction_t instruction;
  lookup_t      lookup;
  assign instruction = instruction_t'(program_data_i[InstructionBits-1:0]);
  if (Lookups) begin : gen_lookup
    assign lookup = lookup_t'(program_data_i[InstructionBits+:LookupSlotBits]);
  end else begin : gen_no_lookup
    assign lookup = '0;
  end
  localparam int unsigned SequenceLow = InstructionBits + (Lookups ? LookupSlotBits : 0);
  sequence_t sequencing;
  if (Frames != 0) begin : gen_sequence
    assign sequencing = sequence_t'(program_data_i[SequenceLow+:SequenceSlotBits]);
  end else begin : gen_no_sequence
    assign sequencing = '0;
  end

  pace_t pacing;
  if (Paced) begin : gen_pace
    assign pacing = pace_t'(program_data_i[WordBits-1-:PaceSlotBits]);
  end else begin : gen_no_pace
    assign pacing = '0;
  end

  always_ff @(posedge clk_i) begin
    turn_o              <= instruction;
    turn_o.mul_const    <= instruction.mul_const + state.mul_base;
    turn_o.add_const    <= instruction.add_const + state.add_base;
    turn_lookup_o       <= lookup;
    turn_lookup_o.digit <= lookup.digit + state.digit_base;
    turn_context_o      <= state.context_id;
    turn_follows_o      <= Paced && state.follows;
  end
  assign turn_valid_o   = valid_q[TurnStage];
  assign turn_goes_on_o = turn_lookup_o.halt_unless_zero && flag_i;

  // The values that enter and leave the first frame; zeros without Frames.
  logic   loop_ends, keeps, gives_back;
  frame_t kept, given;
  assign loop_ends  = instruction.control == ControlLoopEnd && state.count <= 1;
  assign keeps      = Frames != 0 && (instruction.control == ControlLoopBegin ||
                                      sequencing.jump == JumpCall);
  assign gives_back = Frames != 0 && (loop_ends || sequencing.jump == JumpReturn);
  always_comb begin
    kept.value      = sequencing.jump == JumpCall ? state.pc + 1'b1 : PcBits'(state.count);
    kept.mul_base   = state.mul_base;
    kept.add_base   = state.add_base;
    kept.digit_base = state.digit_base;
    given           = $bits(frame_t)'(state.frames[0]);
  end

  logic [PcBits-1:0] target;
  if (Paced) begin : gen_upper
    assign target = {pacing.upper, instruction.imm};
  end else begin : gen_imm
    assign target = instruction.imm;
  end

  state_t state_after;
  always_comb begin
    state_after    = state;
    // An issue of several turns counts from its first one.
    state_after.pc = state.pc + PcBits'(state.following) + 1'b1;
    state_after.following = Quick && state.quick ? QuickFollowing : pacing.following;
    state_after.follows   = 1'b0;
    unique case (instruction.control)
      ControlLoopBegin: state_after.count = instruction.imm;
      ControlLoopEnd: begin
        if (!loop_ends) begin
          state_after.pc       = target;
          state_after.count    = state.count - 1'b1;
          state_after.mul_base = state.mul_base + ConstantAddressBits'(instruction.mul_stride);
          state_after.add_base = state.add_base + ConstantAddressBits'(instruction.add_stride);
          state_after.digit_base = state.digit_base + lookup.digit_stride;
        end else begin
          state_after.mul_base   = given.mul_base;
          state_after.add_base   = given.add_base;
          state_after.digit_base = given.digit_base;
          if (Frames != 0) state_after.count = given.value[ImmBits-1:0];
        end
      end
      ControlHalt: state_after.pc = target;  // if it is taken, the state is dropped
      default: begin  // next
        unique case (sequencing.jump)
          JumpCall: begin
            state_after.pc         = target;
            state_after.mul_base   = '0;
            state_after.add_base   = '0;
            state_after.digit_base = '0;
          end
          JumpReturn: begin
            state_after.pc         = given.value;
            state_after.mul_base   = given.mul_base;
            state_after.add_base   = given.add_base;
            state_after.digit_base = given.digit_base;
          end
          default: ;
        endcase
      end
    endcase
    if (keeps) begin
      state_after.frames = (FrameSlots * FrameBits)'({state.frames, FrameBits'(kept)});
    end else if (gives_back) begin
      state_after.frames = state.frames >> FrameBits;
    end
  end

  // ---- Requeue --------------------------------------------------------------------------------
  logic halts, is_second_q;
  assign halts        = turn_o.control == ControlHalt && !turn_goes_on_o;
  assign goes_quickly = Quick && turn_valid_o && after_q.quick && !is_second_q &&
                        turn_o.control != ControlHalt;
  always_ff @(posedge clk_i) begin
    after_q     <= state_after;
    is_second_q <= Quick && state.follows;
  end

  if (Paced) begin : gen_paced
    // A halt without a flag is known earlier.
    logic waits;
    assign waits = valid_q[DecodeStage] && !state.follows && instruction.control != ControlHalt;

    field_core_paced_queue #(
      .DataWidth(FollowingBits + StateBits),
      .Contexts (Contexts)
    ) u_ready (
      .clk_i,
      .rst_ni,
      .wait_valid_i  (waits),
      .wait_context_i(state.context_id),
      .wait_gap_i    (pacing.gap),
      .state_i       ({after_q.following, after_q[StateLow+:StateBits]}),
      .out_valid_o   (head_valid),
      .out_ready_i   (take_head),
      .out_data_o    ({head_following, head}),
      .memory_error_o
    );

    logic unused_halts;
    assign unused_halts = ^{halts, is_second_q, after_q};
  end else begin : gen_queue
    // A halt is known in clock TurnStage; a word that enters the FIFO is at the head register
    // QueueClocks later.
    localparam int unsigned QueueClocks   = 3;
    localparam int unsigned RequeueClocks = TurnClocks - QueueClocks - TurnStage;

    state_t               requeued;
    logic                 head_valid_q, requeue, queue_ready;
    logic [StateBits-1:0] head_q;

    logic [RequeueClocks-1:0] requeue_q;  // newest in bit 0
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) requeue_q <= '0;
      else requeue_q <= RequeueClocks'({requeue_q, turn_valid_o && !halts && !goes_quickly &&
                                    !is_second_q});
    end
    assign requeue = requeue_q[RequeueClocks-1];

    pipeline_delay #(
      .DataWidth($bits(state_t)),
      .Stages   (RequeueClocks)
    ) u_state_delay (
      .clk_i,
      .data_i(after_q),
      .data_o(requeued)
    );

    logic                 queued_valid, queued_ready;
    logic [StateBits-1:0] queued;

    stream_fifo #(
      .DataWidth(StateBits),
      .Depth    (Contexts)
    ) u_ready (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (requeue),
      .in_ready_o (queue_ready),
      .in_data_i  (requeued[StateLow+:StateBits]),
      .out_valid_o(queued_valid),
      .out_ready_i(queued_ready),
      .out_data_o (queued),
      .memory_error_o
    );

    // The head has a register: the FIFO may be in a memory, whose output comes late.
    assign queued_ready   = !head_valid_q || take_head;
    assign head_valid     = head_valid_q;
    assign head           = head_q;
    assign head_following = '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) head_valid_q <= 1'b0;
      else if (queued_ready) head_valid_q <= queued_valid;
    end
    always_ff @(posedge clk_i) begin
      if (queued_ready) head_q <= queued;
    end

    logic unused_state;
    assign unused_state = ^{requeued, pacing};
`ifndef SYNTHESIS
    always_ff @(posedge clk_i or negedge rst_ni) assert (!rst_ni || queue_ready || !requeue);
`else
    logic unused_queue_ready;
    assign unused_queue_ready = queue_ready;
`endif
  end

  if (QuickTurns < 1 || QuickTurns > 2 || (Quick && Interval != 1)) begin : gen_quick_interval
    $error("a quick context needs a turn in every fourth or second clock");
  end
  if (Frames > SequenceFrames) begin : gen_too_many_frames
    $error("Frames must not exceed SequenceFrames");
  end
  if (Paced && (Interval != 1 || Quick || Lookups)) begin : gen_paced_interval
    $error("a paced core needs Interval = 1, and has neither a quick context nor lookups");
  end
  logic unused_kept;
  assign unused_kept = ^kept;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    assert (!(goes_quickly || goes_second_q) || issue);
    assert (!(goes_quickly && goes_second_q));
    assert (!Quick || !turn_valid_o || !is_second_q ||
            (turn_o.control == ControlNext && !turn_lookup_o.halt_unless_zero));
    // A control operation ends its issue, which has one turn, and the next issue has one turn.
    assert (!Paced || !valid_q[DecodeStage] ||
            (instruction.control == ControlNext && sequencing.jump == JumpNone) ||
            (!state.follows && state.following == '0 && pacing.following == '0));
  end

  // A program keeps to the frames, as the checker of its image has proved. For each context: the
  // frames in use, and whether a loop encloses them all.
  int unsigned used_q [Contexts];
  logic        outer_q[Contexts];
  logic        begins, ends;
  assign begins = instruction.control == ControlLoopBegin || sequencing.jump == JumpCall;
  assign ends   = loop_ends || sequencing.jump == JumpReturn;
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    if (start_valid_i && start_ready_o) begin
      used_q[start_context_i]  <= 0;
      outer_q[start_context_i] <= 1'b0;
    end
    if (valid_q[DecodeStage] && begins) begin
      if (used_q[state.context_id] == 0 && !outer_q[state.context_id] &&
          instruction.control == ControlLoopBegin) begin
        outer_q[state.context_id] <= 1'b1;
      end else begin
        assert (int'(used_q[state.context_id]) < int'(Frames));
        used_q[state.context_id] <= used_q[state.context_id] + 1;
      end
    end
    if (valid_q[DecodeStage] && ends) begin
      if (used_q[state.context_id] == 0) begin
        assert (outer_q[state.context_id]);
        outer_q[state.context_id] <= 1'b0;
      end else begin
        used_q[state.context_id] <= used_q[state.context_id] - 1;
      end
    end
  end
`endif

endmodule
