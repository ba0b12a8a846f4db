// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// A model of carry_save for proofs of its users: the results are arbitrary, except for the
// statements that carry_save_proof shows.
module carry_save #(
  parameter int unsigned Operands = 3,
  parameter int unsigned Width = 64,
  parameter int unsigned Levels = 1,
  localparam int unsigned Results = arith_pkg::compressed(Operands, Levels)
) (
  input  logic [Operands-1:0][Width-1:0] operands_i,
  output logic [Results-1:0][Width-1:0]  results_o
);
  if (Results == Operands) begin : gen_wire
    assign results_o = operands_i;
  end else begin : gen_arbitrary
    localparam int unsigned WholeBits = Width + $clog2(Operands);
    logic [WholeBits-1:0] given, left;

    for (genvar i = 0; i < Results; i++) begin : gen_result
      for (genvar bit_of = 0; bit_of < Width; bit_of++) begin : gen_bit
        formal_choice u_bit (.value_o(results_o[i][bit_of]));
      end
    end
    always_comb begin
      given = '0;
      left  = '0;
      for (int unsigned i = 0; i < Operands; i++) given += WholeBits'(operands_i[i]);
      for (int unsigned i = 0; i < Results; i++) left += WholeBits'(results_o[i]);
      assume (left[Width-1:0] == given[Width-1:0]);
      if (given[WholeBits-1:Width] == '0) assume (left[WholeBits-1:Width] == '0);
    end
  end
endmodule
