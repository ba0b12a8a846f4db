// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// proof_frame_fifo: the promises of a stream_frame_fifo, seen from its ports: it offers exactly the
// beats of the complete frames, each once and in order, whatever is dropped and flushed; it keeps
// its offers until they are accepted, even across a flush; once a frame has begun, its reader never
// waits; and it accepts nothing during a flush.
//
// The specification numbers the beats. A drop takes back the numbers of the incomplete frame. After
// a flush, reading continues, once the offered frame has ended, after everything that was complete
// at the flush. One arbitrary number is watched, as in proof_scoreboard.
//
// The internal ports (inner_*) are only for the invariants.
module proof_frame_fifo #(
  parameter int unsigned DataWidth = 8,
  parameter int unsigned Depth = 4,
  parameter bit Registered = 1'b0,
  parameter bit Invariants = 1'b1,
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 flush_i,
  input logic                 in_valid_i,
  input logic                 in_ready_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 in_last_i,
  input logic                 drop_i,
  input logic                 out_valid_i,
  input logic                 out_ready_i,
  input logic [DataWidth-1:0] out_data_i,
  input logic                 out_last_i,

  input logic [IndexBits:0]            inner_write_i,
  input logic [IndexBits:0]            inner_frames_end_i,
  input logic [IndexBits:0]            inner_read_i,
  input logic [IndexBits:0]            inner_resume_i,
  input logic [IndexBits:0]            inner_offered_end_i,
  input logic                          inner_flushed_i,
  input logic [Depth-1:0][DataWidth:0] inner_beats_i  // {last, data}
);
  typedef logic [IndexBits:0] pointer_t;
  typedef logic [IndexBits+1:0] count_t;

  // ---- the specification ----
  count_t             number_q, written_q, whole_q, given_q, resume_q;
  count_t             before_q, offered_end;  // complete one clock before; the end of the offers
  logic               flushed_q, middle_q;
  logic [DataWidth:0] watched_q;
  logic               push, pop;

  assign push = in_valid_i && in_ready_i;
  assign pop = out_valid_i && out_ready_i;

  assign offered_end = Registered ? before_q : whole_q;

  always_ff @(posedge clk_i) number_q <= number_q;  // arbitrary and constant

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

      if (pop) middle_q <= !out_last_i;
      if (pop) given_q <= given_q + 1'b1;
      if (flush_i) resume_q <= whole_q;
      if (flush_i && out_valid_i) flushed_q <= 1'b1;
      if (flush_i && !out_valid_i) given_q <= whole_q;
      if (pop && out_last_i) begin
        flushed_q <= 1'b0;
        if (flush_i) given_q <= whole_q;
        else if (flushed_q) given_q <= resume_q;
      end
    end
  end

  count_t held, ahead;
  assign held = written_q - given_q;
  assign ahead = number_q - given_q;

  proof_stable #(.DataWidth(DataWidth + 1)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid_i), .ready_i(out_ready_i),
    .data_i({out_last_i, out_data_i})
  );

  always_comb begin
    if (rst_ni) begin
      assert (out_valid_i == (given_q != offered_end));
      if (out_valid_i && given_q == number_q) assert ({out_last_i, out_data_i} == watched_q);
      assert (!middle_q || out_valid_i);
      assert (in_ready_i == (held < count_t'(Depth) && !flush_i));

      cover (pop && out_last_i && flushed_q && whole_q != resume_q);
      cover (middle_q && held == count_t'(Depth));
    end
  end

  // ---- the positions of the beats ----
  pointer_t place, whole_end, resume_end, offered_last;
  assign place = inner_read_i + pointer_t'(ahead);
  // The last beats of the complete frames, and of those that were complete at the flush.
  assign whole_end = inner_frames_end_i - 1'b1;
  assign resume_end = inner_resume_i - 1'b1;
  assign offered_last = inner_offered_end_i - 1'b1;

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (held <= count_t'(Depth) && whole_q - given_q <= held);
        assert (pointer_t'(inner_write_i - inner_read_i) == pointer_t'(held));
        assert (pointer_t'(inner_frames_end_i - inner_read_i) == pointer_t'(whole_q - given_q));
        if (ahead < held) assert (inner_beats_i[place[IndexBits-1:0]] == watched_q);
        if (given_q != whole_q) assert (inner_beats_i[whole_end[IndexBits-1:0]][DataWidth]);
        assert (offered_end - given_q <= whole_q - given_q);
        assert (pointer_t'(inner_offered_end_i - inner_read_i)
                == pointer_t'(offered_end - given_q));
        if (out_valid_i) begin
          assert (inner_beats_i[offered_last[IndexBits-1:0]][DataWidth]);
          assert ({out_last_i, out_data_i} == inner_beats_i[inner_read_i[IndexBits-1:0]]);
        end

        assert (flushed_q == inner_flushed_i);
        if (flushed_q) begin
          assert (out_valid_i && resume_q != given_q && resume_q - given_q <= whole_q - given_q);
          assert (pointer_t'(inner_resume_i - inner_read_i) == pointer_t'(resume_q - given_q));
          assert (inner_beats_i[resume_end[IndexBits-1:0]][DataWidth]);
        end
      end
    end
  end
endmodule
