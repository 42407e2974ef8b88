#include "interface.h"

#include <cstdlib>

#include "api3/portals3_operations.h"
#include "api4/portals4_operations.h"

namespace lintel::perf {
namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fmt::format("{} is not set", name)
                          : fmt::format("{} is '{}'", name, value);
}

const char* name_of_code(int code) { return PtlErrorStr(static_cast<unsigned>(code)); }

}  // namespace

Interface::Interface(ptl_pid_t pid) {
  int interfaces = 0;
  if (const int code = PtlInit(&interfaces); code != PTL_OK) {
    refuse("PtlInit failed: {}; expected LINTEL_* variables that the library accepts",
           name_of_code(code));
  }
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, pid, nullptr, &limits_, &handle_);
  if (code != PTL_OK) {
    PtlFini();
    if (code == PTL_PID_INVALID) {
      refuse(
          "PtlNIInit failed: {}; process id {} is taken or not possible here, expected a free one "
          "(--pid)",
          name_of_code(code), pid);
    }
    refuse(
        "PtlNIInit failed: {}; {} and {}, expected a provider and an interface that this host has",
        name_of_code(code), setting("LINTEL_PROVIDER"), setting("LINTEL_INTERFACE"));
  }
  try {
    check_call(PtlGetId(handle_, &id_), "PtlGetId");
  } catch (...) {
    PtlFini();
    throw;
  }
}

Interface::~Interface() {
  portals4_.reset();
  if (abandoned_) return;
  PtlNIFini(handle_);
  PtlFini();
}

TimedInterface& Interface::timed(Api api) {
  auto& interface = api == Api::kPortals4 ? portals4_ : portals3_;
  if (!interface) {
    interface = api == Api::kPortals4 ? open_portals4(name_of(id_)) : open_portals3(*this);
  }
  return *interface;
}

void Interface::abandon() {
  abandoned_ = true;
  if (portals4_) portals4_->abandon();
}

void Interface::admit(ptl_process_id_t process) const {
  check_call(PtlACEntry(handle_, 0, process, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY),
             "PtlACEntry");
}

void set_library_variable(const char* name, const std::string& value) {
  ::setenv(name, value.c_str(), 1);
}

void check_call(int code, const char* call) {
  if (code != PTL_OK) fail("{} failed: {}", call, name_of_code(code));
}

std::string dotted(ptl_nid_t nid) {
  return fmt::format("{}.{}.{}.{}", nid >> 24, (nid >> 16) & 255, (nid >> 8) & 255, nid & 255);
}

std::string to_string(ptl_process_id_t process) {
  return fmt::format("{} pid {}", dotted(process.nid), process.pid);
}

}  // namespace lintel::perf
