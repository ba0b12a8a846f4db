// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// frame_buffer: a queue of whole frames. A frame is offered once its last beat is in, so a reader
// never waits in the middle of one, and a flush never tears one. flush_i drops everything but the
// frame that is being offered, which is finished whole; beats offered to a flushing buffer wait.
// Depth is a power of two and no less than the beats of the longest frame.
module frame_buffer #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 flush_i,

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [DataWidth-1:0] in_data_i,
  input  logic                 in_last_i,

  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic                 out_last_o
);
  localparam int unsigned AddressBits = $clog2(Depth);

  // One bit more than an address: the difference of two pointers tells full from empty.
  typedef logic [AddressBits:0] pointer_t;

  logic [DataWidth:0] memory_q [Depth];  // {last, data}

  pointer_t write_q, write_d;    // next beat to write
  pointer_t commit_q, commit_d;  // end of the last whole frame
  pointer_t read_q, read_d;      // next beat to read
  pointer_t resume_q, resume_d;  // where reading goes on after the current frame, if discard_q
  logic     discard_q, discard_d;
  logic     push, pop;

  assign in_ready_o = (write_q - read_q) != pointer_t'(Depth) && !flush_i;
  assign out_valid_o = commit_q != read_q;
  assign {out_last_o, out_data_o} = memory_q[read_q[AddressBits-1:0]];
  assign push = in_valid_i && in_ready_o;
  assign pop = out_valid_o && out_ready_i;

  always_comb begin
    write_d = write_q;
    commit_d = commit_q;
    if (flush_i) begin
      write_d = commit_q;  // the frame that is half in is dropped
    end else if (push) begin
      write_d = write_q + pointer_t'(1);
      if (in_last_i) commit_d = write_d;
    end
  end

  always_comb begin
    read_d = read_q;
    resume_d = resume_q;
    discard_d = discard_q;
    if (flush_i && out_valid_o) begin
      resume_d = commit_q;
      discard_d = 1'b1;
    end
    if (pop) begin
      read_d = read_q + pointer_t'(1);
      if (out_last_o) begin
        if (discard_d) read_d = resume_d;
        discard_d = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      commit_q <= '0;
      read_q <= '0;
      discard_q <= 1'b0;
    end else begin
      write_q <= write_d;
      commit_q <= commit_d;
      read_q <= read_d;
      discard_q <= discard_d;
    end
  end

  always_ff @(posedge clk_i) begin
    resume_q <= resume_d;
    if (push) memory_q[write_q[AddressBits-1:0]] <= {in_last_i, in_data_i};
  end
endmodule
