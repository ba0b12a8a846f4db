// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_inverter: inverses of words modulo the field's prime, separate from the core, by
// binary division (mod_divide). Requests wait in a queue for one of Inverters dividers; a division
// takes some 2,200 clocks. Results come with their tags, in the order in which they are done.
//
// For a number in Montgomery form a * R (R is 2^384) the result is the inverse in that form, R / a;
// otherwise it is the inverse itself. The result for 0 is 0. A context has at most one request, so
// that the queue has room for all.
module bls_coprocessor_inverter
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts  = 4,
  parameter int unsigned Inverters = 2
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [DataBits-1:0] number_i,
  input  logic                form_i,
  input  tag_t                tag_i,

  output logic                result_valid_o,
  input  logic                result_ready_i,
  output logic [DataBits-1:0] result_number_o,
  output tag_t                result_tag_o,

  output logic                memory_error_o
);
  import bls_coprocessor_control_pkg::SquareOfForm;
  localparam logic [DataBits-1:0] Prime =
      DataBits'(bls_coprocessor_programs_pkg::Modulus);

  typedef struct packed {
    tag_t                tag;
    logic                form;
    logic [DataBits-1:0] number;
  } request_t;

  request_t request;
  logic     waiting, taken;

  stream_fifo #(
    .DataWidth($bits(request_t)),
    .Depth    (Contexts)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (valid_i),
    .in_ready_o (ready_o),
    .in_data_i  ({tag_i, form_i, number_i}),
    .out_valid_o(waiting),
    .out_ready_i(taken),
    .out_data_o (request),
    .memory_error_o
  );

  // The first free divider takes a request; the first finished divider sends its result.
  logic [Inverters-1:0]               free, takes, done, sends;
  logic [Inverters-1:0][DataBits-1:0] quotients;
  tag_t [Inverters-1:0]               tags_q;
  assign takes = free & -free;
  assign sends = done & -done;
  assign taken = free != '0;

  for (genvar k = 0; k < Inverters; k++) begin : gen_divider
    mod_divide #(
      .Width    (DataBits),
      .Modulus  (Prime),
      .Columns  (1),
      .SumClocks(2)
    ) u_divide (
      .clk_i,
      .rst_ni,
      .in_valid_i  (waiting && takes[k]),
      .in_ready_o  (free[k]),
      .divisor_i   (request.number),
      .numerators_i(request.form ? SquareOfForm : DataBits'(1)),
      .out_valid_o (done[k]),
      .out_ready_i (result_ready_i && sends[k]),
      .quotients_o (quotients[k])
    );
    always_ff @(posedge clk_i) if (free[k]) tags_q[k] <= request.tag;
  end

  assign result_valid_o = done != '0;
  always_comb begin
    result_number_o = '0;
    result_tag_o    = '0;
    for (int unsigned k = 0; k < Inverters; k++) begin
      result_number_o |= quotients[k] & {DataBits{sends[k]}};
      result_tag_o    |= tags_q[k] & {$bits(tag_t){sends[k]}};
    end
  end
endmodule
