// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// register_file: the card's 32-bit registers (docs/card.md), read and written by two requesters: 0,
// the control engine on behalf of the stream, which has priority, and 1, AXI4-Lite. The shell's
// registers are here, by card_pkg's tables; those of an engine are in its engine_window, which
// receives every access one clock after it is accepted and answers two clocks later. A request is
// answered four clocks after it is accepted: it is registered, its register is decoded, the value
// is read, and the answers are combined. Reading the low word of a 64-bit counter freezes its high
// word for that requester, so that each requester reads a consistent pair.
module register_file
  import card_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [1:0]        request_valid_i,
  output logic [1:0]        request_ready_o,
  input  logic [1:0]        request_write_i,
  input  logic [1:0][31:0]  request_address_i,  // in bytes
  input  logic [1:0][31:0]  request_value_i,
  output logic [1:0]        response_valid_o,   // accepted at once by the requester
  output logic [31:0]       response_value_o,   // 0 for a write, or unless the status is ok
  output logic [31:0]       response_status_o,  // card_pkg::Register{Ok,NoSuchRegister,ReadOnly}

  output logic              soft_reset_o,       // bit 0 of `control` was written, one clock

  input  logic [RegisterWords-1:0][31:0] words_i,
  input  logic [RegisterPairs-1:0][63:0] pairs_i,

  output logic                            window_valid_o,
  output window_request_t                 window_o,
  input  window_reply_t [EnginePorts-1:0] window_i
);
  // ---- the request ----
  logic            source;
  logic [1:0]      requester, requester_q;
  window_request_t request, held_q;
  assign source = !request_valid_i[0];
  assign request_ready_o = {!request_valid_i[0], 1'b1};
  assign requester = request_valid_i & request_ready_o;
  assign request = '{
    requester: source, write: request_write_i[source],
    address: request_address_i[source], value: request_value_i[source]
  };
  assign window_valid_o = requester_q != '0;
  assign window_o = held_q;

  // ---- its register: the shell's registers are below the windows, so a few bits of the address
  // decide ----
  localparam int unsigned OffsetBits = 12;
  logic [OffsetBits-1:0] offset;
  assign offset = held_q.address[OffsetBits-1:0];

  typedef struct packed {
    logic [1:0]               requester;  // one bit of the two
    logic                     write;
    logic                     value;    // bit 0 of the written value
    logic                     shell;    // the address is below the windows, as all below assume
    logic                     control;  // it is the register `control`, the only one that can be
    logic [RegisterWords-1:0] is_word;
    logic [RegisterPairs-1:0] is_low;
    logic [RegisterPairs-1:0] is_high;
  } found_t;

  found_t found, found_q;
  always_comb begin
    found = '{
      requester: requester_q, write: held_q.write, value: held_q.value[0],
      shell: held_q.address[31:OffsetBits] == '0, control: offset == OffsetBits'(RegisterControl),
      default: '0
    };
    for (int unsigned i = 0; i < RegisterWords; i++) begin
      found.is_word[i] = offset == OffsetBits'(WordRules[i].low);
    end
    for (int unsigned i = 0; i < RegisterPairs; i++) begin
      found.is_low[i] = offset == OffsetBits'(PairRules[i].low);
      found.is_high[i] = offset == OffsetBits'(PairRules[i].high);
    end
  end

  // ---- its value ----
  logic [1:0][RegisterPairs-1:0][31:0] high_q;  // the high words that each requester has frozen
  logic          number, exists;
  logic [31:0]   value;
  logic [1:0]    answered_q;
  window_reply_t own, own_q, gathered;
  assign number = found_q.requester[1];

  always_comb begin
    value = '0;
    for (int unsigned i = 0; i < RegisterWords; i++) value |= words_i[i] & {32{found_q.is_word[i]}};
    for (int unsigned i = 0; i < RegisterPairs; i++) begin
      value |= pairs_i[i][31:0] & {32{found_q.is_low[i]}};
      value |= high_q[number][i] & {32{found_q.is_high[i]}};
    end
    exists = found_q.shell && |{found_q.is_word, found_q.is_low, found_q.is_high};
    own = '{
      exists: exists,
      refused: exists && found_q.write && !found_q.control,
      value: found_q.write || !found_q.shell ? '0 : value
    };
  end

  // ---- the answer: at most one of the blocks has the register ----
  always_comb begin
    gathered = own_q;
    for (int unsigned p = 0; p < EnginePorts; p++) gathered |= window_i[p];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      requester_q <= '0;
      found_q <= '0;
      answered_q <= '0;
      response_valid_o <= '0;
      soft_reset_o <= 1'b0;
      high_q <= '0;
    end else begin
      requester_q <= requester;
      found_q <= found;
      answered_q <= found_q.requester;
      response_valid_o <= answered_q;
      soft_reset_o <= found_q.requester != '0 && found_q.write && found_q.shell
          && found_q.control && found_q.value;
      for (int unsigned i = 0; i < RegisterPairs; i++) begin
        if (found_q.requester != '0 && found_q.shell && !found_q.write && found_q.is_low[i]) begin
          high_q[number][i] <= pairs_i[i][63:32];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    held_q <= request;
    own_q <= own;
    response_value_o <= gathered.value;
    response_status_o <= !gathered.exists ? RegisterNoSuchRegister
        : gathered.refused ? RegisterReadOnly : RegisterOk;
  end
endmodule
