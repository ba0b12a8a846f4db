// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_fetch: reads a program from the card's memory (engines/ckks/card/isa.toml): its header, its
// table of primes and its instructions in order, by an AXI4 read master of 32 bytes a beat.
//
// start_i begins with the program at address_i. The header is checked first: that it is a program,
// and that the card has its N, radix, slots and columns; otherwise nothing else is read. The table
// and the instructions then come as one run, eight primes or one instruction a beat, read ahead of
// the decoder. Their checksum is known with the last beat: some instructions have already run by
// then, and are not undone if fetched_o comes with a fault.
//
// fault_o holds the first fault until start_i; stop_i stops fetching (another unit found a fault).
// idle_o: no read is in flight, and a program may start. (The bus's ports have AXI's own names, so
// that tools recognize the interface.)
module ckks_fetch
  import ckks_isa_pkg::*;
#(
  parameter int unsigned MemoryBits   = 34,
  parameter int unsigned LogLanes     = 3,
  parameter int unsigned LogRadix     = 3,
  parameter int unsigned MaxLogDegree = 16,
  parameter int unsigned AddressBits  = 12,  // of a row of the scratchpad
  parameter int unsigned CardSlots    = arith_pkg::minimum(1 << (AddressBits - 1), Slots),
  parameter int unsigned Columns      = 3,
  parameter int unsigned NumberBits   = 24,  // of ckks_scoreboard
  parameter int unsigned QueueWords   = 128
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  start_i,    // while idle_o
  input  logic [MemoryBits-1:0] address_i,  // a multiple of 64
  input  logic                  stop_i,
  output logic                  idle_o,
  output logic                  fetched_o,  // a pulse: all is read, or there is a fault
  output fault_e                fault_o,

  output logic                  header_valid_o,  // a pulse: what follows holds from here on
  output logic [4:0]            log_degree_o,
  output logic [12:0]           slots_o,
  output logic [8:0]            primes_o,
  output logic [12:0]           segments_o,
  output logic [31:0]           words_o,

  output logic                  primes_valid_o,  // eight entries of the table, from 8 * place
  output logic [4:0]            primes_place_o,
  output logic [7:0][31:0]      primes_data_o,

  output logic                  word_valid_o,
  input  logic                  word_ready_i,
  output instruction_t          word_o,

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
  localparam int unsigned BeatBytes   = 32;
  localparam int unsigned HeaderBeats = 2;
  localparam int unsigned CountBits   = NumberBits + 1;
  typedef logic [CountBits-1:0] count_t;

  typedef enum logic [2:0] {
    StateIdle, StateHeader, StateJudge, StatePrimes, StateWords, StateSum, StateDrop
  } state_e;
  state_e state_q;

  // ---- Beats -----------------------------------------------------------------------------------
  logic                  run_valid_q, run_ready, drop, reader_idle;
  logic [MemoryBits-1:0] run_address_q;
  count_t                run_beats_q, beats_q;  // of the table or the instructions, still to come
  logic                  beat_valid, beat_ready, beat_error, beat_last, beat;
  logic [255:0]          beat_data;
  ckks_memory_read #(
    .AddressBits(MemoryBits), .BeatBytes(BeatBytes), .CountBits(CountBits), .MaxBeats(64),
    .QueueBeats(QueueWords)
  ) u_read (
    .clk_i, .rst_ni, .drop_i(drop), .idle_o(reader_idle), .run_valid_i(run_valid_q),
    .run_ready_o(run_ready), .run_address_i(run_address_q), .run_beats_i(run_beats_q),
    .out_valid_o(beat_valid), .out_ready_i(beat_ready), .out_data_o(beat_data),
    .out_error_o(beat_error), .out_last_o(beat_last),
    .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst,
    .m_axi_rvalid, .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .memory_error_o
  );
  assign word_valid_o = state_q == StateWords && beat_valid && !beat_error;
  assign word_o       = beat_data;
  assign beat_ready   = state_q == StateHeader || state_q == StatePrimes
                     || (state_q == StateWords && (word_ready_i || beat_error));
  assign beat         = beat_valid && beat_ready;
  assign drop         = state_q == StateDrop;
  assign idle_o       = state_q == StateIdle && reader_idle && !run_valid_q;

  // ---- The header ------------------------------------------------------------------------------
  function automatic logic [31:0] part(input logic [255:0] header, input int unsigned offset,
                                       input int unsigned bytes);
    return 32'(header >> (8 * offset)) & 32'((64'd1 << (8 * bytes)) - 64'd1);
  endfunction
  logic [255:0]          header_q;
  logic [MemoryBits-1:0] program_q;
  logic [31:0]           degree, radix, slots, primes, segments, columns, words;
  logic                  bad_magic_q, bad_shape_q, second_q, judges_q;
  logic [31:0]           room_q;  // of slots
  assign degree   = part(header_q, HeaderLogDegreeOffset, HeaderLogDegreeBytes);
  assign radix    = part(header_q, HeaderLogRadixOffset, HeaderLogRadixBytes);
  assign slots    = part(header_q, HeaderSlotsOffset, HeaderSlotsBytes);
  assign primes   = part(header_q, HeaderPrimesOffset, HeaderPrimesBytes);
  assign segments = part(header_q, HeaderSegmentsOffset, HeaderSegmentsBytes);
  assign columns  = part(header_q, HeaderColumnsOffset, HeaderColumnsBytes);
  assign words    = part(header_q, HeaderInstructionsOffset, HeaderInstructionsBytes);
  always_ff @(posedge clk_i) begin
    if (state_q == StateHeader && beat && !second_q) header_q <= beat_data;
    // Two clocks: the room for slots of this N, then all that is compared.
    room_q      <= 32'(1 << (AddressBits + LogLanes)) >> degree[4:0];
    bad_magic_q <= part(header_q, HeaderMagicOffset, HeaderMagicBytes) != ProgramMagic
                || part(header_q, HeaderVersionOffset, HeaderVersionBytes) != IsaVersion;
    bad_shape_q <= degree <= LogLanes || degree > MaxLogDegree || radix != LogRadix
                || slots == '0 || slots > CardSlots || slots > room_q
                || columns > Columns || primes == '0 || primes > Primes || segments > Segments
                || words == '0 || (words >> NumberBits) != '0;
  end
  assign log_degree_o = 5'(degree);
  assign slots_o      = 13'(slots);
  assign primes_o     = 9'(primes);
  assign segments_o   = 13'(segments);
  assign words_o      = words;

  // ---- The table of primes, in whole transfers of 16 -------------------------------------------
  count_t prime_beats;
  assign prime_beats = count_t'(((primes + 32'd15) >> 4) << 1);
  logic [4:0] place_q;
  always_ff @(posedge clk_i) begin
    primes_valid_o <= state_q == StatePrimes && beat && !beat_error;
    primes_place_o <= place_q;
    primes_data_o  <= beat_data;
    if (state_q != StatePrimes) place_q <= '0;
    else if (beat) place_q <= place_q + 1'b1;
  end

  // ---- The checksum ----------------------------------------------------------------------------
  logic [31:0] sum_q, sum;
  crc32c_beat #(.Bytes(BeatBytes)) u_sum (.state_i(sum_q), .data_i(beat_data), .state_o(sum));
  always_ff @(posedge clk_i) begin
    if (state_q == StateHeader) sum_q <= '1;
    else if (beat) sum_q <= sum;
  end

  // ---- The sequence ----------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StateIdle;
      run_valid_q    <= 1'b0;
      fault_o        <= FaultNone;
      fetched_o      <= 1'b0;
      header_valid_o <= 1'b0;
    end else begin
      fetched_o      <= 1'b0;
      header_valid_o <= 1'b0;
      if (run_ready) run_valid_q <= 1'b0;
      unique case (state_q)
        StateIdle: begin
          if (start_i) begin
            state_q     <= StateHeader;
            run_valid_q <= 1'b1;
            fault_o     <= FaultNone;
          end
        end
        StateHeader: if (beat && second_q) state_q <= StateJudge;
        StateJudge: begin
          if (judges_q) begin
            fetched_o <= bad_magic_q || bad_shape_q;
            if (bad_magic_q) fault_o <= FaultMagic;
            else if (bad_shape_q) fault_o <= FaultShape;
            header_valid_o <= !bad_magic_q && !bad_shape_q;
            run_valid_q    <= !bad_magic_q && !bad_shape_q;
            state_q        <= (bad_magic_q || bad_shape_q) ? StateIdle : StatePrimes;
          end
        end
        StatePrimes: if (beat && beats_q == count_t'(1)) state_q <= StateWords;
        StateWords:  if (beat && beat_last) state_q <= StateSum;
        StateSum: begin
          state_q   <= StateIdle;
          fetched_o <= 1'b1;
          if (~sum_q != part(header_q, HeaderChecksumOffset, HeaderChecksumBytes)) begin
            fault_o <= FaultChecksum;
          end
        end
        default: if (reader_idle) state_q <= StateIdle;
      endcase
      if (beat && beat_error) begin
        fault_o   <= FaultMemory;
        fetched_o <= 1'b1;
        state_q   <= StateDrop;
      end else if (stop_i && state_q != StateIdle) begin
        state_q <= StateDrop;
      end
      if ((beat && beat_error) || stop_i) run_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    judges_q <= state_q == StateJudge && !judges_q;
    if (state_q == StateIdle) begin
      second_q      <= 1'b0;
      program_q     <= address_i;
      run_address_q <= address_i;
      run_beats_q   <= count_t'(HeaderBeats);
    end else if (state_q == StateJudge) begin
      run_address_q <= program_q + MemoryBits'(TransferBytes);
      run_beats_q   <= prime_beats + count_t'(words);
      beats_q       <= prime_beats;
    end
    if (state_q == StateHeader && beat) second_q <= 1'b1;
    if (state_q == StatePrimes && beat) beats_q <= beats_q - 1'b1;
  end
endmodule
