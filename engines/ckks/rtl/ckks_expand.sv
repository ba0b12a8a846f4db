// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// ckks_expand: uniform limbs from seeds: the residues modulo q are the words of a ChaCha20 stream,
// cut to q's bits, that are below q (engines/ckks/src/sampling/uniform.rs). The public half of a
// key is therefore 32 bytes of memory, and needs no memory bandwidth.
//
// A limb is written in groups of Words lanes; a row has Lanes / Words groups. Each clock writes
// Words residues of one row and group to the banks of engines/ckks/model/layout.py. Writes wait for
// write_ready_i.
//
// Rate: DoubleRounds blocks of 16 words in ten clocks, of which q / 2^bits are accepted, and at
// most Words residues a clock. The first write comes 10 * 8 + 12 clocks after the job.
module ckks_expand
  import ckks_pkg::*;
#(
  parameter  int unsigned LogLanes     = 3,
  parameter  int unsigned MaxLogDegree = 16,
  parameter  int unsigned AddressBits  = 12,
  parameter  int unsigned TagBits      = 8,
  parameter  int unsigned DoubleRounds = 10,  // 1, 2, 5 or 10
  parameter  int unsigned QueueBlocks  = 96,
  localparam int unsigned Lanes        = 1 << LogLanes,
  localparam int unsigned Words        = arith_pkg::minimum(Lanes, 16),
  localparam int unsigned Groups       = Lanes / Words,
  localparam int unsigned GroupBits    = (Groups > 1) ? $clog2(Groups) : 1,
  localparam int unsigned DegreeBits   = $clog2(MaxLogDegree + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [DegreeBits-1:0]  log_degree_i,  // LogLanes < it; stable while a job is present

  input  logic                   job_valid_i,
  output logic                   job_ready_o,
  input  logic [255:0]           job_seed_i,
  input  logic [63:0]            job_stream_i,
  input  prime_t                 job_prime_i,
  input  logic [4:0]             job_bits_i,   // of the prime
  input  logic [AddressBits-1:0] job_result_i,
  input  logic [TagBits-1:0]     job_tag_i,
  output logic                   done_valid_o,
  output logic [TagBits-1:0]     done_tag_o,

  output logic                   write_valid_o,
  input  logic                   write_ready_i,
  output logic [AddressBits-1:0] write_row_o,
  output logic [GroupBits-1:0]   write_group_o,
  output residue_t [Words-1:0]   write_word_o,
  output logic                   memory_error_o  // of a queue: a word with a flipped bit
);
  localparam int unsigned LogWords  = $clog2(Words);
  localparam int unsigned PlaceBits = MaxLogDegree - LogWords;  // of groups in a limb
  localparam int unsigned Pieces    = 16 / Words;               // of a chunk
  localparam int unsigned PieceBits = (Pieces > 1) ? $clog2(Pieces) : 1;
  localparam int unsigned RowBits   = MaxLogDegree - LogLanes;
  typedef logic [PlaceBits-1:0] place_t;

  // ---- The job ---------------------------------------------------------------------------------
  logic                   busy_q, starts, writes, is_last, ends;
  prime_t                 prime_q;
  logic [4:0]             bits_q;
  logic [AddressBits-1:0] result_q;
  logic [TagBits-1:0]     tag_q;
  place_t                 last_place;
  assign job_ready_o = !busy_q;
  assign starts      = job_valid_i && job_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= starts || (busy_q && !ends);
  end
  always_ff @(posedge clk_i) begin
    last_place <= place_t'((1 << (log_degree_i - DegreeBits'(LogWords))) - 1);
    if (starts) begin
      prime_q  <= job_prime_i;
      bits_q   <= job_bits_i;
      result_q <= job_result_i;
      tag_q    <= job_tag_i;
    end
  end

  // ---- Residues, 16 at a time ------------------------------------------------------------------
  logic              block_valid, block_ready, chunk_valid, chunk_ready;
  logic [15:0][31:0] block_words;
  residue_t [15:0]   chunk;
  ckks_keystream #(.DoubleRounds(DoubleRounds), .QueueBlocks(QueueBlocks)) u_keystream (
    .clk_i, .rst_ni, .start_i(starts), .key_i(job_seed_i), .stream_i(job_stream_i),
    .block_valid_o(block_valid), .block_ready_i(block_ready), .block_o(block_words),
    .memory_error_o
  );
  ckks_accept u_accept (
    .clk_i, .rst_ni, .clear_i(starts), .prime_i(prime_q), .bits_i(bits_q),
    .block_valid_i(block_valid), .block_ready_o(block_ready), .block_i(block_words),
    .chunk_valid_o(chunk_valid), .chunk_ready_i(chunk_ready), .chunk_o(chunk)
  );

  // ---- Pieces of a chunk to their rows ---------------------------------------------------------
  logic [PieceBits-1:0] piece_q;
  place_t               place_q;
  logic                 takes, written_last_q;
  logic [RowBits-1:0]   row;
  logic [LogLanes-1:0]  folded;
  residue_t [Words-1:0] piece, swapped;

  assign row = RowBits'(place_q >> (LogLanes - LogWords));
  always_comb begin
    folded = '0;
    for (int unsigned i = 0; i < RowBits; i++) folded[i%LogLanes] ^= row[i];
  end
  assign piece = chunk[int'(piece_q)*Words+:Words];
  ckks_bank_swap #(.Words(Words)) u_swap (
    .swap_i(folded[LogWords-1:0]), .word_i(piece), .word_o(swapped)
  );

  assign writes      = write_valid_o && write_ready_i;
  assign takes       = chunk_valid && busy_q && !written_last_q
                    && (!write_valid_o || write_ready_i);
  assign chunk_ready = takes && piece_q == PieceBits'(Pieces - 1);
  assign is_last     = place_q == last_place;
  assign ends        = writes && written_last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      piece_q        <= '0;
      place_q        <= '0;
      write_valid_o  <= 1'b0;
      written_last_q <= 1'b0;
      done_valid_o   <= 1'b0;
    end else begin
      if (starts) begin
        piece_q        <= '0;
        place_q        <= '0;
        written_last_q <= 1'b0;
      end else if (takes) begin
        piece_q        <= (piece_q == PieceBits'(Pieces - 1)) ? '0 : piece_q + 1'b1;
        place_q        <= place_q + 1'b1;
        written_last_q <= is_last;
      end
      write_valid_o <= takes || (write_valid_o && !write_ready_i);
      done_valid_o  <= ends;
    end
  end
  always_ff @(posedge clk_i) begin
    done_tag_o <= tag_q;
    if (takes) begin
      write_row_o  <= result_q | AddressBits'(row);
      write_word_o <= swapped;
    end
  end
  if (Groups > 1) begin : gen_group
    always_ff @(posedge clk_i) begin
      if (takes) write_group_o <= GroupBits'(place_q) ^ folded[LogLanes-1:LogWords];
    end
  end else begin : gen_one_group
    assign write_group_o = '0;
  end
endmodule
