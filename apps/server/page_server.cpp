// SPDX-License-Identifier: Apache-2.0
#include "server/page_server.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "base/diagnostic.h"
#include "server/analysis_requests.h"
#include "server/describe_model.h"
#include "server/http/page_files.h"
#include "server/http/request_error.h"
#include "server/http/routes.h"
#include "server/jobs/confine.h"
#include "server/jobs/job_routes.h"
#include "server/simulate_request.h"
#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t threads = 48;           // requests that are answered at the same time
constexpr std::size_t head_bytes = 1u << 16;  // of a request besides its body

std::string port_trouble(const ServeOptions& options) {
  const std::string port = "error: port " + std::to_string(options.port) + " of " + options.host;
  if (errno == EADDRINUSE)
    return port + " is taken: another program listens there, perhaps another stiffit serve" +
           "\n  open that one's page, or end it, or name another port: --port 0 takes any free one";
  if (errno == EACCES)
    return port + " is not open to this user" +
           "\n  name a port above 1023, or --port 0 for any free one";
  return port + " cannot be used" + (errno ? std::string(": ") + std::strerror(errno) : "") +
         "\n  --host names an address of this machine, --port another port";
}

// Computes; what looks at the interrupt stops once the time is up.
Json within(Deadlines& deadlines, double seconds,
            const std::function<Json(const api::RunOptions&)>& compute) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const Deadlines::Hold hold(deadlines, stop, seconds);
  api::RunOptions run;
  run.interrupt = stop.get();
  try {
    return compute(run);
  } catch (const api::Interrupted&) {
    throw RequestError(504,
                       "reading the model took longer than " +
                           std::to_string(static_cast<int>(seconds)) +
                           " s, which is the limit on the page",
                       "the command line has no such limit");
  }
}

}  // namespace

struct PageServer::Impl {
  explicit Impl(const ServeOptions& o)
      : options(o),
        http(o.limits.request_seconds, o.limits.body + head_bytes, threads),
        works(o.data),
        jobs(o.data),
        tasks(o),
        simulations(models, deadlines, o.limits),
        analysis(models, tasks, deadlines, o.limits),
        runner(jobs, o),
        reading(o.limits.simulations) {}

  void listen() {
    http.set_payload_max_length(options.limits.body);
    http.set_tcp_nodelay(true);
    http.set_default_headers(safe_headers());
    port = options.port;
    errno = 0;
    if (port == 0)
      port = http.bind_to_any_port(options.host);
    else if (!http.bind_to_port(options.host, port))
      port = -1;
    if (port <= 0) throw InputError(port_trouble(options));
    http.let_wait(512);
  }

  void add_routes() {
    guard = std::make_unique<Guard>(options.host, port, options.token, options.limits.body);
    http.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& out) {
      if (auto refusal = guard->check(head_of(request))) {
        refuse(out, refusal->status, refusal->message);
        return httplib::Server::HandlerResponse::Handled;
      }
      return httplib::Server::HandlerResponse::Unhandled;
    });
    http.set_error_handler([](const httplib::Request&, httplib::Response& out) {
      if (out.body.empty())
        refuse(out, out.status,
               out.status == 404 ? "there is nothing here" : "the request is not valid");
    });
    add_page();
    http.Get(
        "/api/about", guarded([](auto&, auto& out) {
          answer(out, Json{{"version", api::version()}, {"confined_by", confinement_at_hand()}});
        }));
    http.Get("/api/methods", guarded([](auto&, auto& out) { answer(out, describe_methods()); }));
    http.Get("/api/library", guarded([this](auto&, auto& out) {
               static const std::string library = json_text(describe_library());
               answer(out, library);
             }));
    http.Post("/api/model", guarded([this](auto& in, auto& out) {
                const ModelSource source = model_source(parse_object(in.body));
                const SlotGuard slot(reading);
                const double most = options.limits.model_seconds;
                answer(out, within(deadlines, most, [&](const api::RunOptions& run) {
                         return describe_model(*models.model(source, run), run);
                       }));
              }));
    http.Post("/api/simulate", guarded([this](auto& in, auto& out) {
                answer(out, simulations.answer(parse_object(in.body)));
              }));
    http.Post("/api/stiffness", guarded([this](auto& in, auto& out) {
                answer(out, analysis.stiffness(parse_object(in.body)));
              }));
    http.Post("/api/compare", guarded([this](auto& in, auto& out) {
                answer(out, analysis.compare(parse_object(in.body)));
              }));
    http.Post("/api/stability", guarded([this](auto& in, auto& out) {
                answer(out, analysis.stability(parse_object(in.body)));
              }));
    const JobServices services{jobs, runner, works, options.limits, ending};
    add_job_routes(http, services);
    add_work_routes(http, services);
  }

  void add_page() {
    for (const PageFile& file : page_files())
      http.Get(std::string(file.path),
               [this, &file](const httplib::Request& in, httplib::Response& out) {
                 // The printed address holds the token; from here on the browser has it, and the
                 // address of the page, which is shown and kept, has not.
                 if (const std::string cookie = guard->cookie_for(head_of(in)); !cookie.empty()) {
                   out.set_header("Set-Cookie", cookie);
                   return out.set_redirect(std::string(file.path), 303);
                 }
                 if (file.gzip) out.set_header("Content-Encoding", "gzip");
                 out.set_content(file.content.data(), file.content.size(), std::string(file.type));
               });
  }

  ~Impl() {
    if (!begun) http.give_port_back();
  }

  ServeOptions options;
  int port = 0;
  BoundedServer http;
  std::unique_ptr<Guard> guard;
  Deadlines deadlines;
  LiveModels models;
  WorkStore works;
  JobStore jobs;
  Tasks tasks;
  SimulateRequests simulations;
  AnalysisRequests analysis;
  std::atomic<bool> ending{false};
  std::mutex gate;  // of begun, and of ending as far as run() looks at it
  bool begun = false;
  std::atomic<bool> ended{false};
  JobRunner runner;
  Places reading;  // models that are read and described at the same time
};

PageServer::PageServer(const ServeOptions& options) : impl_(std::make_unique<Impl>(options)) {
  impl_->listen();
  impl_->add_routes();
}

PageServer::~PageServer() = default;

int PageServer::port() const { return impl_->port; }

std::string PageServer::address() const {
  const std::string& host = impl_->options.host;
  std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (host == "0.0.0.0" || host == "::") shown = "127.0.0.1";
  const std::string& token = impl_->options.token;
  return "http://" + shown + ":" + std::to_string(port()) + "/" +
         (token.empty() ? "" : "?token=" + token);
}

void PageServer::run() {
  {
    const std::lock_guard lock(impl_->gate);
    if (impl_->ending.load() || impl_->begun) return;
    impl_->begun = true;
  }
  impl_->http.listen_after_bind();
  impl_->ended.store(true);
}

// The library stops nothing that does not listen yet, and would then listen for ever.
void PageServer::stop() {
  {
    const std::lock_guard lock(impl_->gate);
    if (impl_->ending.exchange(true)) return;
    if (!impl_->begun) return impl_->http.give_port_back();
  }
  while (!impl_->http.is_running() && !impl_->ended.load())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->http.stop();
}

}  // namespace stiffit::internal
