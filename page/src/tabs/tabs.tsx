// SPDX-License-Identifier: Apache-2.0
// The views on the right.
import type { FunctionComponent } from "preact";
import { NetworkTab } from "../network/network_tab.tsx";
import { CurvesTab } from "./curves_tab.tsx";
import { EquationsTab } from "./equations_tab.tsx";
import { FitTab } from "./fit_tab.tsx";
import { MethodsTab } from "./methods_tab.tsx";
import { StiffnessTab } from "./stiffness_tab.tsx";
import { UncertaintyTab } from "./uncertainty_tab.tsx";

export type TabName = "curves" | "equations" | "network" | "stiffness" | "methods" | "fit" | "uncertainty";

export const TABS: { name: TabName; title: string; Panel: FunctionComponent }[] = [
  { name: "curves", title: "Curves", Panel: CurvesTab },
  { name: "equations", title: "Equations", Panel: EquationsTab },
  { name: "network", title: "Network", Panel: NetworkTab },
  { name: "stiffness", title: "Stiffness", Panel: StiffnessTab },
  { name: "methods", title: "Methods", Panel: MethodsTab },
  { name: "fit", title: "Data and fit", Panel: FitTab },
  { name: "uncertainty", title: "Uncertainty", Panel: UncertaintyTab },
];
