// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// carry_save: reduces a sum of Operands vectors to a sum of fewer vectors without a carry chain:
// Levels levels of 3:2 adders. Combinational; the sum is kept modulo 2^Width.
//
// If all vectors are non-negative and their sum is below 2^Width, the same is true for the results
// as plain integers: no bit is lost, since every partial sum is below 2^Width too.
module carry_save #(
  parameter int unsigned Operands = 3,
  parameter int unsigned Width = 64,
  parameter int unsigned Levels = 1,
  localparam int unsigned Results = arith_pkg::compressed(Operands, Levels)
) (
  input  logic [Operands-1:0][Width-1:0] operands_i,
  output logic [Results-1:0][Width-1:0]  results_o
);
  if (Levels == 0 || Operands < 3) begin : gen_wire
    assign results_o = operands_i;
  end else begin : gen_level
    localparam int unsigned Triples = Operands / 3;
    localparam int unsigned Next = Operands - Triples;
    logic [Next-1:0][Width-1:0] next;

    for (genvar i = 0; i < Triples; i++) begin : gen_triple
      logic [Width-1:0] a, b, c;
      assign a = operands_i[3*i];
      assign b = operands_i[3*i+1];
      assign c = operands_i[3*i+2];
      assign next[2*i]   = a ^ b ^ c;
      assign next[2*i+1] = ((a & b) | (c & (a ^ b))) << 1;
    end
    for (genvar i = 3 * Triples; i < Operands; i++) begin : gen_rest
      assign next[i-Triples] = operands_i[i];
    end

    carry_save #(.Operands(Next), .Width(Width), .Levels(Levels - 1)) u_next (
      .operands_i(next), .results_o
    );
  end
endmodule
