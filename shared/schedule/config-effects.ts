import { atLeast, countBy, countOf } from '../count-of.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findMask, type MaskRules } from '../events/masking/mask-rules.ts';
import { log } from '../log.ts';
import type { Origin } from '../message/event.ts';
import { countDue } from './count-due.ts';
import { countLanes, type LaneCount, listLanes, routeLane, sumCounts } from './lanes.ts';
import { rulesOf } from './refusals.ts';

const listAllLanes = statement<Record<string, never>, Origin & { readonly events: number }>('list-all-lanes');

const endings = {
  unrouted: 'would wait: no route matches them',
  closed: 'would be closed by the next tick: they are older than maxAge, or of a class that is permanent',
  blocked: 'would wait behind an earlier event of their key, on an ordered route',
  unmasked: 'would be shown with fields that were masked',
} as const;

type Effect = LaneCount & { readonly kind: keyof typeof endings; readonly eventType: string };

/** In sentences such as `12 open events would wait: no route matches them (order.created 12).` */
export async function describeEffects(db: Database, { routes }: MaskRules): Promise<string[]> {
  const lanes = (await listLanes(db)).map((lane) => routeLane(routes, lane));
  const { unrouted = [], routed = [] } = Object.groupBy(lanes, ({ route }) =>
    route ? 'routed' : 'unrouted',
  );
  // A route without rules and order closes and blocks nothing: its lanes need no count.
  const judged = routed.filter(({ route }) => route && (route.ordered || rulesOf(route.policy) !== null));
  const types = new Map(judged.map(({ lane, eventType }) => [lane, eventType]));
  const effects = (await countDue(db, judged)).flatMap(({ lane, turn, ...count }): Effect[] => {
    const kind = turn === 'refused' ? 'closed' : turn === 'behind' ? 'blocked' : undefined;
    return kind ? [{ kind, eventType: types.get(lane) ?? '', ...count }] : [];
  });
  const waiting = (await countLanes(db, unrouted)).map((lane): Effect => ({ kind: 'unrouted', ...lane }));
  return summarizeEffects([...waiting, ...effects], 'open event');
}

/** Never throws: a tick does not depend on it. */
export async function announceEffects(db: Database, rules: MaskRules): Promise<void> {
  try {
    for (const effect of await describeEffects(db, rules)) log('WARNING', effect, { action: 'check-config' });
  } catch (error) {
    log('WARNING', 'The effects of the configuration could not be counted.', { cause: String(error) });
  }
}

/** Describes the events with fields that the rules `before` mask, and `after` does not. Reads all events. */
export async function describeUnmasked(db: Database, before: MaskRules, after: MaskRules): Promise<string[]> {
  const effects = (await listAllLanes(db, {})).map(({ events, ...origin }): Effect => {
    const masked = new Set(findMask(after, origin));
    const isUnmasked = findMask(before, origin).some((path) => !masked.has(path));
    return { kind: 'unmasked', eventType: origin.eventType, events: isUnmasked ? events : 0, isExact: true };
  });
  return summarizeEffects(effects, 'event');
}

const maxTypes = 5;

function summarizeEffects(effects: readonly Effect[], noun: string): string[] {
  const some = effects.filter(({ events }) => events > 0);
  return [...Map.groupBy(some, ({ kind }) => kind)].map(([kind, own]) => {
    const { count, largest } = countBy(own, ({ eventType }) => eventType);
    const shown = largest.slice(0, maxTypes).map(({ value, events }) => `${value} ${events}`);
    const more = count > maxTypes ? `, and ${count - maxTypes} more types` : '';
    const { events, isExact } = sumCounts(own);
    const all = atLeast(countOf(events, noun), isExact);
    return `${all} ${endings[kind]} (${shown.join(', ')}${more}).`;
  });
}
