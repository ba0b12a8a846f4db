// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_crossing: the connection between the shell and an engine on another die (SLR) of the FPGA:
// Stages registers in each direction for requests, replies, the soft reset and the engine's report.
// Between the two ends, near (the shell) and far (the engine), there are only registers and wires.
// Stages = 0 is wires.
//
// A request or a reply takes Stages + 2 more clocks. The shell's soft reset lasts 16 clocks, in
// which everything in transit must arrive, so Stages is at most 6. The engine's idle is passed on
// when the engine and the request path have been idle for four clocks: no beat is in transit then.
module engine_crossing
  import card_pkg::*;
#(
  parameter int unsigned Stages = 0,
  parameter int unsigned RequestBits = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   near_soft_reset_i,
  input  logic                   near_request_valid_i,
  output logic                   near_request_ready_o,
  input  logic [RequestBits-1:0] near_request_data_i,
  input  logic                   near_request_last_i,
  output logic                   near_reply_valid_o,
  input  logic                   near_reply_ready_i,
  output logic [63:0]            near_reply_data_o,
  output logic                   near_reply_last_o,
  output engine_report_t         near_report_o,

  output logic                   far_soft_reset_o,
  output logic                   far_request_valid_o,
  input  logic                   far_request_ready_i,
  output logic [RequestBits-1:0] far_request_data_o,
  output logic                   far_request_last_o,
  input  logic                   far_reply_valid_i,
  output logic                   far_reply_ready_o,
  input  logic [63:0]            far_reply_data_i,
  input  logic                   far_reply_last_i,
  input  engine_report_t         far_report_i
);
  localparam int unsigned IdleClocks = 4;

  if (Stages > 6) begin : gen_bad_stages
    $error("engine_crossing: Stages = %0d is above 6", Stages);
  end

  logic requests_idle, replies_idle, replies_clear;

  stream_stages #(.DataWidth(RequestBits + 1), .Stages(Stages)) u_requests (
    .clk_i, .rst_ni, .clear_i(near_soft_reset_i), .far_clear_o(far_soft_reset_o),
    .in_valid_i(near_request_valid_i), .in_ready_o(near_request_ready_o),
    .in_data_i({near_request_last_i, near_request_data_i}),
    .out_valid_o(far_request_valid_o), .out_ready_i(far_request_ready_i),
    .out_data_o({far_request_last_o, far_request_data_o}), .idle_o(requests_idle)
  );

  // Replies are completed across a soft reset.
  stream_stages #(.DataWidth(65), .Stages(Stages)) u_replies (
    .clk_i, .rst_ni, .clear_i(1'b0), .far_clear_o(replies_clear),
    .in_valid_i(far_reply_valid_i), .in_ready_o(far_reply_ready_o),
    .in_data_i({far_reply_last_i, far_reply_data_i}),
    .out_valid_o(near_reply_valid_o), .out_ready_i(near_reply_ready_i),
    .out_data_o({near_reply_last_o, near_reply_data_o}), .idle_o(replies_idle)
  );

  if (Stages == 0) begin : gen_wires
    assign near_report_o = far_report_i;

    logic unused;
    assign unused = ^{requests_idle, replies_idle, replies_clear};
  end else begin : gen_report
    localparam int unsigned Told = $bits(far_report_i.events) + 3;
    (* shreg_extract = "no" *) logic [Stages-1:0][Told-1:0] told_q;
    (* shreg_extract = "no" *) logic [Stages-1:0]           idle_q;
    logic [IdleClocks-1:0] was_idle_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        told_q <= '0;
        idle_q <= '1;
        was_idle_q <= '1;
      end else begin
        told_q[0] <= {far_report_i.error, far_report_i.ignored, far_report_i.memory_error,
                      far_report_i.events};
        idle_q[0] <= far_report_i.idle && replies_idle;
        for (int unsigned i = 1; i < Stages; i++) begin
          told_q[i] <= told_q[i-1];
          idle_q[i] <= idle_q[i-1];
        end
        was_idle_q <= IdleClocks'({was_idle_q, idle_q[Stages-1] && requests_idle});
      end
    end

    always_comb begin
      near_report_o = far_report_i;  // the shape is constant
      {near_report_o.error, near_report_o.ignored, near_report_o.memory_error,
       near_report_o.events} = told_q[Stages-1];
      near_report_o.idle = was_idle_q == '1 && requests_idle && !near_request_valid_i;
    end

    logic unused;
    assign unused = replies_clear;
  end
endmodule
