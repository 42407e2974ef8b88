#include "mpi_layer/mpi/objects/datatype.h"

#include <utility>

namespace lintel::mpi {

Datatype::Datatype(Shape shape, std::vector<Part> parts, Contents contents, Family family,
                   Form form, std::uintptr_t number, std::string name)
    : shape_(std::move(shape)),
      parts_(std::move(parts)),
      contents_(std::move(contents)),
      family_(family),
      form_(form),
      number_(number),
      committed_(true),
      name_(std::move(name)) {}

Datatype::Datatype(Shape shape, std::vector<Part> parts, Contents contents)
    : shape_(std::move(shape)), parts_(std::move(parts)), contents_(std::move(contents)) {}

Datatype::~Datatype() {
  std::vector<DatatypeRef> ending;
  const auto take = [&ending](std::vector<Part>& parts, Contents& contents) {
    for (Part& part : parts) ending.push_back(std::move(part.type));
    for (DatatypeRef& type : contents.types) ending.push_back(std::move(type));
    parts.clear();
    contents.types.clear();
  };
  take(parts_, contents_);
  while (!ending.empty()) {
    const DatatypeRef type = std::move(ending.back());
    ending.pop_back();
    // The last owner may change it, because nobody else sees it. The const_cast is valid because no
    // type is created const.
    if (type.use_count() == 1)
      take(const_cast<Datatype&>(*type).parts_, const_cast<Datatype&>(*type).contents_);
  }
}

std::string Datatype::name() const {
  const MutexLock lock(name_mutex_);
  return name_;
}

void Datatype::set_name(std::string name) const {
  const MutexLock lock(name_mutex_);
  name_ = std::move(name);
}

}  // namespace lintel::mpi
