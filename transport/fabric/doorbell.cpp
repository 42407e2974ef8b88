#include "transport/fabric/doorbell.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>

#include "transport/address/address.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kPageBytes = 4096;

std::string bell_name(ProcessId name) {
  char text[48];
  std::snprintf(text, sizeof text, "lintel-bell-%08x-%u", name.nid.value, name.pid.value);
  return text;
}

// Abstract names belong to a network namespace; /dev/shm does not. Without the namespace's number
// in the file name, a process of another namespace would look dead.
std::string page_suffix() {
  struct stat status {};
  return ::stat("/proc/self/ns/net", &status) == 0 ? "-" + std::to_string(status.st_ino) : "";
}

std::string page_name(ProcessId name) { return "/" + bell_name(name) + page_suffix(); }

struct SocketAddress {
  sockaddr_un address{};
  socklen_t length = 0;
};

// An abstract name, which begins with a zero byte, so that no file can be left.
SocketAddress socket_address(ProcessId name) {
  SocketAddress made;
  made.address.sun_family = AF_UNIX;
  const std::string text = bell_name(name);
  std::memcpy(made.address.sun_path + 1, text.data(), text.size());
  made.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return made;
}

PrivateDescriptor open_socket() {
  return PrivateDescriptor(
      FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
}

bool connect_to(int socket, ProcessId name) {
  const SocketAddress to = socket_address(name);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&to.address), to.length) == 0;
}

// Maps the page of that name; none with errno. Refuses a file that another user made or that has
// another size.
MappedPage map_page(ProcessId name, bool create) {
  FileDescriptor file(
      ::shm_open(page_name(name).c_str(), O_RDWR | (create ? O_CREAT : 0), S_IRUSR | S_IWUSR));
  if (!file.is_open()) return nullptr;
  struct stat status {};
  void* memory = MAP_FAILED;
  if (::fstat(file.get(), &status) == 0 && status.st_uid == ::geteuid()) {
    const bool sized = status.st_size == static_cast<off_t>(kPageBytes) ||
                       (create && ::ftruncate(file.get(), kPageBytes) == 0);
    if (sized)
      memory = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  }
  const int error = errno;
  file.close();
  errno = error;
  // Zero bytes are a page without an incarnation.
  return MappedPage(memory == MAP_FAILED ? nullptr : static_cast<DoorbellPage*>(memory));
}

std::uint32_t random_incarnation() {
  std::random_device device;
  const auto number = static_cast<std::uint32_t>(device());
  return number != 0 ? number : 1;
}

}  // namespace

void UnmapPage::operator()(DoorbellPage* page) const { ::munmap(page, kPageBytes); }

Result<Doorbell> Doorbell::claim(ProcessId name) {
  Doorbell bell;
  bell.name_ = name;
  bell.incarnation_ = random_incarnation();
  bell.parts_.socket = open_socket();
  const SocketAddress own = socket_address(name);
  if (bell.fd() < 0 ||
      ::bind(bell.fd(), reinterpret_cast<const sockaddr*>(&own.address), own.length) != 0) {
    return Error{
        Loss::kInterface, "bind",
        errno == EADDRINUSE ? "the name is in use by another process" : "no doorbell socket",
        errno};
  }
  // This process owns the name from here on, and so the page, even if another process made it.
  MappedPage& page = bell.parts_.page = map_page(name, true);
  if (page == nullptr)
    return Error{Loss::kInterface, "shm_open", "no page of shared memory for the doorbell", errno};
  bell.owns_name_ = true;
  if (const std::uint32_t dead = page->incarnation.exchange(0); dead != 0) {
    if (const Result<std::string> left = shared_memory_name_of(name, dead); left)
      ::shm_unlink(("/" + left.value()).c_str());
  }
  page->asleep.store(0);
  return bell;
}

Doorbell& Doorbell::operator=(Doorbell&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(incarnation_, other.incarnation_);
  std::swap(owns_name_, other.owns_name_);
  std::swap(parts_, other.parts_);
  return *this;
}

Doorbell::~Doorbell() {
  if (!owns_name_) return;
  // The socket, which holds the name, closes last, so that no other process uses the page yet.
  parts_.page->incarnation.store(0);
  ::shm_unlink(page_name(name_).c_str());
}

void Doorbell::announce() {
  parts_.page->incarnation.store(incarnation_, std::memory_order_release);
}

void Doorbell::fall_asleep() {
  parts_.page->asleep.store(1, std::memory_order_seq_cst);
  // Pairs with the fence in ring_if_asleep(): either the poster sees the flag, or this process sees
  // what was posted.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Doorbell::wake_up() {
  parts_.page->asleep.store(0, std::memory_order_relaxed);
  char bytes[16];
  while (::recv(fd(), bytes, sizeof bytes, 0) >= 0) {
  }
}

void remove_stale_doorbells() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/dev/shm"), &::closedir);
  if (!directory) return;
  while (const dirent* entry = ::readdir(directory.get())) {
    unsigned nid = 0;
    unsigned pid = 0;
    if (std::sscanf(entry->d_name, "lintel-bell-%8x-%10u", &nid, &pid) != 2) continue;
    const ProcessId name{NodeId(nid), Pid(pid)};
    if (page_name(name).compare(1, std::string::npos, entry->d_name) != 0) continue;
    // A process that can take the name may remove what its last owner left. claim() does both, and
    // the name is free again at once.
    const PrivateDescriptor probe = open_socket();
    if (probe.is_open() && !connect_to(probe.get(), name)) (void)Doorbell::claim(name);
  }
}

std::optional<PeerDoorbell> PeerDoorbell::find(ProcessId name) {
  DoorbellParts parts{open_socket(), nullptr};
  if (!parts.socket.is_open() || !connect_to(parts.socket.get(), name)) return std::nullopt;
  parts.page = map_page(name, false);
  if (parts.page == nullptr) return std::nullopt;
  const std::uint32_t incarnation = parts.page->incarnation.load(std::memory_order_acquire);
  if (incarnation == 0) return std::nullopt;
  return PeerDoorbell(name, incarnation, std::move(parts));
}

void PeerDoorbell::ring_if_asleep() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (parts_.page->asleep.load(std::memory_order_relaxed) == 0) return;
  if (parts_.page->asleep.exchange(0) == 0) return;  // another peer rings
  const char byte = 1;
  // A full socket has rings that wait already; a closed one means that the owner has ended.
  (void)!::send(parts_.socket.get(), &byte, 1, MSG_NOSIGNAL);
}

bool PeerDoorbell::alive() const {
  if (parts_.page->incarnation.load(std::memory_order_relaxed) != incarnation_) return false;
  const PrivateDescriptor probe = open_socket();
  // Out of descriptors: the peer counts as alive.
  return !probe.is_open() || connect_to(probe.get(), name_);
}

}  // namespace lintel::transport
