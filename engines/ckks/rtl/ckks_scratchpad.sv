// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_scratchpad: the slots of limbs: 2^AddressBits rows of Lanes banks, in 2^LogPartitions
// partitions by the highest bits of the row. Each clock, each partition reads a row and writes a
// row, so that units whose limbs lie in different partitions do not conflict.
//
// The transforms' port has an address for each bank, all in one partition, and never waits. The
// other ports address whole rows; of those that need the same partition, the one of the lowest
// number is served, and the others wait for their ready. A write may cover only some groups of
// lanes, as beats of the memory do.
//
// Each word has a parity bit. error_o reports a row that was read 4 clocks before and has a word in
// which an odd number of bits changed. Rows that were never written must not be read.
//
// Cycles: a row that is taken in clock t comes in clock t + 2; one that is written in clock t is
// read by addresses of clock t + 1 and later. Memory: 31 bits a word. With Pairs, the transforms'
// addresses of banks b and b + Lanes / 2 are always the same, and the two are one memory
// (ckks_bank_pair). UltraBanks of each partition's banks are UltraRAM, and the others block memory.
module ckks_scratchpad
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes      = 3,
  parameter  int unsigned AddressBits   = 12,
  parameter  int unsigned LogPartitions = 2,
  parameter  bit          Pairs         = 1'b0,
  parameter  int unsigned UltraBanks    = 0,
  parameter  int unsigned ReadPorts     = 5,
  parameter  int unsigned WritePorts    = 5,
  localparam int unsigned Lanes         = 1 << LogLanes,
  localparam int unsigned Groups        = arith_pkg::ceil_div(Lanes, 16),
  localparam int unsigned Partitions    = 1 << LogPartitions
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,

  input  logic                                    own_read_valid_i,
  input  logic [Lanes-1:0][AddressBits-1:0]       own_read_row_i,
  output residue_t [Lanes-1:0]                    own_read_word_o,
  input  logic                                    own_write_valid_i,
  input  logic [Lanes-1:0][AddressBits-1:0]       own_write_row_i,
  input  residue_t [Lanes-1:0]                    own_write_word_i,

  input  logic [ReadPorts-1:0]                    read_valid_i,
  output logic [ReadPorts-1:0]                    read_ready_o,
  input  logic [ReadPorts-1:0][AddressBits-1:0]   read_row_i,
  output residue_t [ReadPorts-1:0][Lanes-1:0]     read_word_o,

  input  logic [WritePorts-1:0]                   write_valid_i,
  output logic [WritePorts-1:0]                   write_ready_o,
  input  logic [WritePorts-1:0][AddressBits-1:0]  write_row_i,
  input  logic [WritePorts-1:0][Groups-1:0]       write_groups_i,
  input  residue_t [WritePorts-1:0][Lanes-1:0]    write_word_i,

  output logic                                    error_o
);
  localparam int unsigned RowBits   = AddressBits - LogPartitions;  // in a partition
  localparam int unsigned GroupSize = arith_pkg::minimum(Lanes, 16);
  typedef logic [RowBits-1:0]       row_t;
  typedef logic [LogPartitions-1:0] partition_t;

  function automatic partition_t partition_of(input logic [AddressBits-1:0] row);
    return partition_t'(row >> RowBits);
  endfunction

  // ---- The owner of each partition: the transforms, else the port of the lowest number ---------
  // A port gets its partition if no earlier port requests the same one. It does not matter whether
  // that port itself waits, since another one then has the partition. No choice therefore depends
  // on an earlier one.
  logic [Partitions-1:0]                 own_reads, own_writes;
  logic [Partitions-1:0][ReadPorts-1:0]  read_wants, reads;    // of the second one at most
  logic [Partitions-1:0][WritePorts-1:0] write_wants, writes;
  always_comb begin
    for (int unsigned p = 0; p < Partitions; p++) begin
      own_reads[p]  = own_read_valid_i && partition_of(own_read_row_i[0]) == partition_t'(p);
      own_writes[p] = own_write_valid_i && partition_of(own_write_row_i[0]) == partition_t'(p);
      for (int unsigned r = 0; r < ReadPorts; r++) begin
        read_wants[p][r] = read_valid_i[r] && partition_of(read_row_i[r]) == partition_t'(p);
        reads[p][r]      = read_wants[p][r] && !own_reads[p]
                        && (read_wants[p] & ReadPorts'((1 << r) - 1)) == '0;
      end
      for (int unsigned w = 0; w < WritePorts; w++) begin
        write_wants[p][w] = write_valid_i[w] && partition_of(write_row_i[w]) == partition_t'(p);
        writes[p][w]      = write_wants[p][w] && !own_writes[p]
                         && (write_wants[p] & WritePorts'((1 << w) - 1)) == '0;
      end
    end
  end
  // The same condition without the partitions in between: port by port.
  always_comb begin
    for (int unsigned r = 0; r < ReadPorts; r++) begin
      read_ready_o[r] = read_valid_i[r] && !(own_read_valid_i
          && partition_of(own_read_row_i[0]) == partition_of(read_row_i[r]));
      for (int unsigned ahead = 0; ahead < r; ahead++) begin
        if (read_valid_i[ahead]
            && partition_of(read_row_i[ahead]) == partition_of(read_row_i[r])) begin
          read_ready_o[r] = 1'b0;
        end
      end
    end
    for (int unsigned w = 0; w < WritePorts; w++) begin
      write_ready_o[w] = write_valid_i[w] && !(own_write_valid_i
          && partition_of(own_write_row_i[0]) == partition_of(write_row_i[w]));
      for (int unsigned ahead = 0; ahead < w; ahead++) begin
        if (write_valid_i[ahead]
            && partition_of(write_row_i[ahead]) == partition_of(write_row_i[w])) begin
          write_ready_o[w] = 1'b0;
        end
      end
    end
  end

  // A word's parity is computed at its port, in parallel with the choice of the port.
  logic [Lanes-1:0]                 own_parity;
  logic [WritePorts-1:0][Lanes-1:0] parity;
  always_comb begin
    for (int unsigned b = 0; b < Lanes; b++) begin
      own_parity[b] = ^own_write_word_i[b];
      for (int unsigned w = 0; w < WritePorts; w++) parity[w][b] = ^write_word_i[w][b];
    end
  end

  // ---- The banks -------------------------------------------------------------------------------
  residue_t [Partitions-1:0][Lanes-1:0] words;
  logic [Partitions-1:0][Lanes-1:0]     wrong_q;
  for (genvar p = 0; p < Partitions; p++) begin : gen_partition
    row_t                 read_row, write_row;
    residue_t [Lanes-1:0] write_word;
    logic [Lanes-1:0]     write_parity;
    logic [Groups-1:0]    write_groups;
    // One of the ports, or the transforms' own.
    always_comb begin
      {read_row, write_row, write_word, write_parity, write_groups} = '0;
      for (int unsigned r = 0; r < ReadPorts; r++) begin
        if (reads[p][r]) read_row |= row_t'(read_row_i[r]);
      end
      for (int unsigned w = 0; w < WritePorts; w++) begin
        if (writes[p][w]) begin
          write_row    |= row_t'(write_row_i[w]);
          write_word   |= write_word_i[w];
          write_parity |= parity[w];
          write_groups |= write_groups_i[w];
        end
      end
    end

    logic [1:0] read_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) read_q <= '0;
      else read_q <= {read_q[0], own_reads[p] || read_wants[p] != '0};
    end

    // ---- Its words, each with its parity on top ------------------------------------------------
    typedef logic [ResidueBits:0] bank_word_t;
    logic [Lanes-1:0]       writes_bank;
    row_t [Lanes-1:0]       bank_read_row, bank_write_row;
    bank_word_t [Lanes-1:0] written, stored;
    always_comb begin
      for (int unsigned b = 0; b < Lanes; b++) begin
        writes_bank[b]    = own_writes[p] || write_groups[b/GroupSize];
        bank_read_row[b]  = own_reads[p] ? row_t'(own_read_row_i[b]) : read_row;
        bank_write_row[b] = own_writes[p] ? row_t'(own_write_row_i[b]) : write_row;
        written[b]        = own_writes[p] ? {own_parity[b], own_write_word_i[b]}
                                          : {write_parity[b], write_word[b]};
        words[p][b]       = stored[b][ResidueBits-1:0];
      end
    end
    if (Pairs) begin : gen_pairs
      logic unused_rows;
      assign unused_rows = ^{bank_read_row[Lanes-1:Lanes/2], bank_write_row[Lanes-1:Lanes/2]};
      for (genvar b = 0; b < Lanes / 2; b++) begin : gen_pair
        ckks_bank_pair #(
          .Width(ResidueBits + 1), .Depth(1 << RowBits),
          .MemoryStyle(2 * b < UltraBanks ? "ultra" : "block")
        ) u_pair (
          .clk_i, .write_valid_i({writes_bank[b+Lanes/2], writes_bank[b]}),
          .write_address_i(bank_write_row[b]), .write_data_i({written[b+Lanes/2], written[b]}),
          .read_address_i(bank_read_row[b]), .read_data_o({stored[b+Lanes/2], stored[b]})
        );
      end
    end else begin : gen_banks
      for (genvar b = 0; b < Lanes; b++) begin : gen_bank
        field_core_memory #(
          .Width(ResidueBits + 1), .Depth(1 << RowBits), .OutputRegister(1'b1),
          .MemoryStyle(b < UltraBanks ? "ultra" : "block")
        ) u_bank (
          .clk_i, .write_valid_i(writes_bank[b]), .write_address_i(bank_write_row[b]),
          .write_data_i(written[b]), .read_enable_i(1'b1), .read_address_i(bank_read_row[b]),
          .read_data_o(stored[b])
        );
      end
    end
    always_ff @(posedge clk_i) begin
      for (int unsigned b = 0; b < Lanes; b++) wrong_q[p][b] <= read_q[1] && ^stored[b];
    end
  end

  // ---- Words to the requesters -----------------------------------------------------------------
  partition_t                 own_from;
  partition_t [ReadPorts-1:0] from;
  pipeline_delay #(.DataWidth(LogPartitions), .Stages(2)) u_own_from (
    .clk_i, .data_i(partition_of(own_read_row_i[0])), .data_o(own_from)
  );
  assign own_read_word_o = words[own_from];
  for (genvar r = 0; r < ReadPorts; r++) begin : gen_from
    pipeline_delay #(.DataWidth(LogPartitions), .Stages(2)) u_from (
      .clk_i, .data_i(partition_of(read_row_i[r])), .data_o(from[r])
    );
    assign read_word_o[r] = words[from[r]];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else error_o <= wrong_q != '0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) if (rst_ni) begin
    for (int unsigned b = 1; b < Lanes; b++) begin
      assert (!own_read_valid_i
              || partition_of(own_read_row_i[b]) == partition_of(own_read_row_i[0]));
      assert (!own_write_valid_i
              || partition_of(own_write_row_i[b]) == partition_of(own_write_row_i[0]));
      if (Pairs && b >= Lanes / 2) begin
        assert (!own_read_valid_i || own_read_row_i[b] == own_read_row_i[b-Lanes/2]);
        assert (!own_write_valid_i || own_write_row_i[b] == own_write_row_i[b-Lanes/2]);
      end
    end
  end
`endif
  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int unsigned b = 1; b < Lanes; b++) begin
      unused ^= ^{partition_of(own_read_row_i[b]), partition_of(own_write_row_i[b])};
    end
  end
endmodule
