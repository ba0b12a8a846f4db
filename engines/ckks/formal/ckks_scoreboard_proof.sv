// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_scoreboard_proof: no instruction begins before every earlier one is done that writes one of
// its resources, or reads one that it writes. No slot is therefore read before it is written, or
// overwritten before it is read. A unit's instructions begin in order, each once.
//
// The proof watches an instruction A and a resource; both are arbitrary, so that the result holds
// for all. For each unit, it keeps the first instruction after A that conflicts with A in that
// resource: it begins when A is done, and all later ones of its unit come after it. Assumed: an
// instruction's operands have one unit; a unit completes what it began; there are fewer
// instructions than numbers; a clear comes while nothing is inside. The covers and refuted faults
// share one scenario, in which operands come without a pause and A is the first instruction.
module ckks_scoreboard_proof #(
  parameter int unsigned Units = 2,
  parameter int unsigned Resources = 2,
  parameter int unsigned NumberBits = 3,
  parameter int unsigned QueueDepth = 2,
  parameter bit Invariants = 1'b1
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic                             clear_i,
  input logic                             operand_valid_i,
  input logic [$clog2(Units)-1:0]         operand_unit_i,
  input logic [$clog2(Resources)-1:0]     operand_resource_i,
  input logic                             operand_write_i,
  input logic                             operand_last_i,
  input logic [Units-1:0]                 begin_ready_i,
  input logic [Units-1:0]                 done_i
);
  localparam int unsigned UnitBits = $clog2(Units);
  localparam int unsigned ResourceBits = $clog2(Resources);
  typedef logic [NumberBits-1:0] number_t;

  logic                operand_ready, idle;
  logic [Units-1:0]    begin_valid;
  number_t [Units-1:0] begin_payload;
  number_t [Units-1:0] taken_q, begun_q, done_q;
  number_t             number;
  assign number = taken_q[operand_unit_i] + 1'b1;

  // An instruction carries its number as payload.
  ckks_scoreboard #(
    .Units(Units), .Resources(Resources), .NumberBits(NumberBits), .QueueDepth(QueueDepth),
    .PayloadBits(NumberBits)
  ) u_dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .operand_valid_i, .operand_ready_o(operand_ready),
    .operand_unit_i, .operand_resource_i, .operand_write_i, .operand_last_i,
    .operand_payload_i(number), .begin_valid_o(begin_valid), .begin_ready_i,
    .begin_payload_o(begin_payload), .done_i
  );

  proof_reset u_reset (.rst_ni);

  // ---- what came, what began, what is done ----
  logic                inside_q;  // an instruction's last operand has not come
  logic [UnitBits-1:0] unit_q;
  logic                takes;
  assign takes = operand_valid_i && operand_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {taken_q, begun_q, done_q} <= '0;
      inside_q <= 1'b0;
    end else if (clear_i && idle) begin
      {taken_q, begun_q, done_q} <= '0;
      inside_q <= 1'b0;
    end else begin
      if (takes) inside_q <= !operand_last_i;
      for (int u = 0; u < Units; u++) begin
        taken_q[u] <= taken_q[u] + number_t'(takes && operand_last_i && operand_unit_i == u);
        begun_q[u] <= begun_q[u] + number_t'(begin_valid[u] && begin_ready_i[u]);
        done_q[u]  <= done_q[u] + number_t'(done_i[u]);
      end
    end
  end
  always_ff @(posedge clk_i) if (takes) unit_q <= operand_unit_i;

  always_comb begin
    if (clear_i) assume (idle && !inside_q);
    if (operand_valid_i && inside_q) assume (operand_unit_i == unit_q);
    if (operand_valid_i) assume (taken_q[operand_unit_i] < number_t'('1 - 2));
    for (int u = 0; u < Units; u++) if (done_i[u]) assume (done_q[u] != begun_q[u]);
  end

  // ---- the watched instruction and resource ----
  logic [UnitBits-1:0]     watched_unit_q;
  number_t                 watched_q;
  logic [ResourceBits-1:0] resource_q;
  always_ff @(posedge clk_i) begin
    watched_unit_q <= watched_unit_q;
    watched_q      <= watched_q;
    resource_q     <= resource_q;
  end
  always_comb assume (watched_q != '0);

  if (!Invariants) begin : gen_story
    logic was_out;
    formal_previous u_rst (.value_i(rst_ni), .value_o(was_out));
    always_comb begin
      assume (!was_out || rst_ni);
      assume (operand_valid_i && !clear_i && begin_ready_i == '1);
      assume (watched_unit_q == '0 && watched_q == number_t'(1) && resource_q == '0);
      if (taken_q == '0 && !inside_q) assume (operand_unit_i == '0);
    end
  end

  logic                wrote_q, read_q, is_watched, conflicts, is_done;
  logic [Units-1:0]    set_q;    // there is such an instruction
  number_t [Units-1:0] first_q;
  assign is_watched = operand_unit_i == watched_unit_q && number == watched_q;
  assign conflicts  = takes && operand_resource_i == resource_q && !is_watched
                   && (wrote_q || (read_q && operand_write_i));
  assign is_done    = done_q[watched_unit_q] >= watched_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {wrote_q, read_q, set_q} <= '0;
    end else if (clear_i && idle) begin
      {wrote_q, read_q, set_q} <= '0;
    end else if (takes) begin
      if (operand_resource_i == resource_q && is_watched) begin
        wrote_q <= wrote_q || operand_write_i;
        read_q  <= read_q || !operand_write_i;
      end
      if (conflicts) set_q[operand_unit_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (conflicts && !set_q[operand_unit_i]) first_q[operand_unit_i] <= number;
  end

  always_comb begin
    if (rst_ni) begin
      for (int u = 0; u < Units; u++) begin
        if (begin_valid[u]) begin
          assert (begin_payload[u] == begun_q[u] + 1'b1);
          assert (begun_q[u] < taken_q[u]);
          if (set_q[u] && begun_q[u] + 1'b1 >= first_q[u]) assert (is_done);
        end
      end
      if (idle) assert (taken_q == done_q || inside_q);

      cover (begin_valid[1] && set_q[1] && begun_q[1] + 1'b1 == first_q[1]);
      cover (begin_valid[1] && !is_done && set_q[0] && begun_q[0] + 1'b1 == first_q[0]);
    end
  end

  if (Invariants) begin : gen_invariants
    // The design's states, in their order.
    localparam logic [2:0] StateTake = 3'd0;
    localparam logic [2:0] StateRead = 3'd1;
    localparam logic [2:0] StateUpdate = 3'd2;
    localparam logic [2:0] StateWritten = 3'd3;
    localparam logic [2:0] StateReaders = 3'd4;
    localparam logic [2:0] StatePush = 3'd5;
    localparam logic [2:0] StateClear = 3'd6;

    // The instruction whose operands come, and the known properties before its current operand.
    logic open_q, tagged_q, own_wrote_q, own_read_q;
    logic tagged_before_q, own_wrote_before_q, own_read_before_q, wrote_before_q, read_before_q;
    logic own_tagged;
    assign own_tagged = conflicts || (open_q && tagged_q);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        {open_q, tagged_q, own_wrote_q, own_read_q} <= '0;
        {tagged_before_q, own_wrote_before_q, own_read_before_q} <= '0;
        {wrote_before_q, read_before_q} <= '0;
      end else if (clear_i && idle) begin
        open_q <= 1'b0;
        {wrote_before_q, read_before_q} <= '0;
      end else begin
        if (takes) begin
          open_q             <= 1'b1;
          tagged_q           <= own_tagged;
          own_wrote_q        <= (open_q && own_wrote_q)
                             || (operand_resource_i == resource_q && operand_write_i);
          own_read_q         <= (open_q && own_read_q)
                             || (operand_resource_i == resource_q && !operand_write_i);
          tagged_before_q    <= open_q && tagged_q;
          own_wrote_before_q <= open_q && own_wrote_q;
          own_read_before_q  <= open_q && own_read_q;
          {wrote_before_q, read_before_q} <= {wrote_q, read_q};
        end
        if (u_dut.pushes) open_q <= 1'b0;
      end
    end

    // The table's entry of the resource, and whether a number is not done before A is.
    typedef struct packed {
      logic [UnitBits-1:0] writer;
      number_t             written;
      number_t [Units-1:0] read;
    } entry_t;
    entry_t held, hand, word;
    assign held = u_dut.u_table.words[resource_q];
    assign hand = u_dut.u_table.words[u_dut.operand_q.resource];
    assign word = u_dut.u_table.word_q;
    function automatic logic guards(input int u, input number_t value);
      return u == int'(watched_unit_q) ? value >= watched_q : set_q[u] && value >= first_q[u];
    endfunction
    function automatic number_t larger(input number_t a, input number_t b);
      return a > b ? a : b;
    endfunction
    logic guarded, guarded_written, guarded_readers;
    always_comb begin
      {guarded, guarded_written, guarded_readers} = '0;
      for (int u = 0; u < Units; u++) begin
        number_t behind;
        behind = larger(u_dut.waits_q[u], u_dut.candidate_q[u]);
        guarded         |= guards(u, u_dut.waits_q[u]);
        guarded_readers |= guards(u, behind);
        guarded_written |= guards(u, larger(behind, u_dut.readers_q[u]));
      end
    end

    logic is_clear, is_early, is_hand, past, wrote, read, own_wrote, own_read;
    assign is_clear  = u_dut.state_q == StateClear;
    assign is_early  = u_dut.state_q == StateRead || u_dut.state_q == StateUpdate;
    assign is_hand   = !is_clear && u_dut.state_q != StateTake;
    assign past      = wrote_q || read_q;
    assign wrote     = is_early ? wrote_before_q : wrote_q;
    assign read      = is_early ? read_before_q : read_q;
    assign own_wrote = open_q && (is_early ? own_wrote_before_q : own_wrote_q);
    assign own_read  = open_q && (is_early ? own_read_before_q : own_read_q);

    always_comb begin
      if (rst_ni) begin
        assert (u_dut.state_q <= StateClear);
        if (is_clear) assert (taken_q == '0 && begun_q == '0 && done_q == '0 && !open_q);
        if (is_clear) assert (!past && set_q == '0 && !inside_q);
        if (is_clear && resource_q < u_dut.clear_q) assert (held == '0);
        if (!is_clear) assert (u_dut.clear_q == '0);
        if (is_hand) begin
          assert (open_q && unit_q == u_dut.operand_q.unit && inside_q == !u_dut.operand_q.last);
          assert (u_dut.number_q == u_dut.taken_q[unit_q] + 1'b1);
          assert (u_dut.operand_q.payload == u_dut.number_q);
        end
        if (u_dut.state_q == StatePush) assert (u_dut.operand_q.last);
        if (u_dut.state_q == StateTake) assert (open_q == inside_q);
        if (u_dut.state_q == StateRead) assert (word == hand);
        if (u_dut.state_q == StateUpdate) assert (u_dut.entry == hand);

        // The table.
        if (!is_clear) begin
          if (wrote) assert (guards(int'(held.writer), held.written));
          else if (read) assert (guards(int'(held.writer), held.written)
                                 || held.read[watched_unit_q] >= watched_q);
          assert (held.written <= u_dut.taken_q[held.writer]
                                + number_t'(own_wrote && unit_q == held.writer));
          for (int u = 0; u < Units; u++) begin
            assert (held.read[u] <= u_dut.taken_q[u] + number_t'(own_read && unit_q == u));
          end
        end

        // The instruction whose operands come.
        if (past) begin
          assert (u_dut.taken_q[watched_unit_q] >= watched_q
                  || (open_q && unit_q == watched_unit_q
                      && u_dut.taken_q[watched_unit_q] + 1'b1 == watched_q));
        end else begin
          assert (set_q == '0 && !(open_q && tagged_q));
        end
        if (open_q && unit_q == watched_unit_q
            && u_dut.taken_q[watched_unit_q] + 1'b1 == watched_q) assert (!tagged_q);
        else if (open_q && own_wrote_q && past) assert (tagged_q);
        if (open_q && tagged_q) assert (set_q[unit_q]
                                        && first_q[unit_q] <= u_dut.taken_q[unit_q] + 1'b1);
        assert (!wrote_before_q || wrote_q || !is_early);
        if (is_early) begin
          assert (!wrote_before_q || wrote_q);
          assert (!read_before_q || read_q);
          assert (!tagged_before_q || tagged_q);
          assert (!own_wrote_before_q || own_wrote_q);
          assert (!own_read_before_q || own_read_q);
          if (u_dut.operand_q.resource == resource_q) begin
            assert (u_dut.operand_q.write ? own_wrote_q : own_read_q);
          end
          if (!(unit_q == watched_unit_q && u_dut.number_q == watched_q)) begin
            assert (wrote_q == wrote_before_q && read_q == read_before_q);
            assert (tagged_q == (tagged_before_q || (u_dut.operand_q.resource == resource_q
                                 && (wrote_q || (read_q && u_dut.operand_q.write)))));
          end else if (u_dut.operand_q.resource == resource_q) begin
            assert (wrote_q == (wrote_before_q || u_dut.operand_q.write));
            assert (read_q == (read_before_q || !u_dut.operand_q.write));
          end else begin
            assert (wrote_q == wrote_before_q && read_q == read_before_q);
          end
          if (u_dut.operand_q.resource != resource_q) begin
            assert (own_wrote_q == own_wrote_before_q && own_read_q == own_read_before_q);
          end else begin
            assert (own_wrote_q == (own_wrote_before_q || u_dut.operand_q.write));
            assert (own_read_q == (own_read_before_q || !u_dut.operand_q.write));
          end
          if (own_wrote_before_q && (wrote_before_q || read_before_q)
              && !(unit_q == watched_unit_q && u_dut.number_q == watched_q)) begin
            assert (tagged_before_q);
          end
          if (open_q && tagged_before_q) assert (guarded);
        end else if (open_q && tagged_q) begin
          unique case (u_dut.state_q)
            StateWritten: assert (guarded_written);
            StateReaders: assert (guarded_readers);
            default:            assert (guarded);
          endcase
        end
      end
    end

    // The queues.
    for (genvar u = 0; u < Units; u++) begin : gen_unit
      localparam int unsigned PlaceBits = $clog2(QueueDepth);
      logic [PlaceBits:0]   count;
      logic [PlaceBits-1:0] head, place;
      logic                 waits_for_it, met;
      assign head  = u_dut.gen_queue[u].head_q[PlaceBits-1:0];
      assign count = u_dut.gen_queue[u].tail_q - u_dut.gen_queue[u].head_q;
      assign place = head + PlaceBits'(first_q[u] - begun_q[u] - 1'b1);
      always_comb begin
        waits_for_it = 1'b0;
        met = 1'b1;
        for (int v = 0; v < Units; v++) begin
          waits_for_it |= guards(v, u_dut.gen_queue[u].waits[place][v]);
          met &= u_dut.gen_queue[u].waits[head][v] <= u_dut.done_q[v];
        end
        if (rst_ni) begin
          assert (int'(count) <= QueueDepth);
          assert (u_dut.done_q[u] == done_q[u] && done_q[u] <= begun_q[u]);
          assert (begun_q[u] + number_t'(count) == u_dut.taken_q[u]);
          assert (taken_q[u] == u_dut.taken_q[u]
                  + number_t'(is_hand && u_dut.operand_q.last && u_dut.operand_q.unit == u));
          assert (begun_q[u] <= u_dut.taken_q[u] && u_dut.taken_q[u] <= number_t'('1 - 2));
          assert (taken_q[u] <= number_t'('1 - 2));
          if (u_dut.gen_queue[u].free_q) assert (count != '0 && met);
          for (int i = 0; i < QueueDepth; i++) begin
            if (i < int'(count)) begin
              assert (u_dut.gen_queue[u].payload[PlaceBits'(head + i)] == begun_q[u] + i + 1);
            end
          end
          if (set_q[u]) begin
            assert (past && first_q[u] != '0);
            if (u == watched_unit_q) assert (first_q[u] > watched_q);
            assert (first_q[u] <= u_dut.taken_q[u]
                    || (first_q[u] == u_dut.taken_q[u] + 1'b1 && open_q && unit_q == u
                        && tagged_q));
            if (begun_q[u] >= first_q[u]) assert (is_done);
            else if (first_q[u] <= u_dut.taken_q[u]) assert (waits_for_it);
          end
        end
      end
    end
  end
endmodule
