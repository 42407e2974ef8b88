#include "tests/system/job/takeover_stranger.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/file_descriptor.h"

namespace lintel::testing {

using transport::Greeting;
using transport::GreetingKind;
using transport::Resumption;

// One connection. A call that fails is like one that the target has ended.
class TakeoverStranger::Line {
 public:
  explicit Line(ptl_process_id_t target) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval longest{2, 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(target.nid);
    to.sin_port = htons(static_cast<std::uint16_t>(target.pid));
    (void)::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  template <class Wire>
  void send(const Wire& value) const {
    std::byte wire[sizeof value];
    transport::encode(wire, value);
    (void)::send(fd_.get(), wire, sizeof wire, MSG_NOSIGNAL);
  }
  template <class Wire>
  std::optional<Wire> receive() const {
    std::byte wire[sizeof(Wire)];
    if (::recv(fd_.get(), wire, sizeof wire, MSG_WAITALL) != ssize_t(sizeof wire)) return {};
    return transport::decode<Wire>(wire);
  }

 private:
  FileDescriptor fd_;
};

TakeoverStranger::TakeoverStranger(ptl_process_id_t claimed, ptl_process_id_t target)
    : claimed_(claimed), target_(target) {
  constexpr std::uint32_t kNobody = 2000;
  const Line line(claimed);
  line.send(Greeting{transport::kGreetingMagic, transport::kStreamVersion,
                     static_cast<std::uint8_t>(GreetingKind::kConnect), 0, claimed.nid, kNobody,
                     claimed.nid, claimed.pid, /*incarnation=*/7, /*generation=*/1});
  if (const auto answer = line.receive<Greeting>()) incarnation_ = answer->incarnation;
}

Greeting TakeoverStranger::greeting(GreetingKind kind) const {
  // Later than all of the peer's.
  constexpr std::uint64_t kGeneration = std::uint64_t{1} << 40;
  return {transport::kGreetingMagic,
          transport::kStreamVersion,
          static_cast<std::uint8_t>(kind),
          0,
          claimed_.nid,
          claimed_.pid,
          target_.nid,
          target_.pid,
          incarnation_.value_or(0),
          kGeneration};
}

// nullopt: the target has ended the connection, or says nothing.
std::optional<GreetingKind> TakeoverStranger::ask(const Line& line, GreetingKind kind) {
  line.send(greeting(kind));
  if (kind != GreetingKind::kConnect) line.send(Resumption{});
  const auto answer = line.receive<Greeting>();
  if (!answer) return {};
  if (transport::has_resumption(answer->kind)) (void)line.receive<Resumption>();
  ++answers_[answer->kind];
  return static_cast<GreetingKind>(answer->kind);
}

void TakeoverStranger::attempt() {
  for (const GreetingKind kind :
       {GreetingKind::kConnect, GreetingKind::kResume, GreetingKind::kProof}) {
    const Line line(target_);
    // A proof without the key.
    if (ask(line, kind) == GreetingKind::kChallenge) ask(line, GreetingKind::kProof);
  }
}

}  // namespace lintel::testing
