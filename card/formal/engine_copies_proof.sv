// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_copies_proof: each request frame goes completely to one copy, its beats once and in order.
// Reply frames leave complete and unchanged, and stay offered until they are accepted. With
// Ordered, the n-th frame since a reset goes to copy n modulo Copies, the n-th reply is the frame
// of that copy, and replies from before a soft reset come before all others. Each error is reported
// once. Assumed: the shell and the copies keep their offers until they are accepted; a copy does
// not pause within a reply, answers at most the frames that it received, and begins no reply in a
// soft reset or the clock after it. Copies accept requests and reply at arbitrary times. On
// average, errors come no faster than they are reported.
module engine_copies_proof #(
  parameter int unsigned Copies = 3,
  parameter bit Ordered = 1'b1,
  parameter bit Invariants = 1'b1
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    soft_reset_i,
  input logic                    req_valid_i,
  input logic [63:0]             req_data_i,
  input logic                    req_last_i,
  input logic                    rpl_ready_i,
  input logic [Copies-1:0]       copy_req_ready_i,
  input logic [Copies-1:0]       copy_rpl_valid_i,
  input logic [Copies-1:0][63:0] copy_rpl_data_i,
  input logic [Copies-1:0]       copy_rpl_last_i,
  input logic [Copies-1:0]       copy_error_i,
  input logic [Copies-1:0]       copy_ignored_i,
  input logic [Copies-1:0]       copy_idle_i
);
  localparam int unsigned IndexBits = $clog2(Copies);
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [Copies-1:0] copies_t;

  logic                    req_ready, rpl_valid, rpl_last, error, ignored, idle;
  logic [63:0]             rpl_data;
  logic [Copies-1:0]       copy_req_valid, copy_req_last, copy_rpl_ready;
  logic [Copies-1:0][63:0] copy_req_data;

  engine_copies #(.Copies(Copies), .Ordered(Ordered), .OwedBits(3)) u_dut (
    .clk_i, .rst_ni, .soft_reset_i,
    .req_valid_i, .req_ready_o(req_ready), .req_data_i, .req_last_i,
    .rpl_valid_o(rpl_valid), .rpl_ready_i, .rpl_data_o(rpl_data), .rpl_last_o(rpl_last),
    .error_o(error), .ignored_o(ignored), .idle_o(idle),
    .copy_req_valid_o(copy_req_valid), .copy_req_ready_i, .copy_req_data_o(copy_req_data),
    .copy_req_last_o(copy_req_last),
    .copy_rpl_valid_i, .copy_rpl_ready_o(copy_rpl_ready), .copy_rpl_data_i, .copy_rpl_last_i,
    .copy_error_i, .copy_ignored_i, .copy_idle_i
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(65), .Assume(1'b1)) u_req (
    .clk_i, .rst_ni, .free_i(soft_reset_i), .valid_i(req_valid_i), .ready_i(req_ready),
    .data_i({req_last_i, req_data_i})
  );
  proof_stable #(.DataWidth(65)) u_rpl (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(rpl_valid), .ready_i(rpl_ready_i),
    .data_i({rpl_last, rpl_data})
  );

  function automatic index_t next(input index_t index);
    return index == index_t'(Copies - 1) ? '0 : index + 1'b1;
  endfunction

  // ---- requests: each completely to one copy ----
  logic   comes, inside_q, reset_q;
  index_t target, owner_q, turn_in_q;
  assign comes = req_valid_i && req_ready;
  assign target = u_dut.gen_copies.target;

  // ---- replies ----
  logic [Copies-1:0] copy_inside_q, copy_beat, copy_ends, waits_q, stale_q;
  logic              goes, rpl_inside_q;
  index_t            source, rpl_owner_q, turn_out_q;
  assign goes = rpl_valid && rpl_ready_i;
  assign copy_beat = copy_rpl_valid_i & copy_rpl_ready;
  assign copy_ends = copy_beat & copy_rpl_last_i;
  always_comb begin
    source = '0;
    for (int unsigned i = 0; i < Copies; i++) if (copy_beat[i]) source = index_t'(i);
  end

  logic [7:0] errors_in_q, errors_out_q, errors_now;
  always_comb begin
    errors_now = '0;
    for (int unsigned i = 0; i < Copies; i++) errors_now += 8'(copy_error_i[i]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      reset_q <= 1'b0;
      turn_in_q <= '0;
      copy_inside_q <= '0;
      waits_q <= '0;
      stale_q <= '0;
      rpl_inside_q <= 1'b0;
      turn_out_q <= '0;
      errors_in_q <= '0;
      errors_out_q <= '0;
    end else begin
      reset_q <= soft_reset_i;
      if (comes) inside_q <= !req_last_i;
      if (comes && req_last_i) turn_in_q <= next(turn_in_q);
      for (int unsigned i = 0; i < Copies; i++) begin
        if (copy_beat[i]) copy_inside_q[i] <= !copy_rpl_last_i[i];
      end
      waits_q <= copy_rpl_valid_i & ~copy_beat;
      stale_q <= stale_q & ~copy_ends;
      if (goes) rpl_inside_q <= !rpl_last;
      if (goes && rpl_last && !stale_q[source]) turn_out_q <= next(turn_out_q);
      if (soft_reset_i) begin
        inside_q <= 1'b0;
        turn_in_q <= '0;
        turn_out_q <= '0;
        stale_q <= copy_rpl_valid_i & ~copy_ends;
      end
      errors_in_q <= errors_in_q + errors_now;
      errors_out_q <= errors_out_q + 8'(error);
    end
  end
  always_ff @(posedge clk_i) begin
    if (comes) owner_q <= target;
    if (goes) rpl_owner_q <= source;
  end

  for (genvar i = 0; i < Copies; i++) begin : gen_copy
    // The rules of the engine.
    proof_stable #(.DataWidth(65), .Assume(1'b1)) u_reply (
      .clk_i, .rst_ni, .free_i(1'b0), .valid_i(copy_rpl_valid_i[i]), .ready_i(copy_rpl_ready[i]),
      .data_i({copy_rpl_last_i[i], copy_rpl_data_i[i]})
    );
    proof_stable #(.DataWidth(65)) u_request (
      .clk_i, .rst_ni, .free_i(soft_reset_i), .valid_i(copy_req_valid[i]),
      .ready_i(copy_req_ready_i[i]), .data_i({copy_req_last[i], copy_req_data[i]})
    );
    always_comb begin
      if (rst_ni && copy_inside_q[i]) assume (copy_rpl_valid_i[i]);
      if (rst_ni && reset_q && !waits_q[i] && !copy_inside_q[i]) assume (!copy_rpl_valid_i[i]);
    end

    // The data at the copy are the data that came in for it.
    logic [2:0] held, ahead;
    logic       watched;
    logic [64:0] watched_data;
    proof_scoreboard #(.DataWidth(65), .CountBits(3)) u_beats (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(soft_reset_i),
      .in_beat_i(comes && target == index_t'(i)), .in_data_i({req_last_i, req_data_i}),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(soft_reset_i),
      .out_beat_i(copy_req_valid[i] && copy_req_ready_i[i] && !soft_reset_i),
      .out_data_i({copy_req_last[i], copy_req_data[i]}),
      .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(watched_data)
    );
    always_comb begin
      if (rst_ni) assert (held <= 3'd2 && copy_req_valid[i] == (held != '0));
    end

    if (Invariants) begin : gen_invariants
      // The two registers of the slice, the one that leaves first.
      always_comb begin
        if (rst_ni) begin
          assert (held == 3'(u_dut.gen_copies.gen_slice[i].u_slice.out_valid_q)
              + 3'(u_dut.gen_copies.gen_slice[i].u_slice.skid_valid_q));
          if (watched && ahead == 3'd0) begin
            assert (u_dut.gen_copies.gen_slice[i].u_slice.out_q == watched_data);
          end
          if (watched && ahead == 3'd1) begin
            assert (u_dut.gen_copies.gen_slice[i].u_slice.skid_q == watched_data);
          end
          if (copy_inside_q[i]) assert (rpl_inside_q && rpl_owner_q == index_t'(i));
        end
      end
    end
  end

  always_comb begin
    assume (errors_in_q - errors_out_q <= 8'd4);
    assume (copy_ignored_i == '0);
    if (rst_ni) begin
      // Requests.
      if (comes) assert (target < index_t'(Copies) || Copies == 2 ** IndexBits);
      if (comes && inside_q) assert (target == owner_q);
      if (soft_reset_i) assert (!comes);
      if (Ordered && comes) assert (target == turn_in_q);
      // Replies: a beat leaves when a copy offers it, unchanged.
      assert (goes == (copy_beat != '0) && (copy_beat & (copy_beat - 1'b1)) == '0);
      if (goes) assert (rpl_data == copy_rpl_data_i[source] && rpl_last == copy_rpl_last_i[source]);
      if (goes && rpl_inside_q) assert (source == rpl_owner_q);
      if (Ordered && goes) begin
        assert (stale_q[source] || (stale_q == '0 && source == turn_out_q) || soft_reset_i);
      end
      // If a reply can leave, one does.
      if (stale_q != '0 || (copy_rpl_valid_i != '0 && !Ordered)) assert (rpl_valid);
      if (stale_q == '0 && !soft_reset_i && copy_rpl_valid_i[turn_out_q] && Ordered) begin
        assert (rpl_valid);
      end
      // Errors.
      assert (error == (errors_in_q != errors_out_q));
      if (idle) assert (copy_req_valid == '0 && !error);

      cover (goes && rpl_last && stale_q != '0 && turn_in_q != '0);
      cover (goes && rpl_last && turn_out_q == index_t'(Copies - 1));
      cover (copy_req_valid == '1);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.gen_copies.inside_q == inside_q);
        if (inside_q) assert (u_dut.gen_copies.target_q == owner_q && owner_q < index_t'(Copies));
        assert (8'(u_dut.gen_copies.errors_q) == errors_in_q - errors_out_q);
        assert (u_dut.gen_copies.choice_q < index_t'(Copies));
        if (rpl_inside_q) assert (copy_inside_q[rpl_owner_q]);
      end
    end
    if (Ordered) begin : gen_ordered
      always_comb begin
        if (rst_ni) begin
          assert (u_dut.gen_copies.gen_turns.stale_q == stale_q);
          assert (u_dut.gen_copies.gen_turns.turn_q == turn_out_q && turn_out_q < index_t'(Copies));
          assert (turn_in_q < index_t'(Copies));
          assert ((inside_q ? owner_q : u_dut.gen_copies.choice_q) == turn_in_q);
          if (rpl_inside_q) begin
            assert (u_dut.gen_copies.gen_turns.locked_q);
            assert (u_dut.gen_copies.gen_turns.grant_q == rpl_owner_q);
          end
          if (u_dut.gen_copies.gen_turns.locked_q) begin
            assert (u_dut.gen_copies.gen_turns.grant_q < index_t'(Copies));
            assert (copy_rpl_valid_i[u_dut.gen_copies.gen_turns.grant_q]);
            assert (stale_q[u_dut.gen_copies.gen_turns.grant_q]
                || (stale_q == '0 && u_dut.gen_copies.gen_turns.grant_q == turn_out_q));
          end
          assert ((stale_q & ~copy_rpl_valid_i) == '0);
        end
      end
    end else begin : gen_any
      // The arbiter's grant is one bit, and the bits after it are the bits above it.
      copies_t granted;
      assign granted = u_dut.gen_copies.gen_least.u_join.granted_q;
      always_comb begin
        if (rst_ni) begin
          if (rpl_inside_q) begin
            assert (u_dut.gen_copies.gen_least.u_join.locked_q);
            assert (granted == copies_t'(1) << rpl_owner_q);
          end
          assert (granted != '0 && (granted & (granted - 1'b1)) == '0);
          assert (u_dut.gen_copies.gen_least.u_join.behind_q == ~(granted | (granted - 1'b1)));
          assert (!u_rpl.waits_q || u_dut.gen_copies.gen_least.u_join.locked_q);
          if (u_dut.gen_copies.gen_least.u_join.locked_q) begin
            assert ((copy_rpl_valid_i & granted) != '0);
          end
          assert (u_dut.gen_copies.gen_least.look_q < index_t'(Copies));
          assert ((stale_q & ~copy_rpl_valid_i) == '0);
        end
      end
    end
  end
endmodule
