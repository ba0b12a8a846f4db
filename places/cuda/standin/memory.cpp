// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions of the driver: memory and copies. Device memory is memory of this process between two
// pages that cannot be touched, so that a kernel that leaves it is stopped as on a GPU.
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "state.h"

namespace halimede::standin {

namespace {

// The driver allocates in units of this size.
constexpr size_t UNIT = 512;
// Kernels load at most 16 bytes at once.
constexpr size_t ALIGNMENT = 16;
// The value of the bytes behind an allocation.
constexpr int MARGIN = 0x5C;
// New memory holds this value up to a size: large allocations would take long.
constexpr int FILLER = 0xA5;
constexpr size_t MOST_FILLED = size_t{4} << 20;

size_t rounded(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// The bytes between the end of an allocation and the page behind it.
size_t margin(size_t bytes) { return rounded(bytes, ALIGNMENT) - bytes; }

void release(const Allocation &allocation) { munmap(allocation.pages, allocation.page_bytes); }

bool allocate(size_t bytes, Address &address, Allocation &allocation) {
    size_t inner = rounded(rounded(bytes, ALIGNMENT), page());
    size_t whole = inner + 2 * page();
    void *pages = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return false;
    char *first = static_cast<char *>(pages) + page();
    if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(pages, whole);
        return false;
    }
    char *start = first + inner - rounded(bytes, ALIGNMENT);
    size_t filled = bytes < MOST_FILLED ? bytes : MOST_FILLED;
    std::memset(start, FILLER, filled);
    std::memset(start + bytes, MARGIN, margin(bytes));
    address = reinterpret_cast<Address>(start);
    allocation = Allocation{bytes, pages, whole};
    return true;
}

char *memory_at(Address address) { return reinterpret_cast<char *>(address); }

// The stream of a handle, if both belong to the current context; null is an error.
Status stream_of(const Stream *handle, Context *&context, Stream *&stream) {
    Status status = current(context);
    if (status != SUCCESS) return status;
    stream = find(context->streams, handle);
    return stream == nullptr ? INVALID_HANDLE : SUCCESS;
}

}  // namespace

Context::~Context() {
    for (const auto &[address, allocation] : allocations) release(allocation);
    for (const auto &[start, bytes] : pinned) std::free(const_cast<char *>(start));
}

bool is_allocated(const Context &context, Address start, size_t bytes) {
    auto next = context.allocations.upper_bound(start);
    if (next == context.allocations.begin()) return false;
    const auto &[address, allocation] = *std::prev(next);
    size_t offset = start - address;
    return offset <= allocation.bytes && bytes <= allocation.bytes - offset;
}

bool is_pinned(const Context &context, const void *start, size_t bytes) {
    const char *first = static_cast<const char *>(start);
    auto next = context.pinned.upper_bound(first);
    if (next == context.pinned.begin()) return false;
    const auto &[address, length] = *std::prev(next);
    size_t offset = static_cast<size_t>(first - address);
    return offset <= length && bytes <= length - offset;
}

bool are_margins_whole(const Context &context) {
    for (const auto &[address, allocation] : context.allocations) {
        const char *end = memory_at(address) + allocation.bytes;
        for (size_t index = 0; index < margin(allocation.bytes); ++index) {
            if (static_cast<unsigned char>(end[index]) != MARGIN) return false;
        }
    }
    return true;
}

}  // namespace halimede::standin

using namespace halimede::standin;

HALIMEDE_API cuMemGetInfo_v2(size_t *free, size_t *total) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    if (free == nullptr || total == nullptr) return INVALID_VALUE;
    *total = context->device->settings.memory;
    *free = *total > context->used ? *total - context->used : 0;
    return SUCCESS;
}

HALIMEDE_API cuMemAlloc_v2(Address *address, size_t bytes) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    if (address == nullptr || bytes == 0) return INVALID_VALUE;
    Device &device = *context->device;
    size_t memory = device.settings.memory;
    if (++device.allocations == device.settings.out_of_memory) return OUT_OF_MEMORY;
    if (bytes > memory || rounded(bytes, UNIT) > memory - context->used) return OUT_OF_MEMORY;
    Allocation allocation{};
    if (!allocate(bytes, *address, allocation)) return OUT_OF_MEMORY;
    context->used += rounded(bytes, UNIT);
    context->allocations.emplace(*address, allocation);
    return SUCCESS;
}

