// SPDX-License-Identifier: Apache-2.0
// State and progress of a job in words, with its buttons.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import { saidAtFields } from "../field_problems.ts";
import { Problem } from "../fields.tsx";
import { jobs, resumeJob, stopJob } from "../jobs.ts";
import { complain } from "../notice.ts";
import { formatNumber } from "../numbers.ts";
import { useStore } from "../store.ts";
import type { Job } from "../types.ts";

const WORDS: Record<Job["state"], string> = {
  waiting: "waiting for its turn",
  running: "running",
  stopped: "stopped",
  done: "done",
  failed: "failed",
};

interface JobFile {
  name: string;
  size: number;
}

function fileAddress(job: Job, name: string): string {
  return `/api/jobs/${job.id}/files/${name.split("/").map(encodeURIComponent).join("/")}`;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** What a finished job has written, without what only serves its resumption. */
function useFiles(job: Job): JobFile[] {
  const [files, setFiles] = useState<JobFile[]>([]);
  const ended = job.state === "done" || job.state === "failed";
  useEffect(() => {
    setFiles([]);
    if (ended) get<JobFile[]>(`/api/jobs/${job.id}/files`).then(setFiles, () => undefined);
  }, [job.id, ended]);
  return files.filter((file) => /\.(tsv|csv|json|hdf5|html)$/.test(file.name));
}

export function JobBar({ job, what }: { job: Job; what: string }) {
  const lost = useStore(jobs, (value) => value.lost);
  const active = job.state === "running" || job.state === "waiting";
  const { done, total, seconds } = job.progress ?? {};
  const results = useFiles(job);
  const report = results.find((file) => file.name.endsWith("report.html"));
  const best = job.best?.objective ?? job.progress?.best;
  return (
    <div class="job-bar" role="status" data-state={job.state}>
      <span class={`job-state state-${job.state}`}>{what}: {lost && active ? "the server does not answer; trying again" : WORDS[job.state]}</span>
      {active && (
        <progress aria-label={`Progress of the ${what.toLowerCase()}`} {...(total ? { value: done ?? 0, max: total } : {})} />
      )}
      <span class="faint">
        {[
          total ? `${done ?? 0} of ${total}` : "",
          best !== undefined && best !== null ? `best ${formatNumber(best, 6)}` : "",
          seconds !== undefined && seconds !== null ? `${formatNumber(seconds, 3)} s` : "",
        ].filter(Boolean).join(" · ")}
      </span>
      <span class="buttons">
        {active && <button type="button" onClick={() => void stopJob(job.id).catch(complain)}>Stop</button>}
        {job.state === "stopped" && job.resumable !== false && <button type="button" class="primary" onClick={() => void resumeJob(job.id).catch(complain)}>Resume</button>}
        {report && <a class="button" href={fileAddress(job, report.name)} download>Report</a>}
      </span>
      {job.state === "failed" && (
        <Problem>{job.kind === "fit" && saidAtFields(job) ? "A field of this fit is wrong: see the message beside it." : job.message || "It failed without saying why."}</Problem>
      )}
      {job.state === "done" && job.message && <p class="faint">{job.message}</p>}
      {results.length > 0 && (
        <details class="job-files">
          <summary>Files</summary>
          <ul>{results.map((file) => <li key={file.name}><a href={fileAddress(job, file.name)} download>{lastPart(file.name)}</a></li>)}</ul>
        </details>
      )}
    </div>
  );
}
