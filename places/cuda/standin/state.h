// SPDX-License-Identifier: Apache-2.0 OR MIT
// The state of the stand-in driver: devices, contexts and what belongs to them. Every function of
// the driver holds the lock, so that one thread at a time sees the state.
//
// Work on a stream runs late: only when the host waits for it. A host that forgets to wait sees
// data that are not there yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "platform.cuh"

namespace halimede::standin {

// CUDA driver API, "Data types used by CUDA driver", CUresult.
enum Status : unsigned {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    UNSUPPORTED_PTX_VERSION = 222,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801,
    STREAM_CAPTURE_UNSUPPORTED = 900,
    STREAM_CAPTURE_INVALIDATED = 901,
    UNKNOWN = 999,
};

using Address = unsigned long long;

struct Context;

// Memory of a device: pages between two that nobody can touch.
struct Allocation {
    size_t bytes;
    void *pages;
    size_t page_bytes;
};

// Work of a stream, which runs in order.
struct Stream {
    Context *context;
    std::deque<std::function<Status()>> work;
    // The number of operations that were added, and that have run.
    uint64_t added = 0, done = 0;
    // The graph that takes the work while the stream is captured.
    struct Graph *captured = nullptr;
};

// A point in a stream. It is over at the beginning.
struct Event {
    Context *context;
    Stream *stream = nullptr;
    uint64_t after = 0;
};

// Kernels that a module names.
struct Function {
    const emulation::Kernel *kernel;
};
struct Module {
    Context *context;
    std::set<std::string> entries;
    std::map<std::string, std::unique_ptr<Function>> functions;
};

// Recorded work.
struct Graph {
    Context *context;
    std::vector<std::function<Status()>> work;
};

// The primary context of a device.
struct Context {
    struct Device *device;
    // The error after which the context is useless.
    Status lost = SUCCESS;
    size_t used = 0;
    // The part of `used` for the stacks of all threads.
    size_t stacks = 0;
    std::map<Address, Allocation> allocations;
    // Pinned memory of the host, with its size.
    std::map<const char *, size_t> pinned;
    std::set<std::unique_ptr<Stream>> streams;
    std::set<std::unique_ptr<Event>> events;
    std::set<std::unique_ptr<Module>> modules;
    std::set<std::unique_ptr<Graph>> graphs;
    ~Context();
};

// The threads that a device holds at once.
constexpr int MULTIPROCESSORS = 4, MULTIPROCESSOR_THREADS = 2048;

// The faults and the size of a device, as they were configured. A count is that of the call that
// fails, from 1; 0 is never.
struct Settings {
    std::string name = "stand-in";
    uint64_t memory = uint64_t{8} << 30;
    uint64_t capability = 90;
    // The bytes of local memory of each kernel's thread.
    uint64_t stack = 0;
    uint64_t refuse = 0;
    uint64_t out_of_memory = 0;
    uint64_t launch_failure = 0;
    uint64_t illegal_address = 0;
    uint64_t lost = 0;
    uint64_t corrupt = 0;
    // True if a new context works after one was lost. The driver's manual promises this of none.
    uint64_t recovers = 0;
};

struct Device {
    int ordinal;
    Settings settings;
    uint64_t allocations = 0, launches = 0, calls = 0, downloads = 0;
    // The error after which no context of this process works.
    Status dead = SUCCESS;
    unsigned retained = 0;
    std::unique_ptr<Context> context;
};

// The whole driver.
struct Driver {
    std::recursive_mutex lock;
    bool is_initialized = false;
    uint64_t version = 13000;
    std::vector<std::unique_ptr<Device>> devices;
};

Driver &driver();

// Changes settings: `devices=2,version=12080,memory=1000,1.lost=7`; a number and a dot before a
// name mean one device, no number all. Counts of calls begin again. Returns false for a setting
// that does not exist.
bool configure(const char *settings);

// The context that is current on this thread, if it exists and works. Counts a call of its device.
Status current(Context *&context);

// Makes a context current on this thread.
Status make_current(Context *context);

// The object of a handle, or null.
template <typename T> T *find(const std::set<std::unique_ptr<T>> &all, const T *handle) {
    for (const auto &one : all) {
        if (one.get() == handle) return one.get();
    }
    return nullptr;
}

// Removes the object of a handle.
template <typename T> bool remove(std::set<std::unique_ptr<T>> &all, const T *handle) {
    for (auto one = all.begin(); one != all.end(); ++one) {
        if (one->get() != handle) continue;
        all.erase(one);
        return true;
    }
    return false;
}

// Adds work to a stream, or to the graph that captures it.
void add(Stream &stream, std::function<Status()> work);

// Runs the work of a stream up to a number of operations.
Status run(Stream &stream, uint64_t until);

// Runs the work of all streams of a context.
Status run_all(Context &context);

// Makes a context useless.
Status lose(Context &context, Status status);

// Returns true if a range lies in one allocation.
bool is_allocated(const Context &context, Address start, size_t bytes);

// Returns true if a range lies in pinned memory.
bool is_pinned(const Context &context, const void *start, size_t bytes);

// Returns false if a kernel has written behind an allocation.
bool are_margins_whole(const Context &context);

// Runs a kernel. An access outside of all memory, or behind an allocation, is an illegal address.
Status run_kernel(Context &context, const emulation::Kernel &kernel, uint32 blocks, uint32 threads,
                  std::vector<std::vector<char>> &arguments);

}  // namespace halimede::standin

#define HALIMEDE_API extern "C" __attribute__((visibility("default"))) ::halimede::standin::Status
