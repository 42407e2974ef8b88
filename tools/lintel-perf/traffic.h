#pragma once
// The operations themselves, as both processes run them: windows of puts and gets, and one half of a ping-pong.
//
// All wait on side.queue, so each may throw PeerLost or Failure; operations may then still be under way, and the Side has to go.
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

// Waits for the target events of `messages` puts; events lost in a full queue count as well.
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

// Posts one put of side.local.
void start_put(Side& side, ptl_ack_req_t ack);

// Takes events until the sums of SEND_END and PUT_END seen since `sent` and `received` were 0 reach what is asked for.
struct PingPongCount {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  void wait_for(Side& side, std::uint64_t want_sent, std::uint64_t want_received) {
    ptl_event_t event;
    while (sent < want_sent || received < want_received) {
      side.queue.wait(event);
      if (event.type == PTL_EVENT_SEND_END) ++sent;
      if (event.type == PTL_EVENT_PUT_END) ++received;
    }
  }
};

template <class Each>
void ping(Side& side, std::uint64_t messages, Each each) {
  PingPongCount count;
  for (std::uint64_t i = 0; i < messages; ++i) {
    start_put(side, PTL_NO_ACK_REQ);
    count.wait_for(side, 0, i + 1);
    each(i);
  }
  count.wait_for(side, messages, messages);
}

}  // namespace lintel::perf
