// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// BUFG: a global clock buffer. Vivado provides the cell.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
(* blackbox *)
module BUFG (
  input  logic I,
  output logic O
);
endmodule
