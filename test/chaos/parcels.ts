import { createHash } from 'node:crypto';
import type { Dice } from './dice.ts';
import type { Ledger, Sent } from './ledger.ts';

/** A request to capture, with the events in it. The same parcel can be sent any number of times. */
export type Parcel = {
  readonly events: readonly Sent[];
  readonly init: RequestInit;
  /** Whether it was sent before. */
  isSent: boolean;
};

/** The type of events of ordered keys. */
export const orderedType = 'ordered.changed';

/** A message that no JSON parser may rewrite, of up to 200 kB. */
function write(name: string, dice: Dice): Buffer {
  const length = dice.isBelow(0.03) ? dice.between(50_000, 200_000) : dice.between(0, 500);
  return Buffer.from(
    `{"name":"${name}", "amount":1.10,"id":9007199254740993,"text":"\\u00e9é","rest":"${'x'.repeat(length)}"}`,
  );
}

function note(ledger: Ledger, name: string, message: Buffer, key?: string): Sent {
  const digest = createHash('sha256').update(message).digest('hex');
  const sent: Sent = { name, digest, key, sentAt: Date.now(), capturedAt: undefined, rows: new Set() };
  ledger.sent.set(name, sent);
  return sent;
}

/** The report of one event. */
export function aReport(ledger: Ledger, name: string, dice: Dice, key?: string): Parcel {
  const message = write(name, dice);
  const source = { kind: 'kafka', topic: 'orders', consumerGroup: 'billing', ...(key && { key }) };
  const body = JSON.stringify({
    eventType: key ? orderedType : dice.pick(['order.created', 'order.paid', 'fragile.moved']),
    eventId: name,
    payloadBase64: message.toString('base64'),
    contentType: 'application/json',
    error: { message: `failed: ${dice.pick(['timeout', 'not found', 'out of stock'])}`, class: 'ChaosError' },
    source,
  });
  return {
    events: [note(ledger, name, message, key)],
    isSent: false,
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(dice.isBelow(0.5) && { 'idempotency-key': name }) },
      body,
    },
  };
}

/** Several records of a topic in one request, the latest first, and one of them twice. */
export function aBatch(ledger: Ledger, name: string, dice: Dice): Parcel {
  const size = Math.floor(dice.between(2, 9));
  const messages = Array.from({ length: size }, (_, i) => {
    const message = write(`${name}-${i}`, dice);
    return { message, sent: note(ledger, `${name}-${i}`, message) };
  }).reverse();
  const record = ({ message, sent }: (typeof messages)[number], i: number) => ({
    topic: `records-${name}`,
    partition: 0,
    offset: size - i,
    key: null,
    value: message.toString('base64'),
    headers: [{ key: 'ce-name', value: Buffer.from(sent.name).toString('base64') }],
  });
  const records = messages.map(record);
  const headers = { 'content-type': 'application/vnd.kafka.binary.v2+json' };
  return {
    events: [...messages, ...messages.slice(0, 1)].map(({ sent }) => sent),
    isSent: false,
    init: { method: 'POST', headers, body: JSON.stringify([...records, ...records.slice(0, 1)]) },
  };
}
