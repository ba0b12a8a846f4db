// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ulx3s_clock: the card's clock from the board's crystal of 25 MHz: 40 MHz, by a PLL whose
// oscillator runs at 600 MHz (25 MHz / Input * Feedback * Output, which must be in 400..800 MHz).
module ulx3s_clock (
  input  logic clk_25mhz_i,
  output logic clk_o,
  output logic locked_o
);
  localparam int unsigned Input = 5;
  localparam int unsigned Feedback = 8;
  localparam int unsigned Output = 15;

  EHXPLLL #(
    .CLKI_DIV(Input), .CLKFB_DIV(Feedback), .CLKOP_DIV(Output), .CLKOP_CPHASE(Output - 1)
  ) u_pll (
    .CLKI(clk_25mhz_i), .CLKFB(clk_o), .RST(1'b0), .STDBY(1'b0), .PLLWAKESYNC(1'b0),
    .CLKOP(clk_o), .LOCK(locked_o)
  );
endmodule
