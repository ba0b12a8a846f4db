// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// equihash_duplicates: checks whether an index occurs twice in a solution. The indices are sorted
// by merging, with one step per level of the tree, and neighbors are compared. Exact for every
// input, at a constant rate of one index a clock.
//
// The verdict comes once all of a solution's indices have left its last step. For sets with fewer
// levels this may precede the verdicts of earlier solutions. verdict_* are indexed by depth, with
// depth 1 in place 0.
module equihash_duplicates
  import equihash_pkg::*;
#(
  parameter logic [MostSets-1:0] Built = 4'b0001
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       index_valid_i,
  input  leaf_t      index_i,

  output logic  [MaxLevels-1:0] verdict_valid_o,
  output slot_t [MaxLevels-1:0] verdict_slot_o,
  output logic  [MaxLevels-1:0] verdict_duplicate_o,
  output logic       memory_error_o
);
  localparam int unsigned Levels = most_levels(Built);

  logic [Levels:1] errors;
  assign memory_error_o = errors != '0;

  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    logic  valid, goes_on;
    leaf_t leaf;

    if (l == 0) begin : gen_indices
      assign valid   = index_valid_i;
      assign leaf    = index_i;
      assign goes_on = valid;
    end else begin : gen_merge
      equihash_merge #(.Run(1 << (l - 1))) u_merge (
        .clk_i,
        .rst_ni,
        .valid_i(gen_level[l-1].goes_on),
        .leaf_i (gen_level[l-1].leaf),
        .valid_o(valid),
        .leaf_o (leaf),
        .memory_error_o(errors[l])
      );
      assign goes_on = valid && !ends(leaf.set, l);

      if (some_ends(Built, l)) begin : gen_compare
        logic [l-1:0] place_q;  // of the next index, in sorted order
        logic         found_q, found;
        index_t       before_q;

        assign found = place_q != '0 && (found_q || leaf.index == before_q);

        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) begin
            place_q              <= '0;
            verdict_valid_o[l-1] <= 1'b0;
          end else begin
            if (valid && ends(leaf.set, l)) place_q <= place_q + l'(1);
            verdict_valid_o[l-1] <= valid && ends(leaf.set, l) && (&place_q);
          end
        end
        always_ff @(posedge clk_i) begin
          if (valid && ends(leaf.set, l)) begin
            before_q                 <= leaf.index;
            found_q                  <= found;
            verdict_slot_o[l-1]      <= leaf.slot;
            verdict_duplicate_o[l-1] <= found;
          end
        end
      end else begin : gen_deeper
        assign verdict_valid_o[l-1]     = 1'b0;
        assign verdict_slot_o[l-1]      = '0;
        assign verdict_duplicate_o[l-1] = 1'b0;
      end
    end
  end

  for (genvar l = Levels; l < MaxLevels; l++) begin : gen_absent
    assign verdict_valid_o[l]     = 1'b0;
    assign verdict_slot_o[l]      = '0;
    assign verdict_duplicate_o[l] = 1'b0;
  end

  logic unused;
  assign unused = gen_level[Levels].goes_on ^ (^gen_level[Levels].leaf);
endmodule
