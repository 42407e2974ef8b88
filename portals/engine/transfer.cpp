// Data that move by writes: the receiver registers where they land and says CLEAR, the source writes them there, and the receiver knows that they are in
// place by the immediate that comes with each write. No copy on either side. Used alike by a large put and by a large reply. A get whose descriptor stays
// until the reply has come sends its CLEAR along, and saves a round trip.
// Memory in more pieces than one CLEAR names is cleared in rounds: the next CLEAR follows when the writes for the last have come.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "portals/engine/endpoint.h"

namespace lintel::portals {
namespace {

// An immediate names the sink: slot, part of its generation, and whether the transfer is more than this one write.
constexpr unsigned kSlotBits = 19;
constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
constexpr std::uint32_t kGenerationMask = (1U << 12) - 1;
constexpr std::uint32_t kMoreThanOneWrite = 1U << 31;
static_assert(kMaxOperationLimit <= kSlotMask + 1);

std::uint32_t immediate_of(SlotId id) { return id.slot | ((id.generation & kGenerationMask) << kSlotBits); }

// A CLEAR is what the source waits for: the first of its transfer, or the next of one whose last one said that more follows. The next may come before the
// source has heard that its writes have ended, but not before they were posted. Each asks for something and leaves something if more is to follow, so
// they come to an end.
bool may_clear(const Operation& source, const wire::Clear& message) {
  const std::uint64_t left = source.length - source.cleared;
  const bool more = (message.header.flags & wire::kFlagMore) != 0;
  if (more ? message.length >= left : message.length > left) return false;
  if (source.source == Operation::Source::kAnnounced && source.cleared == 0) return true;
  if (!source.more_follows || message.receiver_token != source.receiver_token) return false;
  if (source.source == Operation::Source::kAnnounced) return true;
  return source.source == Operation::Source::kWriting && source.writes_posted == source.writes.size() && source.held_clear == nullptr;
}

}  // namespace

// ---- The receiver

bool Endpoint::receive(Operation& sink, const Landing& landing) {
  sink.region = *landing.region;
  sink.offset = landing.offset;
  sink.length = landing.length;
  sink.source_token = landing.source_token;
  if (!clear_next(sink)) return false;
  counters_.add(Counter::kDirectTransfers);
  begin_moving(sink);
  return true;
}

// Registers the next pieces of where the data land, as many as one CLEAR of at most `room` bytes names, and makes that CLEAR of them. False: some could not be
// registered.
bool Endpoint::make_clear(Operation& sink, std::size_t room, wire::Clear& clear, std::byte* segments) {
  const std::size_t most = std::min(kMostSegments, (room - sizeof(wire::Clear)) / sizeof(wire::Segment));
  std::uint32_t count = 0;
  std::uint64_t length = 0;
  bool registered = true;
  sink.region.for_each_run(sink.offset + sink.cleared, sink.length - sink.cleared, [&](std::span<std::byte> run) {
    if (!registered || count == most) return;
    Result<transport::Region> region = transport_->register_memory(sink.peer, run, transport::Access::kWriteTarget);
    registered = region.ok();
    if (!registered) return;
    sink.registered.push_back(*region);
    wire::encode(wire::Segment{region->key, region->base, run.size()}, segments + count * sizeof(wire::Segment));
    ++count;
    length += run.size();
  });
  if (!registered) return false;

  sink.cleared += length;
  sink.writes_seen = 0;
  sink.writes_expected = 1;
  sink.count_known = true;
  const std::uint32_t segment_bytes = count * static_cast<std::uint32_t>(sizeof(wire::Segment));
  const std::uint8_t flags = sink.cleared < sink.length ? wire::kFlagMore : 0;
  clear = {};
  clear.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kClear), flags, sink.interface_kind, segment_bytes};
  clear.source_token = sink.source_token;
  clear.receiver_token = sink.id.packed();
  clear.length = length;
  clear.immediate = immediate_of(sink.id);
  clear.segment_count = count;
  return true;
}

bool Endpoint::clear_next(Operation& sink) {
  wire::Clear clear;
  std::byte segments[kMostClearBytes - sizeof(wire::Clear)];
  if (!make_clear(sink, transport_->attributes().max_message_bytes, clear, segments)) return false;
  outbox_.send(sink.peer, clear, {.region = nullptr, .offset = 0, .length = 0, .bytes = {segments, clear.header.payload_length}});
  return true;
}

