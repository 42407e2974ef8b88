// Starting and ending the library, and its network interfaces (clauses 3.4 to 3.8).

#include "portals/api3/library.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <new>
#include <string>

#include "base/log.h"
#include "base/mutex.h"
#include "portals/api3/interface_listener.h"
#include "portals/api3/return_code.h"

namespace lintel::api3 {
namespace {

using portals::Process;
using portals::Status;

// Whether Portals 3 is started. Calls of PtlInit are not counted: a second one has no effect. A
// child of fork() has a new one, because another thread of its parent may have held the mutex.
struct Started {
  Mutex mutex;
  bool value LINTEL_GUARDED_BY(mutex) = false;
};

Started& started() {
  static auto* const instance = [] {
    ::pthread_atfork(nullptr, nullptr, [] { new (&started()) Started; });
    return new Started;  // never destroyed: programs call PtlFini from atexit handlers
  }();
  return *instance;
}

int limit(std::uint32_t value) { return static_cast<int>(value); }

portals::InterfaceLimits grant(const ptl_ni_limits_t* desired) {
  using portals::wish;
  portals::InterfaceLimits limits;
  if (desired == nullptr) return limits;
  limits.max_entries = wish(limits.max_entries, desired->max_mes);
  limits.max_descriptors = wish(limits.max_descriptors, desired->max_mds);
  limits.max_queues = wish(limits.max_queues, desired->max_eqs);
  limits.max_list_length = wish(limits.max_list_length, desired->max_me_list);
  limits.max_portal_index = wish(limits.max_portal_index, desired->max_pt_index);
  limits.max_access_index = wish(limits.max_access_index, desired->max_ac_index);
  limits.max_iovec_pieces = wish(limits.max_iovec_pieces, desired->max_md_iovecs);
  limits.max_getput_bytes = wish(limits.max_getput_bytes, desired->max_getput_md);
  return limits;
}

void report(const portals::InterfaceLimits& limits, ptl_ni_limits_t* actual) {
  if (actual == nullptr) return;
  actual->max_mes = limit(limits.max_entries);
  actual->max_mds = limit(limits.max_descriptors);
  actual->max_eqs = limit(limits.max_queues);
  actual->max_ac_index = limit(limits.max_access_index);
  actual->max_pt_index = limit(limits.max_portal_index);
  actual->max_md_iovecs = limit(limits.max_iovec_pieces);
  actual->max_me_list = limit(limits.max_list_length);
  actual->max_getput_md = limit(limits.max_getput_bytes);
}

std::atomic<InterfaceListener*> interface_listener{nullptr};

}  // namespace

void listen_to_interface(InterfaceListener& listener) {
  interface_listener.store(&listener, std::memory_order_release);
}

}  // namespace lintel::api3

using namespace lintel;
using namespace lintel::api3;

extern "C" {

int PtlInit(int* max_interfaces) {
  if (max_interfaces == nullptr) return PTL_SEGV;
  Started& state = started();
  const MutexLock lock(state.mutex);
  state.value = state.value && portals::host_started();
  if (!state.value && (current_process() == nullptr || portals::host_started())) {
    if (!portals::start_host()) return PTL_FAIL;
    state.value = true;
  }
  *max_interfaces = 1;
  return PTL_OK;
}

void PtlFini(void) {
  Started& state = started();
  const MutexLock lock(state.mutex);
  if (!state.value || !portals::host_started()) return;
  state.value = false;
  if (Process* process = current_process())
    static_cast<void>(process->close_interface(kInterfaceKind));
  portals::stop_host();
}

int PtlNIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t* desired,
              ptl_ni_limits_t* actual, ptl_handle_ni_t* ni) {
  if (ni == nullptr) return PTL_SEGV;
  Process* process = current_process();
  if (process == nullptr) return PTL_NO_INIT;
  if (iface != PTL_IFACE_DEFAULT) return PTL_IFACE_INVALID;
  InterfaceListener* const listener = interface_listener.load(std::memory_order_acquire);
  if (listener != nullptr && pid == PTL_PID_ANY) pid = listener->pid_for_any();
  bool fresh = true;
  {
    const MutexLock lock(process->lock());
    fresh = process->interface(kInterfaceKind) == nullptr;
  }
  std::string explanation;
  const Status status =
      process->open_interface(kInterfaceKind, Pid(pid), grant(desired), explanation);
  if (status != Status::kOk) {
    LINTEL_LOG(kError, "PtlNIInit: %s", explanation.c_str());
    return return_code(status);
  }
  ProcessId self;
  portals::InterfaceLimits limits;
  {
    const MutexLock lock(process->lock());
    portals::NetworkInterface* interface = process->interface(kInterfaceKind);
    if (interface == nullptr) return PTL_FAIL;  // another thread has closed it again
    limits = interface->limits();
    self = interface->identity().process;
  }
  if (listener != nullptr) {
    if (const int code = listener->opened({self.nid.value, self.pid.value}, fresh);
        code != PTL_OK) {
      if (fresh) static_cast<void>(process->close_interface(kInterfaceKind));
      return code;
    }
  }
  report(limits, actual);
  *ni = interface_handle(kInterfaceKind);
  return PTL_OK;
}

