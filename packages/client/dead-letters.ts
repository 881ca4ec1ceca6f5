import { type Guard, openGuard } from './guard.ts';
import { wrapCloudEvent } from './libraries/cloudevent.ts';
import { wrapExpress } from './libraries/express.ts';
import { wrapFastify } from './libraries/fastify.ts';
import { wrapFunction } from './libraries/function.ts';
import { wrapHono } from './libraries/hono.ts';
import { wrapKafkaJs, wrapKafkaJsBatch } from './libraries/kafkajs.ts';
import { wrapPlatformaticKafka } from './libraries/platformatic-kafka.ts';
import { wrapPubSub } from './libraries/pubsub.ts';
import type { MessageFacts } from './message-facts.ts';
import { checkOptions, type Options } from './options.ts';
import { openReporter, type Reporter } from './reporter.ts';

/** How the messages of each library are read and settled. */
const libraries = {
  pubsub: wrapPubSub,
  kafkajs: wrapKafkaJs,
  'kafkajs-batch': wrapKafkaJsBatch,
  'platformatic-kafka': wrapPlatformaticKafka,
  cloudevent: wrapCloudEvent,
  express: wrapExpress,
  fastify: wrapFastify,
  hono: wrapHono,
} satisfies Record<string, (guard: Guard) => unknown>;

type Libraries = typeof libraries;

export type DeadLetters<Wrap> = Pick<Reporter, 'flush' | 'close'> & {
  /** Returns a handler that reports what this one throws, and settles the message with its broker. */
  readonly wrap: Wrap;
};

/**
 * Opens the reports of a consumer. `from` names the library that calls its handler, or reads a message of
 * any other one. Throws a TypeError with every problem of the options.
 */
export function deadLetters<Name extends keyof Libraries>(
  options: Options & { readonly from: Name },
): DeadLetters<ReturnType<Libraries[Name]>>;
export function deadLetters<Message>(
  options: Options & { readonly from: (message: Message) => MessageFacts | Promise<MessageFacts> },
): DeadLetters<ReturnType<typeof wrapFunction<Message>>>;
export function deadLetters(
  options: Options & {
    readonly from: keyof Libraries | ((message: never) => MessageFacts | Promise<MessageFacts>);
  },
): DeadLetters<unknown> {
  checkOptions(options, Object.keys(libraries));
  const { from, warn = console.warn } = options;
  const safe = { ...options, warn: (text: string) => warnSafely(warn, text) };
  const reporter = openReporter(safe);
  const { flush, close } = reporter;
  const guard = openGuard(safe, reporter);
  return {
    wrap: typeof from === 'string' ? libraries[from](guard) : wrapFunction(guard, from),
    flush,
    close,
  };
}

/** A logger that throws must not decide what becomes of a message. */
function warnSafely(warn: (text: string) => void, text: string): void {
  try {
    warn(text);
  } catch {}
}
