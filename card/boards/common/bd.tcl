# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: written for Vivado 2023.2 from its public documentation (PG195 for XDMA). Only its
# syntax was checked.
#
# The block design `shell`: PCIe Gen3 x16 by XDMA in AXI4-Stream mode (one channel in each
# direction, 512 bits per clock, and an AXI4-Lite master for the card's registers), and the core's
# clock. Its ports are those of card/boards/common/shell/shell_wrapper.sv.
#
# Uses the variables pcie_block, gt_quad and core_mhz of the board's build.tcl.

create_bd_design shell

# ---- ports ----
create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:diff_clock_rtl:1.0 pcie_refclk
set_property CONFIG.FREQ_HZ 100000000 [get_bd_intf_ports pcie_refclk]
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:pcie_7x_mgt_rtl:1.0 pcie_mgt
create_bd_port -dir I -type rst pcie_perst_n
set_property CONFIG.POLARITY ACTIVE_LOW [get_bd_ports pcie_perst_n]
create_bd_port -dir O link_up
create_bd_port -dir O -type clk bus_clk
create_bd_port -dir O -type rst bus_rst_n
create_bd_port -dir O -type clk core_clk
create_bd_port -dir O core_locked
create_bd_port -dir I -from 1 -to 0 irq_req
create_bd_port -dir O -from 1 -to 0 irq_ack

create_bd_intf_port -mode Master -vlnv xilinx.com:interface:axis_rtl:1.0 h2c
create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:axis_rtl:1.0 c2h
set_property -dict [list CONFIG.TDATA_NUM_BYTES 64 CONFIG.HAS_TKEEP 1 CONFIG.HAS_TLAST 1 \
    CONFIG.HAS_TREADY 1 CONFIG.FREQ_HZ 250000000] [get_bd_intf_ports c2h]
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:aximm_rtl:1.0 registers
set_property -dict [list CONFIG.PROTOCOL AXI4LITE CONFIG.DATA_WIDTH 32 CONFIG.ADDR_WIDTH 32 \
    CONFIG.FREQ_HZ 250000000] [get_bd_intf_ports registers]
set_property CONFIG.ASSOCIATED_BUSIF h2c:c2h:registers [get_bd_ports bus_clk]

# ---- PCIe ----
create_bd_cell -type ip -vlnv xilinx.com:ip:util_ds_buf:2.2 refclk_buffer
set_property CONFIG.C_BUF_TYPE IBUFDSGTE [get_bd_cells refclk_buffer]

create_bd_cell -type ip -vlnv xilinx.com:ip:xdma:4.1 xdma
set_property -dict [list \
    CONFIG.mode_selection Advanced \
    CONFIG.pcie_blk_locn $pcie_block \
    CONFIG.en_gt_selection true \
    CONFIG.select_quad $gt_quad \
    CONFIG.pl_link_cap_max_link_width X16 \
    CONFIG.pl_link_cap_max_link_speed 8.0_GT/s \
    CONFIG.axi_data_width 512_bit \
    CONFIG.axisten_freq 250 \
    CONFIG.xdma_axi_intf_mm AXI_Stream \
    CONFIG.xdma_rnum_chnl 1 \
    CONFIG.xdma_wnum_chnl 1 \
    CONFIG.axilite_master_en true \
    CONFIG.axilite_master_size 64 \
    CONFIG.axilite_master_scale Kilobytes \
    CONFIG.xdma_num_usr_irq 2 \
    CONFIG.cfg_mgmt_if false \
] [get_bd_cells xdma]

connect_bd_intf_net [get_bd_intf_ports pcie_refclk] [get_bd_intf_pins refclk_buffer/CLK_IN_D]
connect_bd_net [get_bd_pins refclk_buffer/IBUF_OUT] [get_bd_pins xdma/sys_clk_gt]
connect_bd_net [get_bd_pins refclk_buffer/IBUF_DS_ODIV2] [get_bd_pins xdma/sys_clk]
connect_bd_net [get_bd_ports pcie_perst_n] [get_bd_pins xdma/sys_rst_n]
connect_bd_intf_net [get_bd_intf_pins xdma/pcie_mgt] [get_bd_intf_ports pcie_mgt]
connect_bd_net [get_bd_ports irq_req] [get_bd_pins xdma/usr_irq_req]
connect_bd_net [get_bd_pins xdma/usr_irq_ack] [get_bd_ports irq_ack]
connect_bd_net [get_bd_pins xdma/user_lnk_up] [get_bd_ports link_up]
connect_bd_net [get_bd_pins xdma/axi_aclk] [get_bd_ports bus_clk]
connect_bd_net [get_bd_pins xdma/axi_aresetn] [get_bd_ports bus_rst_n]
connect_bd_intf_net [get_bd_intf_pins xdma/M_AXI_LITE] [get_bd_intf_ports registers]

# ---- the streams: a beat of the XDMA core is a beat of the card ----
connect_bd_intf_net [get_bd_intf_pins xdma/M_AXIS_H2C_0] [get_bd_intf_ports h2c]
connect_bd_intf_net [get_bd_intf_ports c2h] [get_bd_intf_pins xdma/S_AXIS_C2H_0]

# ---- the core's clock ----
create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz:6.0 core_clock
set_property -dict [list CONFIG.PRIM_SOURCE No_buffer CONFIG.PRIM_IN_FREQ 250.000 \
    CONFIG.CLKOUT1_REQUESTED_OUT_FREQ $core_mhz CONFIG.USE_RESET true \
    CONFIG.RESET_TYPE ACTIVE_LOW] [get_bd_cells core_clock]
connect_bd_net [get_bd_pins xdma/axi_aclk] [get_bd_pins core_clock/clk_in1]
connect_bd_net [get_bd_pins xdma/axi_aresetn] [get_bd_pins core_clock/resetn]
connect_bd_net [get_bd_pins core_clock/clk_out1] [get_bd_ports core_clk]
connect_bd_net [get_bd_pins core_clock/locked] [get_bd_ports core_locked]

assign_bd_address
validate_bd_design
save_bd_design
