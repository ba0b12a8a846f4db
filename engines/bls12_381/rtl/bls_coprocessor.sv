// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// bls_coprocessor: the programmable coprocessor of BLS12-381.
// engines/bls12_381/coprocessor/README.md is its manual; README.md here describes the design.
//
// bus -> bls_coprocessor_window -+-> instructions -> bls_coprocessor_sequencer -> interrupts -> rpl
//                                  +-> slots  <------> (checks, steps)  |    ^
//                                        ^                              v    |
//                                        +--- results --- bls_coprocessor_core (field_core)
//                                        +--- results --- bls_coprocessor_inverter
//
// Contexts programs are in flight, each with its window of 32 KiB on the bus. They share the core
// and the inverter, in which a context has at most one job. The memory of slots has one read port
// and one write port: the sequencer has priority, then inverses, then the core's results, then the
// host.
//
// The bus carries words of 32 bits, one request at a time (bls_coprocessor_window). rpl is a stream
// of the interrupts' frames, without a checksum. retired_* reports each executed instruction, in
// order; waits_* reports a context that finds NOOP_WAIT at its pointer. memory_error_o: a word of a
// memory had a flipped bit.
module bls_coprocessor
  import bls_coprocessor_isa_pkg::*;
  import bls_coprocessor_pkg::*;
