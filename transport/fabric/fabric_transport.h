#pragma once
// FabricTransport: messages and remote writes through one libfabric endpoint.
//
// Owns the endpoint with everything below it, the buffers of messages under way, and the registrations; borrows the bytes of writes and of
// registered memory. Thread: no lock of its own, see Transport. Lives on one network interface and listens on its one address only.
//
// Invariants: (1) each operation that the provider has is one record of `operations_`, and each record goes back when its completion is read;
//             (2) at least two receive buffers are posted, except for the moment between a release and the next poll();
//             (3) buffers are freed after the endpoint is closed; (4) nothing is asked of a provider that its description does not offer.
// Does not: order, repeat or acknowledge anything (its owner does), or notice the death of a peer that it is not talking to.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/contact/network_options.h"
#include "transport/fabric/buffer_slab.h"
#include "transport/fabric/discovery.h"
#include "transport/fabric/fabric_options.h"
#include "transport/fabric/handles.h"
#include "transport/fabric/memory_rules.h"
#include "transport/fabric/neighbours.h"
#include "transport/fabric/operation_table.h"
#include "transport/fabric/peer_table.h"
#include "transport/fabric/provider_choice.h"
#include "transport/fabric/wait_object.h"
#include "transport/transport.h"

namespace lintel::transport {

// Things that should not happen often, for diagnosis.
struct FabricCounters {
  std::uint64_t foreign_completions = 0;  // completions that belong to no operation of ours
  std::uint64_t failed_receives = 0;      // messages that ended in an error while they came in
  std::uint64_t failed_sends = 0;
  std::uint64_t failed_writes = 0;
};

class FabricTransport final : public Transport {
 public:
  // Opens an endpoint. Blocks while libfabric loads its providers; talks to nobody.
  // Error: Loss::kOperation for an option that cannot be (address, pid, provider), else kInterface. `explanation`, if given, gets a sentence that names
  // the value and what was expected.
  static Result<std::unique_ptr<FabricTransport>> open(const NetworkOptions& options, const FabricOptions& fabric = {},
                                                       std::string* explanation = nullptr);
  ~FabricTransport() override;
  FabricTransport(const FabricTransport&) = delete;
  FabricTransport& operator=(const FabricTransport&) = delete;

