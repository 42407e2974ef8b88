#pragma once
// ScriptedLauncher: the launcher's end of a PMI-1 connection.
//
// It sends what a test tells it to, without reading the requests. PMI-1 has one answer for each
// request, so answers may wait in the socket before the requests come.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace lintel::testing {

class ScriptedLauncher {
 public:
  ScriptedLauncher() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
  }
  ScriptedLauncher(const ScriptedLauncher&) = delete;
  ScriptedLauncher& operator=(const ScriptedLauncher&) = delete;
  ~ScriptedLauncher() { ::close(ends_[0]); }

  // The descriptor for the process, which closes it.
  int fd() const { return ends_[1]; }

  void says(std::string_view bytes) const {
    EXPECT_EQ(::write(ends_[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // Sends what a launcher sends to a process that opens its connection.
  void greets() const {
    says(
        "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\ncmd=maxes kvsname_max=256 "
        "keylen_max=64 vallen_max=1024\n");
    says("cmd=my_kvsname kvsname=kvs_7\n");
  }
  // Sends no more.
  void hangs_up() const { ::shutdown(ends_[0], SHUT_WR); }
  // All requests so far.
  std::string asked() const {
    std::array<char, 65536> bytes;
    const ssize_t got = ::recv(ends_[0], bytes.data(), bytes.size(), MSG_DONTWAIT);
    return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : "";
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace lintel::testing
