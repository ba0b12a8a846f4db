// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// core_clock: the core's clock from the shell's clock of 250 MHz: 200 MHz, by an MMCM whose
// oscillator runs at 1000 MHz (250 MHz * Multiply, which must be in 800..1600 MHz).
module core_clock (
  input  logic clk_main_i,
  input  logic rst_ni,
  output logic clk_o,
  output logic locked_o
);
  localparam real Multiply = 4.0;
  localparam real Divide = 5.0;

  logic feedback, clk;

  MMCME4_BASE #(
    .CLKIN1_PERIOD(4.0), .CLKFBOUT_MULT_F(Multiply), .CLKOUT0_DIVIDE_F(Divide)
  ) u_mmcm (
    .CLKIN1(clk_main_i), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(clk),
    .RST(!rst_ni), .PWRDWN(1'b0), .LOCKED(locked_o)
  );

  BUFG u_buffer (.I(clk), .O(clk_o));
endmodule
