// Jobs of the server, with the built program: fits, stops, what a kill leaves, and sharing.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "server/http/server_trial.h"
#include "server/work/archive.h"
#include "server/work/base64.h"

namespace stiffit::internal {
namespace {

using std::chrono::milliseconds;

const char* const model = "S -> P; k*S\nP -> ; m*P\nS = 1; P = 0; k = 1; m = 0.2\n";

// Of k = 0.7 and m = 0.3, with a little noise.
std::string data() {
  std::ostringstream text;
  text << "time,S,P\n";
  for (int i = 0; i <= 12; ++i) {
    const double t = 0.5 * i, s = std::exp(-0.7 * t);
    const double p = 0.7 / (0.3 - 0.7) * (std::exp(-0.7 * t) - std::exp(-0.3 * t));
    const double wobble = 1 + 0.02 * ((i * 7) % 5 - 2);
    text << t << "," << s * wobble << "," << p / wobble << "\n";
  }
  return text.str();
}

Json fit_request(Json options = Json::object()) {
  return {{"kind", "fit"},
          {"title", "trial"},
          {"source", {{"text", model}}},
          {"data", {{{"name", "../we ird.csv"}, {"content", data()}}}},
          {"estimate",
           {{{"name", "k"}, {"start", 1}, {"low", 0.01}, {"high", 100}, {"scale", "log"}},
            {{"name", "m"}, {"start", 1}, {"low", 0.01}, {"high", 100}}}},
          {"options", std::move(options)}};
}

void with_program(ServeOptions& o) { o.program = STIFFIT_PROGRAM; }

Json wait_for_end(const std::function<Json()>& report) {
  Json last;
  for (int i = 0; i < 3000; ++i) {
    last = report();
    const std::string state = last.value("state", "");
    if (state != "waiting" && state != "running") break;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return last;
}

Json wait_for_end(const ServerTrial& trial, const std::string& id) {
  return wait_for_end([&] { return trial.get("/api/jobs/" + id).json; });
}

TEST(ServeJobs, AFitRunsAndTellsAllOfIt) {
  ServerTrial trial(with_program);
  const auto created = trial.post("/api/jobs", fit_request({{"starts", 3}, {"seed", 2}}));
  ASSERT_EQ(created.status, 201) << created.body;
  const std::string id = created.json["id"];
  const Json job = wait_for_end(trial, id);
  ASSERT_EQ(job["state"], "done") << job.dump();
  EXPECT_NEAR(job["best"]["parameters"]["k"].get<double>(), 0.7, 0.05);
  EXPECT_NEAR(job["best"]["parameters"]["m"].get<double>(), 0.3, 0.05);
  EXPECT_EQ(job["progress"]["done"], job["progress"]["total"]);
  EXPECT_GE(job["trace"].size(), 1u);
  EXPECT_EQ(job["result"]["status"], "done");
  ASSERT_EQ(job["simulations"]["observables"].size(), 2u);
  const Json& first = job["simulations"]["observables"][0];
  EXPECT_EQ(first["data"]["time"].size(), 13u);
  ASSERT_GE(first["curve"]["time"].size(), 100u);  // between the data, too
  ASSERT_EQ(first["curve"]["time"].size(), first["curve"]["value"].size());
  for (std::size_t i = 0; i < first["curve"]["time"].size(); ++i)
    EXPECT_NEAR(first["curve"]["value"][i].get<double>(),
                std::exp(-0.7 * first["curve"]["time"][i].get<double>()), 0.02);

  // Watching has not changed it.
  const std::string folder = trial.options.data + "/jobs/" + id;
  const std::string alone = "cd '" + folder +
                            "' && '" STIFFIT_PROGRAM
                            "' fit model.rxn --data=we_ird.csv --estimate=k=1:0.01:100:log,"
                            "m=1:0.01:100 --starts=3 --seed=2 --json >alone.json 2>/dev/null";
  ASSERT_EQ(std::system(alone.c_str()), 0);
  std::ifstream again(folder + "/alone.json");
  const Json plain = Json::parse(again);
  EXPECT_EQ(plain["parameters"], job["result"]["parameters"]);
  EXPECT_EQ(plain["waterfall"], job["result"]["waterfall"]);
  EXPECT_GT(job["trace"].size(), 3u);  // more than the starts

  const auto list = trial.get("/api/jobs");
  ASSERT_EQ(list.json.size(), 1u);
  EXPECT_EQ(list.json[0]["title"], "trial");
  const auto files = trial.get("/api/jobs/" + id + "/files");
  EXPECT_GE(files.json.size(), 5u);
  const auto table = trial.get("/api/jobs/" + id + "/files/out/parameters.tsv");
  EXPECT_EQ(table.status, 200);
  EXPECT_NE(table.body.find("k\t"), std::string::npos);
  EXPECT_NE(table.headers.find("Content-Disposition")->second.find("attachment"),
            std::string::npos);
  for (const char* path : {"/files/../../stiffit.sqlite", "/files/out/fit.sqlite", "/files/nothing",
                           "/files//etc/passwd", "/files/%2e%2e%2fstiffit.sqlite"})
    EXPECT_EQ(trial.get("/api/jobs/" + id + path).status, 404) << path;

  // Intervals from there.
  Json profile = fit_request({{"start_from_job", id}, {"parameters", {"k"}}});
  profile["kind"] = "profile";
  const auto second = trial.post("/api/jobs", profile);
  ASSERT_EQ(second.status, 201) << second.body;
  const Json intervals = wait_for_end(trial, second.json["id"]);
  ASSERT_EQ(intervals["state"], "done") << intervals.dump();
  EXPECT_EQ(intervals["result"]["parameters"].size(), 1u);

  EXPECT_EQ(trial.remove("/api/jobs/" + id).status, 200);
  EXPECT_EQ(trial.get("/api/jobs/" + id).status, 404);
  EXPECT_FALSE(std::filesystem::exists(trial.options.data + "/jobs/" + id));
}

TEST(ServeJobs, NoiseIsSaidInARequest) {
  ServerTrial trial(with_program);
  Json request = fit_request({{"bootstrap", 100}, {"bootstrap_kind", "case"}});
  request["noise"] = {"S = s*S", "P = p"};
  request["noise_distribution"] = "student-t:6";
  const auto created = trial.post("/api/jobs", request);
  ASSERT_EQ(created.status, 201) << created.body;
  const Json job = wait_for_end(trial, created.json["id"]);
  ASSERT_EQ(job["state"], "done") << job.dump();
  const Json& parameters = job["result"]["parameters"];
  ASSERT_EQ(parameters.size(), 4u);
  for (const Json& p : parameters)
    EXPECT_EQ(p["noise"].get<bool>(), p["id"] == "s" || p["id"] == "p") << p.dump();
  EXPECT_EQ(job["result"]["bootstrap"]["kind"], "case");
  EXPECT_EQ(parameters[0]["limits_by"], "bootstrap");
}

TEST(ServeJobs, LimitsAmongTheDataAreTold) {
  ServerTrial trial(with_program);
  Json request = fit_request({{"derive", {"ratio = k/m", "half = ln(2)/k"}}, {"level", 0.9}});
  request["data"] = {{{"name", "a.csv"}, {"content", data() + "9,<0.01,\n10,,>0.001\n"}}};
  const auto created = trial.post("/api/jobs", request);
  ASSERT_EQ(created.status, 201) << created.body;
  const Json job = wait_for_end(trial, created.json["id"]);
  ASSERT_EQ(job["state"], "done") << job.dump();
  for (const Json& one : job["simulations"]["observables"]) {
    const Json& limits = one["data"]["limit"];
    ASSERT_EQ(limits.size(), 14u);
    for (std::size_t i = 0; i < 13; ++i) EXPECT_TRUE(limits[i].is_null());
    EXPECT_EQ(limits[13], one["name"] == "S" ? "below" : "above");
  }
  EXPECT_EQ(job["result"]["derived"].size(), 2u);
  EXPECT_EQ(job["result"]["statistics"]["level"], 0.9);
  EXPECT_FALSE(job.contains("findings"));
}

TEST(ServeJobs, MistakesOfAFieldNameIt) {
  ServerTrial trial(with_program);
  for (const auto& [field, value] : {std::pair<std::string, Json>{"level", 2},
                                     {"level", "much"},
                                     {"bootstrap", 0},
                                     {"bootstrap_kind", "parametric"},
                                     {"starts", 1.5}}) {
    const auto refused = trial.post("/api/jobs", fit_request({{field, value}}));
    EXPECT_GE(refused.status, 400) << field << value;
    EXPECT_EQ(refused.json["error"].value("field", ""), field) << refused.body;
  }
  Json wrong = fit_request();
  wrong["noise"] = "S = s";
  EXPECT_EQ(trial.post("/api/jobs", wrong).json["error"].value("field", ""), "noise");

  // What only the data and the model can tell.
  auto found_in = [&](const char* field, const Json& value) {
    Json request = fit_request();
    (std::string(field) == "derive" ? request["options"] : request)[field] = value;
    const auto created = trial.post("/api/jobs", request);
    EXPECT_EQ(created.status, 201) << created.body;
    const Json job = wait_for_end(trial, created.json["id"]);
    EXPECT_EQ(job["state"], "failed") << job.dump();
    Json found = job.value("findings", Json::array());
    EXPECT_EQ(found.size(), 1u) << job.dump();
    const Json finding = found.empty() ? Json::object() : found[0];
    EXPECT_EQ(finding.value("field", ""), field) << job.dump();
    return finding;
  };
  EXPECT_EQ(found_in("derive", {"r = k/q"}).value("message", ""),
            "--derive \"r = k/q\": unknown name 'q'");
  EXPECT_EQ(found_in("derive", {"k/m"}).value("message", ""),
            "--derive is \"NAME = formula\", not \"k/m\"");
  EXPECT_EQ(found_in("noise", {"S = s", "X = s"}).value("of", ""), "X = s");
  EXPECT_EQ(found_in("observe", {"S = 2*Q"}).value("of", ""), "S = 2*Q");
  found_in("weights", "relative");
  found_in("noise_distribution", "cauchy");
}

TEST(ServeJobs, AnEnsembleRuns) {
  ServerTrial trial(with_program);
  const auto created = trial.post(
      "/api/jobs",
      {{"kind", "ensemble"},
       {"source", {{"text", model}}},
       {"options",
        {{"sample", {"k=uniform(0.5,1)"}}, {"samples", 50}, {"end", 4}, {"points", 10}}}});
  ASSERT_EQ(created.status, 201) << created.body;
  const std::string id = created.json["id"];
  const Json job = wait_for_end(trial, id);
  ASSERT_EQ(job["state"], "done") << job.dump();
  EXPECT_TRUE(job["result"].is_object());
  EXPECT_NE(trial.get("/api/jobs/" + id + "/files/out/bands.csv").body.find("mean(S)"),
            std::string::npos);
}

TEST(ServeJobs, EventsTellUntilTheEnd) {
  ServerTrial trial(with_program);
  const std::string id = trial.post("/api/jobs", fit_request()).json["id"];
  std::string events;
  auto client = trial.client();
  client.Get("/api/jobs/" + id + "/events", trial.headers(), [&](const char* data, std::size_t n) {
    events.append(data, n);
    return true;
  });
  EXPECT_NE(events.find("\"state\":\"done\""), std::string::npos) << events;
  EXPECT_EQ(trial.get("/api/jobs/nothing/events").status, 404);
}

TEST(ServeJobs, MistakesAreSaid) {
  ServerTrial trial(with_program);
  auto status = [&](auto change) {
    Json request = fit_request();
    change(request);
    return trial.post("/api/jobs", request).status;
  };
  EXPECT_EQ(status([](Json& r) { r["kind"] = "serve"; }), 400);
  EXPECT_EQ(status([](Json& r) { r["options"]["output"] = "/tmp/x"; }), 400);
  EXPECT_EQ(status([](Json& r) { r["options"]["resume"] = true; }), 400);
  EXPECT_EQ(status([](Json& r) { r["options"]["start_from"] = "/etc/passwd"; }), 400);
  EXPECT_EQ(status([](Json& r) { r["options"]["start_from_job"] = "nothing"; }), 422);
  EXPECT_EQ(status([](Json& r) { r["options"]["starts"] = Json::object(); }), 400);
  EXPECT_EQ(status([](Json& r) { r["estimate"][0]["name"] = "k=1:2:3,m"; }), 400);
  EXPECT_EQ(status([](Json& r) { r["estimate"][0].erase("low"); }), 400);
  EXPECT_EQ(status([](Json& r) { r["data"] = 3; }), 400);
  EXPECT_EQ(status([](Json& r) { r["petab"] = {{"content", "!"}}; }), 400);
  EXPECT_EQ(status([](Json& r) { r["petab"] = {{"content", to_base64("no zip")}}; }), 422);
  // What only the program finds ends the job with its words.
  Json request = fit_request();
  request["estimate"][0]["name"] = "nothing";
  const std::string id = trial.post("/api/jobs", request).json["id"];
  const Json job = wait_for_end(trial, id);
  EXPECT_EQ(job["state"], "failed");
  EXPECT_NE(job["message"].get<std::string>().find("nothing"), std::string::npos) << job.dump();
}

TEST(ServeJobs, OnlySoManyRunAtATime) {
  ServerTrial trial([](ServeOptions& o) {
    with_program(o);
    o.limits.jobs = 1;
    o.limits.kept_jobs = 3;
  });
  const Json slow = fit_request({{"starts", 3000}, {"screen", 200}});
  const std::string first = trial.post("/api/jobs", slow).json["id"];
  const std::string second = trial.post("/api/jobs", slow).json["id"];
  for (int i = 0; i < 200 && trial.get("/api/jobs/" + first).json["state"] != "running"; ++i)
    std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(trial.get("/api/jobs/" + first).json["state"], "running");
  EXPECT_EQ(trial.get("/api/jobs/" + second).json["state"], "waiting");
  const std::string third = trial.post("/api/jobs", slow).json["id"];
  EXPECT_EQ(trial.post("/api/jobs", slow).status, 507);
  EXPECT_EQ(trial.post("/api/jobs/" + second + "/stop", Json::object()).status, 200);
  EXPECT_EQ(trial.get("/api/jobs/" + second).json["state"], "stopped");
  EXPECT_EQ(trial.post("/api/jobs/" + first + "/stop", Json::object()).status, 200);
  EXPECT_EQ(wait_for_end(trial, first)["state"], "stopped");
  for (int i = 0; i < 200 && trial.get("/api/jobs/" + third).json["state"] != "running"; ++i)
    std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(trial.remove("/api/jobs/" + third).status, 200);
  // The server does not wait for jobs when it ends.
  EXPECT_EQ(trial.post("/api/jobs/" + first + "/resume", Json::object()).status, 200);
  EXPECT_EQ(trial.post("/api/jobs/" + first + "/resume", Json::object()).status, 409);
  trial.stop();
  trial.start();
  EXPECT_NE(trial.get("/api/jobs/" + first).json["state"], "done");
}

TEST(ServeTasks, StiffnessAndMethods) {
  ServerTrial trial(with_program);
  const auto stiff =
      trial.post("/api/stiffness",
                 {{"source", {{"library", "oregonator"}}}, {"points", 50}, {"method", "rk4"}});
  ASSERT_EQ(stiff.status, 200) << stiff.body;
  EXPECT_EQ(stiff.json["verdict"], "stiff");
  EXPECT_GE(stiff.json["rows"].size(), 51u);
  EXPECT_GE(stiff.json["spectra"].size(), 50u);
  EXPECT_EQ(stiff.json["spectra"][0]["eigenvalues"].size(), 3u);
  // rk4 is stable on the real axis to -2.785 (Hairer and Wanner).
  double left = 0;
  for (const Json& ring : stiff.json["stability"]["rings"])
    for (const Json& point : ring) left = std::min(left, point[0].get<double>());
  EXPECT_NEAR(left, -2.9, 0.2);
  const auto compare = trial.post(
      "/api/compare",
      {{"source", {{"library", "vdp1"}}}, {"methods", {"rodas5p", "dopri5"}}, {"errors", {1e-2}}});
  ASSERT_EQ(compare.status, 200) << compare.body;
  EXPECT_EQ(compare.json["table"].size(), 2u);
  EXPECT_EQ(
      trial.post("/api/compare", {{"source", {{"library", "vdp1"}}}, {"methods", {"x"}}}).status,
      422);
  EXPECT_EQ(trial.post("/api/stiffness", {{"source", {{"text", "S -> P; k*Q\n"}}}}).status, 422);
  EXPECT_EQ(trial.post("/api/stability", {{"method", "cvodes"}}).status, 422);
  const auto methods = trial.get("/api/methods");
  EXPECT_GE(methods.json["integrators"].size(), 15u);
}

TEST(ServeTasks, TheTimeIsLimited) {
  ServerTrial trial([](ServeOptions& o) {
    with_program(o);
    o.limits.task_seconds = 0.05;
  });
  EXPECT_EQ(trial.post("/api/compare", {{"source", {{"library", "oregonator"}}}}).status, 504);
}

// A PEtab problem whose tables lie outside of its archive.
TEST(ServeJobs, PetabStaysInItsFolder) {
  ServerTrial trial(with_program);
  const std::string yaml =
      "format_version: 1\nparameter_file: p.tsv\nproblems:\n- condition_files: [c.tsv]\n"
      "  measurement_files: [/etc/passwd]\n  observable_files: [o.tsv]\n  sbml_files: [m.xml]\n";
  const std::string bytes = zip({{"p.yaml", yaml},
                                 {"p.tsv", "parameterId\n"},
                                 {"c.tsv", "conditionId\n"},
                                 {"o.tsv", "observableId\n"},
                                 {"m.xml", "<sbml/>"}});
  const auto created =
      trial.post("/api/jobs",
                 {{"kind", "fit"}, {"petab", {{"name", "p.zip"}, {"content", to_base64(bytes)}}}});
  ASSERT_EQ(created.status, 201) << created.body;
  const Json job = wait_for_end(trial, created.json["id"]);
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job.dump().find("root:"), std::string::npos) << job.dump();
  EXPECT_NE(job["message"].get<std::string>().find("own folder"), std::string::npos) << job.dump();
}

TEST(ServeShare, WorkTravelsWithItsResults) {
  ServerTrial trial(with_program);
  const std::string fit = trial.post("/api/jobs", fit_request()).json["id"];
  const Json before = wait_for_end(trial, fit);
  ASSERT_EQ(before["state"], "done");
  const Json document{{"title", "Mine"}, {"text", model}, {"jobs", {{"fit", fit}}}};
  const std::string id = trial.post("/api/work", {{"document", document}}).json["id"];
  const auto file = trial.get("/api/work/" + id + "/export");
  ASSERT_EQ(file.status, 200);
  ServerTrial other(with_program);
  const auto imported =
      other.post("/api/import", {{"name", "Mine.stiffit"}, {"content", to_base64(file.body)}});
  ASSERT_EQ(imported.status, 201) << imported.body;
  const Json work = other.get("/api/work/" + imported.json["id"].get<std::string>()).json;
  EXPECT_EQ(work["title"], "Mine");
  EXPECT_EQ(work["document"]["text"], model);
  const std::string job = work["document"]["jobs"]["fit"];
  const Json after = other.get("/api/jobs/" + job).json;
  EXPECT_EQ(after["state"], "done");
  EXPECT_EQ(after["result"], before["result"]);
  EXPECT_EQ(after["resumable"], false);
  EXPECT_EQ(other.post("/api/jobs/" + job + "/resume", Json::object()).status, 409);
}

// The program itself, as a person starts it.
class ServeProcess {
 public:
  explicit ServeProcess(const std::string& folder, const char* option = nullptr) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl(STIFFIT_PROGRAM, "stiffit", "serve", "--port", "0", "--data", folder.c_str(), option,
            static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    std::string line;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
    close(ends[0]);
    const std::size_t colon = line.rfind(':');
    port_ = colon == std::string::npos ? 0 : std::stoi(line.substr(colon + 1));
    const std::string mark = "/?token=";
    if (const std::size_t at = line.find(mark); at != std::string::npos)
      token_ = line.substr(at + mark.size());
  }
  ~ServeProcess() { end(SIGTERM); }
  int end(int signal) {
    if (child_ <= 0) return 0;
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    return status;
  }
  int port() const { return port_; }
  const std::string& token() const { return token_; }
  int status(const std::string& path, const httplib::Headers& headers = {}) const {
    return httplib::Client("127.0.0.1", port_).Get(path, headers)->status;
  }
  Json ask(const std::string& method, const std::string& path, const Json& body = Json::object()) {
    httplib::Client client("127.0.0.1", port_);
    const httplib::Headers headers{{"X-Stiffit", "1"}, {"X-Stiffit-Token", token_}};
    auto result = method == "GET" ? client.Get(path, headers)
                                  : client.Post(path, headers, json_text(body), "application/json");
    return result ? Json::parse(result->body, nullptr, false) : Json();
  }

