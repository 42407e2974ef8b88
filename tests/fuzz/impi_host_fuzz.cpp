// libFuzzer entry: bytes of a hostile host into the data transfer of IMPI. The input is a list of
// commands: packets whose addresses are corrected so that they reach a process, raw bytes, sends,
// cancels, acceptances, and bytes that the connection accepts.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>

#include "base/assert.h"
#include "tests/fuzz/input.h"
#include "tests/mpi_layer/impi_host/message_channel.h"

namespace {

using namespace lintel;
using namespace lintel::mpi::impi;
using lintel::testing::Input;

ProcId process(std::uint8_t host, std::int64_t pid) {
  ProcId address;
  address.host.bytes[15] = host;
  address.pid = pid;
  return address;
}

// Keeps the rules of Messages and checks what Messages guarantees.
class Owner final : public Messages::MessageHandler {
 public:
  std::set<SendNumber> sends;
  std::set<SendNumber> cancelling;
  std::set<ArrivalNumber> open;
  std::map<ArrivalNumber, std::uint64_t> missing;  // of messages that have begun

  void on_send_end(SendNumber number, SendEnd) override {
    LINTEL_ASSERT(sends.erase(number) == 1);
    cancelling.erase(number);
  }
  void on_cancel_refused(SendNumber number) override {
    LINTEL_ASSERT(cancelling.erase(number) == 1);
  }
  void on_arrival(ArrivalNumber number, const Envelope& envelope,
                  std::span<const std::byte> data) override {
    LINTEL_ASSERT(data.size() <= envelope.length && open.insert(number).second);
    missing[number] = envelope.length - data.size();
    touch(data);
  }
  bool withdraw(ArrivalNumber number) override {
    LINTEL_ASSERT(open.contains(number));
    if (number % 4 == 3) return false;
    open.erase(number);
    missing.erase(number);
    return true;
  }
  void on_more(ArrivalNumber number, std::uint64_t, std::span<const std::byte> data) override {
    LINTEL_ASSERT(!open.contains(number) && !data.empty() && data.size() <= missing.at(number));
    missing[number] -= data.size();
    touch(data);
    memory_.erase(number);
  }

  std::span<std::byte> place_for(ArrivalNumber number, std::uint64_t, std::size_t length) override {
    LINTEL_ASSERT(!open.contains(number) && length > 0 && length <= missing.at(number));
    return memory_[number] = std::vector<std::byte>(length);
  }

 private:
  void touch(std::span<const std::byte> data) {
    for (const std::byte b : data) touched_ = touched_ + std::to_integer<unsigned>(b);
  }
  // memory of each packet that has begun, exactly as long as the packet
  std::map<ArrivalNumber, std::vector<std::byte>> memory_;
  volatile unsigned touched_ = 0;
};

Packet packet_of(Input& input, std::size_t length) {
  Packet packet;
  packet.type = static_cast<PacketType>(input.byte() % 9);
  packet.length = static_cast<std::uint32_t>(length);
  packet.source = process(2, input.byte() % 2);
  packet.destination = process(1, input.byte() % 2);
  packet.source_request = input.byte();
  packet.destination_request = input.byte();
  packet.message_length = packet.length + input.byte();
  return packet;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::vector<std::byte> memory(3000);
  Owner owner;
  lintel::testing::MessageChannel joined({64, 3, 5}, {process(1, 0), process(1, 1)},
                                         {process(2, 0), process(2, 1)}, owner);
  Messages& messages = joined.messages();
  while (!input.empty()) {
    switch (input.byte() % 6) {
      case 0: {
        const auto bytes = input.bytes(input.byte() % 80);
        std::vector<std::byte> frame(kHeaderBytes);
        const Packet packet = packet_of(input, bytes.size());
        encode(packet, std::span<std::byte, kHeaderBytes>(frame.data(), kHeaderBytes));
        frame.insert(frame.end(), bytes.begin(), bytes.end());
        // In one piece or in two.
        const std::size_t first =
            packet.message_length % 2 == 0 ? frame.size() : kHeaderBytes + bytes.size() / 2;
        static_cast<void>(joined.receive(std::span(frame).first(first)));
        static_cast<void>(joined.read(std::span(frame).subspan(first)));
        break;
      }
      case 1: static_cast<void>(joined.read(input.bytes(input.byte()))); break;
      case 2: {
        Envelope envelope;
        envelope.source = process(1, input.byte() % 2);
        envelope.destination = process(2, input.byte() % 2);
        envelope.length = input.byte() * std::uint64_t{10};
        const SendNumber number = messages.send(envelope, input.byte() % 2 == 0,
                                                std::span(memory).first(envelope.length));
        if (number != 0) owner.sends.insert(number);
        break;
      }
      case 3:
        for (const SendNumber number : owner.sends) {
          if (!owner.cancelling.insert(number).second) continue;
          messages.cancel(number);
          break;
        }
        break;
      case 4:
        if (!owner.open.empty()) messages.accept(owner.open.extract(owner.open.begin()).value());
        break;
      case 5: {
        const std::size_t room = input.byte();
        const std::size_t there = joined.channel().next_bytes().size();
        joined.written(std::min(room, there));
        break;
      }
    }
  }
  std::string text;
  joined.channel().dump(text);
  return 0;
}
