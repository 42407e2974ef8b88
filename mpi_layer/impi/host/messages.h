#pragma once
// Messages: the message protocols of IMPI: short, synchronous, long, cancel (IMPI 0.0, data
// transfer; reference section 7).
//
// The side of some local processes, mostly one, of all their messages with processes of other
// hosts, by however many channels. Packets go out by a PacketWay and come in by on_packet().
// Matching is not done here: an arrival waits until its owner accepts it, by its number. Thread:
//             one. Invariants: (1) a send ends once: sent, cancelled, or with its channel, which is
//             for the owner to say; (2) an arrival is withdrawn by its sender only before it was
//             accepted; (3) the rest of long messages leaves packet by packet, as long as the way
//             takes more.
// Does not: keep the data of arrivals; bound how many there are: that is for their owner, and flow
// control.

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/packet_way.h"

namespace lintel::mpi::impi {

struct Envelope {
  ProcId source;
  ProcId destination;
  std::int32_t source_rank = 0;
  std::int32_t tag = 0;
  std::uint64_t context = 0;
  std::uint64_t length = 0;
  std::int64_t count = 0;  // informative, like the next
  std::uint64_t datatype = 0;
  bool operator==(const Envelope&) const = default;
};

using SendNumber = std::uint64_t;
using ArrivalNumber = std::uint64_t;

enum class SendEnd : std::uint8_t { kSent, kCancelled };

class Messages final {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The message's data are not needed any more; a synchronous one has met its receive. Never from
    // within send().
    virtual void on_send_end(SendNumber number, SendEnd end) = 0;
    // cancel() was too late: the send ends as any other.
    virtual void on_cancel_refused(SendNumber number) = 0;
    // A message begins: its envelope and the first `data` of it, all of a short one. It is there
    // until accept(), which may be called from here, or until it is withdrawn.
    virtual void on_arrival(ArrivalNumber number, const Envelope& envelope,
                            std::span<const std::byte> data) = 0;
    // The sender wants one back that was not accepted. True: it is gone. False: it has met its
    // receive, or will; it may be accepted in the call.
    virtual bool withdraw(ArrivalNumber number) = 0;
    // More of a message that was accepted, behind what has come. The last of it if `offset +
    // data.size()` is its length.
    virtual void on_more(ArrivalNumber number, std::uint64_t offset,
                         std::span<const std::byte> data) = 0;
    // Where on_more() would copy so many bytes of it, if they may be put there at once: then its
    // `data` lie there already, or not. Empty: they may not.
    virtual std::span<std::byte> place_for(ArrivalNumber, std::uint64_t /*offset*/,
                                           std::size_t /*length*/) {
      return {};
    }
  };

  // `data_bytes`: of a packet at most, as all hosts agreed (IMPI_C_DATALEN). `way` and `owner` are
  // borrowed.
  Messages(std::uint32_t data_bytes, PacketWay& way, Owner& owner)
      : data_bytes_(data_bytes), way_(way), owner_(owner) {}
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // A packet has come for one of the local processes, neither PROTOACK nor FINI. An error: the peer
  // breaks the protocol; its channel ends.
  Error on_packet(const Packet& packet, std::span<const std::byte> data);
  // As Channel::Receiver: the data of such a packet are mostly written once, where they belong.
  std::span<std::byte> place_for(const Packet& packet);
  // The way may take more than it did.
  void go_on();

  // Starts a send. 0: it has ended already, sent. REQUIRES: `data` stay as they are until it ends,
  // and are envelope.length long.
  SendNumber send(const Envelope& envelope, bool synchronous, std::span<const std::byte> data);
  // Asks for a send back. The answer is on_send_end(kCancelled) or on_cancel_refused(), and it may
  // end before. REQUIRES: it has not ended, and was not asked for before.
  void cancel(SendNumber number);

  // The arrival has met its receive: its sender is told, if it waits for that, and sends the rest,
  // if there is any.
  // REQUIRES: on_arrival() has told of it; it was neither accepted nor withdrawn.
  void accept(ArrivalNumber number);

  // Nobody will ever accept the arrival: it is forgotten, and its sender, if it waits, is not told.
  // REQUIRES: as accept(); from within on_arrival() too.
  void drop(ArrivalNumber number) { arrivals_.erase(number); }

  // The channel of `remote` has ended: sends to it and arrivals from it are forgotten, and nobody
  // is told.
  void forget(const ProcId& remote);

  std::size_t sends_under_way() const { return sends_.size(); }
  std::size_t arrivals_open() const { return arrivals_.size(); }

 private:
  struct Send {
    Envelope envelope;
    std::span<const std::byte> data;
    std::uint64_t left = 0;                 // bytes given to the way
    std::uint64_t destination_request = 0;  // of one that was accepted
    bool accepted = false;                  // a long one, its rest is leaving
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
  lintel::Result<std::map<ArrivalNumber, Arrival>::iterator> continued_by(const Packet& packet);
  Error on_syncack(const Packet& packet);
  Error on_cancel(const Packet& packet);
  Error on_cancel_answer(const Packet& packet);
  Send* send_of(const Packet& answer);
  void end_send(SendNumber number, SendEnd end);

  std::uint32_t data_bytes_;
  PacketWay& way_;
  Owner& owner_;
  std::map<SendNumber, Send> sends_;
  std::deque<SendNumber> leaving_;  // long ones that were accepted, in turn
  std::map<ArrivalNumber, Arrival> arrivals_;
  SendNumber last_send_ = 0;
  ArrivalNumber last_arrival_ = 0;
};

}  // namespace lintel::mpi::impi
