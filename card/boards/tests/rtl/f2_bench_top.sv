// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// f2_bench_top: cl_halimede with buses under AXI's own names, so that a bench finds them.
module f2_bench_top #(
  parameter logic [31:0] BuildId = 32'hC0FFEE,
  parameter logic [31:0] Engines = 32'd1 << card_pkg::CapabilityLoopback
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         s_axi_awvalid,
  output logic         s_axi_awready,
  input  logic [15:0]  s_axi_awid,
  input  logic [63:0]  s_axi_awaddr,
  input  logic [7:0]   s_axi_awlen,
  input  logic [2:0]   s_axi_awsize,
  input  logic [1:0]   s_axi_awburst,
  input  logic         s_axi_wvalid,
  output logic         s_axi_wready,
  input  logic [511:0] s_axi_wdata,
  input  logic [63:0]  s_axi_wstrb,
  input  logic         s_axi_wlast,
  output logic         s_axi_bvalid,
  input  logic         s_axi_bready,
  output logic [15:0]  s_axi_bid,
  output logic [1:0]   s_axi_bresp,
  input  logic         s_axi_arvalid,
  output logic         s_axi_arready,
  input  logic [15:0]  s_axi_arid,
  input  logic [63:0]  s_axi_araddr,
  input  logic [7:0]   s_axi_arlen,
  input  logic [2:0]   s_axi_arsize,
  input  logic [1:0]   s_axi_arburst,
  output logic         s_axi_rvalid,
  input  logic         s_axi_rready,
  output logic [15:0]  s_axi_rid,
  output logic [511:0] s_axi_rdata,
  output logic [1:0]   s_axi_rresp,
  output logic         s_axi_rlast,

  input  logic         s_axil_awvalid,
  output logic         s_axil_awready,
  input  logic [31:0]  s_axil_awaddr,
  input  logic [2:0]   s_axil_awprot,
  input  logic         s_axil_wvalid,
  output logic         s_axil_wready,
  input  logic [31:0]  s_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  output logic         s_axil_bvalid,
  input  logic         s_axil_bready,
  output logic [1:0]   s_axil_bresp,
  input  logic         s_axil_arvalid,
  output logic         s_axil_arready,
  input  logic [31:0]  s_axil_araddr,
  input  logic [2:0]   s_axil_arprot,
  output logic         s_axil_rvalid,
  input  logic         s_axil_rready,
  output logic [31:0]  s_axil_rdata,
  output logic [1:0]   s_axil_rresp,

  output logic [15:0]  irq_req_o,
  input  logic [15:0]  irq_ack_i,
  input  logic         flr_i,
  output logic         flr_done_o,
  output logic         idle_o  // the card has no request and no reply
);
  // Ports that only other parts of the shell use stay open.
  /* verilator lint_off PINMISSING */
  cl_halimede #(.BuildId(BuildId), .Engines(Engines)) u_top (
    .clk_main_a0(clk_i), .rst_main_n(rst_ni),
    .sh_cl_flr_assert(flr_i), .cl_sh_flr_done(flr_done_o),
    .cl_sh_apppf_irq_req(irq_req_o), .sh_cl_apppf_irq_ack(irq_ack_i),
    .sh_cl_dma_pcis_awvalid(s_axi_awvalid), .cl_sh_dma_pcis_awready(s_axi_awready),
    .sh_cl_dma_pcis_awid(s_axi_awid), .sh_cl_dma_pcis_awaddr(s_axi_awaddr),
    .sh_cl_dma_pcis_awlen(s_axi_awlen), .sh_cl_dma_pcis_awsize(s_axi_awsize),
    .sh_cl_dma_pcis_awburst(s_axi_awburst),
    .sh_cl_dma_pcis_wvalid(s_axi_wvalid), .cl_sh_dma_pcis_wready(s_axi_wready),
    .sh_cl_dma_pcis_wdata(s_axi_wdata), .sh_cl_dma_pcis_wstrb(s_axi_wstrb),
    .sh_cl_dma_pcis_wlast(s_axi_wlast),
    .cl_sh_dma_pcis_bvalid(s_axi_bvalid), .sh_cl_dma_pcis_bready(s_axi_bready),
    .cl_sh_dma_pcis_bid(s_axi_bid), .cl_sh_dma_pcis_bresp(s_axi_bresp),
    .sh_cl_dma_pcis_arvalid(s_axi_arvalid), .cl_sh_dma_pcis_arready(s_axi_arready),
    .sh_cl_dma_pcis_arid(s_axi_arid), .sh_cl_dma_pcis_araddr(s_axi_araddr),
    .sh_cl_dma_pcis_arlen(s_axi_arlen), .sh_cl_dma_pcis_arsize(s_axi_arsize),
    .sh_cl_dma_pcis_arburst(s_axi_arburst),
    .cl_sh_dma_pcis_rvalid(s_axi_rvalid), .sh_cl_dma_pcis_rready(s_axi_rready),
    .cl_sh_dma_pcis_rid(s_axi_rid), .cl_sh_dma_pcis_rdata(s_axi_rdata),
    .cl_sh_dma_pcis_rresp(s_axi_rresp), .cl_sh_dma_pcis_rlast(s_axi_rlast),
    .ocl_cl_awvalid(s_axil_awvalid), .cl_ocl_awready(s_axil_awready),
    .ocl_cl_awaddr(s_axil_awaddr),
    .ocl_cl_wvalid(s_axil_wvalid), .cl_ocl_wready(s_axil_wready),
    .ocl_cl_wdata(s_axil_wdata), .ocl_cl_wstrb(s_axil_wstrb),
    .cl_ocl_bvalid(s_axil_bvalid), .ocl_cl_bready(s_axil_bready), .cl_ocl_bresp(s_axil_bresp),
    .ocl_cl_arvalid(s_axil_arvalid), .cl_ocl_arready(s_axil_arready),
    .ocl_cl_araddr(s_axil_araddr),
    .cl_ocl_rvalid(s_axil_rvalid), .ocl_cl_rready(s_axil_rready),
    .cl_ocl_rdata(s_axil_rdata), .cl_ocl_rresp(s_axil_rresp)
  );
  /* verilator lint_on PINMISSING */

  assign idle_o = u_top.u_card.idle;

  logic unused;
  assign unused = ^{s_axil_awprot, s_axil_arprot};
endmodule
