#pragma once
// Messages: the message protocols of IMPI: short, synchronous, long, cancel (IMPI 0.0, data
// transfer; reference section 7).
//
// It handles all messages between some local processes (usually one) and processes of other hosts,
// whatever the number of channels. Packets are sent by a PacketSender and arrive by on_packet(). It
// does not match: an arrival waits until its handler accepts it, by its number. Thread: one at a
// time.
// Invariants: (1) a send ends once: sent, cancelled, or with its channel, which its handler
// decides; (2) an arrival is withdrawn by its sender only before it was accepted; (3) the rest of a
// long message is sent packet by packet, as long as the route accepts more.
// Does not: keep the data of arrivals, or bound their number. Its handler and flow control do so.

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/packet_sender.h"

namespace lintel::mpi::impi {

struct Envelope {
  ProcId source;
  ProcId destination;
  std::int32_t source_rank = 0;
  std::int32_t tag = 0;
  std::uint64_t context = 0;
  std::uint64_t length = 0;
  std::int64_t count = 0;  // informative, as `datatype`
  std::uint64_t datatype = 0;
  bool operator==(const Envelope&) const = default;
};

using SendNumber = std::uint64_t;
using ArrivalNumber = std::uint64_t;

enum class SendEnd : std::uint8_t { kSent, kCancelled };

class Messages final {
 public:
  class MessageHandler {
   public:
    virtual ~MessageHandler() = default;
    // The data of the message are not needed any more; a synchronous one was matched. Never called
    // from within send().
    virtual void on_send_end(SendNumber number, SendEnd end) = 0;
    // cancel() was too late. The send ends normally.
    virtual void on_cancel_refused(SendNumber number) = 0;
    // A message has arrived: its envelope and its first `data`, which is all of a short one. It
    // exists until accept(), which may be called from here, or until it is withdrawn.
    virtual void on_arrival(ArrivalNumber number, const Envelope& envelope,
                            std::span<const std::byte> data) = 0;
    // The sender cancels an arrival that was not accepted. True: the handler has removed it. False:
    // it is or will be matched; accept() may be called in this call.
    virtual bool withdraw(ArrivalNumber number) = 0;
    // The next part of an accepted message. It is the last one if `offset + data.size()` is the
    // length of the message.
    virtual void on_more(ArrivalNumber number, std::uint64_t offset,
                         std::span<const std::byte> data) = 0;
    // Where on_more() would copy these bytes of the message, if they may be written there at once.
    // Then the `data` of on_more() may be there already. Empty: no place.
    virtual std::span<std::byte> place_for(ArrivalNumber, std::uint64_t /*offset*/,
                                           std::size_t /*length*/) {
      return {};
    }
  };

  // `data_bytes`: the most data of a packet (IMPI_C_DATALEN). `sender` and `handler` are borrowed.
  Messages(std::uint32_t data_bytes, PacketSender& sender, MessageHandler& handler)
      : data_bytes_(data_bytes), sender_(sender), handler_(handler) {}
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // A packet for a local process has arrived, neither PROTOACK nor FINI. An error: the peer
  // violates the protocol, and its channel ends.
  Error on_packet(const Packet& packet, std::span<const std::byte> data);
  // As Channel::Receiver. So the data of most packets are written to their buffer without a copy.
  std::span<std::byte> place_for(const Packet& packet);
  // The route may accept more packets.
  void resume();

  // Starts a send. Returns 0 if it is complete already. REQUIRES: `data` has envelope.length bytes
  // and does not change until the send ends.
  SendNumber send(const Envelope& envelope, bool synchronous, std::span<const std::byte> data);
  // Cancels a send if possible. The answer is on_send_end(kCancelled) or on_cancel_refused(). The
  // send may end before. REQUIRES: it has not ended, and cancel() was not called for it before.
  void cancel(SendNumber number);

  // The arrival was matched. Informs its sender if that waits, which then sends the rest if there
  // is any.
  // REQUIRES: on_arrival() was called for it; it was neither accepted nor withdrawn.
  void accept(ArrivalNumber number);

  // Forgets an arrival that nobody will accept. Its sender is not informed, even if it waits. May
  // be called from on_arrival(). REQUIRES: as accept().
  void drop(ArrivalNumber number) { arrivals_.erase(number); }

  // The channel of `remote` has ended. Forgets sends to it and arrivals from it; no function of the
  // handler is called.
  void forget(const ProcId& remote);

  std::size_t sends_under_way() const { return sends_.size(); }
  std::size_t arrivals_open() const { return arrivals_.size(); }

 private:
  struct Send {
    Envelope envelope;
    std::span<const std::byte> data;
    std::uint64_t left = 0;                 // bytes given to the route
    std::uint64_t destination_request = 0;  // after it was accepted
    bool accepted = false;                  // a long message whose rest is being sent
    bool cancelling = false;
  };
  struct Arrival {
    Envelope envelope;
    std::uint64_t source_request = 0;
    std::uint64_t come = 0;
    bool answered = false;  // its sender waits for SYNCACK
    bool accepted = false;
  };

  Error on_first(const Packet& packet, std::span<const std::byte> data);
  Error on_rest(const Packet& packet, std::span<const std::byte> data);
  Result<std::map<ArrivalNumber, Arrival>::iterator> continued_by(const Packet& packet);
  Error on_syncack(const Packet& packet);
  Error on_cancel(const Packet& packet);
  Error on_cancel_answer(const Packet& packet);
  Send* send_of(const Packet& answer);
  void end_send(SendNumber number, SendEnd end);

  std::uint32_t data_bytes_;
  PacketSender& sender_;
  MessageHandler& handler_;
  std::map<SendNumber, Send> sends_;
  std::deque<SendNumber> leaving_;  // accepted long messages, in turn
  std::map<ArrivalNumber, Arrival> arrivals_;
  SendNumber last_send_ = 0;
  ArrivalNumber last_arrival_ = 0;
};

}  // namespace lintel::mpi::impi
