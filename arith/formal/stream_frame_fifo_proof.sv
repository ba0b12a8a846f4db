// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_frame_fifo_proof: stream_frame_fifo offers exactly the beats of the frames that are whole,
// each once and in order, whatever is dropped and flushed; it holds what it offers until it is
// taken, even across a flush; once a frame has begun, its reader never waits; a flush lets nothing
// in.
//
// The specification beside it numbers the beats. A drop takes back the numbers of the frame that
// is not whole; a flush lets reading, once the offered frame has ended, go on behind all that was
// whole at the flush. One number, any, is watched as in proof_scoreboard.
module stream_frame_fifo_proof #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned Depth = 4,
  parameter bit Registered = 1'b0,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 flush_i,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 in_last_i,
  input logic                 drop_i,
  input logic                 out_ready_i
);
  localparam int unsigned IndexBits = $clog2(Depth);
  typedef logic [IndexBits:0] pointer_t;
  typedef logic [IndexBits+1:0] count_t;

  logic                 in_ready, out_valid, out_last;
  logic [DataWidth-1:0] out_data;

  stream_frame_fifo #(
    .DataWidth(DataWidth), .Depth(Depth), .Registered(Registered)
  ) u_dut (
    .clk_i, .rst_ni, .flush_i,
    .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_last_i, .drop_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .out_last_o(out_last)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth + 1)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i({out_last, out_data})
  );

  // ---- the specification ----
  count_t             number_q, written_q, whole_q, given_q, resume_q;
  count_t             before_q, offered_end;  // whole a clock ago; what may be offered
  logic               flushed_q, middle_q;
  logic [DataWidth:0] watched_q;
  logic               push, pop;

  assign push = in_valid_i && in_ready;
  assign pop = out_valid && out_ready_i;

  assign offered_end = Registered ? before_q : whole_q;

  always_ff @(posedge clk_i) number_q <= number_q;  // arbitrary, and the same for ever

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      whole_q   <= '0;
      before_q  <= '0;
      given_q   <= '0;
      resume_q  <= '0;
      flushed_q <= 1'b0;
      middle_q  <= 1'b0;
      watched_q <= '0;
    end else begin
      if (push && written_q == number_q) watched_q <= {in_last_i, in_data_i};
      if (flush_i || drop_i) written_q <= whole_q;
      else if (push) written_q <= written_q + 1'b1;
      if (push && in_last_i && !drop_i) whole_q <= written_q + 1'b1;

      before_q <= whole_q;

      if (pop) middle_q <= !out_last;
      if (pop) given_q <= given_q + 1'b1;
      if (flush_i) resume_q <= whole_q;
      if (flush_i && out_valid) flushed_q <= 1'b1;
      if (flush_i && !out_valid) given_q <= whole_q;
      if (pop && out_last) begin
        flushed_q <= 1'b0;
        if (flush_i) given_q <= whole_q;
        else if (flushed_q) given_q <= resume_q;
      end
    end
  end

  count_t held, ahead;
  assign held = written_q - given_q;
  assign ahead = number_q - given_q;

  always_comb begin
    if (rst_ni) begin
      assert (out_valid == (given_q != offered_end));
      if (out_valid && given_q == number_q) assert ({out_last, out_data} == watched_q);
      assert (!middle_q || out_valid);
      assert (in_ready == (held < count_t'(Depth) && !flush_i));

      cover (pop && out_last && flushed_q && whole_q != resume_q);
      cover (drop_i && push && held == count_t'(Depth - 1) && out_valid);
      cover (middle_q && held == count_t'(Depth));
    end
  end

  // ---- where the beats are ----
  pointer_t place, whole_end, resume_end, offered_last;
  assign place = u_dut.read_q + pointer_t'(ahead);
  // The last beats of what is whole, and of what was whole at the flush.
  assign whole_end = u_dut.frames_end_q - 1'b1;
  assign resume_end = u_dut.resume_q - 1'b1;
  assign offered_last = u_dut.offered_end - 1'b1;

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (held <= count_t'(Depth) && whole_q - given_q <= held);
        assert (pointer_t'(u_dut.write_q - u_dut.read_q) == pointer_t'(held));
        assert (pointer_t'(u_dut.frames_end_q - u_dut.read_q) == pointer_t'(whole_q - given_q));
        if (ahead < held) assert (u_dut.beats[place[IndexBits-1:0]] == watched_q);
        if (given_q != whole_q) assert (u_dut.beats[whole_end[IndexBits-1:0]][DataWidth]);
        assert (offered_end - given_q <= whole_q - given_q);
        assert (pointer_t'(u_dut.offered_end - u_dut.read_q) == pointer_t'(offered_end - given_q));
        if (out_valid) begin
          assert (u_dut.beats[offered_last[IndexBits-1:0]][DataWidth]);
          assert ({out_last, out_data} == u_dut.beats[u_dut.read_q[IndexBits-1:0]]);
        end

        assert (flushed_q == u_dut.flushed_q);
        if (flushed_q) begin
          assert (out_valid && resume_q != given_q && resume_q - given_q <= whole_q - given_q);
          assert (pointer_t'(u_dut.resume_q - u_dut.read_q) == pointer_t'(resume_q - given_q));
          assert (u_dut.beats[resume_end[IndexBits-1:0]][DataWidth]);
        end
      end
    end
  end
endmodule
