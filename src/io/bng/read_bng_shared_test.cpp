// The networks of BioNetGen's own test set and the large ones: counts, and nothing to complain of.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "io/bng/net_values_for_test.h"
#include "places.h"

namespace stiffit::internal {
namespace {

struct Counts {
  const char* file;
  std::size_t parameters, functions, species, reactions, groups;
};

class SharedNetwork : public testing::TestWithParam<Counts> {};

TEST_P(SharedNetwork, HasItsCounts) {
  const Counts& c = GetParam();
  std::ifstream file(shared_path(c.file));
  STIFFIT_NEEDS_SHARED(c.file);
  std::stringstream text;
  text << file.rdbuf();
  NetResult result = read_net(text.str());
  ASSERT_TRUE(result.model) << result.messages;
  EXPECT_EQ(result.messages.find("error"), std::string::npos) << result.messages;
  EXPECT_EQ(result.model->parameters.size(), c.parameters + c.functions);
  EXPECT_EQ(result.model->rules.size(), c.functions);
  EXPECT_EQ(result.model->species.size(), c.species);
  EXPECT_EQ(result.model->reactions.size(), c.reactions);
  EXPECT_EQ(result.model->observables.size(), c.groups);
  // Few nodes: at most the reactants, beside species, parameters and group terms.
  EXPECT_LT(result.model->expressions.size(), 2 * c.reactions + 16 * c.species + 1000);
}

INSTANTIATE_TEST_SUITE_P(
    All, SharedNetwork,
    testing::Values(Counts{"bng-net/CaOscillate_Func/CaOscillate_Func.net", 17, 4, 4, 8, 4},
                    Counts{"bng-net/michment/michment.net", 6, 1, 5, 6, 6},
                    Counts{"bng-net/nullrxs/birth-death.net", 2, 0, 1, 2, 1},
                    Counts{"bng-net/repressilator/Repressilator.net", 34, 0, 16, 30, 4},
                    Counts{"bng-net/test_fixed/test_fixed.net", 8, 2, 12, 18, 11},
                    Counts{"bng-net/test_synthesis_simple/test_synthesis_simple.net", 1, 0, 5, 3,
                           3},
                    Counts{"bng-net/test_time/test_time.net", 1, 3, 3, 3, 3},
                    Counts{"bng-net/toy-jim/toy-jim.net", 16, 0, 25, 101, 9},
                    Counts{"scale/bcr.net", 128, 0, 1122, 24388, 9},
                    Counts{"scale/egfr_net.net", 43, 0, 356, 3749, 13},
                    Counts{"scale/fceri_gamma2.net", 26, 0, 3744, 58276, 6},
                    Counts{"scale/multisite2.net", 9, 0, 66, 288, 3},
                    Counts{"scale/multistate.net", 9, 0, 9, 18, 4}),
    [](const testing::TestParamInfo<Counts>& network) {
      std::string name = network.param.file;
      name = name.substr(name.rfind('/') + 1);
      for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });

}  // namespace
}  // namespace stiffit::internal
