// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls12_381_port: bls_engine with the interface of an engine in the card's shell
// (docs/adding-an-engine.md).
//
//   requests -> bls_engine -> stream_checksum -> slice -> frame fifo -> replies
//
// Replies are in the order in which programs end, and are sent when they are complete.
module bls12_381_port #(
  parameter int unsigned Contexts         = 16,
  parameter int unsigned WindowContexts   = 1,
  parameter int unsigned LogProgramClocks = 26,
  parameter int unsigned TileA            = 26,
  parameter int unsigned TileB            = 17
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        soft_reset_i,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,

  output logic [2:0]  events_o,  // the manifest's counters: starved, instructions, products
  output logic [0:0][31:0] shape_o,
  output logic        error_o,
  output logic        ignored_o,
  output logic        memory_error_o,
  output logic        idle_o
);
  localparam int unsigned LongestReply = 1024;  // beats

  logic        inner_rst_n, request_valid, request_ready, owes, memory_error;
  logic        none_owed, contexts_idle;
  logic        reply_valid, reply_ready, reply_last;
  logic [63:0] reply_data;

  engine_shell #(.Depth(LongestReply), .Registered(1'b1)) u_shell (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o, .rpl_valid_o, .rpl_ready_i, .rpl_data_o, .rpl_last_o,
    .idle_o(none_owed), .memory_error_o, .memory_error_i(memory_error),
    .inner_rst_no(inner_rst_n),
    .request_valid_o(request_valid), .request_ready_i(request_ready), .owed_i(owes),
    .reply_valid_i(reply_valid), .reply_ready_o(reply_ready),
    .reply_data_i(reply_data), .reply_last_i(reply_last)
  );

  // A reply is owed from the first beat of its request, a notice from its first beat. If both begin
  // in one clock, the notice is counted a clock later, when it cannot have ended yet.
  logic inside_q, begins, notice, owes_notice_q;
  assign begins = request_valid && request_ready && !inside_q;
  assign owes   = begins || owes_notice_q;
  always_ff @(posedge clk_i or negedge inner_rst_n) begin
    if (!inner_rst_n) begin
      inside_q      <= 1'b0;
      owes_notice_q <= 1'b0;
    end else begin
      if (request_valid && request_ready) inside_q <= !req_last_i;
      owes_notice_q <= notice || (owes_notice_q && begins);
    end
  end

  logic        out_valid, out_ready, out_last, sums;
  logic [63:0] out_data;
  logic starved, retired, mul_busy;
  bls_engine #(
    .Contexts(Contexts), .WindowContexts(WindowContexts), .LogProgramClocks(LogProgramClocks),
    .TileA(TileA), .TileB(TileB)
  ) u_engine (
    .clk_i, .rst_ni(inner_rst_n),
    .req_valid_i(request_valid), .req_ready_o(request_ready), .req_data_i, .req_last_i,
    .rpl_valid_o(out_valid), .rpl_ready_i(out_ready), .rpl_data_o(out_data), .rpl_last_o(out_last),
    .rpl_checksum_o(sums),
    .notice_o(notice), .starved_o(starved), .retired_o(retired), .mul_busy_o(mul_busy),
    .idle_o(contexts_idle), .error_o, .memory_error_o(memory_error)
  );

  logic        summed_valid, summed_ready, summed_last;
  logic [63:0] summed;
  stream_checksum u_checksum (
    .clk_i, .rst_ni(inner_rst_n),
    .in_valid_i(out_valid), .in_ready_o(out_ready), .in_data_i(out_data), .in_last_i(out_last),
    .in_sum_i(sums),
    .out_valid_o(summed_valid), .out_ready_i(summed_ready), .out_data_o(summed),
    .out_last_o(summed_last)
  );
  // Keeps the checksum off the paths of the queue's pointers.
  stream_skid #(.DataWidth(65)) u_reply_slice (
    .clk_i, .rst_ni(inner_rst_n), .clear_i(1'b0),
    .in_valid_i(summed_valid), .in_ready_o(summed_ready), .in_data_i({summed_last, summed}),
    .out_valid_o(reply_valid), .out_ready_i(reply_ready), .out_data_o({reply_last, reply_data})
  );

  assign events_o  = {starved, retired, mul_busy};
  assign shape_o   = {8'(bls_coprocessor_isa_pkg::Version), 8'd0, 8'(WindowContexts), 8'(Contexts)};
  assign ignored_o = 1'b0;
  // (A context of the window may run and send interrupts while no reply is owed.)
  assign idle_o    = none_owed && contexts_idle;
endmodule
