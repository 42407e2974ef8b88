#include "portals/engine/matching/unexpected_list.h"

#include "base/assert.h"

namespace lintel::portals {

UnexpectedList::~UnexpectedList() { headers_.clear(); }

void UnexpectedList::append(UnexpectedHeader& header) {
  LINTEL_ASSERT(!header.order_link_.is_linked());
  header.order_ = next_order_++;
  header.place_ = UnexpectedIndex::kNoPlace;
  headers_.push_back(header);
}

void UnexpectedList::remove(UnexpectedHeader& header) {
  LINTEL_ASSERT(header.order_link_.is_linked());
  index_.remove(header);
  headers_.erase(headers_.iterator_to(header));
  if (headers_.empty()) index_.became_empty();
}

}  // namespace lintel::portals
