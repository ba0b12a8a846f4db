// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// blake3_tree: joins the chaining values of a message's chunks into those of its parents.
//
// The tree of n chunks is known when a message begins. Node p of level l has a right neighbor
// unless it is on the right edge, p == (n - 1) >> l. The nodes of a level arrive in order, except
// the one on the edge, which may arrive early because its chunk is shorter:
//
//   odd, not on the edge    its left neighbor is in the stack: the two are joined to a parent
//   even, not on the edge   goes into the stack, at [message][level]
//   on the edge             is the same node on every level up to the first on which its place is
//                           odd; there it meets its left neighbor, if that is in the stack, or
//                           waits for it at [message][EdgeLevel]
//
// So each result makes at most one parent, in the result's own turn, and nothing has to queue. A
// left neighbor of the edge is marked in `lefts`, one bit for each level of each message, because
// the stack's entry on another level may be an earlier node.
//
// The destination of a node does not depend on its value: it is decided in the clocks before the
// value arrives.
//
// Timing: the node's tag comes five clocks before its value, the parent one clock after the value.
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

  input  logic   node_valid_i,  // five clocks before its value
  input  tag_t   node_tag_i,
  input  value_t node_value_i,

  // Nodes of this message are dropped.
  input  logic   drop_i,
  input  slot_t  drop_message_i,

  // One of these, or none, a clock after the value.
  output logic   parent_valid_o,
  output tag_t   parent_tag_o,
  output block_t parent_block_o,  // both children, the left one in the low half
  output logic   parent_root_o,
  output logic   kept_o,          // the node was put away, or dropped
  output slot_t  kept_message_o,

  output logic   memory_error_o
);
  logic [3:0] errors;
  assign memory_error_o = errors != '0;

  typedef logic [MessageBits-1:0] index_t;

  // The fields of a node's tag that are needed here.
  typedef struct packed {
    slot_t      message;
    place_t     place;
    logic [5:0] level;
    logic       on_edge;
    mode_e      mode;
  } node_t;

  // ---- Five clocks before the value: the number of chunks of the message -----------------------
  logic   five_valid, four_valid_q, three_valid_q, two_valid_q, one_valid_q;
  node_t  five, four_q, three_q, two_q, one_q, node_q;
  place_t last, four_row, three_row_q;

  assign five_valid = node_valid_i;
  assign five = '{
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

  checked_memory #(
    .Width(PlaceBits),
    .Depth(Messages)
  ) u_lasts (
    .clk_i,
    .write_valid_i  (begin_i),
    .write_address_i(index_t'(begin_message_i)),
    .write_data_i   (begin_last_i),
    .read_enable_i  (five_valid),
    .read_address_i (index_t'(five.message)),
    .read_data_o    (last),
    .check_i        (four_valid_q),
    .error_o        (errors[0])
  );

  // ---- Four clocks before: the place of its level's last node; the level on which an edge node is
  // odd. (A node on the edge whose place is 0 would be the root, which never comes here.)
  place_t     four_lowest;  // only its lowest set bit
  logic [5:0] four_zeros, three_zeros_q;
  assign four_row    = last >> four_q.level;
  assign four_lowest = four_q.place & -four_q.place;
  always_comb begin
    four_zeros = '0;
    for (int unsigned i = 0; i < PlaceBits; i++) if (four_lowest[i]) four_zeros |= 6'(i);
  end

  // ---- Three clocks before: the destination.
  node_t three_raised;
  logic  three_left_of_edge, two_left_of_edge_q, one_left_of_edge_q, left_of_edge_q;
  always_comb begin
    three_raised = three_q;
    if (three_q.on_edge) begin
      three_raised.place = three_q.place >> three_zeros_q;
      three_raised.level = three_q.level + three_zeros_q;
    end
  end
  assign three_left_of_edge = !three_q.on_edge && !three_q.place[0] &&
                              three_row_q == (three_q.place | place_t'(1));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      four_valid_q  <= 1'b0;
      three_valid_q <= 1'b0;
      two_valid_q   <= 1'b0;
      one_valid_q   <= 1'b0;
    end else begin
      four_valid_q  <= five_valid;
      three_valid_q <= four_valid_q;
      two_valid_q   <= three_valid_q;
      one_valid_q   <= two_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (five_valid) four_q <= five;
    if (four_valid_q) begin
      three_q       <= four_q;
      three_row_q   <= four_row;
      three_zeros_q <= four_zeros;
    end
    if (three_valid_q) begin
      two_q              <= three_raised;
      two_left_of_edge_q <= three_left_of_edge;
    end
    if (two_valid_q) begin
      one_q              <= two_q;
      one_left_of_edge_q <= two_left_of_edge_q;
    end
    if (one_valid_q) begin
      node_q         <= one_q;
      left_of_edge_q <= one_left_of_edge_q;
    end
  end

  // ---- Two clocks before: the state of the message, including the update by the node ahead ------
  index_t               two_message, one_message, message;
  logic [Messages-1:0]  stale_q;     // the message's marks belong to an earlier one
  logic [Messages-1:0]  waiting_q;   // its edge waits ...
  logic [5:0]           edge_level[Messages];  // ... on this level
  logic [PlaceBits-1:0] lefts[Messages];
  logic [PlaceBits-1:0] marks, marks_q, new_mark_q, new_marks;
  logic                 follows_q;   // the node ahead belongs to the same message
  logic                 edge_is_there, edge_is_there_q;
  logic                 left_is_there, meets, marks_left, waits;

  assign two_message = index_t'(two_q.message);
  assign one_message = index_t'(one_q.message);
  assign message     = index_t'(node_q.message);

  always_comb begin
    if (follows_q && marks_left) marks = new_marks;
    else marks = stale_q[two_message] ? '0 : lefts[two_message];
    if (follows_q && waits) edge_is_there = one_q.level == two_q.level;
    else edge_is_there = waiting_q[two_message] && edge_level[two_message] == two_q.level;
  end

  always_ff @(posedge clk_i) begin
    follows_q <= two_valid_q && three_q.message == two_q.message;
    if (two_valid_q) begin
      marks_q         <= marks;
      edge_is_there_q <= edge_is_there;
      new_mark_q      <= PlaceBits'(1) << two_q.level;
    end
  end

  // ---- One clock before: presence of the neighbor ----------------------------------------------
  assign new_marks     = marks_q | new_mark_q;
  assign left_is_there = |(marks_q & new_mark_q);

  always_comb begin
    if (one_q.on_edge) meets = left_is_there;
    else if (one_q.place[0]) meets = 1'b1;
    else meets = one_left_of_edge_q && edge_is_there_q;
  end
  assign marks_left = one_valid_q && one_left_of_edge_q && !edge_is_there_q;
  assign waits      = one_valid_q && one_q.on_edge && !left_is_there;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stale_q   <= '1;
      waiting_q <= '0;
    end else begin
      if (marks_left) stale_q[one_message] <= 1'b0;
      if (waits) waiting_q[one_message] <= 1'b1;
      if (begin_i) begin
        stale_q[index_t'(begin_message_i)]   <= 1'b1;
        waiting_q[index_t'(begin_message_i)] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (marks_left) lefts[one_message] <= new_marks;
    if (waits) edge_level[one_message] <= one_q.level;
  end

  // The word that the node ahead is writing is not read.
  memory_parity #(
    .Width     (PlaceBits),
    .Depth     (Messages),
    .ReadClocks(0)
  ) u_lefts_parity (
    .clk_i,
    .write_valid_i  (marks_left),
    .write_address_i(one_message),
    .write_data_i   (new_marks),
    .read_enable_i  (1'b1),
    .read_address_i (two_message),
    .check_i        (two_valid_q && !(follows_q && marks_left) && !stale_q[two_message]),
    .data_i         (lefts[two_message]),
    .error_o        (errors[1])
  );
  memory_parity #(
    .Width     (6),
    .Depth     (Messages),
    .ReadClocks(0)
  ) u_edges_parity (
    .clk_i,
    .write_valid_i  (waits),
    .write_address_i(one_message),
    .write_data_i   (one_q.level),
    .read_enable_i  (1'b1),
    .read_address_i (two_message),
    .check_i        (two_valid_q && !(follows_q && waits) && waiting_q[two_message]),
    .data_i         (edge_level[two_message]),
    .error_o        (errors[2])
  );

  // ---- The clock of the value -------------------------------------------------------------------
  // One memory for the stacks and the edges that wait: a node writes one word and reads one.
  value_t     neighbor;
  logic       joined_q;
  logic       valid_q, meets_q, put_q, dropped;
  logic [5:0] write_level_q, read_level_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      meets_q <= 1'b0;
      put_q   <= 1'b0;
    end else begin
      valid_q <= one_valid_q;
      meets_q <= one_valid_q && meets;
      put_q   <= one_valid_q && (one_q.on_edge || !one_q.place[0]);
    end
  end
  always_ff @(posedge clk_i) begin
    write_level_q <= one_q.on_edge ? EdgeLevel : one_q.level;
    read_level_q  <= one_left_of_edge_q ? EdgeLevel : one_q.level;
  end

  assign dropped = drop_i && drop_message_i == node_q.message;

  checked_memory #(
    .Width($bits(value_t)),
    .Depth(Messages * Levels)
  ) u_stacks (
    .clk_i,
    .write_valid_i  (put_q),
    .write_address_i({message, write_level_q}),
    .write_data_i   (node_value_i),
    .read_enable_i  (meets_q),
    .read_address_i ({message, read_level_q}),
    .read_data_o    (neighbor),
    .check_i        (joined_q),
    .error_o        (errors[3])
  );

  // ---- A clock later ----------------------------------------------------------------------------
  logic   kept_q, is_left_q, root_q;
  node_t  parent_q;
  value_t value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      joined_q <= 1'b0;
      kept_q   <= 1'b0;
    end else begin
      joined_q <= meets_q && !dropped;
      kept_q   <= valid_q && (!meets_q || dropped);
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
  assign parent_block_o = is_left_q ? {neighbor, value_q} : {value_q, neighbor};
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
