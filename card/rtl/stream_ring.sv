// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_ring: a ring of beats that the reader can read in any order and repeatedly until it
// consumes them: beat `first_o + i` of the memory (modulo Depth) is ready for i below ready_o.
//
// The input waits while Depth beats are ready. `take_i` consumes that number of beats, at most
// ready_o, and frees their places. A beat is ready in the clock after it came in; a fetch returns
// its beat from the next clock to the next fetch. The memory may become block memory.
module stream_ring #(
  parameter int unsigned DataWidth = 512,
  parameter int unsigned Depth = 512,  // a power of two
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,

  output logic [IndexBits-1:0] first_o,
  output logic [IndexBits:0]   ready_o,
  input  logic [IndexBits:0]   take_i,
  input  logic                 fetch_i,
  input  logic [IndexBits-1:0] fetch_index_i,
  output logic [DataWidth-1:0] fetched_o
);
  logic [DataWidth-1:0] memory[Depth];
  logic [IndexBits-1:0] first_q, write_q;
  logic [IndexBits:0]   count_q;
  logic                 comes;

  assign in_ready_o = !count_q[IndexBits];
  assign comes = in_valid_i && in_ready_o;
  assign first_o = first_q;
  assign ready_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (comes) write_q <= write_q + 1'b1;
      first_q <= first_q + take_i[IndexBits-1:0];
      count_q <= count_q + (IndexBits + 1)'(comes) - take_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (comes) memory[write_q] <= in_data_i;
    if (fetch_i) fetched_o <= memory[fetch_index_i];
  end
endmodule
