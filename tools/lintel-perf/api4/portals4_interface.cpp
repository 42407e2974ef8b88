#include "portals4_interface.h"

#include <fmt/format.h>
#include <portals4.h>

#include "counter_operations.h"
#include "event_operations.h"
#include "failure.h"
#include "portals4_call.h"

namespace lintel::perf {
namespace api4 {
namespace {

void check_open(int code, const char* call) {
  if (code == PTL_OK) return;
  throw Failure(ExitCode::kUnusable,
                fmt::format("Portals 4: {} failed: {}; expected an interface beside that of Portals 3", call, code_name(code)));
}

class Portals4 final : public TimedInterface {
 public:
  explicit Portals4(ProcessName self) {
    check_open(PtlInit(), "PtlInit");
    try {
      ptl_ni_limits_t limits{};
      check_open(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr, &limits, &ni_), "PtlNIInit");
      limits_ = {.pieces = {static_cast<std::uint64_t>(limits.max_iovecs), "max_iovecs"},
                 .swap = {limits.max_fetch_atomic_size, "max_fetch_atomic_size"},
                 .atomic = {limits.max_atomic_size, "max_atomic_size"},
                 .fetch_atomic = {limits.max_fetch_atomic_size, "max_fetch_atomic_size"}};
      ptl_process_t id{};
      check_open(PtlGetPhysId(ni_, &id), "PtlGetPhysId");
      if (id.phys.nid != self.nid || id.phys.pid != self.pid) {
        throw Failure(ExitCode::kFailed,
                      fmt::format("through Portals 4 this process has pid {}; expected {}, as through Portals 3", id.phys.pid, self.pid));
      }
    } catch (...) {
      PtlFini();
      throw;
    }
  }
  ~Portals4() override {
    if (abandoned_) return;
    PtlNIFini(ni_);
    PtlFini();
  }

  const Limits& limits() const override { return limits_; }

  // Where only arrivals matter they are counted, whatever was asked for: a queue could overflow.
  std::unique_ptr<Operations> operations(const OperationsParameters& parameters) override {
    if (parameters.notify == Notify::kCounters || parameters.only_arrivals) return std::make_unique<CounterOperations>(ni_, parameters);
    return std::make_unique<EventOperations>(ni_, parameters);
  }

  void abandon() override { abandoned_ = true; }

 private:
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  Limits limits_;
  bool abandoned_ = false;
};

}  // namespace
}  // namespace api4

std::unique_ptr<TimedInterface> open_portals4(ProcessName self) { return std::make_unique<api4::Portals4>(self); }

}  // namespace lintel::perf
