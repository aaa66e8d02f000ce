// Stiffit as a library: all of it, by names like stiffit::Model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stiffit/conform.h"
#include "stiffit/integrate.h"
#include "stiffit/lists.h"
#include "stiffit/problem.h"
#include "stiffit/processes.h"
#include "stiffit/reading.h"
