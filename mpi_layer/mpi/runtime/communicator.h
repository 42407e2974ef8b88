#pragma once
// Communicator: a group of processes with contexts of its own, so that its messages match no others
// (MPI 5.0, clause 7.4).
//
// Shared by its handle and by the requests on it, so that it may be freed while they are active.
// Its contexts are free again when the last of them is destroyed. Group, rank and contexts never
// change; name and error handler have a lock, attributes have their own. Any thread.
// Does not: know intercommunicators, or how its contexts were agreed on.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/mutex.h"
#include "mpi_layer/mpi/objects/attributes.h"
#include "mpi_layer/mpi/objects/group.h"
#include "mpi_layer/mpi/runtime/client_map.h"
#include "mpi_layer/mpi/runtime/context_table.h"
#include "mpi_layer/mpi/runtime/error_handler.h"
#include "mpi_layer/mpi/runtime/send_buffer.h"

namespace lintel::mpi {

class Communicator {
 public:
  // REQUIRES: context number `number` was taken for it. Position `rank` of the group is this
  // process.
  Communicator(GroupRef group, int rank, std::uint32_t number, ErrorHandlerRef handler)
      : group_(std::move(group)), rank_(rank), contexts_(number), handler_(std::move(handler)) {}

  const GroupRef& group() const { return group_; }
  int rank() const { return rank_; }
  int size() const { return group_->size(); }
  const ContextLease& contexts() const { return contexts_; }
  // The clients of its processes, if this job is a client of IMPI; else null.
  const GroupClients* clients() const {
    const ClientMap* const map = client_map();
    if (map == nullptr) return nullptr;
    std::call_once(clients_are_known_,
                   [&] { clients_ = std::make_unique<const GroupClients>(*map, *group_, rank_); });
    return clients_.get();
  }

  // Its handle. Set once, before the communicator is shared.
  std::uintptr_t handle() const { return handle_; }
  void set_handle(std::uintptr_t handle) { handle_ = handle; }

  std::string name() const LINTEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return name_;
  }
  void set_name(std::string name) LINTEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    name_ = std::move(name);
  }
  ErrorHandlerRef error_handler() const LINTEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return handler_;
  }
  void set_error_handler(ErrorHandlerRef handler) LINTEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    handler_ = std::move(handler);
  }
  AttributeCache& attributes() { return attributes_; }
  // Its own buffer for buffered sends (MPI_Comm_attach_buffer).
  SendBuffer& send_buffer() const { return send_buffer_; }
  // A tag below 0 for an operation that runs at the same time as others. The n-th call returns the
  // same tag in all members.
  std::int32_t next_tag() const {
    return kFirstTag - static_cast<std::int32_t>(operations_.fetch_add(1) % kTags);
  }

 private:
  // Below the tags of Team and of MPI_Comm_create_group.
  static constexpr std::int32_t kFirstTag = -(1 << 30) - 2;
  static constexpr std::uint32_t kTags = 1U << 29;

  GroupRef group_;
  int rank_;
  ContextLease contexts_;
  std::uintptr_t handle_ = 0;
  AttributeCache attributes_;
  mutable SendBuffer send_buffer_;
  mutable std::atomic<std::uint32_t> operations_{0};
  mutable std::once_flag clients_are_known_;
  mutable std::unique_ptr<const GroupClients> clients_;
  mutable Mutex mutex_;
  std::string name_ LINTEL_GUARDED_BY(mutex_);
  ErrorHandlerRef handler_ LINTEL_GUARDED_BY(mutex_);
};
using CommunicatorRef = std::shared_ptr<Communicator>;

}  // namespace lintel::mpi
