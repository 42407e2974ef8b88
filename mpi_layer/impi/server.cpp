#include "mpi_layer/impi/server.h"

#include <algorithm>
#include <cstdio>

#include "base/quantity.h"
#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {

Server::Server(ServerSettings settings)
    : settings_(std::move(settings)),
      presence_(settings_.clients, Presence::kAbsent),
      collection_(settings_.clients) {
  LINTEL_ASSERT(settings_.clients >= 1 && settings_.clients <= kMaxClients &&
                !settings_.authentication.is_empty());
}

Server::ConnectionId Server::open(std::string name, TimePoint now) {
  LINTEL_ASSERT(accepts());
  const auto is_stranger = [](const auto& entry) {
    return entry.second.step != ClientStep::kJoined;
  };
  if (static_cast<std::size_t>(std::count_if(peers_.begin(), peers_.end(), is_stranger)) ==
      kMaxUnknownConnections) {
    drop(std::find_if(peers_.begin(), peers_.end(), is_stranger)->first,
         "it had not joined when " + std::to_string(kMaxUnknownConnections) + " others came");
  }
  ClientConnection& peer = peers_[++last_connection_];
  peer.name = std::move(name);
  peer.since = now;
  return last_connection_;
}

void Server::take(ConnectionId connection, std::string_view bytes, TimePoint now) {
  const auto found = peers_.find(connection);
  if (found == peers_.end()) return;
  found->second.reader.append(bytes);
  while (take_next(connection, now))
    ;
}

void Server::lose(ConnectionId connection, const std::string& how) {
  if (peers_.contains(connection)) drop(connection, how);
}

bool Server::take_next(ConnectionId connection, TimePoint now) {
  const auto found = peers_.find(connection);
  if (found == peers_.end()) return false;
  ClientConnection& peer = found->second;
  if (peer.step == ClientStep::kKey) {
    const auto key = peer.reader.next_bare(sizeof(std::uint64_t));
    if (!key) return false;
    if (!settings_.authentication.is_key(number_at<std::uint64_t>(*key, 0))) {
      drop(connection, "it sent a wrong key");
    } else {
      peer.step = ClientStep::kImpi;
    }
    return true;
  }
  std::string problem;
  const auto word = peer.reader.next_word(problem);
  // A connection that has not joined may send only what is expected. Anything else is refused at
  // its header, so it costs neither time nor memory.
  if (word && peer.step != ClientStep::kJoined) {
    const auto expected = peer.step == ClientStep::kAuth ? CommandWord::kAuth : CommandWord::kImpi;
    if (*word != expected) {
      problem = "it sent " + text_of_word(static_cast<std::uint32_t>(*word)) + "; expected " +
                text_of_word(static_cast<std::uint32_t>(expected));
    }
  }
  if (!problem.empty()) {
    drop(connection, problem);
    return false;
  }
  const auto command = peer.reader.next(problem);
  if (!command) return false;
  if (peer.step == ClientStep::kAuth) {
    take_mask(connection, peer, *command);
  } else if (peer.step == ClientStep::kImpi) {
    take_rank(connection, peer, *command, now);
  } else {
    take_command(connection, peer, *command, now);
  }
  return true;
}

void Server::take_mask(ConnectionId connection, ClientConnection& peer, const Command& command) {
  const auto mask = number_at<std::uint32_t>(command.payload, 0);
  const auto mechanism = settings_.authentication.choose(mask);
  if (!mechanism) {
    return drop(connection, "it can authenticate by " + text_of_mechanisms(mask) + "; expected " +
                                text_of_mechanisms(settings_.authentication.mask()));
  }
  std::string answer;
  append_number(answer, static_cast<std::uint32_t>(*mechanism));
  append_number(answer, std::uint32_t{0});  // no payload: neither mechanism has one
  send(connection, std::move(answer));
  peer.step = *mechanism == Mechanism::kKey ? ClientStep::kKey : ClientStep::kImpi;
}

void Server::take_rank(ConnectionId connection, ClientConnection& peer, const Command& command,
                       TimePoint now) {
  const auto rank = number_at<std::int32_t>(command.payload, 0);
  if (rank < 0 || static_cast<std::uint32_t>(rank) >= settings_.clients) {
    return drop(connection, "it is client " + std::to_string(rank) +
                                "; expected a number from 0 to " +
                                std::to_string(settings_.clients - 1));
  }
  const auto client = static_cast<unsigned>(rank);
  if (presence_[client] != Presence::kAbsent) {
    return drop(connection, "it is client " + std::to_string(rank) +
                                ", which has joined already; expected one that has not");
  }
  presence_[client] = Presence::kPresent;
  peer.rank = client;
  peer.step = ClientStep::kJoined;
  note(text_of(peer) + " has joined");
  if (std::find(presence_.begin(), presence_.end(), Presence::kAbsent) == presence_.end())
    begin_collecting(now);
}

void Server::begin_collecting(TimePoint now) {
  phase_ = ServerPhase::kCollecting;
  std::vector<ConnectionId> strangers;
  for (auto& [connection, peer] : peers_) {
    peer.since = now;
    if (peer.step != ClientStep::kJoined) strangers.push_back(connection);
  }
  for (const ConnectionId stranger : strangers) drop(stranger, "all clients have joined");
  std::string size;
  append_number(size, settings_.clients);
  send_all(encode(CommandWord::kImpi, size));
  note("all " + std::to_string(settings_.clients) + " clients have joined");
  answer_complete(now);  // a client may have sent labels already
}

