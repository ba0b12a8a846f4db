// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi_lite_slave_proof: each access that axi_lite_slave accepts becomes one request to the
// registers in the same clock, with its address and the bytes selected by its strobes. Each access
// gets one answer, the one from the registers. Requests and answers stay until they are accepted.
// An access that waits and could be answered is overtaken at most once by one of the other kind.
// Assumed: the bus keeps its offers until they are accepted; the registers answer a request once,
// after they accept it.
module axi_lite_slave_proof #(
  parameter int unsigned AddressBits = 8,
  parameter bit Invariants = 1'b1
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   awvalid_i,
  input logic [AddressBits-1:0] awaddr_i,
  input logic                   wvalid_i,
  input logic [31:0]            wdata_i,
  input logic [3:0]             wstrb_i,
  input logic                   bready_i,
  input logic                   arvalid_i,
  input logic [AddressBits-1:0] araddr_i,
  input logic                   rready_i,
  input logic                   request_ready_i,
  input logic                   response_valid_i,
  input logic [31:0]            response_value_i,
  input logic [31:0]            response_status_i
);
  import card_pkg::*;

  logic        awready, wready, bvalid, arready, rvalid;
  logic [1:0]  bresp, rresp;
  logic [31:0] rdata;
  logic        request_valid, request_write;
  logic [31:0] request_address, request_value;

  axi_lite_slave #(.AddressBits(AddressBits)) u_dut (
    .clk_i, .rst_ni,
    .s_axil_awvalid(awvalid_i), .s_axil_awready(awready), .s_axil_awaddr(awaddr_i),
    .s_axil_wvalid(wvalid_i), .s_axil_wready(wready), .s_axil_wdata(wdata_i),
    .s_axil_wstrb(wstrb_i),
    .s_axil_bvalid(bvalid), .s_axil_bready(bready_i), .s_axil_bresp(bresp),
    .s_axil_arvalid(arvalid_i), .s_axil_arready(arready), .s_axil_araddr(araddr_i),
    .s_axil_rvalid(rvalid), .s_axil_rready(rready_i), .s_axil_rdata(rdata),
    .s_axil_rresp(rresp),
    .request_valid_o(request_valid), .request_ready_i, .request_write_o(request_write),
    .request_address_o(request_address), .request_value_o(request_value),
    .response_valid_i, .response_value_i, .response_status_i
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(AddressBits), .Assume(1'b1)) u_aw (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(awvalid_i), .ready_i(awready), .data_i(awaddr_i)
  );
  proof_stable #(.DataWidth(36), .Assume(1'b1)) u_w (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(wvalid_i), .ready_i(wready),
    .data_i({wstrb_i, wdata_i})
  );
  proof_stable #(.DataWidth(AddressBits), .Assume(1'b1)) u_ar (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(arvalid_i), .ready_i(arready), .data_i(araddr_i)
  );
  proof_stable #(.DataWidth(2)) u_b (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(bvalid), .ready_i(bready_i), .data_i(bresp)
  );
  proof_stable #(.DataWidth(34)) u_r (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(rvalid), .ready_i(rready_i), .data_i({rresp, rdata})
  );
  proof_stable #(.DataWidth(33 + AddressBits)) u_request (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(request_valid), .ready_i(request_ready_i),
    .data_i({request_write, AddressBits'(request_address), request_write ? request_value : '0})
  );

  // ---- the access in the registers, and the answers that wait for the bus ----
  logic        pending_q, pending_write_q;
  logic        write_answered_q, read_answered_q;
  logic [31:0] write_status_q, read_status_q, read_value_q;
  logic        request, take_write, take_read;

  assign request = request_valid && request_ready_i;
  assign take_write = awvalid_i && awready;
  assign take_read = arvalid_i && arready;

  // Accesses of the other kind that were accepted while an access waited without a reason.
  logic write_waits, read_waits, write_passed_q, read_passed_q;
  assign write_waits = awvalid_i && wvalid_i && !take_write && !bvalid;
  assign read_waits = arvalid_i && !take_read && !rvalid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q        <= 1'b0;
      write_answered_q <= 1'b0;
      read_answered_q  <= 1'b0;
      write_passed_q   <= 1'b0;
      read_passed_q    <= 1'b0;
    end else begin
      if (request) pending_q <= 1'b1;
      else if (response_valid_i) pending_q <= 1'b0;
      if (bready_i) write_answered_q <= 1'b0;
      if (rready_i) read_answered_q <= 1'b0;
      if (response_valid_i && pending_write_q) write_answered_q <= 1'b1;
      if (response_valid_i && !pending_write_q) read_answered_q <= 1'b1;
      write_passed_q <= write_waits && (write_passed_q || take_read);
      read_passed_q  <= read_waits && (read_passed_q || take_write);
    end
  end
  always_ff @(posedge clk_i) begin
    if (request) pending_write_q <= take_write;
    if (response_valid_i && pending_write_q) write_status_q <= response_status_i;
    if (response_valid_i && !pending_write_q) begin
      read_status_q <= response_status_i;
      read_value_q  <= response_value_i;
    end
  end

  // OKAY, SLVERR for a read-only register, DECERR for a missing one.
  function automatic logic [1:0] axi_response(input logic [31:0] status);
    if (status == RegisterOk) return 2'b00;
    return status == RegisterReadOnly ? 2'b10 : 2'b11;
  endfunction

  logic [31:0] kept;
  for (genvar i = 0; i < 4; i++) begin : gen_kept
    assign kept[8*i+:8] = wstrb_i[i] ? wdata_i[8*i+:8] : 8'h00;
  end

  always_comb begin
    if (response_valid_i) assume (pending_q);
    if (rst_ni) begin
      // To the registers: one at a time, each access once.
      assert (request == (take_write || take_read) && !(take_write && take_read));
      assert (take_write == (wvalid_i && wready));
      assert (!(pending_q && request_valid));
      if (take_write) begin
        assert (request_write && request_address == 32'(awaddr_i) && request_value == kept);
      end
      if (take_read) assert (!request_write && request_address == 32'(araddr_i));
      // From the registers: their answer, once per request.
      assert (bvalid == write_answered_q && rvalid == read_answered_q);
      if (bvalid) assert (bresp == axi_response(write_status_q));
      if (rvalid) assert (rresp == axi_response(read_status_q) && rdata == read_value_q);
      if (take_write) assert (!bvalid);
      if (take_read) assert (!rvalid);
      // Alternation.
      assert (!(write_passed_q && take_read) && !(read_passed_q && take_write));

      cover (bvalid && !bready_i && rvalid && awvalid_i && arvalid_i);
      cover (read_passed_q && take_read);
    end
  end

  // States of the design, whose names Yosys cannot see from here.
  localparam logic [1:0] Request = 2'd1;
  localparam logic [1:0] Wait = 2'd2;

  if (Invariants) begin : gen_invariants
    always_comb begin
      if (rst_ni) begin
        assert (pending_q == (u_dut.state_q == Wait));
        if (pending_q) assert (pending_write_q == u_dut.write_q);
        if (pending_q) assert (pending_write_q ? !bvalid : !rvalid);
        if (u_dut.state_q == Request) begin
          assert (u_dut.write_q ? awvalid_i && wvalid_i && !bvalid : arvalid_i && !rvalid);
        end
        assert (u_dut.state_q <= Wait);
        // After a write that overtook it, a read comes next, and vice versa.
        if (read_passed_q) assert (pending_q ? pending_write_q : bvalid || !u_dut.write_q);
        if (write_passed_q) assert (pending_q ? !pending_write_q : rvalid || u_dut.write_q);
      end
    end
  end
endmodule
