// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "places.h"

namespace stiffit::internal {

namespace fs = std::filesystem;

SourceTree source_tree(const std::vector<std::string>& folders) {
  SourceTree tree;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(source_path(folder))) {
      const std::string ending = entry.path().extension().string();
      if (!entry.is_regular_file() || (ending != ".cpp" && ending != ".h")) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      tree[fs::relative(entry.path(), source_path("")).string()] = text.str();
    }
  return tree;
}

std::string without_comments(std::string_view code) {
  std::string out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '"') {  // strings are kept; none of ours holds a lone quote
      const std::size_t begin = i;
      for (++i; i < code.size() && code[i] != '"' && code[i] != '\n'; ++i)
        if (code[i] == '\\') ++i;
      out += code.substr(begin, i + 1 - begin);
    } else if (code.substr(i, 2) == "//") {
      while (i < code.size() && code[i] != '\n') ++i;
      out += '\n';
    } else {
      out += code[i];
    }
  }
  return out;
}

bool is_test(std::string_view path) {
  return path.ends_with("_test.cpp") || path.ends_with("_trial.h") || path.ends_with("_trial.cpp");
}

bool has_word(std::string_view text, std::string_view word) {
  auto inside = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !inside(at - 1)) && !inside(at + word.size())) return true;
  return false;
}

}  // namespace stiffit::internal
