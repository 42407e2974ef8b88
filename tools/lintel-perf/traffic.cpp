#include "traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "failure.h"
#include "interface.h"
#include "portals_call.h"

namespace lintel::perf {
namespace {

void check_length(const ptl_event_t& event, std::uint64_t size) {
  if (event.mlength == size) [[likely]]
    return;
  throw Failure(ExitCode::kFailed, fmt::format("verification failed: {} says that {} bytes were moved; expected {}",
                                               PtlEventKindStr(event.type), event.mlength, size));
}

// Keeps up to `window` operations under way until `messages` are done. `post(i)` starts operation i and returns its Ptl code; `on_event` returns whether
// the event completes an operation. Events are taken in bursts and replaced in bursts, so that small operations can leave together.
template <class Post, class OnEvent>
void run_window(Side& side, std::uint64_t messages, std::uint64_t window, const char* call, Post post, OnEvent on_event) {
  std::uint64_t posted = 0;
  std::uint64_t done = 0;
  ptl_event_t event;
  while (done < messages) {
    while (posted < messages && posted - done < window) {
      const int code = post(posted);
      if (code == PTL_NO_SPACE && posted > done) break;  // the library has all it can take; events make room
      check_call(code, call);
      ++posted;
    }
    side.queue.wait(event);
    if (on_event(event)) ++done;
    while (done < posted && side.queue.poll(event)) {
      if (on_event(event)) ++done;
    }
  }
}

template <class Post>
void run_puts(Side& side, std::uint64_t messages, std::uint64_t window, Completion completion, Post post) {
  const ptl_event_kind_t completes = completion == Completion::kRemote ? PTL_EVENT_ACK : PTL_EVENT_SEND_END;
  std::uint64_t sent = 0;
  const auto on_event = [&](const ptl_event_t& event) {
    if (event.type == PTL_EVENT_SEND_END) ++sent;
    if (event.type == PTL_EVENT_ACK) check_length(event, side.parameters.size);
    return event.type == completes;
  };
  run_window(side, messages, window, "PtlPut", post, on_event);
  ptl_event_t event;
  while (sent < messages) {  // an ACK may come before its put's SEND_END
    side.queue.wait(event);
    on_event(event);
  }
}

template <class Post>
void run_gets(Side& side, std::uint64_t messages, std::uint64_t window, Post post) {
  run_window(side, messages, window, "PtlGet", post, [&](const ptl_event_t& event) {
    if (event.type != PTL_EVENT_REPLY_END) return false;
    check_length(event, side.parameters.size);
    return true;
  });
}

// Remembers the first failed check; the exchange goes on so that the peer is not left waiting.
template <class Check>
void note_failure(std::string& first, Check check) {
  try {
    check();
  } catch (const Failure& failure) {
    if (first.empty()) first = failure.what();
  }
}

}  // namespace

void start_put(Side& side, ptl_ack_req_t ack) { check_call(PtlPut(side.local->md(), ack, side.peer, kTimedPortal, 0, 0, 0, 0), "PtlPut"); }

void put_window(Side& side, std::uint64_t messages, std::uint64_t window, Completion completion) {
  const ptl_ack_req_t ack = completion == Completion::kRemote ? PTL_ACK_REQ : PTL_NO_ACK_REQ;
  run_puts(side, messages, window, completion,
           [&, md = side.local->md()](std::uint64_t i) { return PtlPut(md, ack, side.peer, kTimedPortal, 0, 0, 0, i); });
}

void put_slots(Side& side, std::uint64_t count) {
  run_puts(side, count, count, Completion::kRemote,
           [&](std::uint64_t i) { return PtlPut(side.local_slots[i]->md(), PTL_ACK_REQ, side.peer, kSlotPortal, 0, i, 0, i); });
}

void get_window(Side& side, std::uint64_t messages, std::uint64_t window) {
  run_gets(side, messages, window, [&, md = side.local->md()](std::uint64_t) { return PtlGet(md, side.peer, kTimedPortal, 0, 0, 0); });
}

void get_slots(Side& side, std::uint64_t count, std::uint64_t window) {
  run_gets(side, count, window, [&](std::uint64_t i) { return PtlGet(side.local_slots[i]->md(), side.peer, kSlotPortal, 0, i, 0); });
}

void count_puts(Side& side, std::uint64_t messages) {
  ptl_event_t event;
  std::uint64_t counted = 0;
  while (counted < messages) {
    const bool lost = !side.queue.wait_lossy(event);
    if (lost && !side.last_counted)
      throw Failure(ExitCode::kFailed, "events were lost before the first was seen; expected fewer --iterations");
    // This queue holds nothing but PUT_END, so the sequence tells of those that were overwritten too.
    counted += side.last_counted ? static_cast<ptl_seq_t>(event.sequence - *side.last_counted) : 1;
    side.last_counted = event.sequence;
  }
}

void pong(Side& side, std::uint64_t messages) {
  PingPongCount count;
  for (std::uint64_t i = 0; i < messages; ++i) {
    count.wait_for(side, 0, i + 1);
    start_put(side, PTL_NO_ACK_REQ);
  }
  count.wait_for(side, messages, messages);
}

std::string ping_verified(Side& side, std::uint64_t messages, std::uint64_t pass) {
  std::string failure;
  PingPongCount count;
  for (std::uint64_t i = 0; i < messages; ++i) {
    side.local->region().fill(pattern_id(Origin::kInitiator, pass, i));
    start_put(side, PTL_NO_ACK_REQ);
    count.wait_for(side, i + 1, i + 1);
    note_failure(failure, [&] { side.exposed->region().check(pattern_id(Origin::kTarget, pass, i)); });
  }
  return failure;
}

std::string pong_verified(Side& side, std::uint64_t messages, std::uint64_t pass) {
  std::string failure;
  PingPongCount count;
  for (std::uint64_t i = 0; i < messages; ++i) {
    count.wait_for(side, i, i + 1);
    note_failure(failure, [&] { side.exposed->region().check(pattern_id(Origin::kInitiator, pass, i)); });
    side.local->region().fill(pattern_id(Origin::kTarget, pass, i));
    start_put(side, PTL_NO_ACK_REQ);
  }
  count.wait_for(side, messages, messages);
  return failure;
}

}  // namespace lintel::perf
