#include "transport/fabric/wait_object.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace lintel::transport {
namespace {

std::string fdinfo_of(int fd) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_epoll(const std::string& fdinfo) { return fdinfo.find("\ntfd:") != std::string::npos; }

// The only epoll instance among the descriptors that `outer` watches; -1: there is not exactly one.
int inner_epoll(int outer) {
  int found = -1;
  for (const int fd : watched_descriptors(fdinfo_of(outer))) {
    if (!is_epoll(fdinfo_of(fd))) continue;
    if (found >= 0) return -1;
    found = fd;
  }
  return found;
}

int descriptor_of(const OfiCompletionQueue& completions) {
  int fd = -1;
  return fi_control(&completions.raw()->fid, FI_GETWAIT, &fd) == 0 ? fd : -1;
}

}  // namespace

std::vector<int> watched_descriptors(const std::string& fdinfo) {
  static const std::string kMark = "\ntfd:";  // "tfd:        8 events:       19 data: ..."
  std::vector<int> found;
  for (std::size_t at = fdinfo.find(kMark); at != std::string::npos;
       at = fdinfo.find(kMark, at + 1)) {
    const char* begin = fdinfo.c_str() + at + kMark.size();
    char* end = nullptr;
    const long fd = std::strtol(begin, &end, 10);
    if (end != begin && fd >= 0) found.push_back(static_cast<int>(fd));
  }
  return found;
}

WaitObject WaitObject::of_queue(const OfiCompletionQueue& completions) {
  WaitObject object;
  object.fd_ = descriptor_of(completions);
  object.provider_arms_ = object.fd_ >= 0;
  return object;
}

WaitObject WaitObject::of_sockets(const OfiDomain& domain) {
  WaitObject object;
  const Result<OfiCompletionQueue> scout = OfiCompletionQueue::open(domain, 1, FI_WAIT_FD);
  if (!scout) return object;
  if (const int outer = descriptor_of(*scout); outer >= 0) object.fd_ = inner_epoll(outer);
  return object;
}

bool WaitObject::may_sleep(const OfiFabric& fabric, const OfiCompletionQueue& completions) const {
  fid* queue = &completions.raw()->fid;
  return fi_trywait(fabric.raw(), &queue, 1) == 0;
}

}  // namespace lintel::transport
