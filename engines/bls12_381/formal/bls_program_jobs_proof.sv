// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_program_jobs_proof: a context is offered only while it is parked and no program has it. Each
// reported job gets exactly one reply after it has ended, with its index, status, counts, error
// word and the results that it sent, in order. Replies and notices are whole and have the length
// that they announce, and an offered beat is held. The pointer of a context is written once when
// the context is to be parked, and never otherwise. Interrupts of the window's context come out
// beat by beat as they came in, and no others do. Liveness: a free context, a context to park and a
// job to answer are each offered within a few clocks, and an interrupt is taken unless its notice
// waits.
//
// One context that takes programs and one of its results are watched; both are arbitrary, so that
// the proof holds for all of them. Three contexts, the first with a window, three beats of results,
// four clocks per program.
//
// Covers and refutations use eight scenarios, in which every offer is taken at once. Assumptions:
// the loader behaves as bls_program_loader_proof shows; an offered interrupt is held and has the
// number of beats in its header, two for an error; a context retires instructions and sends
// elements and one error while it runs; after its pointer is written it reports once that it is
// parked.
module bls_program_jobs_proof
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        take_i,
  input logic        job_valid_i,
  input logic [63:0] job_index_i,
  input logic [15:0] job_start_i,
  input logic [2:0]  job_status_i,
  input logic        int_valid_i,
  input logic [63:0] int_data_i,
  input logic        retired_valid_i,
  input context_t    retired_context_i,
  input logic [15:0] retired_next_i,
  input logic        waits_valid_i,
  input context_t    waits_context_i,
  input logic        done_i,
  input logic        notice_ready_i,
  input logic        rpl_ready_i
);
  localparam int unsigned Contexts = 3;
  localparam int unsigned ResultBeats = 3;
  localparam int unsigned LogProgramClocks = 2;

  logic        free_valid, int_ready, int_last, bus_valid, done;
  logic        notice_valid, notice_last, rpl_valid, rpl_last, error, memory_error;
  context_t    free_context, loading_context_q;
  job_status_e job_status;
  logic [63:0] notice_data, rpl_data;
  logic [31:0] bus_address, bus_value;
  assign job_status = job_status_e'({5'd0, job_status_i});
  assign done       = done_i && bus_valid;

  bls_program_jobs #(
    .Contexts(Contexts), .WindowContexts(1), .ResultBeats(ResultBeats),
    .LogProgramClocks(LogProgramClocks)
  ) u_dut (
    .clk_i, .rst_ni,
    .free_valid_o(free_valid), .free_context_o(free_context), .take_i,
    .job_valid_i, .job_context_i(loading_context_q), .job_index_i, .job_start_i,
    .job_status_i(job_status),
    .int_valid_i, .int_ready_o(int_ready), .int_data_i, .int_last_i(int_last),
    .retired_valid_i, .retired_context_i, .retired_next_i, .waits_valid_i, .waits_context_i,
    .bus_valid_o(bus_valid), .bus_address_o(bus_address), .bus_value_o(bus_value), .bus_done_i(done),
    .notice_valid_o(notice_valid), .notice_ready_i, .notice_data_o(notice_data),
    .notice_last_o(notice_last),
    .rpl_valid_o(rpl_valid), .rpl_ready_i, .rpl_data_o(rpl_data), .rpl_last_o(rpl_last),
    .error_o(error), .memory_error_o(memory_error)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(64), .Assume(1'b1)) u_interrupt (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(int_valid_i), .ready_i(int_ready), .data_i(int_data_i)
  );
  proof_stable #(.DataWidth(65)) u_notice (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(notice_valid), .ready_i(notice_ready_i),
    .data_i({notice_last, notice_data})
  );
  proof_stable #(.DataWidth(64)) u_word (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(bus_valid), .ready_i(done),
    .data_i({bus_address, bus_value})
  );

  // Arbitrary constants.
  context_t   watched_q;
  logic [1:0] result_q;
  always_ff @(posedge clk_i) begin
    watched_q <= watched_q;
    result_q  <= result_q;
  end
  always_comb assume (watched_q == 4'd1 || watched_q == 4'd2);
  always_comb assume (result_q < 2'd3);

  // ---- The loader -------------------------------------------------------------------------------
  logic loading_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loading_q <= 1'b0;
    else if (take_i) loading_q <= 1'b1;
    else if (job_valid_i) loading_q <= 1'b0;
  end
  always_ff @(posedge clk_i) if (take_i) loading_context_q <= free_context;
  always_comb begin
    if (take_i) assume (rst_ni && free_valid && !loading_q);
    if (job_valid_i) assume (loading_q);
  end

  // ---- The incoming interrupt -----------------------------------------------------------------
  logic [9:0]  taken_q, length_q;  // beats taken; beats by its length
  logic [1:0]  age_q;              // clocks since its second beat, until it counts
  logic        passes_q;           // a notice is being sent
  logic [9:0]  sent_q;             // beats of the notice
  logic [63:0] header_q, second_q;
  logic        int_beat, is_second, is_window, owns, fails, parks;
  assign int_beat  = int_valid_i && int_ready;
  assign is_second = int_valid_i && taken_q == 10'd1;
  assign int_last  = taken_q != '0 && taken_q + 10'd1 == length_q;
  assign is_window = second_q[55:48] == '0;
  assign owns      = second_q[55:48] == 8'(watched_q);
  assign fails     = second_q[47:40] != '0;
  assign parks     = second_q[30:16] == 15'h7FFF;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {taken_q, age_q, passes_q, sent_q} <= '0;
    end else begin
      if (int_beat) taken_q <= int_last ? '0 : taken_q + 10'd1;
      if (int_beat && is_second) age_q <= 2'd1;
      else if (age_q != '0) age_q <= age_q + 2'd1;
      if (age_q == 2'd3 && is_window) {passes_q, sent_q} <= {1'b1, 10'd0};
      if (notice_valid && notice_ready_i) begin
        sent_q <= sent_q + 10'd1;
        if (notice_last) passes_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (int_beat && taken_q == '0) {header_q, length_q} <= {int_data_i, int_data_i[12:3]};
    if (int_beat && is_second) second_q <= int_data_i;
  end

  // ---- The watched context --------------------------------------------------------------------
  typedef enum logic [2:0] { Parking, Free, Loading, Running, Ending, Ended } life_e;
  life_e       life_q;
  logic        parks_q;   // its pointer must be written
  logic        asked_q;   // the pointer is written, and the context has not reported it
  logic        failed_q, full_q, late_q, keeps_q;
  logic [2:0]  count_q, place_q, count;    // beats of results; the index of the next beat
  logic [31:0] error_q, clocks_q, instructions_q;
  logic [15:0] pointer_q;
  logic [63:0] index_q, word_q;
  job_status_e given_q, status;
  logic        takes, job, waits, retires, written, counts, has_room, answered;
  assign takes    = take_i && free_context == watched_q;
  assign job      = job_valid_i && loading_context_q == watched_q;
  assign waits    = waits_valid_i && waits_context_i == watched_q;
  assign retires  = retired_valid_i && retired_context_i == watched_q;
  assign written  = done && bus_address[18:15] == watched_q;
  assign counts   = age_q == 2'd3 && owns;
  assign has_room = 12'(count_q) + 12'(length_q) <= 12'd4;
  assign count    = count_q + 3'(length_q) - 3'd1;
  assign status   = given_q != JobOk ? given_q : full_q ? JobResults
                  : late_q && !failed_q ? JobTimedOut : JobOk;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      life_q  <= Parking;
      parks_q <= 1'b1;
      asked_q <= 1'b0;
      keeps_q <= 1'b0;
    end else begin
      if (written) {parks_q, asked_q} <= 2'b01;
      if (counts && fails && parks) begin
        asked_q <= 1'b0;
        life_q  <= life_q == Parking ? Free : Ended;
      end
      if (takes) life_q <= Loading;
      if (job) life_q <= job_status == JobOk ? Running : Ended;
      if (life_q == Running && counts && fails && !parks) begin
        life_q <= Ended;
      end else if (life_q == Running && (waits || clocks_q == 32'd4)) begin
        life_q  <= Ending;
        parks_q <= 1'b1;
      end
      if (answered) life_q <= Free;
      if (counts && !fails && has_room) keeps_q <= taken_q != '0;
      else if (int_beat && int_last) keeps_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (job) begin
      {failed_q, full_q, late_q} <= '0;
      {count_q, clocks_q, instructions_q} <= '0;
      {pointer_q, index_q, given_q} <= {job_start_i, job_index_i, job_status};
    end else begin
      if (life_q == Running) clocks_q <= clocks_q + 32'd1;
      if (life_q == Running && clocks_q == 32'd4 && !waits && !(counts && fails && !parks))
        late_q <= 1'b1;
      if (retires) {instructions_q, pointer_q} <= {instructions_q + 32'd1, retired_next_i};
      if (counts && fails && !parks) {failed_q, error_q} <= {1'b1, second_q[31:0]};
      if (counts && !fails && !has_room) full_q <= 1'b1;
      if (counts && !fails && has_room) begin
        count_q <= count;
        place_q <= count_q + 3'd1;
        if (count_q == 3'(result_q)) word_q <= {24'd0, second_q[39:0]};
      end
      if (keeps_q && int_beat) begin
        place_q <= place_q + 3'd1;
        if (place_q == 3'(result_q)) word_q <= int_data_i;
      end
    end
  end
  always_comb begin
    if (int_valid_i && taken_q == '0) assume (int_data_i[12:3] >= 10'd2);
    if (is_second) begin
      assume (int_data_i[55:48] < 8'(Contexts));
      if (int_data_i[55:48] != '0 && int_data_i[47:40] != '0) assume (length_q == 10'd2);
      if (int_data_i[55:48] == 8'(watched_q)) begin
        if (int_data_i[47:40] != '0 && int_data_i[30:16] == 15'h7FFF) assume (asked_q);
        else assume ((life_q == Running || life_q == Ending) && !failed_q);
      end
    end
    if (retires) assume (life_q == Running || life_q == Ending);
  end

  // ---- Replies ----------------------------------------------------------------------------------
  logic [3:0]  beats_q;    // beats sent of the current reply
  logic [31:0] rest_q;     // remaining bytes of its length
  logic        replies, beat;
  logic [2:0]  results;
  assign beat     = rpl_valid && rpl_ready_i;
  assign replies  = u_dut.reply_q == 2'(watched_q);  // (the design chooses the context)
  assign answered = beat && rpl_last && replies;
  assign results  = status == JobOk ? count_q : 3'd0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beats_q <= '0;
    else if (beat) begin
      beats_q <= rpl_last ? '0 : beats_q + 4'd1;
      rest_q  <= (beats_q == '0 ? rpl_data[31:0] : rest_q) - 32'd8;
    end
  end

  // Checks only the watched beat of the results, which is arbitrary.
  logic is_other;
  assign is_other = beats_q >= 4'd4 && !rpl_last && beats_q - 4'd4 != 4'(result_q);
  proof_stable #(.DataWidth(65)) u_reply (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(rpl_valid && replies), .ready_i(rpl_ready_i),
    .data_i({rpl_last, is_other ? 64'd0 : rpl_data})
  );

  // ---- How long offers are missing --------------------------------------------------------------
  logic [3:0] unanswered_q, unparked_q, unoffered_q, untaken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {unanswered_q, unparked_q, unoffered_q, untaken_q} <= '0;
    end else begin
      unanswered_q <= life_q == Ended && !rpl_valid ? unanswered_q + 4'd1 : '0;
      unparked_q   <= parks_q && !bus_valid ? unparked_q + 4'd1 : '0;
      unoffered_q  <= life_q == Free && !free_valid && !take_i ? unoffered_q + 4'd1 : '0;
      untaken_q    <= int_valid_i && !int_ready && !notice_valid ? untaken_q + 4'd1 : '0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      if (free_valid && free_context == watched_q) assert (life_q == Free);
      if (free_valid) assert (free_context == 4'd1 || free_context == 4'd2);
      if (bus_valid) assert (bus_value == 32'h0000_FFFF);
      if (bus_valid) assert (bus_address == {13'd0, bus_address[18:15], 15'(RegisterInstructionPointer)});
      if (bus_valid && bus_address[18:15] == watched_q) assert (parks_q);

      if (notice_valid) begin
        assert (passes_q);
        assert (notice_last == (sent_q + 10'd1 == length_q));
        assert (notice_data == (sent_q == '0 ? header_q : sent_q == 10'd1 ? second_q : int_data_i));
        if (sent_q >= 10'd2) assert (sent_q == taken_q && int_ready == notice_ready_i);
      end
      if (passes_q && (sent_q < 10'd2 || int_valid_i)) assert (notice_valid);
      if (passes_q && int_beat) assert (notice_valid && sent_q == taken_q);
      if (int_beat && taken_q == '0) assert (age_q == '0 && !passes_q);

      if (rpl_valid && replies) begin
        assert (life_q == Ended);
        assert (rpl_last == (beats_q != '0 && rest_q == 32'd8));
        if (beats_q == 4'd0)
          assert (rpl_data == {32'h8000_0201, 29'd5 + 29'(results), 3'd0});
        if (beats_q == 4'd1) assert (rpl_data == index_q);
        if (beats_q == 4'd2) assert (rpl_data == {instructions_q, pointer_q, 8'd0, status});
        if (beats_q == 4'd3) assert (rpl_data == {clocks_q, failed_q ? error_q : 32'd0});
        if (beats_q >= 4'd4 && !rpl_last && !is_other) assert (rpl_data == word_q);
        assert (error == (beats_q == 4'd0 && rpl_ready_i && status != JobOk));
      end

      assert (unanswered_q <= 4'd6 && unparked_q <= 4'd1 && unoffered_q <= 4'd1);
      assert (untaken_q <= 4'd3);

      cover (life_q == Ended && status == JobOk && count_q == 3'd2);
      cover (life_q == Ended && failed_q && late_q);
      cover (answered && status == JobTimedOut);
      cover (answered && status == JobResults);
      cover (answered && given_q == JobCorrupt);
      cover (passes_q && sent_q == 10'd2 && notice_valid && notice_last);
    end
  end

  // Covers and refutations use one of eight scenarios.
  if (!Invariants) begin : gen_story
    typedef enum logic [2:0] { Refused, Waits, Late, Spills, Stops, StopsLate, Notice, Fills } story_e;
    story_e      story_q;
    logic        first, runs, tells, stops;
    logic [9:0]  length;
    logic [63:0] second;
    formal_first u_first (.first_o(first));
    always_ff @(posedge clk_i) story_q <= story_q;
    // A program sends or stops in its first clocks; or it stops after its time.
    assign runs  = life_q == Running && clocks_q == '0;
    assign stops = story_q == Stops ? life_q == Running
                 : story_q == StopsLate && life_q == Ending && !failed_q;
    assign tells = story_q == Notice && life_q == Free;
    always_comb begin
      length = 10'd2;
      if (runs && story_q == Waits || tells) length = 10'd3;
      if (runs && story_q == Fills) length = 10'd4;
      if (runs && story_q == Spills) length = 10'd5;
      second = {16'h0001, 8'd0, 40'h1234567};  // an element
      if (asked_q) second = {16'h0001, 16'h0100, 32'hFFFF_0001};
      else if (stops) second = {16'h0001, 16'h0200, 32'h8005_0002};
      else if (life_q != Running && life_q != Ending) second = {16'h0000, 8'd0, 40'h89AB};
    end
    always_comb begin
      assume (rst_ni == !first && done_i && rpl_ready_i && notice_ready_i && watched_q == 4'd1);
      assume (take_i == (rst_ni && free_valid && !loading_q) && job_valid_i == loading_q);
      assume (job_index_i == 64'h0123_4567_89AB_CDEF && job_start_i == 16'd5);
      assume (job_status_i == (story_q == Refused ? 3'(JobCorrupt) : 3'(JobOk)));
      assume (retired_valid_i == (life_q == Running && clocks_q == 32'd1));
      assume (retired_context_i == 4'd1 && retired_next_i == 16'd6);
      assume (waits_valid_i == (story_q != Late && story_q != StopsLate && life_q == Running
                                && clocks_q == 32'd2));
      assume (waits_context_i == 4'd1);
      assume (int_valid_i == (taken_q != '0 || (age_q == '0 && !passes_q &&
              (asked_q || runs || tells || (stops && life_q == Ending)))));
      assume (int_data_i == (taken_q == '0 ? {32'h8000_0200, 19'd0, length, 3'd0}
                           : taken_q == 10'd1 ? second : {54'h5A5A, taken_q}));
    end
  end

  // ---- Invariants of design and specification; states as numbers ------------------------------
  if (Invariants) begin : gen_invariants
    localparam logic [2:0] TakeHeader = 3'd0, TakeSecond = 3'd1, TakeJudge = 3'd2, TakeKeep = 3'd3,
                           TakePass = 3'd4, TakeDrop = 3'd5;
    localparam logic [3:0] ReplyPick = 4'd1, ReplyCollect = 4'd2, ReplyHead = 4'd3, ReplyData = 4'd7,
                           ReplySum = 4'd8;
    logic [2:0] taking, state;
    logic [3:0] reply;
    logic       in_reply;
    logic [1:0] w;
    assign w        = 2'(watched_q);
    assign taking   = u_dut.take_q;
    assign state    = u_dut.states_q[w];
    assign reply    = u_dut.reply_state_q;
    assign in_reply = reply >= ReplyHead;
    always_comb begin
      if (rst_ni) begin
        // The context.
        assert (life_q <= Ended && state == 3'(life_q) + 3'd1);
        assert (u_dut.states_q[0] == 3'd0);
        for (int unsigned c = 1; c < 3; c++) begin
          assert (u_dut.states_q[c] >= 3'd1 && u_dut.states_q[c] <= 3'd6);
          assert ((u_dut.states_q[c] == 3'd3) == (loading_q && loading_context_q == context_t'(c)));
        end
        if (loading_q) assert (loading_context_q == 4'd1 || loading_context_q == 4'd2);
        if (free_valid) assert (u_dut.states_q[free_context[1:0]] == 3'd2);
        assert (!u_dut.parks_q[0] && u_dut.parks_q[w] == parks_q);
        if (parks_q || asked_q) assert (life_q == Parking || life_q == Ending);
        assert (!(parks_q && asked_q));
        if (life_q == Parking || life_q == Ending) assert (parks_q || asked_q);
        if (u_dut.parks_valid_q) assert (u_dut.parks_q[u_dut.park_q] && u_dut.park_q < 2'd3);
        if (life_q == Running || life_q == Ending || life_q == Ended) begin
          assert (u_dut.full_q[w] == full_q && u_dut.late_q[w] == late_q);
          assert (u_dut.error_valid_q[w] == failed_q);
          assert (u_dut.clocks[w] == clocks_q && u_dut.instructions[w] == instructions_q);
          assert (u_dut.pointers[w] == pointer_q && u_dut.indices[w] == index_q);
          assert (u_dut.statuses[w] == given_q && u_dut.counts_q[w] == 2'(count_q));
          assert (count_q <= 3'd3);
          if (failed_q) assert (u_dut.errors[w] == error_q);
        end
        if (life_q == Running || life_q == Ending) assert (given_q == JobOk);
        if (life_q == Running) assert (clocks_q <= 32'd4 && !late_q && !failed_q);

        // The interrupt.
        assert (taking <= TakeDrop);
        assert ((taking == TakeSecond) == (taken_q == 10'd1));
        assert ((taking == TakeJudge) == (age_q != '0));
        assert ((taking == TakePass) == passes_q);
        if (taking == TakeHeader) assert (taken_q == '0);
        if (taking == TakeKeep || taking == TakeDrop) assert (taken_q >= 10'd2 && !is_window);
        if (taken_q != '0 || age_q != '0 || passes_q)
          assert (length_q >= 10'd2 && u_dut.header_q == header_q && length_q == header_q[12:3]);
        if (taken_q != '0) assert (taken_q < length_q);
        if (age_q != '0 || passes_q || taken_q >= 10'd2) begin
          assert (second_q[55:48] < 8'(Contexts));
          assert (u_dut.second_q == second_q && u_dut.second_last_q == (length_q == 10'd2));
          if (!is_window && fails) assert (length_q == 10'd2);
        end
        if (age_q != '0) begin
          assert (taken_q == (length_q == 10'd2 ? 10'd0 : 10'd2));
          if (owns && fails && parks) assert (asked_q);
          else if (owns) assert ((life_q == Running || life_q == Ending) && !failed_q);
        end
        assert (u_dut.waited_q == (age_q == 2'd2) && u_dut.judged_q == (age_q == 2'd3));
        if (age_q >= 2'd2) begin
          assert (u_dut.owner_q == 3'd1 << second_q[49:48]);
          assert (u_dut.is_window_q == is_window && u_dut.stops_q == fails);
          assert (u_dut.parks_at_q == parks);
          if (owns && !fails) assert (u_dut.running_q && u_dut.count_q == 2'(count_q));
        end
        if (age_q == 2'd3 && owns && !fails) assert (u_dut.room_q == has_room);
        if (passes_q) begin
          assert (is_window && u_dut.sends_header_q == (sent_q == '0));
          assert (u_dut.sends_second_q == (sent_q < 10'd2) && sent_q < length_q);
          if (sent_q < 10'd2) assert (taken_q == (length_q == 10'd2 ? 10'd0 : 10'd2));
          else assert (taken_q == sent_q);
        end
        if (age_q == 2'd3) assert (u_dut.sends_second_q);

        // Results.
        if (keeps_q) begin
          assert (taking == TakeKeep && owns && !fails && (life_q == Running || life_q == Ending));
          assert (u_dut.keeps_q && u_dut.keeper_q == w && u_dut.place_q == 2'(place_q));
          assert (10'(place_q) + length_q == 10'(count_q) + taken_q && place_q < count_q);
        end
        if (taking == TakeKeep && !keeps_q) assert (!u_dut.keeps_q || u_dut.keeper_q != w);
        if ((life_q == Running || life_q == Ending || life_q == Ended)
            && 3'(result_q) < (keeps_q ? place_q : count_q))
          assert (u_dut.u_results.u_memory.words[{w, result_q}] == word_q);

        // The reply.
        assert (reply <= ReplySum);
        if (!in_reply) assert (beats_q == '0);
        if (in_reply && reply < ReplyData) assert (4'(beats_q) == reply - ReplyHead);
        if (reply == ReplyPick && u_dut.ready_q[w]) assert (life_q == Ended);
        assert (!u_dut.ready_q[0]);
        if (reply >= ReplyCollect) begin
          assert (u_dut.reply_q == 2'd1 || u_dut.reply_q == 2'd2);
          assert (u_dut.states_q[u_dut.reply_q] == 3'd6);
        end
        if (reply >= ReplyHead && reply < ReplyData || reply <= ReplyPick) assert (u_dut.wait_q == '0);
        if (reply == ReplyCollect && replies && u_dut.wait_q >= 2'd1) assert (u_dut.status_q == status);
        if (reply == ReplyCollect && replies && u_dut.wait_q >= 2'd2)
          assert (u_dut.left_q == 2'(results));
        if (in_reply && reply < ReplyData && replies) assert (u_dut.left_q == 2'(results));
        if (in_reply && reply < ReplyData) assert (u_dut.read_q == '0);
        if (in_reply && replies) begin
          assert (u_dut.status_q == status && u_dut.index_q == index_q);
          assert (u_dut.error_q == (failed_q ? error_q : 32'd0));
          assert (u_dut.clocks_q == clocks_q && u_dut.instructions_q == instructions_q);
          assert (u_dut.pointer_q == pointer_q);
        end
        if (replies && (reply == ReplyHead || reply == ReplyCollect && u_dut.wait_q == 2'd3))
          assert (u_dut.length_q == {25'd0, 4'd5 + 4'(results), 3'd0});
        if (replies && reply > ReplyHead && reply < ReplyData)
          assert (rest_q == {25'd0, 4'd5 + 4'(results) - beats_q, 3'd0});
        if (reply == ReplyData) begin
          assert (u_dut.left_q != '0);
          if (replies) assert (rest_q == {25'd0, 4'(u_dut.left_q) + 4'd1, 3'd0});
          if (replies) assert (beats_q == 4'd4 + 4'(u_dut.read_q));
          if (replies) assert (3'(u_dut.left_q) + 3'(u_dut.read_q) == results);
          if (replies && u_dut.wait_q >= 2'd1 && u_dut.read_q == result_q)
            assert (u_dut.u_results.u_memory.word_q == word_q);
          if (replies && u_dut.wait_q >= 2'd2 && u_dut.read_q == result_q)
            assert (u_dut.result == word_q);
        end
        if (replies && reply == ReplySum) assert (rest_q == 32'd8 && beats_q >= 4'd4);

        // Missing offers.
        if (unparked_q != '0) assert (bus_valid);
        if (unoffered_q != '0) assert (free_valid);
        if (age_q != '0) assert (untaken_q < 4'(age_q));
        if (reply <= ReplyPick) assert (unanswered_q <= 4'(reply));
        if (reply == ReplyPick && unanswered_q != '0) assert (u_dut.ready_q[w]);
        if (reply == ReplyCollect) assert (unanswered_q <= 4'd2 + 4'(u_dut.wait_q));
        if (reply > ReplyHead && reply < ReplyData) assert (unanswered_q == '0);
        if (reply >= ReplyData) assert (unanswered_q <= 4'(u_dut.wait_q));
      end
    end
  end

  logic unused;
  assign unused = memory_error;
endmodule