int PtlNIFini(ptl_handle_ni_t ni) {
  Process* process = current_process();
  if (process == nullptr) return PTL_NO_INIT;
  if (ni != interface_handle(kInterfaceKind)) return PTL_NI_INVALID;
  return return_code(process->close_interface(kInterfaceKind));
}

int PtlNIStatus(ptl_handle_ni_t ni, ptl_sr_index_t reg, ptl_sr_value_t* value) {
  if (value == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID,
                        [&](Process& process, portals::NetworkInterface& interface, SlotId)
                            LINTEL_REQUIRES(kLock) {
                              process.progress().advance();
                              const portals::StatusRegisters& registers = interface.registers;
                              using portals::DropCause;
                              switch (reg) {
                                case PTL_SR_DROP_COUNT:
                                  *value = registers.dropped_messages();
                                  return PTL_OK;
                                case PTL_SR_DROP_LENGTH:
                                  *value = registers.dropped_bytes;
                                  return PTL_OK;
                                case PTL_SR_RECV_COUNT:
                                  *value = registers.received_messages;
                                  return PTL_OK;
                                case PTL_SR_RECV_LENGTH:
                                  *value = registers.received_bytes;
                                  return PTL_OK;
                                case PTL_SR_SEND_COUNT:
                                  *value = registers.sent_messages;
                                  return PTL_OK;
                                case PTL_SR_SEND_LENGTH:
                                  *value = registers.sent_bytes;
                                  return PTL_OK;
                                case PTL_SR_DROP_PT_INDEX:
                                  *value = registers.dropped(DropCause::kPortalIndex);
                                  return PTL_OK;
                                case PTL_SR_DROP_COOKIE:
                                  *value = registers.dropped(DropCause::kCookie);
                                  return PTL_OK;
                                case PTL_SR_DROP_ACCESS:
                                  *value = registers.dropped(DropCause::kAccess);
                                  return PTL_OK;
                                case PTL_SR_DROP_NO_MATCH:
                                  *value = registers.dropped(DropCause::kNoMatch);
                                  return PTL_OK;
                                case PTL_SR_DROP_STALE_HANDLE:
                                  *value = registers.dropped(DropCause::kStaleHandle);
                                  return PTL_OK;
                                case PTL_SR_DROP_MALFORMED:
                                  *value = registers.dropped(DropCause::kMalformed);
                                  return PTL_OK;
                                case PTL_SR_MES_CUR:
                                  *value = interface.entries.size();
                                  return PTL_OK;
                                case PTL_SR_MDS_CUR:
                                  *value = interface.descriptors.size();
                                  return PTL_OK;
                                case PTL_SR_EQS_CUR:
                                  *value = interface.events.size();
                                  return PTL_OK;
                                default: return PTL_SR_INDEX_INVALID;
                              }
                            });
}

int PtlNIDist(ptl_handle_ni_t ni, ptl_process_id_t process_id, unsigned long* distance) {
  if (distance == nullptr) return PTL_SEGV;
  return with_interface(
      ni, HandleKind::kInterface, PTL_NI_INVALID,
      [&](Process& process, portals::NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
        const ProcessId other{NodeId(process_id.nid), lintel::Pid(process_id.pid)};
        const ProcessId self = interface.identity().process;
        if (!process.endpoint().peers().reachable(other)) {
          *distance = ULONG_MAX;
          return PTL_PROCESS_INVALID;
        }
        *distance = other == self ? 0 : (other.nid == self.nid ? 1 : 2);
        return PTL_OK;
      });
}

