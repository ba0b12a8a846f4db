// SPDX-License-Identifier: Apache-2.0 OR MIT
// Generated from card/spec/card.toml by `python -m card.spec.generate`: do not edit.
//
// card_pkg: the numbers of the card's protocol.
package card_pkg;
  // A package offers more than any one design uses.
  /* verilator lint_off UNUSEDPARAM */

  // Version and limits
  localparam logic [31:0] Version = 32'h0003_0002;
  localparam logic [31:0] HeaderBytes = 32'h0000_0008;
  localparam logic [31:0] AlignmentBytes = 32'h0000_0008;
  localparam logic [31:0] MaxAlignmentBytes = 32'h0000_0040;
  localparam logic [31:0] MaxFrameBytes = 32'h0001_0000;
  localparam logic [31:0] Blake3FrameDataBytes = 32'h0000_fc00;
  localparam logic [31:0] Blake3MaxOutputBytes = 32'h0000_ffc0;
  localparam logic [31:0] ElementBytes = 32'h0000_0020;

  // Capability bits
  localparam int unsigned CapabilityEquihash = 0;
  localparam int unsigned CapabilitySecp256k1 = 1;
  localparam int unsigned CapabilityPoseidon = 2;
  localparam int unsigned CapabilityBlake3 = 3;
  localparam int unsigned CapabilityBls12381 = 4;
  localparam int unsigned CapabilityCkks = 5;
  localparam int unsigned EnginePorts = 6;

  // Command words
  localparam logic [31:0] CommandResetFpga = 32'h0000_0000;
  localparam logic [31:0] CommandGetFpgaStatus = 32'h0000_0001;
  localparam logic [31:0] CommandRegisterRead = 32'h0000_0002;
  localparam logic [31:0] CommandRegisterWrite = 32'h0000_0003;
  localparam logic [31:0] CommandVerifyEquihash = 32'h0000_0100;
  localparam logic [31:0] CommandVerifySecp256k1Sig = 32'h0000_0101;
  localparam logic [31:0] CommandVerifyEquihashChecked = 32'h0000_0102;
  localparam logic [31:0] CommandVerifySecp256k1SigChecked = 32'h0000_0103;
  localparam logic [31:0] CommandPoseidonHash = 32'h0000_0110;
  localparam logic [31:0] CommandBlake3Hash = 32'h0000_0120;
  localparam logic [31:0] CommandBlake3Data = 32'h0000_0121;
  localparam logic [31:0] CommandCkksMemoryWrite = 32'h0000_0300;
  localparam logic [31:0] CommandCkksMemoryRead = 32'h0000_0301;
  localparam logic [31:0] CommandCkksRun = 32'h0000_0302;

  // Command words of replies
  localparam logic [31:0] ReplyResetFpga = 32'h8000_0000;
  localparam logic [31:0] ReplyGetFpgaStatus = 32'h8000_0001;
  localparam logic [31:0] ReplyRegisterRead = 32'h8000_0003;
  localparam logic [31:0] ReplyRegisterWrite = 32'h8000_0004;
  localparam logic [31:0] ReplyVerifyEquihash = 32'h8000_0100;
  localparam logic [31:0] ReplyVerifySecp256k1Sig = 32'h8000_0101;
  localparam logic [31:0] ReplyVerifyEquihashChecked = 32'h8000_0102;
  localparam logic [31:0] ReplyVerifySecp256k1SigChecked = 32'h8000_0103;
  localparam logic [31:0] ReplyPoseidonHash = 32'h8000_0110;
  localparam logic [31:0] ReplyBlake3Hash = 32'h8000_0120;
  localparam logic [31:0] ReplyBlake3Data = 32'h8000_0121;
  localparam logic [31:0] ReplyCkksMemoryWrite = 32'h8000_0300;
  localparam logic [31:0] ReplyCkksMemoryRead = 32'h8000_0301;
  localparam logic [31:0] ReplyCkksRun = 32'h8000_0302;
  localparam logic [31:0] ReplyFpgaIgnoreRpl = 32'h8000_0002;
  localparam logic [31:0] ReplyBls12381Interrupt = 32'h8000_0200;

  // Frame lengths in bytes, header included; the open-ended ones are for the engine to check.
  localparam logic [31:0] ResetFpgaBytesMin = 32'h0000_0008;
  localparam logic [31:0] ResetFpgaBytesMax = 32'h0000_0010;
  localparam logic [31:0] ResetFpgaReplyBytes = 32'h0000_0010;
  localparam logic [31:0] GetFpgaStatusBytesMin = 32'h0000_0008;
  localparam logic [31:0] GetFpgaStatusBytesMax = 32'h0000_0008;
  localparam logic [31:0] GetFpgaStatusReplyBytes = 32'h0000_0068;
  localparam logic [31:0] RegisterReadBytesMin = 32'h0000_0010;
  localparam logic [31:0] RegisterReadBytesMax = 32'h0000_0010;
  localparam logic [31:0] RegisterReadReplyBytes = 32'h0000_0018;
  localparam logic [31:0] RegisterWriteBytesMin = 32'h0000_0010;
  localparam logic [31:0] RegisterWriteBytesMax = 32'h0000_0010;
  localparam logic [31:0] RegisterWriteReplyBytes = 32'h0000_0018;
  localparam logic [31:0] VerifyEquihashBytesMin = 32'h0000_0010;
  localparam logic [31:0] VerifyEquihashReplyBytes = 32'h0000_0018;
  localparam logic [31:0] VerifySecp256k1SigBytesMin = 32'h0000_00b0;
  localparam logic [31:0] VerifySecp256k1SigBytesMax = 32'h0000_00b0;
  localparam logic [31:0] VerifySecp256k1SigReplyBytes = 32'h0000_0018;
  localparam logic [31:0] VerifyEquihashCheckedBytesMin = 32'h0000_0018;
  localparam logic [31:0] VerifyEquihashCheckedReplyBytes = 32'h0000_0020;
  localparam logic [31:0] VerifySecp256k1SigCheckedBytesMin = 32'h0000_00b8;
  localparam logic [31:0] VerifySecp256k1SigCheckedBytesMax = 32'h0000_00b8;
  localparam logic [31:0] VerifySecp256k1SigCheckedReplyBytes = 32'h0000_0020;
  localparam logic [31:0] PoseidonHashBytesMin = 32'h0000_0020;
  localparam logic [31:0] PoseidonHashReplyBytesMin = 32'h0000_0020;
  localparam logic [31:0] Blake3HashBytesMin = 32'h0000_0028;
  localparam logic [31:0] Blake3HashReplyBytesMin = 32'h0000_0020;
  localparam logic [31:0] Blake3DataBytesMin = 32'h0000_0028;
  localparam logic [31:0] Blake3DataReplyBytes = 32'h0000_0020;
  localparam logic [31:0] FpgaIgnoreRplBytes = 32'h0000_0010;

  // What the frame decoder needs to know of each command; reserved ones are unknown to it.
  // `port` is the capability bit of the command's engine.
  // Frame lengths in bytes, header included: open-ended frames have any length from
  // bytes_min on, others bytes_min or bytes_max.
  typedef struct packed {
    logic [31:0] command;
    logic        control;
    logic [4:0]  port;
    logic        open_ended;
    logic [31:0] bytes_min;
    logic [31:0] bytes_max;
  } command_rule_t;

  localparam int unsigned Commands = 11;
  localparam command_rule_t CommandRules[Commands] = '{
    '{command: CommandResetFpga, control: 1'b1, port: 5'd0,
      open_ended: 1'b0, bytes_min: 32'h0000_0008, bytes_max: 32'h0000_0010},
    '{command: CommandGetFpgaStatus, control: 1'b1, port: 5'd0,
      open_ended: 1'b0, bytes_min: 32'h0000_0008, bytes_max: 32'h0000_0008},
    '{command: CommandRegisterRead, control: 1'b1, port: 5'd0,
      open_ended: 1'b0, bytes_min: 32'h0000_0010, bytes_max: 32'h0000_0010},
    '{command: CommandRegisterWrite, control: 1'b1, port: 5'd0,
      open_ended: 1'b0, bytes_min: 32'h0000_0010, bytes_max: 32'h0000_0010},
    '{command: CommandVerifyEquihash, control: 1'b0, port: 5'd0,
      open_ended: 1'b1, bytes_min: 32'h0000_0010, bytes_max: 32'h0001_0000},
    '{command: CommandVerifySecp256k1Sig, control: 1'b0, port: 5'd1,
      open_ended: 1'b0, bytes_min: 32'h0000_00b0, bytes_max: 32'h0000_00b0},
    '{command: CommandVerifyEquihashChecked, control: 1'b0, port: 5'd0,
      open_ended: 1'b1, bytes_min: 32'h0000_0018, bytes_max: 32'h0001_0000},
    '{command: CommandVerifySecp256k1SigChecked, control: 1'b0, port: 5'd1,
      open_ended: 1'b0, bytes_min: 32'h0000_00b8, bytes_max: 32'h0000_00b8},
    '{command: CommandPoseidonHash, control: 1'b0, port: 5'd2,
      open_ended: 1'b1, bytes_min: 32'h0000_0020, bytes_max: 32'h0001_0000},
    '{command: CommandBlake3Hash, control: 1'b0, port: 5'd3,
      open_ended: 1'b1, bytes_min: 32'h0000_0028, bytes_max: 32'h0001_0000},
    '{command: CommandBlake3Data, control: 1'b0, port: 5'd3,
      open_ended: 1'b1, bytes_min: 32'h0000_0028, bytes_max: 32'h0001_0000}
  };

  // Outcome of a register command.
  localparam logic [31:0] RegisterOk = 32'h0000_0000;
  localparam logic [31:0] RegisterNoSuchRegister = 32'h0000_0001;
  localparam logic [31:0] RegisterReadOnly = 32'h0000_0002;

  // Outcome of a poseidon_hash command.
  localparam logic [31:0] PoseidonOk = 32'h0000_0000;
  localparam logic [31:0] PoseidonInstanceAbsent = 32'h0000_0001;
  localparam logic [31:0] PoseidonNotCanonical = 32'h0000_0002;
  localparam logic [31:0] PoseidonWrongLength = 32'h0000_0003;
  localparam logic [31:0] PoseidonCorrupt = 32'h0000_0004;

  // What a poseidon_hash command wants back.
  localparam logic [31:0] PoseidonOutputsState = 32'h0000_0000;
  localparam logic [31:0] PoseidonOutputsDigest = 32'h0000_0001;

  // Outcome of a blake3_hash or blake3_data command.
  localparam logic [31:0] Blake3Ok = 32'h0000_0000;
  localparam logic [31:0] Blake3WrongLength = 32'h0000_0001;
  localparam logic [31:0] Blake3UnknownMode = 32'h0000_0002;
  localparam logic [31:0] Blake3Abandoned = 32'h0000_0003;
  localparam logic [31:0] Blake3Corrupt = 32'h0000_0004;
  localparam logic [31:0] Blake3NoMessage = 32'h0000_0005;
  localparam logic [31:0] Blake3WrongPlace = 32'h0000_0006;
  localparam logic [31:0] Blake3WrongOutput = 32'h0000_0007;

  // What a blake3_hash command computes.
  localparam logic [31:0] Blake3ModeHash = 32'h0000_0000;
  localparam logic [31:0] Blake3ModeKeyedHash = 32'h0000_0001;
  localparam logic [31:0] Blake3ModeDeriveKeyContext = 32'h0000_0002;
  localparam logic [31:0] Blake3ModeDeriveKeyMaterial = 32'h0000_0003;

  // Outcome of a verify_equihash_checked or verify_secp256k1_sig_checked command.
  localparam logic [31:0] VerifyOk = 32'h0000_0000;
  localparam logic [31:0] VerifyCorrupt = 32'h0000_0004;

  // Poseidon instances: number of codes, and the code of each mask bit
  localparam int unsigned PoseidonInstanceCount = 12;
  localparam logic [PoseidonInstanceCount-1:0][7:0] PoseidonInstanceCodes = {
    8'h29, 8'h25, 8'h24, 8'h23, 8'h1c, 8'h19, 8'h15, 8'h13, 8'h0c, 8'h09, 8'h05, 8'h03
  };

  // Register addresses, and reset values where the build does not decide
  localparam logic [31:0] RegisterId = 32'h0000_0000;
  localparam logic [31:0] RegisterIdReset = 32'h494c_4148;
  localparam logic [31:0] RegisterVersion = 32'h0000_0004;
  localparam logic [31:0] RegisterVersionReset = 32'h0003_0002;
  localparam logic [31:0] RegisterBuildId = 32'h0000_0008;
  localparam logic [31:0] RegisterCapabilities = 32'h0000_000c;
  localparam logic [31:0] RegisterMaxFrameBytes = 32'h0000_0010;
  localparam logic [31:0] RegisterMaxFrameBytesReset = 32'h0001_0000;
  localparam logic [31:0] RegisterControl = 32'h0000_0014;
  localparam logic [31:0] RegisterControlReset = 32'h0000_0000;
  localparam logic [31:0] RegisterStreamBytes = 32'h0000_0018;
  localparam logic [31:0] RegisterClocksLo = 32'h0000_0020;
  localparam logic [31:0] RegisterClocksLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterClocksHi = 32'h0000_0024;
  localparam logic [31:0] RegisterClocksHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterFramesIn = 32'h0000_0028;
  localparam logic [31:0] RegisterFramesInReset = 32'h0000_0000;
  localparam logic [31:0] RegisterFramesOut = 32'h0000_002c;
  localparam logic [31:0] RegisterFramesOutReset = 32'h0000_0000;
  localparam logic [31:0] RegisterFramesIgnored = 32'h0000_0030;
  localparam logic [31:0] RegisterFramesIgnoredReset = 32'h0000_0000;
  localparam logic [31:0] RegisterEngineErrors = 32'h0000_0034;
  localparam logic [31:0] RegisterEngineErrorsReset = 32'h0000_0000;
  localparam logic [31:0] RegisterMultiplierBusyLo = 32'h0000_0038;
  localparam logic [31:0] RegisterMultiplierBusyLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterMultiplierBusyHi = 32'h0000_003c;
  localparam logic [31:0] RegisterMultiplierBusyHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterRepliesStalledLo = 32'h0000_0040;
  localparam logic [31:0] RegisterRepliesStalledLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterRepliesStalledHi = 32'h0000_0044;
  localparam logic [31:0] RegisterRepliesStalledHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterPoseidonInstances = 32'h0000_0100;
  localparam logic [31:0] RegisterPoseidonCores = 32'h0000_0104;
  localparam logic [31:0] RegisterPoseidonStarvedFrLo = 32'h0000_0108;
  localparam logic [31:0] RegisterPoseidonStarvedFrLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterPoseidonStarvedFrHi = 32'h0000_010c;
  localparam logic [31:0] RegisterPoseidonStarvedFrHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterPoseidonStarvedFeltLo = 32'h0000_0110;
  localparam logic [31:0] RegisterPoseidonStarvedFeltLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterPoseidonStarvedFeltHi = 32'h0000_0114;
  localparam logic [31:0] RegisterPoseidonStarvedFeltHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterBlake3Shape = 32'h0000_0200;
  localparam logic [31:0] RegisterBlake3BlocksLo = 32'h0000_0208;
  localparam logic [31:0] RegisterBlake3BlocksLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterBlake3BlocksHi = 32'h0000_020c;
  localparam logic [31:0] RegisterBlake3BlocksHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterBlake3StarvedLo = 32'h0000_0210;
  localparam logic [31:0] RegisterBlake3StarvedLoReset = 32'h0000_0000;
  localparam logic [31:0] RegisterBlake3StarvedHi = 32'h0000_0214;
  localparam logic [31:0] RegisterBlake3StarvedHiReset = 32'h0000_0000;
  localparam logic [31:0] RegisterEquihashShape = 32'h0000_0300;
  localparam logic [31:0] RegisterSecp256k1Shape = 32'h0000_0400;

  /* verilator lint_on UNUSEDPARAM */
endpackage
