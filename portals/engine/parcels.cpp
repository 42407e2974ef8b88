// Parcels: puts whose data go with them, from where they lie to where they are expected. On the wire a put that announces its data, which come in the same parcel.

#include "portals/engine/endpoint.h"

namespace lintel::portals {

Status Endpoint::put_parcel(NetworkInterface& interface, const RequestArguments& arguments, transport::PlacementKey key) {
  LINTEL_ASSERT(arguments.ack == AckRequest::kNone);
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk) return status;
  if (prepared.length == 0 || prepared.length > parcel_limit() || outbox_.waits_for(prepared.peer)) return Status::kNoSpace;
  MemoryDescriptor& descriptor = *prepared.descriptor;
  const std::uint64_t offset = arguments.whole_descriptor ? 0 : arguments.local_offset;
  std::span<const std::byte> data;
  descriptor.region().for_each_run(offset, prepared.length, [&data](std::span<std::byte> run) { data = run; });
  LINTEL_ASSERT(data.size() == prepared.length);

  wire::Request request = make_request(interface, wire::MessageKind::kPut, arguments, prepared.length);
  request.header.flags |= wire::kFlagAnnounced;
  Operation* record = create_operation(Operation::Role::kPut, prepared.peer, interface.kind());
  if (record == nullptr) return Status::kNoSpace;
  request.sender_token = record->id.packed();
  if (!send_parcel(*record, request, data, key)) {
    destroy_operation(*record);
    return Status::kNoSpace;
  }
  interface.entries.charge(descriptor);
  interface.registers.sent(prepared.length);
  counters_.add(Counter::kPutsSent);
  record->completion = open_send(interface, descriptor, request, arguments.user_pointer);
  begin_moving(*record);
  return Status::kOk;
}

// False: it cannot leave now. True: it is one write of the record's, which ends as such.
bool Endpoint::send_parcel(Operation& record, const wire::Request& request, std::span<const std::byte> data, transport::PlacementKey key) {
  const std::size_t size = wire::fixed_size(request.header);
  const transport::MessageBuffer buffer = transport_->reserve(record.peer, size);
  if (!buffer) return false;
  wire::encode(request, buffer.data);
  const transport::Context context(record.id.packed());
  if (transport_->commit_placed(record.peer, buffer, size, data, key, context) != transport::PostStatus::kOk) {
    transport_->abandon(record.peer, buffer);
    return false;
  }
  counters_.add(Counter::kMessagesSent);
  counters_.add(Counter::kBytesSent, data.size());
  record.source = Operation::Source::kWriting;
  record.length = data.size();
  record.writes.push_back({{data.data(), data.size(), {}}, {}});
  record.writes_posted = 1;
  record.parcel = true;
  return true;
}

void Endpoint::on_placed_message(transport::PeerId from, std::span<const std::byte> message, const transport::PlacedPayload& payload) {
  counters_.add(Counter::kMessagesReceived);
  wire::MessageHeader header;
  if (!wire::parse_header(message, header) || header.kind != static_cast<std::uint8_t>(wire::MessageKind::kPut) ||
      header.flags != wire::kFlagAnnounced) {
    return drop_foreign(DropCause::kMalformed, payload.length);
  }
  wire::Request request = wire::parse_request(message);
  if (request.length != payload.length) return drop_foreign(DropCause::kMalformed, payload.length);
  request.header.flags = 0;  // here they are, and nobody waits for an answer
  counters_.add(Counter::kBytesReceived, payload.length);
  on_request(from, wire::MessageKind::kPut, request, payload.bytes);
}

bool Endpoint::expect_parcel(NetworkInterface& interface, SlotId entry_id, ProcessId source, transport::PlacementKey key) {
  MatchEntry* const entry = interface.entries.get(entry_id);
  if (entry == nullptr) return false;  // its put has come already
  LINTEL_ASSERT(entry->list() == PortalList::kPriority);
  MatchList& list = interface.portals[entry->portal_index()].priority;
  if (list.find(source, entry->criteria().match_bits, [](const MatchEntry&) { return true; }) != entry) return false;
  const MemoryRegion& region = entry->descriptor->region();
  std::span<std::byte> memory;
  region.for_each_run(0, region.length(), [&memory](std::span<std::byte> run) { memory = run; });
  const Result<transport::PeerId> peer = resolve(source);
  return !memory.empty() && memory.size() == region.length() && peer.ok() && transport_->expect_placement(*peer, key, memory);
}

transport::Withdrawal Endpoint::forget_parcel(ProcessId source) {
  const Result<transport::PeerId> peer = resolve(source);
  return peer.ok() ? transport_->withdraw_placement(*peer) : transport::Withdrawal::kNone;
}

}  // namespace lintel::portals
