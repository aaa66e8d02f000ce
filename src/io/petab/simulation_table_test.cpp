// A simulation table has the rows of the measurements it was read from.
// SPDX-License-Identifier: Apache-2.0
#include "model/simulation_table.h"

#include <gtest/gtest.h>

#include "io/petab/petab_for_test.h"

namespace stiffit::internal {
namespace {

TEST(SimulationTable, OfVersionOne) {
  TestFiles files = conversion_v1();
  files["c.tsv"] = table("conditionId,a0\npre,5\nc0,7\n");
  files["o.tsv"] = table(
      "observableId,observableFormula,noiseFormula\n"
      "obs,observableParameter1_obs*A + observableParameter2_obs,noiseParameter1_obs\no2,B,1\n");
  files["m.tsv"] = table(
      "observableId,preequilibrationConditionId,simulationConditionId,time,measurement,"
      "observableParameters,noiseParameters,replicateId\n"
      "obs,pre,c0,inf,0.7,k1;2,0.5,r1\no2,,c0,1.5,0.7,,,r2\n");
  PetabReading reading = read_files(files);
  ASSERT_TRUE(reading.problem) << reading.text();
  EXPECT_EQ(simulation_table(*reading.problem, std::vector<double>{0.1, 3}),
            table("observableId,preequilibrationConditionId,simulationConditionId,time,simulation,"
                  "observableParameters,noiseParameters,replicateId\n"
                  "obs,pre,c0,inf,0.1,k1;2,0.5,r1\no2,,c0,1.5,3,,,r2\n"));
  EXPECT_THROW(simulation_table(*reading.problem, std::vector<double>{1}), std::logic_error);
}

TEST(SimulationTable, OfVersionTwo) {
  PetabReading reading = read_files(conversion_v2());
  ASSERT_TRUE(reading.problem) << reading.text();
  EXPECT_EQ(simulation_table(*reading.problem, std::vector<double>{1, 2}),
            table("observableId,experimentId,time,simulation\nobs,e0,0,1\nobs,e0,10,2\n"));
}

TEST(SimulationTable, OfSeveralModelsInTheOrderOfTheFile) {
  TestFiles files = conversion_v2();
  files["p.yaml"] =
      "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n"
      "  first: {location: model.ant, language: antimony}\n"
      "  second: {location: model.ant, language: antimony}\n"
      "condition_files: [c.tsv]\nexperiment_files: [e.tsv]\nmeasurement_files: [m.tsv]\n"
      "observable_files: [o.tsv]\n";
  files["m.tsv"] = table(
      "modelId,observableId,experimentId,time,measurement\nsecond,obs,e0,1,2\nfirst,obs,e0,1,2\n"
      "second,obs,e0,3,2\n");
  PetabReading reading = read_files(files);
  ASSERT_TRUE(reading.problem) << reading.text();
  EXPECT_EQ(simulation_table(*reading.problem, std::vector<double>{1, 2, 3}),
            table("modelId,observableId,experimentId,time,simulation\nsecond,obs,e0,1,1\n"
                  "first,obs,e0,1,2\nsecond,obs,e0,3,3\n"));
}

}  // namespace
}  // namespace stiffit::internal
