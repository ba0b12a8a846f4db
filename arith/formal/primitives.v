// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// What only Yosys's own Verilog can say, for the proofs. A global step is any instant: a clock may
// have its edge in it or not. (Not SystemVerilog: `read_verilog -formal` reads it.)

// High in the first step of all.
module formal_first (output first_o);
  reg first_q = 1'b1;
  always @($global_clock) first_q <= 1'b0;
  assign first_o = first_q;
endmodule

// The value of one bit a step ago.
module formal_previous (input value_i, output value_o);
  reg value_q;
  always @($global_clock) value_q <= value_i;
  assign value_o = value_q;
endmodule

// A bit that takes any value in each step.
module formal_choice (output value_o);
  (* anyseq *) wire value;
  assign value_o = value;
endmodule
