// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_scheduler: keeps the compression pipeline full with the blocks of many chunks, the parents
// of many messages, and the blocks of output.
//
// The pipeline and the two clocks from a result to the next input make a ring of Loop turns. A
// result makes at most one compression, which takes the same turn of the ring: the chunk's next
// block, the parent of two nodes, or nothing. So results never wait and never queue. A turn that is
// free goes to a block of output, else to a fresh chunk, in the order in which chunks came:
//
//   result -> value, tag -+-> next block of its chunk   -+
//                         +-> blake3_tree: a parent     -+-> not a root -> issue -> pipeline
//   fresh chunks ------------> first block              -+-> root -> blake3_output: keeps its input
//   blake3_output: a block of a root's output ---------------------> issue
//
// A root is not compressed at once but kept, and its turn goes to a block of output if one waits.
// A chunk's buffer is free once its last block is read. Chunks of a message come out in order, but
// for its last one, since all have 16 blocks and a ring has no overtaking.
//
// drop_i: what comes out for this message ends there; each piece of work that ends (a node put
// away, a chunk dropped) is told by ended_o. Nothing here waits for anything, so all of it does end.
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

  // Blocks, into the memory of the chunks; chunks whose blocks are all there. At most Chunks.
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

  output logic                 begun_o,   // a compression enters the pipeline
  output logic                 starved_o  // none does
);
  typedef logic [ChunkBits-1:0]   chunk_index_t;
  typedef logic [MessageBits-1:0] message_index_t;

  // ---- Fresh chunks: a queue, and the one at hand with its key -----------------------------------
  logic   queue_valid, queue_ready, queue_in_ready, fresh_valid_q, fresh_taken;
  chunk_t queue_chunk, fresh_q;
  value_t fresh_key;

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
    .out_data_o (queue_chunk)
  );
  logic unused_queue;
  assign unused_queue = queue_in_ready;
  assign queue_ready  = !fresh_valid_q || fresh_taken;

  field_core_memory #(
    .Width($bits(value_t)),
    .Depth(Messages)
  ) u_fresh_keys (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(message_index_t'(begin_message_i)),
    .write_data_i   (begin_key_i),
    .read_enable_i  (queue_valid && queue_ready),
    .read_address_i (message_index_t'(queue_chunk.message)),
    .read_data_o    (fresh_key)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_valid_q <= 1'b0;
    else if (queue_ready) fresh_valid_q <= queue_valid;
  end
  always_ff @(posedge clk_i) begin
    if (queue_valid && queue_ready) fresh_q <= queue_chunk;
  end

  // ---- The pipeline, and the tags of its results three clocks ahead ------------------------------
  logic   issue_valid_q;
  input_t issue_q;
  tag_t   issue_tag_q;
  logic   three_valid, two_valid_q, one_valid_q, valid_q, after_valid_q;
  tag_t   three, two_q, one_q, tag_q, after_q;
  value_t value, high;

  blake3_compress #(
    .StagesPerRound(StagesPerRound),
    .TagAhead      (3)
  ) u_compress (
    .clk_i,
    .rst_ni,
    .issue_valid_i(issue_valid_q),
    .issue_i      (issue_q),
    .issue_tag_i  (issue_tag_q),
    .ahead_valid_o(three_valid),
    .ahead_tag_o  (three),
    .value_o      (value),
    .high_o       (high)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      two_valid_q   <= 1'b0;
      one_valid_q   <= 1'b0;
      valid_q       <= 1'b0;
      after_valid_q <= 1'b0;
    end else begin
      two_valid_q   <= three_valid;
      one_valid_q   <= two_valid_q;
      valid_q       <= one_valid_q;
      after_valid_q <= valid_q;
    end
  end

  // The result, in the clock in which it is there (value, tag_q) and in the next (after).
  value_t after_value_q;
  always_ff @(posedge clk_i) begin
    if (three_valid) two_q <= three;
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
  logic   three_is_node, parent_valid, parent_root, kept;
  tag_t   parent_tag;
  block_t parent_block;
  slot_t  kept_message;
  value_t parent_key;

  assign three_is_node = three.kind == KindParent ||
                         (three.kind == KindChunk && three.block == three.chunk.last_block);

  blake3_tree #(
    .Messages(Messages)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .begin_i,
    .begin_message_i,
    .begin_last_i,
    .node_valid_i  (three_valid && three_is_node),
    .node_tag_i    (three),
    .node_value_i  (value),
    .drop_i,
    .drop_message_i,
    .parent_valid_o(parent_valid),
    .parent_tag_o  (parent_tag),
    .parent_block_o(parent_block),
    .parent_root_o (parent_root),
    .kept_o        (kept),
    .kept_message_o(kept_message)
  );

  field_core_memory #(
    .Width($bits(value_t)),
    .Depth(Messages)
  ) u_parent_keys (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(message_index_t'(begin_message_i)),
    .write_data_i   (begin_key_i),
    .read_enable_i  (valid_q && tag_q.kind != KindOutput),
    .read_address_i (message_index_t'(tag_q.chunk.message)),
    .read_data_o    (parent_key)
  );

  // ---- The chunk's next block -------------------------------------------------------------------
  logic continues, after_continues_q, after_dropped, next_valid;
  logic [3:0] next_block;

  assign continues     = valid_q && tag_q.kind == KindChunk && tag_q.block != tag_q.chunk.last_block;
  assign after_dropped = drop_i && drop_message_i == after_q.chunk.message;
  assign next_valid    = after_continues_q && !after_dropped;
  assign next_block    = after_q.block + 4'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) after_continues_q <= 1'b0;
    else after_continues_q <= continues;
  end

  // The memory's read port belongs to the chunk whose result is there; otherwise to the first block
  // of the chunk that will be at hand in the next clock, which may then take the turn.
  chunk_index_t       coming_chunk;
  block_t             stored_block;
  logic [ChunkBits+3:0] read_address;
  logic               read;
  assign coming_chunk = chunk_index_t'(queue_ready ? queue_chunk.chunk : fresh_q.chunk);
  assign read_address = continues ? {chunk_index_t'(tag_q.chunk.chunk), tag_q.block + 4'd1}
                                  : {coming_chunk, 4'd0};
  assign read = continues || (queue_ready ? queue_valid : fresh_valid_q);

  field_core_memory #(
    .Width($bits(block_t)),
    .Depth(Chunks * 16)
  ) u_chunks (
    .clk_i,
    .write_valid_i,
    .write_address_i,
    .write_data_i   (write_block_i),
    .read_enable_i  (read),
    .read_address_i (read_address),
    .read_data_o    (stored_block)
  );

  // ---- Who takes the turn -----------------------------------------------------------------------
  tag_t   chosen_tag;
  input_t chosen;
  logic   result_goes_on, chosen_valid, chosen_root, chunk_read;
  logic   fresh_dropped, fresh_begins, fresh_ends;

  // The chunk's block that is up, of a chunk under way or of the fresh one.
  chunk_t     up;
  logic [3:0] up_block;
  logic       up_last;
  assign up       = next_valid ? after_q.chunk : fresh_q;
  assign up_block = next_valid ? next_block : 4'd0;
  assign up_last  = up_block == up.last_block;

  assign result_goes_on = next_valid || parent_valid;
  assign ask_ready_o    = !result_goes_on || chosen_root;
  assign fresh_dropped  = drop_i && drop_message_i == fresh_q.message;
  assign fresh_begins   = fresh_valid_q && !fresh_dropped && !result_goes_on && !ask_valid_i &&
                          !after_continues_q;
  assign fresh_ends     = fresh_valid_q && fresh_dropped && !after_valid_q;
  assign fresh_taken    = fresh_begins || fresh_ends;

  assign chosen_valid = result_goes_on || fresh_begins;
  assign chosen_root  = parent_valid ? parent_root : (up_last && up.on_edge && up.place == '0);

  always_comb begin
    if (parent_valid) begin
      chosen_tag = parent_tag;
      chosen = '{
        value:   parent_key,
        block:   parent_block,
        counter: '0,
        bytes:   7'd64,
        flags:   FlagParent | mode_flags(parent_tag.chunk.mode)
      };
    end else begin
      chosen_tag = '{kind: KindChunk, chunk: up, block: up_block, level: '0};
      chosen = '{
        value:   next_valid ? after_value_q : fresh_key,
        block:   stored_block,
        counter: 64'(up.place),
        bytes:   up_last ? up.last_bytes : 7'd64,
        flags:   mode_flags(up.mode) | (next_valid ? '0 : FlagChunkStart)
                 | (up_last ? FlagChunkEnd : '0)
      };
    end
  end

  assign root_valid_o   = chosen_valid && chosen_root;
  assign root_message_o = chosen_tag.chunk.message;
  assign root_o = '{
    value: chosen.value,
    block: chosen.block,
    bytes: chosen.bytes,
    flags: chosen.flags | FlagRoot
  };

  assign chunk_read   = (next_valid || fresh_begins) && up_last;
  assign free_valid_o = chunk_read || fresh_ends || (after_continues_q && after_dropped);
  assign free_chunk_o = after_continues_q ? after_q.chunk.chunk : fresh_q.chunk;

  assign ended_o         = kept || fresh_ends || (after_continues_q && after_dropped);
  assign ended_message_o = kept ? kept_message :
                           after_continues_q ? after_q.chunk.message : fresh_q.message;

  logic issue_own, issue_asked;
  assign issue_own   = chosen_valid && !chosen_root;
  assign issue_asked = ask_valid_i && ask_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) issue_valid_q <= 1'b0;
    else issue_valid_q <= issue_own || issue_asked;
  end

  always_ff @(posedge clk_i) begin
    if (issue_own) begin
      issue_q     <= chosen;
      issue_tag_q <= chosen_tag;
    end else if (issue_asked) begin
      issue_q          <= ask_i;
      issue_tag_q.kind <= KindOutput;
    end
  end

  assign begun_o   = issue_valid_q;
  assign starved_o = !issue_valid_q;

  logic unused;
  assign unused = ^{two_valid_q, after_q.kind, after_q.level, after_q.chunk.chunk};
endmodule
