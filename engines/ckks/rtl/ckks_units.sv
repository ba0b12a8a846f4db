// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_units: the units that execute instructions, around the slots of limbs: transfers to memory
// (ckks_dma), expansion (ckks_expand), transforms (ckks_transform), products (ckks_product_unit),
// sums and permutations (ckks_sum_unit).
//
// Queues as ckks_decode numbers them: 0 loads limbs and factors, 1 stores, 2 expands, 3 transforms,
// 4 products, 5 sums and permutations. unit_done_i follows the order of each queue. The order of
// the ports of ckks_scratchpad is: the transforms' own, the products', the sums' and the memory's.
module ckks_units
  import ckks_pkg::*;
  import ckks_isa_pkg::*;
#(
  parameter  int unsigned LogLanes      = 3,
  parameter  int unsigned LogRadix      = 3,
  parameter  int unsigned Columns       = 3,
  parameter  int unsigned MaxLogDegree  = 16,
  parameter  int unsigned AddressBits   = 12,
  parameter  int unsigned LogPartitions = 2,
  parameter  int unsigned UltraBanks    = 0,  // of each partition's, as in ckks_scratchpad
  parameter  int unsigned MemoryBits    = 34,
  parameter  int unsigned TableBits     = 6,
  parameter  int unsigned DoubleRounds  = 10,
  localparam int unsigned UnitCount     = 6,
  localparam int unsigned DegreeBits    = $clog2(MaxLogDegree + 1),
  localparam int unsigned BeatBytes     = 4 * arith_pkg::minimum(1 << LogLanes, 16),
  localparam int unsigned PayloadBits   = TableBits + InstructionBits
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic [DegreeBits-1:0]                 log_degree_i,

  input  logic                                  primes_valid_i,
  input  logic [4:0]                            primes_place_i,
  input  logic [7:0][31:0]                      primes_data_i,
  input  logic                                  term_valid_i,
  input  logic [TableBits-1:0]                  term_place_i,
  input  instruction_t                          term_i,

  input  logic [UnitCount-1:0]                  begin_valid_i,
  output logic [UnitCount-1:0]                  begin_ready_o,
  input  logic [UnitCount-1:0][PayloadBits-1:0] begin_payload_i,
  output logic [UnitCount-1:0]                  done_o,
  output logic                                  error_o,

  // From ckks_seed.
  output logic                                  ask_valid_o,
  input  logic                                  ask_ready_i,
  output logic [MemoryBits-1:0]                 ask_address_o,
  input  logic                                  seed_valid_i,
  output logic                                  seed_ready_o,
  input  logic [255:0]                          seed_i,
  input  logic [31:0]                           seed_index_i,

  output logic                                  m_axi_arvalid,
  input  logic                                  m_axi_arready,
  output logic [MemoryBits-1:0]                 m_axi_araddr,
  output logic [7:0]                            m_axi_arlen,
  output logic [2:0]                            m_axi_arsize,
  output logic [1:0]                            m_axi_arburst,
  input  logic                                  m_axi_rvalid,
  output logic                                  m_axi_rready,
  input  logic [8*BeatBytes-1:0]                m_axi_rdata,
  input  logic [1:0]                            m_axi_rresp,
  input  logic                                  m_axi_rlast,
  output logic                                  m_axi_awvalid,
  input  logic                                  m_axi_awready,
  output logic [MemoryBits-1:0]                 m_axi_awaddr,
  output logic [7:0]                            m_axi_awlen,
  output logic [2:0]                            m_axi_awsize,
  output logic [1:0]                            m_axi_awburst,
  output logic                                  m_axi_wvalid,
  input  logic                                  m_axi_wready,
  output logic [8*BeatBytes-1:0]                m_axi_wdata,
  output logic [BeatBytes-1:0]                  m_axi_wstrb,
  output logic                                  m_axi_wlast,
  input  logic                                  m_axi_bvalid,
  output logic                                  m_axi_bready,
  input  logic [1:0]                            m_axi_bresp
);
  localparam int unsigned Lanes     = 1 << LogLanes;
  localparam int unsigned Words     = arith_pkg::minimum(Lanes, 16);
  localparam int unsigned Groups    = Lanes / Words;
  localparam int unsigned GroupBits = (Groups > 1) ? $clog2(Groups) : 1;
  localparam int unsigned Ports     = 1 << LogRadix;
  localparam int unsigned Butterflies = Lanes / Ports;
  localparam int unsigned RowBits     = MaxLogDegree - LogLanes;
  localparam int unsigned OwnPasses   = (LogLanes - 1) / LogRadix;
  localparam int unsigned OwnPassBits = (OwnPasses > 1) ? $clog2(OwnPasses) : 0;
  localparam int unsigned EntryBits   = arith_pkg::maximum(
      RowBits + 2, (OwnPasses == 0) ? 0 : 1 + OwnPassBits + RowBits);
  localparam int unsigned CountBits   = MaxLogDegree - $clog2(Words) + 2;
  // Bit i of an index, in the row, is added to bit i mod LogLanes of the bank (ckks_transform): if
  // the highest bank bit gets none, banks that differ only in it have the same addresses.
  localparam bit          Pairs       = MaxLogDegree < 2 * LogLanes;
  // Ports of the scratchpad.
  localparam int unsigned SumRead    = Columns + 1;
  localparam int unsigned StoreRead  = SumRead + 2;
  localparam int unsigned ReadPorts  = StoreRead + 1;
  localparam int unsigned WritePorts = 4;  // products, sums, loads, expansion
  // Readers of the primes.
  localparam int unsigned ProductPrime = 3;  // after those of transforms, sums and expansion
  localparam int unsigned Readers      = ProductPrime + Columns;
  typedef logic [AddressBits-1:0] address_t;
  typedef logic [MemoryBits-1:0]  memory_address_t;

  function automatic address_t row_of(input logic [11:0] slot,
                                      input logic [DegreeBits-1:0] log_degree);
    return address_t'(first_row(slot, 32'(log_degree) - LogLanes, AddressBits, LogPartitions));
  endfunction
  // ckks_decode has put the address in memory there.
  function automatic memory_address_t place_of(input instruction_t word);
    return memory_address_t'({field_offset(word), ($clog2(TransferBytes))'(0)});
  endfunction

  instruction_t [UnitCount-1:0] word;
  always_comb begin
    for (int unsigned u = 0; u < UnitCount; u++) word[u] = begin_payload_i[u][InstructionBits-1:0];
  end
  logic [6:0] errors;
  assign error_o = errors != '0;

  // ---- Primes ----------------------------------------------------------------------------------
  logic [Readers-1:0][7:0] prime_place;
  prime_t [Readers-1:0]    prime;
  logic [Readers-1:0][4:0] prime_bits;
  ckks_prime_table #(.Readers(Readers)) u_primes (
    .clk_i, .write_valid_i(primes_valid_i), .write_place_i(primes_place_i),
    .write_data_i(primes_data_i), .place_i(prime_place), .prime_o(prime), .bits_o(prime_bits)
  );
  logic unused;
  assign unused = ^{word[4], prime_bits};

  // ---- Slots -----------------------------------------------------------------------------------
  logic                                own_read_valid, own_write_valid;
  address_t [Lanes-1:0]                own_read_row, own_write_row;
  residue_t [Lanes-1:0]                own_read_word, own_write_word;
  logic [ReadPorts-1:0]                read_valid, read_ready;
  address_t [ReadPorts-1:0]            read_row;
  residue_t [ReadPorts-1:0][Lanes-1:0] read_word;
  logic [WritePorts-1:0]               write_valid, write_ready;
  address_t [WritePorts-1:0]           write_row;
  logic [WritePorts-1:0][Groups-1:0]   write_groups;
  residue_t [WritePorts-1:0][Lanes-1:0] write_word;
  ckks_scratchpad #(
    .LogLanes(LogLanes), .AddressBits(AddressBits), .LogPartitions(LogPartitions), .Pairs(Pairs),
    .UltraBanks(UltraBanks), .ReadPorts(ReadPorts), .WritePorts(WritePorts)
  ) u_scratchpad (
    .clk_i, .rst_ni, .own_read_valid_i(own_read_valid), .own_read_row_i(own_read_row),
    .own_read_word_o(own_read_word), .own_write_valid_i(own_write_valid),
    .own_write_row_i(own_write_row), .own_write_word_i(own_write_word),
    .read_valid_i(read_valid), .read_ready_o(read_ready), .read_row_i(read_row),
    .read_word_o(read_word), .write_valid_i(write_valid), .write_ready_o(write_ready),
    .write_row_i(write_row), .write_groups_i(write_groups), .write_word_i(write_word),
    .error_o(errors[0])
  );
  assign write_groups[1:0] = '1;

  // ---- 0 and 1: the memory ---------------------------------------------------------------------
  logic                        factor_valid, factor_shared, stored_error;
  logic [Butterflies-1:0]      factor_units;
  logic [EntryBits-1:0]        factor_entry;
  residue_t [Ports-1:0]        factor_words;
  logic [GroupBits-1:0]        store_group, load_group, expand_group, store_group_later;
  residue_t [Groups-1:0][Words-1:0] store_row;
  residue_t [Words-1:0]        load_word, expand_word;
  ckks_dma #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .MemoryBits(MemoryBits)
  ) u_dma (
    .clk_i, .rst_ni, .log_degree_i, .load_valid_i(begin_valid_i[0]),
    .load_ready_o(begin_ready_o[0]), .load_address_i(place_of(word[0])),
    .load_run_i(DegreeBits'(field_run(word[0]))),
    .load_result_i(row_of(field_x0(word[0]), log_degree_i)),
    .load_factors_i(field_opcode(word[0]) == OpFactors), .load_half_i(field_buffer(word[0])),
    .load_beats_i(CountBits'(field_transfers(word[0]) * (TransferBytes / BeatBytes))),
    .loaded_valid_o(done_o[0]), .loaded_error_o(errors[1]), .factor_valid_o(factor_valid),
    .factor_shared_o(factor_shared), .factor_units_o(factor_units),
    .factor_entry_o(factor_entry), .factor_words_o(factor_words),
    .store_valid_i(begin_valid_i[1]), .store_ready_o(begin_ready_o[1]),
    .store_address_i(place_of(word[1])),
    .store_source_i(row_of(field_a(word[1]), log_degree_i)), .stored_valid_o(done_o[1]),
    .stored_error_o(stored_error), .read_valid_o(read_valid[StoreRead]),
    .read_ready_i(read_ready[StoreRead]), .read_row_o(read_row[StoreRead]),
    .read_group_o(store_group), .read_word_i(store_row[store_group_later]),
    .write_valid_o(write_valid[2]), .write_ready_i(write_ready[2]), .write_row_o(write_row[2]),
    .write_group_o(load_group), .write_word_o(load_word),
    .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst,
    .m_axi_rvalid, .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .m_axi_awvalid, .m_axi_awready, .m_axi_awaddr, .m_axi_awlen, .m_axi_awsize, .m_axi_awburst,
    .m_axi_wvalid, .m_axi_wready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast,
    .m_axi_bvalid, .m_axi_bready, .m_axi_bresp,
    .memory_error_o(errors[2])
  );
  assign errors[3] = done_o[1] && stored_error;
  pipeline_delay #(.DataWidth(GroupBits), .Stages(2)) u_store_group (
    .clk_i, .data_i(store_group), .data_o(store_group_later)
  );
  assign store_row       = read_word[StoreRead];
  assign write_word[2]   = {Groups{load_word}};
  assign write_word[3]   = {Groups{expand_word}};
  assign write_groups[2] = Groups'(1) << load_group;
  assign write_groups[3] = Groups'(1) << expand_group;

  // ---- 2: expansion ----------------------------------------------------------------------------
  logic         expand_offers, expand_takes, expand_ready, asked_q, unused_expand_tag;
  instruction_t expand_instruction;
  ckks_issue #(.PayloadBits(InstructionBits)) u_expand_issue (
    .clk_i, .rst_ni, .begin_valid_i(begin_valid_i[2]), .begin_ready_o(begin_ready_o[2]),
    .begin_payload_i(word[2]), .payload_o(expand_instruction), .valid_o(expand_offers),
    .ready_i(expand_takes)
  );
  // The seed is read while the previous limb is expanded.
  assign ask_valid_o    = expand_offers && !asked_q;
  assign ask_address_o  = place_of(expand_instruction);
  assign expand_takes   = expand_offers && seed_valid_i && expand_ready;
  assign seed_ready_o   = expand_takes;
  assign prime_place[2] = field_p0(expand_instruction);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= !expand_takes && (asked_q || (ask_valid_o && ask_ready_i));
  end
  ckks_expand #(
    .LogLanes(LogLanes), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits), .TagBits(1),
    .DoubleRounds(DoubleRounds)
  ) u_expand (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(expand_offers && seed_valid_i),
    .job_ready_o(expand_ready), .job_seed_i(seed_i),
    .job_stream_i({16'd0, seed_index_i, field_place(expand_instruction)}),
    .job_prime_i(prime[2]), .job_bits_i(prime_bits[2]),
    .job_result_i(row_of(field_x0(expand_instruction), log_degree_i)), .job_tag_i(1'b0),
    .done_valid_o(done_o[2]), .done_tag_o(unused_expand_tag), .write_valid_o(write_valid[3]),
    .write_ready_i(write_ready[3]), .write_row_o(write_row[3]), .write_group_o(expand_group),
    .write_word_o(expand_word), .memory_error_o(errors[4])
  );

  // ---- 3: transforms ---------------------------------------------------------------------------
  logic         transform_offers, transform_ready, unused_transform_tag;
  instruction_t transform;
  ckks_issue #(.PayloadBits(InstructionBits)) u_transform_issue (
    .clk_i, .rst_ni, .begin_valid_i(begin_valid_i[3]), .begin_ready_o(begin_ready_o[3]),
    .begin_payload_i(word[3]), .payload_o(transform), .valid_o(transform_offers),
    .ready_i(transform_ready)
  );
  assign prime_place[0] = field_p0(transform);
  ckks_transform #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .TagBits(1)
  ) u_transform (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(transform_offers),
    .job_ready_o(transform_ready), .job_inverse_i(field_opcode(transform) == OpIntt),
    .job_prime_i(prime[0]), .job_buffer_i(field_buffer(transform)),
    .job_source_i(row_of(field_a(transform), log_degree_i)),
    .job_base_i(row_of(field_x0(transform), log_degree_i)), .job_tag_i(1'b0),
    .done_valid_o(done_o[3]), .done_tag_o(unused_transform_tag), .factor_valid_i(factor_valid),
    .factor_shared_i(factor_shared), .factor_units_i(factor_units),
    .factor_entry_i(factor_entry), .factor_words_i(factor_words),
    .read_valid_o(own_read_valid), .read_row_o(own_read_row), .read_word_i(own_read_word),
    .write_valid_o(own_write_valid), .write_row_o(own_write_row), .write_word_o(own_write_word)
  );

  // ---- 4: products -----------------------------------------------------------------------------
  ckks_product_unit #(
    .LogLanes(LogLanes), .Columns(Columns), .MaxLogDegree(MaxLogDegree),
    .AddressBits(AddressBits), .LogPartitions(LogPartitions), .TableBits(TableBits)
  ) u_product (
    .clk_i, .rst_ni, .log_degree_i, .term_valid_i, .term_place_i, .term_i,
    .begin_valid_i(begin_valid_i[4]), .begin_ready_o(begin_ready_o[4]),
    .begin_payload_i(begin_payload_i[4]), .done_valid_o(done_o[4]),
    .prime_place_o(prime_place[ProductPrime+:Columns]), .prime_i(prime[ProductPrime+:Columns]),
    .read_valid_o(read_valid[0+:SumRead]), .read_ready_i(read_ready[0+:SumRead]),
    .read_row_o(read_row[0+:SumRead]), .read_word_i(read_word[0+:SumRead]),
    .write_valid_o(write_valid[0]), .write_ready_i(write_ready[0]), .write_row_o(write_row[0]),
    .write_word_o(write_word[0]), .memory_error_o(errors[5])
  );

  // ---- 5: sums and permutations ----------------------------------------------------------------
  ckks_sum_unit #(
    .LogLanes(LogLanes), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits),
    .LogPartitions(LogPartitions)
  ) u_sum (
    .clk_i, .rst_ni, .log_degree_i, .begin_valid_i(begin_valid_i[5]),
    .begin_ready_o(begin_ready_o[5]), .begin_word_i(word[5]), .done_valid_o(done_o[5]),
    .prime_place_o(prime_place[1]), .prime_i(prime[1]), .read_valid_o(read_valid[SumRead+:2]),
    .read_ready_i(read_ready[SumRead+:2]), .read_row_o(read_row[SumRead+:2]),
    .read_word_i(read_word[SumRead+:2]), .write_valid_o(write_valid[1]),
    .write_ready_i(write_ready[1]), .write_row_o(write_row[1]), .write_word_o(write_word[1]),
    .memory_error_o(errors[6])
  );
endmodule
