// The functions of p3rt/p3rt.h.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "mpi_layer/bootstrap/open_launcher.h"
#include "mpi_layer/p3rt/group_variables.h"
#include "mpi_layer/p3rt/launched_group.h"
#include "p3rt/p3rt.h"
#include "portals/api3/interface_listener.h"
#include "portals/api3/library.h"
#include "portals/engine/node/host_process.h"
#include "portals/engine/wire/wire_format.h"

namespace lintel::p3rt {
namespace {

using mpi::Outcome;

// The same bound as for launchers.
constexpr unsigned kMaxSize = 1U << 24;

Outcome<std::unique_ptr<mpi::Launcher>> open_this_launcher() {
  return mpi::open_launcher(mpi::read_launch_variables());
}

void learn_secret(const mpi::JobSecret& secret) {
  portals::give_job_secret(std::as_bytes(std::span(secret.bytes)));
}

// The name of the open interface; nothing if none is open.
std::optional<ProcessId> own_id() {
  portals::Process* const process = api3::current_process();
  if (process == nullptr) return std::nullopt;
  const MutexLock lock(process->lock());
  portals::NetworkInterface* const interface = process->interface(api3::kInterfaceKind);
  return interface != nullptr ? std::optional(interface->identity().process) : std::nullopt;
}

Outcome<mpi::BusinessCard> own_card(ProcessId self) {
  std::string provider;
  if (portals::Process* const process = api3::current_process(); process != nullptr) {
    const MutexLock lock(process->lock());
    provider = process->network_name();
  }
  if (provider.empty())
    return mpi::Problem{
        "the interface was shut by another thread; expected it to stay open until all ranks have "
        "met"};
  return mpi::new_card(LINTEL_VERSION_TEXT, portals::wire::kMessageVersion, std::move(provider),
                       self);
}

// The groups of this process. The mutex is held while the ranks of a job exchange their names.
class ProcessGroups final : public api3::InterfaceListener {
 public:
  ptl_pid_t pid_for_any() override {
    const MutexLock lock(mutex_);
    // The other processes know this process by the pid that it had when names were exchanged.
    const ProcessGroup* const group = next_ ? &*next_ : launched_.known();
    return group != nullptr && group->pids ? (*group->pids)[group->rank].value : PTL_PID_ANY;
  }

  int opened(ptl_process_id_t self, bool fresh) override {
    const MutexLock lock(mutex_);
    if (fresh) current_.reset();
    if (!next_) return PTL_OK;
    // The group is used up even if it does not fit. The next attempt needs a new one.
    return adopt("PtlNIInit", *std::exchange(next_, std::nullopt),
                 {NodeId(self.nid), Pid(self.pid)});
  }

  // Calls `function(group of `ni`, name of its interface if that is open)`.
  template <class Function>
  int with_group(ptl_handle_ni_t ni, Function&& function) {
    if (api3::current_process() == nullptr) return PTL_NO_INIT;
    const MutexLock lock(mutex_);
    if (ni == PTL_INVALID_HANDLE) return function(next_, std::nullopt);
    const std::optional<ProcessId> self = own_id();
    if (!self || ni != api3::interface_handle(api3::kInterfaceKind)) return PTL_NI_INVALID;
    return function(current_, self);
  }

  // Calls `function(group)` for the group of the open interface `ni`. If the group was not set, it
  // is taken from the environment.
  template <class Function>
  int ask_group(const char* call, ptl_handle_ni_t ni, Function&& function) {
    return with_group(ni,
                      [&](std::optional<ProcessGroup>& group, std::optional<ProcessId> self)
                          LINTEL_REQUIRES(mutex_) -> int {
                            if (!self) return PTL_NI_INVALID;
                            if (!group) {
                              if (const int code = set_from_environment(call, group, self);
                                  code != PTL_OK)
                                return code;
                            }
                            return function(*group);
                          });
  }

  int set_rank(ptl_handle_ni_t ni, unsigned rank, unsigned group_size) {
    return with_group(
        ni, [&](std::optional<ProcessGroup>& group, std::optional<ProcessId> self)
                LINTEL_REQUIRES(mutex_) { return set_rank_of(group, self, rank, group_size); });
  }

