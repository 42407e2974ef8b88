#include "pmi1_connections.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "failure.h"
#include "poll_set.h"

namespace lintel::run {

bool Pmi1Connections::is_readable(std::size_t rank) const {
  return is_open(rank) && run::is_readable(connections_[rank].socket);
}

bool Pmi1Connections::is_at_end(std::size_t rank) const {
  char byte = 0;
  return !is_open(rank) || ::recv(fd(rank), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

std::optional<Pmi1Connections::End> Pmi1Connections::read(std::size_t number) {
  Connection& rank = connections_[number];
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(rank.socket.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
  if (got <= 0) {
    close(number);
    return std::nullopt;
  }
  rank.lines.append({bytes.data(), static_cast<std::size_t>(got)});
  std::vector<Pmi1Server::PmiAnswer> answers;
  std::optional<End> wish;
  while (!wish) {
    const auto line = rank.lines.next();
    if (!line) break;
    wish = server_.take(number, *line, answers);
  }
  if (rank.lines.too_long()) {
    wish = {number, kExitFailed,
            fmt::format("sent a line of more than {} bytes over PMI-1, beginning \"{}\"",
                        mpi::kMaxPmi1LineBytes, mpi::quoted_pmi1(rank.lines.rest()))};
  }
  for (const Pmi1Server::PmiAnswer& answer : answers) {
    connections_[answer.rank].answers += answer.line;
    send_answers(answer.rank);
  }
  if (wish) close(number);
  return wish;
}

void Pmi1Connections::send_answers(std::size_t number) {
  Connection& rank = connections_[number];
  if (!rank.socket.is_open()) return;
  const ssize_t sent = ::write(rank.socket.get(), rank.answers.data(), rank.answers.size());
  if (sent >= 0) {
    rank.answers.erase(0, static_cast<std::size_t>(sent));
  } else if (errno != EINTR && errno != EAGAIN) {
    close(number);
  }
}

void Pmi1Connections::close(std::size_t rank) {
  connections_[rank].socket.close();
  connections_[rank].answers.clear();
  server_.leave(rank);
}

}  // namespace lintel::run
