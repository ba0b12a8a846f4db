// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_stream_read_proof: each burst that axi4_stream_read accepts is answered by the requested
// number of beats, in order, with its id and the last beat marked. A ready beat of the ring has the
// ring's data, the status is that at the time of the fetch, and every other beat is a filler with
// the correct error. Beats stay until they are accepted, and no beat waits for anything except the
// bus. Assumed: the bus keeps its offers until they are accepted. The ready count and the status
// are arbitrary; the ring's memory has arbitrary contents.
module axi4_stream_read_proof #(
  parameter int unsigned BeatBytes = 32,
  parameter int unsigned IdBits = 2,
  parameter int unsigned AddressBits = 11,
  parameter int unsigned WindowBits = 7,
  parameter int unsigned RingBeats = 4,
  parameter bit Invariants = 1'b1
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   arvalid_i,
  input logic [IdBits-1:0]      arid_i,
  input logic [AddressBits-1:0] araddr_i,
  input logic [7:0]             arlen_i,
  input logic [2:0]             arsize_i,
  input logic [1:0]             arburst_i,
  input logic                   rready_i,
  input logic [1:0]             first_i,
  input logic [2:0]             ready_i,
  input logic [255:0]           status_i
);
  localparam int unsigned Shift = $clog2(BeatBytes);
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;
  localparam logic [1:0] DecodeError = 2'b11;

  logic                   arready, rvalid, rlast, fetch;
  logic [IdBits-1:0]      rid;
  logic [1:0]             rresp, fetch_index;
  logic [8*BeatBytes-1:0] rdata, fetched_q;

  axi4_stream_read #(
    .BeatBytes(BeatBytes), .IdBits(IdBits), .AddressBits(AddressBits), .WindowBits(WindowBits),
    .RingBeats(RingBeats)
  ) u_dut (
    .clk_i, .rst_ni,
    .s_axi_arvalid(arvalid_i), .s_axi_arready(arready), .s_axi_arid(arid_i),
    .s_axi_araddr(araddr_i), .s_axi_arlen(arlen_i), .s_axi_arsize(arsize_i),
    .s_axi_arburst(arburst_i),
    .s_axi_rvalid(rvalid), .s_axi_rready(rready_i), .s_axi_rid(rid), .s_axi_rdata(rdata),
    .s_axi_rresp(rresp), .s_axi_rlast(rlast),
    .fetch_o(fetch), .fetch_index_o(fetch_index), .fetched_i(fetched_q),
    .first_i, .ready_i, .status_i
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(IdBits + AddressBits + 13), .Assume(1'b1)) u_ar (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(arvalid_i), .ready_i(arready),
    .data_i({arid_i, araddr_i, arlen_i, arsize_i, arburst_i})
  );
  proof_stable #(.DataWidth(IdBits + 8 * BeatBytes + 3)) u_r (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(rvalid), .ready_i(rready_i),
    .data_i({rid, rdata, rresp, rlast})
  );

  // ---- the ring: arbitrary contents, constant ----
  logic [RingBeats-1:0][8*BeatBytes-1:0] memory_q;
  always_ff @(posedge clk_i) begin
    memory_q <= memory_q;
    if (fetch) fetched_q <= memory_q[fetch_index];
  end

  // ---- the open bursts, whose last beats are not fetched yet ----
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [1:0]        window;
    logic [1:0]        response;
    logic [1:0]        index;
    logic [7:0]        left;
  } burst_t;
  burst_t     came, first_q, second_q;
  logic [1:0] open_q;
  logic       take_address, ends;

  assign take_address = arvalid_i && arready;
  assign ends = fetch && first_q.left == '0;

  always_comb begin
    came.id = arid_i;
    came.window = araddr_i[WindowBits+:2];
    came.index = araddr_i[Shift+:2];
    came.left = arlen_i;
    if (araddr_i[AddressBits-1:WindowBits+2] != '0 || came.window == 2'd3) begin
      came.response = DecodeError;
    end else if (arburst_i != 2'b01 || 2 ** arsize_i != BeatBytes || came.window == 2'd0) begin
      came.response = SlaveError;
    end else begin
      came.response = Okay;
    end
  end

  // ---- the offered beat ----
  logic                   offered_q, wanted_last_q;
  logic [IdBits-1:0]      wanted_id_q;
  logic [1:0]             wanted_response_q, place;
  logic [8*BeatBytes-1:0] wanted_data_q;
  assign place = first_q.index - first_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
      offered_q <= 1'b0;
    end else begin
      open_q <= open_q + 2'(take_address) - 2'(ends);
      offered_q <= fetch || (offered_q && !rready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (fetch) begin
      first_q.index <= first_q.index + 1'b1;
      first_q.left <= first_q.left - 1'b1;
      wanted_id_q <= first_q.id;
      wanted_last_q <= first_q.left == '0;
      wanted_response_q <= first_q.response;
      wanted_data_q <= '1;
      if (first_q.response == Okay && first_q.window == 2'd2) wanted_data_q <= status_i;
      if (first_q.response == Okay && first_q.window == 2'd1) begin
        if (3'(place) < ready_i) wanted_data_q <= memory_q[first_q.index];
        else wanted_response_q <= SlaveError;
      end
    end
    if (ends) first_q <= second_q;
    if (take_address && (open_q == 2'd0 || (open_q == 2'd1 && ends))) first_q <= came;
    else if (take_address) second_q <= came;
  end

  always_comb begin
    if (rst_ni) begin
      assert (rvalid == offered_q);
      if (rvalid) begin
        assert (rid == wanted_id_q && rlast == wanted_last_q && rresp == wanted_response_q);
        assert (rdata == wanted_data_q);
      end
      if (fetch) assert (open_q != '0 && (!offered_q || rready_i));
      if (take_address) assert (open_q != 2'd2 || ends);
      if (open_q == 2'd2) assert (fetch == (!offered_q || rready_i));

      cover (ends && open_q == 2'd2 && first_q.window == 2'd1 && rvalid && rresp == SlaveError);
      cover (rvalid && rlast && rresp == Okay && wanted_data_q == memory_q[3]);
    end
  end

  if (Invariants) begin : gen_invariants
    logic [1:0] inner_open;
    burst_t     inner_next;
    assign inner_open = 2'(u_dut.awaits_valid_q) + 2'(u_dut.burst_valid_q);
    assign inner_next = u_dut.burst_valid_q ? second_q : first_q;
    always_comb begin
      if (rst_ni) begin
        assert (open_q == inner_open);
        if (u_dut.burst_valid_q) begin
          assert (u_dut.burst_q.id == first_q.id && u_dut.burst_q.index == first_q.index);
          assert (u_dut.burst_q.left == first_q.left);
          assert (u_dut.burst_q.response == first_q.response);
          assert (u_dut.burst_q.ring == (first_q.response == Okay && first_q.window == 2'd1));
          assert (u_dut.burst_q.status == (first_q.response == Okay && first_q.window == 2'd2));
        end
        if (u_dut.awaits_valid_q) begin
          assert (u_dut.awaits_q.id == inner_next.id && u_dut.awaits_q.index == inner_next.index);
          assert (u_dut.awaits_q.left == inner_next.left);
          assert (u_dut.awaits_q.response == inner_next.response);
          assert (u_dut.awaits_q.ring
              == (inner_next.response == Okay && inner_next.window == 2'd1));
          assert (u_dut.awaits_q.status
              == (inner_next.response == Okay && inner_next.window == 2'd2));
        end
      end
    end
  end
endmodule
