// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// value_select: the value of a source of card_pkg's tables. Source is a constant, so this is only
// wires.
module value_select
  import card_pkg::*;
#(
  parameter source_t Source = '0
) (
  // Each source uses one of them.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [ShellValues-1:0][63:0] values_i,
  input  engine_report_t [EnginePorts-1:0] report_i,
  input  logic [EnginePorts-1:0][MostCounters-1:0][63:0] counters_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic [63:0] value_o
);
  if (Source.kind == FromShell) begin : gen_shell
    assign value_o = values_i[Source.index];
  end else if (Source.kind == FromShape) begin : gen_shape
    assign value_o = 64'(report_i[Source.port].shape[Source.index]);
  end else if (Source.kind == FromCounter) begin : gen_counter
    assign value_o = counters_i[Source.port][Source.index];
  end else begin : gen_constant
    assign value_o = 64'(Source.number);
  end
endmodule
