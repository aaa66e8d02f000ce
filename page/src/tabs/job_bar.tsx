// SPDX-License-Identifier: Apache-2.0
// State and progress of a job in words, with its buttons.
import { Problem } from "../fields.tsx";
import { jobs, resumeJob, stopJob } from "../jobs.ts";
import { complain } from "../notice.ts";
import { formatNumber } from "../numbers.ts";
import { useStore } from "../store.ts";
import type { Job } from "../types.ts";
import { address } from "../api.ts";

const WORDS: Record<Job["state"], string> = {
  waiting: "waiting for its turn",
  running: "running",
  stopped: "stopped",
  done: "done",
  failed: "failed",
};

export function JobBar({ job, what }: { job: Job; what: string }) {
  const lost = useStore(jobs, (value) => value.lost);
  const active = job.state === "running" || job.state === "waiting";
  const { done, total, seconds } = job.progress ?? {};
  const best = job.best?.objective ?? job.progress?.best;
  return (
    <div class="job-bar" role="status" data-state={job.state}>
      <span class={`job-state state-${job.state}`}>{what}: {lost && active ? "the server does not answer; trying again" : WORDS[job.state]}</span>
      {active && (
        <progress aria-label={`Progress of the ${what.toLowerCase()}`} {...(total ? { value: done ?? 0, max: total } : {})} />
      )}
      <span class="faint">
        {total ? `${done ?? 0} of ${total}` : ""}
        {best !== undefined && best !== null ? `  best ${formatNumber(best, 6)}` : ""}
        {seconds !== undefined && seconds !== null ? `  ${formatNumber(seconds, 3)} s` : ""}
      </span>
      <span class="buttons">
        {active && <button type="button" onClick={() => void stopJob(job.id).catch(complain)}>Stop</button>}
        {job.state === "stopped" && <button type="button" class="primary" onClick={() => void resumeJob(job.id).catch(complain)}>Resume</button>}
        {job.state === "done" && <a class="button" href={address(`/api/jobs/${job.id}/files/report.html`)} download>Report</a>}
      </span>
      {job.state === "failed" && <Problem>{job.message || "It failed without saying why."}</Problem>}
      {job.state === "done" && job.message && <p class="faint">{job.message}</p>}
    </div>
  );
}
