import * as v from 'valibot';
import { MaskSchema } from './mask-schema.ts';
import { PolicySchema } from './policy.ts';

const text = v.pipe(
  v.string('Give it as text.'),
  v.nonEmpty('Must not be empty: leave the field out to match everything.'),
);

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

const httpUrl = v.pipe(
  v.string('Give the URL as text.'),
  v.check(isHttpUrl, 'Must be an http:// or https:// URL without user name or password.'),
);

const HttpTargetSchema = v.strictObject({
  kind: v.literal('http'),
  url: httpUrl,
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

const bridge = {
  kind: v.literal('kafka-rest'),
  url: v.pipe(
    httpUrl,
    v.regex(/^[^?#]*$/, 'Must be the address of the bridge alone, without ? and #.'),
    v.transform((url) => url.replace(/\/+$/, '')),
  ),
  topic: v.pipe(
    v.string('Give the topic as text.'),
    v.regex(/^(?!\.{1,2}$)[\w.-]{1,249}$/, 'Must be the name of a topic: letters, digits, dots, - and _.'),
  ),
  audience: v.optional(text),
  headers: v.optional(
    v.record(
      v.pipe(headerName, v.regex(/^(?!content-type$)/i, 'Remove it: this header is set with each delivery.')),
      headerValue,
    ),
    {},
  ),
};

const KafkaRestTargetSchema = v.variant('flavor', [
  v.strictObject({ ...bridge, flavor: v.picklist(['strimzi', 'confluent-v2']) }),
  v.strictObject({
    ...bridge,
    flavor: v.literal('confluent-v3'),
    clusterId: v.pipe(
      v.string('Give the id of the cluster as text: GET /v3/clusters tells it.'),
      v.regex(/^[\w-]+$/, 'Must be the id of a cluster, as GET /v3/clusters tells it.'),
    ),
  }),
]);

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
  target: v.variant(
    'kind',
    [HttpTargetSchema, PubSubTargetSchema, KafkaRestTargetSchema],
    'Give a target with its kind.',
  ),
  policy: v.optional(PolicySchema, {}),
  /** Deliver the events of one `source_key` one at a time, in the order of their capture. */
  ordered: v.optional(v.boolean('Use true or false.'), false),
  /** What console and API hide of its events; in the console an operator reveals it, with a reason. */
  mask: v.optional(MaskSchema, []),
});

/** The list of routes as configuration brings it; the first whose `match` fits an event decides. */
export const RoutesSchema = v.array(RouteSchema, 'Give a JSON list of routes.');

export type Route = v.InferOutput<typeof RouteSchema>;
export type Target = Route['target'];
export type HttpTarget = v.InferOutput<typeof HttpTargetSchema>;
export type PubSubTarget = v.InferOutput<typeof PubSubTargetSchema>;
export type KafkaRestTarget = v.InferOutput<typeof KafkaRestTargetSchema>;

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
  if (target.kind === 'kafka-rest') return locateTopic(target);
  return target.kind === 'http' ? target.url : target.topic;
}

/** The address at which a bridge has its topic. */
export function locateTopic(target: KafkaRestTarget): string {
  const cluster = target.flavor === 'confluent-v3' ? `/v3/clusters/${target.clusterId}` : '';
  return `${target.url}${cluster}/topics/${target.topic}`;
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
