#include "transport/contact/connect_attempts.h"

#include <algorithm>

namespace lintel::transport {
namespace {

constexpr Nanoseconds kEagerPhase = std::chrono::milliseconds(1);
constexpr Nanoseconds kRetryInterval = std::chrono::milliseconds(1);
constexpr Nanoseconds kForgottenAfter = std::chrono::seconds(1);

}  // namespace

void ConnectAttempts::reserve(std::size_t peers) {
  if (waiting_.capacity() < peers) waiting_.reserve(std::max(peers, 2 * waiting_.capacity()));
}

void ConnectAttempts::begin(ConnectAttempt& attempt, TimePoint now) {
  if (attempt.waiting) return;
  waiting_.push_back(&attempt);  // first: there may be no memory
  attempt.waiting = true;
  attempt.since = kNever;
  attempt.obstacle = {};
  attempt.last_wanted = attempt.next_try = now;
}

void ConnectAttempts::refused(ConnectAttempt& attempt, TimePoint now, Error obstacle) {
  if (!attempt.waiting) return;
  attempt.obstacle = obstacle;
  const bool eager = attempt.since == kNever || now - attempt.since < kEagerPhase;
  attempt.next_try = eager ? now : now + kRetryInterval;
}

void ConnectAttempts::end(ConnectAttempt& attempt) {
  if (!attempt.waiting) return;
  attempt.waiting = false;
  std::erase(waiting_, &attempt);
}

std::optional<ConnectAttempts::Expiry> ConnectAttempts::judge(ConnectAttempt& attempt,
                                                              TimePoint now) const {
  if (attempt.since == kNever) attempt.since = attempt.last_wanted = now;
  if (now - attempt.last_wanted > kForgottenAfter) return Expiry::kForgotten;
  if (now - attempt.since > timeout_) return Expiry::kTimedOut;
  return std::nullopt;
}

TimePoint ConnectAttempts::next_deadline(TimePoint now) const {
  TimePoint deadline = kNever;
  for (const ConnectAttempt* const attempt : waiting_) {
    if (attempt->since == kNever) return now;
    // An owner that wants the peer calls may_try() in each turn. If it did not, the attempt only
    // waits to be forgotten.
    TimePoint next = attempt->in_progress ? kNever : attempt->next_try;
    if (attempt->last_wanted < now) next = attempt->last_wanted + kForgottenAfter;
    deadline = std::min({deadline, next, attempt->since + timeout_});
  }
  return deadline;
}

}  // namespace lintel::transport
