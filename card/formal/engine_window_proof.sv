// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_window_proof: the counters of requests, replies, errors and blocked clocks include all
// events up to the clock before last. A read of a counter's low word returns it, and a read of its
// high word returns the value at this requester's last read of a low word here. An event that
// raises an interrupt sets its bit, and only a written 1 clears it; interrupt_o reports the enabled
// ones. The watchdog reports each wait without progress of the set number of clocks once, and no
// shorter wait. An access to an address outside the window, or while the engine is not enabled,
// finds no register.
module engine_window_proof
  import card_pkg::*;
#(
  parameter int unsigned Port = 3,
  parameter bit Invariants = 1'b1
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            enabled_i,
  input engine_report_t  report_i,
  input logic            request_valid_i,
  input logic            request_ready_i,
  input logic            request_last_i,
  input logic            reply_valid_i,
  input logic            reply_ready_i,
  input logic            reply_last_i,
  input logic            timed_out_i,
  input logic            access_valid_i,
  input window_request_t access_i
);
  window_reply_t access;
  logic          interrupt;
  logic [MostCounters-1:0][63:0] counters;

  engine_window #(.Port(Port)) u_dut (
    .clk_i, .rst_ni, .enabled_i, .report_i, .request_valid_i, .request_ready_i, .request_last_i,
    .reply_valid_i, .reply_ready_i, .reply_last_i, .timed_out_i, .access_valid_i, .access_i,
    .access_o(access), .counters_o(counters), .interrupt_o(interrupt)
  );

  proof_reset u_reset (.rst_ni);

  // ---- the access one and two clocks before ----
  logic            here, here_q, answered_q;
  window_request_t access_q, answer_q;
  assign here = enabled_i && access_valid_i && access_i.address[31:12] == 20'(Windows[Port]);

  // ---- the events, one and two clocks before ----
  logic        error_q, ignored_q, flipped_q, timed_out_q, busy_q, was_busy_q, moves, moves_q;
  logic [63:0] requests_q, requests_qq, errors_q, errors_qq;
  logic [31:0] idle_clocks_q;  // without progress, with a request in the engine
  logic [1:0][31:0] frozen_q;
  logic [31:0] value_q;
  logic        is_number_q;    // the value read is one of the numbers that are checked here
  logic [Interrupts-1:0] pending_q, enable_q, raised, cleared;
  logic [31:0] watchdog_q;
  logic        stalls, stalls_q, interrupt_q;

  assign moves = (request_valid_i && request_ready_i) || (reply_valid_i && reply_ready_i)
      || report_i.idle || report_i.ignored;
  assign stalls = watchdog_q != '0 && idle_clocks_q == watchdog_q && !moves_q;
  always_comb begin
    raised = '0;
    raised[InterruptError] = error_q;
    raised[InterruptIgnored] = ignored_q;
    raised[InterruptIdle] = was_busy_q && !busy_q;
    raised[InterruptStalled] = stalls_q;
    raised[InterruptMemoryError] = flipped_q;
    raised[InterruptTimedOut] = timed_out_q;
    cleared = '0;
    if (here_q && access_q.write && access_q.address[11:0] == WindowInterruptPending) begin
      cleared = access_q.value[Interrupts-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {flipped_q, timed_out_q} <= '0;
      {here_q, answered_q, error_q, ignored_q, busy_q, was_busy_q, moves_q} <= '0;
      {access_q, answer_q, value_q, is_number_q} <= '0;
      {requests_q, requests_qq, errors_q, errors_qq, idle_clocks_q, frozen_q} <= '0;
      {pending_q, enable_q, watchdog_q, stalls_q, interrupt_q} <= '0;
    end else begin
      {here_q, access_q} <= {here, access_i};
      {answered_q, answer_q} <= {here_q, access_q};
      error_q <= report_i.error;
      ignored_q <= report_i.ignored;
      flipped_q <= report_i.memory_error;
      timed_out_q <= timed_out_i;
      {busy_q, was_busy_q} <= {!report_i.idle, busy_q};
      moves_q <= moves;
      requests_q <= requests_q + 64'(request_valid_i && request_ready_i && request_last_i);
      errors_q <= errors_q + 64'(report_i.error);
      {requests_qq, errors_qq} <= {requests_q, errors_q};
      idle_clocks_q <= moves_q ? '0 : idle_clocks_q + 32'(idle_clocks_q != '1);
      stalls_q <= stalls;
      interrupt_q <= (pending_q & enable_q) != '0;

      // An access is carried out one clock after it comes, and answered in the next clock.
      is_number_q <= 1'b0;
      if (here_q && !access_q.write) begin
        is_number_q <= 1'b1;
        case (access_q.address[11:0])
          WindowRequests: value_q <= requests_qq[31:0];
          WindowErrors: value_q <= errors_qq[31:0];
          WindowRequests + 12'd4, WindowErrors + 12'd4: value_q <= frozen_q[access_q.requester];
          WindowInterruptPending: value_q <= 32'(pending_q);
          WindowInterruptEnable: value_q <= 32'(enable_q);
          WindowWatchdog: value_q <= watchdog_q;
          default: is_number_q <= 1'b0;
        endcase
        case (access_q.address[11:0])
          WindowRequests: frozen_q[access_q.requester] <= requests_qq[63:32];
          WindowErrors: frozen_q[access_q.requester] <= errors_qq[63:32];
          default: ;
        endcase
      end
      pending_q <= (pending_q & ~cleared) | raised;
      if (here_q && access_q.write) begin
        case (access_q.address[11:0])
          WindowInterruptEnable: enable_q <= access_q.value[Interrupts-1:0];
          WindowWatchdog: watchdog_q <= access_q.value;
          default: ;
        endcase
      end
    end
  end

  always_comb begin
    // The other counters share the frozen high words; the proof leaves them out.
    assume (!rst_ni || !here_q || access_q.write || access_q.address[11:0] < WindowBusy
            || access_q.address[11:0] == WindowRequests || access_q.address[11:0] == WindowErrors
            || access_q.address[2]);
    if (rst_ni) begin
      assert (answered_q || access == '0);
      assert (!is_number_q || (access.exists && !access.refused && access.value == value_q));
      assert (!(answered_q && answer_q.write && answer_q.address[11:0] == WindowRequests)
              || (access.exists && access.refused));
      assert (interrupt == interrupt_q);

      cover (interrupt && stalls_q);
      cover (is_number_q && access.value == 32'd2 && answer_q.address[11:0] == WindowRequests);
      cover (pending_q[InterruptIdle] && pending_q[InterruptError] && !interrupt);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.pending_q == pending_q);
        assert (u_dut.enable_q == enable_q);
        assert (u_dut.watchdog_q == watchdog_q);
        assert (u_dut.waited_q == idle_clocks_q);
        assert (u_dut.stalled_q == stalls_q);
        assert (u_dut.frozen_q == frozen_q);
        assert (u_dut.count_q[4] == requests_qq);
        assert (u_dut.count_q[3] == errors_qq);
      end
    end
  end
endmodule
