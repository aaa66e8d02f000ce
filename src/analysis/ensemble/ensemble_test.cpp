// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stiffit::internal {
namespace {

TEST(Distribution, ReadsAndRefuses) {
  EXPECT_EQ(to_text(parse_distribution("lognormal( 1, 0.2 )")), "lognormal(1,0.2)");
  EXPECT_EQ(to_text(parse_distribution("uniform(-1,2)")), "uniform(-1,2)");
  for (const char* bad : {"lognormal(1)", "gauss(1,2)", "normal(1,-2)", "uniform(2,1)",
                          "loguniform(0,1)", "lognormal(1,x)", "1", "normal(1,2"})
    EXPECT_THROW(parse_distribution(bad), std::invalid_argument) << bad;
}

TEST(Distribution, HasItsMoments) {
  const int n = 40000;
  for (const char* text :
       {"normal(3,2)", "lognormal(2,0.5)", "uniform(-1,5)", "loguniform(0.1,10)"}) {
    const Distribution d = parse_distribution(text);
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(draw(d, 1, static_cast<std::uint64_t>(i), 7));
    std::sort(values.begin(), values.end());
    const double median = values[n / 2];
    const double upper = values[static_cast<std::size_t>(0.8413447 * n)];
    if (d.kind == Distribution::Kind::normal) {
      EXPECT_NEAR(median, 3, 0.05);
      EXPECT_NEAR(upper, 5, 0.08);
    } else if (d.kind == Distribution::Kind::lognormal) {
      EXPECT_NEAR(std::log(median), std::log(2), 0.02);
      EXPECT_NEAR(std::log(upper), std::log(2) + 0.5, 0.02);
    } else if (d.kind == Distribution::Kind::uniform) {
      EXPECT_NEAR(median, 2, 0.1);
      EXPECT_GE(values.front(), -1);
      EXPECT_LE(values.back(), 5);
    } else {
      EXPECT_NEAR(std::log(median), 0, 0.08);
    }
  }
}

TEST(Distribution, DrawsOfOtherParametersAndSeedsAreOthers) {
  const Distribution d = parse_distribution("uniform(0,1)");
  EXPECT_EQ(draw(d, 1, 5, 0), draw(d, 1, 5, 0));
  EXPECT_NE(draw(d, 1, 5, 0), draw(d, 1, 5, 1));
  EXPECT_NE(draw(d, 1, 5, 0), draw(d, 1, 6, 0));
  EXPECT_NE(draw(d, 1, 5, 0), draw(d, 2, 5, 0));
  double together = 0;  // neighbouring parameters do not move together
  for (std::uint64_t i = 0; i < 10000; ++i)
    together += (draw(d, 1, i, 0) - 0.5) * (draw(d, 1, i, 1) - 0.5);
  EXPECT_LT(std::fabs(together / 10000), 0.003);
}

TEST(Sketch, QuantilesAreRightToHalfAPercent) {
  std::vector<double> values;
  const Distribution d = parse_distribution("normal(0.2,1)");
  for (std::uint64_t i = 0; i < 20001; ++i) {
    const double v = draw(d, 3, i, 0);
    values.push_back(v * v * v);  // signs and magnitudes of all kinds
  }
  for (int i = 0; i < 50; ++i) values.push_back(0);
  Sketch all, one, two;
  for (std::size_t i = 0; i < values.size(); ++i) {
    all.add(values[i]);
    (i % 3 ? one : two).add(values[i]);
  }
  two.add(one);
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  for (double share : {0.001, 0.025, 0.25, 0.4, 0.5, 0.75, 0.975, 0.999}) {
    const double exact = values[static_cast<std::size_t>(share * n)];
    EXPECT_NEAR(all.quantile(share), exact, 0.004 * std::fabs(exact) + 1e-4) << share;
    EXPECT_EQ(all.quantile(share), two.quantile(share));
  }
  EXPECT_EQ(all.quantile(0), values.front());
  EXPECT_EQ(all.quantile(1), values.back());
  for (double value : {-30.0, -1.0, -0.01, 0.0, 0.01, 0.5, 4.0, 1000.0}) {
    const auto below = std::lower_bound(values.begin(), values.end(), value) - values.begin();
    EXPECT_NEAR(all.share_below(value), static_cast<double>(below) / n, 1e-3) << value;
  }
  RecordWriter kept;
  all.save(kept);
  Sketch back;
  RecordReader reader(kept.bytes());
  back.restore(reader);
  reader.finish();
  EXPECT_EQ(back.quantile(0.3), all.quantile(0.3));
  RecordReader cut(std::string_view(kept.bytes()).substr(0, kept.bytes().size() / 2));
  EXPECT_THROW(back.restore(cut), BadRecord);
  EXPECT_TRUE(std::isnan(Sketch().quantile(0.5)));
}

TEST(Bands, MeanAndDeviationOfACell) {
  Bands bands(2);
  for (double v : {1.0, 2.0, 3.0, 4.0}) bands.add(std::vector<double>{v, NAN});
  EXPECT_DOUBLE_EQ(bands.mean(0), 2.5);
  EXPECT_DOUBLE_EQ(bands.deviation(0), std::sqrt(5.0 / 3));
  EXPECT_EQ(bands.count(1), 0u);
  EXPECT_TRUE(std::isnan(bands.mean(1)));
}

}  // namespace
}  // namespace stiffit::internal
