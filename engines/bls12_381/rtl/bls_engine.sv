// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_engine: the coprocessor of BLS12-381 with a frame interface
// (engines/bls12_381/rtl/README.md).
//
//   req -+-> bls_program_loader ---+
//        |          ^ free         +- bus -> bls_coprocessor --+ interrupts, ends
//   rpl <-- bls_program_jobs ------+                           |
//        |     ^                   |                           |
//        |     +-------------------+---------------------------+
//        +-> bls_window_access ----+
//
// Contexts below WindowContexts are driven word by word, with access_window frames; the others take
// programs, with run_program frames. Frames are processed in order, until a program has its
// context.
//
// rpl has replies, whose last beat is their checksum, and interrupts of the window's contexts,
// which have none; rpl_checksum_o distinguishes them and is constant within a frame.
module bls_engine
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts         = 16,
  parameter int unsigned WindowContexts   = 0,
  parameter int unsigned LogProgramClocks = 26,
  parameter int unsigned TileA            = 26,
  parameter int unsigned TileB            = 17
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic [63:0] req_data_i,
  input  logic        req_last_i,

  output logic        rpl_valid_o,
  input  logic        rpl_ready_i,
  output logic [63:0] rpl_data_o,
  output logic        rpl_last_o,
  output logic        rpl_checksum_o,

  output logic        notice_o,      // pulse: an interrupt of the window's begins on rpl
  output logic        starved_o,     // a context is free, and no request is waiting
  output logic        retired_o,     // pulse: an instruction was executed
  output logic        mul_busy_o,
  output logic        idle_o,        // no context is active, and no interrupt is in flight
  output logic        error_o,       // pulse: a reply with another status than ok
  output logic        memory_error_o
);
  // ---- The bus: parking has priority, then the window, then the loader -----------------------
  typedef enum logic [1:0] { Choose, Ask, Answer } bus_e;
  typedef enum logic [1:0] { ByJobs, ByWindow, ByLoader } client_e;

  bus_e        bus_q;
  client_e     client_q;
  logic        write_q;
  logic [31:0] address_q, value_q, bus_value;
  logic        bus_ready, bus_response, done;
  logic        jobs_valid, load_valid, window_valid, window_write;
  logic [31:0] jobs_address, jobs_value, load_address, load_value, window_address, window_value;

  assign done = bus_q == Answer && bus_response;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bus_q    <= Choose;
      client_q <= ByJobs;
    end else begin
      unique case (bus_q)
        Choose:
          if (jobs_valid) begin
            bus_q    <= Ask;
            client_q <= ByJobs;
          end else if (window_valid) begin
            bus_q    <= Ask;
            client_q <= ByWindow;
          end else if (load_valid) begin
            bus_q    <= Ask;
            client_q <= ByLoader;
          end
        Ask: if (bus_ready) bus_q <= Answer;
        default: if (bus_response) bus_q <= Choose;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (bus_q == Choose) begin
      write_q   <= jobs_valid || !window_valid || window_write;
      address_q <= jobs_valid ? jobs_address : window_valid ? window_address : load_address;
      value_q   <= jobs_valid ? jobs_value : window_valid ? window_value : load_value;
    end
  end

  // ---- Routing of frames ------------------------------------------------------------------------
  // (Known with the beat, behind a register, to keep the header's command off the other paths.)
  localparam logic [31:0] AccessCommand = 32'h0000_0202;
  logic        in_frame_q, is_access_q, is_access, to_access;
  logic        load_ready, access_ready, valid, last;
  logic [63:0] data;
  assign is_access = in_frame_q ? is_access_q : req_data_i[63:32] == AccessCommand;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_frame_q <= 1'b0;
    else if (req_valid_i && req_ready_o) in_frame_q <= !req_last_i;
  end
  always_ff @(posedge clk_i) is_access_q <= is_access;

  stream_skid #(.DataWidth(66)) u_slice (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(req_valid_i), .in_ready_o(req_ready_o), .in_data_i({is_access, req_last_i, req_data_i}),
    .out_valid_o(valid), .out_ready_i(to_access ? access_ready : load_ready),
    .out_data_o({to_access, last, data})
  );

  // ---- The parts --------------------------------------------------------------------------------
  logic         free_valid, take, job_valid;
  context_t     free_context, job_context;
  logic [63:0]  job_index;
  logic [15:0]  job_start;
  job_status_e  job_status;

  bls_program_loader u_loader (
    .clk_i, .rst_ni,
    .req_valid_i(valid && !to_access), .req_ready_o(load_ready), .req_data_i(data), .req_last_i(last),
    .free_valid_i(free_valid), .free_context_i(free_context), .take_o(take),
    .job_valid_o(job_valid), .job_context_o(job_context), .job_index_o(job_index),
    .job_start_o(job_start), .job_status_o(job_status),
    .bus_valid_o(load_valid), .bus_address_o(load_address), .bus_value_o(load_value),
    .bus_done_i(done && client_q == ByLoader)
  );

  logic         int_valid, int_ready, int_last, retired_valid, waits_valid, contexts_idle;
  logic [63:0]  int_data;
  context_t     retired_context, waits_context;
  logic [15:0]  retired_pointer, retired_next;
  instruction_t retired_instruction;
  logic [1:0]   errors, refusals;
  logic [2:0]   out_valid, out_ready, out_last;
  logic [2:0][64:0] out_data;
  logic [63:0]  notice_data, reply_data, access_data;

  bls_window_access #(.WindowContexts(WindowContexts)) u_access (
    .clk_i, .rst_ni,
    .req_valid_i(valid && to_access), .req_ready_o(access_ready), .req_data_i(data), .req_last_i(last),
    .bus_valid_o(window_valid), .bus_write_o(window_write), .bus_address_o(window_address),
    .bus_value_o(window_value), .bus_done_i(done && client_q == ByWindow), .bus_value_i(bus_value),
    .rpl_valid_o(out_valid[2]), .rpl_ready_i(out_ready[2]), .rpl_data_o(access_data),
    .rpl_last_o(out_last[2]), .error_o(refusals[1])
  );

  bls_program_jobs #(
    .Contexts(Contexts), .WindowContexts(WindowContexts), .LogProgramClocks(LogProgramClocks)
  ) u_jobs (
    .clk_i, .rst_ni,
    .free_valid_o(free_valid), .free_context_o(free_context), .take_i(take),
    .job_valid_i(job_valid), .job_context_i(job_context), .job_index_i(job_index),
    .job_start_i(job_start), .job_status_i(job_status),
    .int_valid_i(int_valid), .int_ready_o(int_ready), .int_data_i(int_data), .int_last_i(int_last),
    .retired_valid_i(retired_valid), .retired_context_i(retired_context),
    .retired_next_i(retired_next), .waits_valid_i(waits_valid), .waits_context_i(waits_context),
    .bus_valid_o(jobs_valid), .bus_address_o(jobs_address), .bus_value_o(jobs_value),
    .bus_done_i(done && client_q == ByJobs),
    .notice_valid_o(out_valid[0]), .notice_ready_i(out_ready[0]), .notice_data_o(notice_data),
    .notice_last_o(out_last[0]),
    .rpl_valid_o(out_valid[1]), .rpl_ready_i(out_ready[1]), .rpl_data_o(reply_data),
    .rpl_last_o(out_last[1]),
    .error_o(refusals[0]), .memory_error_o(errors[0])
  );

  bls_coprocessor #(
    .Contexts(Contexts), .TileA(TileA), .TileB(TileB)
  ) u_coprocessor (
    .clk_i, .rst_ni,
    .bus_valid_i(bus_q == Ask), .bus_ready_o(bus_ready), .bus_write_i(write_q),
    .bus_address_i(address_q), .bus_value_i(value_q),
    .bus_response_valid_o(bus_response), .bus_response_value_o(bus_value),
    .rpl_valid_o(int_valid), .rpl_ready_i(int_ready), .rpl_data_o(int_data), .rpl_last_o(int_last),
    .retired_valid_o(retired_valid), .retired_context_o(retired_context),
    .retired_pointer_o(retired_pointer), .retired_next_o(retired_next),
    .retired_instruction_o(retired_instruction),
    .waits_valid_o(waits_valid), .waits_context_o(waits_context),
    .mul_busy_o, .idle_o(contexts_idle), .memory_error_o(errors[1])
  );
  assign memory_error_o = errors != '0;
  assign error_o        = refusals != '0;

  // ---- Outputs ----------------------------------------------------------------------------------
  assign out_data[0] = {1'b0, notice_data};
  assign out_data[1] = {1'b1, reply_data};
  assign out_data[2] = {1'b1, access_data};
  stream_arbiter #(.Inputs(3), .DataWidth(65)) u_arbiter (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(out_valid), .in_ready_o(out_ready), .in_data_i(out_data), .in_last_i(out_last),
    .out_valid_o(rpl_valid_o), .out_ready_i(rpl_ready_i),
    .out_data_o({rpl_checksum_o, rpl_data_o}), .out_last_o(rpl_last_o)
  );

  logic in_notice_q;
  assign notice_o = out_valid[0] && out_ready[0] && !in_notice_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_notice_q <= 1'b0;
    else if (out_valid[0] && out_ready[0]) in_notice_q <= !out_last[0];
  end

  // An interrupt becomes visible within this number of clocks after its last beat.
  localparam int unsigned QuietClocks = 8;
  logic [QuietClocks-1:0] quiet_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else quiet_q <= QuietClocks'({quiet_q, contexts_idle && !int_valid && !out_valid[0]});
  end
  assign idle_o = quiet_q == '1 && !out_valid[0];

  assign starved_o = free_valid && !valid;
  assign retired_o = retired_valid;

  logic unused;
  assign unused = ^{retired_pointer, retired_instruction};
endmodule
