// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_frame_fifo: a queue of complete frames. A frame is offered when its last beat has arrived,
// so a reader never waits within a frame, and a writer can drop a partial one.
//
// drop_i drops the beats written since the last frame's end, including one accepted in this clock.
// flush_i (a soft reset) drops everything except the offered frame, which is completed; no beat is
// accepted while it is high. A beat is offered at the earliest one clock after the frame's last
// beat came in, with Registered two; then one beat per clock. With Registered the memory is read
// only into a register, so that a deep one may become block memory. memory_error_o reports a beat
// that was accepted by the reader two clocks before (memory_parity).
module stream_frame_fifo #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth = 64,  // beats; a power of two, at least the longest frame
  parameter bit Registered = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 flush_i,

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  input  logic                 in_last_i,
  input  logic                 drop_i,

  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 out_last_o,
  output logic                 memory_error_o
);
  localparam int unsigned IndexBits = $clog2(Depth);

  // One bit more than an index, so that the difference of two pointers distinguishes full and
  // empty. The beats from read_q to frames_end_q are complete frames; those from there to write_q
  // are incomplete.
  typedef logic [IndexBits:0] pointer_t;
  pointer_t write_q, frames_end_q, read_q, read_d;
  pointer_t offered_end;  // the end of the readable frames: frames_end_q, now or a clock ago
  logic     flushed_q;    // everything except the offered frame is dropped: reading ends with it

  logic [DataWidth:0] beats[Depth];  // {last, data}
  logic               push, pop, ends;

  assign in_ready_o  = (write_q - read_q) != pointer_t'(Depth) && !flush_i;
  assign out_valid_o = read_q != offered_end;
  assign push = in_valid_i && in_ready_o;
  assign pop  = out_valid_o && out_ready_i;
  assign ends = pop && out_last_o;

  // Where reading continues after a flushed frame: after everything that was complete at the flush.
  pointer_t resume_q;

  always_comb begin
    read_d = read_q;
    if (ends && flush_i) read_d = frames_end_q;
    else if (ends && flushed_q) read_d = resume_q;
    else if (pop) read_d = read_q + 1'b1;
    else if (flush_i && !out_valid_o) read_d = frames_end_q;
  end

  // A beat is read at the end of the clock after its write, or later.
  if (Registered) begin : gen_registered
    pointer_t           offered_end_q;
    logic [DataWidth:0] beat_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) offered_end_q <= '0;
      else offered_end_q <= frames_end_q;
    end
    always_ff @(posedge clk_i) begin
      if (pop || !out_valid_o) beat_q <= beats[read_d[IndexBits-1:0]];
    end
    assign offered_end = offered_end_q;
    assign {out_last_o, out_data_o} = beat_q;
  end else begin : gen_unregistered
    assign offered_end = frames_end_q;
    assign {out_last_o, out_data_o} = beats[read_q[IndexBits-1:0]];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q      <= '0;
      frames_end_q <= '0;
      read_q       <= '0;
      flushed_q    <= 1'b0;
    end else begin
      if (flush_i || drop_i) write_q <= frames_end_q;
      else if (push) write_q <= write_q + 1'b1;

      if (push && in_last_i && !drop_i) frames_end_q <= write_q + 1'b1;

      read_q <= read_d;

      if (ends) flushed_q <= 1'b0;
      else if (flush_i && out_valid_o) flushed_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) beats[write_q[IndexBits-1:0]] <= {in_last_i, in_data_i};
    if (flush_i) resume_q <= frames_end_q;
  end

  // An offered beat belongs to a complete frame, so it was written in a clock before it was read.
  memory_parity #(
    .Width     (DataWidth + 1),
    .Depth     (Depth),
    .ReadClocks(Registered ? 1 : 0)
  ) u_parity (
    .clk_i,
    .write_valid_i  (push),
    .write_address_i(write_q[IndexBits-1:0]),
    .write_data_i   ({in_last_i, in_data_i}),
    .read_enable_i  (pop || !out_valid_o),
    .read_address_i (Registered ? read_d[IndexBits-1:0] : read_q[IndexBits-1:0]),
    .check_i        (pop),
    .data_i         ({out_last_o, out_data_o}),
    .error_o        (memory_error_o)
  );

endmodule
