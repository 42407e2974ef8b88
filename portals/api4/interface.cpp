// Start and end of the library, its network interfaces, names of processes (Portals 4: network
// interfaces, process identification).

#include <pthread.h>

#include <new>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "portals/api4/library.h"
#include "portals/api4/return_code.h"
#include "portals/api4/translation.h"
#include "portals/engine/node/node_transport.h"

namespace lintel::api4 {
namespace {

using portals::NetworkInterface;
using portals::Process;
using portals::Status;

// A child of fork() has a new one, because another thread of its parent may have held the mutex.
struct Library {
  Mutex mutex;  // held by PtlInit and PtlFini, and while PtlNIInit counts opens
  unsigned starts LINTEL_GUARDED_BY(mutex) = 0;
  std::atomic<bool> started{false};
};

Library& library() {
  static auto* const instance = [] {
    ::pthread_atfork(nullptr, nullptr, [] {
      new (&library()) Library;
      aborted = false;
    });
    return new Library;  // never destroyed: programs call PtlFini from atexit handlers
  }();
  return *instance;
}

// Whether the process has an endpoint with this pid. The pid need not be below PTL_PID_MAX if
// PTL_PID_ANY has chosen it.
bool is_own_pid(Process& own, ptl_pid_t pid) {
  const MutexLock lock(own.lock());
  return own.has_endpoint() && own.endpoint().self().pid.value == pid;
}

void close_own_interfaces(Process& own) {
  for (std::uint32_t number = 0; number < 4; ++number)
    static_cast<void>(own.close_interface(engine_kind(number)));
}

}  // namespace

std::atomic<bool> aborted{false};

Process* process() {
  return library().started.load(std::memory_order_acquire) ? portals::current_process() : nullptr;
}

}  // namespace lintel::api4

using namespace lintel;
using namespace lintel::api4;
using lintel::portals::NetworkInterface;
using lintel::portals::Process;
using lintel::portals::Status;

extern "C" {

int PtlInit(void) {
  Library& state = library();
  const MutexLock lock(state.mutex);
  // a test has set it
  const bool lent = portals::current_process() != nullptr && !portals::host_started();
  if (state.starts == 0 && !lent && !portals::start_host()) return PTL_FAIL;
  ++state.starts;
  state.started = true;
  return PTL_OK;
}

void PtlFini(void) {
  Library& state = library();
  const MutexLock lock(state.mutex);
  if (state.starts == 0 || --state.starts > 0) return;
  if (Process* own = portals::current_process()) close_own_interfaces(*own);
  state.started = false;
  aborted = false;
  if (portals::host_started()) portals::stop_host();
}

void PtlAbort(void) {
  Process* own = process();
  if (own == nullptr) return;
  aborted = true;
  const MutexLock lock(own->lock());
  own->progress().wake_all();
}

int PtlNIInit(ptl_interface_t iface, unsigned int options, ptl_pid_t pid,
              const ptl_ni_limits_t* desired, ptl_ni_limits_t* actual, ptl_handle_ni_t* ni_handle) {
  Process* own = process();
  if (own == nullptr) return PTL_NO_INIT;
  const std::uint32_t number = number_for(options);
  if (ni_handle == nullptr || number > 3) return PTL_ARG_INVALID;
  if (iface != PTL_IFACE_DEFAULT && iface != 0) return PTL_ARG_INVALID;
  const MutexLock one_at_a_time(library().mutex);
  if (pid != PTL_PID_ANY && pid >= PTL_PID_MAX && !is_own_pid(*own, pid)) return PTL_ARG_INVALID;
  const std::uint8_t kind = engine_kind(number);
  std::string explanation;
  const Pid wanted(pid == PTL_PID_ANY ? portals::kAnyId : pid);
  const Status status = own->open_interface(
      kind, wanted, to_limits(desired, portals::most_unexpected(portals::host_config())),
      explanation);
  if (status != Status::kOk) {
    LINTEL_LOG(kError, "PtlNIInit: %s", explanation.c_str());
    const bool another_pid = status == Status::kPidInvalid && [&] {
      const MutexLock lock(own->lock());
      return own->has_endpoint();
    }();
    return another_pid ? PTL_ARG_INVALID : return_code(status);
  }
  const MutexLock lock(own->lock());
  NetworkInterface* interface = own->interface(kind);
  if (interface == nullptr) return PTL_FAIL;
  if (pid != PTL_PID_ANY && interface->identity().process.pid.value != pid) return PTL_ARG_INVALID;
  ++interface->opens;
  if (actual != nullptr) *actual = from_limits(interface->limits());
  *ni_handle = interface_handle(kind);
  return PTL_OK;
}

int PtlNIFini(ptl_handle_ni_t ni_handle) {
  Process* own = process();
  if (own == nullptr) return PTL_NO_INIT;
  const MutexLock one_at_a_time(library().mutex);
  std::uint8_t kind = 0;
  bool last = false;
  const int code =
      with_interface(ni_handle, HandleKind::kInterface,
                     [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
                       kind = interface.kind();
                       last = --interface.opens == 0;
                       return static_cast<int>(PTL_OK);
                     });
  if (code != PTL_OK || !last) return code;
  return return_code(own->close_interface(kind));
}

int PtlNIStatus(ptl_handle_ni_t ni_handle, ptl_sr_index_t status_register, ptl_sr_value_t* status) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process& own, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (status == nullptr || status_register >= PTL_SR_LAST) return PTL_ARG_INVALID;
        own.progress().advance();
        using portals::DropCause;
        const portals::StatusRegisters& registers = interface.registers;
        const std::uint64_t permissions = registers.dropped(DropCause::kAccess);
        const std::uint64_t operations = registers.dropped(DropCause::kOperation);
        switch (status_register) {
          case PTL_SR_PERMISSION_VIOLATIONS:
            *status = static_cast<ptl_sr_value_t>(permissions);
            break;
          case PTL_SR_OPERATION_VIOLATIONS:
            *status = static_cast<ptl_sr_value_t>(operations);
            break;
          default:
            *status = static_cast<ptl_sr_value_t>(registers.dropped_messages() - permissions -
                                                  operations);
            break;
        }
        return PTL_OK;
      });
}

