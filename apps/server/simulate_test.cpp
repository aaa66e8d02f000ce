// Models and curves, through the server as the page asks for them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "base/source.h"
#include "model/library/generated_network.h"
#include "places.h"
#include "server/http/server_trial.h"
#include "server/work/base64.h"
#include "stiffit/lists.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

const Json escep{{"library", "escep"}};

std::vector<double> column(const Json& answer, const std::string& name) {
  const auto& names = answer.at("columns");
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return answer.at("values").at(k).get<std::vector<double>>();
  return {};
}

TEST(ServeModels, TheLibraryIsListed) {
  ServerTrial trial;
  const auto answer = trial.get("/api/library");
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json["models"].size(), api::models().size());
  EXPECT_FALSE(answer.json["models"][0]["text"].get<std::string>().empty());
}

TEST(ServeModels, AModelIsDescribed) {
  ServerTrial trial;
  const auto answer = trial.post(
      "/api/model", {{"source",
                      {{"text",
                        "E + S <-> C; k1, k_1\nC -> E + P; kcat*C\nE = 1; S = 5; C = 0; P = 0\n"
                        "k1 = 2; k_1 = 0.5; kcat = 3\n"}}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& m = answer.json;
  EXPECT_EQ(m["ok"], true);
  EXPECT_EQ(m["species"].size(), 4u);
  EXPECT_EQ(m["species"][1]["name"], "S");
  EXPECT_EQ(m["species"][1]["initial"], 5.0);
  EXPECT_EQ(m["reactions"].size(), 2u);
  EXPECT_EQ(m["reactions"][0]["reactants"].size(), 2u);
  EXPECT_EQ(m["moieties"].size(), 2u);
  bool fraction = false;
  for (const Json& e : m["equations"])
    fraction |= e["mathml"].get<std::string>().find("<mfrac>") != std::string::npos;
  EXPECT_TRUE(fraction);
}

Json first_error(const Json& answer) {
  for (const Json& d : answer.at("diagnostics"))
    if (d.at("severity") == "error") return d;
  return {};
}

TEST(ServeModels, MistakesHaveTheirPlaceInCharacters) {
  ServerTrial trial;
  const auto answer =
      trial.post("/api/model", {{"source", {{"text", "# µµ\nS -> P; k1*Q\nS = 1; k1 = 2\n"}}}});
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json["ok"], false);
  const Json d = first_error(answer.json);
  ASSERT_TRUE(d.is_object()) << answer.body;
  EXPECT_EQ(d["line"], 2);
  EXPECT_EQ(d["column"], 12);
  EXPECT_EQ(d["end_column"], 13);
  const auto wide =
      trial.post("/api/model", {{"source", {{"text", "S -> P; /* µµ */ k1*Q\nS = 1; k1 = 2\n"}}}});
  EXPECT_EQ(first_error(wide.json)["column"], 21) << wide.body;
  // The same findings when it is to run.
  const auto run = trial.post("/api/simulate", {{"source", {{"text", "S -> P; k1*Q\n"}}}});
  EXPECT_EQ(run.status, 422);
  EXPECT_GE(run.json["error"]["diagnostics"].size(), 1u);
}

// Many findings, on one line and on several, in the order of the text and not: the places are those
// that counting from the beginning of the line gives.
TEST(ServeModels, PlacesOfManyFindings) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "p" + std::to_string(i) + " = 1 unit" + std::to_string(i) + " /* ü */" +
            (i % 7 == 3   ? " // é\r\n"
             : i % 7 == 5 ? "\n"
                          : "; ");
  text += "\nA -> B; p0*A\nB -> C; p1*B\n";  // without initial values
  ServerTrial trial;
  const Json found = trial.post("/api/model", {{"source", {{"text", text}}}}).json["diagnostics"];
  ASSERT_GE(found.size(), 50u);
  const Source source("model", text);
  for (const Json& item : found) {
    ASSERT_TRUE(item.contains("line")) << item;
    std::string line(source.line(item["line"].get<int>()));
    auto characters = [](const std::string& bytes) {
      return std::count_if(bytes.begin(), bytes.end(), [](char c) { return (c & 0xC0) != 0x80; });
    };
    const int column = item["column"].get<int>(), end = item["end_column"].get<int>();
    EXPECT_LT(column, end) << item;
    ASSERT_LE(end - 1, characters(line)) << item;
    // What is underlined is what the message names.
    std::string underlined;
    long at = 0;
    for (char c : line) {
      at += (c & 0xC0) != 0x80;
      if (at >= column && at < end) underlined += c;
    }
    const std::string message = item["message"].get<std::string>();
    const std::size_t quote = message.find('\'');
    ASSERT_NE(quote, std::string::npos) << message;
    const std::string named = message.substr(quote + 1, message.find('\'', quote + 1) - quote - 1);
    EXPECT_NE(underlined.find(named), std::string::npos) << item << " underlines " << underlined;
  }
}

TEST(ServeModels, TheTimeToReadOneIsLimited) {
  ServerTrial trial([](ServeOptions& o) { o.limits.model_seconds = 0; });
  const Json request{{"source", {{"text", generated_benchmark_network(400)}}}};
  const auto answer = trial.post("/api/model", request);
  EXPECT_EQ(answer.status, 504) << answer.body;
  EXPECT_EQ(trial.get("/api/library").status, 200);
}

TEST(ServeModels, AStartThatIsNotFiniteIsAMistakeWithItsPlace) {
  ServerTrial trial;
  const auto answer =
      trial.post("/api/model", {{"source", {{"text", "S -> P; k/P\nS = 1; P = 0; k = 2\n"}}}});
  EXPECT_EQ(answer.json["ok"], false);
  ASSERT_GE(answer.json["diagnostics"].size(), 1u);
  EXPECT_EQ(answer.json["diagnostics"][0]["line"], 1);
}

TEST(ServeModels, TextCannotReadFiles) {
  ServerTrial trial;
  for (const char* text :
       {"import \"/etc/passwd\"\n", "S -> P; u*S\nS = 1\nu := table(\"/etc/passwd\", a)\n",
        "S -> P; u*S\nS = 1\nu := table(\"../secret.csv\", a)\n"}) {
    const auto answer = trial.post("/api/model", {{"source", {{"text", text}}}});
    EXPECT_EQ(answer.json["ok"], false) << text;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos);
  }
}

