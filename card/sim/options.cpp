// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "options.h"

#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "halimede_card.h"

namespace card_sim {

const char* const kHelp =
    R"(halimede-card-sim: the card, simulated from its RTL, behind a Unix socket.

Usage: halimede-card-sim --socket PATH [options]
       halimede-card-sim --stdio [options]

A client that connects to PATH uses the card's byte stream (docs/card.md). When the socket is
ready, one line `listening PATH` is printed on stderr. Clients are served one at a time; the card
keeps its state between clients, as a real one does.

  --socket PATH        listen here; a socket left over by a dead process is replaced
  --stdio              serve the client at the other end of standard input, which must be a
                       connected Unix stream socket, and exit when it hangs up; creates no file
                       and prints only errors
  --once               exit when the first client hangs up
  --engines LIST       enable only these engines, comma-separated, by the names of docs/card.md;
                       `none` for none
  --trace FILE         write a waveform (needs a build made with --trace)
  --fault KIND:P       let a fault strike each frame with probability P; may be repeated.
                       Replies:
                         drop       the frame is lost
                         corrupt    one bit of the frame is flipped
                         cut        some bytes of the frame are lost: the host loses step
                         duplicate  the frame is sent twice
                         delay      the frame is delayed by 1,000 to 50,000 clocks; others overtake it
                         stall      the card stops responding until the client hangs up
                         reset      the card's hardware reset pulses, 0 to 2,000 clocks later
                         kill       the process ends, as by kill -9
                         flip       0 to 2,000 clocks later, one bit in each word of one of the
                                    card's memories flips; assertions are off
                       Requests, including those that reset the card:
                         request-drop     the frame is lost
                         request-corrupt  one bit of the frame is flipped, but not of its padding
                         request-cut      some beats of the frame are lost: the card loses step
  --seed N             seed of the faults (default 0)
  --max-clocks N       exit with code 3 after N clocks
  --memory-mib N       memory size of the engines that have a memory, 1 to 65536 (default 1024)
  --memory-latency N   clocks until the memory answers, 1 to 100000 (default 32)
  --help               this text

Exit codes: 0 after SIGTERM, SIGINT, --once or --stdio; 1 the socket or the trace cannot be opened;
2 a wrong argument; 3 the limit of --max-clocks; 4 an assertion of the card failed.
Simulators with memories are built by `python -m card.sim.build --memory`.

Example: halimede-card-sim --socket /tmp/card --once --fault corrupt:0.01 --seed 7
)";

namespace {

struct EngineName {
    const char* name;
    uint32_t mask;
};

#define ENGINE_NAME(name, bit) {#name, 1u << (bit)},
constexpr EngineName kEngines[] = {HALIMEDE_CARD_ENGINES(ENGINE_NAME)};
#undef ENGINE_NAME

uint32_t parse_engine(const std::string& name) {
    std::string known;
    for (const EngineName& engine : kEngines) {
        if (name == engine.name) return engine.mask;
        known += std::string(known.empty() ? "" : ", ") + engine.name;
    }
    throw UsageError("--engines: no engine `" + name + "`; the engines are " + known + ", or none");
}

uint32_t parse_engines(const std::string& list) {
    if (list == "none") return 0;
    uint32_t mask = 0;
    size_t start = 0;
    while (start <= list.size()) {
        const size_t comma = std::min(list.find(',', start), list.size());
        mask |= parse_engine(list.substr(start, comma - start));
        start = comma + 1;
    }
    return mask;
}

uint64_t parse_number(const std::string& option, const std::string& text) {
    char* end = nullptr;
    errno = 0;
    const uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || text[0] == '-' || *end != '\0' || errno != 0) {
        throw UsageError(option + ": `" + text + "` is not a number from 0 to 2^64-1");
    }
    return value;
}

uint64_t parse_number_of(const std::string& option, const std::string& text, uint64_t most) {
    const uint64_t value = parse_number(option, text);
    if (value == 0 || value > most) {
        throw UsageError(option + ": `" + text + "` is not a number from 1 to " +
                         std::to_string(most));
    }
    return value;
}

struct FaultName {
    const char* name;
    double FaultRates::*rate;
};

constexpr FaultName kFaults[] = {
    {"drop", &FaultRates::drop},
    {"corrupt", &FaultRates::corrupt},
    {"cut", &FaultRates::cut},
    {"duplicate", &FaultRates::duplicate},
    {"delay", &FaultRates::delay},
    {"stall", &FaultRates::stall},
    {"reset", &FaultRates::reset},
    {"kill", &FaultRates::kill},
    {"flip", &FaultRates::flip},
    {"request-drop", &FaultRates::request_drop},
    {"request-corrupt", &FaultRates::request_corrupt},
    {"request-cut", &FaultRates::request_cut},
};

double& rate_of(const std::string& kind, FaultRates& faults) {
    std::string known;
    for (const FaultName& fault : kFaults) {
        if (kind == fault.name) return faults.*fault.rate;
        known += std::string(known.empty() ? "" : ", ") + fault.name;
    }
    throw UsageError("--fault: no fault `" + kind + "`; the faults are " + known);
}

void parse_fault(const std::string& text, FaultRates& faults) {
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    double& rate = rate_of(kind, faults);
    const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
    char* end = nullptr;
    rate = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !(rate >= 0 && rate <= 1)) {
        throw UsageError("--fault " + kind + ": `" + number +
                         "` is not a probability from 0 to 1, as in " + kind + ":0.01");
    }
}

void check_link(const Options& options) {
    if (options.stdio) {
        if (!options.socket_path.empty()) {
            throw UsageError("--socket and --stdio exclude each other; see --help");
        }
        return;
    }
    if (options.socket_path.empty()) {
        throw UsageError("--socket PATH or --stdio is missing; see --help");
    }
    const size_t limit = sizeof(sockaddr_un::sun_path) - 1;
    if (options.socket_path.size() > limit) {
        throw UsageError("--socket: the path has " + std::to_string(options.socket_path.size()) +
                         " bytes, a socket's path at most " + std::to_string(limit));
    }
}

}  // namespace

Options parse_options(int argc, char** argv, bool& help) {
    Options options;
    help = false;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--help" || option == "-h") {
            help = true;
            return options;
        }
        if (option == "--once" || option == "--stdio") {
            (option == "--once" ? options.once : options.stdio) = true;
            continue;
        }
        const bool takes_value = option == "--socket" || option == "--engines" ||
                                 option == "--trace" || option == "--fault" ||
                                 option == "--seed" || option == "--max-clocks" ||
                                 option == "--memory-mib" || option == "--memory-latency";
        if (!takes_value) throw UsageError("no option `" + option + "`; see --help");
        if (i + 1 == argc) throw UsageError(option + " needs a value; see --help");
        const std::string value = argv[++i];
        if (option == "--socket") options.socket_path = value;
        if (option == "--engines") options.engine_enable = parse_engines(value);
        if (option == "--trace") options.trace_path = value;
        if (option == "--fault") parse_fault(value, options.faults);
        if (option == "--seed") options.seed = parse_number(option, value);
        if (option == "--max-clocks") options.max_clocks = parse_number(option, value);
        if (option == "--memory-mib") options.memory_mib = parse_number_of(option, value, 65536);
        if (option == "--memory-latency") {
            options.memory_latency =
                static_cast<unsigned>(parse_number_of(option, value, 100000));
        }
    }
    check_link(options);
    if (options.stdio) options.once = true;
    return options;
}

}  // namespace card_sim
