// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_engine: the coprocessor of BLS12-381 with run_program frames in front of it
// (engines/bls12_381/rtl/README.md).
//
//   req -> bls_program_loader --+
//                 ^ free        +-- bus -> bls_coprocessor -- interrupts, ends
//   rpl <- bls_program_jobs ----+             ^                   |
//             ^ ^                             window              |
//             | +-------------------------------------------------+
//
// Contexts below WindowContexts are driven by window_*, words of 32 bits at byte addresses as
// bls_coprocessor has them, one at a time until window_done_o; the others take programs from frames. A
// window's address of a context that takes frames has no effect, and reads as 0.
//
// rpl has replies, whose last beat is their checksum, and interrupts of the window's contexts, which
// have none: rpl_checksum_o tells them apart, constant in a frame.
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

  input  logic        window_valid_i,
  input  logic        window_write_i,
  input  logic [31:0] window_address_i,
  input  logic [31:0] window_value_i,
  output logic        window_done_o,
  output logic [31:0] window_value_o,

  output logic        notice_o,      // pulse: an interrupt of the window's begins on rpl
  output logic        starved_o,     // a context is free, and no request is there
  output logic        retired_o,     // pulse: an instruction is done
  output logic        mul_busy_o,
  output logic        idle_o,        // of the window: its contexts do not run
  output logic        error_o,       // pulse: a reply with another status than ok
  output logic        memory_error_o
);
  // ---- The bus: parking goes first, then the window, then the loader -------------------------
  typedef enum logic [1:0] { Choose, Ask, Answer } bus_e;
  typedef enum logic [1:0] { ByJobs, ByWindow, ByLoader } client_e;

  bus_e        bus_q;
  client_e     client_q;
  logic        write_q;
  logic [31:0] address_q, value_q, bus_value;
  logic        bus_ready, bus_response, done;
  logic        jobs_valid, load_valid, window_valid, window_hidden;
  logic [31:0] jobs_address, jobs_value, load_address, load_value;

  assign window_hidden = 32'(window_address_i[31:15]) + 1 > WindowContexts;
  assign window_valid  = window_valid_i && !window_done_o;
  assign done          = bus_q == Answer && bus_response;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bus_q    <= Choose;
      client_q <= ByJobs;
      window_done_o <= 1'b0;
    end else begin
      window_done_o <= 1'b0;
      unique case (bus_q)
        Choose:
          if (jobs_valid) begin
            bus_q    <= Ask;
            client_q <= ByJobs;
          end else if (window_valid) begin
            client_q <= ByWindow;
            if (window_hidden) window_done_o <= 1'b1;
            else bus_q <= Ask;
          end else if (load_valid) begin
            bus_q    <= Ask;
            client_q <= ByLoader;
          end
        Ask: if (bus_ready) bus_q <= Answer;
        default:
          if (bus_response) begin
            bus_q         <= Choose;
            window_done_o <= client_q == ByWindow;
          end
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (bus_q == Choose) begin
      write_q        <= jobs_valid || !window_valid || window_write_i;
      address_q      <= jobs_valid ? jobs_address : window_valid ? window_address_i : load_address;
      value_q        <= jobs_valid ? jobs_value : window_valid ? window_value_i : load_value;
      window_value_o <= '0;
    end
    if (bus_response) window_value_o <= bus_value;
  end

  // ---- The parts --------------------------------------------------------------------------------
  logic         free_valid, take, job_valid;
  context_t     free_context, job_context;
  logic [63:0]  job_index;
  logic [15:0]  job_start;
  job_status_e  job_status;

  bls_program_loader u_loader (
    .clk_i, .rst_ni,
    .req_valid_i, .req_ready_o, .req_data_i, .req_last_i,
    .free_valid_i(free_valid), .free_context_i(free_context), .take_o(take),
    .job_valid_o(job_valid), .job_context_o(job_context), .job_index_o(job_index),
    .job_start_o(job_start), .job_status_o(job_status),
    .bus_valid_o(load_valid), .bus_address_o(load_address), .bus_value_o(load_value),
    .bus_done_i(done && client_q == ByLoader)
  );

  logic         int_valid, int_ready, int_last, retired_valid, waits_valid;
  logic [63:0]  int_data;
  context_t     retired_context, waits_context;
  logic [15:0]  retired_pointer, retired_next;
  instruction_t retired_instruction;
  logic [1:0]   errors, out_valid, out_ready, out_last;
  logic [1:0][64:0] out_data;
  logic [63:0]  notice_data, reply_data;

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
    .error_o, .memory_error_o(errors[0])
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
    .mul_busy_o, .idle_o, .memory_error_o(errors[1])
  );
  assign memory_error_o = errors != '0;

  // ---- What leaves ------------------------------------------------------------------------------
  assign out_data[0] = {1'b0, notice_data};
  assign out_data[1] = {1'b1, reply_data};
  stream_arbiter #(.Inputs(2), .DataWidth(65)) u_arbiter (
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

  assign starved_o = free_valid && !req_valid_i;
  assign retired_o = retired_valid;

  logic unused;
  assign unused = ^{retired_pointer, retired_instruction};
endmodule
