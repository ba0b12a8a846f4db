// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// field_core_output: collects the result words and the tag of each context, and sends the results
// of finished jobs, one word per beat, in the order in which the jobs halted.
//
// Every context has its own place in the output buffer, so a blocked result delays only the
// contexts that wait to be sent. A context is free again as soon as its last word has left the
// buffer for the output register.
//
// Cycles: a finished job's first word is at the output 6 clocks after done_*; then one word per
// clock.
module field_core_output #(
  parameter  int unsigned Width      = 256,
  parameter  int unsigned Contexts   = 64,
  parameter  int unsigned TagBits    = 72,
  parameter  int unsigned MaxOutputs = 3,   // words of the largest result, 2..16
  parameter               MemoryStyle = "block",  // of field_core_memory, for the words
  localparam int unsigned ContextBits = $clog2(Contexts),
  localparam int unsigned IndexBits   = $clog2(MaxOutputs)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // A job begins: its tag, and the index of its result's last word.
  input  logic                   begin_valid_i,
  input  logic [ContextBits-1:0] begin_context_i,
  input  logic [TagBits-1:0]     begin_tag_i,
  input  logic [IndexBits-1:0]   begin_last_index_i,

  // Words of the result, from the add slot.
  input  logic                   write_valid_i,
  input  logic [ContextBits-1:0] write_context_i,
  input  logic [IndexBits-1:0]   write_index_i,
  input  logic [Width-1:0]       write_data_i,

  // The job has halted, in the clock of its last write or later.
  input  logic                   done_valid_i,
  input  logic [ContextBits-1:0] done_context_i,

  output logic                   result_valid_o,
  input  logic                   result_ready_i,
  output logic [Width-1:0]       result_data_o,
  output logic                   result_last_o,
  output logic [TagBits-1:0]     result_tag_o,

  output logic                   free_valid_o,
  output logic [ContextBits-1:0] free_context_o,

  output logic                   memory_error_o  // of two clocks before (memory_parity)
);

  logic [2:0] errors;
  assign memory_error_o = errors != '0;

  logic                   waiting_valid, waiting_ready, done_ready;
  logic [ContextBits-1:0] waiting_context;

  stream_fifo #(
    .DataWidth(ContextBits),
    .Depth    (Contexts)
  ) u_done (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (done_valid_i),
    .in_ready_o (done_ready),
    .in_data_i  (done_context_i),
    .out_valid_o(waiting_valid),
    .out_ready_i(waiting_ready),
    .out_data_o (waiting_context),
    .memory_error_o(errors[0])
  );

  // ---- Sending: the tag is read in the two clocks before the first word -----------------------
  logic                   reading_q, sending_q, advance, last_index;
  logic [ContextBits-1:0] context_q;
  logic [IndexBits-1:0]   index_q;
  logic [TagBits-1:0]     tag;
  logic [IndexBits-1:0]   final_index;

  // At the memory and at its output register.
  logic [1:0]             valid_q, last_q;
  logic                   begins_q, moved_q;  // the tag, the word at the output is new
  logic [TagBits-1:0]     tag_q[2];

  assign waiting_ready = !reading_q && !sending_q;
  assign last_index    = index_q == final_index;
  assign advance       = !valid_q[1] || result_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      sending_q <= 1'b0;
      valid_q   <= '0;
      {begins_q, moved_q} <= '0;
    end else begin
      begins_q <= reading_q;
      moved_q  <= advance;
      reading_q <= waiting_ready && waiting_valid;
      if (reading_q) sending_q <= 1'b1;
      else if (advance && last_index) sending_q <= 1'b0;
      if (advance) valid_q <= {valid_q[0], sending_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (waiting_ready) begin
      context_q <= waiting_context;
      index_q   <= '0;
    end else if (sending_q && advance) begin
      index_q <= index_q + 1'b1;
    end
    if (advance) begin
      last_q <= {last_q[0], last_index};
      tag_q  <= '{tag, tag_q[0]};
    end
  end

  checked_memory #(
    .Width         (TagBits + IndexBits),
    .Depth         (Contexts),
    .OutputRegister(1'b1)
  ) u_tags (
    .clk_i,
    .write_valid_i  (begin_valid_i),
    .write_address_i(begin_context_i),
    .write_data_i   ({begin_tag_i, begin_last_index_i}),
    .read_enable_i  (!sending_q),
    .read_address_i (waiting_context),
    .read_data_o    ({tag, final_index}),
    .check_i        (begins_q),
    .error_o        (errors[1])
  );

  checked_memory #(
    .Width         (Width),
    .Depth         (Contexts << IndexBits),
    .MemoryStyle   (MemoryStyle),
    .OutputRegister(1'b1)
  ) u_words (
    .clk_i,
    .write_valid_i,
    .write_address_i({write_context_i, write_index_i}),
    .write_data_i,
    .read_enable_i  (advance),
    .read_address_i ({context_q, index_q}),
    .read_data_o    (result_data_o),
    .check_i        (valid_q[1] && moved_q),
    .error_o        (errors[2])
  );

  assign result_valid_o = valid_q[1];
  assign result_last_o  = last_q[1];
  assign result_tag_o   = tag_q[1];
  assign free_valid_o   = sending_q && advance && last_index;
  assign free_context_o = context_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    assert (done_ready || !done_valid_i);
  end
`else
  logic unused_done_ready;
  assign unused_done_ready = done_ready;
`endif

endmodule
