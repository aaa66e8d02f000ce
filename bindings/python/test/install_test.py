# SPDX-License-Identifier: Apache-2.0
"""`./run python` puts the package where a Python without any settings finds it."""

import os
import subprocess
import sys
import tempfile
import unittest


class Installing(unittest.TestCase):
    def test_for_a_user(self):
        with tempfile.TemporaryDirectory() as home:
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            environment.update(HOME=home, PYTHONUSERBASE=os.path.join(home, ".local"))
            for _ in range(2):  # also over an older one
                said = subprocess.run([os.environ["STIFFIT_SOURCE"] + "/run", "python"], check=True,
                                      env=environment, capture_output=True, text=True).stdout
                self.assertIn(home, said)
            shown = subprocess.run(
                [sys.executable, "-c", "import stiffit; print(stiffit.__file__, "
                 "stiffit.load('oregonator').simulate().status)"],
                check=True, env=environment, capture_output=True, text=True, cwd=home).stdout
            self.assertIn(home, shown)
            self.assertIn("done", shown)


if __name__ == "__main__":
    unittest.main()
