// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions of the driver: initialization, devices, contexts and errors.
#include <cstring>

#include "state.h"

namespace halimede::standin {
bool configure_from_environment();

namespace {

struct ErrorText {
    Status status;
    const char *name, *text;
};
constexpr ErrorText ERRORS[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for the device"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "unsupported PTX version"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText *text_of(Status status) {
    for (const ErrorText &error : ERRORS) {
        if (error.status == status) return &error;
    }
    return nullptr;
}

Device *device_of(int ordinal) {
    auto &devices = driver().devices;
    if (ordinal < 0 || static_cast<size_t>(ordinal) >= devices.size()) return nullptr;
    return devices[static_cast<size_t>(ordinal)].get();
}

// CUDA driver API, CUdevice_attribute.
enum Attribute {
    MAX_THREADS_PER_BLOCK = 1,
    WARP_SIZE = 10,
    MULTIPROCESSOR_COUNT = 16,
    MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CAPABILITY_MAJOR = 75,
    CAPABILITY_MINOR = 76,
};

}  // namespace
}  // namespace halimede::standin

using namespace halimede::standin;

HALIMEDE_API cuInit(unsigned flags) {
    std::lock_guard guard(driver().lock);
    if (flags != 0) return INVALID_VALUE;
    if (!driver().is_initialized && !configure_from_environment()) return INVALID_VALUE;
    if (driver().devices.empty()) return NO_DEVICE;
    driver().is_initialized = true;
    return SUCCESS;
}

HALIMEDE_API cuDriverGetVersion(int *version) {
    std::lock_guard guard(driver().lock);
    if (version == nullptr) return INVALID_VALUE;
    *version = static_cast<int>(driver().version);
    return SUCCESS;
}

HALIMEDE_API cuGetErrorName(Status status, const char **name) {
    const ErrorText *error = text_of(status);
    if (name == nullptr || error == nullptr) return INVALID_VALUE;
    *name = error->name;
    return SUCCESS;
}

HALIMEDE_API cuGetErrorString(Status status, const char **text) {
    const ErrorText *error = text_of(status);
    if (text == nullptr || error == nullptr) return INVALID_VALUE;
    *text = error->text;
    return SUCCESS;
}

HALIMEDE_API cuDeviceGetCount(int *count) {
    std::lock_guard guard(driver().lock);
    if (!driver().is_initialized) return NOT_INITIALIZED;
    if (count == nullptr) return INVALID_VALUE;
    *count = static_cast<int>(driver().devices.size());
    return SUCCESS;
}

HALIMEDE_API cuDeviceGet(int *device, int ordinal) {
    std::lock_guard guard(driver().lock);
    if (!driver().is_initialized) return NOT_INITIALIZED;
    if (device == nullptr) return INVALID_VALUE;
    if (device_of(ordinal) == nullptr) return INVALID_DEVICE;
    *device = ordinal;
    return SUCCESS;
}

HALIMEDE_API cuDeviceGetName(char *name, int length, int ordinal) {
    std::lock_guard guard(driver().lock);
    const Device *device = device_of(ordinal);
    if (device == nullptr) return INVALID_DEVICE;
    if (name == nullptr || length <= 0) return INVALID_VALUE;
    std::strncpy(name, device->settings.name.c_str(), static_cast<size_t>(length));
    name[length - 1] = '\0';
    return SUCCESS;
}

HALIMEDE_API cuDeviceGetAttribute(int *value, int attribute, int ordinal) {
    std::lock_guard guard(driver().lock);
    const Device *device = device_of(ordinal);
    if (device == nullptr) return INVALID_DEVICE;
    if (value == nullptr) return INVALID_VALUE;
    int capability = static_cast<int>(device->settings.capability);
    switch (attribute) {
        case MAX_THREADS_PER_BLOCK: *value = 1024; return SUCCESS;
        case WARP_SIZE: *value = WARP; return SUCCESS;
        case MULTIPROCESSOR_COUNT: *value = MULTIPROCESSORS; return SUCCESS;
        case MAX_THREADS_PER_MULTIPROCESSOR: *value = MULTIPROCESSOR_THREADS; return SUCCESS;
        case CAPABILITY_MAJOR: *value = capability / 10; return SUCCESS;
        case CAPABILITY_MINOR: *value = capability % 10; return SUCCESS;
        default: return INVALID_VALUE;
    }
}

HALIMEDE_API cuDeviceTotalMem_v2(size_t *bytes, int ordinal) {
    std::lock_guard guard(driver().lock);
    const Device *device = device_of(ordinal);
    if (device == nullptr) return INVALID_DEVICE;
    if (bytes == nullptr) return INVALID_VALUE;
    *bytes = device->settings.memory;
    return SUCCESS;
}

HALIMEDE_API cuDevicePrimaryCtxRetain(Context **context, int ordinal) {
    std::lock_guard guard(driver().lock);
    if (!driver().is_initialized) return NOT_INITIALIZED;
    Device *device = device_of(ordinal);
    if (device == nullptr) return INVALID_DEVICE;
    if (context == nullptr) return INVALID_VALUE;
    if (device->dead != SUCCESS) return device->dead;
    if (!device->context) {
        device->context = std::make_unique<Context>();
        device->context->device = device;
    }
    ++device->retained;
    *context = device->context.get();
    return SUCCESS;
}

HALIMEDE_API cuDevicePrimaryCtxRelease_v2(int ordinal) {
    std::lock_guard guard(driver().lock);
    Device *device = device_of(ordinal);
    if (device == nullptr) return INVALID_DEVICE;
    if (device->retained == 0) return INVALID_CONTEXT;
    if (--device->retained == 0) device->context.reset();
    return SUCCESS;
}

HALIMEDE_API cuCtxSetCurrent(Context *context) {
    std::lock_guard guard(driver().lock);
    return make_current(context);
}

HALIMEDE_API cuCtxGetCurrent(Context **context) {
    std::lock_guard guard(driver().lock);
    if (context == nullptr) return INVALID_VALUE;
    Context *found = nullptr;
    Status status = current(found);
    *context = status == INVALID_CONTEXT ? nullptr : found;
    return status == INVALID_CONTEXT ? SUCCESS : status;
}

HALIMEDE_API cuCtxSynchronize() {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    return status == SUCCESS ? run_all(*context) : status;
}
