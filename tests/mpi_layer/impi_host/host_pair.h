#pragma once
// HostPair: two hosts and the bytes between them, which a test moves when it likes and in pieces as
// it likes. Records what each host is told.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/mpi_layer/impi_host/job_of_vectors.h"
#include "tests/mpi_layer/impi_host/message_channel.h"

namespace lintel::testing {

class Host final : public mpi::impi::Messages::MessageHandler {
 public:
  Host(int client_number, const mpi::impi::ChannelLimits& limits)
      : joined(limits, client(client_number), client(1 - client_number), *this) {}

  void on_send_end(mpi::impi::SendNumber number, mpi::impi::SendEnd end) override {
    told.push_back((end == mpi::impi::SendEnd::kSent ? "sent " : "cancelled ") +
                   std::to_string(number));
  }
  void on_cancel_refused(mpi::impi::SendNumber number) override {
    told.push_back("too late " + std::to_string(number));
  }
  void on_arrival(mpi::impi::ArrivalNumber number, const mpi::impi::Envelope& envelope,
                  std::span<const std::byte> data) override {
    told.push_back("arrival " + std::to_string(number) + " tag " + std::to_string(envelope.tag));
    envelopes[number] = envelope;
    contents[number].assign(data.begin(), data.end());
    if (accept_at_once) messages.accept(number);
  }
  bool withdraw(mpi::impi::ArrivalNumber number) override {
    if (accept_when_wanted_back) {
      messages.accept(number);
      return false;
    }
    told.push_back("withdrawn " + std::to_string(number));
    return true;
  }
  void on_more(mpi::impi::ArrivalNumber number, std::uint64_t offset,
               std::span<const std::byte> data) override {
    std::vector<std::byte>& content = contents[number];
    if (offset != content.size()) told.push_back("a gap in " + std::to_string(number));
    content.insert(content.end(), data.begin(), data.end());
    if (content.size() == envelopes[number].length)
      told.push_back("whole " + std::to_string(number));
  }

  // All bytes that it has to write, as far as flow control permits.
  std::vector<std::byte> take_out(std::size_t most = SIZE_MAX) {
    std::vector<std::byte> bytes;
    for (auto next = joined.channel().next_bytes(); !next.empty() && bytes.size() < most;
         next = joined.channel().next_bytes()) {
      const auto piece = next.first(std::min(next.size(), most - bytes.size()));
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      joined.written(piece.size());
    }
    return bytes;
  }

  std::vector<std::string> take_told() { return std::exchange(told, {}); }

  std::vector<std::string> told;
  std::map<mpi::impi::ArrivalNumber, mpi::impi::Envelope> envelopes;
  std::map<mpi::impi::ArrivalNumber, std::vector<std::byte>> contents;
  bool accept_at_once = false;
  bool accept_when_wanted_back = false;
  MessageChannel joined;
  mpi::impi::Messages& messages = joined.messages();
};

class HostPair {
 public:
  explicit HostPair(const mpi::impi::ChannelLimits& limits) : first(0, limits), second(1, limits) {}

  // Runs until neither has anything more to write. Returns false if one of them has refused what it
  // received.
  bool settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& [from, to] : {std::pair(&first, &second), std::pair(&second, &first)}) {
        const std::vector<std::byte> bytes = from->take_out(333);
        moved = moved || !bytes.empty();
        if (!to->joined.receive(bytes).ok()) return false;
      }
    }
    return true;
  }

  Host first;
  Host second;
};

inline mpi::impi::Envelope envelope(int source, int destination, int tag, std::uint64_t length) {
  mpi::impi::Envelope envelope;
  envelope.source = process(source);
  envelope.destination = process(destination);
  envelope.source_rank = source;
  envelope.tag = tag;
  envelope.length = length;
  return envelope;
}

inline std::vector<std::byte> content(std::size_t length, unsigned seed = 1) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + seed * 17 + i / 251) & 0xff);
  return bytes;
}

}  // namespace lintel::testing
