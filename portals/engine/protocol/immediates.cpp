#include "portals/engine/protocol/immediates.h"

#include "base/assert.h"
#include "portals/engine/protocol/transfer_records.h"

namespace lintel::portals {

Immediates::Immediates(std::uint64_t seed)
    : numbers_(seed), buckets_(std::make_unique<TransferSink*[]>(kBuckets)) {}

void Immediates::give(TransferSink& sink) {
  do {
    sink.immediate.value = static_cast<std::uint32_t>(numbers_.next()) & ~kMoreThanOneWrite;
  } while (find(sink.immediate) != nullptr);
  TransferSink*& first = bucket_of(sink.immediate);
  sink.next_in_bucket = first;
  first = &sink;
}

void Immediates::take_back(TransferSink& sink) {
  TransferSink** link = &bucket_of(sink.immediate);
  while (*link != &sink) {
    LINTEL_ASSERT(*link != nullptr);
    link = &(*link)->next_in_bucket;
  }
  *link = sink.next_in_bucket;
}

TransferSink* Immediates::find(transport::Immediate immediate) const {
  const transport::Immediate number(immediate.value & ~kMoreThanOneWrite);
  TransferSink* sink = bucket_of(number);
  while (sink != nullptr && sink->immediate != number) sink = sink->next_in_bucket;
  return sink;
}

}  // namespace lintel::portals
