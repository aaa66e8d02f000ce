// The YAML file of a PEtab problem: which files it consists of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/petab/petab_file.h"
#include "io/petab/petab_math.h"

namespace stiffit::internal {

struct PetabPath {
  std::string path;  // as written
  Span span;         // in the YAML file
};

struct PetabModelFile {
  std::string id;        // of version 2; empty in version 1
  std::string language;  // "sbml", ...
  PetabPath file;
};

// A model with its tables. Version 1 may have several, each with tables of its own; version 2 has
// one group with all models, which share the tables.
struct PetabGroup {
  std::vector<PetabModelFile> models;
  std::vector<PetabPath> conditions, experiments, observables, measurements, mappings;
  Span span;
};

struct PetabContents {
  PetabVersion version = PetabVersion::v1;
  std::string id;
  std::vector<PetabPath> parameters;
  std::vector<PetabGroup> groups;
};

// What is wrong is reported to `file`; what could be read is returned.
PetabContents read_petab_yaml(PetabFile& file);

}  // namespace stiffit::internal
