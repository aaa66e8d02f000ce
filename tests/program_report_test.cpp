// Pages of simulate, fit, profile and ensemble: whole, well-formed, small, and nothing in them
// loads or runs anything. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "program_run.h"
#include "report/plots/markup_trial.h"

namespace stiffit::internal {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// The page without what can be saved from it.
std::string without_files(const std::string& page) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t from; (from = page.find("href=\"data:", at)) != std::string::npos;) {
    out += page.substr(at, from - at);
    at = page.find('"', from + 6) + 1;
  }
  return out + page.substr(at);
}

void expect_sound(const std::string& whole) {
  EXPECT_LT(whole.size(), 3000000u);
  const std::string page = without_files(whole);
  EXPECT_EQ(trouble_in(page, {"meta"}), "");
  for (const char* bad : {"<script", "http-equiv=\"refresh", " src=", " onclick", "<iframe",
                          "<link", "@import", "url(h"})
    EXPECT_FALSE(has(page, bad)) << bad;
  // The only address is the name of SVG's language.
  EXPECT_EQ(count_of(page, "http"), count_of(page, "http://www.w3.org/2000/svg") +
                                        count_of(page, "http-equiv=\"Content-Security-Policy\""));
  const std::size_t pictures = count_of(page, "<svg ");
  EXPECT_GT(pictures, 0u);
  EXPECT_EQ(count_of(page, "<desc id="), pictures);
  EXPECT_EQ(count_of(page, "<title id="), pictures);
  EXPECT_EQ(count_of(page, "<table"), count_of(page, "<thead>"));
  for (const char* no_number : {"=\"nan", "=\"inf", " nan ", "Mnan", "Lnan"})
    EXPECT_FALSE(has(page, no_number)) << no_number;
}

void expect_files(const std::string& page, std::initializer_list<const char*> files) {
  for (const char* file : files)
    EXPECT_TRUE(has(page, "download=\"" + std::string(file) + "\"")) << file;
}

void expect_headings(const std::string& page, std::initializer_list<const char*> headings) {
  for (const char* heading : headings)
    EXPECT_TRUE(has(page, "\">" + std::string(heading) + "</h2>")) << heading;
}

// What a link of the page saves.
std::string file_in(const std::string& page, const std::string& name) {
  std::size_t at = page.find("download=\"" + name + "\"");
  if (at == std::string::npos) return "";
  at = page.find(";base64,", at) + 8;
  const std::string code = page.substr(at, page.find('"', at) - at);
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (char c : code) {
    if (c == '=') break;
    buffer = buffer << 6 | static_cast<unsigned>(letters.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(buffer >> (bits -= 8) & 255);
  }
  return bytes;
}

struct Reports : testing::Test {
  Scratch s;
  const std::string problem =
      " m.rxn --data a.csv --data b.csv --observe \"signal = 2*B + off\" --estimate k=0.5,off=0 ";
  void SetUp() override {
    s.write("m.rxn", "species A = 1, B = 0; A -> B; k; k = 0.3; \n");
    for (auto [name, start] : {std::pair{"a.csv", 1.0}, std::pair{"b.csv", 3.0}}) {
      std::string table = "# A = " + std::to_string(start) + "\ntime,signal\n";
      for (int i = 0; i <= 10; ++i) {
        const double error = 0.02 * ((i * 7 + static_cast<int>(start)) % 5 - 2);
        table += std::to_string(i) + "," +
                 std::to_string(2 * start * (1 - std::exp(-0.4 * i)) + 0.1 + error) + "\n";
      }
      s.write(name, table);
    }
  }
};

TEST_F(Reports, OfATimeCourse) {
  const ProgramRun run =
      s.stiffit("simulate m.rxn --end 20 --set k=0.7 --verify --report r.html -o c.csv");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string page = s.read("r.html");
  expect_sound(page);
  expect_headings(page, {"Curves", "Accuracy", "The run", "Stiffness", "The model", "Settings"});
  expect_files(page, {"curves.csv", "curves.svg", "stiffness.csv", "model.rxn"});
  EXPECT_EQ(file_in(page, "curves.csv"), s.read("c.csv"));
  EXPECT_TRUE(has(page, "A'"));
  EXPECT_TRUE(has(page, "<td>set</td><td>k=0.7</td>"));
  EXPECT_TRUE(has(page, "<td>input m.rxn</td>"));
  EXPECT_EQ(s.stiffit("simulate m.rxn --report none/r.html").exit_code, 1);
}

TEST_F(Reports, OfAFit) {
  const ProgramRun run = s.stiffit("fit" + problem + "--starts 4 -o out --report r.html");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string page = s.read("r.html");
  EXPECT_EQ(page, s.read("out/report.html"));
  expect_sound(page);
  expect_headings(page, {"Parameters", "Data and fit", "Residuals", "Starts", "Correlations",
                         "Stiffness", "The model", "Settings"});
  expect_files(page, {"parameters.tsv", "data-and-fit.csv", "fitted-curves.csv", "starts.tsv",
                      "correlations.csv", "waterfall.svg", "residuals.svg"});
  EXPECT_EQ(file_in(page, "parameters.tsv"), s.read("out/parameters.tsv"));
  EXPECT_EQ(file_in(page, "starts.tsv"), s.read("out/starts.tsv"));
  EXPECT_TRUE(has(page, "<td>seed</td>"));
  EXPECT_TRUE(has(page, "<td>input a.csv</td>"));
  // Residuals are (data - fit)/noise, of spread 1 by their own estimate: 22 data, 2 unknowns.
  const std::string data = file_in(page, "data-and-fit.csv");
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t at = data.find('\n') + 1; at < data.size(); at = data.find('\n', at) + 1) {
    std::vector<double> cells;
    std::size_t from = at;
    for (int skip = 0; skip < 3; ++skip) from = data.find(',', from) + 1;
    for (int k = 0; k < 5; ++k) {
      cells.push_back(std::stod(data.substr(from)));
      from = data.find(',', from) + 1;
    }
    EXPECT_NEAR(cells[4], (cells[1] - cells[2]) / cells[3], 1e-9);
    squares += cells[4] * cells[4];
    ++count;
  }
  EXPECT_EQ(count, 22u);
  EXPECT_NEAR(squares, 20, 1e-6);
}