// The driver waits for all work before it frees memory.
HALIMEDE_API cuMemFree_v2(Address address) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status == SUCCESS) status = run_all(*context);
    if (status != SUCCESS) return status;
    auto found = context->allocations.find(address);
    if (found == context->allocations.end()) return INVALID_VALUE;
    context->used -= rounded(found->second.bytes, UNIT);
    release(found->second);
    context->allocations.erase(found);
    return SUCCESS;
}

HALIMEDE_API cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    if (pointer == nullptr || bytes == 0 || flags > 7) return INVALID_VALUE;
    void *memory = std::aligned_alloc(page(), rounded(bytes, page()));
    if (memory == nullptr) return OUT_OF_MEMORY;
    context->pinned.emplace(static_cast<const char *>(memory), bytes);
    *pointer = memory;
    return SUCCESS;
}

HALIMEDE_API cuMemFreeHost(void *pointer) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status == SUCCESS) status = run_all(*context);
    if (status != SUCCESS) return status;
    if (context->pinned.erase(static_cast<const char *>(pointer)) == 0) return INVALID_VALUE;
    std::free(pointer);
    return SUCCESS;
}

// Memory that is not pinned has been read when the call returns.
HALIMEDE_API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream *handle) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Stream *stream = nullptr;
    Status status = stream_of(handle, context, stream);
    if (status != SUCCESS) return status;
    if (from == nullptr || !is_allocated(*context, to, bytes)) return INVALID_VALUE;
    if (is_pinned(*context, from, bytes)) {
        add(*stream, [=] {
            std::memcpy(memory_at(to), from, bytes);
            return SUCCESS;
        });
        return SUCCESS;
    }
    if (stream->captured != nullptr) return STREAM_CAPTURE_UNSUPPORTED;
    const char *start = static_cast<const char *>(from);
    auto staged = std::make_shared<std::vector<char>>(start, start + bytes);
    add(*stream, [=] {
        std::memcpy(memory_at(to), staged->data(), staged->size());
        return SUCCESS;
    });
    return SUCCESS;
}

// Memory that is not pinned has been written when the call returns.
HALIMEDE_API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream *handle) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Stream *stream = nullptr;
    Status status = stream_of(handle, context, stream);
    if (status != SUCCESS) return status;
    if (to == nullptr || !is_allocated(*context, from, bytes)) return INVALID_VALUE;
    bool waits = !is_pinned(*context, to, bytes);
    if (waits && stream->captured != nullptr) return STREAM_CAPTURE_UNSUPPORTED;
    Device *device = context->device;
    add(*stream, [=] {
        std::memcpy(to, memory_at(from), bytes);
        if (++device->downloads == device->settings.corrupt && bytes > 0) {
            static_cast<char *>(to)[bytes / 2] ^= 1;
        }
        return SUCCESS;
    });
    return waits ? run(*stream, stream->added) : SUCCESS;
}

HALIMEDE_API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream *handle) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Stream *stream = nullptr;
    Status status = stream_of(handle, context, stream);
    if (status != SUCCESS) return status;
    if (!is_allocated(*context, to, bytes) || !is_allocated(*context, from, bytes)) {
        return INVALID_VALUE;
    }
    add(*stream, [=] {
        std::memmove(memory_at(to), memory_at(from), bytes);
        return SUCCESS;
    });
    return SUCCESS;
}

HALIMEDE_API cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream *handle) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Stream *stream = nullptr;
    Status status = stream_of(handle, context, stream);
    if (status != SUCCESS) return status;
    if (!is_allocated(*context, to, bytes)) return INVALID_VALUE;
    add(*stream, [=] {
        std::memset(memory_at(to), value, bytes);
        return SUCCESS;
    });
    return SUCCESS;
}