#(
  parameter int unsigned Contexts  = 4,     // programs in flight, 1..16
  parameter bit          Extension = 1'b1,  // the instructions and registers beyond the published
  parameter int unsigned Inverters = 2,     // dividers of the inverter
  parameter int unsigned TileA     = 26,    // of the multiplier, unsigned
  parameter int unsigned TileB     = 17
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         bus_valid_i,
  output logic         bus_ready_o,
  input  logic         bus_write_i,
  input  logic [31:0]  bus_address_i,        // in bytes
  input  logic [31:0]  bus_value_i,
  output logic         bus_response_valid_o,
  output logic [31:0]  bus_response_value_o,

  output logic         rpl_valid_o,
  input  logic         rpl_ready_i,
  output logic [63:0]  rpl_data_o,
  output logic         rpl_last_o,

  output logic         retired_valid_o,
  output context_t     retired_context_o,
  output logic [15:0]  retired_pointer_o,
  output logic [15:0]  retired_next_o,
  output instruction_t retired_instruction_o,
  output logic         waits_valid_o,
  output context_t     waits_context_o,

  output logic         mul_busy_o,           // the core's multiplier has taken a product
  output logic         idle_o,               // no context is active
  output logic         memory_error_o
);
  localparam int unsigned IndexBits   = Contexts > 1 ? $clog2(Contexts) : 1;
  localparam int unsigned MostBits    = IndexBits + PlaceBits;
  localparam int unsigned CoreContexts = Contexts > 2 ? Contexts : 2;

  function automatic logic [MostBits-1:0] address_of(input context_t context_id,
                                                     input place_t   place);
    return MostBits'({context_id, place});
  endfunction

  // In order: instructions, slots, core, interrupts, inverter, the sequencer's queue.
  logic [5:0] errors;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) memory_error_o <= 1'b0;
    else memory_error_o <= errors != '0;
  end

  // ---- The window -----------------------------------------------------------------------------
  context_t            window_context;
  logic                host_instruction_write, host_instruction_ready;
  logic [63:0]         host_instruction, instruction;
  logic [8:0]          host_instruction_place;
  logic                host_write, host_write_ready, host_read_ready;
  slot_t               host_slot, slot;
  logic [7:0]          host_place;
  logic                clearing, limit_write;
  logic [Contexts-1:0] start, wake;
  logic [15:0]         start_pointer;
  logic [31:0]         limit, limit_kept;
  status_t             status;

  bls_coprocessor_window #(
    .Contexts (Contexts),
    .Extension(Extension)
  ) u_window (
    .clk_i,
    .rst_ni,
    .bus_valid_i,
    .bus_ready_o,
    .bus_write_i,
    .bus_address_i,
    .bus_value_i,
    .bus_response_valid_o,
    .bus_response_value_o,
    .instruction_write_valid_o(host_instruction_write),
    .instruction_write_data_o (host_instruction),
    .instruction_read_ready_i (host_instruction_ready),
    .instruction_read_data_i  (instruction),
    .instruction_place_o      (host_instruction_place),
    .data_write_valid_o       (host_write),
    .data_write_ready_i       (host_write_ready),
    .data_write_o             (host_slot),
    .data_read_ready_i        (host_read_ready),
    .data_read_i              (slot),
    .data_place_o             (host_place),
    .context_o                (window_context),
    .clearing_o               (clearing),
    .start_o                  (start),
    .start_pointer_o          (start_pointer),
    .wake_o                   (wake),
    .limit_write_o            (limit_write),
    .limit_o                  (limit),
    .status_i                 (status),
    .limit_i                  (limit_kept)
  );

  // ---- The sequencer --------------------------------------------------------------------------
  logic        fetch, read, check, write, job_valid, job_ready, job_last, done, room;
  logic        beat_valid, beat_last;
  context_t    fetch_context, data_context, done_context;
  logic [8:0]  fetch_place;
  place_t      read_place, write_place;
  slot_t       write_slot;
  logic        invert_valid, invert_ready, invert_form;
  logic [DataBits-1:0] job_number, invert_number;
  tag_t        invert_tag;
  job_t        job;
  logic [63:0] beat;

  bls_coprocessor_sequencer #(
    .Contexts (Contexts),
    .Extension(Extension)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clearing_i              (clearing),
    .window_context_i        (window_context),
    .start_i                 (start),
    .start_pointer_i         (start_pointer),
    .wake_i                  (wake),
    .limit_write_i           (limit_write),
    .limit_i                 (limit),
    .status_o                (status),
    .limit_o                 (limit_kept),
    .instruction_read_valid_o(fetch),
    .instruction_context_o   (fetch_context),
    .instruction_place_o     (fetch_place),
    .instruction_data_i      (instruction),
    .data_read_valid_o       (read),
    .data_check_o            (check),
    .data_write_valid_o      (write),
    .data_context_o          (data_context),
    .data_read_place_o       (read_place),
    .data_write_place_o      (write_place),
    .data_write_o            (write_slot),
    .data_i                  (slot),
    .job_valid_o             (job_valid),
    .job_ready_i             (job_ready),
    .job_number_o            (job_number),
    .job_last_o              (job_last),
    .job_o                   (job),
    .invert_valid_o          (invert_valid),
    .invert_ready_i          (invert_ready),
    .invert_number_o         (invert_number),
    .invert_form_o           (invert_form),
    .invert_tag_o            (invert_tag),
    .done_valid_i            (done),
    .done_context_i          (done_context),
    .room_i                  (room),
    .beat_valid_o            (beat_valid),
    .beat_data_o             (beat),
    .beat_last_o             (beat_last),
    .retired_valid_o,
    .retired_context_o,
    .retired_pointer_o,
    .retired_next_o,
    .retired_instruction_o,
    .idle_o,
    .memory_error_o          (errors[5])
  );

  // ---- Instructions ---------------------------------------------------------------------------
  // The host reads when the sequencer does not.
  logic [1:0] fetched_q;
  assign host_instruction_ready = !fetch;
  // (A word being written in this clock may read as anything: the host's write wakes the context
  // again.)
  always_ff @(posedge clk_i) fetched_q <= {fetched_q[0], fetch && !host_instruction_write};

  checked_memory #(
    .Width         (64),
    .Depth         (Contexts > 1 ? Contexts * Instructions : 2 * Instructions),
    .OutputRegister(1'b1)
  ) u_instructions (
    .clk_i,
    .write_valid_i  (host_instruction_write),
    .write_address_i(address_of(window_context, host_instruction_place)),
    .write_data_i   (host_instruction),
    .read_enable_i  (1'b1),
    .read_address_i (fetch ? address_of(fetch_context, fetch_place)
                           : address_of(window_context, host_instruction_place)),
    .read_data_o    (instruction),
    .check_i        (fetched_q[1]),
    .error_o        (errors[0])
  );

  // The context whose instruction has arrived. (Beyond the last place the first instruction is
  // read: such a context stops, whatever is reported here.)
  logic     [1:0] reads_q;
  context_t       reader_q[2];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q       <= '0;
      waits_valid_o <= 1'b0;
    end else begin
      reads_q       <= {reads_q[0], fetch};
      waits_valid_o <= reads_q[1] && instruction[7:0] == OpNoopWait;
    end
  end
  always_ff @(posedge clk_i) begin
    reader_q        <= '{fetch_context, reader_q[0]};
    waits_context_o <= reader_q[1];
  end

  // ---- Slots ----------------------------------------------------------------------------------
  logic   result_valid, result_ready, result_last;
  logic [DataBits-1:0] result;
  tag_t   result_tag, inverse_tag;
  logic   inverse_valid, inverse_ready;
  logic [DataBits-1:0] inverse;
  place_t result_index_q;  // words of the result written so far
  logic [1:0] read_q;
  logic   data_write_q;

  assign inverse_ready    = !write;
  assign result_ready     = !write && !inverse_valid;
  assign host_write_ready = !write && !inverse_valid && !result_valid;
  assign host_read_ready  = !read && !data_write_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) result_index_q <= '0;
    else if (result_valid && result_ready) begin
      result_index_q <= result_last ? '0 : result_index_q + place_t'(1);
    end
  end
  assign done         = (inverse_valid && inverse_ready) ||
                        (result_valid && result_ready && result_last);
  assign done_context = inverse_valid ? inverse_tag.context_id : result_tag.context_id;

  logic                data_write;
  logic [MostBits-1:0] data_write_address;
  slot_t               data_write_slot;
  always_comb begin
    data_write         = host_write || result_valid || inverse_valid || write;
    data_write_address = address_of(window_context, place_t'(host_place));
    data_write_slot    = host_slot;
    if (write) begin
      data_write_address = address_of(data_context, write_place);
      data_write_slot    = write_slot;
    end else if (inverse_valid) begin
      data_write_address = address_of(inverse_tag.context_id, inverse_tag.place);
      data_write_slot    = '{kind: inverse_tag.kind, number: inverse};
    end else if (result_valid) begin
      data_write_address = address_of(result_tag.context_id, result_tag.place + result_index_q);
      data_write_slot    = '{kind: result_tag.kind, number: result};
    end
  end

  // Written a clock later, to keep the selection off the memory's paths; no read can follow so
  // soon.
  logic [MostBits-1:0] data_write_address_q;
  slot_t               data_write_slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) data_write_q <= 1'b0;
    else data_write_q <= data_write;
  end
  always_ff @(posedge clk_i) begin
    data_write_address_q <= data_write_address;
    data_write_slot_q    <= data_write_slot;
  end

  always_ff @(posedge clk_i) read_q <= {read_q[0], check};

  checked_memory #(
    .Width         ($bits(slot_t)),
    .Depth         (2**MostBits),
    .OutputRegister(1'b1)
  ) u_slots (
    .clk_i,
    .write_valid_i  (data_write_q),
    .write_address_i(data_write_address_q),
    .write_data_i   (data_write_slot_q),
    .read_enable_i  (1'b1),
    .read_address_i (read ? address_of(data_context, read_place)
                          : address_of(window_context, place_t'(host_place))),
    .read_data_o    (slot),
    .check_i        (read_q[1]),
    .error_o        (errors[1])
  );

  // ---- The core and the interrupts ------------------------------------------------------------
  bls_coprocessor_core #(
    .Contexts(CoreContexts),
    .TileA   (TileA),
    .TileB   (TileB)
  ) u_core (
    .clk_i,
    .rst_ni,
    .job_valid_i    (job_valid),
    .job_ready_o    (job_ready),
    .job_number_i   (job_number),
    .job_last_i     (job_last),
    .job_i          (job),
    .result_valid_o (result_valid),
    .result_ready_i (result_ready),
    .result_number_o(result),
    .result_last_o  (result_last),
    .result_tag_o   (result_tag),
    .mul_busy_o,
    .memory_error_o (errors[2])
  );

  bls_coprocessor_inverter #(
    .Contexts (Contexts > 2 ? Contexts : 2),
    .Inverters(Inverters)
  ) u_inverter (
    .clk_i,
    .rst_ni,
    .valid_i        (invert_valid),
    .ready_o        (invert_ready),
    .number_i       (invert_number),
    .form_i         (invert_form),
    .tag_i          (invert_tag),
    .result_valid_o (inverse_valid),
    .result_ready_i (inverse_ready),
    .result_number_o(inverse),
    .result_tag_o   (inverse_tag),
    .memory_error_o (errors[4])
  );

  bls_coprocessor_interrupts u_interrupts (
    .clk_i,
    .rst_ni,
    .write_valid_i (beat_valid),
    .write_data_i  (beat),
    .write_last_i  (beat_last),
    .room_o        (room),
    .rpl_valid_o,
    .rpl_ready_i,
    .rpl_data_o,
    .rpl_last_o,
    .memory_error_o(errors[3])
  );

  if (Contexts < 1 || Contexts > 2**ContextBits) begin : gen_bad_contexts
    $error("bls_coprocessor: Contexts = %0d is not in 1..16", Contexts);
  end
endmodule