std::uint32_t Endpoint::clear_ahead(Operation& get, const Landing& landing, std::byte* out) {
  get.region = *landing.region;
  get.offset = landing.offset;
  get.length = landing.length;
  const std::size_t room = transport_->attributes().max_message_bytes - wire::fixed_size(get.request.header);
  wire::Clear clear;
  if (!make_clear(get, room, clear, out + sizeof clear) || get.cleared < get.length) {
    release_memory(get);
    get.cleared = 0;
    return 0;
  }
  wire::encode(clear, out);
  begin_moving(get);
  return static_cast<std::uint32_t>(sizeof clear) + clear.header.payload_length;
}

// Its reply does not come by the writes that the CLEAR has asked for.
void Endpoint::withdraw_clear(Operation& get) {
  if (!get.lands()) return;
  release_memory(get);
  get.cleared = 0;
  end_moving(get);
}

void Endpoint::on_immediate(transport::Immediate immediate) {
  const std::uint32_t slot = immediate.value & kSlotMask;
  Operation* sink = operations_.find_slot(slot);
  const bool known =
      sink != nullptr && sink->lands() && (immediate_of(sink->id) | kMoreThanOneWrite) == (immediate.value | kMoreThanOneWrite);
  if (!known) {
    // The transfer has ended meanwhile, with a failure.
    counters_.add(Counter::kDropsStaleHandle);  // no message, so the interface's registers do not count it
    return;
  }
  transport_->note_progress(sink->peer);
  if ((immediate.value & kMoreThanOneWrite) != 0 && sink->writes_expected == 1) sink->count_known = false;
  ++sink->writes_seen;
  if (sink->count_known && sink->writes_seen > sink->writes_expected) return fail_operation(*sink, Failure::kFailed);
  finish_sink_if_complete(*sink);
}

void Endpoint::on_written(transport::PeerId from, const wire::Written& message) {
  Operation* sink = operation(message.receiver_token, from);
  if (sink == nullptr || !sink->lands() || sink->writes_expected != 1 || message.write_count < 2 ||
      message.write_count < sink->writes_seen) {
    drop_foreign(DropCause::kStaleHandle, 0);
    return;
  }
  sink->writes_expected = message.write_count;
  sink->count_known = true;
  finish_sink_if_complete(*sink);
}

void Endpoint::finish_sink_if_complete(Operation& sink) {
  if (!sink.count_known || sink.writes_seen != sink.writes_expected) return;
  release_memory(sink);
  if (sink.cleared < sink.length) {
    if (clear_next(sink)) return;
    refuse_data(sink, Failure::kDropped);
    fail_operation(sink, Failure::kFailed);
    return;
  }
  if (sink.role == Operation::Role::kGet) {
    counters_.add(Counter::kDirectTransfers);
    counters_.add(Counter::kRepliesReceived);
    interface_of(sink)->registers.received(sink.length);
    log_reply(sink, sink.length, Failure::kNone);
  } else {
    sink.completion.interface->close(sink.completion, Failure::kNone);
  }
  if (sink.answer_when_done) {
    counters_.add(Counter::kAcksSent);
    outbox_.send(sink.peer, sink.answer);
  } else if (sink.release_token != 0) {
    discard(sink.peer, sink.release_token);
  }
  destroy_operation(sink);
}

// The sink takes no more data and answers no put: its source, which is to end too, hears of it.
void Endpoint::refuse_data(const Operation& sink, Failure failure) {
  if (!sink.answer_when_done || sink.interface_kind == kPortals3Kind) return discard(sink.peer, sink.source_token);
  counters_.add(Counter::kAcksSent);
  wire::Response answer = sink.answer;
  answer.failure = static_cast<std::uint8_t>(failure);
  answer.manipulated_length = 0;
  outbox_.send(sink.peer, answer);
}

void Endpoint::release_memory(Operation& record) {
  for (const transport::Region& region : record.registered) transport_->deregister_memory(region);
  record.registered.clear();
}

// ---- The source

void Endpoint::on_clear(transport::PeerId from, const wire::Clear& message, std::span<const std::byte> segments) {
  Operation* source = operation(message.source_token, from);
  if (source == nullptr || !may_clear(*source, message)) {
    drop_foreign(DropCause::kStaleHandle, 0);
    discard(from, message.receiver_token);
    return;
  }
  if (source->source == Operation::Source::kWriting) {
    source->held_clear = std::make_unique<Operation::HeldClear>(Operation::HeldClear{message, {segments.begin(), segments.end()}});
  } else {
    start_writing(*source, message, segments);
  }
}

