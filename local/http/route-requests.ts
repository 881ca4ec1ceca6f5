import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { answerError, answerProblem } from '../../functions/endpoint.ts';
import { answerHealth as answerHealthOf } from '../../functions/health.ts';
import { rejectUnlessLocal } from '../../functions/identity/local-caller.ts';
import { type CallFunction, type FunctionName, functionNames } from '../functions.ts';

/** The running service, as far as requests need it. */
export type Service = {
  /** Undefined during startup. */
  call?: CallFunction;
  /** Returns why its functions cannot do their work. */
  checkHealth?: () => Promise<readonly string[]>;
  /** The pool of the service's own queries, undefined until the database is up. */
  pool?: pg.Pool;
};

/**
 * Returns a listener that passes `/<function>/...` to that function, with the first path segment removed. Rejects requests
 * of a page in a browser that is not one of this service, whatever the path: captures and ticks need no other permission.
 */
export function routeRequests(service: Service): RequestListener {
  return (request, response) => {
    try {
      rejectUnlessLocal(request);
    } catch (error) {
      return answerError(response, error);
    }
    const { name, path } = splitPath(request.url ?? '/');
    if (name === '' && path === '/')
      return void response.setHeader('content-type', 'text/plain').end(describePaths());
    if (name === 'healthz' && path === '/') return answerHealth(service, response);
    if (!isFunctionName(name)) return answerUnknown(response);
    if (!service.call) return answerStarting(response);
    request.url = path;
    service.call(name, request, response);
  };
}

/** Splits `/capture/x?y` into the function `capture` and the path `/x?y`. */
function splitPath(url: string): { name: string; path: string } {
  const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
  return { name, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function isFunctionName(name: string): name is FunctionName {
  return functionNames.some((each) => each === name);
}

async function answerHealth({ call, pool, checkHealth }: Service, response: ServerResponse): Promise<void> {
  if (!call) return answerStarting(response);
  const [database, reasons] = await Promise.all([
    pool && checkInTime(pool.query('select')),
    checkHealth?.() ?? [],
  ]);
  return answerHealthOf(
    response,
    database ? reasons : [...new Set(['the database does not answer', ...reasons])],
  );
}

/** The answer of a probe must not take longer. */
const probeMs = 800;

async function checkInTime(query: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const timeout = delay(probeMs, false, { signal: timer.signal }).catch(() => false);
  return Promise.race([
    query.then(
      () => true,
      () => false,
    ),
    timeout,
  ]).finally(() => timer.abort());
}

function answerStarting(response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  const detail = 'The service is starting. Send the same request again in a moment.';
  answerProblem(response, 503, detail, { code: 'STARTING' });
}

function answerUnknown(response: ServerResponse): void {
  const paths = ['/', '/healthz', ...functionNames.map((name) => `/${name}`)];
  const detail = `Unknown path. Known paths: ${paths.join(', ')}.`;
  answerProblem(response, 404, detail, { code: 'NOT_FOUND', paths });
}

const purposes: readonly (readonly [path: string, purpose: string])[] = [
  ['/console', 'open it in a browser: failed events, their errors, and actions on them'],
  ['/capture', 'POST a failed message: a Pub/Sub push, a CloudEvent, or a report from a consumer'],
  ['/retry', 'POST to retry due events now, as the schedule does'],
  ['/replay', 'POST {"ids": [1]} to deliver these events now; GET /replay/openapi.json for the API'],
  ['/maintain', 'GET /maintain/metrics for metrics; POST to run the daily jobs'],
  ['/healthz', 'GET the health of the service'],
];

function describePaths(): string {
  const lines = purposes.map(([path, purpose]) => `  ${path.padEnd(12)}${purpose}`);
  return `Dead Letter Office\n\n${lines.join('\n')}\n`;
}
