#pragma once
// ReadOrder: which sockets the next poll() reads. Those that were read last are read without asking
// epoll, which costs a system call; it is asked about all others now and then.
//
// A member of DirectTables; guarded by its owner's lock. Borrows the connections until remove().
// Does not: read.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace lintel::transport {

struct DirectConnection;

class ReadOrder {
 public:
  static constexpr std::size_t kRecent = 2;  // connections that are read without epoll_wait

  // The latest first. They may change while they are read.
  std::span<DirectConnection* const> recent() const { return {recent_.data(), count_}; }
  // Something has arrived on it; so many connections are open.
  void note(DirectConnection& connection, std::size_t open) {
    const std::size_t most = open > kRecent ? 1 : kRecent;
    if (count_ > 0 && recent_[0] == &connection && count_ <= most) return;
    remove(connection);
    if (count_ == kRecent) --count_;
    std::copy_backward(recent_.begin(), recent_.begin() + count_, recent_.begin() + count_ + 1);
    recent_[0] = &connection;
    count_ = std::min(count_ + 1, most);
  }
  void remove(const DirectConnection& connection) {
    const auto end = recent_.begin() + count_;
    count_ =
        static_cast<std::size_t>(std::remove(recent_.begin(), end, &connection) - recent_.begin());
  }

  // Whether this turn asks epoll. `nobody_else`: no connection but those of recent() is open, and
  // none is being made by this process.
  bool is_turn_of_all(bool nobody_else) {
    if (turns_of_all_ > 0) {
      --turns_of_all_;
      return true;
    }
    return all_are_due_ || ++turns_ % (nobody_else ? kTurnsAlone : kTurnsAmongOthers) == 0;
  }
  // Whether the next turn asks it in any case.
  void set_all_due(bool due) { all_are_due_ = due; }
  // A connection that another process begins has come a step further, so more is likely to come:
  // the next turns ask it too. One on which nothing happens has no such turns.
  void expect_more() { turns_of_all_ = kTurnsAlone; }

 private:
  // Turns between two epoll_wait, with and without other connections.
  static constexpr unsigned kTurnsAlone = 32;
  static constexpr unsigned kTurnsAmongOthers = 2;

  std::array<DirectConnection*, kRecent> recent_{};
  std::size_t count_ = 0;
  bool all_are_due_ = true;
  unsigned turns_ = 0;
  unsigned turns_of_all_ = 0;  // so many turns ask epoll, whatever else holds
};

}  // namespace lintel::transport
