// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// MMCME4_BASE: the part of the UltraScale+ clock manager that core_clock uses. Vivado provides the
// cell.
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
(* blackbox *)
module MMCME4_BASE #(
  parameter real CLKIN1_PERIOD = 0.0,
  parameter real CLKFBOUT_MULT_F = 5.0,
  parameter real CLKOUT0_DIVIDE_F = 1.0
) (
  input  logic CLKIN1,
  input  logic CLKFBIN,
  output logic CLKFBOUT,
  output logic CLKOUT0,
  input  logic RST,
  input  logic PWRDWN,
  output logic LOCKED
);
endmodule
