// SPDX-License-Identifier: Apache-2.0
#include "stiffit/processes.h"

#include "api/impl.h"
#include "runtime/distributed/load_channel.h"

namespace stiffit {
inline namespace api {

bool Processes::launched() { return started_with_others(); }

Processes::Processes(const std::atomic<bool>* interrupt)
    : impl_(at_border(nullptr, [&] {
        return std::unique_ptr<Impl>(new Impl{WorkerPool(load_channel(), interrupt)});
      })) {}
Processes::~Processes() = default;

bool Processes::is_coordinator() const { return impl_->workers.is_coordinator(); }
int Processes::size() const { return impl_->workers.size(); }
const std::atomic<bool>* Processes::interrupted() const { return impl_->workers.interrupted(); }
void Processes::decline(const std::string& reason) { impl_->workers.decline(reason); }

}  // namespace api
}  // namespace stiffit