 private:
  pid_t child_ = 0;
  int port_ = 0;
  std::string token_;
};

// The printed address has a token, which only its owner can read, and which the next server of the
// folder has again; not if others could have read it.
TEST(ServeProgram, ATokenIsAskedForAndKept) {
  ServerTrial scratch;  // for its folder
  const std::string folder = scratch.folder + "/kept", file = folder + "/token";
  std::string token;
  {
    const ServeProcess server(folder);
    token = server.token();
    ASSERT_EQ(token.size(), 48u);
    EXPECT_EQ(server.status("/"), 200);
    EXPECT_EQ(server.status("/api/about"), 401);
    EXPECT_EQ(server.status("/api/about", {{"X-Stiffit-Token", std::string(48, '0')}}), 401);
    EXPECT_EQ(server.status("/api/about", {{"X-Stiffit-Token", token}}), 200);
  }
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(ServeProcess(folder).token(), token);
  std::filesystem::permissions(file, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_NE(ServeProcess(folder).token(), token);
  const ServeProcess open(folder, "--no-token");
  EXPECT_EQ(open.token(), "");
  EXPECT_EQ(open.status("/api/about"), 200);
}

TEST(ServeProgram, AFitGoesOnAfterAKillWithTheSameResult) {
  ServerTrial scratch;  // for its folder
  const std::string folder = scratch.folder + "/kept";
  const Json request = fit_request({{"starts", 60}, {"screen", 100}});
  std::string id, work;
  {
    ServeProcess server(folder);
    ASSERT_GT(server.port(), 0);
    work = server.ask("POST", "/api/work", {{"document", {{"title", "kept"}}}})["id"];
    id = server.ask("POST", "/api/jobs", request)["id"];
    for (int i = 0; i < 1000; ++i) {
      const Json job = server.ask("GET", "/api/jobs/" + id);
      if (job["progress"].value("done", 0) >= 2) break;
      std::this_thread::sleep_for(milliseconds(5));
    }
    server.end(SIGKILL);
  }
  ServeProcess server(folder);
  EXPECT_EQ(server.ask("GET", "/api/work/" + work)["title"], "kept");
  Json job = server.ask("GET", "/api/jobs/" + id);
  // A quick machine may have been done before.
  if (job["state"] != "done") {
    EXPECT_EQ(job["state"], "stopped") << job.dump();
    EXPECT_EQ(server.ask("POST", "/api/jobs/" + id + "/resume")["resumed"], true);
    job = wait_for_end([&] { return server.ask("GET", "/api/jobs/" + id); });
  }
  ASSERT_EQ(job["state"], "done") << job.dump();
  const std::string whole = server.ask("POST", "/api/jobs", request)["id"];
  const Json other = wait_for_end([&] { return server.ask("GET", "/api/jobs/" + whole); });
  EXPECT_EQ(job["result"]["parameters"], other["result"]["parameters"]);
  EXPECT_EQ(job["result"]["waterfall"], other["result"]["waterfall"]);
  EXPECT_EQ(WEXITSTATUS(server.end(SIGTERM)), 0);
}

}  // namespace
}  // namespace stiffit::internal
