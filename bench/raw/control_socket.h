#pragma once
// The control connection of the two processes, beside the fabric: strings in order over a socket
// pair.
//
// Owns its descriptor. Throws std::runtime_error when the other process has ended.

#include <optional>
#include <string>
#include <utility>

namespace lintel::bench {

class ControlSocket {
 public:
  // Both ends of a new connection.
  static std::pair<ControlSocket, ControlSocket> make_pair();

  ControlSocket(ControlSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ControlSocket& operator=(ControlSocket&&) = delete;
  ~ControlSocket();

  // `message` is at most 4096 bytes and not empty.
  void send(const std::string& message);
  // Returns the next message, or nothing if none has come. Does not block.
  std::optional<std::string> receive_if_any();
  // Waits for the next message and returns it.
  std::string receive();
  // Throws when the other process has ended.
  void check_alive() const;

 private:
  explicit ControlSocket(int descriptor) : descriptor_(descriptor) {}
  std::optional<std::string> receive(int flags);

  int descriptor_;
};

}  // namespace lintel::bench
