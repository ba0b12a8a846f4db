// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_write_proof: each burst that axi4_stream_write accepts is answered once, in order,
// after its last beat, with its id and the correct response for its address, shape and beats. The
// output lines are the input bytes at their places, each once and in order, without the bytes of
// refused beats. Answers and lines stay until they are accepted. A word of the control window is
// one pulse. Refused bursts and bursts for the control window never wait for the stream. Assumed:
// the bus keeps its offers until they are accepted.
module axi4_stream_write_proof #(
  parameter int unsigned BeatBytes = 8,
  parameter int unsigned IdBits = 2,
  parameter int unsigned AddressBits = 8,
  parameter int unsigned WindowBits = 4,
  parameter bit Invariants = 1'b1
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
  input logic                   out_ready_i,
  input logic                   take_refused_i
);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;
  localparam logic [1:0] DecodeError = 2'b11;

  logic                   awready, wready, bvalid, out_valid, take_valid;
  logic [IdBits-1:0]      bid;
  logic [1:0]             bresp;
  logic [8*BeatBytes-1:0] out_data;
  logic [31:0]            take_bytes;

  axi4_stream_write #(
    .BeatBytes(BeatBytes), .IdBits(IdBits), .AddressBits(AddressBits), .WindowBits(WindowBits)
  ) u_dut (
    .clk_i, .rst_ni,
    .s_axi_awvalid(awvalid_i), .s_axi_awready(awready), .s_axi_awid(awid_i),
    .s_axi_awaddr(awaddr_i), .s_axi_awsize(awsize_i), .s_axi_awburst(awburst_i),
    .s_axi_wvalid(wvalid_i), .s_axi_wready(wready), .s_axi_wdata(wdata_i),
    .s_axi_wstrb(wstrb_i), .s_axi_wlast(wlast_i),
    .s_axi_bvalid(bvalid), .s_axi_bready(bready_i), .s_axi_bid(bid), .s_axi_bresp(bresp),
    .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data),
    .take_valid_o(take_valid), .take_bytes_o(take_bytes), .take_refused_i
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
  proof_stable #(.DataWidth(8 * BeatBytes)) u_out (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  // ---- the open bursts: their addresses were accepted, their last beats were not ----
  typedef struct packed {
    logic [IdBits-1:0] id;
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
    came.window = awaddr_i[WindowBits+:2];
    if (awaddr_i[AddressBits-1:WindowBits+2] != '0 || came.window == 2'd3) begin
      came.response = DecodeError;
    end else if (awburst_i != 2'b01 || 2 ** awsize_i != BeatBytes || came.window == 2'd1) begin
      came.response = SlaveError;
    end else begin
      came.response = Okay;
    end
  end

  // ---- the line that is assembled ----
  logic [BeatBytes-1:0]      have_q, have;
  logic [BeatBytes-1:0][7:0] line_q, line;
  logic to_stream, to_control, refused, whole;

  assign to_stream = first_q.response == Okay && first_q.window == 2'd0;
  assign to_control = first_q.response == Okay && first_q.window == 2'd2;
  always_comb begin
    refused = 1'b0;
    have = have_q;
    line = line_q;
    for (int i = 0; i < BeatBytes; i++) begin
      if (to_stream && wstrb_i[i] && have_q[i]) refused = 1'b1;
    end
    for (int i = 0; i < BeatBytes; i++) begin
      if (beat && to_stream && !refused && wstrb_i[i]) begin
        have[i] = 1'b1;
        line[i] = wdata_i[8*i+:8];
      end
    end
    if (to_control) begin
      refused = !(wstrb_i[3:0] == 4'hf || wstrb_i[7:4] == 4'hf)
          || (wstrb_i[3:0] == 4'hf && take_refused_i);
    end
    whole = beat && to_stream && !refused && have == '1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
      failed_q <= 1'b0;
      answer_q <= 1'b0;
      have_q <= '0;
    end else begin
      open_q <= open_q + 2'(take_address) - 2'(ends);
      if (beat) failed_q <= !wlast_i && (failed_q || refused);
      answer_q <= ends || (answer_q && !takes_answer);
      have_q <= whole ? '0 : have;
      if (beat && to_control && wstrb_i[7:4] == 4'hf && wdata_i[32]) have_q <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    line_q <= line;
    if (ends) first_q <= second_q;
    if (take_address && (open_q == 2'd0 || (open_q == 2'd1 && ends))) first_q <= came;
    else if (take_address) second_q <= came;
    if (ends) begin
      answer_id_q <= first_q.id;
      answer_response_q <= first_q.response != Okay ? first_q.response
          : failed_q || refused ? SlaveError : Okay;
    end
  end

  logic [2:0] held, ahead;
  logic       watched;
  logic [8*BeatBytes-1:0] watched_data;
  proof_scoreboard #(.DataWidth(8 * BeatBytes), .CountBits(3)) u_lines (
    .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(1'b0), .in_beat_i(whole), .in_data_i(line),
    .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_clear_i(1'b0),
    .out_beat_i(out_valid && out_ready_i), .out_data_i(out_data),
    .held_o(held), .watched_o(watched), .ahead_o(ahead), .data_o(watched_data)
  );

  always_comb begin
    if (rst_ni) begin
      // Answers.
      assert (bvalid == answer_q);
      if (bvalid) assert (bid == answer_id_q && bresp == answer_response_q);
      if (beat) assert (open_q != '0);
      if (take_address) assert (open_q != 2'd2 || ends);
      if (ends) assert (!answer_q || bready_i);
      // The stream.
      assert (held <= 3'd1 && out_valid == (held == 3'd1));
      // Pulses.
      assert (take_valid == (beat && to_control && wstrb_i[3:0] == 4'hf));
      if (take_valid) assert (take_bytes == wdata_i[31:0]);
      // Waiting conditions.
      if (wvalid_i && !wready && !(wlast_i && bvalid && !bready_i) && open_q == 2'd2) begin
        assert (to_stream && out_valid && !out_ready_i);
      end

      cover (open_q == 2'd2 && bvalid && !bready_i && out_valid && !out_ready_i);
      cover (bvalid && bresp == SlaveError && first_q.response == Okay);
      cover (whole && out_valid && out_ready_i);
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
          assert (u_dut.burst_q.stream == to_stream && u_dut.burst_q.control == to_control);
        end
        if (u_dut.awaits_valid_q) begin
          assert (u_dut.awaits_q.id == inner_next.id);
          assert (u_dut.awaits_q.response == inner_next.response);
          assert (u_dut.awaits_q.stream
              == (inner_next.response == Okay && inner_next.window == 2'd0));
          assert (u_dut.awaits_q.control
              == (inner_next.response == Okay && inner_next.window == 2'd2));
        end
        assert (u_dut.failed_q == failed_q);
        assert (u_dut.mask_q == have_q && have_q != '1);
        if (watched) assert (out_data == watched_data);
        if (u_dut.full_q) assert (u_dut.mask_q == '0);
        for (int i = 0; i < BeatBytes; i++) begin
          if (have_q[i]) assert (u_dut.line_q[i] == line_q[i]);
        end
      end
    end
  end
endmodule
