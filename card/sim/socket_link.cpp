// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "socket_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace card_sim {

namespace {

std::runtime_error failure(const std::string& what, const std::string& path) {
    return std::runtime_error(what + " " + path + ": " + std::strerror(errno));
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

// Removes a socket that has no listener any more. Any other file at the path is left unchanged.
void remove_stale(const std::string& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return;
    if (!S_ISSOCK(status.st_mode)) {
        throw std::runtime_error("--socket: " + path + " exists and is not a socket");
    }
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(path);
    const bool alive =
        ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(probe);
    if (alive) throw std::runtime_error("--socket: another process listens at " + path);
    ::unlink(path.c_str());
}

bool is_connected_unix_stream(int descriptor) {
    sockaddr_un address{};
    socklen_t size = sizeof address;
    int type = 0;
    socklen_t type_size = sizeof type;
    return ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
           address.sun_family == AF_UNIX &&
           ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 &&
           type == SOCK_STREAM;
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

SocketLink::SocketLink(const std::string& path, int wake_fd) : path_(path), wake_fd_(wake_fd) {
    remove_stale(path);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener_ < 0) throw failure("cannot make a socket for", path);
    const sockaddr_un address = address_of(path);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 1) != 0) {
        const std::runtime_error error = failure("cannot listen at", path);
        ::close(listener_);
        throw error;
    }
}

SocketLink::SocketLink(int connected_fd, int wake_fd) : wake_fd_(wake_fd), client_(connected_fd) {
    if (!is_connected_unix_stream(connected_fd)) {
        throw std::runtime_error("--stdio: standard input is not a connected Unix stream socket");
    }
}

SocketLink::~SocketLink() {
    hang_up();
    if (listener_ < 0) return;
    ::close(listener_);
    ::unlink(path_.c_str());
}

bool SocketLink::receive(std::vector<uint8_t>& buffer, size_t limit) {
    const size_t size = buffer.size();
    buffer.resize(size + limit);
    const ssize_t count = ::recv(client_, buffer.data() + size, limit, MSG_DONTWAIT);
    buffer.resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
    return count > 0 || (count < 0 && would_block());
}

bool SocketLink::send(const std::vector<uint8_t>& buffer, size_t& start) {
    const ssize_t count = ::send(client_, buffer.data() + start, buffer.size() - start,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return would_block();
    start += static_cast<size_t>(count);
    return true;
}

void SocketLink::hang_up() {
    if (client_ >= 0) ::close(client_);
    client_ = -1;
}

bool SocketLink::hung_up() const {
    pollfd descriptor{client_, 0, 0};
    return ::poll(&descriptor, 1, 0) == 1 && (descriptor.revents & (POLLHUP | POLLERR)) != 0;
}

bool SocketLink::accept_client() {
    if (client_ < 0 && listener_ >= 0) {
        client_ = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    }
    return client_ >= 0;
}

void SocketLink::wait(bool for_input, bool for_output) {
    pollfd descriptors[2] = {{wake_fd_, POLLIN, 0}, {listener_, POLLIN, 0}};
    if (client_ >= 0) {
        const int events = (for_input ? POLLIN : 0) | (for_output ? POLLOUT : 0);
        descriptors[1] = {client_, static_cast<short>(events), 0};
    }
    ::poll(descriptors, 2, -1);  // the result does not matter: the caller checks
}

}  // namespace card_sim
