// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_scheduler: keeps the compression pipeline full with the blocks of many chunks, the parents
// of many messages, and the blocks of output.
//
// The pipeline and the two clocks from a result to the next input form a ring of Loop turns. A
// result causes at most one compression, which takes the same turn of the ring: the chunk's next
// block, the parent of two nodes, or nothing. So results never wait and never queue. A free turn
// goes to a block of output, otherwise to a fresh chunk, in the order in which chunks arrived:
//
//   result -> value, tag -+-> next block of its chunk   -+
//                         +-> blake3_tree: a parent     -+-> not a root -> issue -> pipeline
//   fresh chunks ------------> first block              -+-> root -> blake3_output: keeps its input
//   blake3_output: a block of a root's output ---------------------> issue
//
// A root is not compressed at once but stored, and its turn goes to a block of output if one waits.
// A chunk's buffer is free once its last block has been read. Chunks of a message come out in
// order, except its last one, because all have 16 blocks and a ring has no overtaking.
//
// The properties of a result that a turn needs do not depend on its value: they are derived from
// the tag in the clocks before; for a fresh chunk, when it leaves the queue.
//
// drop_i: the work of this message ends from the next clock on; ended_o reports each piece of work
// that ends (a node put away, a chunk dropped). Nothing here waits for anything, so all work does
// end. free_* and ended_* refer to the clock before.
module blake3_scheduler
  import blake3_pkg::*;
