import { countOf } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findRoute } from '../delivery/routes.ts';
import { findMask, type MaskRules } from '../events/masking/mask-rules.ts';
import { log } from '../log.ts';
import type { Origin } from '../message/event.ts';
import { countLanes, listLanes } from './lanes.ts';
import { rulesOf } from './refusals.ts';

type CountedLane = Readonly<{ lane: string; rules: string | null; isOrdered: boolean }>;
type Counted = Readonly<{ lane: string; closed: number; blocked: number }>;

const countEffects = statement<{ lanes: readonly CountedLane[]; max: number }, Counted>('count-effects');

const listAllLanes = statement<Record<string, never>, Origin & { readonly events: number }>('list-all-lanes');

/** Of a lane, by a command and before a tick: each event takes some microseconds. */
const maxEvents = 10_000;
const maxAnnounced = 1000;

const endings = {
  unrouted: 'would wait: no route matches them',
  closed: 'would be closed by the next tick: they are older than maxAge, or of a class that is permanent',
  blocked: 'would wait behind a permanent failure of their key, on an ordered route',
  unmasked: 'would be shown with fields that were masked',
} as const;

type Effect = { readonly kind: keyof typeof endings; readonly eventType: string; readonly events: number };

/** In sentences such as `12 open events would wait: no route matches them (order.created 12).` */
export async function describeEffects(
  db: Database,
  { routes }: MaskRules,
  max = maxEvents,
): Promise<string[]> {
  const listed = await countLanes(db, await listLanes(db), max);
  const lanes = listed.map((lane) => ({ ...lane, route: findRoute(routes, lane) }));
  const wanted = lanes.flatMap(({ lane, route }) =>
    route ? [{ lane, rules: rulesOf(route.policy), isOrdered: route.ordered }] : [],
  );
  const judged = wanted.filter(({ rules, isOrdered }) => rules !== null || isOrdered);
  const counts = judged.length === 0 ? [] : await countEffects(db, { lanes: judged, max });
  const found = new Map(counts.map((count) => [count.lane, count]));
  const effects = lanes.flatMap(({ lane, eventType, events, route }): Effect[] => {
    const { closed = 0, blocked = 0 } = found.get(lane) ?? {};
    return [
      { kind: 'unrouted', eventType, events: route ? 0 : events },
      { kind: 'closed', eventType, events: closed },
      { kind: 'blocked', eventType, events: blocked },
    ];
  });
  return summarizeEffects(effects, 'open event', max);
}

/** Never throws: a tick does not depend on it. */
export async function announceEffects(db: Database, rules: MaskRules): Promise<void> {
  try {
    for (const effect of await describeEffects(db, rules, maxAnnounced))
      log('WARNING', effect, { action: 'check-config' });
  } catch (error) {
    log('WARNING', 'The effects of the configuration could not be counted.', { cause: String(error) });
  }
}

/** Describes the events with fields that the rules `before` mask, and `after` does not. Reads all events. */
export async function describeUnmasked(db: Database, before: MaskRules, after: MaskRules): Promise<string[]> {
  const effects = (await listAllLanes(db, {})).map(({ events, ...origin }): Effect => {
    const masked = new Set(findMask(after, origin));
    const isUnmasked = findMask(before, origin).some((path) => !masked.has(path));
    return { kind: 'unmasked', eventType: origin.eventType, events: isUnmasked ? events : 0 };
  });
  return summarizeEffects(effects, 'event', Number.POSITIVE_INFINITY);
}

const maxTypes = 5;

/** A lane with `max` events may have more. */
function summarizeEffects(effects: readonly Effect[], noun: string, max: number): string[] {
  const some = Map.groupBy(
    effects.filter(({ events }) => events > 0),
    ({ kind }) => kind,
  );
  return [...some].map(([kind, own]) => {
    const sum = (of: readonly Effect[]) => of.reduce((total, { events }) => total + events, 0);
    const types = [...Map.groupBy(own, ({ eventType }) => eventType)]
      .map(([type, each]) => [type, sum(each)] as const)
      .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
    const shown = types.slice(0, maxTypes).map(([type, events]) => `${type} ${events}`);
    const more = types.length > maxTypes ? `, and ${types.length - maxTypes} more types` : '';
    const least = own.some(({ events }) => events >= max) ? 'At least ' : '';
    return `${least}${countOf(sum(own), noun)} ${endings[kind]} (${shown.join(', ')}${more}).`;
  });
}
