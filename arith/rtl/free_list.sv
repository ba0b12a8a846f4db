// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// free_list: hands out the numbers 0 to Depth - 1, each to one user at a time.
//
// After a reset the numbers are handed out in ascending order, later in the order in which they
// came back, so that no clocks are needed to fill the list. A number may be taken and another given
// back in the same clock; one that comes back can be taken in the next. memory_error_o tells of a
// number that was taken two clocks before (memory_parity).
module free_list #(
  parameter int unsigned Depth = 64,
  localparam int unsigned SlotBits = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  output logic                 slot_valid_o,  // one is free
  input  logic                 slot_ready_i,  // it is taken
  output logic [SlotBits-1:0]  slot_data_o,

  input  logic                 free_valid_i,  // one that was taken comes back
  input  logic [SlotBits-1:0]  free_data_i,

  output logic [CountBits-1:0] taken_o,       // numbers that are with users
  output logic                 memory_error_o
);
  logic [SlotBits-1:0]  returned[Depth];
  logic [SlotBits-1:0]  write_q, read_q;
  logic [CountBits-1:0] fresh_q;  // numbers below it were handed out before
  logic [CountBits-1:0] taken_q;
  logic                 fresh, take;

  function automatic logic [SlotBits-1:0] next(input logic [SlotBits-1:0] index);
    return (index == SlotBits'(Depth - 1)) ? '0 : index + SlotBits'(1);
  endfunction

  assign fresh        = fresh_q != CountBits'(Depth);
  assign slot_valid_o = taken_q != CountBits'(Depth);
  assign slot_data_o  = fresh ? SlotBits'(fresh_q) : returned[read_q];
  assign take         = slot_valid_o && slot_ready_i;
  assign taken_o      = taken_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      fresh_q <= '0;
      taken_q <= '0;
    end else begin
      if (free_valid_i) write_q <= next(write_q);
      if (take && fresh) fresh_q <= fresh_q + CountBits'(1);
      if (take && !fresh) read_q <= next(read_q);
      taken_q <= taken_q + CountBits'(take) - CountBits'(free_valid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (free_valid_i) returned[write_q] <= free_data_i;
  end

  memory_parity #(
    .Width     (SlotBits),
    .Depth     (Depth),
    .ReadClocks(0)
  ) u_parity (
    .clk_i,
    .write_valid_i  (free_valid_i),
    .write_address_i(write_q),
    .write_data_i   (free_data_i),
    .read_enable_i  (1'b1),
    .read_address_i (read_q),
    .check_i        (take && !fresh),
    .data_i         (slot_data_o),
    .error_o        (memory_error_o)
  );
endmodule
