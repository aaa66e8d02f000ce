// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/input_hashes.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "runtime/checkpoint/sha256.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Names of files inside a file: whatever stands between separators and exists beside it. A word too
// many does no harm: it is hashed as well.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (char c : text + "\n") {
    bool inside = c != '"' && c != '\'' && c != ',' && c != '[' && c != ']' && c != '(' &&
                  c != ')' && c != '{' && c != '}' && static_cast<unsigned char>(c) > ' ';
    if (inside) {
      word += c;
      continue;
    }
    if (word.size() > 2 && word.size() < 200 && word.find('.') != std::string::npos)
      words.insert(word);
    word.clear();
  }
  return words;
}

void add(RunSettings& settings, const fs::path& path, const std::string& name, int depth) {
  constexpr std::size_t longest_scanned = 1 << 20;  // what names other files is short
  if (!is_file(path) || settings.contains("input " + name)) return;
  std::ifstream stream(path, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  std::string text = content.str();
  settings["input " + name] = sha256(text);
  if (depth == 0 || text.size() > longest_scanned) return;
  for (const std::string& word : words_of(text)) {
    fs::path beside = path.parent_path() / word;
    add(settings, beside, (fs::path(name).parent_path() / word).generic_string(), depth - 1);
  }
}

}  // namespace

void add_model_hashes(RunSettings& settings, std::string word) {
  if (!is_file(word)) word = word.substr(0, word.find('#'));
  add(settings, word, word, 2);
}

void add_file_hashes(RunSettings& settings, const std::vector<std::string>& words) {
  for (const std::string& word : words) add(settings, word, word, 1);
}

}  // namespace stiffit::internal
