// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// register_file_proof: each accepted request is answered four clocks later, only to its requester,
// as docs/card.md specifies: the register's value two clocks after the request; for the high word
// of a pair, the value when this requester last read the low word; a refusal of a write to a
// read-only register; `no such register` if neither a table nor a window has the address. Only a
// write of bit 0 to `control` causes a soft reset. Assumed: a window answers only if the tables
// have no register.
module register_file_proof
  import card_pkg::*;
#(
  parameter bit Invariants = 1'b1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [1:0]       request_valid_i,
  input logic [1:0]       request_write_i,
  input logic [1:0][31:0] request_address_i,
  input logic [1:0][31:0] request_value_i,
  input logic [RegisterWords-1:0][31:0] words_i,
  input logic [RegisterPairs-1:0][63:0] pairs_i,
  input window_reply_t    window_i
);
  logic [1:0]      ready, response_valid;
  logic [31:0]     response_value, response_status;
  logic            soft_reset, window_valid;
  window_request_t window;
  window_reply_t [EnginePorts-1:0] windows;

  always_comb begin
    windows = '0;
    windows[EnginePorts-1] = window_i;
  end

  register_file u_dut (
    .clk_i, .rst_ni, .request_valid_i, .request_ready_o(ready), .request_write_i,
    .request_address_i, .request_value_i, .response_valid_o(response_valid),
    .response_value_o(response_value), .response_status_o(response_status),
    .soft_reset_o(soft_reset), .words_i, .pairs_i, .window_valid_o(window_valid),
    .window_o(window), .window_i(windows)
  );

  proof_reset u_reset (.rst_ni);

  // ---- the requests of the last clocks, the newest first ----
  typedef struct packed {
    logic [1:0]  by;
    logic        write;
    logic [31:0] address;
    logic [31:0] value;
  } taken_t;
  taken_t now, before1_q, before2_q, before3_q;
  logic [1:0] before4_q;

  assign now.by = request_valid_i & ready;
  assign now.write = now.by[1] ? request_write_i[1] : request_write_i[0];
  assign now.address = now.by[1] ? request_address_i[1] : request_address_i[0];
  assign now.value = now.by[1] ? request_value_i[1] : request_value_i[0];

  // ---- the expected answer to the second last request ----
  logic [1:0][RegisterPairs-1:0][31:0] high_q;
  logic          exists;
  logic [31:0]   value;
  window_reply_t answer_q, gathered, gathered_q;

  always_comb begin
    exists = 1'b0;
    value = '0;
    for (int unsigned i = 0; i < RegisterWords; i++) begin
      if (before2_q.address == WordRules[i].low) {exists, value} = {1'b1, words_i[i]};
    end
    for (int unsigned i = 0; i < RegisterPairs; i++) begin
      if (before2_q.address == PairRules[i].low) {exists, value} = {1'b1, pairs_i[i][31:0]};
      if (before2_q.address == PairRules[i].high) begin
        {exists, value} = {1'b1, high_q[before2_q.by[1]][i]};
      end
    end
    gathered = answer_q.exists ? answer_q : window_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {before1_q, before2_q, before3_q, before4_q} <= '0;
      high_q <= '0;
    end else begin
      {before1_q, before2_q, before3_q, before4_q} <= {now, before1_q, before2_q, before3_q.by};
      for (int unsigned i = 0; i < RegisterPairs; i++) begin
        if (!before2_q.write && before2_q.address == PairRules[i].low) begin
          if (before2_q.by[0]) high_q[0][i] <= pairs_i[i][63:32];
          if (before2_q.by[1]) high_q[1][i] <= pairs_i[i][63:32];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    answer_q <= '{
      exists: exists,
      refused: exists && before2_q.write && before2_q.address != RegisterControl,
      value: before2_q.write ? '0 : value
    };
    gathered_q <= gathered;
  end

  always_comb begin
    assume (!answer_q.exists || window_i == '0);
    if (rst_ni) begin
      assert (now.by != 2'b11);
      assert (!request_valid_i[0] || ready[0]);
      assert (response_valid == before4_q);
      if (before4_q != '0) begin
        assert (response_value == gathered_q.value);
        assert (response_status == (!gathered_q.exists ? RegisterNoSuchRegister
                                    : gathered_q.refused ? RegisterReadOnly : RegisterOk));
      end
      assert (soft_reset == (before3_q.by != '0 && before3_q.write && before3_q.value[0]
                             && before3_q.address == RegisterControl));
      assert (window_valid == (before1_q.by != '0));
      assert (!window_valid || (window.requester == before1_q.by[1]
          && window.write == before1_q.write && window.address == before1_q.address
          && window.value == before1_q.value));

      cover (soft_reset);
      cover (response_valid[1] && response_status == RegisterReadOnly);
      cover (response_valid[0] && gathered_q.exists && response_value != '0
             && before4_q == 2'b01);
    end
  end

  if (Invariants) begin : gen_invariants
    always_comb if (rst_ni) assert (u_dut.high_q == high_q);
  end
endmodule
