#pragma once
// make_room(): for lists that are written where a lack of memory could not be handled.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lintel::transport {

// Makes room for `size` elements, so that pushing them needs no memory. Throws std::bad_alloc.
template <class T>
void make_room(std::vector<T>& list, std::size_t size) {
  if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
}

}  // namespace lintel::transport
