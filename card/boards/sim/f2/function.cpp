// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "function.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace f2_sim {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

Function::Function(const std::string& folder)
    : path_(folder + "/resource4"), combining_(folder + "/resource4_wc") {
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) fail("cannot create " + path_);
    void* memory = MAP_FAILED;
    if (::ftruncate(file, kFunctionBytes) == 0) {
        memory = ::mmap(nullptr, kFunctionBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    ::close(file);
    if (memory == MAP_FAILED) fail("cannot map " + path_);
    memory_ = static_cast<uint8_t*>(memory);
    if (::link(path_.c_str(), combining_.c_str()) != 0) fail("cannot link " + combining_);
}

Function::~Function() {
    if (memory_ != nullptr) {
        std::memset(memory_, 0xFF, kFunctionBytes);
        ::munmap(memory_, kFunctionBytes);
    }
    ::unlink(combining_.c_str());
    ::unlink(path_.c_str());
}

uint32_t Function::get(Word word) const {
    return __atomic_load_n(reinterpret_cast<const uint32_t*>(memory_ + kControl) + word,
                           __ATOMIC_SEQ_CST);
}

void Function::set(Word word, uint32_t value) {
    __atomic_store_n(reinterpret_cast<uint32_t*>(memory_ + kControl) + word, value,
                     __ATOMIC_SEQ_CST);
}

}  // namespace f2_sim
