// SPDX-License-Identifier: Apache-2.0
#include "io/files/convert_model.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/diagnostic.h"
#include "base/option_error.h"
#include "io/bng/write_net.h"
#include "io/c/write_c.h"
#include "io/latex/write_latex.h"
#include "io/sbml/write_sbml.h"
#include "io/text/writer/write_text.h"

namespace stiffit::internal {

const std::vector<ModelFormat>& model_formats() {
  static const std::vector<ModelFormat> formats{
      {"text", {".rxn", ".txt"}, [](const auto& m) { return write_text(*m); }},
      {"antimony",
       {".ant", ".antimony"},
       [](const auto& m) { return write_text(*m, TextStyle::antimony); }},
      {"sbml", {".xml", ".sbml"}, [](const auto& m) { return write_sbml(*m); }},
      {"c", {".c", ".c"}, [](const auto& m) { return write_c(m); }},
      {"latex", {".tex", ".latex"}, [](const auto& m) { return write_latex(*m); }},
      {"net", {".net", ".net"}, [](const auto& m) { return write_net(*m); }},
  };
  return formats;
}

const ModelFormat& model_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ModelFormat& format : model_formats()) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw OptionError(
      option("to") + " knows text, antimony, sbml, c, latex and net, not '" + name + "'",
      nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

const ModelFormat& model_format_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const ModelFormat& format : model_formats())
    for (std::string_view known : format.endings)
      if (ending == known) return format;
  throw OptionError(
      "the ending of '" + path + "' does not say what to write",
      ".rxn, .ant, .xml, .c, .tex or .net; or " + option("to") + " text|antimony|sbml|c|latex|net");
}

}  // namespace stiffit::internal
