// SPDX-License-Identifier: Apache-2.0
// Fits, profiles and ensembles that run on the server, and what is known of them here.
import { get, post } from "./api.ts";
import { Store } from "./store.ts";
import type { Job, JobKind } from "./types.ts";
import { change, keeping, work } from "./work.ts";

export const jobs = new Store<{ byId: Record<string, Job>; lost: boolean }>({ byId: {}, lost: false });

const streams = new Map<string, EventSource>();

function finished(job: Job): boolean {
  return job.state === "done" || job.state === "failed" || job.state === "stopped";
}

function learn(job: Job): void {
  jobs.set({ byId: { ...jobs.value.byId, [job.id]: job }, lost: false });
  if (finished(job)) {
    streams.get(job.id)?.close();
    streams.delete(job.id);
  }
}

async function look(id: string): Promise<void> {
  learn({ ...(await get<Job>(`/api/jobs/${id}`)), id });
}

/** Keeps what is known of a job up to date until it ends. */
export function follow(id: string): void {
  if (streams.has(id)) return;
  const stream = new EventSource(`/api/jobs/${id}/events`);
  streams.set(id, stream);
  stream.onmessage = (event) => learn({ ...(JSON.parse(event.data) as Job), id });
  stream.onerror = () => {
    // The browser tries again by itself unless the server refused; a plain look tells which.
    jobs.set({ lost: true });
    if (stream.readyState !== EventSource.CLOSED) return;
    streams.delete(id);
    setTimeout(() => {
      look(id).then(
        () => {
          const job = jobs.value.byId[id];
          if (job && !finished(job)) follow(id);
        },
        () => undefined,
      );
    }, 1000);
  };
}

export async function startJob(kind: JobKind, request: Record<string, unknown>): Promise<string> {
  const { id } = await post<{ id: string }>("/api/jobs", { kind, work: keeping.value.id, ...request });
  change({ jobs: { ...work.value.jobs, [kind]: id } });
  await look(id);
  follow(id);
  return id;
}

export async function stopJob(id: string): Promise<void> {
  await post(`/api/jobs/${id}/stop`);
  await look(id);
}

export async function resumeJob(id: string): Promise<void> {
  await post(`/api/jobs/${id}/resume`);
  await look(id);
  follow(id);
}

/** Makes sure that a job of the work is known; called when its view is opened. */
export function know(id: string | undefined): void {
  if (!id || jobs.value.byId[id] || streams.has(id)) return;
  look(id).then(
    () => {
      const job = jobs.value.byId[id];
      if (job && !finished(job)) follow(id);
    },
    () => undefined,
  );
}
