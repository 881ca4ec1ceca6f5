import * as v from 'valibot';
import { log } from '../../log.ts';
import type { LeasedEvent } from '../leased-event.ts';
import type { Policy } from '../policy/policy.ts';
import { http } from './http-target.ts';
import { kafkaRest } from './kafka-rest-target.ts';
import { type Limit, nameLimits, type Outgoing, refuse } from './limits.ts';
import { type Outcome, overrule } from './outcome.ts';
import { pubSub } from './pubsub-target.ts';
import type { Reach, TargetKind } from './target-kind.ts';

/** Every kind of target, by its `kind` in the configuration. A new kind is one file and one line here. */
const kinds = { http, pubsub: pubSub, 'kafka-rest': kafkaRest };

/** The target of a route in the configuration. */
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

/** Returns the name of a target in attempts, breakers, metrics and logs: its URL or topic. */
export function nameTarget(target: Target): string {
  return kindOf(target).nameOf(target);
}

/** Returns whether a target keeps the events of a key in the order in which they arrive. */
export function keepsOrder(target: Target): boolean {
  return kindOf(target).keepsOrder;
}

/** Returns how many consumers a redelivery to a target reaches. */
export function reachOf(target: Target): Promise<Reach> {
  return kindOf(target).reachOf(target);
}

/** Returns what a target does not take of an event. */
export function limitsOf(target: Target, message: Outgoing): readonly Limit[] {
  return kindOf(target).limitsOf(message, target);
}

type Destination = { readonly target: Target; readonly policy: Policy };

/**
 * Sends an event's exact bytes to the target of its route, and judges the outcome by its policy. A message
 * that the target cannot take is not sent. Never throws: a message that cannot be composed harms no other
 * one.
 */
export async function sendToTarget(event: LeasedEvent, destination: Destination): Promise<Outcome> {
  try {
    return await send(event, destination);
  } catch (error) {
    log('ERROR', `event ${event.id} could not be sent`, { eventId: event.id, error: String(error) });
    return {
      kind: 'permanent',
      isRefused: true,
      error: `Not sent: the message cannot be composed. ${error}`,
    };
  }
}

async function send(event: LeasedEvent, { target, policy }: Destination): Promise<Outcome> {
  const { body } = event;
  const { timeoutSeconds, outcomes } = policy;
  const limits = limitsOf(target, { ...event, bodyBytes: body.length });
  const refused = refuse(limits);
  if (refused) return refused;
  const outcome = await kindOf(target).deliver({
    event,
    body,
    target,
    attempt: event.deliveryCount,
    timeoutSeconds,
  });
  return nameLimits(overrule(outcome, outcomes), limits);
}
