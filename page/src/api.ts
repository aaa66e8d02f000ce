// SPDX-License-Identifier: Apache-2.0
// The only place that speaks HTTP. A refusal of the server becomes an ApiError. The token that the
// printed address holds is a cookie by now, which the browser sends along and scripts cannot see.
import type { Diagnostic } from "./types.ts";

export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly diagnostics: Diagnostic[] = [],
    readonly body: Record<string, unknown> = {},
    readonly field = "", // of the request, that it is about
  ) {
    super(message);
  }
}

async function answer(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  const headers: Record<string, string> = { "X-Stiffit": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const content = body === undefined ? null : JSON.stringify(body);
  // What is kept as the page closes still has to arrive; browsers allow that for small bodies.
  const keepalive = method === "PUT" && content !== null && content.length < 60_000;
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: content, signal: signal ?? null, keepalive });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("The server does not answer. Is `stiffit serve` still running?", 0);
  }
  const text = await response.text();
  let json: Record<string, unknown> = {};
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    throw new ApiError("The server's answer cannot be read.", response.status);
  }
  if (!response.ok) {
    const error = (json["error"] ?? {}) as { message?: string; hint?: string; field?: string; diagnostics?: Diagnostic[] };
    const message = [error.message ?? `The server refused (${response.status}).`, error.hint]
      .filter(Boolean)
      .join(" ");
    throw new ApiError(message, response.status, error.diagnostics ?? [], json, error.field);
  }
  return json;
}

export async function get<T>(path: string): Promise<T> {
  return (await answer("GET", path)) as T;
}
export async function post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
  return (await answer("POST", path, body, signal)) as T;
}
export async function put<T>(path: string, body: unknown): Promise<T> {
  return (await answer("PUT", path, body)) as T;
}
export async function remove(path: string): Promise<void> {
  await answer("DELETE", path);
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(binary);
}
