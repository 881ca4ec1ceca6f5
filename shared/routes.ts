import * as v from 'valibot';

const text = v.pipe(
  v.string('Give it as text.'),
  v.nonEmpty('Must not be empty: leave the field out to match everything.'),
);
const seconds = (least: number, most: number) =>
  v.pipe(
    v.number('Give it as a number of seconds.'),
    v.minValue(least, `Must be at least ${least} seconds.`),
    v.maxValue(most, `Must be at most ${most} seconds.`),
  );
// PostgreSQL has no date for an event that is to wait much longer.
const year = 31_536_000;
const count = (least: number, most: number) =>
  v.pipe(
    v.number('Give it as a whole number.'),
    v.integer('Must be a whole number.'),
    v.minValue(least, `Must be at least ${least}.`),
    v.maxValue(most, `Must be at most ${most}.`),
  );

const BackoffSchema = v.strictObject({
  kind: v.optional(v.literal('exponential', 'Use "exponential".'), 'exponential'),
  baseSeconds: v.optional(seconds(0, year), 60),
  factor: v.optional(v.pipe(v.number('Give it as a number.'), v.minValue(1, 'Must be at least 1.')), 2),
  capSeconds: v.optional(seconds(0, year), 21_600),
  jitter: v.optional(v.picklist(['none', 'full'], 'Use "none" or "full".'), 'full'),
});

const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'Must be the name of a header: letters, digits and hyphens.'),
  v.regex(
    /^(?!(connection|content-length|transfer-encoding|dlo-.*)$)/i,
    'Remove it: this header is set with each delivery.',
  ),
);
const headerValue = v.pipe(
  v.string('A header value is text.'),
  v.regex(/^[\t\x20-\x7e]*$/, 'Must be printable ASCII.'),
);

const HttpTargetSchema = v.strictObject({
  kind: v.literal('http'),
  url: v.pipe(
    v.string('Give the URL as text.'),
    v.check(isHttpUrl, 'Must be an http:// or https:// URL without user name or password.'),
  ),
  audience: v.optional(text),
  headers: v.optional(v.record(headerName, headerValue), {}),
});

const PubSubTargetSchema = v.strictObject({
  kind: v.literal('pubsub'),
  topic: v.pipe(
    v.string('Give the topic as text.'),
    v.regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'Must look like projects/PROJECT/topics/TOPIC.'),
  ),
});

const RouteSchema = v.strictObject({
  match: v.optional(
    v.strictObject({
      eventType: v.optional(text),
      sourceKind: v.optional(text),
      sourceTopic: v.optional(text),
      consumerGroup: v.optional(text),
    }),
    {},
  ),
  target: v.variant('kind', [HttpTargetSchema, PubSubTargetSchema], 'Give a target with its kind.'),
  policy: v.optional(
    v.strictObject({
      backoff: v.optional(BackoffSchema, {}),
      maxRetries: v.optional(count(0, 10_000)),
      timeoutSeconds: v.optional(seconds(1, 1800), 30),
      concurrency: v.optional(count(1, 1000), 10),
    }),
    {},
  ),
});

/** The list of routes as configuration brings it; the first whose `match` fits an event decides. */
export const RoutesSchema = v.array(RouteSchema, 'Give a JSON list of routes.');

export type Route = v.InferOutput<typeof RouteSchema>;
export type Target = Route['target'];
export type HttpTarget = v.InferOutput<typeof HttpTargetSchema>;
export type PubSubTarget = v.InferOutput<typeof PubSubTargetSchema>;
export type Backoff = v.InferOutput<typeof BackoffSchema>;

/** What a route can be chosen by, as columns of an event: what it is and where it failed, never what it contains. */
export type Origin = {
  readonly event_type: string;
  readonly source_kind: string;
  readonly source_topic: string | null;
  readonly consumer_group: string | null;
};

/** Finds the first route that matches, or undefined: such an event waits until a route is configured. */
export function findRoute(routes: readonly Route[], origin: Origin): Route | undefined {
  return routes.find(
    ({ match }) =>
      matchesGlob(match.eventType, origin.event_type) &&
      matchesGlob(match.sourceKind, origin.source_kind) &&
      matchesGlob(match.sourceTopic, origin.source_topic) &&
      matchesGlob(match.consumerGroup, origin.consumer_group),
  );
}

/** Says where a route sends to, for attempts and logs. */
export function nameTarget(target: Target): string {
  return target.kind === 'http' ? target.url : target.topic;
}

/** `*` stands for any run of characters, the empty one included; everything else is literal. */
function matchesGlob(pattern: string | undefined, value: string | null): boolean {
  if (pattern === undefined) return true;
  const literals = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('.*')}$`, 's').test(value ?? '');
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
