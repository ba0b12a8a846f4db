// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor_loads: the words of a job on their way to the core. They are read one a clock and
// wait here, so that the sequencer goes on. A word whose reading begins with read_i comes with number_i,
// ReadClocks later; a constant, 0 or 1, stands for it where that is said. Readings begin only while
// there is room.
module bls_coprocessor_loads
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned QueuedWords = 16
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  output logic                room_o,
  input  logic                read_i,
  input  logic                last_i,         // of the job
  input  logic                is_constant_i,
  input  logic                one_i,          // the constant
  input  logic [DataBits-1:0] number_i,
  input  job_t                job_i,          // stays until the last word has come

  output logic                job_valid_o,
  input  logic                job_ready_i,
  output logic [DataBits-1:0] job_number_o,
  output logic                job_last_o,
  output job_t                job_o,

  output logic                memory_error_o
);
  localparam int unsigned RoomBits = $clog2(QueuedWords + 1);
  typedef struct packed {
    job_t                job;
    logic                last;
    logic [DataBits-1:0] number;
  } load_t;
  typedef struct packed {
    logic last;
    logic is_constant;
    logic one;
  } word_t;

  logic [ReadClocks:1]  reads_q;
  word_t [ReadClocks:1] words_q;
  load_t                read, waiting;
  logic [RoomBits-1:0]  rest_q;  // words that the queue and the reads before it have room for
  assign room_o      = rest_q != '0;
  assign read.job    = job_i;
  assign read.last   = words_q[ReadClocks].last;
  assign read.number =
      words_q[ReadClocks].is_constant ? DataBits'(words_q[ReadClocks].one) : number_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q <= '0;
      rest_q  <= RoomBits'(QueuedWords);
    end else begin
      reads_q <= {reads_q[ReadClocks-1:1], read_i};
      rest_q  <= rest_q - RoomBits'(read_i) + RoomBits'(job_valid_o && job_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    words_q <= {words_q[ReadClocks-1:1], word_t'{last_i, is_constant_i, one_i}};
  end

  logic unused_ready;
  stream_fifo #(
    .DataWidth($bits(load_t)),
    .Depth    (QueuedWords)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (reads_q[ReadClocks]),
    .in_ready_o (unused_ready),
    .in_data_i  (read),
    .out_valid_o(job_valid_o),
    .out_ready_i(job_ready_i),
    .out_data_o (waiting),
    .memory_error_o
  );
  assign job_number_o = waiting.number;
  assign job_last_o   = waiting.last;
  assign job_o        = waiting.job;
endmodule
