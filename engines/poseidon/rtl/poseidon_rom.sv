// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// poseidon_rom: instructions and constants of one field_core: those of a lane (the field) and a
// set of programs. Each word belongs to the address of the clock before.
//
// The one place that names the packages' tables: they reach the memories straight from there (see
// field_core_rom).
module poseidon_rom
  import field_core_isa_pkg::*;
  import poseidon_pkg::*;
#(
  parameter int unsigned Lane     = LaneFr,
  parameter programs_e   Programs = ProgramsOptimised
) (
  input  logic                           clk_i,
  input  logic [ImmBits-1:0]             program_address_i,
  output logic [InstructionBits-1:0]     program_data_o,
  input  logic [ConstantAddressBits-1:0] mul_address_i,
  output logic [255:0]                   mul_data_o,
  input  logic [ConstantAddressBits-1:0] add_address_i,
  output logic [255:0]                   add_data_o
);

  if (Lane == LaneFr && Programs == ProgramsOptimised) begin : gen_fr
    import poseidon_fr_rom_pkg::*;
    field_core_rom #(
      .Width(InstructionBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
    ) u_program (
      .clk_i, .address_i(program_address_i), .data_o(program_data_o)
    );
    field_core_rom #(
      .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
    ) u_mul (
      .clk_i, .address_i(mul_address_i), .data_o(mul_data_o)
    );
    field_core_rom #(
      .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
    ) u_add (
      .clk_i, .address_i(add_address_i), .data_o(add_data_o)
    );
  end else if (Lane == LaneFelt && Programs == ProgramsOptimised) begin : gen_felt
    import poseidon_felt_rom_pkg::*;
    field_core_rom #(
      .Width(InstructionBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
    ) u_program (
      .clk_i, .address_i(program_address_i), .data_o(program_data_o)
    );
    field_core_rom #(
      .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
    ) u_mul (
      .clk_i, .address_i(mul_address_i), .data_o(mul_data_o)
    );
    field_core_rom #(
      .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
    ) u_add (
      .clk_i, .address_i(add_address_i), .data_o(add_data_o)
    );
  end else if (Lane == LaneFr && Programs == ProgramsPlain) begin : gen_fr_plain
    import poseidon_fr_plain_rom_pkg::*;
    field_core_rom #(
      .Width(InstructionBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
    ) u_program (
      .clk_i, .address_i(program_address_i), .data_o(program_data_o)
    );
    field_core_rom #(
      .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
    ) u_mul (
      .clk_i, .address_i(mul_address_i), .data_o(mul_data_o)
    );
    field_core_rom #(
      .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
    ) u_add (
      .clk_i, .address_i(add_address_i), .data_o(add_data_o)
    );
  end else if (Lane == LaneFelt && Programs == ProgramsPlain) begin : gen_felt_plain
    import poseidon_felt_plain_rom_pkg::*;
    field_core_rom #(
      .Width(InstructionBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
    ) u_program (
      .clk_i, .address_i(program_address_i), .data_o(program_data_o)
    );
    field_core_rom #(
      .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
    ) u_mul (
      .clk_i, .address_i(mul_address_i), .data_o(mul_data_o)
    );
    field_core_rom #(
      .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
    ) u_add (
      .clk_i, .address_i(add_address_i), .data_o(add_data_o)
    );
  end else if (Lane == LaneFr && Programs == ProgramsSmall) begin : gen_fr_small
    import poseidon_fr_small_rom_pkg::*;
    field_core_rom #(
      .Width(InstructionBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
    ) u_program (
      .clk_i, .address_i(program_address_i), .data_o(program_data_o)
    );
    field_core_rom #(
      .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
    ) u_mul (
      .clk_i, .address_i(mul_address_i), .data_o(mul_data_o)
    );
    field_core_rom #(
      .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
    ) u_add (
      .clk_i, .address_i(add_address_i), .data_o(add_data_o)
    );
  end else if (Lane == LaneFelt && Programs == ProgramsSmall) begin : gen_felt_small
    import poseidon_felt_small_rom_pkg::*;
    field_core_rom #(
      .Width(InstructionBits), .Depth(ProgramLength), .AddressBits(ImmBits), .Contents(Program)
    ) u_program (
      .clk_i, .address_i(program_address_i), .data_o(program_data_o)
    );
    field_core_rom #(
      .Depth(MulConstCount), .AddressBits(ConstantAddressBits), .Contents(MulConst)
    ) u_mul (
      .clk_i, .address_i(mul_address_i), .data_o(mul_data_o)
    );
    field_core_rom #(
      .Depth(AddConstCount), .AddressBits(ConstantAddressBits), .Contents(AddConst)
    ) u_add (
      .clk_i, .address_i(add_address_i), .data_o(add_data_o)
    );
  end else begin : gen_none
    $error("poseidon_rom: lane %0d has no set of programs %0d", Lane, Programs);
  end
endmodule
