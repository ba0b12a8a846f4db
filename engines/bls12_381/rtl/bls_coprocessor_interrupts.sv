// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_interrupts: the queue of replies to the host. The sequencer begins a reply only
// if room_o says that the longest one fits, and then writes its beats without a handshake.
module bls_coprocessor_interrupts
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Depth = 256  // beats, more than LongestInterrupt
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        write_valid_i,
  input  logic [63:0] write_data_i,
  input  logic        write_last_i,
  output logic        room_o,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,
  output logic        memory_error_o
);
  localparam int unsigned CountBits = $clog2(Depth + 2);
  logic [CountBits-1:0] count_q;
  logic                 ready, taken;
  assign taken = rpl_valid_o && rpl_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      room_o  <= 1'b1;
    end else begin
      count_q <= count_q + CountBits'(write_valid_i) - CountBits'(taken);
      // (One beat may be written in the clock of this comparison.)
      room_o  <= 32'(count_q) + LongestInterrupt + 1 <= Depth;
    end
  end

  stream_fifo #(
    .DataWidth(65),
    .Depth    (Depth)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .clear_i       (1'b0),
    .in_valid_i    (write_valid_i),
    .in_ready_o    (ready),
    .in_data_i     ({write_last_i, write_data_i}),
    .out_valid_o   (rpl_valid_o),
    .out_ready_i   (rpl_ready_i),
    .out_data_o    ({rpl_last_o, rpl_data_o}),
    .memory_error_o
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) assert (!rst_ni || ready || !write_valid_i);
`else
  logic unused_ready;
  assign unused_ready = ready;
`endif
endmodule
