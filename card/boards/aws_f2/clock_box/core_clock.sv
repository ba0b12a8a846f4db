// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// core_clock: the ports of card/boards/aws_f2/clock/core_clock.sv. It replaces that module when the
// design is elaborated without Vivado, whose cells have parameters that Yosys does not read.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
(* blackbox *)
module core_clock (
  input  logic clk_main_i,
  input  logic rst_ni,
  output logic clk_o,
  output logic locked_o
);
endmodule
