import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { LeasedEvent } from '../events.ts';
import type { HttpTarget } from '../routes.ts';
import { toStorableText } from '../storable-text.ts';
import { restoreHeaders } from './http-headers.ts';
import { authorizeFor } from './identity-token.ts';
import { judgeStatus, type Outcome } from './outcome.ts';

/** Characters of an answer that are kept with the attempt. */
const keptAnswer = 2000;

// Idle connections are dropped well before servers usually do: one that the server closed at the moment we wrote
// to it would leave the outcome unknown.
const agents = {
  'http:': new http.Agent({ keepAlive: true, timeout: 3000 }),
  'https:': new https.Agent({ keepAlive: true, timeout: 3000 }),
};

export type HttpDelivery = {
  readonly event: LeasedEvent;
  readonly body: Buffer;
  readonly target: HttpTarget;
  readonly attempt: number;
  readonly timeoutSeconds: number;
};

/** POSTs the exact body with the original headers. Follows no redirect. Never throws: every end is an outcome. */
export async function deliverByHttp(delivery: HttpDelivery): Promise<Outcome> {
  const signal = AbortSignal.timeout(delivery.timeoutSeconds * 1000);
  try {
    const { audience } = delivery.target;
    const authorization =
      audience === undefined ? undefined : await beforeAbort(signal, authorizeFor(audience));
    return await post(delivery, signal, authorization);
  } catch (error) {
    return { kind: 'transient', error: describe(error) };
  }
}

/** Gives up waiting for what itself knows no end. */
function beforeAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const end = once(signal, 'abort').then(() => {
    throw new Error('No identity token could be had in time.');
  });
  return Promise.race([work, end]);
}

function post(delivery: HttpDelivery, signal: AbortSignal, authorization?: string): Promise<Outcome> {
  const url = new URL(delivery.target.url);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    let isSent = false;
    const outgoing = request(url, {
      method: 'POST',
      agent: agents[url.protocol as keyof typeof agents],
      signal,
      headers: composeHeaders(delivery, url, authorization),
    });
    const fail = (error: Error) => {
      const reason = signal.aborted ? `no answer within ${delivery.timeoutSeconds} s` : describe(error);
      resolve({ kind: isSent ? 'ambiguous' : 'transient', error: reason });
    };
    outgoing.on('finish', () => {
      isSent = true;
    });
    outgoing.on('error', fail);
    outgoing.on('response', (answer) => {
      readAnswer(answer).then((text) => resolve(judgeAnswer(answer.statusCode ?? 0, text)), fail);
    });
    outgoing.end(delivery.body);
  });
}

/**
 * A raw list, because only that form keeps repeated names and their order. What is configured replaces what the event
 * brings; the length and our own names, which the configuration cannot have, are nobody's but ours.
 */
function composeHeaders({ event, body, target, attempt }: HttpDelivery, url: URL, authorization?: string) {
  const configured = Object.entries(target.headers);
  const names = new Set(configured.map(([name]) => name.toLowerCase()));
  const offered: [string, string][] = [
    ['host', url.host],
    ...restoreHeaders(event),
    ...(authorization ? [['authorization', authorization] as [string, string]] : []),
  ];
  return [
    ...offered.filter(([name]) => !names.has(name.toLowerCase())),
    ...configured,
    ['content-length', String(body.length)],
    ['dlo-event-id', event.id],
    ['dlo-attempt', String(attempt)],
  ].flat();
}

function judgeAnswer(status: number, text: string): Outcome {
  const kind = judgeStatus(status);
  const answer = { kind, responseStatus: status, responseBody: text };
  return kind === 'delivered'
    ? answer
    : { ...answer, error: `HTTP ${status}: ${text.slice(0, 200) || 'no body'}` };
}

/** Reads as much as is kept and lets the rest pass; the connection can be used again only after the end. */
async function readAnswer(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (size < keptAnswer) chunks.push(chunk);
    size += chunk.length;
  }
  return toStorableText(Buffer.concat(chunks).toString('utf8'), keptAnswer);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An address that answers on neither IPv4 nor IPv6 comes as an AggregateError without a message of its own.
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return toStorableText(cause.message || cause.name, 500);
}