  static int refuse(const char* call, const std::string& sentence, int code) {
    LINTEL_LOG(kError, "%s: %s", call, sentence.c_str());
    return code;
  }

  // PTL_OK if the name of its own rank in the group is that of the interface.
  static int fits(const char* call, const ProcessGroup& group, std::optional<ProcessId> self) {
    std::string sentence;
    const GroupMismatch mismatch = self ? compare(group, *self, sentence) : GroupMismatch::kNone;
    if (mismatch == GroupMismatch::kNone) return PTL_OK;
    return refuse(call, sentence, mismatch == GroupMismatch::kNid ? PTL_FAIL : PTL_PID_INVALID);
  }

 private:
  // PtlSetRank, for the group of `ni`.
  int set_rank_of(std::optional<ProcessGroup>& group, std::optional<ProcessId> self, unsigned rank,
                  unsigned group_size) LINTEL_REQUIRES(mutex_) {
    constexpr unsigned kAsk = ~0U;
    if (rank == kAsk && group_size == kAsk) {
      if (group && (group->of_launcher || group->complete())) return PTL_OK;
      if (group && (group->nids || group->pids)) {
        return refuse("PtlSetRank",
                      "a map of another group is set already; expected the rank first", PTL_FAIL);
      }
      return set_from_environment("PtlSetRank", group, self);
    }
    if (group_size > kMaxSize) {
      return refuse("PtlSetRank",
                    "a group of " + std::to_string(group_size) + "; expected at most " +
                        std::to_string(kMaxSize),
                    PTL_FAIL);
    }
    if (rank >= group_size) {
      return refuse("PtlSetRank",
                    "rank " + std::to_string(rank) + " is not below the size " +
                        std::to_string(group_size) + " of its group",
                    PTL_FAIL);
    }
    if (group && (group->of_launcher || group->nids || group->pids)) {
      return refuse("PtlSetRank", "the group's map is set already; expected the rank first",
                    PTL_FAIL);
    }
    group = ProcessGroup{.rank = rank, .size = group_size};
    return PTL_OK;
  }

  int set_from_environment(const char* call, std::optional<ProcessGroup>& group,
                           std::optional<ProcessId> self) LINTEL_REQUIRES(mutex_) {
    const GroupVariables variables = read_group_variables();
    Outcome<ProcessGroup> told = variables.rank ? group_of(variables) : launched_.ask();
    if (!told) return refuse(call, told.sentence(), PTL_FAIL);
    if (self) return adopt(call, std::move(*told), *self);
    group = std::move(*told);
    return PTL_OK;
  }

  // Makes the group that of the open interface, after a launcher has completed it if necessary.
  int adopt(const char* call, ProcessGroup group, ProcessId self) LINTEL_REQUIRES(mutex_) {
    if (group.of_launcher && !group.complete()) {
      Outcome<mpi::BusinessCard> card = own_card(self);
      if (!card) return refuse(call, card.sentence(), PTL_FAIL);
      Outcome<ProcessGroup> met = launched_.exchange_names(*card);
      if (!met) return refuse(call, met.sentence(), PTL_FAIL);
      group = std::move(*met);
    }
    if (const int code = fits(call, group, self); code != PTL_OK) return code;
    current_ = std::move(group);
    return PTL_OK;
  }

