#include "mpi_layer/impi/label_collection.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace lintel::mpi::impi {

std::string LabelCollection::add(unsigned client, Label label, std::string_view contribution) {
  Contributor& contributor = contributors_[client];
  if (contributor.is_finished) return "it sent label " + text_of_label(label) + " after DONE";
  if (contributor.labels == kMaxClientLabels)
    return "it sent more than " + std::to_string(kMaxClientLabels) + " labels";
  if (contribution.size() > kMaxClientBytes - contributor.bytes)
    return "it sent labels with more than " + std::to_string(kMaxClientBytes) + " bytes together";
  if (label != kNoLabel && label <= contributor.last) {
    return "it sent label " + text_of_label(label) +
           (contributor.last == kNoLabel
                ? " first; expected a label above 0"
                : " after " + text_of_label(contributor.last) + "; expected ascending labels");
  }
  ++contributor.labels;
  contributor.bytes += contribution.size();
  if (label == kNoLabel) return "";  // reserved, so it is not forwarded
  contributor.last = label;
  sets_[label].emplace(client, contribution);
  return "";
}

std::string LabelCollection::finish(unsigned client) {
  if (contributors_[client].is_finished) return "it sent DONE twice";
  contributors_[client].is_finished = true;
  return "";
}

void LabelCollection::forget(unsigned client) {
  LINTEL_ASSERT(answered_ == kNoLabel);
  contributors_[client] = Contributor();
  for (auto set = sets_.begin(); set != sets_.end();) {
    set->second.erase(client);
    set = set->second.empty() ? sets_.erase(set) : std::next(set);
  }
}

std::vector<LabelSet> LabelCollection::take_complete() {
  Label reached = std::numeric_limits<Label>::max();
  for (const Contributor& contributor : contributors_) {
    if (!contributor.is_finished) reached = std::min(reached, contributor.last);
  }
  if (reached <= answered_) return {};
  for (const LabelRow& row : labels()) {
    if (row.label > answered_ && row.label <= reached) sets_[row.label];
  }
  answered_ = reached;
  std::vector<LabelSet> complete;
  while (!sets_.empty() && sets_.begin()->first <= reached) {
    const auto first = sets_.begin();
    LabelSet& set = complete.emplace_back(LabelSet{first->first, 0, {}});
    for (const auto& [client, contribution] : first->second) {
      set.mask |= 1U << client;
      set.contributions += contribution;
    }
    sets_.erase(first);
  }
  return complete;
}

bool LabelCollection::is_waiting(unsigned client) const {
  return contributors_[client].is_finished || contributors_[client].last > answered_;
}

bool LabelCollection::all_finished() const {
  return std::all_of(contributors_.begin(), contributors_.end(),
                     [](const Contributor& one) { return one.is_finished; });
}

}  // namespace lintel::mpi::impi
