import { findDoubles } from './invariants/doubles.ts';
import { invariants } from './invariants/invariants.ts';
import type { Fault, Ledger } from './ledger.ts';
import { kinds } from './plan.ts';
import type { Violation } from './seen.ts';
import type { Played } from './session.ts';
import { stall } from './stalls.ts';

/** The results of one session, in a form that can be kept and added to others. */
export type Result = {
  readonly seed: number;
  readonly date: string;
  readonly minutes: number;
  readonly machine: string;
  readonly kinds: Readonly<Record<string, KindResult>>;
  readonly invariants: Readonly<Record<string, number>>;
  readonly totals: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
};

/**
 * Times to recover in ms, one for each effective fault: until a capture is answered, and until a new event is
 * delivered.
 */
type KindResult = {
  readonly inflicted: number;
  readonly effective: number;
  readonly doubles: number;
  readonly captured: readonly number[];
  readonly delivered: readonly number[];
};

/**
 * How long after the end of a fault a capture that is sent then is answered with 200, and a new event is
 * accepted.
 */
function timesToRecover({ captures, sent, deliveries }: Ledger, faults: readonly Fault[]) {
  const firstSent = [...sent.values()].sort((a, b) => a.sentAt - b.sentAt);
  const acceptedAt = new Map<string, number>();
  for (const each of deliveries) {
    if (each.acceptedAt !== undefined && !acceptedAt.has(each.row)) acceptedAt.set(each.row, each.acceptedAt);
  }
  const arrivals = firstSent.flatMap(({ sentAt, rows }) => {
    const times = [...rows].flatMap((row) => acceptedAt.get(row) ?? []);
    return times.length > 0 ? [{ beganAt: sentAt, endedAt: Math.min(...times) }] : [];
  });
  const firstAfter = (all: readonly { beganAt: number; endedAt: number }[], from: number) => {
    const ends = all.filter(({ beganAt }) => beganAt >= from).map(({ endedAt }) => endedAt - from);
    return ends.length > 0 ? [ends.reduce((least, each) => Math.min(least, each))] : [];
  };
  return {
    captured: faults.flatMap(({ until }) => firstAfter(captures, until)),
    delivered: faults.flatMap(({ until }) => firstAfter(arrivals, until)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Judges a session. */
export function judge(
  all: readonly Played[],
  about: Pick<Result, 'seed' | 'date' | 'minutes' | 'machine'>,
): Result {
  const perKind: Record<string, KindResult> = {};
  const doubles = all.flatMap(({ seen }) => findDoubles(seen));
  const names = new Set(all.flatMap(({ seen }) => seen.ledger.faults.map(({ kind }) => kind)));
  for (const kind of names) {
    const parts = all.map(({ seen: { ledger } }) => {
      const inflicted = ledger.faults.filter((each) => each.kind === kind);
      const effective = inflicted.filter(({ effect }) => effect !== undefined);
      const times = kinds.has(kind) ? timesToRecover(ledger, effective) : { captured: [], delivered: [] };
      return { inflicted: inflicted.length, effective: effective.length, ...times };
    });
    perKind[kind] = {
      inflicted: sum(parts.map(({ inflicted }) => inflicted)),
      effective: sum(parts.map(({ effective }) => effective)),
      doubles: doubles.filter(({ why }) => why === kind).length,
      captured: parts.flatMap(({ captured }) => captured),
      delivered: parts.flatMap(({ delivered }) => delivered),
    };
  }
  const found = Object.entries(invariants).map(([name, find]) => ({
    name,
    violations: all.flatMap((played) =>
      find(played.seen).map((violation) => `${played.name}: ${name}: ${prove(played, violation)}`),
    ),
  }));
  const count = (of: (played: Played) => number) => sum(all.map(of));
  return {
    ...about,
    kinds: perKind,
    invariants: Object.fromEntries(found.map(({ name, violations }) => [name, violations.length])),
    totals: {
      'events captured': count(
        ({ seen }) => [...seen.ledger.sent.values()].filter((each) => each.capturedAt).length,
      ),
      deliveries: count(({ seen }) => seen.ledger.deliveries.length),
      'effective faults': sum(
        Object.entries(perKind).map(([name, each]) => (name === stall ? 0 : each.effective)),
      ),
      'double deliveries': doubles.length,
      'of them after a request of an operator': doubles.filter(
        ({ why }) => why && !names.has(why) && !why.startsWith('the '),
      ).length,
      'ms until all events were closed, worst': Math.max(...all.map(({ calmMs }) => calmMs)),
      's for which a lease had ended while faults went on, worst': Math.max(
        ...all.map((each) => each.overdueSeconds),
      ),
    },
    violations: found.flatMap(({ violations }) => violations),
  };
}

/** Everything that is known of the event of a violation, in the order of time. */
function prove({ seen: { ledger, attempts, events } }: Played, { row, text }: Violation): string {
  if (row === undefined) return text;
  const deliveries = ledger.deliveries.filter((each) => each.row === row);
  const workers = new Set(deliveries.map(({ worker }) => worker));
  const [from, to] = [deliveries[0]?.arrivedAt ?? 0, (deliveries.at(-1)?.arrivedAt ?? 0) + 10_000];
  const hit = (fault: Fault) =>
    fault.effect !== undefined &&
    (fault.rows.includes(row) ||
      (fault.until >= from - 10_000 &&
        fault.at <= to &&
        (fault.workers === 'all' || fault.workers.some((each) => workers.has(each)))));
  const lines = [
    ...[...ledger.sent.values()]
      .filter(({ rows }) => rows.has(row))
      .map((each) => [each.sentAt, `sent as ${each.name}`] as const),
    ...deliveries.map((each) => [each.arrivedAt, `delivery ${JSON.stringify(each)}`] as const),
    ...ledger.requests
      .filter((each) => each.row === row)
      .map((each) => [each.at, `request ${each.by}`] as const),
    ...ledger.faults
      .filter(hit)
      .map((each) => [each.at, `fault ${each.kind} until ${each.until}: ${each.effect}`] as const),
  ].sort(([a], [b]) => a - b);
  const stored = events.find(({ id }) => id === row);
  const tried = attempts.filter(({ event_id }) => event_id === row);
  return [
    text,
    ...lines.map(([at, line]) => `    ${at} ${line}`),
    `    stored ${JSON.stringify(stored)}, attempts ${JSON.stringify(tried.map(({ event_id: _, ...attempt }) => attempt))}`,
  ].join('\n');
}

const show = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.length === 0 ? '' : `${sorted.at(-1)}, ${sorted[Math.floor(sorted.length / 2)]}`;
};

/** Prints sessions as one table in Markdown. */
export function print(results: readonly Result[]): string {
  const names = [...new Set(results.flatMap((each) => Object.keys(each.kinds)))];
  const own = (name: string) => results.flatMap((each) => each.kinds[name] ?? []);
  const order = [...kinds.keys()];
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const rows = names
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => {
      const all = own(name);
      const total = (field: 'inflicted' | 'effective' | 'doubles') => sum(all.map((each) => each[field]));
      const cells = [
        name,
        total('inflicted'),
        total('effective'),
        show(all.flatMap((each) => each.captured)),
      ];
      return `| ${[...cells, show(all.flatMap((each) => each.delivered)), total('doubles') || ''].join(' | ')} |`;
    });
  const held = Object.keys(invariants).map(
    (name) => `| ${name} | ${sum(results.map((each) => each.invariants[name] ?? 0))} |`,
  );
  const totals = Object.keys(results[0]?.totals ?? {}).map((name) => {
    const values = results.map((each) => each.totals[name] ?? 0);
    return `| ${name} | ${Math.round(name.endsWith('worst') ? Math.max(...values) : sum(values))} |`;
  });
  return [
    ...results.map(
      ({ seed, date, minutes, machine }) => `Seed ${seed}, ${date}, ${minutes} minutes, ${machine}`,
    ),
    '',
    '| fault | inflicted | effective | capture answered: worst, median ms | new event delivered: worst, median ms | doubles |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '| invariant | broken |',
    '|---|---|',
    ...held,
    '',
    '| total | |',
    '|---|---|',
    ...totals,
    '',
  ].join('\n');
}
