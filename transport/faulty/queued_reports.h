#pragma once
// QueuedReports: what a FaultyTransport tells its sink at the next poll, because a call may not
// call the sink.
//
// Owned by FaultyTransport; guarded by its owner's lock.
// Invariant: reports are told in the order in which they were added, each once.

#include <cstddef>
#include <deque>
#include <functional>

#include "transport/transport.h"

namespace lintel::transport {

class QueuedReports {
 public:
  void add_left(PeerId to) {
    reports_.push_back({to, [to](Sink& sink) { sink.on_message_left(to); }});
  }
  // Not cancelled by cancel().
  void add_write_failed(Context context) {
    const Error error(Loss::kPeer, "post_write", "fault injected: the peer is lost");
    reports_.push_back(
        {kNoPeer, [context, error](Sink& sink) { sink.on_write_done(context, error); }});
  }
  void add_failed(PeerId peer, const char* call) {
    const Error error(Loss::kPeer, call, "fault injected: the peer is lost");
    reports_.push_back({peer, [peer, error](Sink& sink) { sink.on_peer_failed(peer, error); }});
  }
  // The connection with the peer has ended, and reports about it with it.
  void cancel(PeerId peer) {
    std::erase_if(reports_, [peer](const QueuedReport& report) { return report.peer == peer; });
  }

  bool empty() const { return reports_.empty(); }
  // Tells what is queued now. The sink may add or cancel reports. Returns the number.
  std::size_t tell(Sink& sink) {
    std::size_t told = 0;
    for (std::size_t left = reports_.size(); left > 0 && !reports_.empty(); --left, ++told) {
      const auto report = std::move(reports_.front());
      reports_.pop_front();
      report.tell(sink);
    }
    return told;
  }

 private:
  struct QueuedReport {
    PeerId peer;  // the peer of its connection; kNoPeer: disconnect() does not cancel it
    std::function<void(Sink&)> tell;
  };

  std::deque<QueuedReport> reports_;
};

}  // namespace lintel::transport
