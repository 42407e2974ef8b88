#pragma once
// FabricTransport: messages and remote writes through one libfabric endpoint.
//
// Owns the endpoint with all objects that it needs, the buffers of messages under way, and the
// registrations. Borrows the bytes of writes and of registered memory. Thread: no lock of its own,
// see Transport. Uses one network interface and listens on one address of it.
//
// Invariants:
//  (1) Each operation that the provider has is one record of `operations_`. The record is given
//      back when its completion is read.
//  (2) At least two receive buffers are posted, except between a release and the next poll().
//  (3) Buffers are freed after the endpoint is closed.
//  (4) A provider is used only for what its description offers.
// Does not: order, repeat or acknowledge anything (its owner does), or notice the death of a peer
// with which it exchanges nothing.
// More than 30 members: 23 are functions of Transport, 13 the parts that own its state, and the
// others open it, post operations, and end them.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/owner_lock.h"
#include "transport/contact/network_options.h"
#include "transport/fabric/discovery.h"
#include "transport/fabric/fabric_counters.h"
#include "transport/fabric/fabric_domain.h"
#include "transport/fabric/fabric_options.h"
#include "transport/fabric/fabric_peer_table.h"
#include "transport/fabric/frame_memory.h"
#include "transport/fabric/held_completions.h"
#include "transport/fabric/memory_registrar.h"
#include "transport/fabric/memory_rules.h"
#include "transport/fabric/operation_table.h"
#include "transport/fabric/peer_doorbells.h"
#include "transport/fabric/placed_receives.h"
#include "transport/fabric/receive_buffers.h"
#include "transport/fabric/registered_memory.h"
#include "transport/fabric/shared_memory_writes.h"
#include "transport/fabric/wait_object.h"
#include "transport/transport.h"

namespace lintel::transport {

class FabricTransport final : public Transport {
 public:
  // Opens an endpoint. Blocks while libfabric loads its providers; sends nothing.
  // Error: Loss::kOperation for an option that cannot be used (address, pid, provider), else
  // kInterface. `explanation`, if given, receives a sentence with the value and what was expected.
  static Result<std::unique_ptr<FabricTransport>> open(const NetworkOptions& options,
                                                       const FabricOptions& fabric = {},
                                                       std::string* explanation = nullptr);
  ~FabricTransport() override;
  FabricTransport(const FabricTransport&) = delete;
  FabricTransport& operator=(const FabricTransport&) = delete;

