// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// pipeline_delay: data_o is data_i of Stages clocks ago; Stages = 0 is a wire.
//
// Has no reset, so that a synthesiser may use shift-register tables; data in flight before the
// first Stages clocks is undefined. Control bits that need a reset: valid_delay.
module pipeline_delay #(
  parameter int unsigned DataWidth = 1,
  parameter int unsigned Stages = 1
) (
  input  logic                 clk_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [DataWidth-1:0] data_o
);
  if (Stages == 0) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk_i;
    assign data_o = data_i;
  end else begin : gen_stages
    logic [DataWidth-1:0] stage_q[Stages];

    always_ff @(posedge clk_i) begin
      stage_q[0] <= data_i;
      for (int unsigned i = 1; i < Stages; i++) stage_q[i] <= stage_q[i-1];
    end
    assign data_o = stage_q[Stages-1];
  end
endmodule
