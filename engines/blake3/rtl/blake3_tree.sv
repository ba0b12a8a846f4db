// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_tree: joins the chaining values of a message's chunks into those of its parents.
//
// The tree of n chunks is known when a message begins. Node p of level l has its right neighbour
// unless it is on the right edge, p == (n - 1) >> l. The nodes of a level come in order but for the
// one on the edge, which may come early, its chunk being shorter:
//
//   odd, not on the edge    its left neighbour is in the stack: the two become a parent
//   even, not on the edge   goes into the stack, at [message][level]
//   on the edge             is the same node on every level up to the first on which its place is
//                           odd; there it meets its left neighbour, if that is in the stack, or
//                           waits for it at [message][EdgeLevel]
//
// So each result makes at most one parent, in the result's own turn, and nothing has to queue. A
// left neighbour of the edge is marked in `lefts`, a bit for each level of each message: what the
// stack holds on another level may be an earlier node.
//
// Timing: the node's tag three clocks before its value, the parent one clock after the value.
module blake3_tree
  import blake3_pkg::*;
#(
  parameter int unsigned Messages = 128,  // at most 256
  localparam int unsigned MessageBits = $clog2(Messages)
) (
  input  logic   clk_i,
  input  logic   rst_ni,

  // A message begins; it has last_i + 1 chunks.
  input  logic   begin_i,
  input  slot_t  begin_message_i,
  input  place_t begin_last_i,

  input  logic   node_valid_i,  // three clocks before its value
  input  tag_t   node_tag_i,
  input  value_t node_value_i,

  // Nodes of this message end here.
  input  logic   drop_i,
  input  slot_t  drop_message_i,

  // One of these, or none, a clock after the value.
  output logic   parent_valid_o,
  output tag_t   parent_tag_o,
  output block_t parent_block_o,  // both children, the left one in the low half
  output logic   parent_root_o,
  output logic   kept_o,          // the node was put away, or dropped
  output slot_t  kept_message_o
);
  typedef logic [MessageBits-1:0] index_t;

  // What a node's tag says, as far as it is needed here.
  typedef struct packed {
    slot_t      message;
    place_t     place;
    logic [5:0] level;
    logic       on_edge;
    mode_e      mode;
  } node_t;

  // ---- Three clocks before the value: how many chunks has the message? -------------------------
  logic   three_valid, two_valid_q, one_valid_q, valid_q;
  node_t  three, two_q, one_q, node_q;
  place_t last, two_row, one_row_q;

  assign three_valid = node_valid_i;
  assign three = '{
    message: node_tag_i.chunk.message,
    place:   node_tag_i.chunk.place,
    level:   node_tag_i.level,
    on_edge: node_tag_i.chunk.on_edge,
    mode:    node_tag_i.chunk.mode
  };
  logic unused_tag;
  assign unused_tag = ^{node_tag_i.kind, node_tag_i.block, node_tag_i.chunk.chunk,
                        node_tag_i.chunk.last_block, node_tag_i.chunk.last_bytes,
                        begin_message_i};

  field_core_memory #(
    .Width(PlaceBits),
    .Depth(Messages)
  ) u_lasts (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(index_t'(begin_message_i)),
    .write_data_i   (begin_last_i),
    .read_enable_i  (three_valid),
    .read_address_i (index_t'(three.message)),
    .read_data_o    (last)
  );

  // ---- Two clocks before: the place of its level's last node; the level on which an edge node is
  // odd. (A node on the edge whose place is 0 would be the root, which never comes here.)
  logic [5:0] two_zeros, one_zeros_q;
  assign two_row = last >> two_q.level;
  always_comb begin
    two_zeros = '0;
    for (int unsigned i = PlaceBits; i > 0; i--) if (two_q.place[i-1]) two_zeros = 6'(i - 1);
  end

  // ---- One clock before: where it goes.
  node_t one_raised;
  logic  one_left_of_edge, left_of_edge_q;
  always_comb begin
    one_raised = one_q;
    if (one_q.on_edge) begin
      one_raised.place = one_q.place >> one_zeros_q;
      one_raised.level = one_q.level + one_zeros_q;
    end
  end
  assign one_left_of_edge = !one_q.on_edge && !one_q.place[0] &&
                            one_row_q == (one_q.place | place_t'(1));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      two_valid_q <= 1'b0;
      one_valid_q <= 1'b0;
      valid_q     <= 1'b0;
    end else begin
      two_valid_q <= three_valid;
      one_valid_q <= two_valid_q;
      valid_q     <= one_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (three_valid) two_q <= three;
    if (two_valid_q) begin
      one_q       <= two_q;
      one_row_q   <= two_row;
      one_zeros_q <= two_zeros;
    end
    if (one_valid_q) begin
      node_q         <= one_raised;
      left_of_edge_q <= one_left_of_edge;
    end
  end

  // ---- The clock of the value: is the neighbour there? ------------------------------------------
  index_t              message;
  logic [Messages-1:0] stale_q;     // the message's marks are of an earlier one
  logic [Messages-1:0] waiting_q;   // its edge waits ...
  logic [5:0]          edge_level[Messages];  // ... on this level
  logic [PlaceBits-1:0] lefts[Messages];
  logic [PlaceBits-1:0] marks;
  logic                dropped, left_is_there, edge_is_there, meets, marks_left, waits, put;

  assign message       = index_t'(node_q.message);
  assign marks         = stale_q[message] ? '0 : lefts[message];
  assign left_is_there = marks[node_q.level];
  assign edge_is_there = waiting_q[message] && edge_level[message] == node_q.level;
  assign dropped       = drop_i && drop_message_i == node_q.message;

  always_comb begin
    if (node_q.on_edge) meets = left_is_there;
    else if (node_q.place[0]) meets = 1'b1;
    else meets = left_of_edge_q && edge_is_there;
  end
  assign marks_left = valid_q && left_of_edge_q && !edge_is_there;
  assign waits      = valid_q && node_q.on_edge && !left_is_there;
  assign put        = valid_q && (node_q.on_edge || !node_q.place[0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stale_q   <= '1;
      waiting_q <= '0;
    end else begin
      if (marks_left) stale_q[message] <= 1'b0;
      if (waits) waiting_q[message] <= 1'b1;
      if (begin_i) begin
        stale_q[index_t'(begin_message_i)]   <= 1'b1;
        waiting_q[index_t'(begin_message_i)] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (marks_left) lefts[message] <= marks | (PlaceBits'(1) << node_q.level);
    if (waits) edge_level[message] <= node_q.level;
  end

  // One memory for the stacks and the edges that wait: a node writes one word and reads one.
  value_t     neighbour;
  logic [5:0] write_level, read_level;
  assign write_level = node_q.on_edge ? EdgeLevel : node_q.level;
  assign read_level  = left_of_edge_q ? EdgeLevel : node_q.level;

  field_core_memory #(
    .Width($bits(value_t)),
    .Depth(Messages * Levels)
  ) u_stacks (
    .clk_i,
    .write_valid_i  (put),
    .write_address_i({message, write_level}),
    .write_data_i   (node_value_i),
    .read_enable_i  (valid_q && meets),
    .read_address_i ({message, read_level}),
    .read_data_o    (neighbour)
  );

  // ---- A clock later ----------------------------------------------------------------------------
  logic   joined_q, kept_q, is_left_q, root_q;
  node_t  parent_q;
  value_t value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      joined_q <= 1'b0;
      kept_q   <= 1'b0;
    end else begin
      joined_q <= valid_q && meets && !dropped;
      kept_q   <= valid_q && (!meets || dropped);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      parent_q <= '{
        message: node_q.message,
        place:   node_q.place >> 1,
        level:   node_q.level + 6'd1,
        on_edge: node_q.on_edge || left_of_edge_q,
        mode:    node_q.mode
      };
      root_q    <= (node_q.on_edge || left_of_edge_q) && node_q.place[PlaceBits-1:1] == '0;
      is_left_q <= left_of_edge_q;
      value_q   <= node_value_i;
    end
  end

  assign parent_valid_o = joined_q;
  assign parent_root_o  = root_q;
  assign parent_block_o = is_left_q ? {neighbour, value_q} : {value_q, neighbour};
  assign kept_o         = kept_q;
  assign kept_message_o = parent_q.message;
  always_comb begin
    parent_tag_o = '0;
    parent_tag_o.kind          = KindParent;
    parent_tag_o.level         = parent_q.level;
    parent_tag_o.chunk.message = parent_q.message;
    parent_tag_o.chunk.place   = parent_q.place;
    parent_tag_o.chunk.on_edge = parent_q.on_edge;
    parent_tag_o.chunk.mode    = parent_q.mode;
  end
endmodule