void Server::take_command(ConnectionId connection, ClientConnection& peer, const Command& command,
                          TimePoint now) {
  std::string problem;
  switch (command.word) {
    case CommandWord::kAuth:
    case CommandWord::kImpi:
      problem = "it sent " + text_of_word(static_cast<std::uint32_t>(command.word)) + " twice";
      break;
    case CommandWord::kColl:
      problem = collection_.add(peer.rank, number_at<Label>(command.payload, 0),
                                std::string_view(command.payload).substr(sizeof(Label)));
      break;
    case CommandWord::kDone: problem = collection_.finish(peer.rank); break;
    case CommandWord::kFini:
      if (phase_ == ServerPhase::kRunning) return finish(connection, peer);
      problem = "it sent FINI before the server's DONE";
      break;
  }
  if (!problem.empty()) return drop(connection, problem);
  peer.since = now;
  if (phase_ == ServerPhase::kCollecting) answer_complete(now);
}

void Server::answer_complete(TimePoint now) {
  for (const LabelSet& set : collection_.take_complete()) {
    char mask[16];
    std::snprintf(mask, sizeof mask, "0x%x", static_cast<unsigned>(set.mask));
    note("label " + text_of_label(set.label) + " is complete: clients " + mask + ", bytes " +
         std::to_string(set.contributions.size()));
    send_all(encode(CommandWord::kColl, encode(set)));
    for (auto& [connection, peer] : peers_) peer.since = now;
  }
  if (!collection_.all_finished()) return;
  phase_ = ServerPhase::kRunning;
  send_all(encode(CommandWord::kDone, {}));
  note("start-up is over");
}

void Server::finish(ConnectionId connection, ClientConnection& peer) {
  note(text_of(peer) + " has ended");
  presence_[peer.rank] = Presence::kFinished;
  close(connection);
  end_if_all_left();
}

void Server::end_if_all_left() {
  bool is_any_lost = false;
  for (const Presence presence : presence_) {
    if (presence == Presence::kPresent) return;
    is_any_lost = is_any_lost || presence == Presence::kLost;
  }
  phase_ = is_any_lost ? ServerPhase::kFailed : ServerPhase::kSucceeded;
}

void Server::drop(ConnectionId connection, const std::string& why) {
  const ClientConnection& peer = peers_.at(connection);
  const unsigned rank = peer.rank;
  const std::string name = text_of(peer);
  const bool has_joined = peer.step == ClientStep::kJoined;
  close(connection);
  if (!has_joined) return note_problem(name + " was not let in: " + why);
  if (phase_ == ServerPhase::kJoining) {
    note_problem(name + " was lost before all had joined: " + why + "; another may take its place");
    collection_.forget(rank);
    presence_[rank] = Presence::kAbsent;
  } else if (phase_ == ServerPhase::kCollecting) {
    note_problem(name + " was lost during start-up: " + why + "; the job cannot start");
    phase_ = ServerPhase::kFailed;
    while (!peers_.empty()) close(peers_.begin()->first);
  } else {
    note_problem(name + " was lost before its FINI: " + why);
    presence_[rank] = Presence::kLost;
    end_if_all_left();
  }
}

void Server::close(ConnectionId connection) {
  peers_.erase(connection);
  decisions_.push_back({connection, nullptr});
}

void Server::send(ConnectionId connection, std::string bytes) {
  decisions_.push_back({connection, std::make_shared<const std::string>(std::move(bytes))});
}

void Server::send_all(std::string bytes) {
  const auto shared = std::make_shared<const std::string>(std::move(bytes));
  for (const auto& [connection, peer] : peers_) decisions_.push_back({connection, shared});
}

TimePoint Server::deadline_of(const ClientConnection& peer) const {
  if (peer.step != ClientStep::kJoined) return peer.since + settings_.timeout;
  return phase_ == ServerPhase::kCollecting && !collection_.is_waiting(peer.rank)
             ? peer.since + settings_.timeout
             : kNever;
}

TimePoint Server::next_deadline() const {
  TimePoint next = kNever;
  for (const auto& [connection, peer] : peers_) next = std::min(next, deadline_of(peer));
  return next;
}

void Server::advance(TimePoint now) {
  std::vector<ConnectionId> late;
  for (const auto& [connection, peer] : peers_) {
    if (deadline_of(peer) <= now) late.push_back(connection);
  }
  for (const ConnectionId connection : late) {
    const auto found = peers_.find(connection);
    if (found == peers_.end()) continue;  // removed together with another one
    drop(connection, (found->second.step == ClientStep::kJoined
                          ? "it did not send its next label, or DONE, within "
                          : "it did not join within ") +
                         format_duration(settings_.timeout));
  }
}

std::string Server::text_of(const ClientConnection& peer) const {
  return peer.step == ClientStep::kJoined
             ? "client " + std::to_string(peer.rank) + " (" + peer.name + ")"
             : peer.name;
}

}  // namespace lintel::mpi::impi
