#include "mpi_layer/bootstrap/pmi1_launcher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "mpi_layer/bootstrap/abort_process.h"
#include "mpi_layer/bootstrap/hexadecimal.h"

namespace lintel::mpi {
namespace {

std::string key_of(std::string_view name, std::uint32_t rank) {
  return std::string(name) + "-" + std::to_string(rank);
}

// Reports a launcher that has ended as an error, without SIGPIPE. With every known launcher, PMI_FD
// is a socket; write() is for other descriptors.
ssize_t write_some(int fd, std::string_view bytes) {
  const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 && errno == ENOTSOCK ? ::write(fd, bytes.data(), bytes.size()) : sent;
}

}  // namespace

Outcome<std::unique_ptr<Launcher>> Pmi1Launcher::open(int fd, std::uint32_t rank,
                                                      std::uint32_t size) {
  std::unique_ptr<Pmi1Launcher> launcher(new Pmi1Launcher(fd, rank, size));
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (const Outcome<> greeted = launcher->greet(); !greeted) return greeted.failure();
  return std::unique_ptr<Launcher>(std::move(launcher));
}

Outcome<> Pmi1Launcher::greet() {
  Outcome<Pmi1Line> greeting =
      ask(Pmi1Line("init").add("pmi_version", "1").add("pmi_subversion", "1"), "response_to_init");
  if (!greeting) return greeting.failure();
  if (const std::string* version = greeting->find("pmi_version");
      version == nullptr || *version != "1") {
    return broken("the launcher speaks PMI version " +
                  (version == nullptr ? "unknown" : quoted_pmi1(*version)) +
                  "; expected version 1");
  }
  Outcome<Pmi1Line> maxima = ask(Pmi1Line("get_maxes"), "maxes");
  if (!maxima) return maxima.failure();
  const auto longest = maxima->number("vallen_max", 1U << 30);
  if (!longest)
    return broken("the launcher answered \"" + quoted_pmi1(maxima->text()) +
                  "\" over PMI-1; expected vallen_max with a number");
  max_value_bytes_ = *longest;
  Outcome<Pmi1Line> space = ask(Pmi1Line("get_my_kvsname"), "my_kvsname");
  if (!space) return space.failure();
  const std::string* name = space->find("kvsname");
  if (name == nullptr || name->empty()) {
    return broken("the launcher answered \"" + quoted_pmi1(space->text()) +
                  "\" over PMI-1; expected kvsname with a name");
  }
  key_value_space_ = *name;
  return {};
}

Outcome<std::vector<std::string>> Pmi1Launcher::exchange(std::string_view name,
                                                         std::string_view own) {
  LINTEL_ASSERT(!own.empty() && own.size() <= kMaxBlobBytes);
  if (2 * own.size() > max_value_bytes_) {
    return broken("the launcher takes values of " + std::to_string(max_value_bytes_) +
                  " bytes over PMI-1; expected at least " + std::to_string(2 * own.size()));
  }
  const Pmi1Line put = Pmi1Line("put")
                           .add("kvsname", key_value_space_)
                           .add("key", key_of(name, rank_))
                           .add("value", to_hexadecimal(own));
  if (const Outcome<Pmi1Line> taken = ask(put, "put_result"); !taken) return taken.failure();
  if (const Outcome<> met = barrier(); !met) return met.failure();
  std::vector<std::string> all;
  all.reserve(size_);
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    const Pmi1Line get =
        Pmi1Line("get").add("kvsname", key_value_space_).add("key", key_of(name, rank));
    Outcome<Pmi1Line> found = ask(get, "get_result");
    if (!found) return found.failure();
    const std::string* value = found->find("value");
    auto blob = value == nullptr ? std::nullopt : from_hexadecimal(*value);
    if (!blob || blob->empty() || blob->size() > kMaxBlobBytes) {
      return broken("the launcher answered \"" + quoted_pmi1(found->text()) +
                    "\" over PMI-1 for what rank " + std::to_string(rank) +
                    " has left; expected 1 to " + std::to_string(kMaxBlobBytes) +
                    " bytes in hexadecimal digits");
    }
    all.push_back(std::move(*blob));
  }
  return all;
}

Outcome<> Pmi1Launcher::barrier() {
  const Outcome<Pmi1Line> met = ask(Pmi1Line("barrier_in"), "barrier_out");
  if (!met) return met.failure();
  return {};
}

void Pmi1Launcher::abort(int exit_code, std::string_view text, AbortCause cause) {
  report_abort(rank_, exit_code, text);
  // A failure to send the line is ignored: a launcher that does not get it sees this process fail.
  Pmi1Line line("abort");
  line.add("exitcode", std::to_string(exit_code));
  // for lintel-run; other launchers ignore a key that they do not know
  if (cause == AbortCause::kLostProcess) line.add("because", "lost-process");
  static_cast<void>(send(line.text()).ok());
  end_aborted(exit_code);
}

Outcome<> Pmi1Launcher::finalize() {
  const Outcome<Pmi1Line> acknowledged = ask(Pmi1Line("finalize"), "finalize_ack");
  if (!acknowledged) return acknowledged.failure();
  return {};
}

Outcome<Pmi1Line> Pmi1Launcher::ask(const Pmi1Line& request, std::string_view expected) {
  if (!failure_.empty()) return Problem{failure_};
  if (const Outcome<> sent = send(request.text()); !sent) return sent.failure();
  Outcome<std::string> text = receive();
  if (!text) return text.failure();
  std::string problem;
  const auto answer = parse_pmi1_line(*text, problem);
  const auto refuse = [&](const std::string& why) {
    return broken("the launcher answered \"" + quoted_pmi1(*text) +
                  "\" to cmd=" + request.command() + " over PMI-1; " + why);
  };
  if (!answer) return refuse(problem);
  if (answer->command() != expected) return refuse("expected cmd=" + std::string(expected));
  if (const std::string* code = answer->find("rc"); code != nullptr && *code != "0")
    return refuse("expected rc=0");
  return *answer;
}

Outcome<> Pmi1Launcher::send(const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t sent = write_some(socket_.get(), rest);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0)
      return broken(std::string("the launcher cannot be reached over PMI-1: write: ") +
                    std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Outcome<std::string> Pmi1Launcher::receive() {
  while (true) {
    if (auto line = reader_.next()) return *std::move(line);
    if (reader_.too_long()) {
      return broken("the launcher sent a line of more than " + std::to_string(kMaxPmi1LineBytes) +
                    " bytes over PMI-1, beginning \"" + quoted_pmi1(reader_.rest()) + "\"");
    }
    std::array<char, 1024> bytes;
    const ssize_t got = ::read(socket_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return broken(std::string("the launcher cannot be reached over PMI-1: read: ") +
                    std::strerror(errno));
    if (got == 0) return broken("the launcher has closed its PMI-1 connection; expected an answer");
    reader_.append({bytes.data(), static_cast<std::size_t>(got)});
  }
}

Problem Pmi1Launcher::broken(std::string sentence) {
  failure_ = std::move(sentence);
  return Problem{failure_};
}

}  // namespace lintel::mpi
