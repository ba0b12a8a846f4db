// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions of the driver: modules and launches. A module is PTX, of which the stand-in reads the
// version, the target and the names of the kernels. It runs the kernels of these names that it was
// compiled with.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "state.h"

namespace halimede::standin {

namespace {

// CUDA 12.8 brought PTX ISA 8.7, and each release a version more; CUDA 13.0 brought 9.0 (PTX ISA,
// "Release Notes").
uint64_t newest_ptx() {
    uint64_t major = driver().version / 1000, minor = driver().version % 1000 / 10;
    return major >= 13 ? 90 + minor : 79 + minor;
}

// The word behind a directive, from a position on; moves the position behind it.
bool next_word(const std::string &text, const char *directive, size_t &from, std::string &word) {
    size_t found = text.find(directive, from);
    if (found == std::string::npos) return false;
    constexpr char SPACES[] = " \t\r\n";
    size_t start = text.find_first_not_of(SPACES, found + std::strlen(directive));
    if (start == std::string::npos) return false;
    size_t end = text.find_first_of(" \t\r\n(,;{", start);
    word = text.substr(start, end - start);
    from = end == std::string::npos ? text.size() : end;
    return true;
}

// Reads a module; writes what is wrong to the log.
Status read_module(const std::string &text, uint64_t capability, Module &module,
                   std::string &log) {
    std::string version, target;
    size_t place = 0;
    unsigned major = 0, minor = 0, sm = 0;
    if (!next_word(text, ".version", place, version) || !next_word(text, ".target", place, target) ||
        std::sscanf(version.c_str(), "%u.%u", &major, &minor) != 2 ||
        std::sscanf(target.c_str(), "sm_%u", &sm) != 1) {
        log = "ptxas: no .version and .target at the beginning";
        return INVALID_PTX;
    }
    if (major * 10 + minor > newest_ptx()) {
        log = "ptxas: unsupported .version " + version;
        return UNSUPPORTED_PTX_VERSION;
    }
    if (sm > capability) {
        log = "ptxas: target sm_" + std::to_string(sm) + " on sm_" + std::to_string(capability);
        return NO_BINARY_FOR_GPU;
    }
    std::string name;
    while (next_word(text, ".entry", place, name)) module.entries.insert(name);
    return SUCCESS;
}

// CUDA driver API, CUjit_option.
enum JitOption { ERROR_LOG_BUFFER = 5, ERROR_LOG_BUFFER_SIZE = 6 };

// Writes the log to the buffer that the options name.
void write_log(const std::string &log, unsigned count, const int *options, void **values) {
    char *buffer = nullptr;
    size_t size = 0;
    for (unsigned index = 0; index < count; ++index) {
        if (options[index] == ERROR_LOG_BUFFER) buffer = static_cast<char *>(values[index]);
        if (options[index] == ERROR_LOG_BUFFER_SIZE) {
            size = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[index]));
        }
    }
    if (buffer == nullptr || size == 0) return;
    std::strncpy(buffer, log.c_str(), size);
    buffer[size - 1] = '\0';
}

sigjmp_buf outside;

void leave_kernel(int) { siglongjmp(outside, 1); }

// The function of a handle.
Function *function_of(const Context &context, const Function *handle) {
    for (const auto &module : context.modules) {
        for (const auto &[name, function] : module->functions) {
            if (function.get() == handle) return function.get();
        }
    }
    return nullptr;
}

constexpr unsigned MOST_THREADS = 1024;
constexpr unsigned MOST_SHARED = 48 << 10;

}  // namespace

Status run_kernel(Context &context, const emulation::Kernel &kernel, uint32 blocks, uint32 threads,
                  std::vector<std::vector<char>> &arguments) {
    Device &device = *context.device;
    ++device.launches;
    if (device.launches == device.settings.launch_failure) return LAUNCH_FAILED;
    if (device.launches == device.settings.illegal_address) return ILLEGAL_ADDRESS;
    std::vector<void *> pointers;
    for (auto &argument : arguments) pointers.push_back(argument.data());
#if defined(__SANITIZE_ADDRESS__)
    // The sanitizer reports the access itself.
    emulation::launch(kernel, blocks, threads, pointers.data());
#else
    struct sigaction leave{}, before_segment, before_bus;
    leave.sa_handler = leave_kernel;
    sigaction(SIGSEGV, &leave, &before_segment);
    sigaction(SIGBUS, &leave, &before_bus);
    bool faulted = sigsetjmp(outside, 1) != 0;
    if (!faulted) emulation::launch(kernel, blocks, threads, pointers.data());
    sigaction(SIGSEGV, &before_segment, nullptr);
    sigaction(SIGBUS, &before_bus, nullptr);
    if (faulted) return ILLEGAL_ADDRESS;
#endif
    return are_margins_whole(context) ? SUCCESS : ILLEGAL_ADDRESS;
}

}  // namespace halimede::standin

