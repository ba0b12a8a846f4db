// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// proof_stable: an offer on a stream stays, unchanged, until it is accepted. Asserted for the
// streams that a design sends, assumed (Assume = 1) for those that it receives. free_i lifts the
// rule from this clock to the next one (a clear, a soft reset).
module proof_stable #(
  parameter int unsigned DataWidth = 8,
  parameter bit Assume = 1'b0
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 free_i,
  input logic                 valid_i,
  input logic                 ready_i,
  input logic [DataWidth-1:0] data_i
);
  logic                 waits_q;
  logic [DataWidth-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      data_q  <= '0;
    end else begin
      waits_q <= valid_i && !ready_i && !free_i;
      data_q  <= data_i;
    end
  end

  logic holds;
  assign holds = !rst_ni || !waits_q || (valid_i && data_i == data_q);

  if (Assume) begin : gen_assume
    always_comb assume (holds);
  end else begin : gen_assert
    always_comb assert (holds);
  end
endmodule
