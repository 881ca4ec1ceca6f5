import type { Scene } from './scene.ts';

const healthy = { sickUntil: 0 };
const sick = { sickUntil: Number.POSITIVE_INFINITY };
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
/** So many healthy events, with a sick one in the place of every `nth`. */
const mixed = (count: number, nth: number, facts = {}) =>
  many(count, (i) => ({ ...(i % nth === 0 ? sick : healthy), ...facts }));
/** A number from 0 to 1 that an event has in one tick, without any pattern. */
const chance = (n: number, tick = 0) => Math.abs(Math.sin(n * 12.9898 + tick * 78.233) * 43_758.5453) % 1;
/** Words that no fingerprint takes for a value. */
const shapes = 'lines stock customer address currency tax weight carrier date sum'.split(' ');
const outage = (from: number, to: number) => (tick: number) => tick < from || tick >= to;

/** The usual contents of queues of failures. */
export const scenes: readonly Scene[] = [
  { name: 'one in ten answers 500 for ever', arrivals: () => mixed(20, 10) },
  {
    name: 'one in ten, each with a reason and an answer of its own',
    arrivals: (tick) =>
      many(20, (i) => ({
        ...(i % 10 === 0 ? sick : healthy),
        reason: `Order ${tick * 20 + i} has no lines`,
      })),
    sick: ({ n }) => ({ status: 500, body: `order ${n} has no lines` }),
  },
  {
    name: '30 sick before 100 healthy',
    arrivals: (tick) => (tick > 0 ? [] : [...many(30, () => sick), ...many(100, () => healthy)]),
  },
  {
    name: '30 sick of one type before 100 healthy of another',
    arrivals: (tick) =>
      tick > 0
        ? []
        : [...many(30, () => ({ ...sick, type: 'a' })), ...many(100, () => ({ ...healthy, type: 'b' }))],
  },
  {
    name: 'a bug breaks 195 of 205, fixed after six ticks',
    arrivals: (tick) => (tick > 0 ? mixed(10, 10) : many(205, (i) => (i < 195 ? { sickUntil: 6 } : healthy))),
  },
  {
    name: 'half of all is broken for six ticks',
    arrivals: () => mixed(20, 2).map((each) => (each.sickUntil > 0 ? { sickUntil: 6 } : each)),
  },
  {
    name: 'one in ten hangs',
    arrivals: () => mixed(20, 10),
    sick: () => 'hang',
    policy: { timeoutSeconds: 1 },
  },
  { name: 'one in ten resets the connection', arrivals: () => mixed(20, 10), sick: () => 'reset' },
  {
    name: 'connections reset for three ticks',
    arrivals: () => many(40, () => healthy),
    isUp: outage(2, 5),
    down: 'reset',
  },
  {
    name: '503 to all for three ticks',
    arrivals: () => many(40, () => healthy),
    isUp: outage(2, 5),
    down: { status: 503 },
  },
  {
    name: '500 to all for three ticks',
    arrivals: () => many(40, () => healthy),
    isUp: outage(2, 5),
    down: { status: 500 },
  },
  {
    name: '503 to two of five by chance',
    arrivals: () => many(20, () => healthy),
    isUp: (tick, { n }) => chance(n, tick) > 0.4,
    down: { status: 503 },
  },
  {
    name: '500 to two of five by chance',
    arrivals: () => many(20, () => healthy),
    isUp: (tick, { n }) => chance(n, tick) > 0.4,
    down: { status: 500 },
  },
  {
    name: '422 to all for one tick, as after a deployment',
    arrivals: (tick) => (tick > 1 ? [] : many(150, () => healthy)),
    isUp: outage(1, 2),
    down: { status: 422 },
  },
  {
    name: '20 requests in 5 s, then 429',
    arrivals: (tick) => (tick > 0 ? [] : many(200, () => healthy)),
    limit: { requests: 20, seconds: 5 },
  },
  {
    name: 'one event gets 429 for itself, and an hour to wait',
    arrivals: (tick) => [...many(tick === 0 ? 1 : 0, () => sick), ...many(20, () => healthy)],
    sick: () => ({ status: 429, wait: 3600 }),
  },
  {
    name: 'one in ten gets 429 for itself, and an hour to wait',
    arrivals: () => mixed(20, 10),
    sick: () => ({ status: 429, wait: 3600 }),
  },
  {
    name: 'one in ten gets 429 for itself, one by one',
    arrivals: () => mixed(20, 10),
    sick: () => ({ status: 429, wait: 3600 }),
    policy: { concurrency: 1 },
  },
  {
    name: 'keys with a sick first event',
    arrivals: (tick) => many(20, (i) => ({ ...(tick === 0 && i === 0 ? sick : healthy), key: `k${i % 10}` })),
    isOrdered: true,
  },
  {
    name: '100 that hang before 40 healthy of another type',
    arrivals: (tick) =>
      tick > 0
        ? []
        : [...many(100, () => ({ ...sick, type: 'a' })), ...many(40, () => ({ ...healthy, type: 'b' }))],
    sick: () => 'hang',
    policy: { timeoutSeconds: 2 },
  },
  {
    name: 'one in ten answers 500, at a rate of 10 a second',
    arrivals: () => mixed(40, 10),
    policy: { ratePerSecond: 10 },
  },
  { name: 'one in five is refused with 422', arrivals: () => mixed(20, 5), sick: () => ({ status: 422 }) },
  {
    name: 'two kinds of sick events with one answer',
    arrivals: () => [
      ...many(3, () => ({ ...sick, type: 'a', reason: 'no lines' })),
      ...many(3, () => ({ sickUntil: 4, type: 'b', reason: 'no stock' })),
      ...many(20, () => healthy),
    ],
  },
  {
    name: 'one in ten is sick, and urgent',
    arrivals: () => many(20, (i) => (i % 10 === 0 ? { ...sick, priority: -5 } : healthy)),
  },
  {
    name: 'down in every other tick',
    arrivals: () => many(30, () => healthy),
    isUp: (tick) => tick % 2 === 0,
    down: { status: 503 },
  },
  { name: 'takes 300 ms, and one in ten is sick', arrivals: () => mixed(40, 10), takesMs: 300 },
  {
    name: 'ten shapes of sick events, half without a reason',
    arrivals: () => [
      ...many(10, (i) => ({ ...sick, type: `t${i}`, ...(i % 2 === 0 && { reason: `no ${shapes[i]}` }) })),
      ...many(20, (i) => ({ ...healthy, type: `t${i % 10}` })),
    ],
    sick: ({ type }) => ({ status: 500, body: `bad ${shapes[Number(type?.slice(1))]}` }),
  },
  {
    name: 'a fix after four ticks leaves half of what failed alike',
    arrivals: (tick) => [
      ...many(3, () => ({ ...sick, reason: 'no lines' })),
      ...(tick < 4 ? many(3, () => ({ sickUntil: 4, reason: 'no lines' })) : []),
      ...many(20, () => healthy),
    ],
  },
  {
    name: 'a fix of half of 200 that failed alike, in any order',
    arrivals: (tick) => [
      ...many(50, () => healthy),
      ...many(tick < 4 ? 50 : 0, (i) => (chance(50 * tick + i) < 0.5 ? sick : { sickUntil: 4 })),
    ],
  },
  {
    name: 'a fix of one of five types that fail alike',
    arrivals: (tick) => [
      ...many(10, (i) => ({ ...(i % 5 === 0 ? { sickUntil: 4 } : sick), type: `t${i % 5}` })),
      ...many(tick < 4 ? 10 : 0, () => ({ sickUntil: 4, type: 't0' })),
    ],
  },
  {
    name: 'keys, down for two ticks',
    arrivals: () => many(30, (i) => ({ ...healthy, key: `k${i % 10}` })),
    isOrdered: true,
    isUp: outage(3, 5),
    down: { status: 502 },
  },
  {
    name: 'three priorities, one in ten sick in each',
    arrivals: () => many(3, (i) => mixed(10, 10, { priority: i })).flat(),
  },
  {
    name: '400 to one of two types for three ticks',
    arrivals: () => many(40, (i) => ({ ...healthy, type: i % 2 === 0 ? 'a' : 'b' })),
    isUp: (tick, { type }) => type === 'b' || tick < 2 || tick >= 5,
    down: { status: 400 },
  },
  {
    name: 'resets one in three by chance',
    arrivals: () => many(30, () => healthy),
    isUp: (tick, { n }) => chance(n, tick) > 0.33,
    down: 'reset',
  },
  {
    name: 'hangs for two ticks',
    arrivals: () => many(30, () => healthy),
    isUp: outage(2, 4),
    down: 'hang',
    policy: { timeoutSeconds: 1 },
  },
  {
    name: 'a bug breaks 1,900 of 2,000, fixed after three ticks',
    arrivals: (tick) =>
      tick > 0 ? many(20, () => healthy) : many(2000, (i) => (i % 20 === 0 ? healthy : { sickUntil: 3 })),
  },
  {
    name: '422 to half for four ticks',
    arrivals: () => many(40, (i) => (i % 2 === 0 ? healthy : { sickUntil: 4 })),
    sick: () => ({ status: 422 }),
  },
  {
    name: 'three bugs at one target, fixed one after another',
    arrivals: (tick) => many(60, (i) => (i % 2 === 0 ? healthy : { sickUntil: tick < 6 ? 2 + (i % 6) : 0 })),
    sick: ({ sickUntil }) => ({ status: 500, body: `no ${shapes[sickUntil]}` }),
  },
  { name: 'two workers, and one in ten is sick', arrivals: () => mixed(200, 10), workers: 2 },
  {
    name: 'a replay in every third tick, and one in ten is sick',
    arrivals: () => mixed(40, 10),
    replayEvery: 3,
  },
  {
    name: 'a replay in every other tick, down for three ticks',
    arrivals: () => many(40, () => healthy),
    isUp: outage(2, 5),
    down: { status: 503 },
    replayEvery: 2,
  },
];
