// SPDX-License-Identifier: Apache-2.0
#include "model/library/library.h"

#include <gtest/gtest.h>

#include <string>

namespace stiffit::internal {
namespace {

bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

struct Expected {
  const char *name, *end, *species;
};

TEST(Library, HasEveryModelWithItsSpeciesAndEndTime) {
  const Expected expected[] = {
      {"clock-size", "100", "s1, s2"},
      {"enzyme-reversible", "0.6", "x1, x2, $x3, $x4;"},
      {"escep", "2000", "S, C, E, P;"},
      {"escep-dimensionless", "20", "s, c;"},
      {"hemker-scalar", "10", "y;"},
      {"lac-size", "100", "s1, s2"},
      {"lotka", "20", "x1, x2, x3, x4;"},
      {"lotka-volterra", "50", "X, Y;"},
      {"oregonator", "40", "x, y, z;"},
      {"oscillator-k51", "20", "x1, x2, x3;"},
      {"qa-size", "100", "s1, s2"},
      {"repressilator", "200", "m1, m2, m3, p1, p2, p3;"},
      {"robertson", "1e5", "A, B, C;"},
      {"stiff1000", "5", "y;"},
      {"vdp1", "20", "y1, y2;"},
      {"vdp1000", "2000", "y1, y2;"},
      {"water-moderate", "0.1", "H2, O2, O, H, OH, H2O;"},
      {"water-nonstiff", "1", "H2, O2, O, H, OH, H2O;"},
      {"water-stiff", "0.1", "H2, O2, O, H, OH, H2O;"},
  };
  ASSERT_EQ(library_models().size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const LibraryModel& model = library_models()[i];
    EXPECT_EQ(model.name, expected[i].name);
    EXPECT_FALSE(model.title.empty()) << model.name;
    EXPECT_TRUE(contains(model.text, std::string("\n#: end ") + expected[i].end + "\n"))
        << model.name;
    EXPECT_TRUE(contains(model.text, std::string("\n  species ") + expected[i].species))
        << model.name;
    EXPECT_TRUE(contains(model.text, "\nmodel ")) << model.name;
    EXPECT_TRUE(model.text.ends_with("\nend\n")) << model.name;
    EXPECT_EQ(find_library_model(expected[i].name), &model);
  }
}

TEST(Library, StandInsSaySo) {
  for (const char* name : {"qa-size", "lac-size", "clock-size"})
    EXPECT_TRUE(contains(find_library_model(name)->title, "Generated stand-in of the size"));
}

TEST(Library, DoesNotKnowOtherNames) {
  EXPECT_EQ(find_library_model("oregonater"), nullptr);
  EXPECT_EQ(find_library_model(""), nullptr);
}

}  // namespace
}  // namespace stiffit::internal
