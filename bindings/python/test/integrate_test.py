# SPDX-License-Identifier: Apache-2.0
"""Systems given as Python functions, against closed forms and against the models of the library."""

import threading
import unittest

import numpy as np

import stiffit


def decay(t, x):
    return [-2 * x[0] + np.sin(t), x[0] - x[1]]


def exact(t):
    e2 = 1.2 * np.exp(-2 * t)
    return np.stack([0.4 * np.sin(t) - 0.2 * np.cos(t) + e2,
                     0.1 * np.sin(t) - 0.3 * np.cos(t) - e2 + 1.5 * np.exp(-t)], axis=1)


class Integrate(unittest.TestCase):
    times = np.linspace(0, 5, 11)

    def test_methods_agree_with_the_closed_form(self):
        for method in [None, "dopri5", "dop853", "rodas5p", "bdf", "radau", "trbdf2", "esdirk54",
                       "adams", "cvodes"]:
            for more in [{}, {"jac": lambda t, x: np.array([[-2.0, 0.0], [1.0, -1.0]]),
                              "dfdt": lambda t, x: np.array([np.cos(t), 0.0])}]:
                course = stiffit.integrate(decay, [1, 0], self.times, method=method, rtol=1e-7,
                                           **more)
                np.testing.assert_allclose(course.values, exact(self.times), atol=1e-5)
                self.assertEqual(course.status, "done")
                self.assertEqual(course.columns, ["x1", "x2"])

    def test_the_functions_of_a_library_model(self):
        def robertson(t, x):
            a, b, c = 0.04 * x[0], 1e4 * x[1] * x[2], 3e7 * x[1] ** 2
            return np.array([b - a, a - b - c, c])

        times = [0, 0.4, 40, 4000]
        course = stiffit.integrate(robertson, [1, 0, 0], times, autonomous=True,
                                   names=["A", "B", "C"], rtol=1e-8)
        model = stiffit.load("robertson").simulate(times=times, rtol=1e-10)
        for name in "ABC":
            np.testing.assert_allclose(course[name], model[name], rtol=1e-5, atol=1e-12)

    def test_a_pattern_gives_the_entries_in_its_order(self):
        calls = []

        def jac(t, x):
            calls.append(t)
            return [1.0, -1.0, -2.0]

        course = stiffit.integrate(decay, [1, 0], self.times, method="rodas5p", jac=jac,
                                   pattern=[(1, 0), (1, 1), (0, 0)], rtol=1e-8)
        np.testing.assert_allclose(course.values, exact(self.times), atol=1e-6)
        self.assertGreater(len(calls), 0)

    def test_what_a_function_raises_is_raised(self):
        class Own(Exception):
            pass

        def fails(t, x):
            if t > 1:
                raise Own("beyond one")
            return -x

        for method in ["dopri5", "rodas5p", "bdf", "cvodes"]:
            with self.assertRaisesRegex(Own, "beyond one"):
                stiffit.integrate(fails, [1.0], [0, 2], method=method)

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(stiffit.InputError, "f gave 1 numbers instead of 2"):
            stiffit.integrate(lambda t, x: [1.0], [1, 0], [0, 1])
        with self.assertRaisesRegex(stiffit.InputError, "f gave None"):
            stiffit.integrate(lambda t, x: None, [1], [0, 1])
        with self.assertRaisesRegex(stiffit.InputError, "jac gave 3 numbers instead of 4"):
            stiffit.integrate(decay, [1, 0], [0, 1], method="rodas5p", jac=lambda t, x: [1, 2, 3])
        with self.assertRaisesRegex(stiffit.InputError, "unknown method"):
            stiffit.integrate(decay, [1, 0], [0, 1], method="nothing")
        with self.assertRaises(ValueError):
            stiffit.integrate(lambda t, x: ["a", "b"], [1, 0], [0, 1])

    def test_a_failure_carries_the_rows_that_were_reached(self):
        with self.assertRaises(stiffit.NumericsError) as caught:
            stiffit.integrate(lambda t, x: x * x, [1.0], [0, 0.5, 2])
        self.assertEqual(len(caught.exception.result.time), 2)
        self.assertAlmostEqual(caught.exception.time, 1, places=3)

    def test_threads_do_not_disturb_each_other(self):
        found = {}

        def work(rate):
            course = stiffit.integrate(lambda t, x: -rate * x, [1.0], [0, 1], rtol=1e-8)
            found[rate] = course.values[-1, 0]

        threads = [threading.Thread(target=work, args=(rate,)) for rate in (0.5, 1.0, 2.0, 4.0)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for rate, value in found.items():
            self.assertAlmostEqual(value, np.exp(-rate), places=6)
        self.assertEqual(len(found), 4)


if __name__ == "__main__":
    unittest.main()
