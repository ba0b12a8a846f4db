// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// valid_delay: a control bit that travels along a fixed-latency pipeline. valid_o is valid_i of
// Stages clocks ago; reset empties the pipeline. Stages = 0 is a wire.
module valid_delay #(
  parameter int unsigned Stages = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic valid_o
);
  if (Stages == 0) begin : gen_wire
    logic unused_control;
    assign unused_control = ^{clk_i, rst_ni};
    assign valid_o = valid_i;
  end else begin : gen_stages
    logic [Stages-1:0] valid_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= Stages'({valid_q, valid_i});
    end
    assign valid_o = valid_q[Stages-1];
  end
endmodule
