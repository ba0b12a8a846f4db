# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE. Pins and configuration of the VCU128 (xcvu37p-fsvh2892-2L-e), from the board's public
# constraint files. The pins of the PCIe lanes follow from the quad in the settings of the
# XDMA core. Sourced as Tcl after card/boards/common/checks.tcl.

# The reference clock of the PCIe slot, 100 MHz, in the quad of lanes 8 to 11, from where it reaches
# all four quads (MGTREFCLK0 of bank 225), and the slot's reset.
set_property PACKAGE_PIN AR15 [the get_ports pcie_refclk_clk_p]
set_property PACKAGE_PIN AR14 [the get_ports pcie_refclk_clk_n]
create_clock -name pcie_refclk -period 10.000 [the get_ports pcie_refclk_clk_p]
set_property PACKAGE_PIN BF41 [the get_ports pcie_perst_n]
set_property IOSTANDARD LVCMOS12 [the get_ports pcie_perst_n]
set_property PULLUP true [the get_ports pcie_perst_n]
set_false_path -from [the get_ports pcie_perst_n]

# The board has no controller that the HBM's temperature is reported to: LED 0, which stays dark.
set_property PACKAGE_PIN BH24 [the get_ports hbm_cattrip]
set_property IOSTANDARD LVCMOS18 [the get_ports hbm_cattrip]
set_false_path -to [the get_ports hbm_cattrip]

set_property CFGBVS GND [current_design]
set_property CONFIG_VOLTAGE 1.8 [current_design]
set_property CONFIG_MODE SPIx4 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
set_property BITSTREAM.CONFIG.SPI_BUSWIDTH 4 [current_design]
set_property BITSTREAM.CONFIG.SPI_32BIT_ADDR YES [current_design]
set_property BITSTREAM.CONFIG.SPI_FALL_EDGE YES [current_design]
set_property BITSTREAM.CONFIG.CONFIGRATE 85.0 [current_design]
set_property BITSTREAM.CONFIG.EXTMASTERCCLK_EN DISABLE [current_design]
set_property BITSTREAM.CONFIG.UNUSEDPIN PULLUP [current_design]
set_property BITSTREAM.CONFIG.OVERTEMPSHUTDOWN ENABLE [current_design]
