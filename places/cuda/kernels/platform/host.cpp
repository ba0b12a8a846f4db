// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs kernels on a processor: the threads of a block are contexts that take turns.
#include "platform.cuh"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace halimede::emulation {

thread_local Place place;
thread_local uint32 carry;

namespace {

// Address and undefined-behavior checks make the frames of kernels many times larger.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t STACK = size_t{1} << 20;
#else
constexpr size_t STACK = size_t{1} << 18;
#endif

enum class State { ready, waits_for_block, waits_for_warp, ended };

// A context. It runs one thread of each block, one after the other.
struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    // Where the context goes on after it has begun.
    void *jump[5];
    bool has_begun = false;
    State state = State::ended;
    uint32 value;
    Place place;
    // The stack of a context that does not run, as AddressSanitizer knows it.
    void *shadow;
};

// The block that runs on this thread of the processor.
struct Block {
    // Contexts refer to themselves and never move.
    std::deque<Thread> threads;
    ucontext_t scheduler;
    void *jump[5];
    void *scheduler_shadow;
    const void *scheduler_stack;
    size_t scheduler_size;
    const Kernel *kernel;
    void **arguments;
    Thread *running;
};
thread_local Block block;

Kernel *&list() {
    static Kernel *kernels = nullptr;
    return kernels;
}

// Tells AddressSanitizer of a switch to another stack, and back.
void leave([[maybe_unused]] void **shadow, [[maybe_unused]] const void *stack,
           [[maybe_unused]] size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(shadow, stack, size);
#endif
}
void arrive([[maybe_unused]] void *shadow, [[maybe_unused]] const void **stack,
            [[maybe_unused]] size_t *size) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(shadow, stack, size);
#endif
}

// Switches from the scheduler to a thread, and back. `swapcontext` calls the kernel for the mask of
// signals, which takes most of the time of a small block; AddressSanitizer needs it.
[[gnu::noinline]] void enter(Thread &thread) {
#if defined(__SANITIZE_ADDRESS__)
    swapcontext(&block.scheduler, &thread.context);
#else
    if (__builtin_setjmp(block.jump) == 0) {
        if (thread.has_begun) __builtin_longjmp(thread.jump, 1);
        thread.has_begun = true;
        setcontext(&thread.context);
    }
#endif
}
[[gnu::noinline]] void exit(Thread &thread) {
#if defined(__SANITIZE_ADDRESS__)
    swapcontext(&thread.context, &block.scheduler);
#else
    if (__builtin_setjmp(thread.jump) == 0) __builtin_longjmp(block.jump, 1);
#endif
}

// Returns to the scheduler from a thread, which `state` describes.
void yield(State state) {
    Thread &thread = *block.running;
    thread.state = state;
    leave(&thread.shadow, block.scheduler_stack, block.scheduler_size);
    exit(thread);
    arrive(thread.shadow, &block.scheduler_stack, &block.scheduler_size);
    place = thread.place;
}

void begin() {
    arrive(nullptr, &block.scheduler_stack, &block.scheduler_size);
    place = block.running->place;
    while (true) {
        block.kernel->call(block.arguments);
        yield(State::ended);
    }
}

// Makes the context of a thread anew.
void prepare(Thread &thread) {
    if (!thread.stack) thread.stack.reset(new char[STACK]);
    thread.has_begun = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = STACK;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, begin, 0);
}

void resume(Thread &thread) {
    block.running = &thread;
    leave(&block.scheduler_shadow, thread.stack.get(), STACK);
    enter(thread);
    arrive(block.scheduler_shadow, nullptr, nullptr);
}

// Makes the threads of a range ready if all that have not ended wait in the state `waits`.
bool release(uint32 from, uint32 to, State waits) {
    bool any = false;
    for (uint32 index = from; index < to; ++index) {
        State state = block.threads[index].state;
        if (state != waits && state != State::ended) return false;
        any |= state == waits;
    }
    for (uint32 index = from; index < to && any; ++index) {
        if (block.threads[index].state == waits) block.threads[index].state = State::ready;
    }
    return any;
}

// Runs the threads of a warp until none is ready.
void run_warp(uint32 from, uint32 to) {
    do {
        for (uint32 index = from; index < to; ++index) {
            if (block.threads[index].state == State::ready) resume(block.threads[index]);
        }
    } while (release(from, to, State::waits_for_warp));
}

void run_block(uint32 threads) {
    do {
        for (uint32 from = 0; from < threads; from += WARP) {
            run_warp(from, from + WARP < threads ? from + WARP : threads);
        }
    } while (release(0, threads, State::waits_for_block));
    for (uint32 index = 0; index < threads; ++index) {
        if (block.threads[index].state != State::ended) {
            std::fprintf(stderr, "%s: threads of a block wait for each other\n",
                         block.kernel->name);
            std::abort();
        }
    }
}

}  // namespace

Kernel::Kernel(const char *name, uint32 threads, uint32 arguments, const size_t *sizes,
               Caller call)
    : name(name), threads(threads), arguments(arguments), sizes(sizes), call(call),
      next(list()) {
    list() = this;
}

const Kernel *first() { return list(); }

const Kernel *find(const char *name) {
    const Kernel *kernel = list();
    while (kernel != nullptr && std::strcmp(kernel->name, name) != 0) kernel = kernel->next;
    return kernel;
}

void launch(const Kernel &kernel, uint32 blocks, uint32 threads, void **arguments) {
    block.kernel = &kernel;
    block.arguments = arguments;
    if (block.threads.size() < threads) block.threads.resize(threads);
    for (uint32 number = 0; number < blocks; ++number) {
        for (uint32 index = 0; index < threads; ++index) {
            Thread &thread = block.threads[index];
            // A fault that was caught left the contexts of its block where they were.
            if (!thread.stack || thread.state != State::ended) prepare(thread);
            thread.state = State::ready;
            thread.place = Place{index, number, threads, blocks};
        }
        run_block(threads);
    }
}

void wait_for_block() { yield(State::waits_for_block); }

uint32 exchange(uint32 value, uint32 lane) {
    block.running->value = value;
    yield(State::waits_for_warp);
    uint32 index = place.thread - place.thread % WARP + lane;
    uint32 result = index < block.threads.size() ? block.threads[index].value : value;
    // Nobody gives the next value before all have read this one.
    yield(State::waits_for_warp);
    return result;
}

}  // namespace halimede::emulation
