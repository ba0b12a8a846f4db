// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_write_queue: holds rows of a unit whose writes cannot wait, until ckks_scratchpad takes
// them.
//
// hold_o keeps the unit from reading while the queue has less room than the rows that earlier reads
// may still produce: InFlight rows, one a clock. No row is therefore lost, whatever else uses the
// partition. in_last_i marks the last row of a job; done_valid_o reports that it has been written.
// A row is offered two clocks after it comes.
module ckks_write_queue
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes    = 3,
  parameter  int unsigned AddressBits = 12,
  parameter  int unsigned InFlight    = 22,  // clocks from a read to its last write, at the most
  parameter  int unsigned Depth       = 32,
  localparam int unsigned Lanes       = 1 << LogLanes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   hold_o,

  input  logic                   in_valid_i,
  input  logic                   in_last_i,
  input  logic [AddressBits-1:0] in_row_i,
  input  residue_t [Lanes-1:0]   in_word_i,

  output logic                   write_valid_o,
  input  logic                   write_ready_i,
  output logic [AddressBits-1:0] write_row_o,
  output residue_t [Lanes-1:0]   write_word_o,
  output logic                   done_valid_o,
  output logic                   memory_error_o  // a word with a flipped bit
);
  localparam int unsigned LevelBits = $clog2(Depth + 1);
  if (Depth <= InFlight) begin : gen_bad_depth
    $error("ckks_write_queue: Depth is more than InFlight");
  end

  logic                 in_ready, last, writes;
  logic [LevelBits-1:0] level_q;
  stream_fifo #(.DataWidth(1 + AddressBits + ResidueBits * Lanes), .Depth(Depth)) u_rows (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i, .in_ready_o(in_ready),
    .in_data_i({in_last_i, in_row_i, in_word_i}), .out_valid_o(write_valid_o),
    .out_ready_i(write_ready_i), .out_data_o({last, write_row_o, write_word_o}),
    .memory_error_o
  );
  assign writes = write_valid_o && write_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q      <= '0;
      hold_o       <= 1'b0;
      done_valid_o <= 1'b0;
    end else begin
      level_q      <= level_q + LevelBits'(in_valid_i) - LevelBits'(writes);
      // A clock late: one row more.
      hold_o       <= level_q >= LevelBits'(Depth - InFlight);
      done_valid_o <= writes && last;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) assert (!rst_ni || !in_valid_i || in_ready);
`else
  logic unused;
  assign unused = in_ready;
`endif
endmodule
