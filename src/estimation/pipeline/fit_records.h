// Finished starts, profile points and their parts as bytes: records of a run's state, and messages
// between its processes. Reading throws BadRecord.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "estimation/strategies/multi_start.h"
#include "estimation/uncertainty/bootstrap/bootstrap.h"
#include "estimation/uncertainty/profile.h"

namespace stiffit::internal {

std::string record_of(const Evaluation& evaluation);
Evaluation evaluation_of(std::string_view record);

std::string record_of(const LocalFit& fit);
LocalFit fit_of(std::string_view record);

std::string record_of(const StartResult& result);
StartResult start_of(std::string_view record);

std::string record_of(const ProfilePoint& point);
ProfilePoint profile_point_of(std::string_view record);

// A side without its points.
std::string record_of(const ProfileSide& side);
ProfileSide profile_side_of(std::string_view record);

std::string record_of(const BootstrapSample& sample);
BootstrapSample bootstrap_sample_of(std::string_view record);

}  // namespace stiffit::internal
