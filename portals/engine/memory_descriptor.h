#pragma once
// MemoryDescriptor: a region of a program's memory with the rules of its use: which operations, how
// many, at which offset, and where their events go.
//
// Owned by the interface's pool. Guarded by the endpoint's lock.
// Invariants: (1) active implies threshold != 0; (2) threshold never goes below 0 except that
//             kUnlimited stays as it is; (3) the local offset never passes the region's end; (4) an
//             automatic unlink is due only after an operation has made the descriptor inactive.
// Does not: post events, take part in match lists, or move bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/slot_pool.h"
#include "portals/engine/event.h"
#include "portals/engine/memory_region.h"

namespace lintel::portals {

class MatchEntry;

// What a descriptor allows and wants. The first are Portals 3's, with the numbers of portals3.h, so
// that its face has nothing to translate.
namespace option {
inline constexpr std::uint32_t kPut = 0x001;
inline constexpr std::uint32_t kGet = 0x002;
inline constexpr std::uint32_t kManageRemote = 0x004;
inline constexpr std::uint32_t kTruncate = 0x008;
inline constexpr std::uint32_t kAckDisable = 0x010;
inline constexpr std::uint32_t kIovec = 0x020;
inline constexpr std::uint32_t kMaxSize = 0x040;
inline constexpr std::uint32_t kStartDisable = 0x080;
inline constexpr std::uint32_t kEndDisable = 0x100;
inline constexpr std::uint32_t kPortals3 = 0x1ff;  // all of the above
// Portals 4's.
inline constexpr std::uint32_t kMinFree = 0x200;  // max_size is what must be left, or the
                                                  // descriptor is used up
inline constexpr std::uint32_t kBeyondEnd =
    0x400;  // with kTruncate: takes nothing of what lies behind the end, and is a match all the
            // same
inline constexpr std::uint32_t kSuccessDisable = 0x800;    // no event of an operation that succeeds
inline constexpr std::uint32_t kSendDisable = 0x1000;      // no SEND_END
inline constexpr std::uint32_t kLinkDisable = 0x2000;      // no LINK
inline constexpr std::uint32_t kUnlinkDisable = 0x4000;    // no UNLINK, no FREE
inline constexpr std::uint32_t kOverflowDisable = 0x8000;  // no *_OVERFLOW
inline constexpr std::uint32_t kFlowDisable = 0x10000;     // no PORTAL_DISABLED on its account
// in an overflow list: no unexpected header
inline constexpr std::uint32_t kHeaderDisable = 0x20000;
// an unexpected header moves the local offset by the requested length
inline constexpr std::uint32_t kGrowByRequest = 0x40000;
inline constexpr std::uint32_t kCountSend = 0x80000;  // what its counting event counts
inline constexpr std::uint32_t kCountReply = 0x100000;
inline constexpr std::uint32_t kCountAck = 0x200000;
inline constexpr std::uint32_t kCountTarget = 0x400000;
inline constexpr std::uint32_t kCountOverflow = 0x800000;
inline constexpr std::uint32_t kCountBytes = 0x1000000;  // bytes in the place of operations
// memory that the program may change when the call has returned
inline constexpr std::uint32_t kVolatile = 0x2000000;
inline constexpr std::uint32_t kUnreliable = 0x4000000;  // for operations that want no ack
// memory that may not be there: looked at before it is touched
inline constexpr std::uint32_t kUnsure = 0x8000000;
}  // namespace option

inline constexpr std::int32_t kUnlimited = -1;

// What a descriptor is made from. `described` is what snapshots show; `region` is the memory it
// describes.
struct DescriptorRules {
  DescriptorSnapshot described;
  MemoryRegion region;
  UserId user{0xffffffffU};  // whose requests it is for; 0xffffffff: anybody's
  SlotId counter;            // counting event; generation 0: none
};

class MemoryDescriptor {
 public:
  MemoryDescriptor(DescriptorRules rules, bool unlink_when_used_up)
      : unlink_when_used_up_(unlink_when_used_up) {
    describe(std::move(rules));
  }
  MemoryDescriptor(const MemoryDescriptor&) = delete;
  MemoryDescriptor& operator=(const MemoryDescriptor&) = delete;

