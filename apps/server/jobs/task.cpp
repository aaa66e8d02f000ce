// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/task.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/exit_code.h"
#include "server/http/request_error.h"
#include "server/jobs/child.h"
#include "server/jobs/job_store.h"
#include "server/work/work_store.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A folder that is gone afterwards.
class Folder {
 public:
  Folder(const std::string& below, const FileMap& files) : path_(below + "/" + random_id()) {
    for (const auto& [name, content] : files) {
      fs::create_directories((fs::path(path_) / name).parent_path());
      std::ofstream(fs::path(path_) / name, std::ios::binary) << content;
    }
  }
  ~Folder() {
    std::error_code trouble;
    fs::remove_all(path_, trouble);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Tasks::Tasks(const ServeOptions& options)
    : options_(options),
      folder_(fs::absolute(options.data + "/tasks").string()),
      free_(options.limits.tasks) {
  std::error_code trouble;
  fs::remove_all(folder_, trouble);  // of a server that was killed
  fs::create_directories(folder_, trouble);
}

// This thread waits for the process, so the process may die with it.
Tasks::Result Tasks::run(const FileMap& files, std::vector<std::string> words) {
  const SlotGuard slot(free_);
  const Folder folder(folder_, files);
  ChildPlan plan;
  plan.program = options_.program;
  plan.words = std::move(words);
  plan.folder = folder.path();
  plan.out = "stdout.txt";
  plan.messages = "log.txt";
  plan.cpu_seconds = options_.limits.task_seconds * std::max(1, options_.limits.job_threads);
  plan.memory_kib = options_.limits.job_memory;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(options_.limits.task_seconds));
  const pid_t child = start_child(plan);
  bool late = false;
  ChildEnd end;
  while (!(end = look_at_child(child)).ended) {
    if (!late && Clock::now() > until) {
      kill(child, SIGKILL);
      late = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  if (late || end.signal == SIGXCPU)
    throw RequestError(504,
                       "this took longer than " +
                           std::to_string(static_cast<int>(options_.limits.task_seconds)) +
                           " s, which is the limit on the page",
                       "the command line has no such limit");
  if (end.signal != 0) throw RequestError(503, "the computation was ended: not enough memory?");
  return {end.code, file_text(folder.path() + "/stdout.txt"),
          file_text(folder.path() + "/log.txt", 1u << 20)};
}

Json Tasks::run(const std::string& command, const ModelSource& model,
                std::vector<std::string> options) {
  const std::string name = model_file_name(model);
  FileMap files{{name, model.content}};
  for (const auto& [file, text] : model.files) {
    if (!is_safe_path(file)) throw RequestError(400, "the file name '" + file + "' is not allowed");
    files.emplace(file, text);
  }
  std::vector<std::string> words{command, name, "--json"};
  words.insert(words.end(), options.begin(), options.end());
  Result result = run(files, std::move(words));
  if (result.code == exit_done) {
    Json document = Json::parse(result.out, nullptr, false);
    if (!document.is_discarded()) return document;
  }
  if (const std::size_t usage = result.messages.find("\nusage: "); usage != std::string::npos)
    result.messages.resize(usage);
  const Json found = rendered_json(result.messages, name);
  std::string message = "the computation failed";
  for (const Json& item : found)
    if (item["severity"] == "error") {
      message = item["message"].get<std::string>();
      break;
    }
  throw RequestError::about(found, 422, message);
}

}  // namespace stiffit::internal
