export { CaptureError } from './capture-error.ts';
export { type DeadLetters, deadLetters } from './dead-letters.ts';
export { eventIdOf } from './event-id.ts';
export type { Failure } from './failure.ts';
export type { HeaderValue, MessageFacts } from './message-facts.ts';
export { createHandledEvents, openOnce } from './once.ts';
export type { Options } from './options.ts';
export { type Redelivery, redeliveries } from './redeliveries.ts';
