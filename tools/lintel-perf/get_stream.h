#pragma once
// Gets from one target: what get latency and get bandwidth have in common.

#include "session.h"
#include "settings.h"

namespace lintel::perf {

// Both sides for gets of `size` bytes; `window`: how many may be under way.
class GetPair {
 public:
  GetPair(Session& session, const Settings& settings, std::uint64_t size, std::uint64_t window);

  // Fetches `messages` different messages, up to `window` at a time, and compares every byte.
  void verify_each(std::uint64_t messages);

  // Gives pass `pass` a message of its own at the target, and spoils what lies here.
  void prepare_pass(std::uint64_t pass);
  void check_pass(std::uint64_t pass);

  Pair& pair() { return pair_; }

 private:
  std::uint64_t window_;
  Pair pair_;
};

}  // namespace lintel::perf
