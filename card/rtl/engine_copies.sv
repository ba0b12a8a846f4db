// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// engine_copies: several copies of an engine at one port of the card. Each request frame goes
// completely to one copy, which answers with one frame; reply frames leave complete.
//
// Ordered: replies come in the order of the requests. The copies are served in rotation, and their
// replies are accepted in the same rotation. Otherwise a frame goes to a copy with the fewest owed
// replies (searched continuously, one comparison per clock, so the choice may lag by Copies
// clocks), and replies are accepted round robin.
//
// Errors and ignored frames of all copies are counted: one pulse per clock, delayed if several come
// at once. soft_reset_i also resets the engines: the replies that they are offering are completed
// first, and waiting requests are dropped. Adds one clock to requests; a single copy is only wires.
module engine_copies #(
  parameter int unsigned Copies = 2,
  parameter bit Ordered = 1'b0,
  parameter int unsigned OwedBits = 12  // of the number of replies that a copy owes
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    soft_reset_i,

  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  logic [63:0]             req_data_i,
  input  logic                    req_last_i,
  output logic                    rpl_valid_o,
  input  logic                    rpl_ready_i,
  output logic [63:0]             rpl_data_o,
  output logic                    rpl_last_o,
  output logic                    error_o,
  output logic                    ignored_o,
  output logic                    memory_error_o,
  output logic                    idle_o,

  output logic [Copies-1:0]       copy_req_valid_o,
  input  logic [Copies-1:0]       copy_req_ready_i,
  output logic [Copies-1:0][63:0] copy_req_data_o,
  output logic [Copies-1:0]       copy_req_last_o,
  input  logic [Copies-1:0]       copy_rpl_valid_i,
  output logic [Copies-1:0]       copy_rpl_ready_o,
  input  logic [Copies-1:0][63:0] copy_rpl_data_i,
  input  logic [Copies-1:0]       copy_rpl_last_i,
  input  logic [Copies-1:0]       copy_error_i,
  input  logic [Copies-1:0]       copy_ignored_i,
  input  logic [Copies-1:0]       copy_memory_error_i,
  input  logic [Copies-1:0]       copy_idle_i
);
  if (Copies < 1 || Copies > 7) begin : gen_bad_copies
    $error("engine_copies: Copies = %0d is not from 1 to 7", Copies);
  end

  // A failed copy gives no reply until the soft reset; the port's guard stops all copies.
  assign memory_error_o = copy_memory_error_i != '0;

  if (Copies == 1) begin : gen_wires
    assign copy_req_valid_o = req_valid_i;
    assign req_ready_o = copy_req_ready_i;
    assign copy_req_data_o = req_data_i;
    assign copy_req_last_o = req_last_i;
    assign rpl_valid_o = copy_rpl_valid_i;
    assign copy_rpl_ready_o = rpl_ready_i;
    assign rpl_data_o = copy_rpl_data_i;
    assign rpl_last_o = copy_rpl_last_i;
    assign error_o = copy_error_i;
    assign ignored_o = copy_ignored_i;
    assign idle_o = copy_idle_i;

    logic unused;
    assign unused = ^{clk_i, rst_ni, soft_reset_i};
  end else begin : gen_copies
    localparam int unsigned IndexBits = $clog2(Copies);
    typedef logic [IndexBits-1:0] index_t;

    function automatic index_t next(input index_t index);
      return index == index_t'(Copies - 1) ? '0 : index + 1'b1;
    endfunction

    // ---- requests ----
    index_t            choice_q, target_q, target;
    logic              inside_q;  // between the first and the last beat of a frame
    logic              comes;
    logic [Copies-1:0] slice_ready, reply_ends;

    assign target = inside_q ? target_q : choice_q;
    assign req_ready_o = slice_ready[target] && !soft_reset_i;
    assign comes = req_valid_i && req_ready_o;

    for (genvar i = 0; i < Copies; i++) begin : gen_slice
      stream_skid #(.DataWidth(65)) u_slice (
        .clk_i, .rst_ni, .clear_i(soft_reset_i),
        .in_valid_i(comes && target == index_t'(i)), .in_ready_o(slice_ready[i]),
        .in_data_i({req_last_i, req_data_i}),
        .out_valid_o(copy_req_valid_o[i]), .out_ready_i(copy_req_ready_i[i]),
        .out_data_o({copy_req_last_o[i], copy_req_data_o[i]})
      );
      assign reply_ends[i] = copy_rpl_valid_i[i] && copy_rpl_ready_o[i] && copy_rpl_last_i[i];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        inside_q <= 1'b0;
        target_q <= '0;
      end else if (soft_reset_i) begin
        inside_q <= 1'b0;
      end else if (comes) begin
        inside_q <= !req_last_i;
        target_q <= target;
      end
    end

    if (Ordered) begin : gen_turns
      // ---- in rotation, both directions ----
      index_t            turn_q, grant_q, grant, stale;
      logic              locked_q;  // a frame of grant_q is offered
      logic [Copies-1:0] stale_q;   // offers a frame from before a soft reset

      always_comb begin
        stale = '0;
        for (int unsigned i = Copies; i > 0; i--) if (stale_q[i-1]) stale = index_t'(i - 1);
      end
      assign grant = locked_q ? grant_q : stale_q != '0 ? stale : turn_q;
      assign rpl_valid_o = copy_rpl_valid_i[grant];
      assign rpl_data_o = copy_rpl_data_i[grant];
      assign rpl_last_o = copy_rpl_last_i[grant];
      always_comb begin
        copy_rpl_ready_o = '0;
        copy_rpl_ready_o[grant] = rpl_ready_i;
      end

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          choice_q <= '0;
          turn_q <= '0;
          grant_q <= '0;
          locked_q <= 1'b0;
          stale_q <= '0;
        end else begin
          if (soft_reset_i) choice_q <= '0;
          else if (comes && req_last_i) choice_q <= next(target);

          if (rpl_valid_o) begin
            grant_q <= grant;
            locked_q <= !(rpl_ready_i && rpl_last_o);
          end
          stale_q <= (soft_reset_i ? copy_rpl_valid_i : stale_q) & ~reply_ends;
          if (soft_reset_i) turn_q <= '0;
          else if (reply_ends[grant] && !stale_q[grant]) turn_q <= next(turn_q);
        end
      end
    end else begin : gen_least
      // ---- to the copy with the fewest owed replies ----
      logic [Copies-1:0][OwedBits-1:0] owed_q;
      index_t                          look_q;
      logic [Copies-1:0]               begins;

      for (genvar i = 0; i < Copies; i++) begin : gen_owed
        assign begins[i] = comes && !inside_q && target == index_t'(i);
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) owed_q[i] <= '0;
          else if (soft_reset_i) owed_q[i] <= '0;
          // (A reply from before a soft reset was not counted.)
          else if (begins[i] != reply_ends[i] && (begins[i] ? owed_q[i] != '1 : owed_q[i] != '0))
            owed_q[i] <= begins[i] ? owed_q[i] + 1'b1 : owed_q[i] - 1'b1;
        end
      end

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          choice_q <= '0;
          look_q <= '0;
        end else begin
          look_q <= next(look_q);
          if (owed_q[look_q] < owed_q[choice_q]) choice_q <= look_q;
        end
      end

      stream_arbiter #(.Inputs(Copies), .DataWidth(64)) u_join (
        .clk_i, .rst_ni, .clear_i(1'b0),  // frames are finished across a soft reset
        .in_valid_i(copy_rpl_valid_i), .in_ready_o(copy_rpl_ready_o),
        .in_data_i(copy_rpl_data_i), .in_last_i(copy_rpl_last_i),
        .out_valid_o(rpl_valid_o), .out_ready_i(rpl_ready_i),
        .out_data_o(rpl_data_o), .out_last_o(rpl_last_o)
      );
    end

    // ---- reports of all copies ----
    localparam int unsigned PulseBits = IndexBits + 3;
    logic [PulseBits-1:0] errors_q, ignored_q, errors, ignored;
    always_comb begin
      errors = '0;
      ignored = '0;
      for (int unsigned i = 0; i < Copies; i++) begin
        errors += PulseBits'(copy_error_i[i]);
        ignored += PulseBits'(copy_ignored_i[i]);
      end
    end

    assign error_o = errors_q != '0;
    assign ignored_o = ignored_q != '0;
    assign idle_o = copy_idle_i == '1 && copy_req_valid_o == '0 && !error_o && !ignored_o;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        errors_q <= '0;
        ignored_q <= '0;
      end else begin
        errors_q <= errors_q + errors - PulseBits'(error_o);
        ignored_q <= ignored_q + ignored - PulseBits'(ignored_o);
      end
    end
  end
endmodule
