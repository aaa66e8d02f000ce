// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/load_channel.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

}  // namespace

bool started_with_others() {
  // Open MPI; other launchers through PMIx or PMI (MPICH, Slurm's srun).
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return number_in("OMPI_COMM_WORLD_SIZE") > 1;
  if (std::getenv("PMI_SIZE")) return number_in("PMI_SIZE") > 1;
  return std::getenv("PMIX_RANK") && number_in("SLURM_NTASKS") > 1;
}

std::unique_ptr<Channel> load_channel() {
  namespace fs = std::filesystem;
  std::error_code trouble;
  const fs::path folder = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  // Beside the program; or beside the shared library, which any program may be linked to.
  Dl_info own{};
  const bool known = dladdr(reinterpret_cast<void*>(&load_channel), &own) != 0 && own.dli_fname;
  const fs::path library = known ? fs::path(own.dli_fname).parent_path() : folder;
  std::string why = "not there";
  for (const fs::path& place : {folder, folder / "../lib/stiffit", library / "stiffit"}) {
    const fs::path file = place / "stiffit_mpi.so";
    if (!fs::exists(file)) continue;
    // Global: MPI loads parts of itself that look for its names.
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* made = module ? dlsym(module, "stiffit_channel") : nullptr;
    if (made) return std::unique_ptr<Channel>(reinterpret_cast<Channel* (*)()>(made)());
    why = dlerror();
  }
  throw InputError(
      "error: several processes were started together, but this Stiffit cannot join them: "
      "stiffit_mpi.so: " +
      why + "\n  build it where MPI is installed, or start one process");
}

int own_cores() {
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  cpu_set_t allowed;
  int own = all;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    own = std::clamp(CPU_COUNT(&allowed), 1, all);
  // Where the launcher has bound nobody, the processes of a machine share it.
  const int beside =
      std::max(number_in("OMPI_COMM_WORLD_LOCAL_SIZE"), number_in("MPI_LOCALNRANKS"));
  return own == all && beside > 1 ? std::max(1, all / beside) : own;
}

}  // namespace stiffit::internal
