#include "portals/engine/process/room_wait.h"

namespace lintel::portals {
namespace {

class RoomWait final : public TurnCondition {
 public:
  RoomWait(Process& process, std::uint8_t interface_kind, const std::atomic<bool>* stop)
      : TurnCondition(process), interface_kind_(interface_kind), stop_(stop) {}
  // REQUIRES: the lock, which clang does not check in destructors.
  ~RoomWait() override {
    if (waiter_.is_linked()) process_.endpoint().peers().remove_waiter(waiter_);
  }

  Status begin(ProcessId target) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().peers().add_waiter(waiter_, target);
  }
  // True when there is room, or no reason to wait any more.
  bool holds() override LINTEL_REQUIRES(kLock) {
    return gone() || peer_lost() || stopped() || has_room();
  }

  // The interface of the operation. If it was closed and opened again, its descriptors have other
  // ids.
  bool gone() LINTEL_REQUIRES(kLock) {
    return waiter_.endpoint_gone || process_.interface(interface_kind_) == nullptr;
  }
  bool peer_lost() const { return waiter_.peer_lost; }
  bool has_room() LINTEL_REQUIRES(kLock) {
    return process_.endpoint().initiator().has_room(waiter_.peer);
  }
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  std::uint8_t interface_kind_;
  const std::atomic<bool>* stop_;
  Peers::Waiter waiter_;
};

}  // namespace

Status wait_and_start(Process& process, std::uint8_t interface_kind, wire::MessageKind kind,
                      const RequestArguments& arguments, const std::atomic<bool>* stop) {
  RoomWait wait(process, interface_kind, stop);
  if (const Status status = wait.begin(arguments.target); status != Status::kOk) return status;
  while (true) {
    process.progress().wait_until(wait, kNever);
    if (wait.gone()) return Status::kDescriptorInvalid;
    NetworkInterface& interface = *process.interface(interface_kind);
    // The operations before it have failed with the peer, and left room.
    if (wait.peer_lost())
      return process.endpoint().initiator().fail_unstarted(interface, kind, arguments);
    const Status status = process.endpoint().initiator().start(interface, kind, arguments);
    if (status != Status::kNoSpace) return status;
    if (wait.stopped()) return Status::kAborted;
    // There was no memory, which the end of other operations may give back.
    if (wait.has_room()) process.progress().advance();
  }
}

}  // namespace lintel::portals
