// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_dma: moves limbs between the card's memory and the banks, and tables of factors from the
// card's memory to the transforms' memory, with one AXI4 master.
//
//   memory ─▶ ckks_memory_read ─▶ ckks_load ─▶ banks ─▶ ckks_store ─▶ ckks_memory_write ─▶ memory
//                               └▶ ckks_factor_load ─▶ ckks_factors
//
// Loads are requested as they come, up to LoadsAhead of them before the first word of the current
// one is written: early requests hide the memory's latency. Loads, including those of tables, are
// done in order, and so are stores; a store is done when the memory has answered. Loads and stores
// do not wait for each other: a load of data that are being stored must wait for the store's end.
//
// A limb takes N / Words clocks, where Words is the number of lanes or 16; a bus of more bytes has
// several of these units, each with its own lanes and memory. (The bus's ports have AXI's own
// names, so that tools recognize the interface.)
module ckks_dma
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned LogRadix     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned MemoryBits   = 34,  // of an address of the memory
  parameter  int unsigned MaxBeats     = 64,
  parameter  int unsigned QueueBeats   = 512,
  parameter  int unsigned LoadsAhead   = 8,
  localparam int unsigned Words        = arith_pkg::minimum(1 << LogLanes, 16),
  localparam int unsigned BeatBytes    = 4 * Words,
  localparam int unsigned Groups       = (1 << LogLanes) / Words,
  localparam int unsigned GroupBits    = (Groups > 1) ? $clog2(Groups) : 1,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1),
  localparam int unsigned CountBits    = MaxLogDegree - $clog2(Words) + 2,  // of beats
  // As in ckks_transform.
  localparam int unsigned Ports        = 1 << LogRadix,
  localparam int unsigned Units        = (1 << LogLanes) / Ports,
  localparam int unsigned OwnPasses    = (LogLanes - 1) / LogRadix,
  localparam int unsigned OwnPassBits  = (OwnPasses > 1) ? $clog2(OwnPasses) : 0,
  localparam int unsigned RowBits      = MaxLogDegree - LogLanes,
  localparam int unsigned EntryBits    = arith_pkg::maximum(
      RowBits + 2, (OwnPasses == 0) ? 0 : 1 + OwnPassBits + RowBits)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DegreeBits-1:0]  log_degree_i,  // LogLanes < it; from a clock before a job on

  input  logic                   load_valid_i,
  output logic                   load_ready_o,
  input  logic [MemoryBits-1:0]  load_address_i,  // a multiple of 64
  input  logic [DegreeBits-1:0]  load_run_i,      // log2 of the copies of each residue
  input  logic [AddressBits-1:0] load_result_i,
  input  logic                   load_factors_i,  // a table instead of a limb
  input  logic                   load_half_i,     // of the factors' memory
  input  logic [CountBits-1:0]   load_beats_i,    // of the table
  output logic                   loaded_valid_o,
  output logic                   loaded_error_o,  // at any time: about the current loads

  output logic                   factor_valid_o,
  output logic                   factor_shared_o,
  output logic [Units-1:0]       factor_units_o,
  output logic [EntryBits-1:0]   factor_entry_o,
  output residue_t [Ports-1:0]   factor_words_o,

  input  logic                   store_valid_i,
  output logic                   store_ready_o,
  input  logic [MemoryBits-1:0]  store_address_i,
  input  logic [AddressBits-1:0] store_source_i,
  output logic                   stored_valid_o,
  output logic                   stored_error_o,

  output logic                   read_valid_o,
  input  logic                   read_ready_i,
  output logic [AddressBits-1:0] read_row_o,
  output logic [GroupBits-1:0]   read_group_o,
  input  residue_t [Words-1:0]   read_word_i,
  output logic                   write_valid_o,
  input  logic                   write_ready_i,
  output logic [AddressBits-1:0] write_row_o,
  output logic [GroupBits-1:0]   write_group_o,
  output residue_t [Words-1:0]   write_word_o,

  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  output logic [MemoryBits-1:0]  m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  input  logic [8*BeatBytes-1:0] m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [MemoryBits-1:0]  m_axi_awaddr,
  output logic [7:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  output logic [8*BeatBytes-1:0] m_axi_wdata,
  output logic [BeatBytes-1:0]   m_axi_wstrb,
  output logic                   m_axi_wlast,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  input  logic [1:0]             m_axi_bresp,
  output logic                   memory_error_o  // of a queue: a word with a flipped bit
);
  logic [4:0] memory_errors;
  assign memory_error_o = memory_errors != '0;

  localparam int unsigned LogWords  = $clog2(Words);
  typedef logic [CountBits-1:0] count_t;

  logic [DegreeBits-1:0] log_beats;
  always_ff @(posedge clk_i) log_beats <= log_degree_i - DegreeBits'(LogWords);

  // ---- Loads -----------------------------------------------------------------------------------
  typedef struct packed {
    logic                   factors;
    logic                   half;
    logic [DegreeBits-1:0]  run;
    logic [AddressBits-1:0] result;
  } load_t;
  logic                   asked_q, run_ready, ahead_ready, takes;
  logic [MemoryBits-1:0]  address_q;
  count_t                 beats_q;
  load_t                  job;
  logic                   job_valid, job_ready, beat_valid, beat_ready, beat_error, beat_last;
  logic                   unused_idle;
  logic [8*BeatBytes-1:0] beat_data;

  assign load_ready_o = (!asked_q || run_ready) && ahead_ready;
  assign takes        = load_valid_i && load_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= takes || (asked_q && !run_ready);
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      address_q <= load_address_i;
      beats_q   <= load_factors_i ? load_beats_i
                 : (load_run_i >= log_beats) ? count_t'(1)
                                             : count_t'(1) << (log_beats - load_run_i);
    end
  end
  ckks_memory_read #(
    .AddressBits(MemoryBits), .BeatBytes(BeatBytes), .CountBits(CountBits), .MaxBeats(MaxBeats),
    .QueueBeats(QueueBeats)
  ) u_read (
    .clk_i, .rst_ni, .drop_i(1'b0), .idle_o(unused_idle), .run_valid_i(asked_q),
    .run_ready_o(run_ready), .run_address_i(address_q), .run_beats_i(beats_q),
    .out_valid_o(beat_valid), .out_ready_i(beat_ready), .out_data_o(beat_data),
    .out_error_o(beat_error), .out_last_o(beat_last),
    .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst,
    .m_axi_rvalid, .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast,
    .memory_error_o(memory_errors[0])
  );
  stream_fifo #(.DataWidth($bits(load_t)), .Depth(LoadsAhead)) u_ahead (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(takes), .in_ready_o(ahead_ready),
    .in_data_i({load_factors_i, load_half_i, load_run_i, load_result_i}), .out_valid_o(job_valid),
    .out_ready_i(job_ready), .out_data_o(job),
    .memory_error_o(memory_errors[1])
  );

  // A job begins when all beats of the previous one have been taken, by either unit.
  logic limb_ready, limb_begins, limb_done, limb_failed, limb_takes;
  logic table_ready, table_begins, table_done, table_takes;
  logic order_ready, unused_tag;
  assign limb_begins  = job_valid && !job.factors && table_ready && limb_ready && order_ready;
  assign table_begins = job_valid && job.factors && table_ready && limb_ready && order_ready;
  assign job_ready    = limb_begins || table_begins;
  assign beat_ready   = table_ready ? limb_takes : table_takes;
  ckks_load #(
    .LogLanes(LogLanes), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits), .TagBits(1)
  ) u_load (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(limb_begins), .job_ready_o(limb_ready),
    .job_run_i(job.run), .job_result_i(job.result), .job_tag_i(1'b0),
    .done_valid_o(limb_done), .done_tag_o(unused_tag), .done_error_o(limb_failed),
    .in_valid_i(beat_valid && table_ready), .in_ready_o(limb_takes), .in_data_i(beat_data),
    .in_error_i(beat_error), .write_valid_o, .write_ready_i, .write_row_o, .write_group_o,
    .write_word_o
  );
  ckks_factor_load #(
    .LogLanes(LogLanes), .LogRadix(LogRadix), .MaxLogDegree(MaxLogDegree)
  ) u_factors (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(table_begins), .job_ready_o(table_ready),
    .job_half_i(job.half), .done_valid_o(table_done), .in_valid_i(beat_valid),
    .in_ready_o(table_takes), .in_data_i(beat_data), .in_last_i(beat_last), .factor_valid_o,
    .factor_shared_o, .factor_units_o, .factor_entry_o, .factor_words_o
  );

  // A limb is done when it is written, and a table after it may be done sooner: each waits for its
  // turn.
  localparam int unsigned PendingBits = 4;
  logic                   order_valid, is_table;
  logic [PendingBits-1:0] limbs_q, tables_q;  // done, and not yet told
  stream_fifo #(.DataWidth(1), .Depth(1 << (PendingBits - 1))) u_order (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(job_ready), .in_ready_o(order_ready),
    .in_data_i(job.factors), .out_valid_o(order_valid), .out_ready_i(loaded_valid_o),
    .out_data_o(is_table),
    .memory_error_o(memory_errors[4])
  );
  assign loaded_valid_o = order_valid && (is_table ? tables_q != '0 : limbs_q != '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      limbs_q        <= '0;
      tables_q       <= '0;
      loaded_error_o <= 1'b0;
    end else begin
      limbs_q  <= limbs_q + PendingBits'(limb_done)
                - PendingBits'(loaded_valid_o && !is_table);
      tables_q <= tables_q + PendingBits'(table_done)
                - PendingBits'(loaded_valid_o && is_table);
      loaded_error_o <= (limb_done && limb_failed) || (!table_ready && beat_valid && beat_error);
    end
  end

  // ---- Stores ----------------------------------------------------------------------------------
  logic                   source_ready, write_run_ready, group_valid, group_ready;
  logic [8*BeatBytes-1:0] group_data;
  assign store_ready_o = source_ready && write_run_ready;
  ckks_store #(
    .LogLanes(LogLanes), .MaxLogDegree(MaxLogDegree), .AddressBits(AddressBits)
  ) u_store (
    .clk_i, .rst_ni, .log_degree_i, .job_valid_i(store_valid_i && store_ready_o),
    .job_ready_o(source_ready), .job_source_i(store_source_i), .read_valid_o, .read_ready_i,
    .read_row_o, .read_group_o, .read_word_i, .out_valid_o(group_valid),
    .out_ready_i(group_ready), .out_data_o(group_data),
    .memory_error_o(memory_errors[2])
  );
  ckks_memory_write #(
    .AddressBits(MemoryBits), .BeatBytes(BeatBytes), .CountBits(CountBits), .MaxBeats(MaxBeats),
    .QueueBeats(2 * MaxBeats)
  ) u_write (
    .clk_i, .rst_ni, .run_valid_i(store_valid_i && store_ready_o), .run_ready_o(write_run_ready),
    .run_address_i(store_address_i), .run_beats_i(count_t'(1) << log_beats),
    .in_valid_i(group_valid), .in_ready_o(group_ready), .in_data_i(group_data),
    .done_valid_o(stored_valid_o), .done_error_o(stored_error_o),
    .m_axi_awvalid, .m_axi_awready, .m_axi_awaddr, .m_axi_awlen, .m_axi_awsize, .m_axi_awburst,
    .m_axi_wvalid, .m_axi_wready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast,
    .m_axi_bvalid, .m_axi_bready, .m_axi_bresp,
    .memory_error_o(memory_errors[3])
  );
endmodule
