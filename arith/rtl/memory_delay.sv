// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// memory_delay: data_o is data_i of Stages clocks ago if valid_i was high then; otherwise it is
// undefined. A ring in a memory instead of a chain of registers: only a pointer changes.
// memory_error_o reports the data_o of two clocks before (memory_parity).
module memory_delay #(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned Stages = 16  // at least 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 valid_i,
  input  logic [DataWidth-1:0] data_i,
  output logic                 valid_o,
  output logic [DataWidth-1:0] data_o,
  output logic                 memory_error_o
);
  // The last stage is the output register, into which the word of Stages - 1 clocks ago is read.
  localparam int unsigned Depth = Stages - 1;
  localparam int unsigned IndexBits = (Depth > 1) ? $clog2(Depth) : 1;

  if (Stages < 2) begin : gen_bad_stages
    $error("memory_delay: Stages must be at least 2");
  end

  logic [DataWidth-1:0] ring[Depth];
  logic [IndexBits-1:0] place_q;
  logic [Stages-1:0]    valid_q;

  assign valid_o = valid_q[Stages-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q <= '0;
      valid_q <= '0;
    end else begin
      place_q <= (place_q == IndexBits'(Depth - 1)) ? '0 : place_q + IndexBits'(1);
      valid_q <= {valid_q[Stages-2:0], valid_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[Stages-2]) data_o <= ring[place_q];
    if (valid_i) ring[place_q] <= data_i;
  end

  // A word is read in the clock in which the next one replaces it, and the read returns the old
  // word: in the ring and in the memory of its parities.
  memory_parity #(
    .Width     (DataWidth),
    .Depth     (Depth),
    .ReadClocks(1)
  ) u_parity (
    .clk_i,
    .write_valid_i  (valid_i),
    .write_address_i(place_q),
    .write_data_i   (data_i),
    .read_enable_i  (valid_q[Stages-2]),
    .read_address_i (place_q),
    .check_i        (valid_o),
    .data_i         (data_o),
    .error_o        (memory_error_o)
  );
endmodule
