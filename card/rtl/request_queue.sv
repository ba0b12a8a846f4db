// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// request_queue: the beats of requests that wait for one engine, so that a blocked engine does not
// block others until Depth beats wait for it.
//
// One beat per clock in and out; a beat is offered two clocks after it came in. idle_o is high
// while the queue is empty. clear_i empties it (a soft reset).
module request_queue #(
  parameter int unsigned DataWidth = 65,
  parameter int unsigned Depth = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 memory_error_o,
  output logic                 idle_o
);
  // Beats in the queue and in its output register.
  localparam int unsigned CountBits = $clog2(Depth + 2);
  logic [CountBits-1:0] count_q;
  logic                 comes, goes;

  assign comes  = in_valid_i && in_ready_o;
  assign goes   = out_valid_o && out_ready_i;
  assign idle_o = count_q == '0;

  stream_fifo #(.DataWidth(DataWidth), .Depth(Depth)) u_fifo (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i, .in_ready_o, .in_data_i, .out_valid_o, .out_ready_i, .out_data_o, .memory_error_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else count_q <= count_q + CountBits'(comes) - CountBits'(goes);
  end
endmodule
