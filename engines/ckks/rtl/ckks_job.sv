// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_job: a job of the card (engines/ckks/card/isa.toml): the address of its program, and the
// table of its regions of memory, which is kept here while the program runs.
//
// start_i begins with the job at address_i: its 64 bytes, then the table, four regions a beat.
// done_valid_o reports that everything has been read, and fault_o the first fault. The start of a
// region comes one clock after its number, in transfers of 64 bytes. A region is absent if the
// table marks it so or has no entry, and beyond if it does not lie in the memory or does not begin
// at a whole transfer.
module ckks_job
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned MemoryBits   = 34,
  localparam int unsigned TransferBits = $clog2(TransferBytes),
  localparam int unsigned PlaceBits    = MemoryBits - TransferBits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  start_i,    // while no job is read
  input  logic [MemoryBits-1:0] address_i,  // a multiple of 64
  output logic                  done_valid_o,
  output fault_e                fault_o,
  output logic [MemoryBits-1:0] program_o,
  output logic [12:0]           regions_o,  // in the table

  input  logic [11:0]           region_i,
  output logic [PlaceBits-1:0]  region_place_o,
  output logic                  region_absent_o,
  output logic                  region_beyond_o,

  output logic                  m_axi_arvalid,
  input  logic                  m_axi_arready,
  output logic [MemoryBits-1:0] m_axi_araddr,
  output logic [7:0]            m_axi_arlen,
  output logic [2:0]            m_axi_arsize,
  output logic [1:0]            m_axi_arburst,
  input  logic                  m_axi_rvalid,
  output logic                  m_axi_rready,
  input  logic [255:0]          m_axi_rdata,
  input  logic [1:0]            m_axi_rresp,
  input  logic                  m_axi_rlast,
  output logic                  memory_error_o  // of a queue: a word with a flipped bit
);
  localparam int unsigned CountBits = 11;  // of beats: four regions each

  // ---- Beats -----------------------------------------------------------------------------------
  logic                  run_valid_q, run_ready, beat, beat_error, beat_last, unused_idle;
  logic [MemoryBits-1:0] run_address_q;
  logic [CountBits-1:0]  run_beats_q;
  logic [255:0]          data;
  ckks_memory_read #(
    .AddressBits(MemoryBits), .BeatBytes(32), .CountBits(CountBits), .MaxBeats(64),
    .QueueBeats(64), .OpenBursts(4)
  ) u_read (
    .clk_i, .rst_ni, .drop_i(1'b0), .idle_o(unused_idle), .run_valid_i(run_valid_q),
    .run_ready_o(run_ready), .run_address_i(run_address_q), .run_beats_i(run_beats_q),
    .out_valid_o(beat), .out_ready_i(1'b1), .out_data_o(data), .out_error_o(beat_error),
    .out_last_o(beat_last),
    .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst,
    .m_axi_rvalid, .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .memory_error_o
  );

  // ---- The job, then the table -----------------------------------------------------------------
  localparam int unsigned ProgramLow  = 8 * JobProgramOffset;
  localparam int unsigned SegmentsLow = 8 * JobSegmentsOffset;
  localparam int unsigned CountLow    = 8 * JobCountOffset;
  typedef enum logic [2:0] {StateIdle, StateFirst, StateRest, StateAsk, StateTable} state_e;
  state_e      state_q;
  logic [63:0] table_q, program_q;
  logic        fails, bad_q;
  logic [9:0]  row_q;
  function automatic logic is_beyond(input logic [63:0] address);
    return (address >> MemoryBits) != '0 || address[TransferBits-1:0] != '0;
  endfunction
  assign fails     = bad_q || is_beyond(program_q) || (regions_o != '0 && is_beyond(table_q));
  assign program_o = MemoryBits'(program_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateIdle;
      run_valid_q  <= 1'b0;
      done_valid_o <= 1'b0;
      fault_o      <= FaultNone;
    end else begin
      done_valid_o <= 1'b0;
      if (run_ready) run_valid_q <= 1'b0;
      unique case (state_q)
        StateIdle: begin
          if (start_i) begin
            state_q     <= StateFirst;
            run_valid_q <= 1'b1;
            fault_o     <= FaultNone;
          end
        end
        StateFirst: if (beat) state_q <= StateRest;
        StateRest:  if (beat) state_q <= StateAsk;
        StateAsk: begin
          if (fails || regions_o == '0) begin
            state_q      <= StateIdle;
            done_valid_o <= 1'b1;
            if (bad_q) fault_o <= FaultMemory;
            else if (fails) fault_o <= FaultAddress;
          end else begin
            state_q     <= StateTable;
            run_valid_q <= 1'b1;
          end
        end
        default: begin
          if (beat && beat_last) begin
            state_q      <= StateIdle;
            done_valid_o <= 1'b1;
            if (bad_q || beat_error) fault_o <= FaultMemory;
          end
        end
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      run_address_q <= address_i;
      run_beats_q   <= CountBits'(2);
      bad_q         <= 1'b0;
      row_q         <= '0;
    end else begin
      if (state_q == StateAsk) begin
        run_address_q <= MemoryBits'(table_q);
        run_beats_q   <= CountBits'((regions_o + 13'd3) >> 2);
      end
      if (beat && beat_error) bad_q <= 1'b1;
      if (beat && state_q == StateTable) row_q <= row_q + 1'b1;
    end
    if (state_q == StateFirst && beat) begin
      program_q <= data[ProgramLow+:64];
      table_q   <= data[SegmentsLow+:64];
      regions_o <= (data[CountLow+:32] > 32'(Segments)) ? 13'(Segments) : data[CountLow+:13];
    end
  end

  // ---- Regions ---------------------------------------------------------------------------------
  typedef struct packed {
    logic                 absent;
    logic                 beyond;
    logic [PlaceBits-1:0] place;
  } region_t;
  region_t [3:0] written, four;
  region_t       region;
  logic [1:0]    which_q;
  logic          missing_q;
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      written[i] = '{absent: &data[64*i+:64], beyond: is_beyond(data[64*i+:64]),
                     place: data[64*i+TransferBits+:PlaceBits]};
    end
  end
  field_core_memory #(.Width(4 * $bits(region_t)), .Depth(Segments / 4)) u_regions (
    .clk_i, .write_valid_i(state_q == StateTable && beat), .write_address_i(row_q),
    .write_data_i(written), .read_enable_i(1'b1), .read_address_i(region_i[11:2]),
    .read_data_o(four)
  );
  always_ff @(posedge clk_i) begin
    which_q   <= region_i[1:0];
    missing_q <= 13'(region_i) >= regions_o;
  end
  assign region          = four[which_q];
  assign region_place_o  = region.place;
  assign region_absent_o = region.absent || missing_q;
  assign region_beyond_o = region.beyond;
endmodule
