// SPDX-License-Identifier: Apache-2.0 OR MIT
// The state of the stand-in driver: settings, the current context, and the work of streams.
#include "state.h"

#include <cstdlib>

namespace halimede::standin {

namespace {

constexpr char ENVIRONMENT[] = "HALIMEDE_CUDA_STANDIN";
constexpr uint64_t MOST_DEVICES = 64;

thread_local Context *current_context = nullptr;

// Reads a whole decimal number.
bool read_number(const std::string &text, uint64_t &number) {
    char *end = nullptr;
    number = std::strtoull(text.c_str(), &end, 10);
    return !text.empty() && *end == '\0';
}

// The setting of this name that is a number, or null.
uint64_t *number_of(Settings &settings, const std::string &name) {
    const std::pair<const char *, uint64_t *> numbers[] = {
        {"memory", &settings.memory},
        {"capability", &settings.capability},
        {"refuse", &settings.refuse},
        {"out_of_memory", &settings.out_of_memory},
        {"launch_failure", &settings.launch_failure},
        {"illegal_address", &settings.illegal_address},
        {"lost", &settings.lost},
        {"corrupt", &settings.corrupt},
        {"stack", &settings.stack},
        {"recovers", &settings.recovers},
    };
    for (const auto &[other, number] : numbers) {
        if (name == other) return number;
    }
    return nullptr;
}

bool configure_device(Device &device, const std::string &name, const std::string &value) {
    device.allocations = device.launches = device.calls = device.downloads = 0;
    device.dead = SUCCESS;
    if (name == "name") {
        device.settings.name = value;
        return true;
    }
    uint64_t *number = number_of(device.settings, name);
    return number != nullptr && read_number(value, *number);
}

bool resize(uint64_t count) {
    if (count > MOST_DEVICES) return false;
    auto &devices = driver().devices;
    while (devices.size() > count) devices.pop_back();
    while (devices.size() < count) {
        devices.push_back(std::make_unique<Device>());
        devices.back()->ordinal = static_cast<int>(devices.size()) - 1;
    }
    return true;
}

bool configure_one(const std::string &setting) {
    size_t equal = setting.find('=');
    if (equal == std::string::npos) return false;
    std::string name = setting.substr(0, equal), value = setting.substr(equal + 1);
    uint64_t number = 0;
    if (name == "devices") return read_number(value, number) && resize(number);
    if (name == "version") return read_number(value, driver().version);
    size_t dot = name.find('.');
    if (dot != std::string::npos) {
        if (!read_number(name.substr(0, dot), number)) return false;
        if (number >= driver().devices.size()) return false;
        return configure_device(*driver().devices[number], name.substr(dot + 1), value);
    }
    bool is_known = !driver().devices.empty();
    for (auto &device : driver().devices) is_known &= configure_device(*device, name, value);
    return is_known;
}

}  // namespace

// The driver lives as long as the process: other threads may call it until the end.
Driver &driver() {
    static Driver *all = [] {
        auto *made = new Driver;
        made->devices.push_back(std::make_unique<Device>());
        made->devices.back()->ordinal = 0;
        return made;
    }();
    return *all;
}

bool configure(const char *settings) {
    std::lock_guard guard(driver().lock);
    std::string all = settings;
    while (!all.empty()) {
        size_t comma = all.find(',');
        if (!configure_one(all.substr(0, comma))) return false;
        all = comma == std::string::npos ? "" : all.substr(comma + 1);
    }
    return true;
}

bool configure_from_environment() {
    const char *settings = std::getenv(ENVIRONMENT);
    return settings == nullptr || configure(settings);
}

Status current(Context *&context) {
    if (!driver().is_initialized) return NOT_INITIALIZED;
    context = current_context;
    bool exists = false;
    for (const auto &device : driver().devices) exists |= device->context.get() == context;
    if (context == nullptr || !exists) return INVALID_CONTEXT;
    Device &device = *context->device;
    if (++device.calls == device.settings.lost) device.dead = UNKNOWN;
    if (device.dead != SUCCESS) return device.dead;
    return context->lost;
}

Status make_current(Context *context) {
    if (!driver().is_initialized) return NOT_INITIALIZED;
    current_context = context;
    Context *same = nullptr;
    return context == nullptr ? SUCCESS : current(same);
}

void add(Stream &stream, std::function<Status()> work) {
    if (stream.captured != nullptr) {
        stream.captured->work.push_back(std::move(work));
        return;
    }
    stream.work.push_back(std::move(work));
    ++stream.added;
}

Status run(Stream &stream, uint64_t until) {
    Context &context = *stream.context;
    while (stream.done < until && context.lost == SUCCESS) {
        auto work = std::move(stream.work.front());
        stream.work.pop_front();
        ++stream.done;
        Status status = work();
        if (status != SUCCESS) return lose(context, status);
    }
    return context.lost;
}

Status run_all(Context &context) {
    for (const auto &stream : context.streams) {
        Status status = run(*stream, stream->added);
        if (status != SUCCESS) return status;
    }
    return context.lost;
}

Status lose(Context &context, Status status) {
    context.lost = status;
    if (context.device->settings.recovers == 0) context.device->dead = status;
    return status;
}

}  // namespace halimede::standin

// Changes settings while a program runs; see `configure`.
HALIMEDE_API halimede_standin_configure(const char *settings) {
    using namespace halimede::standin;
    return settings != nullptr && configure(settings) ? SUCCESS : INVALID_VALUE;
}