  const TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return self_; }
  Result<PeerId> resolve(ProcessId name) override;
  ProcessId name_of(PeerId peer) const override;
  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override;
  // libfabric has no call that ends one connection, and none that takes back a send or a write. So
  // the provider's operations with the peer end when the provider ends them:
  //  * Frames become free, and on_write_done() is called, only then. Until then they do not count
  //    as the peer's, and others are added to the pool in their place, up to as many as the pool
  //    has (OperationTable::write_off).
  //  * A placed message that is arriving, and a write into memory that is still registered, may
  //    continue to change memory.
  // Everything else is as in Transport: expected payloads are withdrawn, a placed message that
  // arrives is not reported, and completions that come later do not count for a later connection.
  [[gnu::cold]] void disconnect(PeerId peer) override;
  Result<Registration> register_memory(PeerId peer, std::span<std::byte> memory,
                                       Access access) override;
  void deregister_memory(const Registration& region) override;
  PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context) override;
  void enable_placement() override;
  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                           std::span<const std::byte> payload, PlacementKey key,
                           Context context) override;
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override;
  Withdrawal withdraw_placement(PeerId peer) override;
  // The provider reports lost connections unasked; the owner pings.
  void watch(PeerId, bool) override {}
  std::size_t poll(TimePoint now, Sink& sink) override;
  bool close(TimePoint now) override;
  TimePoint next_deadline() const override;
  int wait_fd() const override { return wait_fd_; }
  bool prepare_wait() override;
  // On shared memory only a peer that the provider does not know, see PeerDoorbells. Elsewhere when
  // the provider has no operation with the peer any more.
  [[gnu::cold]] void forget(PeerId peer) override;
  void dump(std::string& text) const override;

  const ProviderDescription& provider() const { return provider_; }
  FabricCounters counters() const {
    lock_.is_held();
    return counters_;
  }

 private:
  FabricTransport(const NetworkOptions& options, const FabricOptions& fabric,
                  DiscoveredProvider provider);

  // Opening, in this order (fabric_open.cpp).
  [[gnu::cold]] Error claim_name() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] Error open_objects() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] Error enable() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] Error read_own_name() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] Error prepare_buffers() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] Error post_first_receives() LINTEL_REQUIRES(lock_);

  // Completions (fabric_completions.cpp).
  std::size_t take_completion(const fi_cq_data_entry& entry, Sink& sink) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] std::size_t take_errors(Sink& sink) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] std::size_t take_error(const fi_cq_err_entry& entry, Sink& sink)
      LINTEL_REQUIRES(lock_);
  [[gnu::cold]] std::size_t end_failed_operation(FabricOperation& operation,
                                                 const fi_cq_err_entry& entry, Sink& sink)
      LINTEL_REQUIRES(lock_);
  std::size_t take_held(Sink& sink) LINTEL_REQUIRES(lock_);

  // Placed messages (fabric_placement.cpp).
  std::size_t take_placed(FabricOperation& receive, const fi_cq_data_entry& entry, Sink& sink)
      LINTEL_REQUIRES(lock_);
  void end_failed_receive(FabricOperation& receive, const fi_cq_err_entry& entry)
      LINTEL_REQUIRES(lock_);
  bool unexpected_is_waiting() LINTEL_REQUIRES(lock_);

  bool may_try(PeerId peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] PostStatus refused(PeerId peer, ssize_t status, const char* call)
      LINTEL_REQUIRES(lock_);
  std::size_t operations_in_flight() const LINTEL_REQUIRES(lock_);
  // A record for the peer whose share that is, added if need be; nullptr: not now.
  FabricOperation* take(OperationKind kind, SendShare& share) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool add_records(OperationKind kind) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void release_frames() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void drop_unwanted(PeerId peer) LINTEL_REQUIRES(lock_);
  void connected(const FabricPeer& peer) LINTEL_REQUIRES(lock_);
  void record_start(FabricOperation& operation, PeerId peer) LINTEL_REQUIRES(lock_);
  bool record_end(FabricOperation& operation) LINTEL_REQUIRES(lock_);

  NetworkOptions options_;
  FabricOptions fabric_options_;
  ProviderDescription provider_;
  TransportAttributes attributes_;
  ProcessId self_;
  OwnerLock lock_;
  MemoryRegistrar registrar_ LINTEL_GUARDED_BY(lock_);
  FabricCounters counters_ LINTEL_GUARDED_BY(lock_);
  OperationTable operations_ LINTEL_GUARDED_BY(lock_);
  FabricPeerTable peers_ LINTEL_GUARDED_BY(lock_);

  // Destroyed from the last to the first, so each object is declared after those that it needs. The
  // records and the buffers are declared before the endpoint, because the provider may use them
  // until it is closed.
  FabricDomain domain_;
  FrameMemory frames_ LINTEL_GUARDED_BY(lock_);
  ReceiveBuffers receives_ LINTEL_GUARDED_BY(lock_);
  PlacedReceives placed_receives_ LINTEL_GUARDED_BY(lock_);
  RegisteredMemory regions_ LINTEL_GUARDED_BY(lock_);
  FabricEndpoint end_ LINTEL_GUARDED_BY(lock_);

  HeldCompletions held_ LINTEL_GUARDED_BY(lock_);
  std::optional<PeerDoorbells> doorbells_ LINTEL_GUARDED_BY(lock_);  // shared memory only
  SharedMemoryWrites shared_memory_writes_ LINTEL_GUARDED_BY(lock_);
  WaitObject wait_object_ LINTEL_GUARDED_BY(lock_);
  int wait_fd_ = -1;
  bool closing_ LINTEL_GUARDED_BY(lock_) = false;
  TimePoint now_ LINTEL_GUARDED_BY(lock_){};  // of the last poll()
};

}  // namespace lintel::transport
