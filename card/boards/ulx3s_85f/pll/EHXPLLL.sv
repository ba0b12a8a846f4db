// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// EHXPLLL: the part of the ECP5's PLL that ulx3s_clock uses. The tools know the complete cell.
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
(* blackbox *)
module EHXPLLL #(
  parameter int unsigned CLKI_DIV = 1,
  parameter int unsigned CLKFB_DIV = 1,
  parameter int unsigned CLKOP_DIV = 8,
  parameter int unsigned CLKOP_CPHASE = 0,
  parameter int unsigned CLKOP_FPHASE = 0,
  parameter string       CLKOP_ENABLE = "ENABLED",
  parameter string       FEEDBK_PATH = "CLKOP"
) (
  input  logic CLKI,
  input  logic CLKFB,
  input  logic RST,
  input  logic STDBY,
  input  logic PLLWAKESYNC,
  output logic CLKOP,
  output logic LOCK
);
endmodule
