import type { LeasedEvent } from '../events.ts';
import type { Route, Target } from '../routes.ts';
import { deliverByHttp, type HttpDelivery } from './http.ts';
import { deliverByKafkaRest } from './kafka-rest.ts';
import { type Outcome, overrule } from './outcome.ts';
import { deliverByPubSub } from './pubsub.ts';

/** Sends an event's exact bytes to where its route says, and judges the end as the route does. Never throws. */
export async function sendToTarget(event: LeasedEvent, { target, policy }: Route): Promise<Outcome> {
  const body = event.body ?? Buffer.from(event.payload_text ?? '');
  const common = { event, body, attempt: event.retry_count + 1, timeoutSeconds: policy.timeoutSeconds };
  return overrule(await send(target, common), policy.outcomes);
}

function send(target: Target, common: Omit<HttpDelivery, 'target'>): Promise<Outcome> {
  switch (target.kind) {
    case 'http':
      return deliverByHttp({ ...common, target });
    case 'pubsub':
      return deliverByPubSub({ ...common, target });
    case 'kafka-rest':
      return deliverByKafkaRest({ ...common, target });
  }
}