int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t* ni) {
  if (ni == nullptr) return PTL_SEGV;
  const Decoded decoded = decode(handle);
  return with_interface(
      handle, decoded.kind, PTL_HANDLE_INVALID,
      [&](Process&, portals::NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        const bool lives =
            decoded.kind == HandleKind::kInterface ||
            (decoded.kind == HandleKind::kEntry && interface.entries.get(id) != nullptr) ||
            (decoded.kind == HandleKind::kDescriptor && interface.descriptors.get(id) != nullptr) ||
            (decoded.kind == HandleKind::kQueue && interface.events.queue(id) != nullptr);
        if (!lives) return PTL_HANDLE_INVALID;
        *ni = interface_handle(decoded.interface);
        return PTL_OK;
      });
}

int PtlGetUid(ptl_handle_ni_t ni, ptl_uid_t* uid) {
  if (uid == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID,
                        [&](Process&, portals::NetworkInterface& interface, SlotId) {
                          *uid = interface.identity().user.value;
                          return PTL_OK;
                        });
}

int PtlGetId(ptl_handle_ni_t ni, ptl_process_id_t* id) {
  if (id == nullptr) return PTL_SEGV;
  return with_interface(
      ni, HandleKind::kInterface, PTL_NI_INVALID,
      [&](Process&, portals::NetworkInterface& interface, SlotId) {
        *id = {interface.identity().process.nid.value, interface.identity().process.pid.value};
        return PTL_OK;
      });
}

int PtlGetJid(ptl_handle_ni_t ni, ptl_jid_t* jid) {
  if (jid == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID,
                        [&](Process&, portals::NetworkInterface& interface, SlotId) {
                          *jid = interface.identity().job.value;
                          return PTL_OK;
                        });
}

int PtlACEntry(ptl_handle_ni_t ni, ptl_ac_index_t ac, ptl_process_id_t match_id, ptl_uid_t uid,
               ptl_jid_t jid, ptl_pt_index_t pt) {
  return with_interface(
      ni, HandleKind::kInterface, PTL_NI_INVALID,
      [&](Process&, portals::NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
        if (ac > interface.limits().max_access_index) return static_cast<int>(PTL_AC_INDEX_INVALID);
        if (pt != PTL_PT_INDEX_ANY && pt > interface.limits().max_portal_index)
          return static_cast<int>(PTL_PT_INDEX_INVALID);
        const bool set = interface.access.set(
            ac, {{NodeId(match_id.nid), lintel::Pid(match_id.pid)}, UserId(uid), JobId(jid), pt});
        return static_cast<int>(set ? PTL_OK : PTL_AC_INDEX_INVALID);
      });
}

int PtlProgress(ptl_handle_any_t handle, ptl_time_t timeout) {
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  if (const int code = PtlNIHandle(handle, &ni); code != PTL_OK) return code;
  return with_interface(
      ni, HandleKind::kInterface, PTL_HANDLE_INVALID,
      [&](Process& process, portals::NetworkInterface&, SlotId) LINTEL_REQUIRES(kLock) {
        process.progress().advance();
        if (timeout == 0) return PTL_OK;
        const TimePoint end = timeout == PTL_TIME_FOREVER
                                  ? kNever
                                  : process.now() + std::chrono::milliseconds(timeout);
        struct InterfaceClosed final : portals::Condition {
          explicit InterfaceClosed(Process& p) : process(p) {}
          bool holds() override LINTEL_REQUIRES(kLock) {
            return process.interface(kInterfaceKind) == nullptr;
          }
          Process& process;
        };
        InterfaceClosed closed(process);
        process.progress().wait_until(closed, end);
        return PTL_OK;
      });
}

unsigned PtlNIDebug(ptl_handle_ni_t, unsigned mask) {
  static std::atomic<unsigned> current{0};
  const unsigned previous = current.exchange(mask);
  if ((mask == 0) != (previous == 0))
    configure_log(mask == 0 ? LogLevel::kWarn : LogLevel::kDebug, portals::host_config().log_file);
  return previous;
}

}  // extern "C"
