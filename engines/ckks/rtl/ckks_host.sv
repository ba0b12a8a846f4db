// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_host: executes the host's commands in sequence, and answers each.
//
//   ckks_host_request ─▶ command ─┬─▶ ckks_memory_write, ckks_memory_read ─┬─▶ reply ─▶ checksum
//                                 └─▶ ckks_host_run ─▶ the core ───────────┘
//
// A memory command is done when the next one begins: a write is then in the memory. A run is
// forwarded, and answered when its job has ended; later commands continue while the job runs. A job
// therefore sees all earlier writes, and a host that needs its results waits for its reply. When
// Waiting runs wait, the next run holds up all later commands.
//
//   reply:  header   index   of a read: data   status   of a run: clocks   checksum
//
// The memory moves 32 bytes a beat (HostBytes), in bursts of at most 2 KiB. No read is requested
// unless the queue has room for it, so that the memory never waits for the host.
module ckks_host
  import ckks_host_pkg::*;
  import ckks_isa_pkg::fault_e;
#(
  parameter int unsigned MemoryBits = 34,
  parameter int unsigned Waiting    = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  request_valid_i,
  output logic                  request_ready_o,
  input  logic [63:0]           request_data_i,
  input  logic                  request_last_i,

  output logic                  reply_valid_o,
  input  logic                  reply_ready_i,
  output logic [63:0]           reply_data_o,
  output logic                  reply_last_o,

  output logic                  start_valid_o,
  input  logic                  start_ready_i,
  output logic [MemoryBits-1:0] start_address_o,
  input  logic                  done_valid_i,
  input  fault_e                done_code_i,
  input  logic [31:0]           done_number_i,
  input  logic [31:0]           done_clocks_i,

  output logic                  refused_o,   // pulse: a status other than ok
  output logic                  running_o,   // a job is in the core
  output logic                  ended_o,     // pulse: a job has ended

  output logic                  m_axi_arvalid,
  input  logic                  m_axi_arready,
  output logic [MemoryBits-1:0] m_axi_araddr,
  output logic [7:0]            m_axi_arlen,
  input  logic                  m_axi_rvalid,
  output logic                  m_axi_rready,
  input  logic [255:0]          m_axi_rdata,
  input  logic [1:0]            m_axi_rresp,
  input  logic                  m_axi_rlast,
  output logic                  m_axi_awvalid,
  input  logic                  m_axi_awready,
  output logic [MemoryBits-1:0] m_axi_awaddr,
  output logic [7:0]            m_axi_awlen,
  output logic                  m_axi_wvalid,
  input  logic                  m_axi_wready,
  output logic [255:0]          m_axi_wdata,
  input  logic                  m_axi_bvalid,
  output logic                  m_axi_bready,
  input  logic [1:0]            m_axi_bresp,
  output logic                  memory_error_o  // of a queue: a word with a flipped bit
);
  localparam int unsigned CountBits = $clog2(MostData / HostBytes + 1);
  logic [3:0] memory_errors;
  assign memory_error_o = memory_errors != '0;

  // ---- Commands --------------------------------------------------------------------------------
  logic                  command_valid, command_ready, data_valid, data_ready, data_last;
  kind_e                 kind;
  status_e               status;
  logic [63:0]           index, data;
  logic [MemoryBits-1:0] address;
  logic [SizeBits-1:0]   size;
  ckks_host_request #(.MemoryBits(MemoryBits)) u_request (
    .clk_i, .rst_ni, .request_valid_i, .request_ready_o, .request_data_i, .request_last_i,
    .command_valid_o(command_valid), .command_ready_i(command_ready), .command_kind_o(kind),
    .command_status_o(status), .command_index_o(index), .command_address_o(address),
    .command_size_o(size), .data_valid_o(data_valid), .data_ready_i(data_ready), .data_o(data),
    .data_last_o(data_last), .memory_error_o(memory_errors[0])
  );

  // ---- Jobs ------------------------------------------------------------------------------------
  logic        run_valid, run_ready, result_valid, result_ready;
  logic [63:0] result_index;
  fault_e      result_code;
  logic [31:0] result_number, result_clocks;
  ckks_host_run #(.MemoryBits(MemoryBits), .Waiting(Waiting)) u_run (
    .clk_i, .rst_ni, .run_valid_i(run_valid), .run_ready_o(run_ready), .run_index_i(index),
    .run_address_i(address), .start_valid_o, .start_ready_i, .start_address_o, .done_valid_i,
    .done_code_i, .done_number_i, .done_clocks_i, .result_valid_o(result_valid),
    .result_ready_i(result_ready), .result_index_o(result_index), .result_code_o(result_code),
    .result_number_o(result_number), .result_clocks_o(result_clocks), .running_o,
    .memory_error_o(memory_errors[1])
  );

  // ---- The current command ---------------------------------------------------------------------
  typedef enum logic [3:0] {
    StateIdle, StateAsk, StateWrite, StateMeasure, StateHeader, StateIndex, StateData, StateStatus,
    StateClocks, StateChecksum
  } state_e;
  state_e                state_q;
  kind_e                 kind_q;
  status_e               status_q;
  logic [63:0]           index_q;
  logic [MemoryBits-1:0] address_q;
  logic [SizeBits-1:0]   size_q;
  fault_e                code_q;
  logic [31:0]           number_q, clocks_q;
  logic                  has_data_q, asks_reads, asks_writes, reads_ready, writes_ready, written;
  logic                  write_failed, beat_last, beat_error, out_valid, out_ready, data_ends;

  // A result goes first: the queue of runs may wait for it.
  assign result_ready  = state_q == StateIdle;
  assign run_valid     = state_q == StateIdle && !result_valid && command_valid && kind == KindRun
                      && status == StatusOk;
  assign command_ready = state_q == StateIdle && !result_valid
                      && (run_ready || kind != KindRun || status != StatusOk);
  assign asks_reads    = state_q == StateAsk && kind_q == KindRead;
  assign asks_writes   = state_q == StateAsk && kind_q == KindWrite;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StateIdle;
    else begin
      unique case (state_q)
        StateIdle: begin
          if (result_valid) state_q <= StateMeasure;
          else if (command_valid && status != StatusOk) state_q <= StateMeasure;
          else if (command_valid && kind != KindRun) state_q <= StateAsk;
        end
        StateAsk: begin
          if (asks_reads && reads_ready) state_q <= StateMeasure;
          if (asks_writes && writes_ready) state_q <= StateWrite;
        end
        StateWrite:  if (written) state_q <= StateMeasure;
        StateMeasure: state_q <= StateHeader;
        StateHeader: if (out_ready) state_q <= StateIndex;
        StateIndex:  if (out_ready) state_q <= has_data_q ? StateData : StateStatus;
        StateData:   if (data_ends) state_q <= StateStatus;
        StateStatus: if (out_ready) state_q <= (kind_q == KindRun) ? StateClocks : StateChecksum;
        StateClocks: if (out_ready) state_q <= StateChecksum;
        default:     if (out_ready) state_q <= StateIdle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      address_q  <= address;
      size_q     <= size;
      has_data_q <= !result_valid && kind == KindRead && status == StatusOk;
      if (result_valid) begin
        kind_q   <= KindRun;
        index_q  <= result_index;
        status_q <= (result_code == ckks_isa_pkg::FaultNone) ? StatusOk : StatusFault;
        {code_q, number_q, clocks_q} <= {result_code, result_number, result_clocks};
      end else begin
        kind_q   <= kind;
        index_q  <= index;
        status_q <= status;
        {code_q, number_q, clocks_q} <= {ckks_isa_pkg::FaultNone, 64'd0};
      end
    end
    if (state_q == StateWrite && written && write_failed) status_q <= StatusMemoryError;
    if (state_q == StateData && data_ends && beat_error) status_q <= StatusMemoryError;
  end

  // ---- Writes ----------------------------------------------------------------------------------
  logic         wide_valid, wide_ready, unused_last;
  logic [255:0] wide;
  logic [2:0]   unused_size;
  logic [1:0]   unused_burst;
  logic [31:0]  unused_strobes;
  logic         unused_wlast;
  stream_widen #(.NarrowBytes(8), .WideBytes(HostBytes)) u_widen (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(data_valid), .in_ready_o(data_ready),
    .in_data_i(data), .in_last_i(data_last), .out_valid_o(wide_valid), .out_ready_i(wide_ready),
    .out_data_o(wide), .out_last_o(unused_last)
  );
  ckks_memory_write #(
    .AddressBits(MemoryBits), .BeatBytes(HostBytes), .CountBits(CountBits), .MaxBeats(64),
    .QueueBeats(128), .OpenBursts(16)
  ) u_write (
    .clk_i, .rst_ni, .run_valid_i(asks_writes), .run_ready_o(writes_ready),
    .run_address_i(address_q), .run_beats_i(CountBits'(size_q / HostBytes)),
    .in_valid_i(wide_valid), .in_ready_o(wide_ready), .in_data_i(wide), .done_valid_o(written),
    .done_error_o(write_failed), .m_axi_awvalid, .m_axi_awready, .m_axi_awaddr, .m_axi_awlen,
    .m_axi_awsize(unused_size), .m_axi_awburst(unused_burst), .m_axi_wvalid, .m_axi_wready,
    .m_axi_wdata, .m_axi_wstrb(unused_strobes), .m_axi_wlast(unused_wlast), .m_axi_bvalid,
    .m_axi_bready, .m_axi_bresp, .memory_error_o(memory_errors[2])
  );

  // ---- Reads -----------------------------------------------------------------------------------
  logic             beat_valid, beat_ready, beat_error_now, any_error_q, unused_idle;
  logic [3:0][63:0] beat;
  logic [1:0]       part_q;  // of the beat
  logic [2:0]       unused_read_size;
  logic [1:0]       unused_read_burst;
  ckks_memory_read #(
    .AddressBits(MemoryBits), .BeatBytes(HostBytes), .CountBits(CountBits), .MaxBeats(64),
    .QueueBeats(128), .OpenBursts(8)
  ) u_read (
    .clk_i, .rst_ni, .drop_i(1'b0), .idle_o(unused_idle), .run_valid_i(asks_reads),
    .run_ready_o(reads_ready), .run_address_i(address_q),
    .run_beats_i(CountBits'(size_q / HostBytes)), .out_valid_o(beat_valid),
    .out_ready_i(beat_ready), .out_data_o(beat), .out_error_o(beat_error_now),
    .out_last_o(beat_last), .m_axi_arvalid, .m_axi_arready, .m_axi_araddr, .m_axi_arlen,
    .m_axi_arsize(unused_read_size), .m_axi_arburst(unused_read_burst), .m_axi_rvalid,
    .m_axi_rready, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast, .memory_error_o(memory_errors[3])
  );
  logic word_taken;
  assign word_taken = state_q == StateData && beat_valid && out_ready;
  assign beat_ready = word_taken && part_q == 2'd3;
  assign data_ends  = beat_ready && beat_last;
  assign beat_error = any_error_q || beat_error_now;
  always_ff @(posedge clk_i) begin
    if (state_q != StateData) {part_q, any_error_q} <= '0;
    else if (word_taken) begin
      part_q      <= part_q + 1'b1;
      any_error_q <= beat_error;
    end
  end

  // ---- The reply -------------------------------------------------------------------------------
  logic [63:0] out_data;
  logic [31:0] reply_bytes_q;
  always_ff @(posedge clk_i) begin
    if (kind_q == KindRun) reply_bytes_q <= 32'd40;
    else reply_bytes_q <= 32'd32 + (has_data_q ? 32'(size_q) : '0);
  end
  always_comb begin
    unique case (state_q)
      StateHeader: out_data = {ReplyHigh, kind_q, reply_bytes_q};
      StateIndex:  out_data = index_q;
      StateData:   out_data = beat[part_q];
      StateStatus: out_data = {number_q, 16'd0, 4'd0, code_q, status_q};
      StateClocks: out_data = {32'd0, clocks_q};
      default:     out_data = '0;
    endcase
    unique case (state_q)
      StateHeader, StateIndex, StateStatus, StateClocks, StateChecksum: out_valid = 1'b1;
      StateData: out_valid = beat_valid;
      default:   out_valid = 1'b0;
    endcase
  end
  stream_checksum u_checksum (
    .clk_i, .rst_ni, .in_valid_i(out_valid), .in_ready_o(out_ready), .in_data_i(out_data),
    .in_last_i(state_q == StateChecksum), .in_sum_i(1'b1), .out_valid_o(reply_valid_o),
    .out_ready_i(reply_ready_i), .out_data_o(reply_data_o), .out_last_o(reply_last_o)
  );

  assign refused_o = state_q == StateStatus && out_ready && status_q != StatusOk;
  assign ended_o   = result_valid && result_ready;
  logic unused;
  assign unused = ^{unused_last, unused_size, unused_burst, unused_strobes, unused_wlast,
                    unused_idle, unused_read_size, unused_read_burst};
endmodule
