// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_window: the 4 KiB of registers of the engine at a port (docs/card.md, *Windows*): its
// shape; how long it was busy, starved and blocked; its requests, replies and errors; its own
// counters; its interrupts; and a watchdog for its progress. (timed_out_i: engine_guard.)
//
// The register file holds an access. Its register is decoded in the next clock, and access_o
// returns the answer in the clock after: zero if the address is not in this window or the engine is
// not enabled. Reading the low word of a counter freezes its high word for that requester until the
// requester reads another low word here. Events are counted one clock late. interrupt_o is high
// while an enabled interrupt is pending.
module engine_window
  import card_pkg::*;
#(
  parameter int unsigned Port = 0,
  parameter int unsigned QueueBytes = 4096
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           enabled_i,

  input  engine_report_t report_i,
  input  logic           request_valid_i,
  input  logic           request_ready_i,
  input  logic           request_last_i,
  input  logic           reply_valid_i,
  input  logic           reply_ready_i,
  input  logic           reply_last_i,
  input  logic           timed_out_i,

  input  logic            access_valid_i,
  input  window_request_t access_i,
  output window_reply_t   access_o,

  output logic [MostCounters-1:0][63:0] counters_o,
  output logic           interrupt_o
);
  localparam int unsigned Own = int'(CounterCount[Port]);
  localparam int unsigned Words = int'(ShapeWords[Port]);

  // ---- events ----
  typedef struct packed {
    logic time_outs;
    logic memory_errors;
    logic replies;
    logic requests;
    logic errors;
    logic blocked;
    logic starved;
    logic busy;
  } events_t;
  localparam int unsigned Common = $bits(events_t);
  localparam int unsigned Counters = Common + Own;
  // Offsets of the low words, the common ones in the order of events_t.
  localparam logic [Common-1:0][11:0] CommonAt = {
    WindowTimeOuts, WindowMemoryErrors, WindowReplies, WindowRequests, WindowErrors,
    WindowBlocked, WindowStarved, WindowBusy
  };

  events_t events, events_q;
  logic    progress, progress_q, ignored_q, was_busy_q, stalled_q;
  logic [MostCounters-1:0][MostCounterBits-1:0] own_events_q;

  assign events = '{
    busy: !report_i.idle, starved: request_ready_i && !request_valid_i,
    blocked: reply_valid_i && !reply_ready_i, errors: report_i.error,
    requests: request_valid_i && request_ready_i && request_last_i,
    replies: reply_valid_i && reply_ready_i && reply_last_i,
    memory_errors: report_i.memory_error, time_outs: timed_out_i
  };
  assign progress = (request_valid_i && request_ready_i) || (reply_valid_i && reply_ready_i)
      || report_i.idle || report_i.ignored;

  logic [Counters-1:0][63:0] count_q;
  for (genvar i = 0; i < MostCounters; i++) begin : gen_counter
    if (i < Own) begin : gen_own
      assign counters_o[i] = count_q[Common+i];
    end else begin : gen_none
      assign counters_o[i] = '0;
      logic unused;
      assign unused = ^own_events_q[i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      events_q <= '0;
      own_events_q <= '0;
      {progress_q, ignored_q, was_busy_q} <= '0;
      count_q <= '0;
    end else begin
      events_q <= events;
      own_events_q <= report_i.events;
      progress_q <= progress;
      ignored_q <= report_i.ignored;
      was_busy_q <= events_q.busy;
      for (int unsigned i = 0; i < Common; i++) begin
        count_q[i] <= count_q[i] + 64'(events_q[i]);
      end
      for (int unsigned i = 0; i < Own; i++) begin
        count_q[Common+i] <= count_q[Common+i] + 64'(own_events_q[i]);
      end
    end
  end

  // ---- the access: which register ----
  typedef struct packed {
    logic                valid;
    logic                requester;
    logic                write;
    logic [31:0]         value;
    logic                is_engine;
    logic                is_enable;
    logic                is_pending;
    logic                is_watchdog;
    logic                is_queue;
    logic [Words-1:0]    is_shape;
    logic [Counters-1:0] is_low;
    logic [Counters-1:0] is_high;
  } found_t;

  function automatic logic [11:0] offset_of(int unsigned counter);
    return counter < Common ? CommonAt[counter % Common]
                            : WindowCounters + 12'(8 * (counter - Common));
  endfunction

  logic        here;
  logic [11:0] offset;
  found_t      found, found_q;
  assign here = enabled_i && access_valid_i && access_i.address[31:12] == 20'(Windows[Port]);
  assign offset = access_i.address[11:0];

  always_comb begin
    found = '{
      valid: here, requester: access_i.requester, write: access_i.write, value: access_i.value,
      is_engine: offset == WindowEngine, is_enable: offset == WindowInterruptEnable,
      is_pending: offset == WindowInterruptPending, is_watchdog: offset == WindowWatchdog,
      is_queue: offset == WindowQueueBytes,
      default: '0
    };
    for (int unsigned i = 0; i < Words; i++) found.is_shape[i] = offset == WindowShape + 12'(4 * i);
    for (int unsigned i = 0; i < Counters; i++) begin
      found.is_low[i] = offset == offset_of(i);
      found.is_high[i] = offset == offset_of(i) + 12'd4;
    end
  end

  // ---- its value ----
  logic [Interrupts-1:0] enable_q, pending_q, raised;
  logic [31:0]           watchdog_q, waited_q, value;
  logic [1:0][31:0]      frozen_q;
  logic                  writes, exists, writable;

  assign writes = found_q.valid && found_q.write;
  assign writable = found_q.is_enable || found_q.is_pending || found_q.is_watchdog;
  assign exists = writable || |{found_q.is_engine, found_q.is_queue, found_q.is_shape, found_q.is_low,
                                found_q.is_high};

  always_comb begin
    value = {8'd0, 8'(Own), 8'(Words), 8'(Port)} & {32{found_q.is_engine}};
    value |= 32'(enable_q) & {32{found_q.is_enable}};
    value |= 32'(pending_q) & {32{found_q.is_pending}};
    value |= watchdog_q & {32{found_q.is_watchdog}};
    value |= QueueBytes & {32{found_q.is_queue}};
    value |= frozen_q[found_q.requester] & {32{|found_q.is_high}};
    for (int unsigned i = 0; i < Words; i++) value |= report_i.shape[i] & {32{found_q.is_shape[i]}};
    for (int unsigned i = 0; i < Counters; i++) value |= count_q[i][31:0] & {32{found_q.is_low[i]}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_q <= '0;
      frozen_q <= '0;
      access_o <= '0;
    end else begin
      found_q <= found;
      access_o <= '{
        exists: found_q.valid && exists,
        refused: writes && exists && !writable,
        value: found_q.valid && !found_q.write ? value : '0
      };
      for (int unsigned i = 0; i < Counters; i++) begin
        if (found_q.valid && !found_q.write && found_q.is_low[i]) begin
          frozen_q[found_q.requester] <= count_q[i][63:32];
        end
      end
    end
  end

  // ---- interrupts and the watchdog ----
  always_comb begin
    raised = '0;
    raised[InterruptError] = events_q.errors;
    raised[InterruptIgnored] = ignored_q;
    raised[InterruptIdle] = was_busy_q && !events_q.busy;
    raised[InterruptStalled] = stalled_q;
    raised[InterruptMemoryError] = events_q.memory_errors;
    raised[InterruptTimedOut] = events_q.time_outs;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= '0;
      pending_q <= '0;
      watchdog_q <= '0;
      waited_q <= '0;
      stalled_q <= 1'b0;
      interrupt_o <= 1'b0;
    end else begin
      if (writes && found_q.is_enable) enable_q <= found_q.value[Interrupts-1:0];
      if (writes && found_q.is_watchdog) watchdog_q <= found_q.value;
      pending_q <= (pending_q
          & ~(found_q.value[Interrupts-1:0] & {Interrupts{writes && found_q.is_pending}})) | raised;
      interrupt_o <= (enable_q & pending_q) != '0;
      waited_q <= progress_q ? '0 : waited_q + 32'(waited_q != '1);
      // One pulse per wait, in the clock in which the number is reached.
      stalled_q <= watchdog_q != '0 && waited_q == watchdog_q && !progress_q;
    end
  end
endmodule
