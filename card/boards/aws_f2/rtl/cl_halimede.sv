// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// cl_halimede: the card as the custom logic (CL) of an AWS EC2 F2 instance. The shell defines the
// ports by name (Amazon's "AWS Shell Interface Specification" for F2 and the ports that it lists,
// for the small shell). NOT RUN: no such instance was available.
//
//   sh_cl_dma_pcis_*   BAR4 of the application function, and DMA: the card's streams, with the
//                      address map of axi4_stream_bridge
//   ocl_cl_*           BAR0 of the application function: the card's registers
//   cl_sh_apppf_irq_*  0: an interrupt of the card is pending, 1: replies are ready in the bridge
//
// The master interface, the DDR, the HBM and the links between cards are not used.
module cl_halimede #(
  parameter logic [31:0] BuildId = 32'd0,
  parameter logic [31:0] Engines = 32'd0  // 0: the engines of the board
) (
  // ---- clock, reset, and the status signals of both sides ----
  input  logic         clk_main_a0,  // 250 MHz; all interfaces of the shell
  input  logic         rst_main_n,
  input  logic         clk_hbm_ref,
  input  logic         sh_cl_flr_assert,
  output logic         cl_sh_flr_done,
  output logic [31:0]  cl_sh_status0,
  output logic [31:0]  cl_sh_status1,
  output logic [31:0]  cl_sh_status2,
  output logic [31:0]  cl_sh_id0,
  output logic [31:0]  cl_sh_id1,
  input  logic [31:0]  sh_cl_ctl0,
  input  logic [31:0]  sh_cl_ctl1,
  input  logic [31:0]  sh_cl_ctl2,
  input  logic [15:0]  sh_cl_status_vdip,
  output logic [15:0]  cl_sh_status_vled,
  input  logic [1:0]   sh_cl_pwr_state,
  output logic         cl_sh_dma_wr_full,
  output logic         cl_sh_dma_rd_full,

  // ---- the card as a master: not used ----
  output logic [15:0]  cl_sh_pcim_awid,
  output logic [63:0]  cl_sh_pcim_awaddr,
  output logic [7:0]   cl_sh_pcim_awlen,
  output logic [2:0]   cl_sh_pcim_awsize,
  output logic [1:0]   cl_sh_pcim_awburst,
  output logic [3:0]   cl_sh_pcim_awcache,
  output logic         cl_sh_pcim_awlock,
  output logic [2:0]   cl_sh_pcim_awprot,
  output logic [3:0]   cl_sh_pcim_awqos,
  output logic [54:0]  cl_sh_pcim_awuser,
  output logic         cl_sh_pcim_awvalid,
  input  logic         sh_cl_pcim_awready,
  output logic [15:0]  cl_sh_pcim_wid,
  output logic [511:0] cl_sh_pcim_wdata,
  output logic [63:0]  cl_sh_pcim_wstrb,
  output logic         cl_sh_pcim_wlast,
  output logic [63:0]  cl_sh_pcim_wuser,
  output logic         cl_sh_pcim_wvalid,
  input  logic         sh_cl_pcim_wready,
  input  logic [15:0]  sh_cl_pcim_bid,
  input  logic [1:0]   sh_cl_pcim_bresp,
  input  logic         sh_cl_pcim_bvalid,
  output logic         cl_sh_pcim_bready,
  output logic [15:0]  cl_sh_pcim_arid,
  output logic [63:0]  cl_sh_pcim_araddr,
  output logic [7:0]   cl_sh_pcim_arlen,
  output logic [2:0]   cl_sh_pcim_arsize,
  output logic [1:0]   cl_sh_pcim_arburst,
  output logic [3:0]   cl_sh_pcim_arcache,
  output logic         cl_sh_pcim_arlock,
  output logic [2:0]   cl_sh_pcim_arprot,
  output logic [3:0]   cl_sh_pcim_arqos,
  output logic [54:0]  cl_sh_pcim_aruser,
  output logic         cl_sh_pcim_arvalid,
  input  logic         sh_cl_pcim_arready,
  input  logic [15:0]  sh_cl_pcim_rid,
  input  logic [511:0] sh_cl_pcim_rdata,
  input  logic [1:0]   sh_cl_pcim_rresp,
  input  logic         sh_cl_pcim_rlast,
  input  logic [63:0]  sh_cl_pcim_ruser,
  input  logic         sh_cl_pcim_rvalid,
  output logic         cl_sh_pcim_rready,
  input  logic [1:0]   cfg_max_payload,
  input  logic [2:0]   cfg_max_read_req,

  // ---- DDR: its pins, which the kit's block terminates ----
  input  logic         CLK_DIMM_DP,
  input  logic         CLK_DIMM_DN,
  output logic         M_ACT_N,
  output logic [17:0]  M_MA,
  output logic [1:0]   M_BA,
  output logic [1:0]   M_BG,
  output logic [1:0]   M_CKE,
  output logic [1:0]   M_ODT,
  output logic [1:0]   M_CS_N,
  output logic [1:0]   M_CLK_DN,
  output logic [1:0]   M_CLK_DP,
  output logic         M_PAR,
  inout  wire  [63:0]  M_DQ,
  inout  wire  [7:0]   M_ECC,
  inout  wire  [17:0]  M_DQS_DP,
  inout  wire  [17:0]  M_DQS_DN,
  output logic         RST_DIMM_N,
  input  logic [7:0]   sh_cl_ddr_stat_addr,
  input  logic [31:0]  sh_cl_ddr_stat_wdata,
  input  logic         sh_cl_ddr_stat_wr,
  input  logic         sh_cl_ddr_stat_rd,
  input  logic [2:0]   sh_cl_ddr_stat_user,
  output logic         cl_sh_ddr_stat_ack,
  output logic [31:0]  cl_sh_ddr_stat_rdata,
  output logic [7:0]   cl_sh_ddr_stat_int,

  // ---- interrupts: a pulse, acknowledged by a pulse ----
  output logic [15:0]  cl_sh_apppf_irq_req,
  input  logic [15:0]  sh_cl_apppf_irq_ack,

  // ---- AXI4: the streams ----
  input  logic [15:0]  sh_cl_dma_pcis_awid,
  input  logic [63:0]  sh_cl_dma_pcis_awaddr,
  input  logic [7:0]   sh_cl_dma_pcis_awlen,
  input  logic [2:0]   sh_cl_dma_pcis_awsize,
  input  logic [1:0]   sh_cl_dma_pcis_awburst,
  input  logic [3:0]   sh_cl_dma_pcis_awcache,
  input  logic         sh_cl_dma_pcis_awlock,
  input  logic [2:0]   sh_cl_dma_pcis_awprot,
  input  logic [3:0]   sh_cl_dma_pcis_awqos,
  input  logic [54:0]  sh_cl_dma_pcis_awuser,
  input  logic         sh_cl_dma_pcis_awvalid,
  output logic         cl_sh_dma_pcis_awready,
  input  logic [15:0]  sh_cl_dma_pcis_wid,
  input  logic [511:0] sh_cl_dma_pcis_wdata,
  input  logic [63:0]  sh_cl_dma_pcis_wstrb,
  input  logic         sh_cl_dma_pcis_wlast,
  input  logic [63:0]  sh_cl_dma_pcis_wuser,
  input  logic         sh_cl_dma_pcis_wvalid,
  output logic         cl_sh_dma_pcis_wready,
  output logic [15:0]  cl_sh_dma_pcis_bid,
  output logic [1:0]   cl_sh_dma_pcis_bresp,
  output logic         cl_sh_dma_pcis_bvalid,
  input  logic         sh_cl_dma_pcis_bready,
  input  logic [15:0]  sh_cl_dma_pcis_arid,
  input  logic [63:0]  sh_cl_dma_pcis_araddr,
  input  logic [7:0]   sh_cl_dma_pcis_arlen,
  input  logic [2:0]   sh_cl_dma_pcis_arsize,
  input  logic [1:0]   sh_cl_dma_pcis_arburst,
  input  logic [3:0]   sh_cl_dma_pcis_arcache,
  input  logic         sh_cl_dma_pcis_arlock,
  input  logic [2:0]   sh_cl_dma_pcis_arprot,
  input  logic [3:0]   sh_cl_dma_pcis_arqos,
  input  logic [54:0]  sh_cl_dma_pcis_aruser,
  input  logic         sh_cl_dma_pcis_arvalid,
  output logic         cl_sh_dma_pcis_arready,
  output logic [15:0]  cl_sh_dma_pcis_rid,
  output logic [511:0] cl_sh_dma_pcis_rdata,
  output logic [1:0]   cl_sh_dma_pcis_rresp,
  output logic         cl_sh_dma_pcis_rlast,
  output logic [63:0]  cl_sh_dma_pcis_ruser,
  output logic         cl_sh_dma_pcis_rvalid,
  input  logic         sh_cl_dma_pcis_rready,

  // ---- AXI4-Lite: the registers ----
  input  logic [31:0]  ocl_cl_awaddr,
  input  logic [54:0]  ocl_cl_awuser,
  input  logic         ocl_cl_awvalid,
  output logic         cl_ocl_awready,
  input  logic [31:0]  ocl_cl_wdata,
  input  logic [3:0]   ocl_cl_wstrb,
  input  logic         ocl_cl_wvalid,
  output logic         cl_ocl_wready,
  output logic [1:0]   cl_ocl_bresp,
  output logic         cl_ocl_bvalid,
  input  logic         ocl_cl_bready,
  input  logic [31:0]  ocl_cl_araddr,
  input  logic [54:0]  ocl_cl_aruser,
  input  logic         ocl_cl_arvalid,
  output logic         cl_ocl_arready,
  output logic [31:0]  cl_ocl_rdata,
  output logic [1:0]   cl_ocl_rresp,
  output logic         cl_ocl_rvalid,
  input  logic         ocl_cl_rready,

  // ---- AXI4-Lite of the management function: not used ----
  input  logic [31:0]  sda_cl_awaddr,
  input  logic         sda_cl_awvalid,
  output logic         cl_sda_awready,
  input  logic [31:0]  sda_cl_wdata,
  input  logic [3:0]   sda_cl_wstrb,
  input  logic         sda_cl_wvalid,
  output logic         cl_sda_wready,
  output logic [1:0]   cl_sda_bresp,
  output logic         cl_sda_bvalid,
  input  logic         sda_cl_bready,
  input  logic [31:0]  sda_cl_araddr,
  input  logic         sda_cl_arvalid,
  output logic         cl_sda_arready,
  output logic [31:0]  cl_sda_rdata,
  output logic [1:0]   cl_sda_rresp,
  output logic         cl_sda_rvalid,
  input  logic         sda_cl_rready,

  // ---- debug bridge, counters, HBM's monitor, links between cards: not used ----
  input  logic         drck,
  input  logic         shift,
  input  logic         tdi,
  input  logic         update,
  input  logic         sel,
  output logic         tdo,
  input  logic         tms,
  input  logic         tck,
  input  logic         runtest,
  input  logic         reset,
  input  logic         capture,
  input  logic         bscanid_en,
  input  logic [63:0]  sh_cl_glcount0,
  input  logic [63:0]  sh_cl_glcount1,
  input  logic         hbm_apb_preset_n_1,
  output logic [21:0]  hbm_apb_paddr_1,
  output logic [2:0]   hbm_apb_pprot_1,
  output logic         hbm_apb_psel_1,
  output logic         hbm_apb_penable_1,
  output logic         hbm_apb_pwrite_1,
  output logic [31:0]  hbm_apb_pwdata_1,
  output logic [3:0]   hbm_apb_pstrb_1,
  output logic         hbm_apb_pready_1,
  output logic [31:0]  hbm_apb_prdata_1,
  output logic         hbm_apb_pslverr_1,
  input  logic         hbm_apb_preset_n_0,
  output logic [21:0]  hbm_apb_paddr_0,
  output logic [2:0]   hbm_apb_pprot_0,
  output logic         hbm_apb_psel_0,
  output logic         hbm_apb_penable_0,
  output logic         hbm_apb_pwrite_0,
  output logic [31:0]  hbm_apb_pwdata_0,
  output logic [3:0]   hbm_apb_pstrb_0,
  output logic         hbm_apb_pready_0,
  output logic [31:0]  hbm_apb_prdata_0,
  output logic         hbm_apb_pslverr_0,
  input  logic         PCIE_EP_PERSTN,
  input  logic         PCIE_EP_REF_CLK_P,
  input  logic         PCIE_EP_REF_CLK_N,
  output logic [7:0]   PCIE_EP_TXP,
  output logic [7:0]   PCIE_EP_TXN,
  input  logic [7:0]   PCIE_EP_RXP,
  input  logic [7:0]   PCIE_EP_RXN,
  output logic         PCIE_RP_PERSTN,
  input  logic         PCIE_RP_REF_CLK_P,
  input  logic         PCIE_RP_REF_CLK_N,
  output logic [7:0]   PCIE_RP_TXP,
  output logic [7:0]   PCIE_RP_TXN,
  input  logic [7:0]   PCIE_RP_RXP,
  input  logic [7:0]   PCIE_RP_RXN
);
  // Identifiers of the PCIe function, {device, vendor} and {subsystem, subsystem's vendor}:
  // Amazon's values for a developer's logic. card/boards/cl_folder.py gives the kit the same
  // values.
  localparam logic [31:0] Id0 = 32'hF010_1D0F;
  localparam logic [31:0] Id1 = 32'h1D51_FEDC;

  assign cl_sh_id0 = Id0;
  assign cl_sh_id1 = Id1;

  logic [1:0] interrupts;

  f2_card #(.BuildId(BuildId), .Engines(Engines)) u_card (
    .clk_i(clk_main_a0), .rst_ni(rst_main_n),
    .s_axi_awvalid(sh_cl_dma_pcis_awvalid), .s_axi_awready(cl_sh_dma_pcis_awready),
    .s_axi_awid(sh_cl_dma_pcis_awid), .s_axi_awaddr(sh_cl_dma_pcis_awaddr),
    .s_axi_awlen(sh_cl_dma_pcis_awlen), .s_axi_awsize(sh_cl_dma_pcis_awsize),
    .s_axi_awburst(sh_cl_dma_pcis_awburst),
    .s_axi_wvalid(sh_cl_dma_pcis_wvalid), .s_axi_wready(cl_sh_dma_pcis_wready),
    .s_axi_wdata(sh_cl_dma_pcis_wdata), .s_axi_wstrb(sh_cl_dma_pcis_wstrb),
    .s_axi_wlast(sh_cl_dma_pcis_wlast),
    .s_axi_bvalid(cl_sh_dma_pcis_bvalid), .s_axi_bready(sh_cl_dma_pcis_bready),
    .s_axi_bid(cl_sh_dma_pcis_bid), .s_axi_bresp(cl_sh_dma_pcis_bresp),
    .s_axi_arvalid(sh_cl_dma_pcis_arvalid), .s_axi_arready(cl_sh_dma_pcis_arready),
    .s_axi_arid(sh_cl_dma_pcis_arid), .s_axi_araddr(sh_cl_dma_pcis_araddr),
    .s_axi_arlen(sh_cl_dma_pcis_arlen), .s_axi_arsize(sh_cl_dma_pcis_arsize),
    .s_axi_arburst(sh_cl_dma_pcis_arburst),
    .s_axi_rvalid(cl_sh_dma_pcis_rvalid), .s_axi_rready(sh_cl_dma_pcis_rready),
    .s_axi_rid(cl_sh_dma_pcis_rid), .s_axi_rdata(cl_sh_dma_pcis_rdata),
    .s_axi_rresp(cl_sh_dma_pcis_rresp), .s_axi_rlast(cl_sh_dma_pcis_rlast),
    .s_axil_awvalid(ocl_cl_awvalid), .s_axil_awready(cl_ocl_awready),
    .s_axil_awaddr(ocl_cl_awaddr),
    .s_axil_wvalid(ocl_cl_wvalid), .s_axil_wready(cl_ocl_wready),
    .s_axil_wdata(ocl_cl_wdata), .s_axil_wstrb(ocl_cl_wstrb),
    .s_axil_bvalid(cl_ocl_bvalid), .s_axil_bready(ocl_cl_bready), .s_axil_bresp(cl_ocl_bresp),
    .s_axil_arvalid(ocl_cl_arvalid), .s_axil_arready(cl_ocl_arready),
    .s_axil_araddr(ocl_cl_araddr),
    .s_axil_rvalid(cl_ocl_rvalid), .s_axil_rready(ocl_cl_rready),
    .s_axil_rdata(cl_ocl_rdata), .s_axil_rresp(cl_ocl_rresp),
    .interrupt_request_o(interrupts), .interrupt_acknowledge_i(sh_cl_apppf_irq_ack[1:0])
  );

  assign cl_sh_apppf_irq_req = {14'd0, interrupts};
  assign cl_sh_dma_pcis_ruser = '0;
  // No transfer is delayed as long as the host respects the reported room.
  assign {cl_sh_dma_wr_full, cl_sh_dma_rd_full} = '0;

  // A function-level reset needs no wait: the card has no transaction to finish first.
  always_ff @(posedge clk_main_a0 or negedge rst_main_n) begin
    if (!rst_main_n) cl_sh_flr_done <= 1'b0;
    else cl_sh_flr_done <= sh_cl_flr_assert && !cl_sh_flr_done;
  end

  // The kit requires its DDR block in every design, even without DDR.
  /* verilator lint_off PINCONNECTEMPTY */
  sh_ddr #(.DDR_PRESENT(0)) SH_DDR (
    .clk(clk_main_a0), .rst_n(rst_main_n), .stat_clk(clk_main_a0), .stat_rst_n(rst_main_n),
    .CLK_DIMM_DP, .CLK_DIMM_DN, .M_ACT_N, .M_MA, .M_BA, .M_BG, .M_CKE, .M_ODT, .M_CS_N, .M_CLK_DN,
    .M_CLK_DP, .M_PAR, .M_DQ, .M_ECC, .M_DQS_DP, .M_DQS_DN, .cl_RST_DIMM_N(RST_DIMM_N),
    .cl_sh_ddr_axi_awid('0), .cl_sh_ddr_axi_awaddr('0), .cl_sh_ddr_axi_awlen('0),
    .cl_sh_ddr_axi_awsize(3'd6), .cl_sh_ddr_axi_awvalid(1'b0), .cl_sh_ddr_axi_awburst(2'b01),
    .cl_sh_ddr_axi_awready(), .cl_sh_ddr_axi_wdata('0), .cl_sh_ddr_axi_wstrb('0),
    .cl_sh_ddr_axi_wlast(1'b0), .cl_sh_ddr_axi_wvalid(1'b0), .cl_sh_ddr_axi_wready(),
    .cl_sh_ddr_axi_bid(), .cl_sh_ddr_axi_bresp(), .cl_sh_ddr_axi_bvalid(),
    .cl_sh_ddr_axi_bready(1'b0), .cl_sh_ddr_axi_arid('0), .cl_sh_ddr_axi_araddr('0),
    .cl_sh_ddr_axi_arlen('0), .cl_sh_ddr_axi_arsize(3'd6), .cl_sh_ddr_axi_arvalid(1'b0),
    .cl_sh_ddr_axi_arburst(2'b01), .cl_sh_ddr_axi_arready(), .cl_sh_ddr_axi_rid(),
    .cl_sh_ddr_axi_rdata(), .cl_sh_ddr_axi_rresp(), .cl_sh_ddr_axi_rlast(),
    .cl_sh_ddr_axi_rvalid(), .cl_sh_ddr_axi_rready(1'b0),
    .sh_ddr_stat_bus_addr('0), .sh_ddr_stat_bus_wdata('0), .sh_ddr_stat_bus_wr(1'b0),
    .sh_ddr_stat_bus_rd(1'b0), .sh_ddr_stat_bus_ack(), .sh_ddr_stat_bus_rdata(),
    .ddr_sh_stat_int(), .sh_cl_ddr_is_ready()
  );
  /* verilator lint_on PINCONNECTEMPTY */
  assign cl_sh_ddr_stat_ack = 1'b1;  // otherwise the shell would wait for it
  assign {cl_sh_ddr_stat_rdata, cl_sh_ddr_stat_int} = '0;

  // ---- unused ports ----
  assign {cl_sh_status0, cl_sh_status1, cl_sh_status2, cl_sh_status_vled, tdo} = '0;
  assign {cl_sh_pcim_awid, cl_sh_pcim_awaddr, cl_sh_pcim_awlen, cl_sh_pcim_awsize,
          cl_sh_pcim_awburst, cl_sh_pcim_awcache, cl_sh_pcim_awlock, cl_sh_pcim_awprot,
          cl_sh_pcim_awqos, cl_sh_pcim_awuser, cl_sh_pcim_awvalid, cl_sh_pcim_wid,
          cl_sh_pcim_wdata, cl_sh_pcim_wstrb, cl_sh_pcim_wlast, cl_sh_pcim_wuser,
          cl_sh_pcim_wvalid, cl_sh_pcim_bready, cl_sh_pcim_arid, cl_sh_pcim_araddr,
          cl_sh_pcim_arlen, cl_sh_pcim_arsize, cl_sh_pcim_arburst, cl_sh_pcim_arcache,
          cl_sh_pcim_arlock, cl_sh_pcim_arprot, cl_sh_pcim_arqos, cl_sh_pcim_aruser,
          cl_sh_pcim_arvalid, cl_sh_pcim_rready} = '0;
  assign {cl_sda_awready, cl_sda_wready, cl_sda_bresp, cl_sda_bvalid, cl_sda_arready,
          cl_sda_rdata, cl_sda_rresp, cl_sda_rvalid} = '0;
  assign {hbm_apb_paddr_1, hbm_apb_pprot_1, hbm_apb_psel_1, hbm_apb_penable_1, hbm_apb_pwrite_1,
          hbm_apb_pwdata_1, hbm_apb_pstrb_1, hbm_apb_pready_1, hbm_apb_prdata_1,
          hbm_apb_pslverr_1, hbm_apb_paddr_0, hbm_apb_pprot_0, hbm_apb_psel_0, hbm_apb_penable_0,
          hbm_apb_pwrite_0, hbm_apb_pwdata_0, hbm_apb_pstrb_0, hbm_apb_pready_0,
          hbm_apb_prdata_0, hbm_apb_pslverr_0} = '0;
  assign {PCIE_EP_TXP, PCIE_EP_TXN, PCIE_RP_PERSTN, PCIE_RP_TXP, PCIE_RP_TXN} = '0;

  logic unused;
  assign unused = ^{clk_hbm_ref, sh_cl_ctl0, sh_cl_ctl1, sh_cl_ctl2, sh_cl_status_vdip,
                    sh_cl_pwr_state, sh_cl_pcim_awready, sh_cl_pcim_wready, sh_cl_pcim_bid,
                    sh_cl_pcim_bresp, sh_cl_pcim_bvalid, sh_cl_pcim_arready, sh_cl_pcim_rid,
                    sh_cl_pcim_rdata, sh_cl_pcim_rresp, sh_cl_pcim_rlast, sh_cl_pcim_ruser,
                    sh_cl_pcim_rvalid, cfg_max_payload, cfg_max_read_req, sh_cl_ddr_stat_addr,
                    sh_cl_ddr_stat_wdata, sh_cl_ddr_stat_wr, sh_cl_ddr_stat_rd,
                    sh_cl_ddr_stat_user, sh_cl_apppf_irq_ack[15:2], sh_cl_dma_pcis_awcache,
                    sh_cl_dma_pcis_awlock, sh_cl_dma_pcis_awprot, sh_cl_dma_pcis_awqos,
                    sh_cl_dma_pcis_awuser, sh_cl_dma_pcis_wid, sh_cl_dma_pcis_wuser,
                    sh_cl_dma_pcis_arcache, sh_cl_dma_pcis_arlock, sh_cl_dma_pcis_arprot,
                    sh_cl_dma_pcis_arqos, sh_cl_dma_pcis_aruser, ocl_cl_awuser, ocl_cl_aruser,
                    sda_cl_awaddr, sda_cl_awvalid, sda_cl_wdata, sda_cl_wstrb, sda_cl_wvalid,
                    sda_cl_bready, sda_cl_araddr, sda_cl_arvalid, sda_cl_rready, drck, shift, tdi,
                    update, sel, tms, tck, runtest, reset, capture, bscanid_en, sh_cl_glcount0,
                    sh_cl_glcount1, hbm_apb_preset_n_1, hbm_apb_preset_n_0, PCIE_EP_PERSTN,
                    PCIE_EP_REF_CLK_P, PCIE_EP_REF_CLK_N, PCIE_EP_RXP, PCIE_EP_RXN,
                    PCIE_RP_REF_CLK_P, PCIE_RP_REF_CLK_N, PCIE_RP_RXP, PCIE_RP_RXN};
endmodule
