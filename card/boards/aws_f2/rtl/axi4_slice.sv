// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi4_slice: a register in each direction of each of the five channels of the shell's AXI4 bus, so
// that no path runs from the shell's partition into the card's logic. Adds one clock per channel.
module axi4_slice #(
  parameter int unsigned DataBits = 512,
  parameter int unsigned AddressBits = 64,
  parameter int unsigned IdBits = 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [IdBits-1:0]      s_axi_awid,
  input  logic [AddressBits-1:0] s_axi_awaddr,
  input  logic [7:0]             s_axi_awlen,
  input  logic [2:0]             s_axi_awsize,
  input  logic [1:0]             s_axi_awburst,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  input  logic [DataBits-1:0]    s_axi_wdata,
  input  logic [DataBits/8-1:0]  s_axi_wstrb,
  input  logic                   s_axi_wlast,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  output logic [IdBits-1:0]      s_axi_bid,
  output logic [1:0]             s_axi_bresp,
  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  input  logic [IdBits-1:0]      s_axi_arid,
  input  logic [AddressBits-1:0] s_axi_araddr,
  input  logic [7:0]             s_axi_arlen,
  input  logic [2:0]             s_axi_arsize,
  input  logic [1:0]             s_axi_arburst,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,
  output logic [IdBits-1:0]      s_axi_rid,
  output logic [DataBits-1:0]    s_axi_rdata,
  output logic [1:0]             s_axi_rresp,
  output logic                   s_axi_rlast,

  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [IdBits-1:0]      m_axi_awid,
  output logic [AddressBits-1:0] m_axi_awaddr,
  output logic [7:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  output logic [DataBits-1:0]    m_axi_wdata,
  output logic [DataBits/8-1:0]  m_axi_wstrb,
  output logic                   m_axi_wlast,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  input  logic [IdBits-1:0]      m_axi_bid,
  input  logic [1:0]             m_axi_bresp,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  output logic [IdBits-1:0]      m_axi_arid,
  output logic [AddressBits-1:0] m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  input  logic [IdBits-1:0]      m_axi_rid,
  input  logic [DataBits-1:0]    m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast
);
  stream_skid #(.DataWidth(IdBits + AddressBits + 13)) u_aw (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(s_axi_awvalid), .in_ready_o(s_axi_awready),
    .in_data_i({s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst}),
    .out_valid_o(m_axi_awvalid), .out_ready_i(m_axi_awready),
    .out_data_o({m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst})
  );

  stream_skid #(.DataWidth(DataBits + DataBits / 8 + 1)) u_w (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(s_axi_wvalid), .in_ready_o(s_axi_wready),
    .in_data_i({s_axi_wlast, s_axi_wstrb, s_axi_wdata}),
    .out_valid_o(m_axi_wvalid), .out_ready_i(m_axi_wready),
    .out_data_o({m_axi_wlast, m_axi_wstrb, m_axi_wdata})
  );

  stream_skid #(.DataWidth(IdBits + 2)) u_b (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(m_axi_bvalid), .in_ready_o(m_axi_bready), .in_data_i({m_axi_bid, m_axi_bresp}),
    .out_valid_o(s_axi_bvalid), .out_ready_i(s_axi_bready), .out_data_o({s_axi_bid, s_axi_bresp})
  );

  stream_skid #(.DataWidth(IdBits + AddressBits + 13)) u_ar (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(s_axi_arvalid), .in_ready_o(s_axi_arready),
    .in_data_i({s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst}),
    .out_valid_o(m_axi_arvalid), .out_ready_i(m_axi_arready),
    .out_data_o({m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst})
  );

  stream_skid #(.DataWidth(IdBits + DataBits + 3)) u_r (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(m_axi_rvalid), .in_ready_o(m_axi_rready),
    .in_data_i({m_axi_rid, m_axi_rlast, m_axi_rresp, m_axi_rdata}),
    .out_valid_o(s_axi_rvalid), .out_ready_i(s_axi_rready),
    .out_data_o({s_axi_rid, s_axi_rlast, s_axi_rresp, s_axi_rdata})
  );
endmodule
