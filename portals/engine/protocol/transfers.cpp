#include "portals/engine/protocol/transfers.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "portals/engine/interface/network_interface.h"

namespace lintel::portals {
namespace {

// So that a registration that was made is not lost for the lack of memory.
template <class Some>
void make_room(Some& some) {
  if (some.size() == some.capacity()) some.reserve(2 * some.size());
}

// An operation of another process has one of the two, and the pools keep the memory of as many as
// there ever were of each.
static_assert(SlotPool<Operation>::bytes_of_one() + SlotPool<TransferSource>::bytes_of_one() +
                  SlotPool<TransferSink>::bytes_of_one() <=
              OperationPlaces::kPlaceBytes);

wire::MessageHeader header_of(wire::MessageKind kind, std::uint8_t flags,
                              const Operation& operation, std::uint32_t payload) {
  return {wire::kMessageVersion, static_cast<std::uint8_t>(kind), flags, operation.interface_kind,
          payload};
}

}  // namespace

Transfers::Transfers(transport::Transport& transport, Outbox& outbox, Operations& operations,
                     Counters& counters, std::uint64_t immediate_seed)
    : transport_(transport),
      outbox_(outbox),
      operations_(operations),
      counters_(counters),
      sources_(kMostOperations),
      sinks_(kMostOperations),
      immediates_(immediate_seed) {}

// An operation has at most one of each, so the pools are large enough.
TransferSource& Transfers::make_source(Operation& operation) {
  const auto [source, id] = sources_.create();
  LINTEL_ASSERT(source != nullptr && operation.source == nullptr);
  source->id = id;
  source->operation = &operation;
  operation.source = source;
  ++counts_[operation.interface_kind].moving;
  return *source;
}

TransferSink& Transfers::make_sink(Operation& operation, const RegionPart& to) {
  const auto [sink, id] = sinks_.create();
  LINTEL_ASSERT(sink != nullptr && operation.sink == nullptr);
  sink->id = id;
  sink->operation = &operation;
  immediates_.give(*sink);
  sink->region = *to.region;
  sink->offset = to.offset;
  sink->length = to.length;
  operation.sink = sink;
  ++counts_[operation.interface_kind].moving;
  return *sink;
}

void Transfers::end_source(Operation& operation) {
  --counts_[operation.interface_kind].moving;
  sources_.destroy(std::exchange(operation.source, nullptr)->id);
}

void Transfers::end_sink(Operation& operation) {
  --counts_[operation.interface_kind].moving;
  immediates_.take_back(*operation.sink);
  sinks_.destroy(std::exchange(operation.sink, nullptr)->id);
}

void Transfers::deregister(Registrations& registered) {
  for (const transport::Registration& region : registered) transport_.deregister_memory(region);
  registered.clear();
}

// ---- The receiver

bool Transfers::begin_sink(Operation& operation, const RegionPart& to, std::uint64_t source_token,
                           Completion& completion, const Answer& answer) {
  bool cleared = false;
  try {
    TransferSink& made = make_sink(operation, to);
    made.source_token = source_token;
    cleared = clear_next(operation, made);
  } catch (const std::bad_alloc&) {
    cleared = false;
  }
  if (!cleared) {
    withdraw_clear(operation);
    return false;
  }
  TransferSink& sink = *operation.sink;
  sink.completion = std::move(completion);
  sink.answers = answer.wanted;
  sink.answer = answer.response;
  sink.release_token = answer.release_token;
  counters_.add(Counter::kDirectTransfers);
  return true;
}

// Registers the next pieces of the sink's memory, as many as fit into one CLEAR of at most `room`
// bytes, and fills in that CLEAR. False: a piece could not be registered.
bool Transfers::make_clear(const Operation& operation, TransferSink& sink, std::size_t room,
                           wire::Clear& clear, std::byte* segments) {
  const std::size_t most = std::min<std::size_t>(
      wire::kMostSegments, (room - sizeof(wire::Clear)) / sizeof(wire::Segment));
  std::uint32_t count = 0;
  std::uint64_t length = 0;
  bool registered = true;
  sink.region.for_each_run(
      sink.offset + sink.cleared, sink.length - sink.cleared, [&](std::span<std::byte> run) {
        if (!registered || count == most) return;
        make_room(sink.registered);
        Result<transport::Registration> region =
            transport_.register_memory(operation.peer, run, transport::Access::kWriteTarget);
        registered = region.ok();
        if (!registered) return;
        sink.registered.push_back(*region);
        wire::encode(wire::Segment{region->key, region->base, run.size()},
                     segments + count * sizeof(wire::Segment));
        ++count;
        length += run.size();
      });
  if (!registered) return false;

  sink.cleared += length;
  sink.writes_seen = 0;
  sink.writes_expected = 1;
  sink.count_known = true;
  const std::uint8_t flags = sink.cleared < sink.length ? wire::kFlagMore : 0;
  clear = {};
  clear.header = header_of(wire::MessageKind::kClear, flags, operation,
                           count * static_cast<std::uint32_t>(sizeof(wire::Segment)));
  clear.source_token = sink.source_token;
  clear.receiver_token = operation.id.packed();
  clear.length = length;
  clear.immediate = sink.immediate.value;
  clear.segment_count = count;
  return true;
}

bool Transfers::clear_next(const Operation& operation, TransferSink& sink) {
  wire::Clear clear;
  std::byte segments[kMostClearBytes - sizeof(wire::Clear)];
  if (!make_clear(operation, sink, transport_.attributes().max_message_bytes, clear, segments))
    return false;
  outbox_.send_of(operation, clear,
                  {.region = nullptr,
                   .offset = 0,
                   .length = 0,
                   .bytes = {segments, clear.header.payload_length}});
  return true;
}

std::uint32_t Transfers::clear_ahead(Operation& get, const RegionPart& to, std::size_t room,
                                     std::byte* out) {
  wire::Clear clear;
  bool cleared = false;
  try {
    TransferSink& sink = make_sink(get, to);
    sink.ahead = true;
    cleared = make_clear(get, sink, room, clear, out + sizeof clear) && sink.cleared == sink.length;
  } catch (const std::bad_alloc&) {
    cleared = false;
  }
  if (!cleared) {
    withdraw_clear(get);
    return 0;
  }
  wire::encode(clear, out);
  return static_cast<std::uint32_t>(sizeof clear) + clear.header.payload_length;
}

void Transfers::withdraw_clear(Operation& get) {
  if (get.sink == nullptr) return;
  deregister(get.sink->registered);
  end_sink(get);
}

Operation* Transfers::sink_of(transport::PeerId from, transport::Immediate immediate) {
  const TransferSink* const sink = immediates_.find(immediate);
  if (sink == nullptr) return nullptr;
  return from == transport::kNoPeer || from == sink->operation->peer ? sink->operation : nullptr;
}

Transfers::Ended Transfers::immediate_came(Operation& operation, transport::Immediate immediate) {
  TransferSink& sink = *operation.sink;
  transport_.note_progress(operation.peer);
  if ((immediate.value & Immediates::kMoreThanOneWrite) != 0 && sink.writes_expected == 1)
    sink.count_known = false;
  ++sink.writes_seen;
  if (sink.count_known && sink.writes_seen > sink.writes_expected) return fail_sink(operation);
  return finish_sink_if_complete(operation);
}

bool Transfers::may_count(const Operation& operation, const wire::Written& message) {
  const TransferSink* const sink = operation.sink;
  return sink != nullptr && sink->writes_expected == 1 && message.write_count >= 2 &&
         message.write_count >= sink->writes_seen;
}

Transfers::Ended Transfers::written_came(Operation& operation, const wire::Written& message) {
  operation.sink->writes_expected = message.write_count;
  operation.sink->count_known = true;
  return finish_sink_if_complete(operation);
}

Transfers::Ended Transfers::finish_sink_if_complete(Operation& operation) {
  TransferSink& sink = *operation.sink;
  if (!sink.count_known || sink.writes_seen != sink.writes_expected) return {};
  deregister(sink.registered);
  if (sink.cleared < sink.length) {
    if (clear_next(operation, sink)) return {};
    refuse_data(operation, Failure::kDropped);
    return fail_sink(operation);
  }
  Ended ended;
  if (operation.request != nullptr) ended.operation = &operation;
  if (sink.ahead) {
    ended.landed = sink.length;
  } else {
    sink.completion.interface->close(std::move(sink.completion), Failure::kNone);
  }
  if (sink.answers) {
    counters_.add(Counter::kAcksSent);
    outbox_.send(operation.peer, sink.answer);
  } else if (sink.release_token != 0) {
    outbox_.discard_of(operation, sink.release_token);
  }
  end_sink(operation);
  operations_.release(operation);
  return ended;
}

Transfers::Ended Transfers::fail_sink(Operation& operation) {
  Ended ended;
  if (operation.request != nullptr)
    ended = {.operation = &operation, .failure = Failure::kFailed, .landed = 0};
  fail(operation, Failure::kFailed);
  return ended;
}

// The sink accepts no more data and no ack follows: sends DISCARD to its source, so that it ends
// too.
void Transfers::refuse_data(const Operation& operation, Failure failure) {
  const TransferSink& sink = *operation.sink;
  if (!sink.answers || operation.interface_kind == kPortals3Kind)
    return outbox_.discard_of(operation, sink.source_token);
  counters_.add(Counter::kAcksSent);
  wire::Response answer = sink.answer;
  answer.failure = static_cast<std::uint8_t>(failure);
  answer.manipulated_length = 0;
  outbox_.send(operation.peer, answer);
}

// ---- The source

void Transfers::begin_source(Operation& operation, const RegionPart& from,
                             Completion&& completion) {
  TransferSource& source = make_source(operation);
  source.region = *from.region;
  source.offset = from.offset;
  source.length = from.length;
  source.completion = std::move(completion);
}

bool Transfers::begin_placed(Operation& operation, const wire::Request& request,
                             std::span<const std::byte> data, transport::PlacementKey key) {
  const std::size_t size = wire::fixed_size(request.header);
  TransferSource& source = make_source(operation);
  const transport::MessageBuffer buffer = transport_.reserve(operation.peer, size);
  if (!buffer) {
    end_source(operation);
    return false;
  }
  wire::encode(request, buffer.data);
  const transport::Context context(operation.id.packed());
  if (transport_.commit_placed(operation.peer, buffer, size, data, key, context) !=
      transport::PostStatus::kOk) {
    end_source(operation);
    transport_.abandon(operation.peer, buffer);
    return false;
  }
  counters_.add(Counter::kMessagesSent);
  counters_.add(Counter::kBytesSent, data.size());
  source.state = SourceState::kWriting;
  source.length = data.size();
  source.writes = source.writes_posted = 1;
  source.placed = true;
  return true;
}

void Transfers::set_completion(Operation& operation, Completion&& completion) {
  operation.source->completion = std::move(completion);
}

// A source accepts a CLEAR if it is the first of the transfer, or if the last one had kFlagMore.
// The next CLEAR may arrive before the ends of the writes for the last one are reported, but not
// before those writes are posted. Each CLEAR asks for at least one byte, and for less than what is
// left if more follows, so their number is limited.
bool Transfers::may_clear(const Operation& operation, const wire::Clear& message) {
  if (operation.source == nullptr) return false;
  const TransferSource& source = *operation.source;
  const std::uint64_t left = source.length - source.cleared;
  const bool more = (message.header.flags & wire::kFlagMore) != 0;
  if (more ? message.length >= left : message.length > left) return false;
  const bool announced = source.state == SourceState::kAnnounced;
  if (announced && source.cleared == 0) return true;
  if (!source.more_follows || message.receiver_token != source.receiver_token) return false;
  return announced || (source.writes_posted == source.writes && source.held_clear == nullptr);
}

Transfers::Ended Transfers::clear(Operation& operation, const wire::Clear& message,
                                  std::span<const std::byte> segments) {
  TransferSource& source = *operation.source;
  if (source.state != SourceState::kWriting) return start_writing(operation, message, segments);
  if (!operations_.keep(operation,
                        operation.memory + sizeof(TransferSource::HeldClear) + segments.size())) {
    source.failure = Failure::kFailed;  // the end of its writes ends it
    return {};
  }
  source.held_clear = std::make_unique<TransferSource::HeldClear>(
      TransferSource::HeldClear{message, {segments.begin(), segments.end()}});
  return {};
}

Transfers::Ended Transfers::start_writing(Operation& operation, const wire::Clear& message,
                                          std::span<const std::byte> segments) {
  TransferSource& source = *operation.source;
  source.state = SourceState::kWriting;
  source.receiver_token = message.receiver_token;
  source.immediate = transport::Immediate(message.immediate & ~Immediates::kMoreThanOneWrite);
  source.more_follows = (message.header.flags & wire::kFlagMore) != 0;
  if (!operations_.keep(operation, source.plan.memory_for(message.segment_count)) ||
      !register_runs(operation, message.length)) {
    source.failure = Failure::kFailed;
    return source_finished(operation);
  }
  source.plan.begin(source.region, source.offset + source.cleared, message.length, segments,
                    transport_.attributes().max_write_bytes);
  source.writes = source.plan.size();
  const bool is_first = source.cleared == 0;
  source.cleared += message.length;
  if (source.writes > 1) {
    source.immediate.value |= Immediates::kMoreThanOneWrite;
    wire::Written written{};
    written.header = header_of(wire::MessageKind::kWritten, 0, operation, 0);
    written.receiver_token = message.receiver_token;
    written.write_count = source.writes;
    // The receiver decides how many rounds there are. So those after the first are answers to it,
    // of which the Outbox keeps no more than it may cause.
    if (is_first) {
      outbox_.send_of(operation, written);
    } else {
      outbox_.send(operation.peer, written);
    }
  }
  post_writes(operation);
  return {};
}

// Registers the memory of each contiguous run of the source that the receiver has asked for.
bool Transfers::register_runs(const Operation& operation, std::uint64_t length) {
  TransferSource& source = *operation.source;
  bool registered = true;
  source.region.for_each_run(source.offset + source.cleared, length, [&](std::span<std::byte> run) {
    if (!registered) return;
    make_room(source.registered);
    const Result<transport::Registration> region =
        transport_.register_memory(operation.peer, run, transport::Access::kWriteSource);
    registered = region.ok();
    if (registered && region->id != 0) source.registered.push_back(*region);
  });
  return registered;
}

void Transfers::post_writes(Operation& operation) {
  TransferSource& source = *operation.source;
  const transport::Context context(operation.id.packed());
  while (source.writes_posted < source.writes) {
    const WritePlan::Write write = source.plan.next(source.region);
    const transport::LocalMemory from{
        write.from.data(), write.from.size(),
        source.registered.empty() ? transport::Registration() : source.registered[write.run]};
    switch (transport_.post_write(operation.peer, from, write.to, source.immediate, context)) {
      case transport::PostStatus::kOk:
        source.plan.take(write);
        ++source.writes_posted;
        counters_.add(Counter::kBytesSent, from.length);
        break;
      case transport::PostStatus::kWouldBlock:
        counters_.add(Counter::kWouldBlocks);
        if (!source.room_link.is_linked()) waiting_for_room_.push_back(source);
        return;
      case transport::PostStatus::kFailed: return;  // the loss of the peer ends the transfer
    }
  }
}

void Transfers::retry() {
  WaitingSources round;
  round.swap(waiting_for_room_);
  while (!round.empty()) {
    TransferSource& source = round.front();
    source.room_link.unlink();
    try {
      post_writes(*source.operation);
    } catch (const std::bad_alloc&) {
      // No memory is handled as no room is: the source stays in the list.
      if (!source.room_link.is_linked()) waiting_for_room_.push_back(source);
    }
  }
}

Transfers::Ended Transfers::write_ended(transport::Context context, Error error) {
  Operation* const operation = operations_.get(SlotId::unpack(context.value));
  TransferSource* const source = operation != nullptr ? operation->source : nullptr;
  const bool expected = source != nullptr && source->state == SourceState::kWriting &&
                        source->writes_done < source->writes_posted;
  if (!expected) return {};  // it has failed with its peer meanwhile
  ++source->writes_done;
  ++counts_[operation->interface_kind].writes_done;
  if (error.ok()) {
    transport_.note_progress(operation->peer);
  } else {
    source->failure = error.loss() == Loss::kOperation ? Failure::kFailed : Failure::kPeerDead;
  }
  return source->writes_done == source->writes ? writes_finished(*operation) : Ended{};
}

// The writes for the last CLEAR have ended.
Transfers::Ended Transfers::writes_finished(Operation& operation) {
  TransferSource& source = *operation.source;
  if (!source.more_follows || source.answered || source.failure != Failure::kNone)
    return source_finished(operation);
  deregister(source.registered);
  source.writes = source.writes_posted = source.writes_done = 0;
  source.state = SourceState::kAnnounced;
  if (const auto held = std::move(source.held_clear))
    return start_writing(operation, held->message, held->segments);
  return {};
}

Transfers::Ended Transfers::source_finished(Operation& operation) {
  const TransferSource& source = *operation.source;
  deregister(operation.source->registered);
  // The receiver's transfer cannot complete any more.
  if (source.failure != Failure::kNone && !source.placed)
    outbox_.discard_of(operation, source.receiver_token);
  return close_source(operation);
}

// The data have left, or nobody wants them, or they cannot leave. An acknowledgement overrides a
// write that has failed or has not ended.
Transfers::Ended Transfers::close_source(Operation& operation) {
  TransferSource& source = *operation.source;
  Ended ended;
  if (operation.request != nullptr)
    ended = {.operation = &operation, .failure = source.failure, .landed = 0};
  if (source.completion.interface != nullptr) {
    source.completion.interface->close(std::move(source.completion),
                                       source.arrived ? Failure::kNone : source.failure);
  }
  end_source(operation);
  operations_.release(operation);
  return ended;
}

Transfers::Ended Transfers::acknowledged(Operation& operation, bool response_failed) {
  TransferSource& source = *operation.source;
  source.answered = true;
  source.arrived = !response_failed;
  if (response_failed && source.owes_data()) return give_up(operation);
  if (source.state == SourceState::kWriting) return {};
  return close_source(operation);
}

Transfers::Ended Transfers::discarded(Operation& operation) {
  TransferSource& source = *operation.source;
  if (source.owes_data()) return give_up(operation);
  source.answered = true;
  if (source.state == SourceState::kWriting) return {};
  return close_source(operation);  // nobody wants the data, so they count as sent
}

// The receiver has given up before the last write was posted. Further writes would go to memory
// that is no longer registered.
Transfers::Ended Transfers::give_up(Operation& operation) {
  TransferSource& source = *operation.source;
  source.more_follows = false;
  source.held_clear.reset();
  source.writes = source.writes_posted;
  source.failure = Failure::kFailed;
  return source.writes_done == source.writes ? source_finished(operation) : Ended{};
}

// ---- Both

bool Transfers::fail(Operation& operation, Failure failure) {
  bool source_open = false;
  if (TransferSource* const source = operation.source) {
    deregister(source->registered);
    source_open = source->completion.interface != nullptr;
    if (source_open)
      source->completion.interface->close(std::move(source->completion),
                                          source->arrived ? Failure::kNone : failure);
    end_source(operation);
  }
  if (TransferSink* const sink = operation.sink) {
    deregister(sink->registered);
    if (sink->completion.interface != nullptr)
      sink->completion.interface->close(std::move(sink->completion), failure);
    end_sink(operation);
  }
  operations_.release(operation);
  return source_open;
}

bool Transfers::is_being_read(const Operation& operation) {
  const TransferSource* const source = operation.source;
  return source != nullptr && source->state == SourceState::kWriting &&
         source->writes_done < source->writes_posted;
}

// If an operation ends early, the other side may wait for a message that will not come, and is
// notified here. In the cases that are not listed, the other side has no record, or will send a
// message, which is answered then.
void Transfers::notify_ending(const Operation& operation) {
  if (operation.sink != nullptr && !operation.sink->ahead) {
    refuse_data(operation, Failure::kNoInterface);
  } else if (operation.source != nullptr && operation.source->state == SourceState::kWriting &&
             !operation.source->placed) {
    outbox_.discard_of(operation, operation.source->receiver_token);
  }
}

}  // namespace lintel::portals
