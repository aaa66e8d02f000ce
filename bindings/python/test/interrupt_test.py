# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C stops what runs, soon, and keeps what was reached."""

import os
import signal
import threading
import time
import unittest

import numpy as np

import stiffit

EXAMPLE = os.path.join(os.environ["STIFFIT_SOURCE"], "examples", "escep")


def enzyme():
    return stiffit.load(os.path.join(EXAMPLE, "escep.rxn")).problem(
        os.path.join(EXAMPLE, "low.csv"), "k1,k2,off=0", "A405 = 10*P + off")


class CtrlC:
    """Sends SIGINT, as a terminal does, when told, from another thread."""

    def __init__(self):
        self.now = threading.Event()
        self.sent = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        self.now.wait()
        self.sent = True
        os.kill(os.getpid(), signal.SIGINT)


class Interrupting(unittest.TestCase):
    def test_a_fit_keeps_its_starts(self):
        ctrl_c = CtrlC()
        with self.assertRaises(stiffit.Interrupted) as caught:
            enzyme().fit(starts=100000, progress=lambda share: share > 0 and ctrl_c.now.set())
        fit = caught.exception.result
        self.assertTrue(fit.interrupted)
        self.assertGreaterEqual(len(fit.starts), 1)
        self.assertLess(len(fit.starts), 100000)
        self.assertIs(stiffit.reached(), fit)
        self.assertIsInstance(caught.exception, KeyboardInterrupt)

    def test_a_cloud_keeps_its_samples(self):
        ctrl_c = CtrlC()
        with self.assertRaises(KeyboardInterrupt) as caught:
            stiffit.load("oregonator").ensemble({"f": "uniform(0.9,1.1)"}, samples=10**8,
                                                progress=lambda share: ctrl_c.now.set())
        ensemble = caught.exception.result
        self.assertTrue(ensemble.interrupted)
        self.assertGreater(ensemble.samples, 0)

    def test_a_time_course_keeps_its_rows(self):
        ctrl_c = CtrlC()
        with self.assertRaises(stiffit.Interrupted) as caught:
            stiffit.load("repressilator").simulate(1e12, points=10**5, method="rk4", step=1e-3,
                                                   max_steps=10**15,
                                                   progress=lambda share: ctrl_c.now.set())
        self.assertTrue(caught.exception.result.interrupted)
        self.assertGreaterEqual(len(caught.exception.result), 1)

    # The signal comes while the model is read or compiled: there is nothing to keep yet.
    def test_loading_and_compiling_stop(self):
        reactions = [f"S{i} -> S{(7 * i + 1) % 20000}; k*S{i}/(1 + S{i})" for i in range(20000)]
        text = "\n".join(reactions + [f"S{i} = 1" for i in range(20000)] + ["k = 1", ""])
        # Far less than reading such a text takes; where that is so quick that the signal comes
        # later, simulate() below is what it stops.
        for work in (lambda: stiffit.load(text), lambda: stiffit.load(text).simulate(1e9)):
            timer = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
            try:
                with self.assertRaises(KeyboardInterrupt) as caught:
                    timer.start()
                    while True:
                        work()
                if isinstance(caught.exception, stiffit.Interrupted):
                    self.assertTrue(caught.exception.result is None or
                                    caught.exception.result.interrupted)
            finally:
                timer.join()

    def test_the_next_call_is_not_stopped(self):
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        self.assertEqual(stiffit.load("oregonator").simulate().status, "done")

    def test_own_handlers_are_asked(self):
        heard = []
        before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
        try:
            ctrl_c = CtrlC()
            fit = enzyme().fit(starts=100000, progress=lambda share: ctrl_c.now.set())
            self.assertTrue(fit.interrupted)  # stopped, but nobody wanted an exception
            self.assertEqual(heard, [signal.SIGINT])
        finally:
            signal.signal(signal.SIGINT, before)

    def test_an_objective_goes_on_in_other_threads(self):
        problem = enzyme()
        f = problem.objective()
        x = problem.to_theta([1.2, 0.4, 0.1])
        expected = f(x)
        values, stop = [], threading.Event()

        def work():
            while not stop.is_set():
                values.append(f(x))

        other = threading.Thread(target=work)
        other.start()
        ctrl_c = CtrlC()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                f(x)
                ctrl_c.now.set()
        stop.set()
        other.join()
        self.assertEqual(set(values), {expected})
        self.assertTrue(np.isfinite(f(x)))


if __name__ == "__main__":
    unittest.main()
