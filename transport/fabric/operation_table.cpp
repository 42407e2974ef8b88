#include "transport/fabric/operation_table.h"

#include <utility>

#include "base/assert.h"

namespace lintel::transport {

OperationTable::OperationTable(std::size_t receives, std::size_t sends, std::size_t writes,
                               std::size_t landings)
    : records_(receives + sends + writes + landings) {
  const std::size_t counts[kOperationKinds] = {receives, sends, writes, landings};
  std::size_t begin = 0;
  for (std::size_t k = 0; k < kOperationKinds; ++k) {
    ranges_[k] = {begin, counts[k], counts[k], 0, static_cast<std::uint32_t>(counts[k] - 1)};
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
  const auto begin = reinterpret_cast<std::uintptr_t>(records_.data());
  if (place < begin || (place - begin) % sizeof(FabricOperation) != 0) return nullptr;
  const std::size_t index = (place - begin) / sizeof(FabricOperation);
  return index < records_.size() ? &records_[index] : nullptr;
}

FabricOperation* OperationTable::take(OperationKind kind) {
  KindRange& range = ranges_[static_cast<std::size_t>(kind)];
  if (range.free == 0) return nullptr;
  FabricOperation& record = records_[range.begin + range.first_free];
  range.first_free = record.next_free;
  --range.free;
  return &record;
}

FabricOperation* OperationTable::take(OperationKind kind, SendShare& share) {
  const KindRange& range = ranges_[static_cast<std::size_t>(kind)];
  if (!share.may_take(range.free, range.count)) return nullptr;
  FabricOperation* const record = take(kind);
  record->share = &share;
  ++share.held;
  return record;
}

void OperationTable::set_free(FabricOperation& operation) {
  operation.state = OperationState::kFree;
  if (SendShare* const share = std::exchange(operation.share, nullptr)) --share->held;
}

void OperationTable::give_back(FabricOperation& operation) {
  KindRange& range = ranges_[static_cast<std::size_t>(operation.kind)];
  set_free(operation);
  operation.next_free = range.first_free;
  range.first_free = operation.index;
  if (range.free++ == 0) range.last_free = operation.index;
}

void OperationTable::give_back_last(FabricOperation& operation) {
  KindRange& range = ranges_[static_cast<std::size_t>(operation.kind)];
  set_free(operation);
  (range.free == 0 ? range.first_free : records_[range.begin + range.last_free].next_free) =
      operation.index;
  range.last_free = operation.index;
  ++range.free;
}

FabricOperation& OperationTable::at(OperationKind kind, std::size_t index) {
  const KindRange& range = ranges_[static_cast<std::size_t>(kind)];
  LINTEL_ASSERT(index < range.count);
  return records_[range.begin + index];
}

}  // namespace lintel::transport
