// libSBML stops reading a file when the work is interrupted: it asks at every element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/SBMLDocument.h>
#include <sbml/common/operationReturnValues.h>
#include <sbml/util/CallbackRegistry.h>

#include "base/interrupt.h"

namespace stiffit::internal {

// While it lives; one at a time, as all of libSBML. Afterwards check() says whether what was read
// is whole.
class SbmlInterrupt : private Callback {
 public:
  SbmlInterrupt() { CallbackRegistry::addCallback(this); }
  ~SbmlInterrupt() override { CallbackRegistry::removeCallback(this); }
  SbmlInterrupt(const SbmlInterrupt&) = delete;
  SbmlInterrupt& operator=(const SbmlInterrupt&) = delete;
  void check() const {
    if (stopped_) throw Interrupted();
  }

 private:
  int process(SBMLDocument*) override {
    stopped_ = stopped_ || InterruptScope::raised();
    return stopped_ ? LIBSBML_OPERATION_FAILED : LIBSBML_OPERATION_SUCCESS;
  }
  bool stopped_ = false;
};

}  // namespace stiffit::internal
