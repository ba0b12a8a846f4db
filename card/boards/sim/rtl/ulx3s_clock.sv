// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ulx3s_clock, simulated: the input is already the card's clock.
module ulx3s_clock (
  input  logic clk_25mhz_i,
  output logic clk_o,
  output logic locked_o
);
  assign clk_o = clk_25mhz_i;
  assign locked_o = 1'b1;
endmodule
