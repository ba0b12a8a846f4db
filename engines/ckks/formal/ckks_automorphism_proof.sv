// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_automorphism_proof: the exchanges are the permutation X -> X^g of values, for every odd g: a
// job reads and writes each row once, and each written word is the one that was read at place g * x
// + (g-1)/2 of the source, modulo N, where x is its own place; both in their banks. The words may
// be taken late, and the next job may begin after the last read.
module ckks_automorphism_proof
  import ckks_pkg::*;
#(
  parameter int unsigned LogLanes = 2,
  parameter int unsigned LogDegree = 4,
  parameter bit          Invariants = 1'b1,
  localparam int unsigned Lanes = 1 << LogLanes,
  localparam int unsigned RowBits = LogDegree - LogLanes,
  localparam int unsigned AddressBits = RowBits + 1  // two slots
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 job_valid_i,
  input logic [LogDegree:0]   job_exponent_i,
  input logic                 job_source_i,
  input logic                 read_ready_i,
  input residue_t [Lanes-1:0] read_word_i
);
  localparam int unsigned WriteClocks = 2 + LogLanes;
  typedef logic [RowBits-1:0]   row_t;
  typedef logic [LogLanes-1:0]  lane_t;
  typedef logic [LogDegree-1:0] place_t;

  logic                   job_ready, done_valid, done_tag, read_valid, write_valid;
  logic [AddressBits-1:0] read_row, write_row;
  residue_t [Lanes-1:0]   write_word;
  ckks_automorphism #(
    .LogLanes(LogLanes), .MaxLogDegree(LogDegree), .AddressBits(AddressBits), .TagBits(1)
  ) u_dut (
    .clk_i, .rst_ni, .log_degree_i($clog2(LogDegree + 1)'(LogDegree)),
    .job_valid_i, .job_ready_o(job_ready), .job_exponent_i,
    .job_source_i({job_source_i, RowBits'(0)}), .job_result_i({!job_source_i, RowBits'(0)}),
    .job_tag_i(1'b0), .done_valid_o(done_valid), .done_tag_o(done_tag),
    .read_valid_o(read_valid), .read_ready_i, .read_row_o(read_row), .read_word_i,
    .write_valid_o(write_valid), .write_row_o(write_row), .write_word_o(write_word)
  );

  proof_reset u_reset (.rst_ni);
  proof_stable #(.DataWidth(AddressBits)) u_stable (
    .clk_i, .rst_ni, .free_i(1'b0), .valid_i(read_valid), .ready_i(read_ready_i), .data_i(read_row)
  );
  always_comb assume (job_exponent_i[0]);

  // ---- The permutation, as it is defined -----------------------------------------------------------
  function automatic place_t reversed_place(input place_t place);
    for (int unsigned i = 0; i < LogDegree; i++) reversed_place[i] = place[LogDegree-1-i];
  endfunction
  function automatic row_t reversed_count(input row_t count);
    for (int unsigned i = 0; i < RowBits; i++) reversed_count[i] = count[RowBits-1-i];
  endfunction
  function automatic lane_t fold(input row_t row);
    fold = '0;
    for (int unsigned i = 0; i < RowBits; i++) fold[i%LogLanes] ^= row[i];
  endfunction
  function automatic place_t source_of(input place_t index, input logic [LogDegree:0] exponent);
    place_t sum;
    sum = place_t'(exponent) * reversed_place(index) + exponent[LogDegree:1];
    return reversed_place(sum);
  endfunction

  // ---- The job, and the number of the row that is offered ------------------------------------------
  typedef struct packed {
    logic [LogDegree:0] exponent;
    logic               source;
    row_t               count;
  } read_t;
  read_t job_q, at_write;
  logic  open_q;  // rows are to be read
  logic  takes, reads;
  assign takes = job_valid_i && job_ready;
  assign reads = read_valid && read_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      job_q  <= '0;
    end else if (takes) begin
      open_q <= 1'b1;
      job_q  <= '{exponent: job_exponent_i, source: job_source_i, count: '0};
    end else if (reads) begin
      open_q      <= job_q.count != '1;
      job_q.count <= job_q.count + 1'b1;
    end
  end
  pipeline_delay #(.DataWidth($bits(read_t)), .Stages(WriteClocks)) u_read (
    .clk_i, .data_i(job_q), .data_o(at_write)
  );
  logic writes;
  valid_delay #(.Stages(WriteClocks)) u_writes (
    .clk_i, .rst_ni, .valid_i(reads), .valid_o(writes)
  );
  residue_t [Lanes-1:0] word;
  pipeline_delay #(.DataWidth(Lanes * ResidueBits), .Stages(LogLanes)) u_word (
    .clk_i, .data_i(read_word_i), .data_o(word)
  );

  place_t first;
  always_comb begin
    first = source_of({reversed_count(job_q.count), LogLanes'(0)}, job_q.exponent);
    if (rst_ni) begin
      if (read_valid) begin
        assert (open_q);
        assert (read_row == {job_q.source, first[LogDegree-1:LogLanes]});
      end
      if (takes) assert (!open_q || (reads && job_q.count == '1));
      assert (write_valid == writes);
      assert (done_valid == (writes && at_write.count == '1));
      if (writes) begin
        assert (write_row == {!at_write.source, reversed_count(at_write.count)});
        for (int unsigned bank = 0; bank < Lanes; bank++) begin
          place_t from;
          from = source_of({reversed_count(at_write.count),
                            lane_t'(bank) ^ fold(reversed_count(at_write.count))},
                           at_write.exponent);
          assert (write_word[bank]
                  == word[from[LogLanes-1:0] ^ fold(from[LogDegree-1:LogLanes])]);
        end
      end
      cover (done_valid && at_write.exponent == '1);
    end
  end

  if (Invariants) begin : gen_invariants
    function automatic lane_t reversed_lane(input lane_t lane);
      for (int unsigned i = 0; i < LogLanes; i++) reversed_lane[i] = lane[LogLanes-1-i];
    endfunction
    // Rows that are issued and not read yet: at most one.
    row_t   issued, to_row;
    place_t offered;
    assign issued  = u_dut.count_q - row_t'(u_dut.row_valid_q);
    assign to_row  = reversed_count(job_q.count);
    assign offered = place_t'(job_q.exponent) * place_t'(job_q.count)
                   + job_q.exponent[LogDegree:1];
    always_comb begin
      if (rst_ni) begin
        assert (u_dut.row_valid_q == read_valid);
        if (open_q) assert (job_q.exponent[0]);
        if (u_dut.row_valid_q) begin
          assert (u_dut.carry_q == offered[LogDegree-1:RowBits]);
          assert (u_dut.fold_to_q == reversed_lane(fold(to_row)));
          assert (u_dut.fold_both_q
                  == reversed_lane(fold(to_row) ^ fold(first[LogDegree-1:LogLanes])));
          assert (u_dut.end_q == {job_q.count == '1, 1'b0, !job_q.source, to_row});
        end
        if (u_dut.row_valid_q || (u_dut.busy_q && u_dut.setup_q == '0)) begin
          for (int unsigned s = 0; s < Lanes / 2; s++) begin
            assert (u_dut.multiple_q[s] == lane_t'(job_q.exponent[LogLanes-1:0] * s));
          end
        end
        if (u_dut.busy_q) begin
          assert (open_q);
          assert (issued == job_q.count);
          assert (u_dut.exponent_q == place_t'(job_q.exponent));
          assert (u_dut.source_q == {job_q.source, RowBits'(0)});
          assert (u_dut.result_q == {!job_q.source, RowBits'(0)});
          assert (u_dut.place_q == place_t'(job_q.exponent) * place_t'(u_dut.count_q)
                  + job_q.exponent[LogDegree:1]);
          assert (u_dut.tag_q == 1'b0);
          if (u_dut.row_valid_q) assert (u_dut.count_q != '0);
          assert (u_dut.setup_q <= LogLanes + 1);
          if (u_dut.setup_q != '0) assert (!u_dut.row_valid_q && u_dut.count_q == '0);
        end else begin
          assert (open_q == u_dut.row_valid_q);
          if (u_dut.row_valid_q) assert (job_q.count == '1);
        end
      end
    end
  end
endmodule