  // Replaces the description and rewinds the local offset (PtlMDUpdate). Whether it unlinks itself
  // stays as it was made.
  void describe(DescriptorRules rules);

  bool active() const { return active_; }
  bool has(std::uint32_t option) const { return (snapshot_.options & option) != 0; }
  const MemoryRegion& region() const { return region_; }
  const DescriptorSnapshot& snapshot() const { return snapshot_; }
  SlotId queue() const { return snapshot_.queue; }
  void forget_queue() { snapshot_.queue = {}; }
  SlotId counter() const { return counter_; }
  void forget_counter() { counter_ = {}; }
  UserId user() const { return user_; }

  // Where and how much of a request this descriptor would take.
  struct Acceptance {
    std::uint64_t offset;
    std::uint64_t length;
  };
  // The target's test (clause 4.5): nothing if the descriptor refuses, and the walk goes on.
  // `needed` is a set of option::kPut and kGet.
  std::optional<Acceptance> accept(std::uint32_t needed, std::uint64_t request_offset,
                                   std::uint64_t request_length) const;

  // An unexpected header that it takes over: the data lie elsewhere, only the local offset may move
  // (Portals 4, LOCAL_INC_UH_RLENGTH).
  void charge_claimed(std::uint64_t request_length);
  // Whether that would use it up.
  bool used_up_by(const Acceptance& acceptance) const;
  // Accounts for one accepted request: moves the local offset, then charges it as charge() does.
  void charge_accepted(const Acceptance& acceptance);
  // Accounts for one operation of any kind: one unit of the threshold; inactive at 0.
  void charge();

  // The next request finds its memory empty again. REQUIRES: nobody needs what lies there;
  // active(), not in_use().
  void rewind() { local_offset_ = 0; }

  // Nothing more is to use it; it is to go as soon as it is not busy.
  void retire() {
    active_ = false;
    unlink_due_ = true;
  }

  // An operation is moving data of this descriptor: begin() and end() come in pairs.
  void begin() { ++pending_; }
  void end();
  bool busy() const { return pending_ != 0; }
  // It is busy for an operation whose data do not move now (Portals 4). In pairs as well.
  enum class Awaits : std::uint8_t {
    kAck,  // data that have not left yet are counted apart
    kReply,
    kTrigger,  // of a counting event, or room when that has come
  };
  void begin(Awaits what) {
    begin();
    ++awaited_[static_cast<std::size_t>(what)];
  }
  void end(Awaits what) {
    --awaited_[static_cast<std::size_t>(what)];
    end();
  }
  bool awaits(Awaits what) const { return awaited_[static_cast<std::size_t>(what)] != 0; }
  bool data_move() const { return pending_ != awaited_[0] + awaited_[1] + awaited_[2]; }
  // Or an unexpected header has its data there.
  bool in_use() const { return busy() || headers > 0; }
  // An operation has used the descriptor up and it is to go as soon as it is not busy.
  bool unlink_due() const { return unlink_due_; }

  SlotId id;                    // in the interface's pool; set once after creation
  MatchEntry* entry = nullptr;  // not owned; null if free-floating
  // In an overflow list: unexpected headers whose data lie in its memory. While there are any it
  // lives on after its entry.
  std::uint32_t headers = 0;
  bool unlinked = false;

 private:
  void use_up();
  void move_to(std::uint64_t local_offset);

  DescriptorSnapshot snapshot_;
  MemoryRegion region_;
  SlotId counter_;
  UserId user_{0xffffffffU};
  std::uint64_t local_offset_ = 0;
  std::uint32_t pending_ = 0;
  std::array<std::uint32_t, 3> awaited_{};  // of them
  bool active_ = false;
  bool unlink_when_used_up_;
  bool unlink_due_ = false;
};

}  // namespace lintel::portals
