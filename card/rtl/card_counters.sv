// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// card_counters: the activity and the waiting times of the card since the hardware reset. 32-bit
// counters wrap. Events are registered and counted a clock later, because their sources are at the
// ends of long paths.
module card_counters #(
  parameter int unsigned BusyBits = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                frame_taken_i,
  input  logic                frame_sent_i,
  input  logic [1:0]          frame_ignored_i,    // by the decoder, by an engine
  input  logic                engine_error_i,
  input  logic [BusyBits-1:0] multiplier_busy_i,  // products issued in this clock
  input  logic                reply_stalled_i,    // a beat of a reply waits

  output logic [63:0]         clocks_o,
  output logic [63:0]         multiplier_busy_o,
  output logic [63:0]         replies_stalled_o,
  output logic [31:0]         frames_in_o,
  output logic [31:0]         frames_out_o,
  output logic [31:0]         frames_ignored_o,
  output logic [31:0]         engine_errors_o
);
  typedef struct packed {
    logic                frame_taken;
    logic                frame_sent;
    logic [1:0]          frame_ignored;
    logic                engine_error;
    logic [BusyBits-1:0] multiplier_busy;
    logic                reply_stalled;
  } events_t;

  events_t events_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) events_q <= '0;
    else events_q <= '{
      frame_taken: frame_taken_i, frame_sent: frame_sent_i, frame_ignored: frame_ignored_i,
      engine_error: engine_error_i, multiplier_busy: multiplier_busy_i,
      reply_stalled: reply_stalled_i
    };
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clocks_o <= '0;
      multiplier_busy_o <= '0;
      replies_stalled_o <= '0;
      frames_in_o <= '0;
      frames_out_o <= '0;
      frames_ignored_o <= '0;
      engine_errors_o <= '0;
    end else begin
      clocks_o <= clocks_o + 64'd1;
      multiplier_busy_o <= multiplier_busy_o + 64'(events_q.multiplier_busy);
      replies_stalled_o <= replies_stalled_o + 64'(events_q.reply_stalled);
      frames_in_o <= frames_in_o + 32'(events_q.frame_taken);
      frames_out_o <= frames_out_o + 32'(events_q.frame_sent);
      frames_ignored_o <= frames_ignored_o + 32'(events_q.frame_ignored[0])
          + 32'(events_q.frame_ignored[1]);
      engine_errors_o <= engine_errors_o + 32'(events_q.engine_error);
    end
  end
endmodule
