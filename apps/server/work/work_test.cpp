// Kept work, through the server.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/http/server_trial.h"
#include "server/work/archive.h"
#include "server/work/base64.h"

namespace stiffit::internal {
namespace {

TEST(ServeWork, IsKeptOverARestart) {
  ServerTrial trial;
  const Json document{{"title", "Mine"}, {"text", "S -> P; 1"}, {"odd", {1, nullptr, "µ"}}};
  const auto created = trial.post("/api/work", {{"document", document}});
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.json["revision"], 1);
  const std::string path = "/api/work/" + created.json["id"].get<std::string>();
  trial.stop();
  trial.start();
  const auto found = trial.get(path);
  ASSERT_EQ(found.status, 200);
  EXPECT_EQ(found.json["document"], document);
  EXPECT_EQ(found.json["title"], "Mine");
  EXPECT_EQ(trial.get("/api/work").json.size(), 1u);
  EXPECT_EQ(trial.remove(path).status, 200);
  EXPECT_EQ(trial.get(path).status, 404);
  EXPECT_EQ(trial.remove(path).status, 404);
  EXPECT_EQ(trial.put(path, {{"document", document}, {"revision", 1}}).status, 404);
}

TEST(ServeWork, TwoTabsDoNotOverwriteEachOther) {
  ServerTrial trial;
  const Json first{{"title", "a"}}, second{{"title", "b"}}, third{{"title", "c"}};
  const std::string id = trial.post("/api/work", {{"document", first}}).json["id"];
  const auto quick = trial.put("/api/work/" + id, {{"document", second}, {"revision", 1}});
  ASSERT_EQ(quick.status, 200) << quick.body;
  EXPECT_EQ(quick.json["revision"], 2);
  const auto late = trial.put("/api/work/" + id, {{"document", third}, {"revision", 1}});
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.json["revision"], 2);
  EXPECT_EQ(trial.get("/api/work/" + id).json["title"], "b");
}

TEST(ServeWork, MistakesAreSaid) {
  ServerTrial trial;
  EXPECT_EQ(trial.post("/api/work", {{"document", 3}}).status, 400);
  EXPECT_EQ(trial.post("/api/work", Json::object()).status, 400);
  EXPECT_EQ(trial.post("/api/work", {{"document", Json::object()}, {"title", 3}}).status, 400);
  EXPECT_EQ(trial.get("/api/work/nothing").status, 404);
  EXPECT_EQ(trial.get("/api/work/nothing/export").status, 404);
}

std::string import_of(ServerTrial& trial, const std::string& name, const std::string& bytes,
                      int expected) {
  const auto answer = trial.post("/api/import", {{"name", name}, {"content", to_base64(bytes)}});
  EXPECT_EQ(answer.status, expected) << answer.body;
  return answer.status == 201
             ? json_text(trial.get("/api/work/" + answer.json["id"].get<std::string>()).json)
             : answer.body;
}

TEST(ServeWork, ModelsAreImported) {
  ServerTrial trial;
  EXPECT_NE(import_of(trial, "my.rxn", "S -> P; 1\nS = 1\n", 201).find("\"title\":\"my\""),
            std::string::npos);
  const std::string net =
      "begin parameters\n 1 k 1\nend parameters\nbegin species\n 1 A() 10\n 2 B() 0\nend species\n"
      "begin reactions\n 1 1 2 k\nend reactions\n";
  EXPECT_NE(import_of(trial, "a.net", net, 201).find("\"text\""), std::string::npos);
  import_of(trial, "a.xml", "<?xml version=\"1.0\"?><sbml><nothing/></sbml>", 422);
  import_of(trial, "a.zip", "PK\x03\x04 broken", 422);
  import_of(trial, "a.stiffit", std::string("not\0text", 8), 422);
  EXPECT_EQ(trial.post("/api/import", {{"name", "a"}, {"content", "###"}}).status, 400);
}

TEST(ServeWork, SharedFilesAreDoubted) {
  ServerTrial trial;
  const Json shared{{"document", {{"title", "x"}, {"jobs", {{"fit", "abc"}}}}},
                    {"jobs",
                     {{"fit",
                       {{"kind", "fit"},
                        {"title", "t"},
                        {"state", "running"},
                        {"words", {"fit", "--output=/tmp/x"}}}}}}};
  const std::string kept =
      import_of(trial, "x.stiffit", zip({{"work.json", json_text(shared)}}), 201);
  const std::string id = Json::parse(kept)["document"]["jobs"]["fit"];
  EXPECT_NE(id, "abc");
  EXPECT_EQ(trial.get("/api/jobs/" + id).json["state"], "failed");
  EXPECT_EQ(trial.post("/api/jobs/" + id + "/resume", Json::object()).status, 409);
  import_of(trial, "x.stiffit", zip({{"work.json", "[1]"}}), 400);
  import_of(trial, "x.stiffit", zip({{"work.json", "{\"jobs\": 3}"}}), 400);
}

}  // namespace
}  // namespace stiffit::internal
