#pragma once
// The two processes' own line, beside the fabric: strings in order over a socket pair.
//
// Owns its descriptor. Throws std::runtime_error when the other process is gone.

#include <optional>
#include <string>
#include <utility>

namespace lintel::bench {

class ControlChannel {
 public:
  // Both ends of a new line.
  static std::pair<ControlChannel, ControlChannel> make_pair();

  ControlChannel(ControlChannel&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ControlChannel& operator=(ControlChannel&&) = delete;
  ~ControlChannel();

  // `message` is at most 4096 bytes and not empty.
  void send(const std::string& message);
  // The next message, or nothing yet. Does not block.
  std::optional<std::string> receive_if_any();
  // Blocks for the next message.
  std::string receive();
  // Throws when the other process has ended.
  void check_alive() const;

 private:
  explicit ControlChannel(int descriptor) : descriptor_(descriptor) {}
  std::optional<std::string> receive(int flags);

  int descriptor_;
};

}  // namespace lintel::bench
