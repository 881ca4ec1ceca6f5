import * as v from 'valibot';

const PubSubRouteSchema = v.object({ target: v.object({ kind: v.literal('pubsub'), topic: v.string() }) });

/** Returns the distinct topics that routes deliver to. */
export function findTopics(routes: readonly unknown[]): readonly string[] {
  const topics = routes.flatMap((route) => (v.is(PubSubRouteSchema, route) ? [route.target.topic] : []));
  return [...new Set(topics)];
}
