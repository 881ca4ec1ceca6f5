import type { Message } from './kafka.ts';

const text = (value: string) => Buffer.from(value);
const hex = (value: string) => Buffer.from(value, 'hex');

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Messages that bridges, converters and formats damage first. */
export const odd = {
  /** A binary key, headers of every kind, and a time long ago. */
  headers: {
    key: hex('0001fffe'),
    value: text('{"orderId": 4711, "total": 1.50, "note": "größer – 注文"'),
    headers: [
      ['traceparent', text(trace)],
      ['tenant', text('acme')],
      ['bytes', hex('00ff10fe')],
      ['tenant', text('acme-2')],
      ['empty', text('')],
      ['nothing', null],
      ['größe', text('XL')],
      ['price', text('1.10')],
    ],
    timestamp: Date.UTC(2026, 2, 1, 9, 40, 0, 123),
  },
  /** Two messages of the same key, whose order must stay. */
  second: { key: hex('0001fffe'), value: text('second of its key'), headers: [] },
  third: { key: hex('0001fffe'), value: text('third of its key'), headers: [['nothing', null]] },
  bytes: { key: null, value: hex('00ff8040aa0a'), headers: [['count', hex('0000000000003039')]] },
  empty: { key: text(''), value: text(''), headers: [] },
  tombstone: { key: text('cust-77'), value: null, headers: [['tenant', text('acme')]] },
  unreadable: { key: text('cust-78'), value: text('x unreadable'), headers: [['tenant', text('acme')]] },
} satisfies Record<string, Message>;
