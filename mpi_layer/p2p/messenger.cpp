// Opening and closing, the table of peers, and how a request ends.

#include "mpi_layer/p2p/messenger.h"

#include <algorithm>
#include <utility>

#include "mpi_layer/p2p/completion.h"
#include "mpi_layer/p2p/copied.h"

namespace lintel::mpi {
namespace {

using portals::Status;
namespace option = portals::option;

// As many as the slots of an interface allow (NetworkInterface); those that receives leave are for the rests of long sends.
constexpr std::uint32_t kEntries = 250'000;
constexpr std::uint32_t kRestEntries = 40'000;
constexpr std::uint64_t kFirstEvents = 1024;

}  // namespace

Messenger::Messenger(portals::Process& process, const Options& options)
    : process_(process), options_(options), active_sends_(std::size_t{kMaxRequestId} + 1) {
  options_.most_processes = std::max<std::uint32_t>(options.most_processes, 1);
  options_.most_receives = std::clamp<std::uint32_t>(options.most_receives, 1, kEntries - kRestEntries);
}

std::unique_ptr<Messenger> Messenger::open(portals::Process& process, const Options& options, std::string& explanation) {
  {
    const MutexLock lock(process.lock());
    if (process.interface(portals::kMpiKind) != nullptr) {
      explanation = "this process has an interface for MPI already";
      return nullptr;
    }
  }
  std::unique_ptr<Messenger> made(new Messenger(process, options));
  const std::uint32_t share = options.unexpected_headers / made->options_.most_processes;
  made->window_.headers = std::clamp(share, std::clamp<std::uint32_t>(options.least_headers, 1, kMaxCreditHeaders), kMaxCreditHeaders);
  portals::Limits limits;
  limits.max_entries = limits.max_list_length = kEntries;
  limits.max_descriptors = 2;
  limits.max_queues = limits.max_counters = limits.max_triggered = 1;
  limits.max_portal_index = kControl;
  const std::uint64_t headers = std::uint64_t{made->window_.headers} * made->options_.most_processes + options.outside_headers;
  limits.max_unexpected = static_cast<std::uint32_t>(std::min<std::uint64_t>(headers, ~0U));
  if (process.open_interface(portals::kMpiKind, Pid(portals::kAnyId), limits, explanation) != Status::kOk) return nullptr;
  const bool ready = made->set_up();
  if (ready) return made;
  explanation = "no memory for LINTEL_MPI_UNEXPECTED";
  made->release();
  return nullptr;
}

bool Messenger::set_up() {
  const MutexLock lock(process_.lock());
  interface_ = process_.interface(portals::kMpiKind);
  self_ = interface_->identity().process;
  eager_limit_ = process_.endpoint().eager_limit();
  // Of what it is at least, the network's own limit left aside: the credit is the same at both ends.
  const std::uint64_t longest = UnexpectedMemory::longest(options_.unexpected_bytes, eager_limit_);
  parcel_limit_ = std::min<std::uint64_t>(process_.endpoint().parcel_limit(), longest);
  const std::uint64_t all = UnexpectedMemory::window(options_.unexpected_bytes, longest);
  window_.bytes = std::min(all / options_.most_processes, kMaxCreditBytes);
  granted_ = static_cast<std::int64_t>(window_.bytes * options_.most_processes);

  if (interface_->events.allocate_queue(kFirstEvents, nullptr, queue_id_, 0, true) != Status::kOk) return false;
  queue_ = interface_->events.queue(queue_id_);
  interface_->events.tell_losses(queue_id_);
  std::uint32_t made = 0;
  for (const Portal portal : {kMessages, kRests, kControl}) {
    if (interface_->portals.allocate({}, queue_id_, portal, made) != Status::kOk) return false;
  }
  portals::DescriptorRules memory;
  memory.described.threshold = portals::kUnlimited;
  memory.described.options = option::kStartDisable | option::kSendDisable;
  memory.described.queue = queue_id_;
  memory.region = portals::MemoryRegion(nullptr, ~std::uint64_t{0});
  if (interface_->entries.bind_descriptor(memory, false, everything_) != Status::kOk) return false;
  memory.described.options = option::kStartDisable;
  if (interface_->entries.bind_descriptor(memory, false, parcels_) != Status::kOk) return false;
  portals::DescriptorRules control;
  control.described.options = option::kPut | option::kStartDisable | option::kLinkDisable;
  SlotId entry;
  if (interface_->unexpected.append_entry(kControl, portals::PortalList::kPriority, {kAnyProcess, 0, ~0ULL}, control, false, entry) !=
      Status::kOk) {
    return false;
  }
  return unexpected_.open(*interface_, kMessages, options_.unexpected_bytes, longest) == Status::kOk;
}

Messenger::~Messenger() { close(); }

// Nothing is left to do that a peer or an active send waits for.
bool Messenger::quiet() {
  bool landed = true;
  peers_.for_each([&](Peer& peer) { landed = forget_landing(peer) && landed; });
  return landed && active_sends_.size() == 0 && blocked_.empty() && unpulled_.empty() && untold_.empty() && copied_.empty();
}

void Messenger::close() {
  if (interface_ == nullptr) return;
  {
    const MutexLock lock(process_.lock());
    drain();
    std::uint64_t seen = 0;
    const auto done = [this] { return quiet(); };
    Awaited<decltype(done)> awaited(*this, done);
    do {
      seen = happened_;
    } while (!process_.progress().wait_until(awaited, process_.now() + options_.close_patience) && happened_ != seen);
  }
  release();
}

void Messenger::release() {
  {
    const MutexLock lock(process_.lock());
    unexpected_.close();
    peers_.for_each([this](Peer& peer) {
      if (std::exchange(peer.watchers, 0) > 0) process_.endpoint().watch(peer.process, false);
    });
  }
  static_cast<void>(process_.close_interface(portals::kMpiKind));
  const MutexLock lock(process_.lock());
  interface_ = nullptr;
  queue_ = nullptr;
  end_all();
}

// The interface is gone: nothing refers to their memory any more.
void Messenger::end_all() {
  const auto end = [this](RequestList& requests) {
    while (!requests.empty()) complete(requests.front(), Failure::kClosed);
  };
  peers_.for_each([&](Peer& peer) {
    end(peer.backlog);
    end(peer.active);
  });
  end(any_source_);
  end(unposted_);
  end(unpulled_);
  copied_.clear();
  completed_.clear();
  relayed_.clear();
}

Refusal Messenger::add_peer(ProcessId process) {
  const MutexLock lock(process_.lock());
  if (peers_.size() - outside_ >= options_.most_processes || peers_.find(process) != nullptr) return Refusal::kProcess;
  if (!process_.endpoint().reachable(process)) return Refusal::kProcess;
  Peer& peer = peers_.add(process);
  peer.credit = window_;
  peer.greeted = process == self_;
  blocked_.reserve(peers_.size());
  credit_due_.reserve(peers_.size());
  return Refusal::kNone;
}

std::size_t Messenger::peers() const {
  const MutexLock lock(process_.lock());
  return peers_.size();
}

void Messenger::watch(Peer& peer) {
  if (peer.outside) return;  // the gateway knows
  if (peer.watchers++ > 0) return;
  process_.endpoint().watch(peer.process, true);
  if (!options_.list_completed || peer.met() || std::exchange(peer.stranger, true)) return;
  strangers_.push_back(&peer);
}

void Messenger::unwatch(Peer& peer) {
  if (peer.watchers > 0 && --peer.watchers == 0) process_.endpoint().watch(peer.process, false);
}

void Messenger::watch(Request& request, Peer& peer) {
  if (!std::exchange(request.watching_, true)) watch(peer);
}

void Messenger::unwatch(Request& request) {
  if (std::exchange(request.watching_, false)) unwatch(*peers_.at(request.peer_));
}

void Messenger::complete(Request& request, Failure failure) {
  LINTEL_ASSERT(request.under_way());
  if (request.link_.is_linked()) request.link_.unlink();
  unwatch(request);
  if (request.active_id_.generation != 0) active_sends_.destroy(request.active_id_);
  request.active_id_ = {};
  request.entry_ = {};
  request.result_.failure = failure;
  request.state_ = Request::State::kComplete;
  if (request.copied_) copied_ended_ = chores_ = true;
  ended_some_ = true;
  if (request.relayed_) {
    relayed_.push_back(request);
    chores_ = true;
  } else if (options_.list_completed && !request.copied_) {
    completed_.push_back(request);
  }
}

}  // namespace lintel::mpi
