// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_rules: asserts the rule of a stream's sender: a beat that is offered stays offered, with
// the same data, until it is accepted. clear_i frees the sender from the rule in that clock and the
// next one. For simulation only.
module stream_rules #(
  parameter int unsigned DataWidth = 64
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 valid_i,
  input logic                 ready_i,
  input logic [DataWidth-1:0] data_i
);
  logic                 waits_q;
  logic [DataWidth-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= valid_i && !ready_i && !clear_i;
  end
  always_ff @(posedge clk_i) data_q <= data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni && waits_q && !clear_i) begin
      assert (valid_i);
      assert (!valid_i || data_i == data_q);
    end
  end
endmodule
