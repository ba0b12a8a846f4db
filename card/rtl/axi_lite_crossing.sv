// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// axi_lite_crossing: AXI4-Lite between two clocks: a slave port on s_clk_i, a master port on
// m_clk_i. Each of the five channels has a separate stream_async_fifo, which keeps the order within
// a channel, the independence of the channels, and the stability of offers. An access and its
// answer take seven to eight clocks of either side in addition to the slave's time. Both resets are
// asserted together (see stream_async_fifo); accesses in flight are then lost.
// (The bus ports have AXI's own names, so that tools recognize the interfaces.)
module axi_lite_crossing #(
  parameter int unsigned AddressBits = 16,
  parameter int unsigned Depth = 4  // of each channel
) (
  input  logic                   s_clk_i,
  input  logic                   s_rst_ni,
  input  logic                   s_axil_awvalid,
  output logic                   s_axil_awready,
  input  logic [AddressBits-1:0] s_axil_awaddr,
  input  logic [2:0]             s_axil_awprot,
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
  input  logic [2:0]             s_axil_arprot,
  output logic                   s_axil_rvalid,
  input  logic                   s_axil_rready,
  output logic [31:0]            s_axil_rdata,
  output logic [1:0]             s_axil_rresp,

  input  logic                   m_clk_i,
  input  logic                   m_rst_ni,
  output logic                   m_axil_awvalid,
  input  logic                   m_axil_awready,
  output logic [AddressBits-1:0] m_axil_awaddr,
  output logic [2:0]             m_axil_awprot,
  output logic                   m_axil_wvalid,
  input  logic                   m_axil_wready,
  output logic [31:0]            m_axil_wdata,
  output logic [3:0]             m_axil_wstrb,
  input  logic                   m_axil_bvalid,
  output logic                   m_axil_bready,
  input  logic [1:0]             m_axil_bresp,
  output logic                   m_axil_arvalid,
  input  logic                   m_axil_arready,
  output logic [AddressBits-1:0] m_axil_araddr,
  output logic [2:0]             m_axil_arprot,
  input  logic                   m_axil_rvalid,
  output logic                   m_axil_rready,
  input  logic [31:0]            m_axil_rdata,
  input  logic [1:0]             m_axil_rresp
);
  // ---- requests: from s to m ----
  stream_async_fifo #(.DataWidth(AddressBits + 3), .Depth(Depth)) u_write_address (
    .in_clk_i(s_clk_i), .in_rst_ni(s_rst_ni),
    .in_valid_i(s_axil_awvalid), .in_ready_o(s_axil_awready),
    .in_data_i({s_axil_awprot, s_axil_awaddr}),
    .out_clk_i(m_clk_i), .out_rst_ni(m_rst_ni),
    .out_valid_o(m_axil_awvalid), .out_ready_i(m_axil_awready),
    .out_data_o({m_axil_awprot, m_axil_awaddr})
  );

  stream_async_fifo #(.DataWidth(36), .Depth(Depth)) u_write_data (
    .in_clk_i(s_clk_i), .in_rst_ni(s_rst_ni),
    .in_valid_i(s_axil_wvalid), .in_ready_o(s_axil_wready),
    .in_data_i({s_axil_wstrb, s_axil_wdata}),
    .out_clk_i(m_clk_i), .out_rst_ni(m_rst_ni),
    .out_valid_o(m_axil_wvalid), .out_ready_i(m_axil_wready),
    .out_data_o({m_axil_wstrb, m_axil_wdata})
  );

  stream_async_fifo #(.DataWidth(AddressBits + 3), .Depth(Depth)) u_read_address (
    .in_clk_i(s_clk_i), .in_rst_ni(s_rst_ni),
    .in_valid_i(s_axil_arvalid), .in_ready_o(s_axil_arready),
    .in_data_i({s_axil_arprot, s_axil_araddr}),
    .out_clk_i(m_clk_i), .out_rst_ni(m_rst_ni),
    .out_valid_o(m_axil_arvalid), .out_ready_i(m_axil_arready),
    .out_data_o({m_axil_arprot, m_axil_araddr})
  );

  // ---- answers: from m to s ----
  stream_async_fifo #(.DataWidth(2), .Depth(Depth)) u_write_response (
    .in_clk_i(m_clk_i), .in_rst_ni(m_rst_ni),
    .in_valid_i(m_axil_bvalid), .in_ready_o(m_axil_bready), .in_data_i(m_axil_bresp),
    .out_clk_i(s_clk_i), .out_rst_ni(s_rst_ni),
    .out_valid_o(s_axil_bvalid), .out_ready_i(s_axil_bready), .out_data_o(s_axil_bresp)
  );

  stream_async_fifo #(.DataWidth(34), .Depth(Depth)) u_read_data (
    .in_clk_i(m_clk_i), .in_rst_ni(m_rst_ni),
    .in_valid_i(m_axil_rvalid), .in_ready_o(m_axil_rready),
    .in_data_i({m_axil_rresp, m_axil_rdata}),
    .out_clk_i(s_clk_i), .out_rst_ni(s_rst_ni),
    .out_valid_o(s_axil_rvalid), .out_ready_i(s_axil_rready),
    .out_data_o({s_axil_rresp, s_axil_rdata})
  );
endmodule
