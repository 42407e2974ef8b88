#include "portals/engine/process/release.h"

namespace lintel::portals {
namespace {

class Idle final : public TurnCondition {
 public:
  Idle(Process& process, std::uint8_t interface_kind, SlotId descriptor,
       const std::atomic<bool>& stop)
      : TurnCondition(process),
        interface_kind_(interface_kind),
        descriptor_(descriptor),
        stop_(stop) {}

  // Or there is no object any more for which it waits.
  bool holds() override LINTEL_REQUIRES(kLock) {
    NetworkInterface* interface = process_.interface(interface_kind_);
    return interface == nullptr || !interface->idle_soon(descriptor_) ||
           stop_.load(std::memory_order_relaxed);
  }

 private:
  std::uint8_t interface_kind_;
  SlotId descriptor_;
  const std::atomic<bool>& stop_;
};

}  // namespace

Status release_descriptor(Process& process, std::uint8_t interface_kind, SlotId descriptor,
                          const std::atomic<bool>& stop) {
  const Status status = process.interface(interface_kind)->entries.unlink_descriptor(descriptor);
  if (status != Status::kDescriptorInUse) return status;
  process.progress().advance();
  Idle idle(process, interface_kind, descriptor, stop);
  process.progress().wait_until(idle, kNever);
  NetworkInterface* interface = process.interface(interface_kind);
  return interface != nullptr ? interface->entries.unlink_descriptor(descriptor)
                              : Status::kDescriptorInvalid;
}

Status unlink_entry(Process& process, NetworkInterface& interface, SlotId entry) {
  const Status status = interface.entries.unlink(entry);
  if (status != Status::kEntryInUse) return status;
  process.progress().advance();
  return interface.entries.unlink(entry);
}

}  // namespace lintel::portals
