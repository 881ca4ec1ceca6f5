import { randomBytes, randomUUID } from 'node:crypto';
import { sendUntil } from './sender.ts';

const items = [
  { sku: 'SH-4471-BL-42', title: 'Trail running shoe', quantity: 1, price: 89.9 },
  { sku: 'SO-0090-GR-39', title: 'Merino socks, two pairs', quantity: 2, price: 14.5 },
  { sku: 'BO-2210-CL-1L', title: 'Insulated bottle', quantity: 1, price: 24.95 },
  { sku: 'JA-7734-RD-M', title: 'Windbreaker with hood', quantity: 1, price: 119 },
  { sku: 'GL-1183-BK-S', title: 'Touchscreen gloves', quantity: 3, price: 19 },
  { sku: 'BE-5520-WH-2', title: 'Running belt', quantity: 1, price: 32.4 },
];
const address = {
  name: 'Ada Byron',
  street: 'Marktplatz 7',
  postcode: '79098',
  city: 'Freiburg',
  country: 'DE',
};
const order = { orderId: 'A-100417', customerId: 55812, currency: 'EUR', items, address, note: 'Ring twice' };

/**
 * Message bodies: an order of some 700 bytes, or the same size of one letter, which PostgreSQL compresses; large ones of random
 * hex, which it does not compress, or of many orders, which it does.
 */
export const messages = {
  order: JSON.stringify(order),
  letters: JSON.stringify({ orderId: 'A-100417', note: 'x'.repeat(630) }),
  '10kB': printHex(5000),
  '40kB': printHex(20_000),
  '1MB': printHex(500_000),
  'orders-1MB': JSON.stringify(Array.from({ length: 1500 }, (_, i) => ({ ...order, orderId: `A-${i}` }))),
} as const;

function printHex(bytes: number): string {
  return JSON.stringify({ orderId: 'A-100417', note: randomBytes(bytes).toString('hex') });
}

/** `size`: the number of types and of keys of the messages, one type and no key if it is not given. */
export type Load = { readonly seconds: number; readonly senders: number; readonly size?: number | undefined };

/** Sends wrapped Pub/Sub pushes of distinct messages from `senders` senders, each of which waits for its response. */
export async function send(url: string, message: string, { seconds, senders, size }: Load) {
  const data = Buffer.from(message).toString('base64');
  const run = randomUUID();
  let sent = 0;
  const makeBody = () => {
    const n = sent++;
    const kind = size
      ? `"attributes":{"event_type":"type-${n % size}"},"orderingKey":"key-${n % size}"`
      : '"attributes":{"event_type":"order.created"}';
    return `{"message":{"messageId":"${run}-${n}","publishTime":"2026-03-01T10:15:30.123Z",${kind},"data":"${data}"},"subscription":"projects/p/subscriptions/s"}`;
  };
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: senders }, () => sendUntil(new URL(url), makeBody, endsAt)),
  );
  const requests = counts.reduce((sum, count) => sum + count, 0);
  return { requests, perSecond: (1000 * requests) / (performance.now() - startedAt) };
}
