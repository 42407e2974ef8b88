#pragma once
// Delivery: passes what the stream of a connection finds to the sink of the poll() under way, and
// says where its data go. Made on the stack of whoever reads the stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/direct/direct_connections.h"
#include "transport/direct/direct_sender.h"
#include "transport/direct/direct_tables.h"

namespace lintel::transport {

class Delivery final : public StreamSink {
 public:
  // Of what arrives on `connection`. Borrows them all.
  Delivery(DirectTables& tables, DirectSender& sender, DirectConnections& connections,
           DirectConnection& connection)
      : tables_(tables), sender_(sender), connections_(connections), connection_(connection) {}

  void on_message(std::span<const std::byte> message) override;
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override;
  void on_write_in_place(Immediate immediate) override;
  std::optional<std::span<std::byte>> place_of_payload(PlacementKey placement) override;
  void on_placed_message(std::span<const std::byte> message, const PlacedPayload& payload) override;
  Acknowledged on_acknowledgement(std::uint32_t received) override;
  void on_acknowledgement_wanted(std::uint16_t flags) override;

 private:
  // Calls report(sink) as one report of the poll(). A sink without memory costs the connection.
  template <class Report>
  void deliver(Report report);

  DirectTables& tables_;
  DirectSender& sender_;
  DirectConnections& connections_;
  DirectConnection& connection_;
};

}  // namespace lintel::transport
