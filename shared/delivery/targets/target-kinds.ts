import * as v from 'valibot';
import { log } from '../../log.ts';
import type { LeasedEvent } from '../leased-event.ts';
import type { Policy } from '../policy/policy.ts';
import { http } from './http-target.ts';
import { kafkaRest } from './kafka-rest-target.ts';
import { type Outcome, overrule } from './outcome.ts';
import { pubSub } from './pubsub-target.ts';
import { type Limit, nameLimits, type Outgoing, type Reach, refuse, type TargetKind } from './target-kind.ts';

/** Every kind of target, by its `kind` in the configuration. A new kind is one file and one line here. */
const kinds = { http, pubsub: pubSub, 'kafka-rest': kafkaRest };

export const TargetSchema = v.variant(
  'kind',
  Object.values(kinds).map(({ schema }) => schema),
  'Give it with its kind: {"kind": "http", "url": "https://shop.example/orders"}.',
);

export type Target = v.InferOutput<typeof TargetSchema>;

export const targetKinds = Object.keys(kinds) as Target['kind'][];

/** Each kind handles only targets of its own `kind`; the compiler cannot infer that through the lookup. */
function kindOf({ kind }: Target) {
  return kinds[kind] as unknown as TargetKind<v.GenericSchema<unknown, Target>>;
}

/** Its URL or topic, in attempts, breakers, metrics and logs. */
export function nameTarget(target: Target): string {
  return kindOf(target).nameOf(target);
}

/** Whether a target keeps the events of a key in the order in which they arrive. */
export function keepsOrder(target: Target): boolean {
  return kindOf(target).keepsOrder;
}

/** Returns how many consumers a redelivery to a target reaches. */
export async function reachOf(target: Target): Promise<Reach> {
  return (await kindOf(target).reachOf?.(target)) ?? {};
}

export function limitsOf(target: Target, message: Outgoing): readonly Limit[] {
  return kindOf(target).compose(message, target, 1).limits;
}

type Destination = {
  readonly target: Target;
  readonly policy: Pick<Policy, 'timeoutSeconds' | 'outcomes'>;
};

/** A message that the target cannot take is not sent. Never throws: a bad one harms no other. */
export async function sendToTarget(event: LeasedEvent, destination: Destination): Promise<Outcome> {
  try {
    return await sendMessage(event, destination);
  } catch (error) {
    log('ERROR', `event ${event.id} could not be sent`, { eventId: event.id, error: String(error) });
    return {
      kind: 'permanent',
      isRefused: true,
      error: `Not sent: the message cannot be composed. ${error}`,
    };
  }
}

async function sendMessage(event: LeasedEvent, { target, policy }: Destination): Promise<Outcome> {
  const outgoing = { ...event, bodyBytes: event.body.length };
  const message = kindOf(target).compose(outgoing, target, event.deliveryCount);
  const refused = refuse(message.limits);
  if (refused) return refused;
  const outcome = await message.send(event.body, policy.timeoutSeconds);
  return nameLimits(overrule(outcome, policy.outcomes), message.limits);
}
