#include "mpi_layer/mpi/objects/info.h"

#include <algorithm>

namespace lintel::mpi {

namespace {

auto with_key(std::string_view key) {
  return [key](const auto& entry) { return entry.first == key; };
}

}  // namespace

Info::InfoEntries Info::entries() const {
  const MutexLock lock(mutex_);
  return entries_;
}

void Info::set(std::string_view key, std::string_view value) {
  const MutexLock lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(), with_key(key));
  if (entry != entries_.end()) {
    entry->second = value;
  } else {
    entries_.emplace_back(key, value);
  }
}

std::optional<std::string> Info::get(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(), with_key(key));
  return entry != entries_.end() ? std::optional(entry->second) : std::nullopt;
}

bool Info::erase(std::string_view key) {
  const MutexLock lock(mutex_);
  return std::erase_if(entries_, with_key(key)) > 0;
}

int Info::size() const {
  const MutexLock lock(mutex_);
  return static_cast<int>(entries_.size());
}

std::optional<std::string> Info::key(int n) const {
  const MutexLock lock(mutex_);
  if (n < 0 || static_cast<std::size_t>(n) >= entries_.size()) return std::nullopt;
  return entries_[static_cast<std::size_t>(n)].first;
}

}  // namespace lintel::mpi
