// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_output: requests the blocks of each root's extended output, in the order in which the
// roots arrived, and stores the results for the replies.
//
// A root's compression is repeated with the counter first_block, first_block + 1, ... until there
// are `bytes` of output (paper, section 2.6). A block is requested only when the queue of results
// has room for it, so results are never stalled; ask_* offers the next block until ask_ready_i. All
// queues hold the maximum number of entries: one root per message, Depth blocks.
module blake3_output
  import blake3_pkg::*;
#(
  parameter int unsigned Messages = 128,
  parameter int unsigned Depth = 16,  // blocks requested or waiting; a power of two
  localparam int unsigned MessageBits = $clog2(Messages)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // A message begins; the position and size of its output.
  input  logic        begin_i,
  input  slot_t       begin_message_i,
  input  logic [15:0] begin_bytes_i,  // not 0
  input  logic [31:0] begin_first_block_i,

  // A message's root is known. There are at most Messages roots, so it is always accepted.
  input  logic        root_valid_i,
  input  slot_t       root_message_i,
  input  root_t       root_i,

  output logic        ask_valid_o,
  input  logic        ask_ready_i,
  output input_t      ask_o,

  input  logic        result_valid_i,  // in the order of the requests
  input  value_t      result_value_i,
  input  value_t      result_high_i,   // before the chaining value is added

  output logic        block_valid_o,
  input  logic        block_ready_i,
  output block_t      block_o,

  output logic        done_valid_o,  // the messages, in the order of their output blocks
  input  logic        done_ready_i,
  output slot_t       done_message_o,

  output logic        memory_error_o
);
  logic [5:0] errors;
  assign memory_error_o = errors != '0;

  localparam int unsigned DepthBits = $clog2(Depth);

  typedef logic [MessageBits-1:0] index_t;

  // ---- Roots ----------------------------------------------------------------------------------
  logic  next_valid, next_ready, roots_ready, done_queue_ready;
  slot_t next_message;
  root_t root;
  logic [9:0]  last_block;  // of its output
  logic [31:0] first_block;
  logic        known_valid_q, comes_q;  // comes_q: a root has become current
  slot_t       known_message_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {known_valid_q, comes_q} <= '0;
    else {known_valid_q, comes_q} <= {root_valid_i, next_valid && next_ready};
  end
  always_ff @(posedge clk_i) known_message_q <= root_message_i;

  stream_fifo #(
    .DataWidth($bits(slot_t)),
    .Depth    (Messages)
  ) u_roots (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (known_valid_q),
    .in_ready_o (roots_ready),
    .in_data_i  (known_message_q),
    .out_valid_o(next_valid),
    .out_ready_i(next_ready),
    .out_data_o (next_message),
    .memory_error_o(errors[0])
  );

  stream_fifo #(
    .DataWidth($bits(slot_t)),
    .Depth    (Messages)
  ) u_done (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (known_valid_q),
    .in_ready_o (done_queue_ready),
    .in_data_i  (known_message_q),
    .out_valid_o(done_valid_o),
    .out_ready_i(done_ready_i),
    .out_data_o (done_message_o),
    .memory_error_o(errors[1])
  );
  logic unused_ready;
  assign unused_ready = ^{roots_ready, done_queue_ready, begin_message_i, next_message};

  checked_memory #(
    .Width($bits(root_t)),
    .Depth(Messages)
  ) u_root_inputs (
    .clk_i,
    .write_valid_i  (root_valid_i),
    .write_address_i(index_t'(root_message_i)),
    .write_data_i   (root_i),
    .read_enable_i  (next_valid && next_ready),
    .read_address_i (index_t'(next_message)),
    .read_data_o    (root),
    .check_i        (comes_q),
    .error_o        (errors[2])
  );

  checked_memory #(
    .Width(42),
    .Depth(Messages)
  ) u_sizes (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(index_t'(begin_message_i)),
    .write_data_i   ({10'((begin_bytes_i - 16'd1) >> 6), begin_first_block_i}),
    .read_enable_i  (next_valid && next_ready),
    .read_address_i (index_t'(next_message)),
    .read_data_o    ({last_block, first_block}),
    .check_i        (comes_q),
    .error_o        (errors[3])
  );

  // ---- Blocks of the current root ---------------------------------------------------------------
  logic               at_hand_q;
  logic [9:0]         block_q;   // of its output
  logic               ask, last_asked;
  logic [DepthBits:0] places_q, places_d;  // free places of the queue that are not reserved
  logic               has_place_q;         // there is a free place

  assign ask_valid_o = at_hand_q && has_place_q;
  assign ask         = ask_valid_o && ask_ready_i;
  assign last_asked  = ask && block_q == last_block;
  assign next_ready  = !at_hand_q || last_asked;
  assign ask_o = '{
    value:   root.value,
    block:   root.block,
    counter: 64'(first_block) + 64'(block_q),
    bytes:   root.bytes,
    flags:   root.flags
  };

  // ---- Results ----------------------------------------------------------------------------------
  value_t old_values[Depth];  // of the roots, for the second half of the requested blocks
  block_t blocks[Depth];
  logic [DepthBits-1:0] asked_q, written_q, read_q;
  logic [DepthBits:0]   waiting_q;
  logic                 pop;

  assign block_valid_o = waiting_q != '0;
  assign block_o       = blocks[read_q];
  assign pop           = block_valid_o && block_ready_i;
  assign places_d      = places_q + (DepthBits + 1)'(pop) - (DepthBits + 1)'(ask);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_hand_q   <= 1'b0;
      block_q     <= '0;
      places_q    <= (DepthBits + 1)'(Depth);
      has_place_q <= 1'b1;
      asked_q     <= '0;
      written_q   <= '0;
      read_q      <= '0;
      waiting_q   <= '0;
    end else begin
      at_hand_q   <= next_ready ? next_valid : at_hand_q;
      if (ask) block_q <= last_asked ? '0 : block_q + 10'd1;
      places_q    <= places_d;
      has_place_q <= places_d != '0;
      asked_q     <= asked_q + DepthBits'(ask);
      written_q   <= written_q + DepthBits'(result_valid_i);
      read_q      <= read_q + DepthBits'(pop);
      waiting_q   <= waiting_q + (DepthBits + 1)'(result_valid_i) - (DepthBits + 1)'(pop);
    end
  end

  always_ff @(posedge clk_i) begin
    if (ask) old_values[asked_q] <= root.value;
    if (result_valid_i) begin
      blocks[written_q] <= {result_high_i ^ old_values[written_q], result_value_i};
    end
  end

  memory_parity #(
    .Width     ($bits(value_t)),
    .Depth     (Depth),
    .ReadClocks(0)
  ) u_old_parity (
    .clk_i,
    .write_valid_i  (ask),
    .write_address_i(asked_q),
    .write_data_i   (root.value),
    .read_enable_i  (1'b1),
    .read_address_i (written_q),
    .check_i        (result_valid_i),
    .data_i         (old_values[written_q]),
    .error_o        (errors[4])
  );
  memory_parity #(
    .Width     ($bits(block_t)),
    .Depth     (Depth),
    .ReadClocks(0)
  ) u_blocks_parity (
    .clk_i,
    .write_valid_i  (result_valid_i),
    .write_address_i(written_q),
    .write_data_i   ({result_high_i ^ old_values[written_q], result_value_i}),
    .read_enable_i  (1'b1),
    .read_address_i (read_q),
    .check_i        (pop),
    .data_i         (block_o),
    .error_o        (errors[5])
  );
endmodule
