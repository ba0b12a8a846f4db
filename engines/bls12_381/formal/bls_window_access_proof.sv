// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_window_access_proof: each request frame has one reply of five beats, which ends before a beat
// of the next frame is taken; an offered beat is held. A word is accessed only for a frame of five
// beats whose checksum matches and whose address belongs to a window. It is accessed once, with the
// address, the value and the direction of the frame, and the request is held until it is done.
// Assumptions: an offered beat of a request is held until it is taken, no frame is longer than five
// beats (the decoder ensures this), and a word is done only while it is requested. (The checksum's
// state is that of the design, since a second one makes solvers slow; that it starts anew with each
// frame is proved.)
module bls_window_access_proof #(
  parameter bit Invariants = 1'b1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_valid_i,
  input logic [63:0] req_data_i,
  input logic        req_last_i,
  input logic        done_i,
  input logic [31:0] value_i,
  input logic        rpl_ready_i
);
  localparam int unsigned WindowContexts = 3;

  logic        req_ready, rpl_valid, rpl_last, error, bus_valid, bus_write, done;
  logic [63:0] rpl_data;
  logic [31:0] bus_address, bus_value;
  assign done = done_i && bus_valid;

  bls_window_access #(.WindowContexts(WindowContexts)) u_dut (
    .clk_i, .rst_ni,
    .req_valid_i, .req_ready_o(req_ready), .req_data_i, .req_last_i,
    .bus_valid_o(bus_valid), .bus_write_o(bus_write), .bus_address_o(bus_address),
    .bus_value_o(bus_value), .bus_done_i(done), .bus_value_i(value_i),
    .rpl_valid_o(rpl_valid), .rpl_ready_i, .rpl_data_o(rpl_data), .rpl_last_o(rpl_last),
    .error_o(error)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(65), .Assume(1'b1)) u_request (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(req_valid_i), .ready_i(req_ready),
    .data_i({req_last_i, req_data_i})
  );
  proof_stable #(.DataWidth(65)) u_reply (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(rpl_valid), .ready_i(rpl_ready_i),
    .data_i({rpl_last, rpl_data})
  );
  proof_stable #(.DataWidth(65)) u_word (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(bus_valid), .ready_i(done),
    .data_i({bus_write, bus_address, bus_value})
  );

  // ---- the specification: the frame at hand ----
  logic        taken, sent;
  logic [2:0]  taken_q, sent_q;    // beats of the request, of the reply
  logic        whole_q, sound_q, accessed_q, write_q;
  logic [63:0] index_q;
  logic [31:0] address_q, value_q;
  logic        allowed;
  assign taken   = req_valid_i && req_ready;
  assign sent    = rpl_valid && rpl_ready_i;
  assign allowed = sound_q && 32'(address_q[31:15]) < WindowContexts;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {taken_q, sent_q, whole_q, sound_q, accessed_q} <= '0;
    end else begin
      if (taken) begin
        taken_q <= taken_q + 3'd1;
        whole_q <= req_last_i;
        sound_q <= req_last_i && taken_q == 3'd4 && req_data_i == {32'd0, ~u_dut.crc_q};
      end
      if (sent) sent_q <= sent_q + 3'd1;
      if (done) accessed_q <= 1'b1;
      if (sent && rpl_last) {taken_q, sent_q, whole_q, sound_q, accessed_q} <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken && taken_q == 3'd1) index_q <= req_data_i;
    if (taken && taken_q == 3'd2) {value_q, address_q} <= req_data_i;
    if (taken && taken_q == 3'd3) write_q <= req_data_i[0];
  end

  always_comb begin
    if (rst_ni) begin
      if (req_valid_i && taken_q == 3'd4 && !whole_q) assume (req_last_i);
      if (taken) assert (!whole_q);
      if (rpl_valid) assert (whole_q && (accessed_q || !allowed));
      if (rpl_valid) assert (rpl_last == (sent_q == 3'd4));
      if (rpl_valid && sent_q == 3'd0) assert (rpl_data == {32'h8000_0202, 32'd40});
      if (rpl_valid && sent_q == 3'd1 && sound_q) assert (rpl_data == index_q);
      if (rpl_valid && sent_q == 3'd2 && !allowed) assert (rpl_data[63:32] == '0);
      if (rpl_valid && sent_q == 3'd3) assert ((rpl_data == '0) == allowed);
      if (bus_valid) assert (whole_q && allowed && !accessed_q);
      if (bus_valid) assert ({bus_write, bus_address, bus_value} == {write_q, address_q, value_q});

      cover (sent && rpl_last && accessed_q);
      cover (sent && rpl_last && sound_q && !allowed);
      cover (sent && rpl_last && !sound_q);
    end
  end

  // ---- invariants of design and specification; states as numbers ----
  if (Invariants) begin : gen_invariants
    logic [3:0] state;
    assign state = u_dut.state_q;
    always_comb begin
      if (rst_ni) begin
        assert (state <= 4'd12);
        assert (whole_q == (state > 4'd4));
        if (!whole_q) assert (4'(taken_q) == state && !sound_q);
        if (!whole_q && taken_q == '0) assert (u_dut.crc_q == '1);
        if (whole_q) assert (u_dut.crc_q == '1 && u_dut.corrupt_q == !sound_q);
        assert (4'(sent_q) == (state >= 4'd8 ? state - 4'd8 : 4'd0));
        assert (accessed_q == (state >= 4'd8 && allowed));
        if (whole_q && sound_q || taken_q > 3'd1 && !whole_q) assert (u_dut.index_q == index_q);
        if (whole_q && sound_q || taken_q > 3'd2 && !whole_q) assert (u_dut.address_q == address_q);
        if ((whole_q && sound_q || taken_q > 3'd2 && !whole_q) && state < 4'd8)
          assert (u_dut.value_q == value_q);
        if (whole_q && sound_q || taken_q > 3'd3 && !whole_q) assert (u_dut.write_q == write_q);
        if (state >= 4'd6)
          assert ((u_dut.status_q == 8'd0) == allowed);
      end
    end
  end

  logic unused;
  assign unused = error;
endmodule
