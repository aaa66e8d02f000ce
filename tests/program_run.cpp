// SPDX-License-Identifier: Apache-2.0
#include "program_run.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace stiffit::internal {

Scratch::Scratch() {
  std::string pattern = (std::filesystem::temp_directory_path() / "stiffit-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no scratch folder");
  folder_ = pattern;
}

Scratch::~Scratch() {
  std::error_code code;
  std::filesystem::remove_all(folder_, code);
}

void Scratch::write(const std::string& name, const std::string& text) const {
  std::filesystem::path path = std::filesystem::path(folder_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string Scratch::read(const std::string& name) const {
  std::ifstream file(folder_ + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Scratch::exists(const std::string& name) const {
  return std::filesystem::exists(folder_ + "/" + name);
}

ProgramRun Scratch::stiffit(const std::string& arguments, const std::string& environment) const {
  std::string command = "cd '" + folder_ + "' && " + environment + " '" STIFFIT_PROGRAM "' " +
                        arguments + " >.out 2>.messages </dev/null";
  int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".out"), read(".messages")};
}

std::vector<std::vector<double>> rows_of(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  std::istringstream in(csv);
  std::string line, cell;
  std::getline(in, line);
  while (std::getline(in, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

}  // namespace stiffit::internal
