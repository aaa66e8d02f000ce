// SPDX-License-Identifier: Apache-2.0
#include "base/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

struct Search {
  int starts = 0;  // 0: as many as there are
  std::string sampling = "latin";
  double rtol = 1e-8, longest = std::numeric_limits<double>::quiet_NaN();
  bool growing = true, resume = false;
  std::optional<bool> descent;
  std::vector<std::string> names, weights;
  std::uint64_t seed = 1;
};
struct Outer {
  long samples = 10;
  Search search;
};

FieldTable<Search> search_fields() {
  return {
      field<Search>({"starts", "N", "descents", Provenanced::always}, &Search::starts,
                    whole_rule(1, 1000)),
      field<Search>({"sampling", "S", "of starts", Provenanced::always}, &Search::sampling,
                    choice_rule({"latin", "sobol", "uniform"})),
      field<Search>({"rtol", "R", "tolerance"}, &Search::rtol, above_zero()),
      field<Search>({"max-step", "H", "", Provenanced::if_given}, &Search::longest, above_zero()),
      field<Search>({"growing", "yes|no", ""}, &Search::growing, yes_or_no()),
      field<Search>({"resume", "", ""}, &Search::resume, flag_rule()),
      field<Search>({"descent", "yes|no", ""}, &Search::descent, perhaps_yes_or_no()),
      field<Search>({"names", "a,b", ""}, &Search::names, list_rule()),
      field<Search>({"weight", "W", ""}, &Search::weights, repeated_rule()),
      field<Search>({"seed", "S", ""}, &Search::seed, seed_rule()),
  };
}
FieldTable<Outer> outer_fields() {
  return FieldTable<Outer>{
             field<Outer>({"samples", "N", "draws"}, &Outer::samples, long_rule(2, 50))} +
         fields_of(&Outer::search, search_fields());
}

std::string error_of(const std::string& name, const std::string& value, const char* before = "--") {
  Outer o;
  try {
    read_field(outer_fields(), name, {value}, o);
  } catch (const OptionError& error) {
    return error.message(before);
  }
  return "read";
}

TEST(Fields, ReadEveryTypeAndSayWhatIsWrong) {
  Outer o;
  for (auto& [name, text] : std::vector<std::pair<std::string, std::string>>{{"starts", "12"},
                                                                             {"sampling", "sobol"},
                                                                             {"rtol", "1e-5"},
                                                                             {"max_step", "0.5"},
                                                                             {"growing", "no"},
                                                                             {"resume", ""},
                                                                             {"descent", "yes"},
                                                                             {"names", "a, f(b,c)"},
                                                                             {"seed", "7"},
                                                                             {"samples", "3"}})
    read_field(outer_fields(), name, {text}, o);
  read_field(outer_fields(), "weight", {"a = 1", "b = 2"}, o);
  EXPECT_EQ(o.search.starts, 12);
  EXPECT_EQ(o.search.sampling, "sobol");
  EXPECT_EQ(o.search.rtol, 1e-5);
  EXPECT_EQ(o.search.longest, 0.5);
  EXPECT_FALSE(o.search.growing);
  EXPECT_TRUE(o.search.resume);
  EXPECT_EQ(o.search.descent, true);
  EXPECT_EQ(o.search.names, (Texts{"a", "f(b,c)"}));
  EXPECT_EQ(o.search.weights, (Texts{"a = 1", "b = 2"}));
  EXPECT_EQ(o.search.seed, 7u);
  EXPECT_EQ(o.samples, 3);

  EXPECT_EQ(error_of("starts", "0"), "--starts needs a whole number above zero, not '0'");
  EXPECT_EQ(error_of("starts", "1e3"), "--starts needs a whole number above zero, not '1e3'");
  EXPECT_EQ(error_of("starts", "1001"), "--starts is 1 to 1000, not 1001");
  EXPECT_EQ(error_of("samples", "1"), "--samples is 2 to 50, not 1");
  EXPECT_EQ(error_of("samples", "1", ""), "samples is 2 to 50, not 1");
  EXPECT_EQ(error_of("rtol", "x"), "--rtol needs a number, not 'x'");
  EXPECT_EQ(error_of("rtol", "-1"), "--rtol needs a number above zero, not '-1'");
  EXPECT_EQ(error_of("rtol", "nan"), "--rtol needs a number, not 'nan'");
  EXPECT_EQ(error_of("sampling", "x"), "--sampling is latin, sobol or uniform, not 'x'");
  EXPECT_EQ(error_of("growing", "maybe"), "--growing is yes or no");
  EXPECT_EQ(error_of("seed", "1.5"), "--seed is a whole number from 0 on");
  EXPECT_EQ(error_of("start", "1"), "unknown option '--start'");
}

// A struct that a program has filled is held to the same rules, and defaults are always right.
TEST(Fields, CheckAStructWithTheSameWords) {
  Outer o;
  check_fields(outer_fields(), o);
  auto words = [&] {
    try {
      check_fields(outer_fields(), o);
    } catch (const OptionError& error) {
      return std::string(error.what());
    }
    return std::string("right");
  };
  o.search.starts = -3;
  EXPECT_EQ(words(), "starts needs a whole number above zero, not '-3'");
  o.search.starts = 3;
  EXPECT_EQ(words(), "right");
  o.search.longest = 0;
  EXPECT_EQ(words(), "max-step needs a number above zero, not '0'");
  o.search.longest = std::nan("");
  o.search.sampling = "";
  EXPECT_EQ(words(), "sampling is latin, sobol or uniform, not ''");
}

TEST(Fields, ProvenanceHasWhatTheAnswerDependsOn) {
  Outer o;
  std::map<std::string, std::string> settings;
  add_provenance(outer_fields(), o, settings);
  EXPECT_EQ(settings, (std::map<std::string, std::string>{{"starts", "0"}, {"sampling", "latin"}}));
  o.search.longest = 2.5;
  add_provenance(outer_fields(), o, settings);
  EXPECT_EQ(settings["max-step"], "2.5");
}

// Every value that can be written can be read again.
TEST(Fields, TextsReadBackToTheSameValues) {
  Outer o;
  o.search = {4, "uniform", 0.1, 3e-300, false, true, false, {"a", "b"}, {}, 99};
  Outer again;
  for (const Field<Outer>& f : outer_fields())
    if (f.given(o)) f.read(again, {f.text(o)});
  for (const Field<Outer>& f : outer_fields()) EXPECT_EQ(f.text(o), f.text(again)) << f.name;
}

}  // namespace
}  // namespace stiffit::internal
