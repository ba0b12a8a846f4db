// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_contexts_proof: each context of field_core is in exactly one place at any time: never
// used, free, in the loader, about to start, in a turn, on its way back from a turn, ready,
// finished, or being sent. So no job gets a context of another job, none is lost, and no queue
// overflows. With QuickRegBits the highest context is the quick one, and never among the others.
// Of a pair of its turns the first one represents it.
// With Paced a context waits in its own place, and the first turn of its issue represents it. The
// program is arbitrary as far as it moves contexts: each word that the core reads may have any
// control operation, with Frames any call and return, and may write a register, which makes the
// loader wait.
module field_core_contexts_proof #(
  parameter int unsigned Contexts = 2,
  parameter int unsigned QuickRegBits = 0,
  parameter int unsigned QuickTurns = 1,  // 2: with saved carries
  parameter int unsigned Frames = 0,
  parameter bit Paced = 1'b0,  // with Frames
  parameter bit Invariants = 1'b1,
  localparam int unsigned ContextBits = $clog2(Contexts)
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         job_valid_i,
  input logic         job_last_i,
  input logic         job_outputs_i,
  input logic         job_quick_i,
  input logic [1:0]   control_i,
  input logic [1:0]   jump_i,
  input logic [6:0]   gap_i,
  input logic [2:0]   following_i,
  input logic         add_write_i,
  input logic         result_ready_i,
  input logic [7:0]   more_i
);
  localparam int unsigned Width = 8;
  localparam int unsigned ExtraBits = field_core_isa_pkg::AccumulatorExtraBits;
  localparam logic [Width-1:0] Modulus = 8'd251;
  localparam bit          IsQuick       = QuickRegBits != 0;
  localparam bit          Saved         = QuickTurns != 1;
  localparam int unsigned UsualContexts = IsQuick ? Contexts - 1 : Contexts;
  typedef logic [ContextBits-1:0] context_t;
  typedef logic [7:0] count_t;  // larger than the number of places

  logic job_ready, result_valid, result_last, idle;
  field_core_isa_pkg::instruction_t instruction;
  always_comb begin
    instruction           = '0;
    instruction.control   = field_core_isa_pkg::control_e'(control_i);
    instruction.add_en    = add_write_i;
    instruction.add_write = add_write_i;
  end
  localparam int unsigned WordBits = field_core_isa_pkg::InstructionBits +
                                     (Frames != 0 ? field_core_isa_pkg::SequenceSlotBits : 0) +
                                     (Paced ? field_core_isa_pkg::PaceSlotBits : 0);

  field_core #(
    .Width(Width), .Modulus(Modulus), .Contexts(Contexts), .RegBits(1), .TagBits(1), .MaxOutputs(2),
    .QuickRegBits(QuickRegBits), .QuickTurns(QuickTurns), .Folds(Saved), .SavedCarries(Saved),
    .Frames(Frames), .Paced(Paced)
  ) u_dut (
    .clk_i, .rst_ni, .job_valid_i, .job_ready_o(job_ready), .job_data_i('0), .job_last_i,
    .job_pc_i('0), .job_outputs_i(job_outputs_i ? 4'd2 : 4'd1), .job_tag_i('0),
    .job_quick_i, .job_quick_pc_i('0),
    .program_address_o(), .program_data_i(WordBits'({gap_i, following_i, jump_i, instruction})),
    .mul_address_o(), .mul_data_i('0), .add_address_o(), .add_data_i('0),
    .fixed_address_o(), .fixed_data_i('0),
    .result_valid_o(result_valid), .result_ready_i, .result_data_o(), .result_last_o(result_last),
    .result_tag_o(), .mul_busy_o(), .idle_o(idle)
  );

  proof_reset u_reset (.rst_ni);

  // ---- The place of a context -----------------------------------------------------------------
  // The core's own numbers, which a constant expression cannot use: asserted below.
  localparam int unsigned StageTurn = 4;
  localparam int unsigned ToSum     = 1 + (Saved ? arith_pkg::saved_mul_latency(Width, 26, 17)
      : arith_pkg::mul_wide_latency(Width, Width, 1, 26, 17));
  localparam int unsigned ToAdd     = ToSum + (Saved
      ? arith_pkg::SavedAccumulatorLatency + arith_pkg::SavedFoldLatency
      : arith_pkg::accumulator_latency(Width, ExtraBits) +
        arith_pkg::montgomery_reduce_latency(Width, arith_pkg::constant_t'(Modulus), ExtraBits, 1,
                                             26, 17, 1'b0));
  localparam int unsigned Turns     = ToAdd + 3 +
      (Saved ? arith_pkg::SavedSumLatency : arith_pkg::linear_sum_latency(Width));
  localparam int unsigned Blocks    = 2;  // of a paced core with few contexts
  localparam int unsigned Requeue   = Turns + 1 - 3 - StageTurn;
  localparam int unsigned TurnBits  = ContextBits + field_core_isa_pkg::InstructionBits;
  localparam int unsigned PcBits    = field_core_isa_pkg::ImmBits +
                                      (Paced ? field_core_isa_pkg::UpperBits : 0);
  localparam int unsigned FrameBits = PcBits + 2 * field_core_isa_pkg::ConstantAddressBits;
  localparam int unsigned StateBits = ContextBits + field_core_isa_pkg::ImmBits +
                                      (Frames + 1) * FrameBits;
  // The position of the context in a state: the FIFO's words leave out the fields below.
  localparam int unsigned StateTop  = StateBits + (Frames == 0 ? FrameBits : 0);

  // The used places of the queues, and their contents.
  logic [2:0][Contexts-1:0]                  used;
  logic [2:0][Contexts-1:0][ContextBits-1:0] queued;

  function automatic logic in_use(input count_t place, input count_t first, input count_t number);
    return (place >= first ? place - first : place + count_t'(Contexts) - first) < number;
  endfunction

  for (genvar i = 0; i < Contexts; i++) begin : gen_place
    assign used[0][i] = in_use(count_t'(i), count_t'(u_dut.u_loader.u_returned.read_q),
                               count_t'(u_dut.u_loader.u_returned.count_q));
    if (Paced) begin : gen_paced
      assign used[1][i]   = 1'b0;
      assign queued[1][i] = '0;
    end else begin : gen_queue
      assign used[1][i] = in_use(count_t'(i), count_t'(u_dut.u_control.gen_queue.u_ready.read_q),
                                 count_t'(u_dut.u_control.gen_queue.u_ready.count_q));
      assign queued[1][i] =
          u_dut.u_control.gen_queue.u_ready.memory[i][StateBits-1-:ContextBits];
    end
    assign used[2][i] = in_use(count_t'(i), count_t'(u_dut.u_output.u_done.read_q),
                               count_t'(u_dut.u_output.u_done.count_q));
    assign queued[0][i] = u_dut.u_loader.u_returned.memory[i];
    assign queued[2][i] = u_dut.u_output.u_done.memory[i];
  end

  // Turns whose halt is on its way to the output, from the clock after StageTurn on.
  logic [Turns:1]                  halts;
  logic [Turns:1][ContextBits-1:0] halted;
  for (genvar k = 1; k <= Turns; k++) begin : gen_turn
    logic [TurnBits-1:0] turn;
    if (k <= ToSum) begin : gen_sum
      assign turn = u_dut.u_to_sum.gen_stages.stage_q[k-1];
    end else if (k <= ToAdd) begin : gen_add
      assign turn = u_dut.u_to_add.gen_stages.stage_q[k-1-ToSum];
    end else if (k < Turns) begin : gen_last
      assign turn = u_dut.u_to_write.gen_stages.stage_q[k-1-ToAdd];
    end else begin : gen_write
      assign turn = u_dut.write_turn[TurnBits-1:0];
    end
    assign halted[k] = turn[TurnBits-1-:ContextBits];
    if (k < Turns) begin : gen_halts
      assign halts[k] = u_dut.valid[StageTurn+k] &&
                        turn[TurnBits-ContextBits-1-:2] == field_core_isa_pkg::ControlHalt;
    end else begin : gen_done
      assign halts[k] = u_dut.job_done_q;
    end
  end

  logic [Requeue-1:0]                  returns;
  logic [Requeue-1:0][ContextBits-1:0] returning;
  // Other contexts in transit: the queue's word at the output, and the one at the head.
  logic     fetched, turns_count;
  context_t fetched_context;
  logic [Contexts-1:0] waiting, ready;
  count_t [Contexts-1:0] nominated;  // the number of blocks that nominate it
  if (Paced) begin : gen_paced
    assign {returns, returning} = '0;
    assign waiting = u_dut.u_control.gen_paced.u_ready.waiting_q;
    assign ready   = u_dut.u_control.gen_paced.u_ready.ready_q;
    always_comb begin
      nominated = '0;
      for (int unsigned c = 0; c < Contexts; c++) begin
        for (int unsigned b = 0; b < Blocks; b++) begin
          nominated[c] += count_t'(
              u_dut.u_control.gen_paced.u_ready.nominated_q[b] &&
              u_dut.u_control.gen_paced.u_ready.nominee_q[b] == context_t'(c));
        end
      end
    end
    assign {fetched, fetched_context} = '0;
    // The others already wait.
    assign turns_count = u_dut.first_turn.slots.control == field_core_isa_pkg::ControlHalt;
  end else begin : gen_queue
    for (genvar k = 0; k < Requeue; k++) begin : gen_return
      assign returns[k]   = u_dut.u_control.gen_queue.requeue_q[k];
      assign returning[k] =
          u_dut.u_control.gen_queue.u_state_delay.gen_stages.stage_q[k][StateTop-1-:ContextBits];
    end
    assign {waiting, ready, nominated} = '0;
    assign fetched         = u_dut.u_control.gen_queue.u_ready.out_valid_q;
    assign fetched_context = u_dut.u_control.gen_queue.u_ready.out_q[StateBits-1-:ContextBits];
    assign turns_count     = !u_dut.u_control.is_second_q;
  end

  // The quick context has had a job.
  logic quick_used_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quick_used_q <= 1'b0;
    else if (!u_dut.u_loader.quick_free_q) quick_used_q <= 1'b1;
  end

  for (genvar c = 0; c < Contexts; c++) begin : gen_context
    count_t places;
    always_comb begin
      places = IsQuick && c == Contexts - 1 ? count_t'(u_dut.u_loader.quick_free_q)
          : count_t'(count_t'(u_dut.u_loader.fresh_q) <= count_t'(c));
      for (int unsigned q = 0; q < 3; q++) begin
        for (int unsigned i = 0; i < Contexts; i++) begin
          places += count_t'(used[q][i] && queued[q][i] == context_t'(c));
        end
      end
      places += count_t'(u_dut.u_loader.u_returned.out_valid_q &&
                         u_dut.u_loader.u_returned.out_q == context_t'(c));
      places += count_t'((u_dut.u_loader.inside_q || u_dut.u_loader.held_q) &&
                         u_dut.u_loader.context_q == context_t'(c));
      places += count_t'(u_dut.u_loader.start_q &&
                         u_dut.u_loader.start_context_q == context_t'(c));
      for (int unsigned k = 1; k <= 3; k++) begin
        places += count_t'(u_dut.u_control.valid_q[k] &&
                           !((Paced || IsQuick) && u_dut.u_control.state_q[k].follows) &&
                           u_dut.u_control.state_q[k].context_id == context_t'(c));
      end
      places += count_t'(u_dut.valid[StageTurn] && turns_count &&
                         u_dut.first_context == context_t'(c));
      places += count_t'(waiting[c]) + count_t'(ready[c]) + nominated[c];
      for (int unsigned k = 0; k < Requeue; k++) begin
        places += count_t'(returns[k] && returning[k] == context_t'(c));
      end
      places += count_t'(fetched && fetched_context == context_t'(c));
      places += count_t'(u_dut.u_control.head_valid &&
                         u_dut.u_control.head[StateBits-1-:ContextBits] == context_t'(c));
      for (int unsigned k = 1; k <= Turns; k++) begin
        places += count_t'(halts[k] && halted[k] == context_t'(c));
      end
      places += count_t'(u_dut.u_output.u_done.out_valid_q &&
                         u_dut.u_output.u_done.out_q == context_t'(c));
      places += count_t'((u_dut.u_output.reading_q || u_dut.u_output.sending_q) &&
                         u_dut.u_output.context_q == context_t'(c));
      if (rst_ni) assert (places == 1);
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (u_dut.u_output.done_ready || !u_dut.u_output.done_valid_i);
      assert (u_dut.u_loader.free_ready || !u_dut.u_loader.free_valid_i);

      // Every context has a job, and a result leaves.
      cover (u_dut.u_loader.fresh_q == UsualContexts && (!IsQuick || quick_used_q) &&
             result_valid && result_ready_i && result_last);
      cover (idle && (IsQuick ? quick_used_q && u_dut.u_loader.quick_free_q
                              : u_dut.u_loader.fresh_q == 1 && u_dut.u_loader.returned_valid));
    end
  end

  // The second turn of a pair has no control.
  logic second;
  assign second = IsQuick && u_dut.u_control.valid_q[3] && u_dut.u_control.state.follows;
  always_comb if (rst_ni && second) assume (control_i == field_core_isa_pkg::ControlNext);

  // A control operation is in an issue of one turn, and so is the next issue.
  if (Paced) begin : gen_program
    logic controls, several;
    assign controls = control_i != field_core_isa_pkg::ControlNext || jump_i != '0;
    assign several  = u_dut.u_control.state.follows || u_dut.u_control.state.following != '0;
    always_comb begin
      if (rst_ni && u_dut.u_control.valid_q[3]) begin
        assume (!controls || (!several && following_i == '0));
      end
    end
  end

  if (Invariants && Paced) begin : gen_paced_invariants
    always_comb if (rst_ni) assert (Blocks == u_dut.u_control.gen_paced.u_ready.Blocks);
    for (genvar c = 0; c < Contexts; c++) begin : gen_context
      // If a context waits, its state has been written, or is written in this clock.
      always_comb begin
        if (rst_ni && (waiting[c] || ready[c] || nominated[c] != '0) &&
            !(u_dut.u_control.gen_paced.u_ready.write_q &&
              u_dut.u_control.gen_paced.u_ready.write_context_q == context_t'(c))) begin
          assert (u_dut.u_control.gen_paced.u_ready.u_states.u_memory.words[c]
                  [StateBits-1-:ContextBits] == context_t'(c));
        end
        if (rst_ni && u_dut.u_control.gen_paced.u_ready.write_q) begin
          assert (u_dut.u_control.gen_paced.u_ready.write_context_q ==
                  u_dut.u_control.after_q.context_id);
          assert ((waiting | ready) >> u_dut.u_control.gen_paced.u_ready.write_context_q & 1'b1);
        end
      end
    end
  end else if (Invariants) begin : gen_queue_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.u_control.gen_queue.queue_ready || !u_dut.u_control.gen_queue.requeue);
        assert (Requeue == u_dut.u_control.gen_queue.RequeueClocks);
        // Turns of the quick context are of the highest one, and its second turns have no control.
        for (int unsigned k = 1; k <= 3; k++) begin
          if (IsQuick && u_dut.u_control.valid_q[k] && u_dut.u_control.state_q[k].quick) begin
            assert (u_dut.u_control.state_q[k].context_id == context_t'(Contexts - 1));
          end
        end
        assert (u_dut.u_control.goes_second_q == (Saved && u_dut.u_control.valid_q[2] &&
            u_dut.u_control.state_q[2].quick && !u_dut.u_control.state_q[2].follows));
        if (IsQuick && u_dut.valid[StageTurn] && u_dut.u_control.after_q.quick) begin
          assert (u_dut.u_control.after_q.context_id == context_t'(Contexts - 1));
          assert (u_dut.first_context == context_t'(Contexts - 1));
        end
        if (u_dut.valid[StageTurn] && u_dut.u_control.is_second_q) begin
          assert (u_dut.first_turn.slots.control == field_core_isa_pkg::ControlNext);
        end
        assert (count_t'(u_dut.u_control.gen_queue.u_ready.write_q) == wrapped(
            count_t'(u_dut.u_control.gen_queue.u_ready.read_q) +
            count_t'(u_dut.u_control.gen_queue.u_ready.count_q)));
        assert (u_dut.u_control.gen_queue.u_ready.count_q <= Contexts);
      end
    end
  end

  function automatic count_t wrapped(input count_t index);
    return index >= count_t'(Contexts) ? index - count_t'(Contexts) : index;
  endfunction

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (Turns == u_dut.StageWrite - u_dut.StageTurn);
        assert (StateBits == u_dut.u_control.StateBits);
        assert (u_dut.u_loader.fresh_q <= UsualContexts);
        assert (!(u_dut.u_output.reading_q && u_dut.u_output.sending_q));
        // The registered word is the job's last one exactly if no other follows.
        if (u_dut.u_loader.held_q) begin
          assert (u_dut.u_loader.held_last_q == !u_dut.u_loader.inside_q);
        end
        // Both delays of a turn have the same context.
        if (u_dut.valid[StageTurn]) begin
          assert (u_dut.first_context == u_dut.u_control.after_q.context_id);
        end
        assert (count_t'(u_dut.u_loader.u_returned.write_q) == wrapped(
            count_t'(u_dut.u_loader.u_returned.read_q) +
            count_t'(u_dut.u_loader.u_returned.count_q)));
        assert (count_t'(u_dut.u_output.u_done.write_q) == wrapped(
            count_t'(u_dut.u_output.u_done.read_q) + count_t'(u_dut.u_output.u_done.count_q)));
        assert (u_dut.u_loader.u_returned.count_q <= Contexts);
        assert (u_dut.u_output.u_done.count_q <= Contexts);
      end
    end
  end else begin : gen_story
    // The search for states that must be reached or refuted follows one scenario; otherwise z3
    // takes hours for the 50 steps of a job: no second reset, jobs of one word with results of two,
    // quick if possible; the first turns continue, the later ones halt, except the second turns of
    // pairs. One job comes at once; the start of further ones is open.
    localparam count_t FirstHalt = 12;
    count_t step_q;
    initial step_q = '0;
    count_t more_q;
    always_ff @(posedge clk_i) begin
      step_q <= step_q == '1 ? step_q : step_q + 1'b1;
      more_q <= more_i;
    end
    always_comb begin
      assume (rst_ni == (step_q != '0));
      assume (job_valid_i == (step_q == 2 || step_q >= more_i));
      assume (step_q == '0 || more_i == more_q);
      assume (job_last_i && job_outputs_i && job_quick_i && result_ready_i && !add_write_i);
      assume (control_i == (second ? field_core_isa_pkg::ControlNext
                            : step_q >= FirstHalt ? field_core_isa_pkg::ControlHalt
                            : Paced ? field_core_isa_pkg::ControlNext
                                    : field_core_isa_pkg::ControlLoopBegin));
      if (Paced) assume (jump_i == '0);
    end
  end
endmodule
