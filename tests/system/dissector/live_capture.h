#pragma once
// Captures what goes over loopback between two ports, with dumpcap, while it lives.

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lintel::test {

class LiveCapture {
 public:
  // Returns once packets are being captured, or cannot be: see running(). `path` is written, and
  // stays.
  LiveCapture(const std::string& path, std::uint16_t first_port, std::uint16_t second_port);
  ~LiveCapture();
  LiveCapture(const LiveCapture&) = delete;
  LiveCapture& operator=(const LiveCapture&) = delete;

  // False: capturing is not possible here, for complaint()'s reason, in dumpcap's words.
  bool running() const { return running_; }
  const std::string& complaint() const { return words_; }

  // Waits until these bytes are in the file; false after `deadline`.
  bool wait_for(std::span<const std::byte> bytes, std::chrono::milliseconds deadline) const;

  // Ends the capture; the file is then complete.
  void stop();

 private:
  std::string path_;
  pid_t child_ = -1;
  int errors_ = -1;  // reading end of dumpcap's stderr
  bool running_ = false;
  std::string words_;
};

}  // namespace lintel::test
