import type { Subscriber } from './open-subscriber.ts';

/** How long Pub/Sub keeps a message from other receivers after this command was killed, in seconds. */
const holdSeconds = 30;

/**
 * Holds messages until they are acknowledged or `release` is called, however long capture takes. A failed renewal costs a
 * second delivery of the same message, which capture recognizes.
 */
export async function holdMessages(
  { hold }: Pick<Subscriber, 'hold'>,
  ackIds: ReadonlySet<string>,
): Promise<{ readonly release: () => Promise<void>; readonly stop: () => void }> {
  const renew = () => (ackIds.size > 0 ? hold([...ackIds], holdSeconds) : Promise.resolve());
  await renew();
  const timer = setInterval(() => renew().catch(() => {}), (holdSeconds * 1000) / 3);
  const stop = () => clearInterval(timer);
  return {
    stop,
    release: async () => {
      stop();
      await hold([...ackIds], 0).catch(() => {});
    },
  };
}
