#pragma once
// The operations themselves, as both processes run them: windows of puts, gets and sums, and one half of a ping-pong.
//
// All wait on side.operations, so each may throw PeerLost or Failure; operations may then still be under way, and the Side has to go.
// None looks at a clock or at message bytes, except where the name says so.

#include <cstdint>
#include <string>

#include "side.h"

namespace lintel::perf {

enum class Completion { kLocal, kRemote };

// Puts side.local's message `messages` times to the peer, at most `window` at a time. kRemote: a put counts as done with its ACK; kLocal: with SEND_END.
// Every event of these puts has been taken on return.
void put_window(Side& side, std::uint64_t messages, std::uint64_t window, Completion completion);

// The same with one message from each of the first `count` slots, done with the ACK.
void put_slots(Side& side, std::uint64_t count);

// Gets the peer's message into side.local `messages` times, at most `window` at a time.
void get_window(Side& side, std::uint64_t messages, std::uint64_t window);

// One get into each of the first `count` slots; `window` at a time.
void get_slots(Side& side, std::uint64_t count, std::uint64_t window);

// Adds side.local's words to the peer's `messages` times, at most `window` at a time; done with the ACK.
void add_window(Side& side, std::uint64_t messages, std::uint64_t window);

// Waits until `messages` more puts have arrived here.
void count_puts(Side& side, std::uint64_t messages);

// One put to the peer and the wait for its answer, `messages` times; `each(i)` runs after round trip `i`.
template <class Each>
void ping(Side& side, std::uint64_t messages, Each each);

// The other half: waits for a put and answers it, `messages` times.
void pong(Side& side, std::uint64_t messages);

// Ping-pong in which every byte of each message is checked on arrival. Both return the first Failure's sentence, or nothing, after all messages: the
// other half must not be left waiting.
std::string ping_verified(Side& side, std::uint64_t messages, std::uint64_t pass);
std::string pong_verified(Side& side, std::uint64_t messages, std::uint64_t pass);

// Starts one put of side.local.
void start_put(Side& side, Ack ack);

// Throws Failure unless an operation that is alone has started.
void require_started(bool started, const char* operation);

template <class Each>
void ping(Side& side, std::uint64_t messages, Each each) {
  const std::uint64_t before = side.operations->count(Moment::kArrived);
  for (std::uint64_t i = 0; i < messages; ++i) {
    start_put(side, Ack::kNo);
    side.operations->wait(Moment::kArrived, before + i + 1);
    each(i);
  }
  side.operations->settle();
}

}  // namespace lintel::perf
