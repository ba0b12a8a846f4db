// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_host_request: parses and checks ckks_memory_write, ckks_memory_read and ckks_run frames,
// eight bytes a beat.
//
//   beat 0 length, command   1 index   2 address
//   of a write:  3... data, checksum    of a read:  3 size   4 checksum    of a run:  3 checksum
//
// A command is offered when its frame is complete, with the first status below that applies. For a
// write with status ok, its data are then available at data_*, as a frame; the data of any other
// command are discarded, so that none of them reach the memory.
//
//   StatusWrongLength  a write's length: no data, too many or not whole words
//   StatusCorrupt      the checksum does not match
//   StatusWrongLength  a read's size: 0 or too large
//   StatusUnaligned    address or size is not a multiple of HostBytes, a job's address of JobBytes
//   StatusBeyond       the address range does not lie in the memory
//
// One beat a clock, and four clocks more for each frame. Data wait where the queue has no room.
module ckks_host_request
  import ckks_host_pkg::*;
#(
  parameter int unsigned MemoryBits = 34,
  parameter int unsigned QueueBeats = 4096  // of data: a power of two, at least MostData / 8
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  request_valid_i,
  output logic                  request_ready_o,
  input  logic [63:0]           request_data_i,
  input  logic                  request_last_i,

  output logic                  command_valid_o,
  input  logic                  command_ready_i,
  output kind_e                 command_kind_o,
  output status_e               command_status_o,
  output logic [63:0]           command_index_o,
  output logic [MemoryBits-1:0] command_address_o,
  output logic [SizeBits-1:0]   command_size_o,  // in bytes

  output logic                  data_valid_o,
  input  logic                  data_ready_i,
  output logic [63:0]           data_o,
  output logic                  data_last_o,
  output logic                  memory_error_o  // of the queue: a word with a flipped bit
);
  localparam logic [31:0] FixedBytes = 32'd32;  // of a write: header, index, address, checksum

  // ---- Beats -----------------------------------------------------------------------------------
  logic        valid, ready, last, taken;
  logic [63:0] data;
  stream_skid #(.DataWidth(65)) u_slice (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i(request_valid_i), .in_ready_o(request_ready_o),
    .in_data_i({request_last_i, request_data_i}), .out_valid_o(valid), .out_ready_i(ready),
    .out_data_o({last, data})
  );

  typedef enum logic [2:0] {
    BeatHeader, BeatIndex, BeatAddress, BeatBody, Measure, Judge, Keep, Offer
  } state_e;
  state_e      state_q;
  logic        queue_ready, held_q, takes_data;
  logic        length_bad_q, corrupt_q;  // length_bad_q from the clock after BeatIndex on
  logic [31:0] size_q;                   // of the data of a write, by the frame's length
  logic [63:0] address_q, asked_q, word_q;
  logic [31:0] crc_q, crc;

  // A beat in BeatBody other than the last: the data of a write, or the size of a read.
  assign takes_data = state_q == BeatBody && !last && command_kind_o == KindWrite && !length_bad_q;
  always_comb begin
    unique case (state_q)
      BeatHeader, BeatIndex, BeatAddress: ready = 1'b1;
      BeatBody: ready = !(takes_data && held_q) || queue_ready;
      default:  ready = 1'b0;
    endcase
  end
  assign taken = valid && ready;

  crc32c_beat u_crc (.state_i(crc_q), .data_i(data), .state_o(crc));

  status_e status_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= BeatHeader;
      crc_q   <= '1;
      held_q  <= 1'b0;
    end else begin
      if (taken) crc_q <= last ? '1 : crc;
      if (taken && takes_data) held_q <= 1'b1;
      unique case (state_q)
        BeatHeader:  if (taken) state_q <= last ? Measure : BeatIndex;
        BeatIndex:   if (taken) state_q <= last ? Measure : BeatAddress;
        BeatAddress: if (taken) state_q <= last ? Measure : BeatBody;
        BeatBody:    if (taken && last) state_q <= Measure;
        Measure:     state_q <= Judge;
        Judge:       state_q <= Keep;
        Keep: begin
          // The last word is pushed into the queue, or all words are taken back.
          if (queue_ready || !held_q || status_q != StatusOk) begin
            state_q <= Offer;
            held_q  <= 1'b0;
          end
        end
        default:     if (command_ready_i) state_q <= BeatHeader;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      corrupt_q <= data != {32'd0, ~crc_q};
      if (state_q == BeatHeader) command_kind_o <= kind_e'(data[33:32]);
      if (state_q == BeatHeader) size_q <= data[31:0] - FixedBytes;
      if (state_q == BeatIndex) command_index_o <= data;
      if (state_q == BeatIndex) begin
        length_bad_q <= size_q > 32'(MostData) || size_q == '0 || size_q[2:0] != '0;
      end
      if (state_q == BeatAddress) address_q <= data;
      if (takes_data) word_q <= data;
      if (state_q == BeatBody && !last) asked_q <= data;
    end
  end

  // ---- The request, from registers -------------------------------------------------------------
  logic [63:0]           size;
  logic                  whole_q, size_bad_q, unaligned_q, high_q;
  logic [MemoryBits:0]   end_q;
  logic [MemoryBits-1:0] address;
  always_comb begin
    unique case (command_kind_o)
      KindWrite: size = 64'(size_q);
      KindRead:  size = asked_q;
      default:   size = 64'(JobBytes);
    endcase
  end
  assign address = address_q[MemoryBits-1:0];
  always_ff @(posedge clk_i) begin
    if (state_q == Measure) begin
      size_bad_q  <= size > 64'(MostData) || size == '0;
      whole_q     <= !(command_kind_o == KindWrite && length_bad_q);
      unaligned_q <= (address_q[4:0] | size[4:0]) != '0
                  || (command_kind_o == KindRun && address_q[5]);
      high_q      <= (address_q >> MemoryBits) != '0;
      end_q       <= (MemoryBits + 1)'(address) + (MemoryBits + 1)'(size[SizeBits-1:0]);
      command_size_o <= size[SizeBits-1:0];
    end
    if (state_q == Judge) begin
      if (!whole_q) status_q <= StatusWrongLength;
      else if (corrupt_q) status_q <= StatusCorrupt;
      else if (size_bad_q) status_q <= StatusWrongLength;
      else if (unaligned_q) status_q <= StatusUnaligned;
      else if (high_q || end_q > {1'b1, MemoryBits'(0)}) status_q <= StatusBeyond;
      else status_q <= StatusOk;
    end
  end
  assign command_valid_o   = state_q == Offer;
  assign command_status_o  = status_q;
  assign command_address_o = address;

  // ---- Data, one word late, until they are checked ---------------------------------------------
  logic keeps, push;
  assign keeps = state_q == Keep && status_q == StatusOk;
  assign push  = held_q && ((valid && takes_data) || keeps);
  stream_frame_fifo #(.DataWidth(64), .Depth(QueueBeats), .Registered(1'b1)) u_data (
    .clk_i, .rst_ni, .flush_i(1'b0), .in_valid_i(push), .in_ready_o(queue_ready),
    .in_data_i(word_q), .in_last_i(keeps), .drop_i(state_q == Keep && status_q != StatusOk),
    .out_valid_o(data_valid_o), .out_ready_i(data_ready_i), .out_data_o(data_o),
    .out_last_o(data_last_o), .memory_error_o
  );
endmodule
