import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { Delivery } from './ledger.ts';

/** Timeout of every route, in seconds. */
export const timeoutSeconds = 2;

type Exchange = { readonly delivery: Delivery; readonly response: ServerResponse; readonly dice: Dice };

/** How a target answers. It has processed the message before, where `accepts`. */
type Behavior = {
  readonly weight: number;
  readonly accepts?: boolean;
  /** Whether the worker cannot know that the message was processed. */
  readonly isAmbiguous?: boolean;
  readonly answer: (exchange: Exchange) => unknown;
};

const status =
  (code: number, headers: Record<string, string> = {}) =>
  ({ delivery, response }: Exchange) =>
    response.writeHead(code, headers).end(delivery.id);
const reset = ({ response }: Exchange) => response.socket?.resetAndDestroy();

/** Every way in which a target of the suite fails. */
export const behaviors: Readonly<Record<string, Behavior>> = {
  'the target answers after the timeout': {
    weight: 3,
    accepts: true,
    isAmbiguous: true,
    answer: async (exchange) => {
      await sleep(timeoutSeconds * 1000 + 300);
      status(200)(exchange);
    },
  },
  'the target accepts and resets the connection': {
    weight: 5,
    accepts: true,
    isAmbiguous: true,
    answer: reset,
  },
  'the target dies within its answer 200': {
    weight: 5,
    accepts: true,
    isAmbiguous: true,
    answer: async (exchange) => {
      exchange.response.writeHead(200, { 'content-length': '100000' }).write(exchange.delivery.id);
      await sleep(50);
      reset(exchange);
    },
  },
  'the target resets the connection before it accepts': { weight: 5, answer: reset },
  'the target never answers': { weight: 3, answer: () => {} },
  'the target answers slowly': {
    weight: 8,
    accepts: true,
    answer: async (exchange) => {
      await sleep(exchange.dice.between(200, 1200));
      status(200)(exchange);
    },
  },
  'the target answers in drops': {
    weight: 3,
    accepts: true,
    answer: async ({ delivery, response }) => {
      response.writeHead(200);
      for (const drop of [delivery.id, ' ', ' ', ' ']) {
        response.write(drop);
        await sleep(100);
      }
      response.end();
    },
  },
  'the target answers 200 with a huge body': {
    weight: 3,
    accepts: true,
    answer: ({ delivery, response }) => response.end(delivery.id.padEnd(1_000_000)),
  },
  'the target answers 500': { weight: 6, answer: status(500) },
  'the target answers 503 with Retry-After': { weight: 6, answer: status(503, { 'retry-after': '1' }) },
  'the target answers 429': { weight: 4, answer: status(429) },
  'the target answers 302': { weight: 3, answer: status(302, { location: '/elsewhere' }) },
  'the target answers 422': { weight: 1, answer: status(422) },
  'the target answers what is not HTTP': {
    weight: 4,
    answer: ({ response }) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
  },
};

export const ok: Behavior = { weight: 0, accepts: true, answer: status(200) };

const names = Object.entries(behaviors).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

/** Chooses how the target answers a delivery: one in four is a fault. */
export function chooseBehavior(dice: Dice): string {
  return dice.isBelow(0.25) ? dice.pick(names) : 'ok';
}
