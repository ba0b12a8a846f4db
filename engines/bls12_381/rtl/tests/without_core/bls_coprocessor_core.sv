// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_core: a stub for benches of the modules around the coprocessor, whose programs
// need no arithmetic. It takes no job.
module bls_coprocessor_core
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts = 4,
  parameter int unsigned TileA    = 26,
  parameter int unsigned TileB    = 17
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                job_valid_i,
  output logic                job_ready_o,
  input  logic [DataBits-1:0] job_number_i,
  input  logic                job_last_i,
  input  job_t                job_i,
  output logic                result_valid_o,
  input  logic                result_ready_i,
  output logic [DataBits-1:0] result_number_o,
  output logic                result_last_o,
  output tag_t                result_tag_o,
  output logic                mul_busy_o,
  output logic                memory_error_o
);
  assign job_ready_o     = 1'b0;
  assign result_valid_o  = 1'b0;
  assign result_number_o = '0;
  assign result_last_o   = 1'b0;
  assign result_tag_o    = '0;
  assign mul_busy_o      = 1'b0;
  assign memory_error_o  = 1'b0;

  logic unused;
  assign unused = ^{clk_i, rst_ni, job_valid_i, job_number_i, job_last_i, job_i, result_ready_i,
                    Contexts, TileA, TileB};
endmodule
