#include "transport/fabric/operation_table.h"

#include <utility>

#include "base/assert.h"

namespace lintel::transport {

OperationTable::OperationTable(std::size_t receives, std::size_t sends, std::size_t writes,
                               std::size_t placed_receives)
    : records_(receives + sends + writes + placed_receives) {
  const std::size_t counts[kOperationKinds] = {receives, sends, writes, placed_receives};
  std::size_t begin = 0;
  for (std::size_t k = 0; k < kOperationKinds; ++k) {
    KindRange& range = ranges_[k];
    range.begin = begin;
    range.pool = range.count = range.unused.count = counts[k];
    range.unused.last = static_cast<std::uint32_t>(counts[k] - 1);
    for (std::size_t i = 0; i < counts[k]; ++i) {
      FabricOperation& record = records_[begin + i];
      record.kind = static_cast<OperationKind>(k);
      record.index = static_cast<std::uint32_t>(i);
      record.next_free = static_cast<std::uint32_t>(i + 1);
    }
    begin += counts[k];
  }
}

FabricOperation* OperationTable::find(void* op_context) {
  // Compared as numbers, because a foreign pointer belongs to no array of this table.
  const auto place = reinterpret_cast<std::uintptr_t>(op_context);
  const std::uintptr_t offset = place - reinterpret_cast<std::uintptr_t>(records_.data());
  const std::size_t index = offset / sizeof(FabricOperation);
  if (index < records_.size()) [[likely]]
    return offset % sizeof(FabricOperation) == 0 ? &records_[index] : nullptr;
  return added_at_.empty() ? nullptr : find_added(place);
}

FabricOperation* OperationTable::find_added(std::uintptr_t place) const {
  const auto after = added_at_.upper_bound(place);
  if (after == added_at_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(after);
  const std::uintptr_t offset = place - begin;
  const std::size_t index = offset / sizeof(FabricOperation);
  return index < kAddedAtOnce && offset % sizeof(FabricOperation) == 0 ? block + index : nullptr;
}

FabricOperation* OperationTable::take(OperationKind kind) {
  KindRange& range = range_of(kind);
  FreeList& list = range.unused.count > 0 ? range.unused : range.unused_added;
  if (list.count == 0) return nullptr;
  FabricOperation& record = at(kind, list.first);
  list.first = record.next_free;
  --list.count;
  if (std::exchange(record.has_pages, false)) --with_pages_;
  ++range.taken;
  return &record;
}

bool OperationTable::may_take(OperationKind kind, const SendShare& share) const {
  const std::uint32_t own =
      kind == OperationKind::kSend ? SendShare::kOwnFrames : SendShare::kOwnWrites;
  return share.may_take(range_of(kind).left(), range_of(kind).pool, own);
}

FabricOperation* OperationTable::take(OperationKind kind, SendShare& share) {
  FabricOperation* const record = may_take(kind, share) ? take(kind) : nullptr;
  if (record == nullptr) return nullptr;
  record->share = &share;
  ++share.held;
  return record;
}

bool OperationTable::needs_more(OperationKind kind, const SendShare& share) const {
  const KindRange& range = range_of(kind);
  return range.unused.count + range.unused_added.count == 0 &&
         range.count < SendShare::most_in_all(range.pool) && may_take(kind, share);
}

void OperationTable::add(OperationKind kind) {
  KindRange& range = range_of(kind);
  auto block = std::make_unique<FabricOperation[]>(kAddedAtOnce);
  if (range.added.size() == range.added.capacity()) range.added.reserve(2 * range.added.size() + 1);
  added_at_.emplace(reinterpret_cast<std::uintptr_t>(block.get()), block.get());
  for (std::size_t i = 0; i < kAddedAtOnce; ++i) {
    block[i].kind = kind;
    block[i].index = static_cast<std::uint32_t>(range.count + i);
    put_first(range.unused_added, block[i]);
  }
  range.count += kAddedAtOnce;
  range.added.push_back(std::move(block));
}

void OperationTable::write_off(OperationKind kind, SendShare& share) {
  KindRange& range = range_of(kind);
  for (std::size_t i = 0; i < range.count && share.held > 0; ++i) {
    FabricOperation& record = at(kind, i);
    if (record.share != &share || record.state != OperationState::kInFlight) continue;
    if (range.written_off == range.pool) return;
    record.share = nullptr;
    record.written_off = true;
    --share.held;
    --range.taken;
    ++range.written_off;
  }
}

void OperationTable::set_free(KindRange& range, FabricOperation& operation) {
  operation.state = OperationState::kFree;
  --(std::exchange(operation.written_off, false) ? range.written_off : range.taken);
  if (SendShare* const share = std::exchange(operation.share, nullptr)) --share->held;
  if (operation.index >= range.pool && operation.kind == OperationKind::kSend) [[unlikely]] {
    operation.has_pages = true;
    ++with_pages_;
  }
}

void OperationTable::put_first(FreeList& list, FabricOperation& operation) {
  operation.next_free = list.first;
  list.first = operation.index;
  if (list.count++ == 0) list.last = operation.index;
}

void OperationTable::give_back(FabricOperation& operation) {
  KindRange& range = range_of(operation.kind);
  set_free(range, operation);
  put_first(range.list_of(operation), operation);
}

void OperationTable::give_back_last(FabricOperation& operation) {
  KindRange& range = range_of(operation.kind);
  set_free(range, operation);
  FreeList& list = range.list_of(operation);
  (list.count == 0 ? list.first : at(operation.kind, list.last).next_free) = operation.index;
  list.last = operation.index;
  ++list.count;
}

FabricOperation& OperationTable::at(OperationKind kind, std::size_t index) {
  KindRange& range = range_of(kind);
  if (index < range.pool) [[likely]]
    return records_[range.begin + index];
  LINTEL_ASSERT(index < range.count);
  const std::size_t added = index - range.pool;
  return range.added[added / kAddedAtOnce][added % kAddedAtOnce];
}

}  // namespace lintel::transport
