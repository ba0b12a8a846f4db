// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_control: takes a job, starts its instructions, and ends the job.
//
//   ckks_job ─▶ ckks_fetch ─▶ ckks_decode ─▶ ckks_scoreboard ─▶ units
//
// A job is done when its END is done, or when it has failed and all instructions that had begun are
// done. done_valid_o reports this once, with the code of the first fault, the number of the current
// word then, and the clocks since the job was taken; these stay until the next job. The
// scoreboard's table is cleared after a job, one resource a clock, so that start_ready_o comes
// later.
//
// If no unit finishes anything and no beat of the memory moves for 2^TimeoutBits clocks, the job
// ends with a time-out. The next job waits until the memory has answered everything; if it never
// does, a reset is needed.
module ckks_control
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned LogRadix     = 3,
  parameter  int unsigned Columns      = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned CardSlots    = 64,
  parameter  int unsigned MemoryBits   = 34,
  parameter  int unsigned TableBits    = 6,
  parameter  int unsigned LogRegions   = 4,
  parameter  int unsigned QueueDepth   = 8,
  parameter  int unsigned NumberBits   = 24,
  parameter  int unsigned QueueWords   = 128,
  parameter  int unsigned TimeoutBits  = 24,
  localparam int unsigned UnitCount    = 6,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1),
  localparam int unsigned PayloadBits  = TableBits + InstructionBits
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  input  logic                                  start_valid_i,
  output logic                                  start_ready_o,
  input  logic [MemoryBits-1:0]                 start_address_i,  // of the job: a multiple of 64
  output logic                                  done_valid_o,
  output fault_e                                done_code_o,
  output logic [31:0]                           done_number_o,
  output logic [31:0]                           done_clocks_o,

  // The properties of the program that the units need.
  output logic [DegreeBits-1:0]                 log_degree_o,
  output logic                                  primes_valid_o,
  output logic [4:0]                            primes_place_o,
  output logic [7:0][31:0]                      primes_data_o,
  output logic                                  term_valid_o,
  output logic [TableBits-1:0]                  term_place_o,
  output instruction_t                          term_o,

  output logic [UnitCount-1:0]                  begin_valid_o,
  input  logic [UnitCount-1:0]                  begin_ready_i,
  output logic [UnitCount-1:0][PayloadBits-1:0] begin_payload_o,
  input  logic [UnitCount-1:0]                  unit_done_i,
  input  logic                                  error_i,  // of the memory: of the bus, or a parity
  input  logic                                  beat_i,   // the memory moves a beat

  // Masters of the memory: of the job and of the program.
  output logic [1:0]                            arvalid_o,
  input  logic [1:0]                            arready_i,
  output logic [1:0][MemoryBits-1:0]            araddr_o,
  output logic [1:0][7:0]                       arlen_o,
  input  logic [1:0]                            rvalid_i,
  output logic [1:0]                            rready_o,
  input  logic [255:0]                          rdata_i,
  input  logic [1:0]                            rresp_i,
  input  logic                                  rlast_i
);
  localparam int unsigned PlaceBits    = MemoryBits - $clog2(TransferBytes);
  localparam int unsigned Resources    = CardSlots + 2 + (1 << LogRegions);
  localparam int unsigned ResourceBits = $clog2(Resources);

  typedef enum logic [2:0] {
    StateIdle, StateJob, StateProgram, StateDrain, StateSettle, StateClear
  } state_e;
  state_e     state_q;
  logic       job_starts, job_done, job_busy_q, stops, stopped_q;
  fault_e     job_fault;
  logic [2:0] memory_errors;
  assign job_starts = start_valid_i && start_ready_o;
  assign stops      = state_q == StateDrain || state_q == StateSettle;

  // ---- The job ---------------------------------------------------------------------------------
  logic [MemoryBits-1:0] program_address;
  logic [12:0]           regions;
  logic [11:0]           region;
  logic [PlaceBits-1:0]  region_place;
  logic                  region_absent, region_beyond;
  logic [1:0][2:0]       unused_size;
  logic [1:0][1:0]       unused_burst;
  ckks_job #(.MemoryBits(MemoryBits)) u_job (
    .clk_i, .rst_ni, .start_i(job_starts), .address_i(start_address_i), .done_valid_o(job_done),
    .fault_o(job_fault), .program_o(program_address), .regions_o(regions), .region_i(region),
    .region_place_o(region_place), .region_absent_o(region_absent),
    .region_beyond_o(region_beyond), .m_axi_arvalid(arvalid_o[0]), .m_axi_arready(arready_i[0]),
    .m_axi_araddr(araddr_o[0]), .m_axi_arlen(arlen_o[0]), .m_axi_arsize(unused_size[0]),
    .m_axi_arburst(unused_burst[0]), .m_axi_rvalid(rvalid_i[0]), .m_axi_rready(rready_o[0]),
    .m_axi_rdata(rdata_i), .m_axi_rresp(rresp_i), .m_axi_rlast(rlast_i),
    .memory_error_o(memory_errors[0])
  );

  // ---- The program -----------------------------------------------------------------------------
  logic         fetch_idle, fetched, header_valid, word_valid, word_ready;
  fault_e       fetch_fault;
  logic [4:0]   log_degree;
  logic [12:0]  slots, segments;
  logic [8:0]   primes;
  logic [31:0]  words;
  instruction_t word;
  ckks_fetch #(
    .MemoryBits(MemoryBits), .LogLanes(LogLanes), .LogRadix(LogRadix),
    .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits), .CardSlots(CardSlots),
    .Columns(Columns), .NumberBits(NumberBits), .QueueWords(QueueWords)
  ) u_fetch (
    .clk_i, .rst_ni, .start_i(state_q == StateJob && job_done && job_fault == FaultNone),
    .address_i(program_address), .stop_i(stops && !stopped_q), .idle_o(fetch_idle), .fetched_o(fetched),
    .fault_o(fetch_fault), .header_valid_o(header_valid), .log_degree_o(log_degree),
    .slots_o(slots), .primes_o(primes), .segments_o(segments), .words_o(words), .primes_valid_o,
    .primes_place_o, .primes_data_o, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .m_axi_arvalid(arvalid_o[1]), .m_axi_arready(arready_i[1]),
    .m_axi_araddr(araddr_o[1]), .m_axi_arlen(arlen_o[1]), .m_axi_arsize(unused_size[1]),
    .m_axi_arburst(unused_burst[1]), .m_axi_rvalid(rvalid_i[1]), .m_axi_rready(rready_o[1]),
    .m_axi_rdata(rdata_i), .m_axi_rresp(rresp_i), .m_axi_rlast(rlast_i),
    .memory_error_o(memory_errors[1])
  );
  assign log_degree_o = DegreeBits'(log_degree);

  logic                    operand_valid, operand_ready, operand_write, operand_last;
  logic [2:0]              operand_unit;
  logic [ResourceBits-1:0] operand_resource;
  logic [PayloadBits-1:0]  operand_payload;
  logic                    scoreboard_idle, has_regions, ended;
  fault_e                  decode_fault;
  logic [31:0]             number;
  assign has_regions = segments <= regions;
  ckks_decode #(
    .CardSlots(CardSlots), .Columns(Columns), .TableBits(TableBits), .LogRegions(LogRegions),
    .LogRadix(LogRadix), .MemoryBits(MemoryBits)
  ) u_decode (
    .clk_i, .rst_ni, .start_i(state_q == StateProgram && header_valid && has_regions),
    .stop_i(stops), .log_degree_i(log_degree), .slots_i(slots), .primes_i(primes),
    .segments_i(segments), .words_i(words), .word_valid_i(word_valid), .word_ready_o(word_ready),
    .word_i(word), .region_o(region), .region_place_i(region_place),
    .region_absent_i(region_absent), .region_beyond_i(region_beyond),
    .operand_valid_o(operand_valid), .operand_ready_i(operand_ready),
    .operand_unit_o(operand_unit), .operand_resource_o(operand_resource),
    .operand_write_o(operand_write), .operand_last_o(operand_last),
    .operand_payload_o(operand_payload), .idle_i(scoreboard_idle), .term_valid_o, .term_place_o,
    .term_o, .product_done_i(unit_done_i[4]), .end_o(ended), .fault_o(decode_fault),
    .number_o(number), .memory_error_o(memory_errors[2])
  );
  ckks_scoreboard #(
    .Units(UnitCount), .Resources(Resources), .NumberBits(NumberBits), .QueueDepth(QueueDepth),
    .PayloadBits(PayloadBits)
  ) u_scoreboard (
    .clk_i, .rst_ni, .clear_i(state_q == StateClear), .idle_o(scoreboard_idle),
    .operand_valid_i(operand_valid), .operand_ready_o(operand_ready),
    .operand_unit_i(operand_unit), .operand_resource_i(operand_resource),
    .operand_write_i(operand_write), .operand_last_i(operand_last),
    .operand_payload_i(operand_payload), .begin_valid_o, .begin_ready_i, .begin_payload_o,
    .done_i(unit_done_i)
  );

  // ---- Its end ---------------------------------------------------------------------------------
  logic                   decodes_q, fetched_q, ended_q, waits_too_long, is_quiet;
  fault_e                 fault, fault_q;
  logic [TimeoutBits-1:0] quiet_q;
  assign is_quiet       = fetch_idle && scoreboard_idle && !job_busy_q;
  assign waits_too_long = quiet_q == '1;
  always_comb begin
    fault = FaultNone;
    if (waits_too_long) fault = FaultTimeout;
    if (error_i || memory_errors != '0) fault = FaultMemory;
    if (state_q == StateProgram) begin
      if (fetched && fetch_fault != FaultNone) fault = fetch_fault;
      if (header_valid && !has_regions) fault = FaultSegment;
      if (decodes_q && decode_fault != FaultNone) fault = decode_fault;
    end else if (state_q == StateJob && job_done && job_fault != FaultNone) begin
      fault = job_fault;
    end
  end
  assign start_ready_o = state_q == StateIdle && scoreboard_idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateIdle;
      job_busy_q   <= 1'b0;
      stopped_q    <= 1'b0;
      decodes_q    <= 1'b0;
      fetched_q    <= 1'b0;
      ended_q      <= 1'b0;
      fault_q      <= FaultNone;
      quiet_q      <= '0;
      done_valid_o <= 1'b0;
    end else begin
      done_valid_o <= 1'b0;
      stopped_q    <= stops;
      job_busy_q   <= job_starts || (job_busy_q && !job_done);
      quiet_q      <= (state_q == StateIdle || state_q == StateSettle || beat_i
                       || unit_done_i != '0) ? '0 : quiet_q + 1'b1;
      if (header_valid && has_regions) decodes_q <= 1'b1;
      if (fetched) fetched_q <= 1'b1;
      if (ended) ended_q <= 1'b1;
      unique case (state_q)
        StateIdle: begin
          {decodes_q, fetched_q, ended_q} <= '0;
          if (job_starts) state_q <= StateJob;
        end
        StateJob:     if (job_done) state_q <= StateProgram;
        StateProgram: if (ended_q && fetched_q) state_q <= StateDrain;
        StateDrain: begin
          if (is_quiet) begin
            state_q      <= StateSettle;
            done_valid_o <= 1'b1;
          end
        end
        StateSettle: if (is_quiet) state_q <= StateClear;
        default:     state_q <= StateIdle;
      endcase
      if (state_q == StateIdle) begin
        if (job_starts) fault_q <= FaultNone;
      end else if (fault_q == FaultNone && state_q inside {StateJob, StateProgram, StateDrain}) begin
        fault_q <= fault;
      end
      if (state_q inside {StateJob, StateProgram} && fault != FaultNone) state_q <= StateDrain;
      if (state_q inside {StateJob, StateProgram, StateDrain} && waits_too_long) begin
        state_q      <= StateSettle;
        done_valid_o <= 1'b1;
      end
    end
  end
  assign done_code_o = fault_q;
  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) done_clocks_o <= job_starts ? '0 : done_clocks_o;
    else if (state_q inside {StateJob, StateProgram, StateDrain}) begin
      done_clocks_o <= done_clocks_o + 1'b1;
    end
    // The number of a word after the fault is not reported.
    if (job_starts) done_number_o <= '0;
    else if (state_q == StateProgram && decodes_q) done_number_o <= number;
  end
  logic unused;
  assign unused = ^{unused_size, unused_burst};
endmodule
