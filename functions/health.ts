import type { ServerResponse } from 'node:http';
import pLimit from 'p-limit';
import type { FunctionName } from '../shared/config/setting.ts';
import { type Database, type Query, type Result, within } from '../shared/database/database.ts';
import { isLocked } from '../shared/database/unavailable.ts';
import { DatabaseUnavailableError } from '../shared/errors.ts';
import { inTime } from '../shared/in-time.ts';
import { log } from '../shared/log.ts';
import { answerJson, type Endpoint } from './endpoint.ts';
import { serveRawFunction } from './raw-requests.ts';

/** Returns why a function cannot work, in words that reveal nothing else, or undefined. Never throws. */
export type CheckHealth = () => Promise<string | undefined>;

/** A check of health that learns from the work of a function, which `watch` runs. */
export type Health = ReturnType<typeof watchHealth>;

/** How long a failure of the work decides: the work is what the function is for. After that a probe does. */
const failureMs = 10_000;
/** Timeout of a probe, and the age of its result up to which it is used: anyone may send requests. */
const probeMs = 800;

/** Rejects if work could not be done now. `hasFailed`: the last work failed. */
type Probe = (db: Database, hasFailed: boolean) => Promise<unknown>;

/**
 * Work that `watch` runs decides for 0.8 s after a success and 10 s after a failure of the database;
 * otherwise a probe does.
 */
export function watchHealth(reason: string, db: Database, probe: Probe) {
  let last: { readonly at: number; readonly failure?: string } | undefined;
  let probing: Promise<string | undefined> | undefined;
  const probeNow = async () => {
    try {
      await inTime(probe(within(db, probeMs), last?.failure !== undefined), probeMs);
      last = undefined;
      return undefined;
    } catch (error) {
      const failure = describeFailure(reason, error);
      log('WARNING', `Unhealthy: ${failure}.`, { cause: String(error) });
      return failure;
    } finally {
      setTimeout(() => {
        probing = undefined;
      }, probeMs).unref();
    }
  };
  return {
    async check(): Promise<string | undefined> {
      const decidesMs = last?.failure === undefined ? probeMs : failureMs;
      // A clock may step back.
      if (last && Math.abs(Date.now() - last.at) < decidesMs) return last.failure;
      probing ??= probeNow();
      return probing;
    },
    async watch<T>(work: () => Promise<T>): Promise<T> {
      try {
        const result = await work();
        last = { at: Date.now() };
        return result;
      } catch (error) {
        // One locked row says nothing about the others: the next probe decides.
        if (error instanceof DatabaseUnavailableError && !isLocked(error))
          last = { at: Date.now(), failure: describeFailure(reason, error) };
        throw error;
      }
    },
  };
}

function describeFailure(reason: string, error: unknown): string {
  const condition = error instanceof DatabaseUnavailableError ? error.condition : undefined;
  return condition === undefined ? reason : `${reason}: ${condition}`;
}

/**
 * Returns the same database, whose statements throw DatabaseUnavailableError once it answers nothing, and may
 * have been committed: none for so many ms, and then no other one that is sent to find out. It has one of the
 * `connections`: a slow database is waited for.
 */
export function unlessSilent(db: Database, connections: number, silenceMs = 3000): Database {
  if (connections === 1) return db;
  const inTurn = pLimit(connections - 1);
  let answeredAt = 0;
  let asking: Promise<boolean> | undefined;
  const isSilent = async () => {
    const asked = within(db, 2 * silenceMs).query({ text: 'select' });
    // An error is an answer, too.
    const answer = asked.catch(() => {});
    try {
      await inTime(answer, silenceMs);
      answeredAt = Date.now();
      return false;
    } catch {
      return true;
    } finally {
      asking = undefined;
    }
  };
  const query = async <Row>(asked: Query): Promise<Result<Row>> => {
    const silence = Promise.withResolvers<never>();
    const timer = setInterval(async () => {
      // A clock may step back.
      if (Math.abs(Date.now() - answeredAt) < silenceMs) return;
      asking ??= isSilent();
      if (await asking) silence.reject(new DatabaseUnavailableError(new Error('it does not answer')));
    }, silenceMs);
    try {
      const result = await Promise.race([inTurn(() => db.query<Row>(asked)), silence.promise]);
      answeredAt = Date.now();
      return result;
    } finally {
      clearInterval(timer);
    }
  };
  return { ...db, query };
}

const checks: CheckHealth[] = [];

/** Returns why the functions that have loaded in this process, and `others`, cannot work, if any. */
export async function findIllnesses(...others: CheckHealth[]): Promise<readonly string[]> {
  const found = await Promise.all([...others, ...checks].map((check) => check()));
  return [...new Set(found.filter((reason) => reason !== undefined))];
}

/** Serves `endpoint`, but `GET /health`, which answers the platform 200 or 503 by `check`. */
export function serveHealth(name: FunctionName, check: CheckHealth, endpoint: Endpoint): Endpoint {
  checks.push(check);
  return serveRawFunction(name, (request, response) => {
    const isProbe = request.method === 'GET' && /^\/health(\?|$)/.test(request.url ?? '');
    if (!isProbe) return endpoint(request, response);
    return check().then((reason) => answerHealth(response, reason === undefined ? [] : [reason]));
  });
}

/** Answers with the state, and with nothing else that a stranger could use. */
export function answerHealth(response: ServerResponse, reasons: readonly string[]): void {
  if (reasons.length > 0) response.setHeader('retry-after', '1');
  const body = reasons.length > 0 ? { status: 'failing', reasons } : { status: 'ok' };
  answerJson(response, reasons.length > 0 ? 503 : 200, body);
}
