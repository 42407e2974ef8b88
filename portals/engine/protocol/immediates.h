#pragma once
// Immediates: the number that each sink gives to the source of its data, and by which the immediate
// of a write finds the sink.
//
// A number has the 31 random bits that the wire format has room for, and no other sink has it. It
// cannot be guessed from other numbers. That matters where the network does not tell whose write it
// was: there a number counts from whoever sends it.
//
// Owned by Transfers. Borrows the sinks. Guarded by the process' lock.
// Does not: allocate after construction.

#include <cstdint>
#include <memory>

#include "base/random_numbers.h"
#include "transport/transport.h"

namespace lintel::portals {

struct TransferSink;

class Immediates {
 public:
  // Left to the source of the data, which sets it if they are more than one write.
  static constexpr std::uint32_t kMoreThanOneWrite = 1U << 31;

  // `seed`: 0: numbers of the kernel; else the same numbers for the same seed.
  explicit Immediates(std::uint64_t seed);
  Immediates(const Immediates&) = delete;
  Immediates& operator=(const Immediates&) = delete;

  // Gives the sink, which has none, a number of its own until take_back().
  void give(TransferSink& sink);
  void take_back(TransferSink& sink);
  // The sink with that number, whatever its highest bit is, or nullptr.
  TransferSink* find(transport::Immediate immediate) const;

 private:
  // They take 32 KiB. With the default of LINTEL_MAX_OPERATIONS, and both of its tables full of
  // sinks, a bucket has 32 on average; in most processes none or one.
  static constexpr std::size_t kBuckets = 4096;

  TransferSink*& bucket_of(transport::Immediate immediate) const {
    return buckets_[immediate.value % kBuckets];
  }

  RandomNumbers numbers_;
  std::unique_ptr<TransferSink*[]> buckets_;  // each a list by TransferSink::next_in_bucket
};

}  // namespace lintel::portals