TEST_F(Reports, OfAFitAlongTheData) {
  s.write("c.csv", "time,A,B\n0,1,0\n1,0.67,0.33\n2,0.45,0.55\n3,0.3,0.7\n4,0.2,0.8\n");
  const ProgramRun run =
      s.stiffit("fit m.rxn --data c.csv --estimate k --method integral --report r.html");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  expect_sound(s.read("r.html"));
  expect_headings(s.read("r.html"), {"Parameters", "Data and fit", "Residuals", "The model"});
}

TEST_F(Reports, OfProfiles) {
  const ProgramRun run = s.stiffit("profile" + problem + "-o out");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string page = s.read("out/report.html");
  expect_sound(page);
  expect_headings(page, {"Profile likelihoods", "Data and fit", "Settings"});
  expect_files(page, {"profiles.tsv", "profiles.svg", "intervals.tsv"});
  EXPECT_EQ(file_in(page, "profiles.tsv"), s.read("out/profiles.tsv"));
  EXPECT_GE(count_of(page, ">95 %<"), 2u);  // the threshold of each picture
}

TEST_F(Reports, OfEnsembles) {
  ProgramRun run = s.stiffit("ensemble" + problem + "--samples 400 --warmup 300 -o out");
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.messages;  // so few may not suffice
  std::string page = s.read("out/report.html");
  expect_sound(page);
  expect_headings(page, {"The ensemble", "Prediction bands", "Data and fit"});
  EXPECT_EQ(file_in(page, "bands.csv"), s.read("out/bands.csv"));
  EXPECT_TRUE(has(page, "R-hat"));
  run = s.stiffit("ensemble m.rxn --sample \"k=uniform(0.1,1)\" --samples 50 -o cloud");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  page = s.read("cloud/report.html");
  expect_sound(page);
  expect_headings(page, {"What was drawn", "Bands", "The model", "Settings"});
  EXPECT_EQ(file_in(page, "bands.csv"), s.read("cloud/bands.csv"));
  EXPECT_TRUE(has(page, "<td>uniform(0.1,1)</td>"));
}

// 40,000 data of many experiments: the page stays small and says what it leaves out.
TEST_F(Reports, StaySmall) {
  std::string table = "time,experiment,A,B\n";
  for (int e = 0; e < 20; ++e)
    for (int i = 0; i < 1000; ++i) {
      const double t = 0.01 * i, x = std::exp(-0.4 * t) * (1 + 1e-3 * ((i * 31 + e) % 17 - 8));
      table += std::to_string(t) + ",e" + std::to_string(e) + "," + std::to_string(x) + "," +
               std::to_string(1 - x) + "\n";
    }
  s.write("many.csv", table);
  const ProgramRun run =
      s.stiffit("fit m.rxn --data many.csv --estimate k --advice no --report r.html");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const std::string page = s.read("r.html");
  expect_sound(page);
  EXPECT_TRUE(has(page, "This file holds one of every"));
}

}  // namespace
}  // namespace stiffit::internal
