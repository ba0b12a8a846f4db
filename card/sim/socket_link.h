// SPDX-License-Identifier: Apache-2.0 OR MIT
//
// The link to the host: a Unix stream socket that serves one client at a time. Only wait() blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace card_sim {

class SocketLink {
public:
    // Listens at `path`. Throws std::runtime_error with the path if that is impossible. `wake_fd`
    // becomes readable when the process is to end.
    SocketLink(const std::string& path, int wake_fd);
    // Serves only the client at the other end of `connected_fd`. Throws std::runtime_error if it is
    // not a connected Unix stream socket.
    SocketLink(int connected_fd, int wake_fd);
    ~SocketLink();
    SocketLink(const SocketLink&) = delete;
    SocketLink& operator=(const SocketLink&) = delete;

    bool connected() const { return client_ >= 0; }

    // Appends the received bytes, at most `limit`. Returns false if no more will come.
    bool receive(std::vector<uint8_t>& buffer, size_t limit);
    // Sends the bytes from `start` on that the socket accepts, and advances `start`. Returns false
    // if the client hung up.
    bool send(const std::vector<uint8_t>& buffer, size_t& start);
    void hang_up();
    // Returns true if the client has disconnected entirely, not only closed its sending side.
    bool hung_up() const;

    // Accepts a client if one waits. Returns true if a client is connected now.
    bool accept_client();
    // Blocks until something can be done: a client waits, input waits (if `for_input`), output can
    // be sent (if `for_output`), the client hangs up, or the process is to end.
    void wait(bool for_input, bool for_output);

private:
    std::string path_;  // empty: no listener
    int wake_fd_;
    int listener_ = -1;
    int client_ = -1;
};

}  // namespace card_sim