using namespace halimede::standin;

HALIMEDE_API cuModuleLoadDataEx(Module **module, const void *image, unsigned count,
                                const int *options, void **values) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    if (module == nullptr || image == nullptr) return INVALID_VALUE;
    const Settings &settings = context->device->settings;
    auto made = std::make_unique<Module>();
    made->context = context;
    std::string log = "ptxas: refused as configured";
    status = settings.refuse != 0 ? INVALID_PTX
                                  : read_module(static_cast<const char *>(image),
                                                settings.capability, *made, log);
    if (status != SUCCESS) {
        write_log(log, count, options, values);
        return status;
    }
    *module = made.get();
    context->modules.insert(std::move(made));
    return SUCCESS;
}

HALIMEDE_API cuModuleUnload(Module *handle) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status == SUCCESS) status = run_all(*context);
    if (status != SUCCESS) return status;
    return remove(context->modules, handle) ? SUCCESS : INVALID_HANDLE;
}

HALIMEDE_API cuModuleGetFunction(Function **function, Module *handle, const char *name) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    Module *module = find(context->modules, handle);
    if (module == nullptr) return INVALID_HANDLE;
    if (function == nullptr || name == nullptr) return INVALID_VALUE;
    const auto *kernel = halimede::emulation::find(name);
    if (kernel == nullptr || module->entries.count(name) == 0) return NOT_FOUND;
    auto &known = module->functions[name];
    if (!known) known = std::make_unique<Function>(Function{kernel});
    *function = known.get();
    return SUCCESS;
}

// CUDA driver API, CUfunction_attribute.
enum FunctionAttribute { MAX_THREADS_PER_BLOCK = 0, LOCAL_SIZE_BYTES = 3 };

HALIMEDE_API cuFuncGetAttribute(int *value, int attribute, Function *handle) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    const Function *function = function_of(*context, handle);
    if (function == nullptr) return INVALID_HANDLE;
    if (value == nullptr) return INVALID_VALUE;
    switch (attribute) {
        case MAX_THREADS_PER_BLOCK: *value = static_cast<int>(function->kernel->threads); break;
        case LOCAL_SIZE_BYTES: *value = static_cast<int>(context->device->settings.stack); break;
        default: return INVALID_VALUE;
    }
    return SUCCESS;
}

HALIMEDE_API cuFuncGetParamInfo(Function *handle, size_t index, size_t *offset, size_t *size) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    const Function *function = function_of(*context, handle);
    if (function == nullptr) return INVALID_HANDLE;
    if (offset == nullptr || index >= function->kernel->arguments) return INVALID_VALUE;
    size_t end = 0;
    for (size_t number = 0; number <= index; ++number) {
        size_t bytes = function->kernel->sizes[number];
        *offset = (end + bytes - 1) / bytes * bytes;
        end = *offset + bytes;
        if (size != nullptr) *size = bytes;
    }
    return SUCCESS;
}

HALIMEDE_API cuLaunchKernel(Function *handle, unsigned blocks, unsigned blocks_y,
                            unsigned blocks_z, unsigned threads, unsigned threads_y,
                            unsigned threads_z, unsigned shared, Stream *stream_handle,
                            void **parameters, void **extra) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    const Function *function = function_of(*context, handle);
    Stream *stream = find(context->streams, stream_handle);
    if (function == nullptr || stream == nullptr) return INVALID_HANDLE;
    const auto *kernel = function->kernel;
    if (blocks == 0 || blocks > 0x7fffffffu || threads == 0 || threads > MOST_THREADS ||
        shared > MOST_SHARED || extra != nullptr ||
        (parameters == nullptr && kernel->arguments > 0)) {
        return INVALID_VALUE;
    }
    if (blocks_y != 1 || blocks_z != 1 || threads_y != 1 || threads_z != 1) return NOT_SUPPORTED;
    if (threads > kernel->threads) return LAUNCH_OUT_OF_RESOURCES;
    // The driver reserves the stacks of all threads at the first launch.
    const Settings &settings = context->device->settings;
    size_t stacks = settings.stack * MULTIPROCESSORS * MULTIPROCESSOR_THREADS;
    if (stacks > context->stacks) {
        size_t more = stacks - context->stacks;
        if (more > settings.memory - context->used) return OUT_OF_MEMORY;
        context->used += more;
        context->stacks = stacks;
    }
    auto arguments = std::make_shared<std::vector<std::vector<char>>>();
    for (unsigned index = 0; index < kernel->arguments; ++index) {
        const char *value = static_cast<const char *>(parameters[index]);
        arguments->emplace_back(value, value + kernel->sizes[index]);
    }
    add(*stream, [=] { return run_kernel(*context, *kernel, blocks, threads, *arguments); });
    return SUCCESS;
}
