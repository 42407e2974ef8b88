#include "interface.h"

#include <fmt/format.h>

#include <cstdlib>

#include "failure.h"
#include "portals_call.h"

namespace lintel::perf {
namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fmt::format("{} is not set", name) : fmt::format("{} is '{}'", name, value);
}

}  // namespace

Interface::Interface(ptl_pid_t pid) {
  int interfaces = 0;
  if (const int code = PtlInit(&interfaces); code != PTL_OK) {
    throw Failure(ExitCode::kUnusable, fmt::format("PtlInit failed: {}; expected LINTEL_* variables that the library accepts",
                                                   PtlErrorStr(static_cast<unsigned>(code))));
  }
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, pid, nullptr, &limits_, &handle_);
  if (code != PTL_OK) {
    const char* error = PtlErrorStr(static_cast<unsigned>(code));
    PtlFini();
    if (code == PTL_PID_INVALID) {
      throw Failure(
          ExitCode::kUnusable,
          fmt::format("PtlNIInit failed: {}; process id {} is taken or not possible here, expected a free one (--pid)", error, pid));
    }
    throw Failure(ExitCode::kUnusable,
                  fmt::format("PtlNIInit failed: {}; {} and {}, expected a provider and an interface that this host has", error,
                              setting("LINTEL_PROVIDER"), setting("LINTEL_INTERFACE")));
  }
  try {
    check_call(PtlGetId(handle_, &id_), "PtlGetId");
  } catch (...) {
    PtlFini();
    throw;
  }
}

Interface::~Interface() {
  if (abandoned_) return;
  PtlNIFini(handle_);
  PtlFini();
}

void Interface::admit(ptl_process_id_t process) const {
  check_call(PtlACEntry(handle_, 0, process, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY), "PtlACEntry");
}

void set_library_variable(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

}  // namespace lintel::perf
