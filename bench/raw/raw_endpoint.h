#pragma once
// One RDM endpoint with one peer, used as a careful application would use it: inject where the
// provider allows it, completions read in batches, progress when the provider has no room.
//
// Owns every fi_* object below it and one registered buffer, which all sends, receives and remote
// accesses share (its bytes have no meaning). Thread: the one that made it. Invariants: (1) a
// receive of the whole buffer is posted for each message that the peer may have under way; (2)
// completions are counted, not matched, because all operations of a kind are alike. Every call that
// moves data polls while the provider has no room, and throws FabricError when an operation fails
// or nothing moves.

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/raw/endpoint_objects.h"
#include "bench/raw/fabric_object.h"
#include "bench/raw/idle_watch.h"
#include "bench/raw/page_buffer.h"

namespace lintel::bench {

// What the peer must know to reach this endpoint.
struct Contact {
  std::string address;    // as fi_getname returned it
  std::uint64_t key = 0;  // of the buffer
  // offset or virtual address of the buffer, as the provider requires
  std::uint64_t remote_base = 0;
};

class RawEndpoint {
 public:
  using IdleHandler = IdleWatch::IdleHandler;

  // Opens `provider` (empty: the first of net, tcp offered) on this IPv4 address, with room for
  // messages of `buffer_bytes` and `receives` of them posted. Calls `on_idle` from time to time
  // while nothing completes, with the duration of that. It may throw to give up.
  RawEndpoint(const std::string& provider, const std::string& address, std::size_t buffer_bytes,
              std::size_t receives, IdleHandler on_idle);

  Contact contact() const;
  void connect(const Contact& peer);

  const fi_info& info() const { return *info_; }

  // Starts one operation of `bytes`. send() of at most the inject size has no completion.
  void send(std::size_t bytes);
  void write(std::size_t bytes);
  void write_and_notify(std::size_t bytes);  // the peer counts a notification when these bytes are
                                             // in place
  void read(std::size_t bytes);

  // Operations of this side that have not completed.
  std::uint64_t under_way() const { return started_ - completed_; }
  // Takes what has arrived since the last call, at most `at_most` messages or notifications. The
  // rest counts for the next call, so that a run does not lose what the peer sends for it while the
  // previous one ends.
  std::uint64_t take_messages(std::uint64_t at_most) { return take(messages_, at_most); }
  std::uint64_t take_notifications(std::uint64_t at_most) { return take(notifications_, at_most); }
  void post_receives();  // replaces the receives of messages that have arrived
  void poll();           // reads the completion queue

  template <class Condition>
  void poll_until(Condition condition) {
    while (!condition()) poll();
  }

 private:
  static std::uint64_t take(std::uint64_t& arrived, std::uint64_t at_most) {
    const std::uint64_t taken = std::min(arrived, at_most);
    arrived -= taken;
    return taken;
  }
  void count(const fi_cq_data_entry& entry);
  void read_failure();
  // Repeats `post` until the provider accepts the operation.
  template <class Post>
  void start(const char* call, Post post);

  IdleWatch idle_;
  InfoList info_;
  PageBuffer buffer_;
  EndpointObjects objects_;

  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::uint64_t peer_key_ = 0;
  std::uint64_t peer_base_ = 0;

  std::uint64_t started_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t messages_ = 0;       // arrived and not yet taken
  std::uint64_t notifications_ = 0;  // arrived and not yet taken
  std::uint64_t receives_posted_ = 0;
  std::uint64_t receives_wanted_ = 0;  // receives posted at a time
};

// The description that libfabric gives for `provider` on this address. For loopback also one
// without an address, if the provider has no IP addresses. Throws FabricError when the provider
// does not exist.
InfoList describe(const std::string& provider, const std::string& address);

}  // namespace lintel::bench
