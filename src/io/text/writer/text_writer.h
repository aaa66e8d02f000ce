// The walk over a model that writes its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "io/text/writer/write_text.h"
#include "io/written/writing.h"
#include "io/written/written_names.h"
#include "model/model.h"

namespace stiffit::internal {

class TextWriter {
 public:
  TextWriter(const Model& model, TextStyle style);
  Writing write();

 private:
  // text_units.cpp
  void units();
  void unit(Ref ref, const std::string& unit);
  static bool is_wide_unit(const std::string& name) {  // it holds for the whole model
    for (const char* wide : {"substance", "time_unit", "volume", "area", "length", "extent"})
      if (name == wide) return true;
    return false;
  }

  // text_values.cpp: what has a value
  void compartments();
  void species();
  void parameters();
  void observables();
  std::string initial_of_species(std::int32_t index);
  std::string initial(Ref ref, double value);

  // text_changes.cpp: what changes values
  void rules();
  void reactions();
  std::string side(const Reaction& reaction, const std::vector<SpeciesReference>& references);
  std::string stoichiometry(const Reaction& reaction, const SpeciesReference& reference);
  void interactions(std::int32_t index);
  void events();

  void functions();
  void directives();
  void line(const std::string& text) { out_.text += indent_ + text + "\n"; }
  void gap();  // an empty line before the next group
  // "// A(b!1)" if the id had to change, else nothing.
  std::string renamed(Ref ref) const;
  std::string expression(ExprId id) const;
  const std::string& name(SymbolKind kind, std::size_t index) const {
    return names_.of({kind, static_cast<std::int32_t>(index)});
  }
  bool is_ruled(Ref ref) const;  // by an assignment rule

  static std::uint64_t key(Ref ref) {
    return static_cast<std::uint64_t>(ref.kind) << 32 | static_cast<std::uint32_t>(ref.index);
  }

  std::string number(double value) const;

  const Model& model_;
  bool antimony_;
  WrittenNames names_;
  Writing out_;
  std::string indent_;
  std::string later_;  // statements about stoichiometries, after the reactions
  std::unordered_map<std::uint64_t, ExprId> initial_assignments_;
  std::unordered_map<std::uint64_t, RuleKind> rules_;
};

}  // namespace stiffit::internal