  const Attributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return self_; }
  Result<PeerId> resolve(ProcessId name) override;
  ProcessId name_of(PeerId peer) const override;
  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override;
  // libfabric has no call that ends one connection, nor one that takes back a send or a write. So what the provider has of the
  // peer ends when the provider ends it: frames are free, and on_write_done() comes, only then; a placed message that is arriving, and a
  // write into memory that is still registered, may go on. All else holds: what is expected is withdrawn, nothing of a placed message
  // that arrives is reported, and what ends later counts for no later connection.
  [[gnu::cold]] void disconnect(PeerId peer) override;
  Result<Region> register_memory(PeerId peer, std::span<std::byte> memory, Access access) override;
  void deregister_memory(const Region& region) override;
  PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to, Immediate immediate, Context context) override;
  void enable_placement() override;
  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes, std::span<const std::byte> payload,
                           PlacementKey key, Context context) override;
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override;
  Withdrawal withdraw_placement(PeerId peer) override;
  void watch(PeerId, bool) override {}  // connections tell what they know unasked; the rest is the owner's
  std::size_t poll(TimePoint now, Sink& sink) override;
  bool close(TimePoint now) override;
  TimePoint next_deadline() const override;
  int wait_fd() const override { return wait_fd_; }
  bool prepare_wait() override;
  void dump(std::string& text) const override;

  const ProviderDescription& provider() const { return provider_; }
  const FabricCounters& counters() const { return counters_; }

 private:
  static constexpr std::size_t kHeldAtOnce = 8;
  static constexpr std::size_t kPlacedMessageBytes =
      128;  // all of them are sent, so that the payload begins at the same place in every placed message
  static constexpr std::size_t kMaxPlacedBytes = std::size_t{1} << 20;
  static constexpr std::size_t kUnexpectedSlots = 16;
  static constexpr std::size_t kLandings =
      64 + kUnexpectedSlots;  // peers that a placed message may be expected from at once, and unexpected payloads
  static constexpr Error kJammed{Loss::kPeer, "fi_writedata",
                                 "one that was never answered has blocked the large writes of the shared-memory provider"};

  FabricTransport(const NetworkOptions& options, const FabricOptions& fabric, DiscoveredProvider provider);

  // Opening, in this order (fabric_open.cpp).
  [[gnu::cold]] Error take_name();
  [[gnu::cold]] Error open_objects();
  [[gnu::cold]] Error enable();
  [[gnu::cold]] Error learn_own_name();
  [[gnu::cold]] Error prepare_buffers();
  [[gnu::cold]] Error post_first_receives();

  // Completions (fabric_completions.cpp).
  static constexpr Nanoseconds kTornGrace = std::chrono::seconds(1);
  void filled(Operation& receive, std::size_t end_bytes);
  [[gnu::cold]] void release_torn();
  void released(Operation& receive);
  bool post_receive(Operation& receive);
  void repost_receives();
  std::size_t take_completion(const fi_cq_data_entry& entry, Sink& sink);
  [[gnu::cold]] std::size_t take_errors(Sink& sink);
  [[gnu::cold]] std::size_t end_lost_operations(Sink& sink);
  [[gnu::cold]] std::size_t jam_writes(Sink& sink);
  [[gnu::cold]] bool is_lost(const Operation& operation) const;
  [[gnu::cold]] std::size_t end_failed_operation(Operation& operation, const fi_cq_err_entry& entry, Sink& sink);

  // Placed messages (fabric_placement.cpp).
  // Where placed messages come that nobody expects: more than one, as a sender may stop in the middle.
  struct UnexpectedSlot {
    Operation* landing = nullptr;
    BufferSlab memory;
    bool posted = false;  // a placed message waits, or did, and has this room
  };
  [[gnu::cold]] bool prepare_landings();
  std::byte* landing_message(const Operation& landing) const;
  bool post_landing(Operation& landing, fi_addr_t from, std::uint64_t key, std::uint64_t ignored);
  bool payload_has_begun() const;
  std::size_t take_placed(Operation& landing, const fi_cq_data_entry& entry, Sink& sink);
  void end_landing(Operation& landing);
  void end_failed_landing(Operation& landing, const fi_cq_err_entry& entry);
  UnexpectedSlot* unexpected_slot_of(const Operation& landing);
  UnexpectedSlot* free_unexpected_slot();
  void look_for_unexpected();
  bool ask_for_unexpected();
  bool unexpected_is_waiting();

  bool has_held() const { return !held_.empty() || !held_errors_.empty(); }
  std::size_t take_held(Sink& sink);
  [[gnu::cold]] std::size_t take_error(const fi_cq_err_entry& entry, Sink& sink);
  bool may_try(PeerId peer);
  [[gnu::cold]] PostStatus refused(PeerId peer, ssize_t status, const char* call);
  std::size_t operations_in_flight() const;
  void connected(const FabricPeer& peer);
  void record_start(Operation& operation, PeerId peer);
  bool record_end(Operation& operation);

  NetworkOptions options_;
  FabricOptions fabric_options_;
  ProviderDescription provider_;
  ProviderChoice choice_;
  MemoryRules rules_;
  Attributes attributes_;
  ProcessId self_;
  std::uint64_t next_key_;
  FabricCounters counters_;

  // Parents first: destroyed from the bottom up. The buffers stand above the endpoint because the provider may use them until it is closed.
  Info info_list_;
  fi_info* info_ = nullptr;
  Fabric fabric_;
  Domain domain_;
  BufferSlab send_buffers_;
  BufferSlab receive_buffers_;
  BufferSlab landing_buffers_;  // what is too long for where it lands, messages of placed messages
  std::unordered_map<std::uint64_t, MemoryRegion> regions_;
  std::uint64_t next_region_ = 1;
  OperationTable operations_;
  CompletionQueue completions_;
  AddressVector addresses_;
  Endpoint endpoint_;

  PeerTable peers_;
  std::vector<Operation*> receives_to_post_;
  bool torn_receives_ = false;            // some receive is torn
  std::optional<Neighbours> neighbours_;  // shared memory only
  WaitObject wait_object_;
  int wait_fd_ = -1;
  bool closing_ = false;
  bool writes_jammed_ = false;        // shared memory: a large write was never answered
  TimePoint write_progress_;          // shared memory: until then no write was kept waiting
  std::vector<Operation*> expected_;  // landings that are no unexpected payloads
  std::vector<UnexpectedSlot> unexpected_;
  bool placement_enabled_ = false;    // placed messages are
  UnexpectedSlot* asking_ = nullptr;  // the provider was asked whether a placed message waits, on its behalf
  unsigned idle_looks_ = 0;
  bool asleep_ = false;  // peers have been told to ring
  // Read by prepare_wait() and withdraw_placement(), reported by the next poll().
  std::vector<fi_cq_data_entry> held_;
  std::vector<fi_cq_err_entry> held_errors_;
  TimePoint now_{};  // of the last poll()
};

}  // namespace lintel::transport
