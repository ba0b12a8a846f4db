// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_core: a field_core of 384 bits with the programs of the coprocessor
// (engines/bls12_381/microcode/coprocessor.py). The programs are paced: several turns of each job
// are in flight. They are correct for latencies up to those of the package.
//
// A job's words come in consecutive order; job_i is sampled with the first. Results come with the
// job's tag, in the order in which the jobs end.
module bls_coprocessor_core
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
  import bls_coprocessor_programs_pkg::*;
  import field_core_isa_pkg::ConstantAddressBits;
#(
  parameter int unsigned Contexts = 4,   // jobs inside at once, at least 2
  parameter int unsigned TileA    = 26,
  parameter int unsigned TileB    = 17
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                job_valid_i,
  output logic                job_ready_o,
  input  logic [DataBits-1:0] job_number_i,
  input  logic                job_last_i,
  input  job_t                job_i,

  output logic                result_valid_o,
  input  logic                result_ready_i,
  output logic [DataBits-1:0] result_number_o,
  output logic                result_last_o,
  output tag_t                result_tag_o,

  output logic                mul_busy_o,
  output logic                memory_error_o
);
  localparam int unsigned Width     = 384;
  localparam int unsigned WordBits  = field_core_isa_pkg::InstructionBits +
                                      field_core_isa_pkg::SequenceSlotBits +
                                      field_core_isa_pkg::PaceSlotBits;
  localparam int unsigned PcBits    = $bits(EntryPc[0]);
  localparam int unsigned FixedBits = field_core_isa_pkg::LookupTableRowBits +
                                      field_core_isa_pkg::LookupWindowBits + 1;

  logic [PcBits-1:0]              program_address;
  logic [ConstantAddressBits-1:0] mul_address, add_address;
  logic [WordBits-1:0]            program_data;
  logic [Width-1:0]               mul_data, add_data, result;
  logic [FixedBits-1:0]           fixed_address;
  logic                           idle;

  field_core_rom #(
    .Width(WordBits), .Depth(ProgramLength), .AddressBits(PcBits), .Contents(Program)
  ) u_program (.clk_i, .address_i(program_address), .data_o(program_data));
  field_core_rom #(
    .Width(Width), .Depth(MulConstCount), .Contents(MulConst)
  ) u_mul_constants (.clk_i, .address_i(mul_address), .data_o(mul_data));
  field_core_rom #(
    .Width(Width), .Depth(AddConstCount), .Contents(AddConst)
  ) u_add_constants (.clk_i, .address_i(add_address), .data_o(add_data));

  field_core #(
    .Width       (Width),
    .Modulus     (Modulus),
    .Contexts    (Contexts),
    .RegBits     (RegBits),
    .TileA       (TileA),
    .TileB       (TileB),
    .TagBits     ($bits(tag_t)),
    .MaxOutputs  (MaxOutputs),
    .ReadMask    (ReadMask),
    .Coefficients(Coefficients),
    .SavedCarries(1'b1),
    .Frames      (Frames),
    .Paced       (1'b1)
  ) u_core (
    .clk_i,
    .rst_ni,
    .job_valid_i,
    .job_ready_o,
    .job_data_i       (Width'(job_number_i)),
    .job_last_i,
    .job_pc_i         (EntryPc[job_i.entry]),
    .job_outputs_i    (job_i.outputs),
    .job_tag_i        (job_i.tag),
    .job_quick_i      (1'b0),
    .job_quick_pc_i   ('0),
    .program_address_o(program_address),
    .program_data_i   (program_data),
    .mul_address_o    (mul_address),
    .mul_data_i       (mul_data),
    .add_address_o    (add_address),
    .add_data_i       (add_data),
    .fixed_address_o  (fixed_address),
    .fixed_data_i     ('0),
    .result_valid_o,
    .result_ready_i,
    .result_data_o    (result),
    .result_last_o,
    .result_tag_o,
    .memory_error_o,
    .mul_busy_o,
    .idle_o           (idle)
  );
  assign result_number_o = result[DataBits-1:0];

  if (arith_pkg::saved_mul_latency(Width, TileA, TileB) > PacedMultiply ||
      arith_pkg::SavedAccumulatorLatency > PacedAccumulate ||
      arith_pkg::SavedMontgomeryLatency > PacedReduce ||
      arith_pkg::SavedMontgomerySumLatency > PacedSum) begin : gen_too_late
    $error("the programs require smaller latencies");
  end

  logic unused;
  assign unused = ^{fixed_address, idle, result[Width-1:DataBits]};
endmodule