int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t* ni_handle) {
  const Decoded decoded = decode(handle);
  return with_interface(
      handle, decoded.kind,
      [&](Process&, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        const bool lives =
            decoded.kind == HandleKind::kInterface ||
            (decoded.kind == HandleKind::kEntry && interface.entries.get(id) != nullptr) ||
            (decoded.kind == HandleKind::kDescriptor && interface.descriptors.get(id) != nullptr) ||
            (decoded.kind == HandleKind::kCounter && interface.triggers.counter(id) != nullptr) ||
            (decoded.kind == HandleKind::kQueue && interface.events.queue(id) != nullptr);
        if (!lives || ni_handle == nullptr) return PTL_ARG_INVALID;
        *ni_handle = interface_handle(interface.kind());
        return PTL_OK;
      });
}

int PtlSetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, const ptl_process_t* mapping) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (!is_logical(interface.kind()) || mapping == nullptr || map_size == 0 ||
            map_size >= PTL_RANK_ANY)
          return PTL_ARG_INVALID;
        if (interface.map.is_set()) return PTL_IGNORED;
        std::vector<ProcessId> processes;
        processes.reserve(map_size);
        for (ptl_size_t rank = 0; rank < map_size; ++rank)
          processes.push_back({NodeId(mapping[rank].phys.nid), Pid(mapping[rank].phys.pid)});
        interface.map.set(std::move(processes));
        return PTL_OK;
      });
}

int PtlGetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, ptl_process_t* mapping,
              ptl_size_t* actual_map_size) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (!is_logical(interface.kind()) || (map_size > 0 && mapping == nullptr))
          return PTL_ARG_INVALID;
        if (!interface.map.is_set()) return PTL_NO_SPACE;
        for (ptl_size_t rank = 0; rank < map_size && rank < interface.map.size(); ++rank) {
          const ProcessId process = interface.map.process(static_cast<std::uint32_t>(rank));
          mapping[rank].phys = {process.nid.value, process.pid.value};
        }
        if (actual_map_size != nullptr) *actual_map_size = interface.map.size();
        return PTL_OK;
      });
}

int PtlGetUid(ptl_handle_ni_t ni_handle, ptl_uid_t* uid) {
  return with_interface(ni_handle, HandleKind::kInterface,
                        [&](Process&, NetworkInterface& interface, SlotId) -> int {
                          if (uid == nullptr) return PTL_ARG_INVALID;
                          *uid = interface.identity().user.value;
                          return PTL_OK;
                        });
}

int PtlGetId(ptl_handle_ni_t ni_handle, ptl_process_t* id) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (id == nullptr) return PTL_ARG_INVALID;
        const ptl_process_t name = from_process(interface, interface.identity().process);
        if (is_logical(interface.kind()) && name.rank == portals::ProcessMap::kNoRank)
          return PTL_FAIL;
        *id = name;
        return PTL_OK;
      });
}

int PtlGetPhysId(ptl_handle_ni_t ni_handle, ptl_process_t* id) {
  return with_interface(
      ni_handle, HandleKind::kInterface, [&](Process&, NetworkInterface& interface, SlotId) -> int {
        if (id == nullptr) return PTL_ARG_INVALID;
        id->phys = {interface.identity().process.nid.value, interface.identity().process.pid.value};
        return PTL_OK;
      });
}

int PtlHandleIsEqual(ptl_handle_any_t handle1, ptl_handle_any_t handle2) {
  return handle1 == handle2 ? 1 : 0;
}

// The engine executes atomic operations under its lock. Taking and releasing the lock here orders
// them with the program's own loads and stores.
int PtlAtomicSync(void) {
  Process* own = process();
  if (own == nullptr) return PTL_NO_INIT;
  const MutexLock lock(own->lock());
  return PTL_OK;
}

// Hints without effect: operations leave at once, and share frames while the network is busy.
int PtlStartBundle(ptl_handle_ni_t ni_handle) {
  return with_interface(ni_handle, HandleKind::kInterface, [](Process&, NetworkInterface&, SlotId) {
    return static_cast<int>(PTL_OK);
  });
}

int PtlEndBundle(ptl_handle_ni_t ni_handle) {
  return with_interface(ni_handle, HandleKind::kInterface, [](Process&, NetworkInterface&, SlotId) {
    return static_cast<int>(PTL_OK);
  });
}

}  // extern "C"
