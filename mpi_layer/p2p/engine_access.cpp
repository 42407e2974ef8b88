#include "mpi_layer/p2p/engine_access.h"

namespace lintel::mpi {
namespace {

using portals::Status;
namespace option = portals::option;

constexpr std::uint64_t kFirstEvents = 1024;

}  // namespace

bool EngineAccess::open(std::uint32_t entries, std::uint32_t unexpected, std::string& explanation) {
  {
    const MutexLock lock(process_.lock());
    if (process_.interface(portals::kLayerKind) != nullptr) {
      explanation = "this process has an interface for MPI already";
      return false;
    }
  }
  portals::InterfaceLimits limits;
  limits.max_entries = limits.max_list_length = entries;
  limits.max_descriptors = 2;
  limits.max_queues = limits.max_counters = limits.max_triggered = 1;
  limits.max_portal_index = kControlPortal;
  limits.max_unexpected = unexpected;
  // MPI needs no order of its reads.
  const portals::InterfaceRules rules{.reply_limit = portals::TransferLimits::kReplyWithoutOrder,
                                      .headers_in_budget = false};
  const Pid any(portals::kAnyId);
  if (process_.open_interface(portals::kLayerKind, any, limits, explanation, rules) != Status::kOk)
    return false;
  const MutexLock lock(process_.lock());
  interface_ = process_.interface(portals::kLayerKind);
  return true;
}

bool EngineAccess::set_up() {
  SlotId queue;
  if (interface_->events.allocate_queue(kFirstEvents, nullptr, queue, 0, true) != Status::kOk)
    return false;
  queue_ = interface_->events.queue(queue);
  interface_->events.report_losses(queue);
  std::uint32_t made = 0;
  for (const std::uint32_t portal : {kMessagePortal, kRestPortal, kControlPortal}) {
    if (interface_->portals.allocate({}, queue, portal, made) != Status::kOk) return false;
  }
  portals::DescriptorRules memory;
  memory.described.threshold = portals::kUnlimited;
  memory.described.options = option::kStartDisable | option::kSendDisable;
  memory.described.queue = queue;
  memory.region = portals::MemoryRegion(nullptr, ~std::uint64_t{0});
  if (interface_->entries.bind_descriptor(memory, false, everything_) != Status::kOk) return false;
  memory.described.options = option::kStartDisable;
  return interface_->entries.bind_descriptor(memory, false, placed_) == Status::kOk;
}

void EngineAccess::close() {
  if (interface_ == nullptr) return;
  static_cast<void>(process_.close_interface(portals::kLayerKind));
  const MutexLock lock(process_.lock());
  interface_ = nullptr;
  queue_ = nullptr;
}

const portals::Event* EngineAccess::take_event() {
  const portals::Event* event = nullptr;
  const portals::EventQueue::Taken how = queue_->take(event);
  if (how == portals::EventQueue::Taken::kEmpty) return nullptr;
  LINTEL_ASSERT(
      how == portals::EventQueue::Taken::kEvent);  // only a process without any memory loses events
  return event;
}

portals::RequestArguments EngineAccess::request_to(ProcessId target, std::uint32_t portal) const {
  portals::RequestArguments request;
  request.descriptor = everything_;
  request.whole_descriptor = false;
  request.target = target;
  request.portal_index = portal;
  return request;
}

}  // namespace lintel::mpi
