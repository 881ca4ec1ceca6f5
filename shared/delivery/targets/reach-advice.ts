/** Advice for a target through which a redelivery reaches consumers that did not fail. */
export const dedicatedRoute =
  'Safer: a route to the HTTP endpoint of the consumer that failed, named as "target" of the replay, or a topic of its own with a single subscription.';
