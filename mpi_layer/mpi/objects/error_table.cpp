#include "mpi_layer/mpi/objects/error_table.h"

#include <utility>

namespace lintel::mpi {

int ErrorTable::add_class() {
  const MutexLock lock(mutex_);
  added_[next_] = {next_, ""};
  return next_++;
}

int ErrorTable::add_code(int error_class) {
  const MutexLock lock(mutex_);
  added_[next_] = {error_class, ""};
  return next_++;
}

bool ErrorTable::is_class(int number) const { return class_of(number) == number; }

std::optional<int> ErrorTable::class_of(int number) const {
  const MutexLock lock(mutex_);
  const auto place = added_.find(number);
  return place != added_.end() ? std::optional(place->second.error_class) : std::nullopt;
}

bool ErrorTable::set_text(int number, std::string text) {
  const MutexLock lock(mutex_);
  const auto place = added_.find(number);
  if (place == added_.end()) return false;
  place->second.text = std::move(text);
  return true;
}

std::optional<std::string> ErrorTable::text(int number) const {
  const MutexLock lock(mutex_);
  const auto place = added_.find(number);
  return place != added_.end() ? std::optional(place->second.text) : std::nullopt;
}

int ErrorTable::last_used() const {
  const MutexLock lock(mutex_);
  return next_ - 1;
}

}  // namespace lintel::mpi
