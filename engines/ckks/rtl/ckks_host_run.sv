// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_host_run: the queue of jobs for the core. A job is submitted with the index of its request;
// result_* reports how it ended, and the next one begins when that is taken.
module ckks_host_run
  import ckks_isa_pkg::*;
#(
  parameter int unsigned MemoryBits = 34,
  parameter int unsigned Waiting    = 4  // jobs besides the one in the core
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  run_valid_i,
  output logic                  run_ready_o,
  input  logic [63:0]           run_index_i,
  input  logic [MemoryBits-1:0] run_address_i,

  output logic                  start_valid_o,
  input  logic                  start_ready_i,
  output logic [MemoryBits-1:0] start_address_o,
  input  logic                  done_valid_i,
  input  fault_e                done_code_i,
  input  logic [31:0]           done_number_i,
  input  logic [31:0]           done_clocks_i,

  output logic                  result_valid_o,
  input  logic                  result_ready_i,
  output logic [63:0]           result_index_o,
  output fault_e                result_code_o,
  output logic [31:0]           result_number_o,
  output logic [31:0]           result_clocks_o,

  output logic                  running_o,      // a job is in the core
  output logic                  memory_error_o  // of the queue: a word with a flipped bit
);
  typedef enum logic [1:0] {StateIdle, StateStart, StateRun, StateTell} state_e;
  state_e                state_q;
  logic                  next_valid, next_ready;
  logic [63:0]           next_index;
  logic [MemoryBits-1:0] next_address;
  stream_fifo #(.DataWidth(64 + MemoryBits), .Depth(Waiting)) u_waiting (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(run_valid_i), .in_ready_o(run_ready_o),
    .in_data_i({run_index_i, run_address_i}), .out_valid_o(next_valid), .out_ready_i(next_ready),
    .out_data_o({next_index, next_address}), .memory_error_o
  );
  assign next_ready     = state_q == StateIdle;
  assign start_valid_o  = state_q == StateStart;
  assign result_valid_o = state_q == StateTell;
  assign running_o      = state_q == StateRun;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StateIdle;
    else begin
      unique case (state_q)
        StateIdle:  if (next_valid) state_q <= StateStart;
        StateStart: if (start_ready_i) state_q <= StateRun;
        StateRun:   if (done_valid_i) state_q <= StateTell;
        default:    if (result_ready_i) state_q <= StateIdle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (next_valid && next_ready) begin
      result_index_o  <= next_index;
      start_address_o <= next_address;
    end
    if (state_q == StateRun && done_valid_i) begin
      result_code_o   <= done_code_i;
      result_number_o <= done_number_i;
      result_clocks_o <= done_clocks_i;
    end
  end
endmodule
