// What every table of fields has to hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/fields.h"
#include "base/number.h"

namespace stiffit::internal {

template <class Options>
void expect_sound(const FieldTable<Options>& table) {
  std::set<std::string> names, keywords;
  for (const Field<Options>& f : table) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_TRUE(!f.shown(in_python) || keywords.insert(f.keyword()).second) << f.keyword();
    EXPECT_FALSE(f.help.empty()) << f.name;
    EXPECT_NE(f.surfaces, 0u) << f.name;
    EXPECT_EQ(f.value.empty(), f.type == "flag") << f.name;
    EXPECT_FALSE(f.given(Options{})) << f.name;
    // A page may not name files of the server.
    for (const char* file : {"FILE", "DIR"})
      EXPECT_FALSE(f.shown(on_server) && f.value.find(file) != std::string::npos) << f.name;
    // Every choice can be had, and the default is one of them.
    for (const std::string& choice : f.choices) {
      Options o;
      EXPECT_NO_THROW(f.read(o, {choice})) << f.name << " " << choice;
      EXPECT_EQ(f.text(o), choice) << f.name;
    }
    EXPECT_TRUE(f.choices.empty() || f.fallback.empty() ||
                std::find(f.choices.begin(), f.choices.end(), f.fallback) != f.choices.end())
        << f.name;
    // What the help says of the default is the default.
    const std::size_t at = f.help.find("(default ");
    if (at != std::string::npos && !f.fallback.empty() && f.fallback != "0" &&
        f.help.compare(at - 1, 1, " ") == 0) {
      const std::string said = f.help.substr(at + 9, f.help.find_first_of("),:", at) - at - 9);
      const std::string first = f.fallback.substr(0, f.fallback.find(','));
      const auto number = parse_number(said), other = parse_number(first);
      EXPECT_TRUE(number && other ? *number == *other : said == first)
          << f.name << ": " << said << ", " << first;
    }
  }
}

// What a struct holds is read back from its words, as the words of a command line or of JSON.
template <class Options>
void expect_words_read_back(const FieldTable<Options>& table, const Options& filled) {
  Options again;
  for (const auto& [name, texts] : given_fields(table, filled))
    read_field(table, name, texts, again);
  for (const Field<Options>& f : table) EXPECT_EQ(f.text(again), f.text(filled)) << f.name;
}

}  // namespace stiffit::internal
