// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// shell_wrapper: the ports of the block design that card/boards/common/bd.tcl makes. It replaces
// the block design when alveo_top is linted or elaborated without Vivado; Vivado generates its own
// wrapper.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
(* blackbox *)
module shell_wrapper (
  input  logic        pcie_refclk_clk_p,
  input  logic        pcie_refclk_clk_n,
  input  logic        pcie_perst_n,
  input  logic [15:0] pcie_mgt_rxp,
  input  logic [15:0] pcie_mgt_rxn,
  output logic [15:0] pcie_mgt_txp,
  output logic [15:0] pcie_mgt_txn,
  output logic        link_up,
  output logic        bus_clk,
  output logic        bus_rst_n,
  output logic        core_clk,
  output logic        core_locked,
  // Streams from the host to the card and back, AXI4-Stream on bus_clk.
  output logic        h2c_tvalid,
  input  logic        h2c_tready,
  output logic [511:0] h2c_tdata,
  output logic [63:0] h2c_tkeep,
  output logic        h2c_tlast,
  input  logic        c2h_tvalid,
  output logic        c2h_tready,
  input  logic [511:0] c2h_tdata,
  input  logic [63:0] c2h_tkeep,
  input  logic        c2h_tlast,
  // AXI4-Lite on bus_clk.
  output logic        registers_awvalid,
  input  logic        registers_awready,
  output logic [31:0] registers_awaddr,
  output logic [2:0]  registers_awprot,
  output logic        registers_wvalid,
  input  logic        registers_wready,
  output logic [31:0] registers_wdata,
  output logic [3:0]  registers_wstrb,
  input  logic        registers_bvalid,
  output logic        registers_bready,
  input  logic [1:0]  registers_bresp,
  output logic        registers_arvalid,
  input  logic        registers_arready,
  output logic [31:0] registers_araddr,
  output logic [2:0]  registers_arprot,
  input  logic        registers_rvalid,
  output logic        registers_rready,
  input  logic [31:0] registers_rdata,
  input  logic [1:0]  registers_rresp,
  // XDMA's user interrupts, on bus_clk.
  input  logic [1:0]  irq_req,
  output logic [1:0]  irq_ack
);
endmodule