TEST(ServeModels, UploadedTablesAreRead) {
  ServerTrial trial;
  const Json source{{"text", "-> P; u\nP = 0\nu := table(\"in.csv\", a)\n"},
                    {"files", {{"in.csv", "time,a\n0,1\n10,1\n"}}}};
  const auto answer = trial.post("/api/simulate", {{"source", source}, {"end", 2}, {"points", 2}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_NEAR(column(answer.json, "P").back(), 2, 1e-6);
}

TEST(ServeModels, SbmlComesWithItsText) {
  const std::string path = shared_path("biomodels/BIOMD0000000033.xml");
  STIFFIT_NEEDS_SHARED("biomodels");
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  ServerTrial trial;
  const Json source{{"file", {{"name", "model.xml"}, {"content", to_base64(content)}}}};
  const auto answer = trial.post("/api/model", {{"source", source}});
  ASSERT_EQ(answer.json["ok"], true) << answer.body.substr(0, 500);
  const auto again = trial.post("/api/model", {{"source", {{"text", answer.json["text"]}}}});
  EXPECT_EQ(again.json["ok"], true);
  EXPECT_EQ(again.json["species"].size(), answer.json["species"].size());
}

TEST(ServeSimulate, GivesWhatTheCommandGives) {
  ServerTrial trial;
  const auto answer = trial.post("/api/simulate", {{"source", escep}, {"points", 20}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["outcome"], "done");
  const api::TimeCourse course = api::Model::load("escep").simulate({.points = 20});
  ASSERT_EQ(answer.json["values"].size(), course.columns.size() + 1);
  EXPECT_EQ(answer.json["values"][0].get<std::vector<double>>(), course.times);
  for (std::size_t k = 0; k < course.columns.size(); ++k)
    for (std::size_t i = 0; i < course.times.size(); ++i)
      EXPECT_EQ(answer.json["values"][k + 1][i].get<double>(),
                course.values[i * course.columns.size() + k]);
}

TEST(ServeSimulate, SaysWhatIsWrong) {
  ServerTrial trial;
  auto status = [&](Json change) {
    Json request{{"source", escep}};
    request.update(change);
    const auto answer = trial.post("/api/simulate", request);
    EXPECT_TRUE(answer.json.contains("error")) << answer.body;
    EXPECT_FALSE(answer.json["error"]["message"].get<std::string>().empty());
    return answer.status;
  };
  EXPECT_EQ(status({{"set", {{"nothing", 1}}}}), 422);
  EXPECT_EQ(status({{"set", {{"k1", "x"}}}}), 400);
  EXPECT_EQ(status({{"set", 3}}), 400);
  EXPECT_EQ(status({{"show", {"nothing"}}}), 422);
  EXPECT_EQ(status({{"show", "S"}}), 400);
  EXPECT_EQ(status({{"method", "nothing"}}), 422);
  EXPECT_EQ(status({{"method", "euler"}}), 422);  // it needs a step
  EXPECT_EQ(status({{"points", 0}}), 400);
  EXPECT_EQ(status({{"points", 1e9}}), 400);
  EXPECT_EQ(status({{"points", 2.5}}), 400);
  EXPECT_EQ(status({{"end", -1}}), 422);
  EXPECT_EQ(status({{"rtol", 0}}), 400);
  EXPECT_EQ(status({{"rtol", 1e-20}}), 400);
  EXPECT_EQ(status({{"source", {{"library", "nothing"}}}}), 404);
  EXPECT_EQ(status({{"source", {{"file", {{"name", "a"}, {"content", "***"}}}}}}), 400);
  EXPECT_EQ(status({{"source", Json::object()}}), 400);
  EXPECT_EQ(status({{"source", nullptr}}), 400);
}

TEST(ServeSimulate, ARunThatFailsGivesTheRowsReached) {
  ServerTrial trial;
  const auto answer = trial.post(
      "/api/simulate", {{"source", {{"text", "y' = y^2\ny = 1\n"}}}, {"end", 2}, {"points", 20}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.json["outcome"], "done");
  EXPECT_FALSE(answer.json["message"].get<std::string>().empty());
  EXPECT_GE(answer.json["values"][0].size(), 9u);
  EXPECT_LE(answer.json["values"][0].size(), 11u);
}

TEST(ServeSimulate, TheTimeIsLimited) {
  ServerTrial trial([](ServeOptions& o) { o.limits.simulation_seconds = 0.2; });
  const auto answer = trial.post("/api/simulate", {{"source", {{"library", "oregonator"}}},
                                                   {"end", 1e9},
                                                   {"method", "cvodes"},
                                                   {"points", 10}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.json["outcome"], "done");
}

TEST(ServeSimulate, ANewerRequestOfATabStopsTheOlder) {
  ServerTrial trial;
  ServerTrial::Answer old;
  std::thread waiting([&] {
    old = trial.post("/api/simulate", {{"source", {{"library", "oregonator"}}},
                                       {"end", 1e8},
                                       {"client", "tab"},
                                       {"sequence", 1}});
  });
  Json request{{"source", escep}, {"client", "tab"}, {"sequence", 2}};
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(trial.post("/api/simulate", request).status, 200);
  waiting.join();
  EXPECT_TRUE(old.status == 409 || old.status == 200) << old.body;
  request["sequence"] = 1;
  EXPECT_EQ(trial.post("/api/simulate", request).status, 409);
  request["client"] = "another";
  EXPECT_EQ(trial.post("/api/simulate", request).status, 200);
}

}  // namespace
}  // namespace stiffit::internal
