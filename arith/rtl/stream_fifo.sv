// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_fifo: a first-in first-out queue of Depth beats (and one more in the output register).
//
// One beat per clock in and out; a beat is offered two clocks after it came in. The memory is read
// only into the output register, so it may become block or distributed memory. clear_i empties it.
// memory_error_o reports a beat that reached the output two clocks before (memory_parity).
module stream_fifo #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth = 16,
  parameter bit Parity = 1'b1  // without it no error is reported
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 memory_error_o
);
  localparam int unsigned IndexBits = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountBits = $clog2(Depth + 1);

  logic [DataWidth-1:0] memory[Depth];
  logic [DataWidth-1:0] out_q;
  logic [IndexBits-1:0] write_q, read_q;
  logic [CountBits-1:0] count_q;
  logic out_valid_q;
  logic push, fetch;

  function automatic logic [IndexBits-1:0] after(input logic [IndexBits-1:0] index);
    return (index == IndexBits'(Depth - 1)) ? '0 : index + IndexBits'(1);
  endfunction

  assign in_ready_o  = count_q != CountBits'(Depth);
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_q;
  assign push        = in_valid_i && in_ready_o;
  assign fetch       = (!out_valid_q || out_ready_i) && count_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q     <= '0;
      read_q      <= '0;
      count_q     <= '0;
      out_valid_q <= 1'b0;
    end else if (clear_i) begin
      write_q     <= '0;
      read_q      <= '0;
      count_q     <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (push) write_q <= after(write_q);
      if (fetch) read_q <= after(read_q);
      count_q     <= count_q + CountBits'(push) - CountBits'(fetch);
      out_valid_q <= fetch || (out_valid_q && !out_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) memory[write_q] <= in_data_i;
    if (fetch) out_q <= memory[read_q];
  end

  if (Parity) begin : gen_parity
    // A fetched beat was pushed in an earlier clock.
    logic fetched_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fetched_q <= 1'b0;
      else fetched_q <= fetch;
    end

    memory_parity #(
      .Width     (DataWidth),
      .Depth     (Depth),
      .ReadClocks(1)
    ) u_parity (
      .clk_i,
      .write_valid_i  (push),
      .write_address_i(write_q),
      .write_data_i   (in_data_i),
      .read_enable_i  (fetch),
      .read_address_i (read_q),
      .check_i        (fetched_q),
      .data_i         (out_q),
      .error_o        (memory_error_o)
    );
  end else begin : gen_no_parity
    assign memory_error_o = 1'b0;
  end
endmodule