#(
  parameter int unsigned Chunks = 128,         // buffers, 2 to 256
  parameter int unsigned Messages = 128,       // slots, 2 to 256
  parameter int unsigned StagesPerRound = 4,   // 1, 2, 4 or 8
  localparam int unsigned ChunkBits = $clog2(Chunks),
  localparam int unsigned MessageBits = $clog2(Messages)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // A message begins.
  input  logic                 begin_i,
  input  slot_t                begin_message_i,
  input  place_t               begin_last_i,
  input  value_t               begin_key_i,  // the initial value in modes without a key

  // Blocks, written to the chunk memory; then chunks whose blocks are complete. At most Chunks.
  input  logic                 write_valid_i,
  input  logic [ChunkBits+3:0] write_address_i,  // {chunk, block}
  input  block_t               write_block_i,
  input  logic                 chunk_valid_i,
  input  chunk_t               chunk_i,

  output logic                 free_valid_o,  // a chunk's buffer is free
  output slot_t                free_chunk_o,

  input  logic                 drop_i,
  input  slot_t                drop_message_i,
  output logic                 ended_o,  // a piece of a message's work has ended
  output slot_t                ended_message_o,

  output logic                 root_valid_o,
  output slot_t                root_message_o,
  output root_t                root_o,

  input  logic                 ask_valid_i,
  output logic                 ask_ready_o,
  input  input_t               ask_i,
  output logic                 result_valid_o,
  output value_t               result_value_o,
  output value_t               result_high_o,

  output logic                 memory_error_o,
  output logic                 begun_o,   // a compression enters the pipeline
  output logic                 starved_o  // no compression enters, because none is ready
);
  logic [5:0] errors;
  assign memory_error_o = errors != '0;

  typedef logic [ChunkBits-1:0]   chunk_index_t;
  typedef logic [MessageBits-1:0] message_index_t;

  // ---- Fresh chunks: a queue, and the current one with its key ----------------------------------
  // The next block of a chunk to compress.
  typedef struct packed {
    logic       last;   // of the chunk
    logic       root;
    logic [6:0] bytes;
    logic [6:0] flags;
  } block_head_t;

  /* verilator lint_off UNUSEDSIGNAL */  // the owner of the chunk is not used
  function automatic block_head_t head_of(input chunk_t chunk, input logic [3:0] block);
    head_of.last  = block == chunk.last_block;
    head_of.root  = head_of.last && chunk.on_edge && chunk.place == '0;
    head_of.bytes = head_of.last ? chunk.last_bytes : 7'd64;
    head_of.flags = mode_flags(chunk.mode) | (block == '0 ? FlagChunkStart : '0)
                    | (head_of.last ? FlagChunkEnd : '0);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  logic        queue_valid, queue_ready, queue_in_ready, fresh_valid_q, fresh_taken;
  logic        queue_is_dropped, fresh_is_dropped, fresh_dropped_q;
  logic        fresh_comes_q;  // it is current since this clock
  chunk_t      queue_chunk, fresh_q;
  block_head_t fresh_head_q;
  value_t      fresh_key;

  stream_fifo #(
    .DataWidth($bits(chunk_t)),
    .Depth    (Chunks)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i    (1'b0),
    .in_valid_i (chunk_valid_i),
    .in_ready_o (queue_in_ready),
    .in_data_i  (chunk_i),
    .out_valid_o(queue_valid),
    .out_ready_i(queue_ready),
    .out_data_o (queue_chunk),
    .memory_error_o(errors[0])
  );
  logic unused_queue;
  assign unused_queue = queue_in_ready;
  assign queue_ready  = !fresh_valid_q || fresh_taken;

  checked_memory #(
    .Width($bits(value_t)),
    .Depth(Messages)
  ) u_fresh_keys (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(message_index_t'(begin_message_i)),
    .write_data_i   (begin_key_i),
    .read_enable_i  (queue_valid && queue_ready),
    .read_address_i (message_index_t'(queue_chunk.message)),
    .read_data_o    (fresh_key),
    .check_i        (fresh_comes_q),
    .error_o        (errors[1])
  );

  assign queue_is_dropped = drop_i && drop_message_i == queue_chunk.message;
  assign fresh_is_dropped = drop_i && drop_message_i == fresh_q.message;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {fresh_valid_q, fresh_comes_q} <= '0;
    else begin
      if (queue_ready) fresh_valid_q <= queue_valid;
      fresh_comes_q <= queue_valid && queue_ready;
    end
  end
  always_ff @(posedge clk_i) begin
    if (queue_valid && queue_ready) begin
      fresh_q      <= queue_chunk;
      fresh_head_q <= head_of(queue_chunk, 4'd0);
    end
    fresh_dropped_q <= queue_ready ? queue_is_dropped : fresh_is_dropped;
  end

  // ---- The pipeline, and the tags of its results five clocks ahead ------------------------------
  logic   issue_valid_q;
  input_t issue_q;
  tag_t   issue_tag_q;
  logic   five_valid, four_valid_q, three_valid_q, two_valid_q, one_valid_q, valid_q;
  logic   after_valid_q;
  tag_t   five, four_q, three_q, two_q, one_q, tag_q, after_q;
  value_t value, high;

  blake3_compress #(
    .StagesPerRound(StagesPerRound),
    .TagAhead      (5)
  ) u_compress (
    .clk_i,
    .rst_ni,
    .issue_valid_i(issue_valid_q),
    .issue_i      (issue_q),
    .issue_tag_i  (issue_tag_q),
    .ahead_valid_o(five_valid),
    .ahead_tag_o  (five),
    .value_o      (value),
    .high_o       (high),
    .memory_error_o(errors[2])
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      four_valid_q  <= 1'b0;
      three_valid_q <= 1'b0;
      two_valid_q   <= 1'b0;
      one_valid_q   <= 1'b0;
      valid_q       <= 1'b0;
      after_valid_q <= 1'b0;
    end else begin
      four_valid_q  <= five_valid;
      three_valid_q <= four_valid_q;
      two_valid_q   <= three_valid_q;
      one_valid_q   <= two_valid_q;
      valid_q       <= one_valid_q;
      after_valid_q <= valid_q;
    end
  end

  // The result, in its clock (value, tag_q) and in the next one (after).
  value_t after_value_q;
  always_ff @(posedge clk_i) begin
    if (five_valid) four_q <= five;
    if (four_valid_q) three_q <= four_q;
    if (three_valid_q) two_q <= three_q;
    if (two_valid_q) one_q <= two_q;
    if (one_valid_q) tag_q <= one_q;
    if (valid_q) begin
      after_q       <= tag_q;
      after_value_q <= value;
    end
  end

  assign result_valid_o = valid_q && tag_q.kind == KindOutput;
  assign result_value_o = value;
  assign result_high_o  = high;

  // ---- Parents ----------------------------------------------------------------------------------
  logic   five_is_node, parent_valid, parent_root, kept;
  tag_t   parent_tag;
  block_t parent_block;
  slot_t  kept_message;
  value_t parent_key;

  assign five_is_node = five.kind == KindParent ||
                        (five.kind == KindChunk && five.block == five.chunk.last_block);

  blake3_tree #(
    .Messages(Messages)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .begin_i,
    .begin_message_i,
    .begin_last_i,
    .node_valid_i  (five_valid && five_is_node),
    .node_tag_i    (five),
    .node_value_i  (value),
    .drop_i,
    .drop_message_i,
    .parent_valid_o(parent_valid),
    .parent_tag_o  (parent_tag),
    .parent_block_o(parent_block),
    .parent_root_o (parent_root),
    .kept_o        (kept),
    .kept_message_o(kept_message),
    .memory_error_o(errors[3])
  );

  checked_memory #(
    .Width($bits(value_t)),
    .Depth(Messages)
  ) u_parent_keys (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(message_index_t'(begin_message_i)),
    .write_data_i   (begin_key_i),
    .read_enable_i  (valid_q && tag_q.kind != KindOutput),
    .read_address_i (message_index_t'(tag_q.chunk.message)),
    .read_data_o    (parent_key),
    .check_i        (parent_valid),
    .error_o        (errors[4])
  );

  // ---- The chunk's next block -------------------------------------------------------------------
  logic        continues_q, dropped, after_continues_q, after_next_q, after_ends_q;
  logic [3:0]  next_block_q, after_block_q;
  block_head_t after_head_q;

  assign dropped = drop_i && drop_message_i == tag_q.chunk.message;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      continues_q       <= 1'b0;
      after_continues_q <= 1'b0;
      after_next_q      <= 1'b0;
      after_ends_q      <= 1'b0;
    end else begin
      continues_q       <= one_valid_q && one_q.kind == KindChunk &&
                           one_q.block != one_q.chunk.last_block;
      after_continues_q <= continues_q;
      after_next_q      <= continues_q && !dropped;
      after_ends_q      <= continues_q && dropped;
    end
  end
  always_ff @(posedge clk_i) begin
    next_block_q  <= one_q.block + 4'd1;
    after_block_q <= next_block_q;
    after_head_q  <= head_of(tag_q.chunk, next_block_q);
  end

  // The memory's read port serves the chunk whose result has arrived; otherwise the first block of
  // the chunk that becomes current in the next clock, which may then take the turn.
  logic               fresh_begins;  // the current one takes the turn
  chunk_index_t       coming_chunk;
  block_t             stored_block;
  logic [ChunkBits+3:0] read_address;
  logic               read;
  assign coming_chunk = chunk_index_t'(queue_ready ? queue_chunk.chunk : fresh_q.chunk);
  assign read_address = continues_q ? {chunk_index_t'(tag_q.chunk.chunk), next_block_q}
                                    : {coming_chunk, 4'd0};
  assign read = continues_q || (queue_ready ? queue_valid : fresh_valid_q);

  checked_memory #(
    .Width($bits(block_t)),
    .Depth(Chunks * 16)
  ) u_chunks (
    .clk_i,
    .write_valid_i,
    .write_address_i,
    .write_data_i   (write_block_i),
    .read_enable_i  (read),
    .read_address_i (read_address),
    .read_data_o    (stored_block),
    .check_i        (after_next_q || fresh_begins),
    .error_o        (errors[5])
  );

  // ---- Assignment of the turn -------------------------------------------------------------------
  logic parent_root_taken, parent_issued, next_issued, goes_on, fresh_ends;
  assign parent_root_taken = parent_valid && parent_root;
  assign parent_issued     = parent_valid && !parent_root;
  assign next_issued       = after_next_q && !after_head_q.root;
  assign goes_on           = parent_issued || next_issued;

  assign ask_ready_o  = !goes_on;
  assign fresh_begins = fresh_valid_q && !fresh_dropped_q && !parent_valid && !after_continues_q &&
                        !ask_valid_i;
  assign fresh_ends   = fresh_valid_q && fresh_dropped_q && !after_valid_q;
  assign fresh_taken  = fresh_begins || fresh_ends;

  // The chunk block to compress, of a chunk in progress or of the fresh one; a parent, if there is
  // one, takes precedence.
  chunk_t      up;
  logic [6:0]  up_bytes, up_flags;
  tag_t        own_tag;
  input_t      own;
  assign up = after_next_q ? after_q.chunk : fresh_q;
  assign {up_bytes, up_flags} = after_next_q ? {after_head_q.bytes, after_head_q.flags}
                                             : {fresh_head_q.bytes, fresh_head_q.flags};

  always_comb begin
    if (parent_valid) begin
      own_tag = parent_tag;
      own = '{
        value:   parent_key,
        block:   parent_block,
        counter: '0,
        bytes:   7'd64,
        flags:   FlagParent | mode_flags(parent_tag.chunk.mode)
      };
    end else begin
      own_tag = '{
        kind:  KindChunk,
        chunk: up,
        block: after_next_q ? after_block_q : 4'd0,
        level: '0
      };
      own = '{
        value:   after_next_q ? after_value_q : fresh_key,
        block:   stored_block,
        counter: 64'(up.place),
        bytes:   up_bytes,
        flags:   up_flags
      };
    end
  end

  assign root_valid_o   = parent_root_taken || (after_next_q && after_head_q.root) ||
                          (fresh_begins && fresh_head_q.root);
  assign root_message_o = own_tag.chunk.message;
  assign root_o = '{
    value: own.value,
    block: own.block,
    bytes: own.bytes,
    flags: own.flags | FlagRoot
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_valid_o <= 1'b0;
      ended_o      <= 1'b0;
    end else begin
      free_valid_o <= (after_next_q && after_head_q.last) || (fresh_begins && fresh_head_q.last) ||
                      fresh_ends || after_ends_q;
      ended_o      <= kept || fresh_ends || after_ends_q;
    end
  end
  always_ff @(posedge clk_i) begin
    free_chunk_o    <= after_continues_q ? after_q.chunk.chunk : fresh_q.chunk;
    ended_message_o <= kept ? kept_message :
                       after_continues_q ? after_q.chunk.message : fresh_q.message;
  end

  logic issue;
  assign issue = goes_on || ask_valid_i || (fresh_begins && !fresh_head_q.root);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_valid_q <= 1'b0;
    else issue_valid_q <= issue;
  end

  always_ff @(posedge clk_i) begin
    if (issue) begin
      issue_q          <= goes_on || !ask_valid_i ? own : ask_i;
      issue_tag_q      <= own_tag;
      issue_tag_q.kind <= goes_on || !ask_valid_i ? own_tag.kind : KindOutput;
    end
  end

  assign begun_o   = issue_valid_q;
  assign starved_o = !issue_valid_q;

  logic unused;
  assign unused = ^{after_q.kind, after_q.level, after_q.block, after_q.chunk.chunk};
endmodule
