import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { type ServedFunction, serveFunction } from '../support/framework.ts';
import type { Link } from './link.ts';

export type Role = 'capture' | 'retry' | 'replay' | 'maintain';

/**
 * A function in a process of its own. As on Cloud Run, another instance takes the place of one that ended.
 */
export type FunctionProcess = {
  readonly role: Role;
  readonly link: Link;
  /** Names the present instance, such as `a retry 2.5`: the fifth of the second. */
  name(): string;
  pid(): number;
  /** Whether the present instance serves requests. */
  isReady(): boolean;
  /** Requests that have not been answered. */
  inFlight(): number;
  /** Sends a request, which fails after `timeoutMs`. */
  request(path: string, init: RequestInit, timeoutMs?: number): Promise<{ status: number; text: string }>;
  /** Sends a signal to the present instance. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when an instance has taken the place of the present one. */
  replaced(): Promise<void>;
  stop(): Promise<void>;
};

/** Instances that must not outlive this process. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const clock = path.join(import.meta.dirname, 'clock.ts');

type Options = {
  readonly role: Role;
  readonly name: string;
  readonly link: Link;
  /** The environment of an instance. */
  readonly env: (instance: string) => Record<string, string>;
};

export async function startProcess({ role, name, link, env }: Options): Promise<FunctionProcess> {
  let generation = 0;
  let isStopped = false;
  let current: ServedFunction | undefined;
  let instance = '';
  let inFlight = 0;
  let next = Promise.withResolvers<void>();

  const start = async (): Promise<void> => {
    generation += 1;
    const starting = `${name}.${generation}`;
    const served = await serveFunction(role, {
      ...env(starting),
      DATABASE_URL: link.url,
      NODE_OPTIONS: `--import ${clock}`,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    });
    instance = starting;
    current = served;
    inFlight = 0;
    children.add(served.child);
    served.child.once('exit', () => {
      children.delete(served.child);
      if (current === served) current = undefined;
      if (!isStopped) void start();
    });
    next.resolve();
    next = Promise.withResolvers();
  };
  await start();
  return {
    role,
    link,
    name: () => instance,
    pid: () => current?.child.pid ?? 0,
    isReady: () => current !== undefined,
    inFlight: () => inFlight,
    async request(path, init, timeoutMs = 30_000) {
      const served = current;
      if (!served) throw new Error('No instance is ready.');
      inFlight += 1;
      const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
      try {
        const url = new URL(path, served.url);
        const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
        return { status: response.status, text: await response.text() };
      } finally {
        if (served === current) inFlight -= 1;
      }
    },
    signal: (signal) => void current?.child.kill(signal),
    replaced: () => next.promise,
    async stop() {
      isStopped = true;
      await current?.stop();
    },
  };
}
