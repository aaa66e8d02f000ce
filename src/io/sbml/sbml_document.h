// A file as libSBML holds it: parsed, its complaints turned into diagnostics, packages judged,
// hierarchical models flattened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/SBMLTypes.h>

#include <memory>
#include <string>

#include "base/diagnostic.h"
#include "io/sbml/sbml_guard.h"

namespace stiffit::internal {

// Where libSBML's objects stand in the source.
class SbmlPlaces {
 public:
  SbmlPlaces(const Source& source, const GuardedText& guarded)
      : source_(source), shifted_line_(guarded.shifted_line), shift_(guarded.shift) {}
  Span of(const SBase& element) const { return at(element.getLine(), element.getColumn()); }
  // The tag that ends at that place, or begins there.
  Span at(unsigned line, unsigned column) const;
  // After flattening, elements of other files would point into this one.
  void forget() { known_ = false; }

 private:
  const Source& source_;
  int shifted_line_, shift_;
  bool known_ = true;
};

// Where to look for the model that was asked for: its id ("" for the main one), and the file, if
// an external definition leads elsewhere.
struct WantedModel {
  std::string id;
  std::string file;
};

// The document with a flat model, or nothing, with the reasons in `diagnostics`; or nothing and
// `wanted` in another file.
std::unique_ptr<SBMLDocument> open_sbml(const GuardedText& guarded, SbmlPlaces& places,
                                        const std::string& folder, WantedModel& wanted,
                                        Diagnostics& diagnostics);

}  // namespace stiffit::internal
