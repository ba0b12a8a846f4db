// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_loader: assigns a free context to each job, writes its words into bank S, and starts
// it.
//
// Word k of a job goes to S[k]. The words use the clocks in which the add slot writes no register,
// so loading never costs the running jobs a turn. (A program that wrote S in every turn of a full
// pipeline would leave no such clock until a halt, after which a turn is unused.) A job is accepted
// only when a context is free, and each context is in one place only: free, loading, running or
// draining. So nothing after this module can overflow.
//
// A counter supplies the contexts that were never used; the FIFO holds those that came back. With
// Quick the highest context is separate: a job with a quick program gets it if it is free and
// quick_i allows it.
module field_core_loader
  import field_core_isa_pkg::*;
#(
  parameter  int unsigned Width      = 256,
  parameter  int unsigned Contexts   = 64,
  parameter  int unsigned RegBits    = 3,
  parameter  bit          Quick      = 1'b0,
  parameter  int unsigned PcBits     = ImmBits,  // of the address of an instruction
  localparam int unsigned ContextBits = $clog2(Contexts)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           job_valid_i,
  output logic                           job_ready_o,
  input  logic [Width-1:0]               job_data_i,
  input  logic                           job_last_i,
  input  logic [PcBits-1:0]             job_pc_i,       // sampled with the first word:
  input  logic                           job_quick_i,    // the job has a quick program
  input  logic [PcBits-1:0]             job_quick_pc_i,
  output logic                           job_begins_o,   // the first word is accepted in this clock
  output logic [ContextBits-1:0]         job_context_o,  // ... for this context

  input  logic                           quick_i,        // a job may be quick

  // Bank S; ready in the clocks in which the add slot leaves the write port idle.
  output logic                           write_valid_o,
  input  logic                           write_ready_i,
  output logic [ContextBits-1:0]         write_context_o,
  output logic [RegBits-1:0]             write_index_o,
  output logic [Width-1:0]               write_data_o,

  output logic                           start_valid_o,
  input  logic                           start_ready_i,
  output logic [ContextBits-1:0]         start_context_o,
  output logic [PcBits-1:0]             start_pc_o,

  input  logic                           free_valid_i,   // a context is returned
  input  logic [ContextBits-1:0]         free_context_i,

  output logic                           memory_error_o
);

  // ---- Free contexts --------------------------------------------------------------------------
  localparam int unsigned UsualContexts = Quick ? Contexts - 1 : Contexts;
  localparam int unsigned FreshBits     = $clog2(Contexts + 1);
  localparam logic [ContextBits-1:0] QuickContext = ContextBits'(Contexts - 1);
  logic [FreshBits-1:0]   fresh_q;  // contexts fresh_q, fresh_q + 1, ... were never used
  logic                   fresh, returned_valid, free_ready;
  logic                   quick_free_q, quick_returns, take_quick;
  logic [ContextBits-1:0] returned, allocated;

  assign fresh         = fresh_q != FreshBits'(UsualContexts);
  assign take_quick    = Quick && job_quick_i && quick_i && quick_free_q;
  assign quick_returns = Quick && free_valid_i && free_context_i == QuickContext;
  assign allocated     = take_quick ? QuickContext : fresh ? fresh_q[ContextBits-1:0] : returned;

  stream_fifo #(
    .DataWidth(ContextBits),
    .Depth    (Contexts)
  ) u_returned (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (free_valid_i && !quick_returns),
    .in_ready_o (free_ready),
    .in_data_i  (free_context_i),
    .out_valid_o(returned_valid),
    .out_ready_i(job_begins_o && !take_quick && !fresh),
    .out_data_o (returned),
    .memory_error_o
  );

  // ---- The word in the input register ---------------------------------------------------------
  logic                   inside_q;  // between the first and the last word of a job
  logic [ContextBits-1:0] context_q;
  logic [RegBits-1:0]     index_q;
  logic [PcBits-1:0]     pc_q;

  logic                   held_q, held_last_q;
  logic [Width-1:0]       held_data_q;
  logic                   write, take;

  // A last word waits until the start of the previous job has left, so that one start register
  // suffices.
  logic start_q;
  assign write_valid_o   = held_q && !(held_last_q && start_q);
  assign write_context_o = context_q;
  assign write_index_o   = index_q;
  assign write_data_o    = held_data_q;
  assign write           = write_valid_o && write_ready_i;

  // context_q and index_q belong to the registered word; they advance when it has been written.
  assign job_ready_o   = (!held_q || write) && (inside_q || fresh || returned_valid);
  assign take          = job_valid_i && job_ready_o;
  assign job_begins_o  = take && !inside_q;
  assign job_context_o = allocated;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q      <= '0;
      quick_free_q <= 1'b1;
      inside_q     <= 1'b0;
      held_q       <= 1'b0;
      start_q      <= 1'b0;
    end else begin
      if (job_begins_o && !take_quick && fresh) fresh_q <= fresh_q + 1'b1;
      if (job_begins_o && take_quick) quick_free_q <= 1'b0;
      else if (quick_returns) quick_free_q <= 1'b1;
      if (take) inside_q <= !job_last_i;
      held_q <= take || (held_q && !write);
      if (write && held_last_q) start_q <= 1'b1;
      else if (start_ready_i) start_q <= 1'b0;
    end
  end

  logic [ContextBits-1:0] start_context_q;
  logic [PcBits-1:0]     start_pc_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      held_data_q <= job_data_i;
      held_last_q <= job_last_i;
      index_q     <= inside_q ? index_q + 1'b1 : '0;
    end
    if (job_begins_o) begin
      context_q <= allocated;
      pc_q      <= take_quick ? job_quick_pc_i : job_pc_i;
    end
    if (write && held_last_q) begin
      start_context_q <= context_q;
      start_pc_q      <= pc_q;
    end
  end

  assign start_valid_o   = start_q;
  assign start_context_o = start_context_q;
  assign start_pc_o      = start_pc_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    assert (free_ready || !free_valid_i);
  end
`else
  logic unused_free_ready;
  assign unused_free_ready = free_ready;
`endif

endmodule
