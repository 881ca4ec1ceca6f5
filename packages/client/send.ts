import { CaptureError } from './capture-error.ts';
import type { FindToken } from './identity-token.ts';
import { type Report, reportType } from './report.ts';
import { signRequest } from './sign.ts';

export type Sender = {
  readonly url: string;
  readonly timeoutMs: number;
  /** Proves who sends: a signature with a shared secret, or a token of Google's. */
  readonly secret: string | undefined;
  readonly findToken: FindToken | undefined;
  readonly warn: (text: string) => void;
};

/** Statuses that say that this very request can never be accepted. Capture rejects none for its content. */
const refused = new Set([400, 413, 414, 415, 422, 431]);

/** Sends a report once. Throws CaptureError unless capture says that it is stored. */
export async function sendReport(sender: Sender, report: Report): Promise<void> {
  const { url, timeoutMs } = sender;
  const headers = await composeHeaders(sender, report);
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // A redirect would take the token to another host.
    response = await fetch(url, { method: 'POST', headers, body: report.body, redirect: 'manual', signal });
    text = await response.text();
  } catch (cause) {
    throw new CaptureError(`${url} did not answer: ${explain(cause)}`, { reason: 'unavailable', cause });
  }
  if (response.status !== 200) throw rejectedBy(url, response, text);
  warnOfIgnored(sender, readStored(url, text));
}

async function composeHeaders({ secret, findToken }: Sender, { body, idempotencyKey }: Report) {
  const covered = { 'content-type': reportType, 'idempotency-key': idempotencyKey };
  if (secret !== undefined) return { ...covered, 'dlo-signature': signRequest(secret, covered, body) };
  const token = await findToken?.();
  return token === undefined ? covered : { ...covered, authorization: `Bearer ${token}` };
}

function rejectedBy(url: string, response: Response, text: string): CaptureError {
  const { status, headers } = response;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new CaptureError(`${url} answered ${status}: ${text.slice(0, 500)}`, {
    reason: refused.has(status) ? 'refused' : 'unavailable',
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  });
}

type Stored = { readonly id: string; readonly ignored?: readonly string[]; readonly unread?: string };

/** Only capture's own answer is proof: a proxy or a wrong URL answers 200, too. */
function readStored(url: string, text: string): Stored {
  try {
    const [stored] = JSON.parse(text).events;
    if (typeof stored.id === 'string') return stored;
  } catch {}
  throw new CaptureError(`${url} answered 200 without the id of an event: is it the URL of capture?`, {
    reason: 'unavailable',
  });
}

function warnOfIgnored({ warn }: Sender, { id, ignored = [], unread }: Stored): void {
  if (ignored.length > 0) warn(`Event ${id}: capture ignored ${ignored.join(', ')} of the report.`);
  if (unread) warn(`Event ${id}: capture could not read the report: ${unread}`);
}

/** `fetch failed` has what happened as its cause. */
function explain(error: unknown): string {
  const { message = String(error), cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message;
}
