// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// Constructs for proofs that only Yosys's own Verilog has. A global step is any instant: a clock
// may or may not have its edge in it. (Not SystemVerilog: `read_verilog -formal` reads it.)

// High only in the very first step.
module formal_first (output first_o);
  reg first_q = 1'b1;
  always @($global_clock) first_q <= 1'b0;
  assign first_o = first_q;
endmodule

// The value of one bit one step before.
module formal_previous (input value_i, output value_o);
  reg value_q;
  always @($global_clock) value_q <= value_i;
  assign value_o = value_q;
endmodule

// A bit with an arbitrary value in each step.
module formal_choice (output value_o);
  (* anyseq *) wire value;
  assign value_o = value;
endmodule
