// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi_lite_slave: connects AXI4-Lite to the request port of register_file, one access at a time. A
// missing register is answered with DECERR, a write to a read-only one with SLVERR. Bytes without
// their strobe are written as zero, which has no effect in any register.
// (The port names are AXI's own, so that tools recognize the interface.)
module axi_lite_slave #(
  parameter int unsigned AddressBits = 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_axil_awvalid,
  output logic                   s_axil_awready,
  input  logic [AddressBits-1:0] s_axil_awaddr,
  input  logic                   s_axil_wvalid,
  output logic                   s_axil_wready,
  input  logic [31:0]            s_axil_wdata,
  input  logic [3:0]             s_axil_wstrb,
  output logic                   s_axil_bvalid,
  input  logic                   s_axil_bready,
  output logic [1:0]             s_axil_bresp,
  input  logic                   s_axil_arvalid,
  output logic                   s_axil_arready,
  input  logic [AddressBits-1:0] s_axil_araddr,
  output logic                   s_axil_rvalid,
  input  logic                   s_axil_rready,
  output logic [31:0]            s_axil_rdata,
  output logic [1:0]             s_axil_rresp,

  output logic                   request_valid_o,
  input  logic                   request_ready_i,
  output logic                   request_write_o,
  output logic [31:0]            request_address_o,
  output logic [31:0]            request_value_o,
  input  logic                   response_valid_i,
  input  logic [31:0]            response_value_i,
  input  logic [31:0]            response_status_i
);
  import card_pkg::*;

  typedef enum logic [1:0] { Idle, Request, Wait } state_e;

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlaveError = 2'b10;
  localparam logic [1:0] RespDecodeError = 2'b11;

  state_e state_q, state_d;
  logic   write_q, write_d;  // the current or last access is a write
  logic   write_waits, read_waits;
  logic   bvalid_q, rvalid_q;
  logic [31:0] strobe;
  logic [1:0]  response;

  // Neither kind can starve the other: after a write its response waits for at least a clock, in
  // which a read may begin, and vice versa. An access is offered to the registers while its address
  // and data still wait on the bus; these are accepted when the offer is, so no copy is needed.
  assign write_waits = s_axil_awvalid && s_axil_wvalid && !bvalid_q;
  assign read_waits = s_axil_arvalid && !rvalid_q;

  always_comb begin
    state_d = state_q;
    write_d = write_q;
    unique case (state_q)
      Idle: if (write_waits || read_waits) begin
        state_d = Request;
        write_d = write_waits;
      end
      Request: if (request_ready_i) state_d = Wait;
      default: if (response_valid_i) state_d = Idle;
    endcase
  end

  for (genvar i = 0; i < 4; i++) begin : gen_strobe
    assign strobe[8*i+:8] = {8{s_axil_wstrb[i]}};
  end

  assign request_valid_o = state_q == Request;
  assign request_write_o = write_q;
  assign request_address_o = 32'(write_q ? s_axil_awaddr : s_axil_araddr);
  assign request_value_o = s_axil_wdata & strobe;

  assign s_axil_awready = state_q == Request && write_q && request_ready_i;
  assign s_axil_wready = s_axil_awready;
  assign s_axil_arready = state_q == Request && !write_q && request_ready_i;

  assign s_axil_bvalid = bvalid_q;
  assign s_axil_rvalid = rvalid_q;
  assign response = response_status_i == RegisterOk ? RespOkay
      : response_status_i == RegisterReadOnly ? RespSlaveError : RespDecodeError;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      write_q <= 1'b0;
      bvalid_q <= 1'b0;
      rvalid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      write_q <= write_d;
      if (s_axil_bready) bvalid_q <= 1'b0;
      if (s_axil_rready) rvalid_q <= 1'b0;
      if (response_valid_i && write_q) bvalid_q <= 1'b1;
      if (response_valid_i && !write_q) rvalid_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (response_valid_i && write_q) s_axil_bresp <= response;
    if (response_valid_i && !write_q) begin
      s_axil_rresp <= response;
      s_axil_rdata <= response_value_i;
    end
  end
endmodule
