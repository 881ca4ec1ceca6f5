import { type Guard, openGuard } from './guard.ts';
import type { MessageFacts } from './message-facts.ts';
import { checkOptions, type Options } from './options.ts';
import { openReporter, type Reporter } from './reporter.ts';
import { wrapCloudEvent } from './transports/cloudevent.ts';
import { wrapExpress } from './transports/express.ts';
import { wrapFastify } from './transports/fastify.ts';
import { wrapFunction } from './transports/function.ts';
import { wrapHono } from './transports/hono.ts';
import { wrapKafkaJs, wrapKafkaJsBatch } from './transports/kafkajs.ts';
import { wrapPlatformaticKafka } from './transports/platformatic-kafka.ts';
import { wrapPubSub } from './transports/pubsub.ts';

/** How the messages of each library are read and settled. */
const transports = {
  pubsub: wrapPubSub,
  kafkajs: wrapKafkaJs,
  'kafkajs-batch': wrapKafkaJsBatch,
  'platformatic-kafka': wrapPlatformaticKafka,
  cloudevent: wrapCloudEvent,
  express: wrapExpress,
  fastify: wrapFastify,
  hono: wrapHono,
} satisfies Record<string, (guard: Guard) => unknown>;

type Transports = typeof transports;

export type DeadLetters<Wrap> = Pick<Reporter, 'flush' | 'close'> & {
  /** Returns a handler that reports what this one throws, and settles the message with its broker. */
  readonly wrap: Wrap;
};

/**
 * Opens the reports of a consumer. `from` names the library that calls its handler, or reads a message of
 * any other one. Throws a TypeError with every problem of the options.
 */
export function deadLetters<Name extends keyof Transports>(
  options: Options & { readonly from: Name },
): DeadLetters<ReturnType<Transports[Name]>>;
export function deadLetters<Message>(
  options: Options & { readonly from: (message: Message) => MessageFacts | Promise<MessageFacts> },
): DeadLetters<ReturnType<typeof wrapFunction<Message>>>;
export function deadLetters(
  options: Options & {
    readonly from: keyof Transports | ((message: never) => MessageFacts | Promise<MessageFacts>);
  },
): DeadLetters<unknown> {
  checkOptions(options, Object.keys(transports));
  const { from } = options;
  const reporter = openReporter(options);
  const { flush, close } = reporter;
  const guard = openGuard(options, reporter);
  return {
    wrap: typeof from === 'string' ? transports[from](guard) : wrapFunction(guard, from),
    flush,
    close,
  };
}
