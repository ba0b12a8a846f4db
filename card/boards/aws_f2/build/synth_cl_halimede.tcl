# SPDX-License-Identifier: Apache-2.0 OR MIT
# NOT RUN HERE: written for Amazon's F2 developer kit and Vivado 2024.1;
# card/boards/tests/test_vivado_scripts.py runs it with stand-ins for their commands.
#
# The kit's build_all.tcl calls this synthesis by its name, in the folder that
# card/boards/cl_folder.py makes. The kit sets HDK_SHELL_DIR, CL, CL_DIR, DEVICE_TYPE,
# checkpoints_dir, constraints_dir and src_post_enc_dir; it has copied design/ to src_post_enc_dir.

source $HDK_SHELL_DIR/build/scripts/synth_cl_header.tcl
source $CL_DIR/build/scripts/checks.tcl
# Sets `source_names`, in reading order, and `generics`.
source $CL_DIR/build/scripts/sources.tcl

foreach name $source_names { read_verilog -sv $src_post_enc_dir/$name }

synth_design -mode out_of_context -top $CL -part $DEVICE_TYPE -generic $generics \
    -keep_equivalent_registers

# Applied to the netlist: constraints that the kit reads before synthesis could silently match
# nothing.
refuse_unmatched_constraints
set bus_clock clk_main_a0
set core_clock u_card/core_clk
source $constraints_dir/crossing.xdc
source $constraints_dir/floorplan.xdc

source $HDK_SHELL_DIR/build/scripts/synth_cl_footer.tcl
