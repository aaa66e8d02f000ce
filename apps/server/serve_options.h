// How `stiffit serve` was started, and its limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace stiffit::internal {

struct ServeLimits {
  std::size_t body = 32u << 20;       // bytes of a request
  double request_seconds = 20;        // for a client to send its request, or to take an answer
  double simulation_seconds = 20;     // of one live simulation
  double model_seconds = 20;          // of reading and describing one model
  double task_seconds = 120;          // of one stiffness or compare request
  int simulations = 4;                // at the same time; others wait
  int tasks = 2;                      // stiffness and compare requests at the same time
  int listeners = 24;                 // event streams at the same time
  long points = 20000;                // rows of a live simulation
  std::size_t values = 20'000'000;    // numbers in one answer
  int jobs = 2;                       // that run at the same time
  int kept_jobs = 1000;               // waiting, running or ended
  int job_threads = 1;                // of each
  std::size_t job_memory = 4u << 20;  // KiB of address space of a job or task; 0: no limit
  double job_hours = 24;              // CPU time of a job, per thread
  std::size_t unpacked = 256u << 20;  // bytes of an uploaded archive when unpacked
  std::size_t archive_files = 500;    // in an uploaded archive
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 0;                            // 0: a free one
  std::string token;                       // empty: none is asked for (--no-token)
  std::string data;                        // the folder where work and jobs are kept
  std::string program = "/proc/self/exe";  // that jobs run
  ServeLimits limits;
};

}  // namespace stiffit::internal
