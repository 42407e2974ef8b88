#pragma once
// Captures the traffic of two loopback ports, with dumpcap, for its lifetime.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "loopback_ports.h"

namespace lintel::test {

class LiveCapture {
 public:
  // Returns once packets are being captured, or when that is impossible: see running(). `path` is
  // written and not removed.
  LiveCapture(const std::string& path, const LoopbackPorts& ports);
  ~LiveCapture();
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;

  // False: capturing is not possible here. complaint() gives dumpcap's reason.
  bool running() const { return running_; }
  const std::string& complaint() const { return words_; }

  // Waits until these bytes are in the file. Returns false after `deadline`.
  bool wait_for(std::span<const std::byte> bytes, std::chrono::milliseconds deadline) const;

  // Ends the capture. The file is then complete.
  void stop();

 private:
  std::string path_;
  pid_t child_ = -1;
  int errors_ = -1;  // reading end of dumpcap's stderr
  bool running_ = false;
  std::string words_;
};

}  // namespace lintel::test
