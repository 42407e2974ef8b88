#include "failure.h"

#include <cstdio>
#include <cstdlib>

namespace lintel::perf {

int exit_code_of(const std::function<ExitCode()>& work) {
  try {
    return static_cast<int>(work());
  } catch (const PeerLost& lost) {
    fmt::print(stderr, "lintel-perf: {}\n", lost.what());
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(lost.code()));  // the interface is open, see Interface::abandon()
  } catch (const Failure& failure) {
    const std::string sentence = failure.what();
    if (!sentence.empty()) fmt::print(stderr, "lintel-perf: {}\n", sentence);
    return static_cast<int>(failure.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "lintel-perf: {}\n", error.what());
    return static_cast<int>(ExitCode::kFailed);
  }
}

}  // namespace lintel::perf
