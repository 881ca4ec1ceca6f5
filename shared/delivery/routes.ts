import * as v from 'valibot';
import { getOrInsert } from '../get-or-insert.ts';
import type { Origin } from '../message/event.ts';
import { PolicySchema } from './policy/policy.ts';
import { nameTarget, TargetSchema } from './targets/target-kinds.ts';

/**
 * Paths of masked values: `$.customer.email` in the payload, where `*` matches any name or element
 * (`$.items.*.card`) and `$` is the whole payload; `headers.x-user` is a header.
 */
export const MaskSchema = v.array(
  v.pipe(
    v.string('Give a path as text.'),
    v.regex(
      /^(\$(\.[^.\s]+)*|headers\.\S+)$/,
      'Use a path such as $.customer.email, $.items.*.card or headers.x-user.',
    ),
  ),
  'Give a list of paths, such as ["$.customer.email"].',
);

const glob = v.pipe(
  v.string('Give it as text.'),
  v.nonEmpty('Must not be empty: omit the field to match everything.'),
);

const RouteSchema = v.strictObject({
  match: v.optional(
    v.strictObject({
      eventType: v.optional(glob),
      sourceKind: v.optional(glob),
      sourceTopic: v.optional(glob),
      consumerGroup: v.optional(glob),
    }),
    {},
  ),
  target: TargetSchema,
  policy: v.optional(PolicySchema, {}),
  /** Deliver the events of one `source_key` one at a time, in order of capture. */
  ordered: v.optional(v.boolean('Use true or false.'), false),
  /** Fields that console and API hide; in the console an operator can unmask them, with a reason. */
  mask: v.optional(MaskSchema, []),
});

/** An event takes the first route whose `match` fits it. */
export const RoutesSchema = v.array(RouteSchema, 'Give a JSON list of routes.');

export type Route = v.InferOutput<typeof RouteSchema>;

const matched = ['eventType', 'sourceKind', 'sourceTopic', 'consumerGroup'] as const;

/** An event without a route stays PENDING until one is configured. */
export function findRoute(routes: readonly Route[], origin: Origin): Route | undefined {
  const index = getOrInsert(indexes, routes, () => indexRoutes(routes));
  const ofType = index.byType.get(origin.eventType) ?? index.others;
  return ofType.find(({ match }) => matched.every((field) => matchesGlob(match[field], origin[field])));
}

/** The routes that an event of a type may take, in order: thousands of types may have a route each. */
type Index = { readonly byType: ReadonlyMap<string, readonly Route[]>; readonly others: readonly Route[] };

const indexes = new WeakMap<readonly Route[], Index>();

function indexRoutes(routes: readonly Route[]): Index {
  const byType = new Map<string, Route[]>();
  const others: Route[] = [];
  for (const route of routes) {
    const { eventType } = route.match;
    if (eventType === undefined || eventType.includes('*'))
      for (const list of [others, ...byType.values()]) list.push(route);
    else byType.set(eventType, [...(byType.get(eventType) ?? others), route]);
  }
  return { byType, others };
}

/** `*` stands for any run of characters, the empty one included; everything else is literal. */
function matchesGlob(pattern: string | undefined, value: string | null): boolean {
  if (pattern === undefined) return true;
  return getOrInsert(globs, pattern, () => compileGlob(pattern)).test(value ?? '');
}

/** The patterns of all routes, compiled once: a page finds the routes of hundreds of events. */
const globs = new Map<string, RegExp>();

function compileGlob(pattern: string): RegExp {
  const literals = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('.*')}$`, 's');
}

/** In the order of their routes, each once. */
export function listTargetNames(routes: readonly Route[]): string[] {
  return [...new Set(routes.map(({ target }) => nameTarget(target)))];
}
