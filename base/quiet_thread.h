#pragma once
// start_quiet_thread: starts a thread of the library. All signals are blocked in it, because they
// belong to the program.

#include <functional>
#include <thread>

namespace lintel {

// Throws std::system_error if no thread can be started, std::bad_alloc without memory. The caller's
// signals are then as before.
std::thread start_quiet_thread(std::function<void()> body);

}  // namespace lintel
