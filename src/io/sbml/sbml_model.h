// The walk over libSBML's flat model that fills ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "io/sbml/sbml_document.h"
#include "io/sbml/sbml_math.h"

namespace stiffit::internal {

class SbmlModel {
 public:
  SbmlModel(const ::Model& from, const SbmlPlaces& places, Diagnostics& diagnostics, Model& into);
  void read();

 private:
  // sbml_units.cpp
  void read_units();
  bool speaks_of_units() const;

  // sbml_quantities.cpp: what has a value
  void read_compartments();
  void read_parameters();
  void read_species();
  void read_species_references();
  bool may_vary(const std::string& id) const;
  std::int32_t parameter_named(const std::string& id, Span span);
  void declare(const std::string& id, Ref ref, Span span);

  // sbml_reactions.cpp
  void read_reactions();
  void read_participants(const ::Reaction& from, Reaction& into);
  SpeciesReference participant(const ::SpeciesReference& from, const std::string& reaction);
  std::int32_t local_stoichiometry(const ::SpeciesReference& from, const std::string& reaction,
                                   Span span);
  void read_kinetic_law(const ::Reaction& from, Reaction& into);

  // sbml_rules.cpp: what changes values
  void read_functions();
  void read_initial_assignments();
  void read_rules();
  void read_events();
  void read_event(const ::Event& from, Event& into);
  void check_rules();
  Ref target(const std::string& id, Span span, const char* of_what);
  // Reports what `taken` has already.
  using Places = std::map<std::pair<SymbolKind, std::int32_t>, Span>;
  void take_once(Places& taken, Ref target, Span span, const std::string& what);
  ExprId math(const ASTNode* tree, Span span, const std::string& of_what,
              const NameTable* locals = nullptr);

  void read_flux_balance();  // sbml_flux_balance.cpp

  const ::Model& from_;
  const SbmlPlaces& places_;
  Diagnostics& diagnostics_;
  Model& into_;
  SbmlNames names_;
  SbmlMath math_;
  unsigned level_, version_;
  Places initialised_;
  const ::Reaction* law_of_ = nullptr;  // whose kinetic law is being read
};

}  // namespace stiffit::internal
