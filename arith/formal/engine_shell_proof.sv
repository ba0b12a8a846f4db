// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_shell_proof: from the first clock of a soft reset to the clock after its last one,
// engine_shell accepts no beat of a request or a reply, and from the second one on its engine is in
// reset; otherwise requests pass. Its replies are those of a frame queue that is flushed during
// that time. While it is idle no reply is owed, and none is offered then or a clock later; if none
// is owed and none is offered, it is idle after a clock. Assumed: a reply ends only if it is owed,
// and fewer are owed than the counter can count.
//
// From the clock after a memory error to the end of the next soft reset it behaves as in a soft
// reset.
//
// The behavior of the engine in its reset is arbitrary.
module engine_shell_proof #(
  parameter int unsigned Depth = 4,
  parameter bit Registered = 1'b0,
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        soft_reset_i,
  input logic        req_valid_i,
  input logic        rpl_ready_i,
  input logic        request_ready_i,
  input logic        memory_error_i,
  input logic        owed_i,
  input logic        reply_valid_i,
  input logic [63:0] reply_data_i,
  input logic        reply_last_i
);
  localparam int unsigned OwedBits = 3;

  logic        memory_error, req_ready, rpl_valid, rpl_last, idle, inner_rst_n, request_valid;
  logic        reply_ready;
  logic [63:0] rpl_data;
  logic [Depth-1:0][64:0] beats;

  engine_shell #(.Depth(Depth), .Registered(Registered), .OwedBits(OwedBits)) u_dut (
    .clk_i, .rst_ni, .soft_reset_i, .req_valid_i, .req_ready_o(req_ready),
    .rpl_valid_o(rpl_valid), .rpl_ready_i, .rpl_data_o(rpl_data), .rpl_last_o(rpl_last),
    .idle_o(idle), .inner_rst_no(inner_rst_n), .request_valid_o(request_valid), .request_ready_i,
    .memory_error_i, .memory_error_o(memory_error), .owed_i, .reply_valid_i,
    .reply_ready_o(reply_ready), .reply_data_i, .reply_last_i
  );
  for (genvar i = 0; i < Depth; i++) begin : gen_beat
    assign beats[i] = u_dut.u_frames.beats[i];
  end

  proof_reset u_reset (.rst_ni);

  logic was_closed_q, closed;  // a soft reset or the hardware's, a clock ago
  logic failed_q;              // a memory error, since the last soft reset
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {was_closed_q, failed_q} <= 2'b10;
    else begin
      was_closed_q <= soft_reset_i || memory_error || failed_q;
      failed_q     <= (memory_error || failed_q) && !soft_reset_i;
    end
  end
  assign closed = soft_reset_i || was_closed_q;

  proof_frame_fifo #(
    .DataWidth(64), .Depth(Depth), .Registered(Registered), .Invariants(Invariants)
  ) u_promise (
    .clk_i, .rst_ni, .flush_i(closed),
    .in_valid_i(reply_valid_i), .in_ready_i(reply_ready), .in_data_i(reply_data_i),
    .in_last_i(reply_last_i), .drop_i(1'b0),
    .out_valid_i(rpl_valid), .out_ready_i(rpl_ready_i), .out_data_i(rpl_data),
    .out_last_i(rpl_last),
    .inner_write_i(u_dut.u_frames.write_q), .inner_frames_end_i(u_dut.u_frames.frames_end_q),
    .inner_read_i(u_dut.u_frames.read_q), .inner_resume_i(u_dut.u_frames.resume_q),
    .inner_offered_end_i(u_dut.u_frames.offered_end),
    .inner_flushed_i(u_dut.u_frames.flushed_q), .inner_beats_i(beats)
  );

  // ---- owed replies ----
  logic [OwedBits-1:0] owed_q;
  logic                ended, settled_q, idle_q;

  assign ended = reply_valid_i && reply_ready && reply_last_i;
  always_comb begin
    if (rst_ni) begin
      assume (!(reply_valid_i && reply_last_i) || closed || owed_q != '0);
      assume (!owed_i || owed_q < OwedBits'(2 ** OwedBits - 2));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q    <= '0;
      settled_q <= 1'b0;
      idle_q    <= 1'b0;
    end else begin
      if (was_closed_q || soft_reset_i || memory_error) owed_q <= '0;
      else owed_q <= owed_q + OwedBits'(owed_i) - OwedBits'(ended);
      settled_q <= owed_q == '0 && !owed_i;
      idle_q    <= idle;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (!memory_error_i || memory_error);
      assert (u_dut.failed_q == failed_q);
      assert (inner_rst_n == !was_closed_q);
      assert (request_valid == (req_valid_i && !closed));
      assert (req_ready == (request_ready_i && !closed));

      assert (!idle || (owed_q == '0 && !rpl_valid));
      assert (!idle_q || !rpl_valid);
      assert (idle || !settled_q || owed_q != '0 || rpl_valid);

      cover (soft_reset_i && rpl_valid && owed_q == 3);
      cover (idle && idle_q && u_promise.given_q > 4);
    end
  end

  if (Invariants && Registered) begin : gen_registered_invariants
    logic told;
    assign told = u_dut.gen_registered.whole_q;
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.owed_q == owed_q + OwedBits'(told));
        // (In the clock after an error the queue has a complete frame that is not reported.)
        assert (told || was_closed_q
                || u_dut.u_frames.frames_end_q == u_dut.u_frames.offered_end);
      end
    end
  end else if (Invariants) begin : gen_invariants
    always_comb if (rst_ni) assert (u_dut.owed_q == owed_q);
  end
endmodule
