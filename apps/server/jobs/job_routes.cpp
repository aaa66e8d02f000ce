// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_routes.h"

#include <thread>

#include "server/http/request_error.h"
#include "server/http/routes.h"
#include "server/jobs/job_report.h"
#include "server/work/share.h"

namespace stiffit::internal {
namespace {

constexpr const char* job_path = R"(/api/jobs/([a-z0-9]+))";
constexpr const char* work_path = R"(/api/work/([a-z0-9]+))";
constexpr auto look_for_news_every = std::chrono::milliseconds(150);
constexpr int polls_between_signs = 60;  // of life, so that a client that has gone is noticed

std::string id_of(const httplib::Request& request) { return request.matches[1].str(); }

// For a header; what a browser makes of odd names differs.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (char c : name.substr(0, 80)) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
    plain += fine ? c : '_';
  }
  return plain.empty() ? "work" : plain;
}

// Always to be saved, never shown in our origin: a file of a job may hold anything.
void download(httplib::Response& out, const std::string& name, const std::string& content,
              const char* type = "application/octet-stream") {
  out.set_header("Content-Disposition", "attachment; filename=\"" + plain_name(name) + "\"");
  out.set_content(content, type);
}

using Listeners = std::shared_ptr<std::atomic<int>>;  // how many pages follow jobs

// The report of a job, again whenever it changes, until it has ended.
class JobEvents {
 public:
  JobEvents(std::string id, const JobServices& services, Listeners listeners)
      : id_(std::move(id)), services_(services), listeners_(std::move(listeners)) {}
  ~JobEvents() { --*listeners_; }

  bool send(httplib::DataSink& sink) {
    for (int polls = 0; !services_.ending.load(); ++polls) {
      std::string text;
      bool last = false;
      try {
        const Json report = job_report(id_, services_.store, services_.runner);
        // The time that passes is no news by itself.
        Json news = report;
        news["progress"].erase("seconds");
        text = json_text(news);
        const std::string state = report["state"].get<std::string>();
        last = state != "waiting" && state != "running";
        if (text != sent_) {
          sent_ = std::move(text);
          return write(sink, "data: " + json_text(report) + "\n\n", last);
        }
      } catch (const RequestError&) {
        return write(sink, "event: gone\ndata: {}\n\n", true);
      }
      if (last) return write(sink, "", true);
      if (polls == polls_between_signs) return write(sink, ": here\n\n", false);
      std::this_thread::sleep_for(look_for_news_every);
      if (!sink.is_writable()) return false;
    }
    return write(sink, "", true);
  }

 private:
  bool write(httplib::DataSink& sink, const std::string& text, bool last) {
    if (!text.empty() && !sink.write(text.data(), text.size())) return false;
    if (last) sink.done();
    return true;
  }

  std::string id_;
  JobServices services_;
  Listeners listeners_;
  std::string sent_;
};

void stream_events(const std::string& id, JobServices s, const Listeners& listeners,
                   httplib::Response& out) {
  s.store.get(id);
  if (++*listeners > s.limits.listeners) {
    --*listeners;
    throw RequestError(503, "too many pages follow jobs at the same time");
  }
  auto events = std::make_shared<JobEvents>(id, s, listeners);
  out.set_chunked_content_provider(
      "text/event-stream",
      [events](std::size_t, httplib::DataSink& sink) { return events->send(sink); });
}

std::string parameters_of(JobStore& store, const std::string& id) {
  try {
    return store.read(id, std::string(job_output) + "/parameters.tsv");
  } catch (const RequestError&) {
    throw RequestError(422, "that job has no parameters to start from");
  }
}

}  // namespace

void add_job_routes(httplib::Server& http, JobServices s) {
  http.Get("/api/jobs", guarded([s](auto&, auto& out) {
             Json list = Json::array();
             for (const Job& job : s.store.list()) list.push_back(job_line(job, s.store, s.runner));
             answer(out, list);
           }));
  http.Post("/api/jobs", guarded([s](auto& in, auto& out) {
              const JobPlan plan =
                  plan_job(parse_object(in.body), s.limits,
                           [&](const std::string& id) { return parameters_of(s.store, id); });
              const std::string id = s.store.add(plan, s.limits);
              s.runner.wake();
              answer(out, Json{{"id", id}}, 201);
            }));
  http.Get(job_path, guarded([s](auto& in, auto& out) {
             answer(out, job_report(id_of(in), s.store, s.runner));
           }));
  http.Get(std::string(job_path) + "/events",
           guarded([s, listeners = std::make_shared<std::atomic<int>>(0)](auto& in, auto& out) {
             stream_events(id_of(in), s, listeners, out);
           }));
  http.Post(std::string(job_path) + "/stop", guarded([s](auto& in, auto& out) {
              s.store.get(id_of(in));
              answer(out, Json{{"stopping", s.runner.stop(id_of(in))}});
            }));
  http.Post(std::string(job_path) + "/resume", guarded([s](auto& in, auto& out) {
              s.runner.resume(id_of(in));
              answer(out, Json{{"resumed", true}});
            }));
  http.Delete(job_path, guarded([s](auto& in, auto& out) {
                s.store.get(id_of(in));
                s.runner.remove(id_of(in));
                answer(out, Json{{"deleted", true}});
              }));
  http.Get(std::string(job_path) + "/files", guarded([s](auto& in, auto& out) {
             Json list = Json::array();
             for (const auto& [name, size] : s.store.files(id_of(in)))
               list.push_back({{"name", name}, {"size", size}});
             answer(out, list);
           }));
  http.Get(std::string(job_path) + R"(/files/([^?]+))", guarded([s](auto& in, auto& out) {
             const std::string path = in.matches[2].str();
             download(out, path.substr(path.rfind('/') + 1), s.store.read(id_of(in), path));
           }));
}

void add_work_routes(httplib::Server& http, JobServices s) {
  http.Get("/api/work", guarded([s](auto&, auto& out) { answer(out, s.works.list()); }));
  http.Post("/api/work", guarded([s](auto& in, auto& out) {
              answer(out, s.works.create(parse_object(in.body)), 201);
            }));
  http.Get(work_path, guarded([s](auto& in, auto& out) { answer(out, s.works.get(id_of(in))); }));
  http.Put(work_path, guarded([s](auto& in, auto& out) {
             try {
               answer(out, s.works.change(id_of(in), parse_object(in.body)));
             } catch (const WorkConflict& conflict) {
               answer(out,
                      Json{{"error", {{"message", conflict.what()}, {"hint", conflict.hint()}}},
                           {"revision", conflict.revision}},
                      409);
             }
           }));
  http.Delete(work_path, guarded([s](auto& in, auto& out) {
                s.works.remove(id_of(in));
                answer(out, Json{{"deleted", true}});
              }));
  http.Get(std::string(work_path) + "/export", guarded([s](auto& in, auto& out) {
             const std::string title = s.works.get(id_of(in))["title"].template get<std::string>();
             download(out, title + ".stiffit", export_work(id_of(in), s.works, s.store),
                      "application/zip");
           }));
  http.Post("/api/import", guarded([s](auto& in, auto& out) {
              answer(out, import_work(parse_object(in.body), s.works, s.store, s.limits), 201);
            }));
}

}  // namespace stiffit::internal
