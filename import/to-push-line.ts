import type { ReceivedMessage } from './open-subscriber.ts';

/** A message of a pull as Pub/Sub would have pushed it from `subscription`, in one line. */
export function toPushLine({ message }: ReceivedMessage, subscription: string): Buffer {
  const { data, attributes, messageId, publishTime, orderingKey } = message ?? {};
  const millis = Number(publishTime?.seconds ?? 0) * 1000 + Number(publishTime?.nanos ?? 0) / 1e6;
  return Buffer.from(
    JSON.stringify({
      message: {
        data: Buffer.from(data ?? '').toString('base64'),
        attributes: attributes ?? {},
        messageId,
        publishTime: new Date(millis).toISOString(),
        ...(orderingKey && { orderingKey }),
      },
      subscription,
    }),
  );
}
