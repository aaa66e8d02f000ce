// The steps of all methods that carry directions. Included once per instruction set; no include
// guard. SPDX-License-Identifier: Apache-2.0
#include "sensitivity/tangent_lanes.h"
// the steps build on it
#include "sensitivity/bdf_tangent_step.h"
#include "sensitivity/dirk_tangent_step.h"
#include "sensitivity/tangent_step.h"
