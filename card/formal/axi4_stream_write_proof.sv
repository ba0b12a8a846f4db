// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_write_proof: each burst that axi4_stream_write accepts is answered once, in order,
// after its last beat, with its id and the correct response for its address, shape and beats. A
// beat for the ring is stored in its clock, with its strobes, at the place that its address and the
// earlier beats of its burst give, exactly if that place is free. A word of the control window is
// one pulse. Answers stay until they are accepted; nothing else is waited for. Assumed: the bus
// keeps its offers until they are accepted.
module axi4_stream_write_proof #(
  parameter int unsigned BeatBytes = 32,
  parameter int unsigned IdBits = 2,
  parameter int unsigned AddressBits = 9,
  parameter int unsigned WindowBits = 6,
  parameter int unsigned RingBeats = 2,
  parameter bit Invariants = 1'b1,
  localparam int unsigned RingBits = $clog2(RingBeats)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   awvalid_i,
  input logic [IdBits-1:0]      awid_i,
  input logic [AddressBits-1:0] awaddr_i,
  input logic [2:0]             awsize_i,
  input logic [1:0]             awburst_i,
  input logic                   wvalid_i,
  input logic [8*BeatBytes-1:0] wdata_i,
  input logic [BeatBytes-1:0]   wstrb_i,
  input logic                   wlast_i,
  input logic                   bready_i,
  input logic [RingBits-1:0]    first_i,
  input logic [RingBits:0]      room_i,
  input logic                   consumed_refused_i,
  input logic                   published_refused_i
);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;
  localparam logic [1:0] DecodeError = 2'b11;

  logic                   awready, wready, bvalid, store, consumes, publishes;
  logic [IdBits-1:0]      bid;
  logic [1:0]             bresp;
  logic [RingBits-1:0]    store_index;
  logic [BeatBytes-1:0]   store_strobe;
  logic [8*BeatBytes-1:0] store_data;
  logic [31:0]            consumed, published;

  axi4_stream_write #(
    .BeatBytes(BeatBytes), .IdBits(IdBits), .AddressBits(AddressBits), .WindowBits(WindowBits),
    .RingBeats(RingBeats)
  ) u_dut (
    .clk_i, .rst_ni,
    .s_axi_awvalid(awvalid_i), .s_axi_awready(awready), .s_axi_awid(awid_i),
    .s_axi_awaddr(awaddr_i), .s_axi_awsize(awsize_i), .s_axi_awburst(awburst_i),
    .s_axi_wvalid(wvalid_i), .s_axi_wready(wready), .s_axi_wdata(wdata_i),
    .s_axi_wstrb(wstrb_i), .s_axi_wlast(wlast_i),
    .s_axi_bvalid(bvalid), .s_axi_bready(bready_i), .s_axi_bid(bid), .s_axi_bresp(bresp),
    .first_i, .room_i, .store_o(store), .store_index_o(store_index),
    .store_strobe_o(store_strobe), .store_data_o(store_data),
    .consumes_o(consumes), .consumed_o(consumed), .consumed_refused_i,
    .publishes_o(publishes), .published_o(published), .published_refused_i
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(IdBits + AddressBits + 5), .Assume(1'b1)) u_aw (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(awvalid_i), .ready_i(awready),
    .data_i({awid_i, awaddr_i, awsize_i, awburst_i})
  );
  proof_stable #(.DataWidth(9 * BeatBytes + 1), .Assume(1'b1)) u_w (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(wvalid_i), .ready_i(wready),
    .data_i({wlast_i, wstrb_i, wdata_i})
  );
  proof_stable #(.DataWidth(IdBits + 2)) u_b (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(bvalid), .ready_i(bready_i), .data_i({bid, bresp})
  );

  // ---- the open bursts: their addresses were accepted, their last beats were not ----
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [RingBits-1:0] index;  // of the next beat
    logic [1:0]        window;
    logic [1:0]        response;  // the correct response for the address and the shape
  } burst_t;
  burst_t     came, first_q, second_q;
  logic [1:0] open_q;
  logic       failed_q, answer_q;
  logic [1:0] answer_response_q;
  logic [IdBits-1:0] answer_id_q;
  logic       take_address, beat, ends, takes_answer;

  assign take_address = awvalid_i && awready;
  assign beat = wvalid_i && wready;
  assign ends = beat && wlast_i;
  assign takes_answer = bvalid && bready_i;

  always_comb begin
    came.id = awid_i;
    came.index = awaddr_i[$clog2(BeatBytes)+:RingBits];
    came.window = awaddr_i[WindowBits+:2];
    if (awaddr_i[AddressBits-1:WindowBits+2] != '0 || came.window == 2'd3) begin
      came.response = DecodeError;
    end else if (awburst_i != 2'b01 || 2 ** awsize_i != BeatBytes || came.window == 2'd1) begin
      came.response = SlaveError;
    end else begin
      came.response = Okay;
    end
  end

  // ---- the beat ----
  logic to_ring, to_control, word_4, word_5, refused, is_free;
  assign to_ring = first_q.response == Okay && first_q.window == 2'd0;
  assign to_control = first_q.response == Okay && first_q.window == 2'd2;
  assign word_4 = beat && to_control && wstrb_i[19:16] == 4'hf;
  assign word_5 = beat && to_control && wstrb_i[23:20] == 4'hf;
  // The place is one of room_i places from first_i on.
  always_comb begin
    is_free = 1'b0;
    for (int i = 0; i < RingBeats; i++) begin
      if (i < int'(room_i) && first_q.index == first_i + RingBits'(i)) is_free = 1'b1;
    end
    refused = to_ring && !is_free;
    if (to_control) begin
      refused = !(word_4 || word_5) || (word_4 && consumed_refused_i)
          || (word_5 && published_refused_i);
    end
  end

  // A beat of the control window was there in the last clock, with the same words.
  logic                   seen_q;
  logic [8*BeatBytes-1:0] wdata_q;
  always_ff @(posedge clk_i) wdata_q <= wdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q <= 1'b0;
      open_q <= '0;
      failed_q <= 1'b0;
      answer_q <= 1'b0;
    end else begin
      seen_q <= wvalid_i && u_dut.burst_valid_q && to_control && !beat;
      open_q <= open_q + 2'(take_address) - 2'(ends);
      if (beat) failed_q <= !wlast_i && (failed_q || refused);
      answer_q <= ends || (answer_q && !takes_answer);
    end
  end
  always_ff @(posedge clk_i) begin
    if (beat) first_q.index <= first_q.index + 1'b1;
    if (ends) first_q <= second_q;
    if (take_address && (open_q == 2'd0 || (open_q == 2'd1 && ends))) first_q <= came;
    else if (take_address) second_q <= came;
    if (ends) begin
      answer_id_q <= first_q.id;
      answer_response_q <= first_q.response != Okay ? first_q.response
          : failed_q || refused ? SlaveError : Okay;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // Answers.
      assert (bvalid == answer_q);
      if (bvalid) assert (bid == answer_id_q && bresp == answer_response_q);
      if (beat) assert (open_q != '0);
      if (take_address) assert (open_q != 2'd2 || ends);
      if (ends) assert (!answer_q || bready_i);
      // Stores and pulses.
      assert (store == (beat && to_ring && is_free));
      if (store) begin
        assert (store_index == first_q.index);
        assert (store_strobe == wstrb_i && store_data == wdata_i);
      end
      assert (consumes == word_4 && publishes == word_5);
      if (consumes) assert (consumed == wdata_i[159:128]);
      if (publishes) assert (published == wdata_i[191:160]);
      if (word_4 || word_5) assert (seen_q && wdata_q == wdata_i);
      // Waiting conditions.
      if (wvalid_i && open_q == 2'd2 && !(wlast_i && bvalid && !bready_i)) begin
        assert (wready || (to_control && !seen_q));
      end

      cover (open_q == 2'd2 && bvalid && !bready_i && store);
      cover (bvalid && bresp == SlaveError && first_q.response == Okay);
      cover (store && first_q.index != awaddr_i[$clog2(BeatBytes)+:RingBits] && !wlast_i);
    end
  end

  if (Invariants) begin : gen_invariants
    // A burst of the design, as the specification represents it.
    logic [1:0] inner_open;
    burst_t     inner_next;
    assign inner_open = 2'(u_dut.awaits_valid_q) + 2'(u_dut.burst_valid_q);
    assign inner_next = u_dut.burst_valid_q ? second_q : first_q;
    always_comb begin
      if (rst_ni) begin
        assert (open_q == inner_open);
        if (u_dut.burst_valid_q) begin
          assert (u_dut.burst_q.id == first_q.id && u_dut.burst_q.response == first_q.response);
          assert (u_dut.burst_q.index == first_q.index);
          assert (u_dut.burst_q.ring == to_ring && u_dut.burst_q.control == to_control);
        end
        if (u_dut.awaits_valid_q) begin
          assert (u_dut.awaits_q.id == inner_next.id);
          assert (u_dut.awaits_q.index == inner_next.index);
          assert (u_dut.awaits_q.response == inner_next.response);
          assert (u_dut.awaits_q.ring
              == (inner_next.response == Okay && inner_next.window == 2'd0));
          assert (u_dut.awaits_q.control
              == (inner_next.response == Okay && inner_next.window == 2'd2));
        end
        assert (u_dut.failed_q == failed_q && u_dut.seen_q == seen_q);
        if (seen_q) assert (wvalid_i && wdata_q == wdata_i && to_control && u_dut.burst_valid_q);
      end
    end
  end
endmodule
