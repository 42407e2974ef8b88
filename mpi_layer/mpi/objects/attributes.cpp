#include "mpi_layer/mpi/objects/attributes.h"

#include <algorithm>
#include <utility>

namespace lintel::mpi {

namespace {

auto with_number(int number) {
  return [number](const auto& attribute) { return attribute.key->number == number; };
}

}  // namespace

SlotId KeyvalTable::slot_of(int number) {
  if (number < kFirstNumber) return {};
  const auto bits = static_cast<std::uint32_t>(number - kFirstNumber);
  return {bits >> kGenerationBits, bits & ((1U << kGenerationBits) - 1U)};
}

int KeyvalTable::create(int kind, Keyval::Copy copy, Keyval::Delete remove) {
  const std::shared_ptr<Keyval> key(new Keyval, [this](const Keyval* last) { forget(last); });
  key->kind = kind;
  key->copy = std::move(copy);
  key->remove = std::move(remove);
  const MutexLock lock(mutex_);
  const auto [object, id] = keys_.create(KeyvalEntry{key, key});
  if (object == nullptr) return 0;
  key->number = kFirstNumber + static_cast<int>((id.slot << kGenerationBits) | id.generation);
  return key->number;
}

void KeyvalTable::forget(const Keyval* key) {
  if (key->number != 0) {
    const MutexLock lock(mutex_);
    keys_.destroy(slot_of(key->number));
  }
  delete key;
}

KeyvalRef KeyvalTable::find(int number, int kind) {
  KeyvalRef key;
  {
    const MutexLock lock(mutex_);
    const KeyvalEntry* entry = keys_.get(slot_of(number));
    if (entry != nullptr) key = entry->key.lock();
  }
  return key && key->kind == kind ? key : nullptr;
}

bool KeyvalTable::free(int number, int kind) {
  KeyvalRef freed;  // destroyed after the lock is released
  const MutexLock lock(mutex_);
  KeyvalEntry* entry = keys_.get(slot_of(number));
  if (entry == nullptr || !entry->held || entry->held->kind != kind) return false;
  freed = std::move(entry->held);
  return true;
}

int AttributeCache::set(const KeyvalRef& key, void* value, std::uintptr_t object) {
  {
    const MutexLock lock(mutex_);
    attributes_.reserve(attributes_.size() + 1);  // if this fails, nothing was deleted
  }
  bool found = false;
  if (const int error = remove(key->number, object, &found); error != 0) return error;
  const MutexLock lock(mutex_);
  // the value of another thread that has set it meanwhile
  std::erase_if(attributes_, with_number(key->number));
  attributes_.push_back({key, value});
  return 0;
}

bool AttributeCache::get(int number, void** value) const {
  const MutexLock lock(mutex_);
  const auto place = std::find_if(attributes_.begin(), attributes_.end(), with_number(number));
  if (place == attributes_.end()) return false;
  *value = place->value;
  return true;
}

int AttributeCache::remove(int number, std::uintptr_t object, bool* found) {
  Attribute attribute{};
  {
    const MutexLock lock(mutex_);
    const auto place = std::find_if(attributes_.begin(), attributes_.end(), with_number(number));
    *found = place != attributes_.end();
    if (!*found) return 0;
    attribute = *place;
  }
  if (attribute.key->remove) {
    if (const int error = attribute.key->remove(object, number, attribute.value); error != 0)
      return error;
  }
  const MutexLock lock(mutex_);
  std::erase_if(attributes_, with_number(number));
  return 0;
}

int AttributeCache::copy_to(AttributeCache& copy, std::uintptr_t object) const {
  std::vector<Attribute> attributes;
  {
    const MutexLock lock(mutex_);
    attributes = attributes_;
  }
  for (const Attribute& attribute : attributes) {
    if (!attribute.key->copy) continue;
    void* copied = nullptr;
    bool keep = false;
    if (const int error =
            attribute.key->copy(object, attribute.key->number, attribute.value, &copied, &keep);
        error != 0)
      return error;
    if (!keep) continue;
    const MutexLock lock(copy.mutex_);
    copy.attributes_.push_back({attribute.key, copied});
  }
  return 0;
}

void AttributeCache::move_to(AttributeCache& target) {
  std::vector<Attribute> given;
  {
    const MutexLock lock(mutex_);
    given.swap(attributes_);
  }
  const MutexLock lock(target.mutex_);
  target.attributes_ = std::move(given);
}

int AttributeCache::remove_all(std::uintptr_t object) {
  while (true) {
    int last = 0;
    {
      const MutexLock lock(mutex_);
      if (attributes_.empty()) return 0;
      last = attributes_.back().key->number;
    }
    bool found = false;
    if (const int error = remove(last, object, &found); error != 0) return error;
  }
}

}  // namespace lintel::mpi