void Endpoint::start_writing(Operation& source, const wire::Clear& message, std::span<const std::byte> segments) {
  source.source = Operation::Source::kWriting;
  source.receiver_token = message.receiver_token;
  source.immediate = transport::Immediate(message.immediate & ~kMoreThanOneWrite);
  source.more_follows = (message.header.flags & wire::kFlagMore) != 0;
  if (!plan_writes(source, message, segments)) {
    source.write_failure = Failure::kFailed;
    source_finished(source);
    return;
  }
  source.cleared += message.length;
  if (source.writes.size() > 1) {
    source.immediate.value |= kMoreThanOneWrite;
    wire::Written written{};
    written.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kWritten), 0, source.interface_kind, 0};
    written.receiver_token = message.receiver_token;
    written.write_count = source.writes.size();
    outbox_.send(source.peer, written);
  }
  post_writes(source);
}

// Lays the source's runs over the receiver's segments: a write for each stretch that is contiguous on both sides.
bool Endpoint::plan_writes(Operation& source, const wire::Clear& message, std::span<const std::byte> segments) {
  const std::uint64_t largest = transport_->attributes().max_write_bytes;
  std::uint32_t index = 0;
  wire::Segment segment = wire::parse_segment(segments, 0);
  bool planned = true;
  source.region.for_each_run(source.offset + source.cleared, message.length, [&](std::span<std::byte> run) {
    if (!planned) return;
    const Result<transport::Region> region = transport_->register_memory(source.peer, run, transport::Access::kWriteSource);
    planned = region.ok();
    if (!planned) return;
    source.registered.push_back(*region);
    while (!run.empty()) {
      while (segment.length == 0) segment = wire::parse_segment(segments, ++index);
      const std::uint64_t take = std::min({run.size(), segment.length, largest});
      source.writes.push_back({{run.data(), take, *region}, {segment.key, segment.address}});
      run = run.subspan(take);
      segment.address += take;
      segment.length -= take;
    }
  });
  return planned;
}

void Endpoint::post_writes(Operation& source) {
  while (source.writes_posted < source.writes.size()) {
    const Operation::Write& write = source.writes[source.writes_posted];
    switch (transport_->post_write(source.peer, write.from, write.to, source.immediate, transport::Context(source.id.packed()))) {
      case transport::PostStatus::kOk:
        ++source.writes_posted;
        counters_.add(Counter::kBytesSent, write.from.length);
        break;
      case transport::PostStatus::kWouldBlock:
        counters_.add(Counter::kWouldBlocks);
        if (!source.waits_for_room) {
          source.waits_for_room = true;
          waiting_for_room_.push_back(source.id);
        }
        return;
      case transport::PostStatus::kFailed: return;  // on_peer_failed ends it
    }
  }
}

void Endpoint::on_write_done(transport::Context context, Error error) {
  Operation* source = operations_.get(SlotId::unpack(context.value));
  const bool expected = source != nullptr && source->source == Operation::Source::kWriting && source->writes_done < source->writes_posted;
  if (!expected) return;  // it failed with its peer meanwhile
  ++source->writes_done;
  ++traffic_[source->interface_kind].writes_done;
  if (error.ok()) {
    transport_->note_progress(source->peer);
  } else {
    source->write_failure = error.loss() == Loss::kOperation ? Failure::kFailed : Failure::kPeerDead;
  }
  if (source->writes_done == source->writes.size()) writes_finished(*source);
}

// Those for the last CLEAR.
void Endpoint::writes_finished(Operation& source) {
  if (!source.more_follows || source.answered || source.write_failure != Failure::kNone) return source_finished(source);
  release_memory(source);
  source.writes.clear();
  source.writes_posted = 0;
  source.writes_done = 0;
  source.source = Operation::Source::kAnnounced;
  if (const auto held = std::move(source.held_clear)) start_writing(source, held->message, held->segments);
}

void Endpoint::source_finished(Operation& source) {
  release_memory(source);
  if (source.write_failure != Failure::kNone && !source.parcel)
    discard(source.peer, source.receiver_token);  // the receiver's transfer cannot complete
  finish_source(source);
}

// DISCARD, or an ACK that tells of a failure, before the last write was posted: the others would go to memory that is registered no more.
void Endpoint::receiver_gave_up(Operation& source) {
  source.more_follows = false;
  source.held_clear.reset();
  source.writes.resize(source.writes_posted);
  source.write_failure = Failure::kFailed;
  if (source.writes_done == source.writes.size()) source_finished(source);
}

}  // namespace lintel::portals
