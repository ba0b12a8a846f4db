// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// core_clock, simulated: the core runs on the shell's clock.
module core_clock (
  input  logic clk_main_i,
  input  logic rst_ni,
  output logic clk_o,
  output logic locked_o
);
  assign clk_o = clk_main_i;
  assign locked_o = rst_ni;
endmodule
