// Runs the built program in a folder of its own and catches what it says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

struct ProgramRun {
  int exit_code = -1;
  std::string out, messages;
};

// A scratch folder, removed at the end. Commands run inside it, so that messages name plain files.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  const std::string& folder() const { return folder_; }
  // `arguments` as a shell reads them; `environment` is put before the program ("LC_ALL=C").
  ProgramRun stiffit(const std::string& arguments, const std::string& environment = "") const;

 private:
  std::string folder_;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The numbers of a table, without its header.
std::vector<std::vector<double>> rows_of(const std::string& csv);

}  // namespace stiffit::internal
