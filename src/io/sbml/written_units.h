// Unit definitions of a model -> libSBML.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/SBMLTypes.h>

#include <string>
#include <unordered_map>

#include "io/written/exact_numbers.h"
#include "io/written/written_names.h"

namespace stiffit::internal {

class SbmlUnits {
 public:
  SbmlUnits(const Model& model, WrittenNames& names, ExactNumbers& numbers, ::Model& into)
      : model_(model), names_(names), numbers_(numbers), into_(into) {}

  void write();  // definitions, and what holds for the whole model
  // The id of a unit's text in the file, or "" if it means nothing known. Products get a
  // definition of their own.
  std::string id_of(const std::string& text);
  // Of a species: SBML gives the unit of its amount. "" if that cannot be said.
  std::string substance_of(const Species& species);

 private:
  std::string define(const std::string& wish, const Unit& unit);
  void fill(::UnitDefinition& definition, const Unit& unit);

  const Model& model_;
  WrittenNames& names_;
  ExactNumbers& numbers_;
  ::Model& into_;
  std::unordered_map<std::string, std::string> made_;  // text -> id
};

}  // namespace stiffit::internal