  Mutex mutex_;
  LaunchedGroup launched_ LINTEL_GUARDED_BY(mutex_){open_this_launcher, learn_secret};
  std::optional<ProcessGroup> next_ LINTEL_GUARDED_BY(mutex_);     // of the next interface
  std::optional<ProcessGroup> current_ LINTEL_GUARDED_BY(mutex_);  // of the open interface
};

// The first call registers it as the listener of interfaces. Before that, it has no group and need
// not be called.
ProcessGroups& process_groups() {
  static auto* const instance = [] {
    auto* const made =
        new ProcessGroups;  // never destroyed: programs end Portals from atexit handlers
    api3::listen_to_interface(*made);
    return made;
  }();
  return *instance;
}

// Stores a map in the member `member` of the group. Returns `code` if that is not possible.
template <class Item, class Number>
int set_map(const char* call, ptl_handle_ni_t ni, const Number* map, unsigned group_size,
            std::optional<std::vector<Item>> ProcessGroup::*member, int code) {
  if (map == nullptr) return PTL_SEGV;
  return process_groups().with_group(
      ni, [&](std::optional<ProcessGroup>& group, std::optional<ProcessId> self) -> int {
        if (!group) return PTL_NO_INIT;
        if ((*group).*member || group->of_launcher)
          return ProcessGroups::refuse(call, "the map is set already; expected to be called once",
                                       code);
        if (group_size != group->size) {
          return ProcessGroups::refuse(call,
                                       "the map has " + std::to_string(group_size) +
                                           " entries and the group " + std::to_string(group->size) +
                                           " processes; expected one for each",
                                       code);
        }
        ProcessGroup mapped = *group;
        std::vector<Item>& items = (mapped.*member).emplace();
        for (unsigned rank = 0; rank < group_size; ++rank) items.emplace_back(map[rank]);
        if (const int wrong = ProcessGroups::fits(call, mapped, self); wrong != PTL_OK)
          return wrong;
        group = std::move(mapped);
        return PTL_OK;
      });
}

template <class Item, class Number>
int get_map(const char* call, ptl_handle_ni_t ni, Number* map, unsigned group_size,
            std::optional<std::vector<Item>> ProcessGroup::*member) {
  if (map == nullptr) return PTL_SEGV;
  return process_groups().ask_group(call, ni, [&](const ProcessGroup& group) -> int {
    if (!(group.*member)) return PTL_NO_INIT;
    if (group_size != group.size) {
      return ProcessGroups::refuse(call,
                                   "group_size is " + std::to_string(group_size) +
                                       " and the group has " + std::to_string(group.size) +
                                       " processes; expected the same",
                                   PTL_FAIL);
    }
    for (unsigned rank = 0; rank < group_size; ++rank) map[rank] = (*(group.*member))[rank].value;
    return PTL_OK;
  });
}

}  // namespace
}  // namespace lintel::p3rt

using namespace lintel;
using namespace lintel::p3rt;

extern "C" {

int PtlSetRank(ptl_handle_ni_t ni, unsigned rank, unsigned group_size) {
  return process_groups().set_rank(ni, rank, group_size);
}

int PtlSetNIDMap(ptl_handle_ni_t ni, ptl_nid_t* map, unsigned group_size) {
  return set_map("PtlSetNIDMap", ni, map, group_size, &ProcessGroup::nids, PTL_FAIL);
}

int PtlSetPIDMap(ptl_handle_ni_t ni, ptl_pid_t* map, unsigned group_size) {
  return set_map("PtlSetPIDMap", ni, map, group_size, &ProcessGroup::pids, PTL_PID_INVALID);
}

int PtlGetRank(ptl_handle_ni_t ni, unsigned* rank, unsigned* group_size) {
  if (rank == nullptr || group_size == nullptr) return PTL_SEGV;
  return process_groups().ask_group("PtlGetRank", ni, [&](const ProcessGroup& group) -> int {
    *rank = group.rank;
    *group_size = group.size;
    return PTL_OK;
  });
}

int PtlGetRankId(ptl_handle_ni_t ni, unsigned rank, ptl_process_id_t* id) {
  if (id == nullptr) return PTL_SEGV;
  return process_groups().ask_group("PtlGetRankId", ni, [&](const ProcessGroup& group) -> int {
    if (rank >= group.size || !group.complete()) return PTL_NO_INIT;
    *id = {(*group.nids)[rank].value, (*group.pids)[rank].value};
    return PTL_OK;
  });
}

int PtlGetNIDMap(ptl_handle_ni_t ni, ptl_nid_t* map, unsigned group_size) {
  return get_map("PtlGetNIDMap", ni, map, group_size, &ProcessGroup::nids);
}

int PtlGetPIDMap(ptl_handle_ni_t ni, ptl_pid_t* map, unsigned group_size) {
  return get_map("PtlGetPIDMap", ni, map, group_size, &ProcessGroup::pids);
}

}  // extern "C"
