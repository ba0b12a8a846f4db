// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// stream_stages_proof: the beats that leave are those that entered, each once and in order, and
// stay offered until they are accepted; the queue at the far end has a place for each beat; and
// each place without a beat has a credit. A clear leaves no earlier beat. Assumed: a clear lasts
// longer than 2 * Stages clocks.
module stream_stages_proof #(
  parameter int unsigned DataWidth = 4,
  parameter int unsigned Stages = 2,
  parameter bit Invariants = 1'b1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 in_valid_i,
  input logic [DataWidth-1:0] in_data_i,
  input logic                 out_ready_i
);
  localparam int unsigned Depth = 2 * Stages + 4;
  typedef logic [4:0] count_t;

  logic                 far_clear, in_ready, out_valid, idle;
  logic [DataWidth-1:0] out_data;

  stream_stages #(.DataWidth(DataWidth), .Stages(Stages)) u_dut (
    .clk_i, .rst_ni, .clear_i, .far_clear_o(far_clear),
    .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data), .idle_o(idle)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(DataWidth)) u_stable (
    .clk_i, .rst_ni, .free_i(far_clear), .valid_i(out_valid), .ready_i(out_ready_i),
    .data_i(out_data)
  );

  // ---- the duration of a clear, and its positions ----
  count_t clear_q;
  logic [Stages-1:0] way_q;
  logic   clearing;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      way_q <= '0;
    end else begin
      clear_q <= !clear_i ? '0 : clear_q == '1 ? clear_q : clear_q + 1'b1;
      way_q <= Stages'({way_q, clear_i});
    end
  end
  assign clearing = clear_i || way_q != '0;

  count_t held, ahead;
  logic   watched;
  logic [DataWidth-1:0] watched_data;
  proof_scoreboard #(.DataWidth(DataWidth), .CountBits(5)) u_beats (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(clear_i),
    .in_beat_i(in_valid_i && in_ready), .in_data_i,
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(clearing),
    .out_beat_i(out_valid && out_ready_i && !clearing), .out_data_i(out_data),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(watched_data)
  );

  always_comb begin
    if (clear_q != '0 && clear_q <= count_t'(2 * Stages)) assume (clear_i);
    if (rst_ni) begin
      assert (held <= count_t'(Depth));
      assert (far_clear == way_q[Stages-1]);
      if (u_dut.gen_stages.valid_q[Stages-1] && !far_clear) assert (u_dut.gen_stages.fifo_ready);
      if (clear_i) assert (!in_ready);
      if (!clear_i && way_q != '0 && !way_q[0]) assert (!(out_valid && held == '0 && !far_clear));
      if (idle && !clearing) assert (held == '0 && !out_valid);

      cover (held == count_t'(Depth) && out_valid);
      cover (out_valid && out_data != '0 && clear_q == '0 && way_q == '0);
      cover (idle && held == '0 && !clearing && out_ready_i);
    end
  end

  if (Invariants) begin : gen_invariants
    // The positions of the beats: in the queue's output, its memory, in transit.
    count_t first, on_way, back;
    count_t [Stages-1:0] place;  // beats before the one in a stage
    always_comb begin
      first = count_t'(u_dut.gen_stages.u_fifo.out_valid_q) + count_t'(u_dut.gen_stages.u_fifo.count_q);
      on_way = '0;
      back = '0;
      for (int i = Stages - 1; i >= 0; i--) begin
        place[i] = first + on_way;
        on_way += count_t'(u_dut.gen_stages.valid_q[i]);
        back += count_t'(u_dut.gen_stages.credit_q[i]);
      end
    end

    always_comb begin
      if (rst_ni) begin
        assert (u_dut.gen_stages.clear_q == way_q);
        for (int i = 0; i < Stages; i++) begin
          if (way_q[i]) assert (!u_dut.gen_stages.valid_q[i]);
        end
        // The clear is a run of ones that moves in or out.
        assert (clear_q >= count_t'(Stages) || clear_q == '0 || way_q[0]);
        for (int i = 0; i < Stages; i++) begin
          if (clear_q > count_t'(i)) assert (way_q[i]);
          if (clear_q == '0 && i > 0 && way_q[i-1]) assert (way_q[i]);
        end
        if (clear_q == '0 && way_q != '0) begin
          assert (way_q[Stages-1] && back == '0 && !u_dut.gen_stages.u_fifo.out_valid_q);
          assert (u_dut.gen_stages.u_fifo.count_q == '0);
        end
        if (clear_q > count_t'(Stages)) begin
          assert (!u_dut.gen_stages.u_fifo.out_valid_q && u_dut.gen_stages.u_fifo.count_q == '0);
        end
        for (int i = 0; i < Stages; i++) begin
          if (clear_q > count_t'(Stages + 1 + i)) assert (!u_dut.gen_stages.credit_q[i]);
        end
        if (clear_q != '0) begin
          assert (u_dut.gen_stages.credits_q == Depth);
          assert (held == '0);
        end
        if (clear_q == '0) begin
          assert (held == first + on_way);
          assert (count_t'(u_dut.gen_stages.credits_q) + held + back == count_t'(Depth));
          for (int i = 0; i < Stages; i++) begin
            if (u_dut.gen_stages.valid_q[i] && watched && ahead == place[i]) begin
              assert (u_dut.gen_stages.data_q[i] == watched_data);
            end
          end
          if (watched && ahead == '0 && u_dut.gen_stages.u_fifo.out_valid_q) begin
            assert (out_data == watched_data);
          end
          for (int i = 0; i < Depth; i++) begin
            if (count_t'(i) < count_t'(u_dut.gen_stages.u_fifo.count_q) && watched
                && ahead == count_t'(i) + count_t'(u_dut.gen_stages.u_fifo.out_valid_q)) begin
              assert (u_dut.gen_stages.u_fifo.memory[
                  (u_dut.gen_stages.u_fifo.read_q + i) % Depth] == watched_data);
            end
          end
        end
        assert (u_dut.gen_stages.u_fifo.read_q < Depth && u_dut.gen_stages.u_fifo.write_q < Depth);
        assert (u_dut.gen_stages.u_fifo.write_q
            == (u_dut.gen_stages.u_fifo.read_q + u_dut.gen_stages.u_fifo.count_q) % Depth);
      end
    end
  end
endmodule
