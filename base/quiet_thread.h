#pragma once
// start_quiet_thread: a thread of the library's own. The program's signals are the program's: none
// is delivered to it.

#include <functional>
#include <thread>

namespace lintel {

// Throws std::system_error if there is no thread to be had.
std::thread start_quiet_thread(std::function<void()> body);

}  // namespace lintel
