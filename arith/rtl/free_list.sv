// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// free_list: allocates the numbers 0 to Depth - 1, each to one user at a time.
//
// After a reset the numbers are allocated in ascending order, later in the order in which they came
// back, so that no clocks are needed to fill the list. One number may be allocated and another
// returned in the same clock; a returned number can be allocated in the next clock. memory_error_o
// reports a number that was allocated two clocks before (memory_parity).
module free_list #(
  parameter int unsigned Depth = 64,
  localparam int unsigned SlotBits = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  output logic                 slot_valid_o,  // a number is free
  input  logic                 slot_ready_i,  // it is allocated
  output logic [SlotBits-1:0]  slot_data_o,

  input  logic                 free_valid_i,  // an allocated number is returned
  input  logic [SlotBits-1:0]  free_data_i,

  output logic [CountBits-1:0] taken_o,       // allocated numbers
  output logic                 memory_error_o
);
  logic [SlotBits-1:0]  returned[Depth];
  logic [SlotBits-1:0]  write_q, read_q;
  logic [CountBits-1:0] fresh_q;  // numbers below it were allocated before
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
