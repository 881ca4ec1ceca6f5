import { beforeEach } from 'node:test';
import { queryRows } from '../../shared/database/statement.ts';
import type { LeasedEvent } from '../../shared/delivery/leased-event.ts';
import type { HttpTarget } from '../../shared/delivery/targets/http-target.ts';
import { useCapture } from './capture.ts';
import { useDatabase } from './database.ts';
import { anHttpDelivery } from './http-delivery.ts';
import { useHttpTarget } from './http-target.ts';
import { redelivery } from './redelivery.ts';
import { send as sendDelivery } from './send.ts';
import { readBodies } from './stored-bodies.ts';

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };
export type Sent = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | object;
};

/** The answer of capture to one message. */
type Answer = Readonly<Record<string, unknown>>;

/** Headers that each request of HTTP has, and those of a redelivery. */
const added = /^(host|connection|content-length|dlo-.*|traceparent)$/i;

/** Requests on their whole way: to the capture function, into the database, and on to an HTTP target. */
export function useCases() {
  const database = useDatabase();
  const target = useHttpTarget();
  const capture = useCapture(database, { maxStatements: 1 });
  beforeEach(() => database().clear());

  const send = ({ path = '/', method = 'POST', headers = {}, body }: Sent) => {
    const isRaw = typeof body === 'string' || body instanceof Buffer;
    const bytes = isRaw ? Buffer.from(body) : Buffer.from(JSON.stringify(body) ?? '');
    return fetch(`${capture().url}${path.slice(1)}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method !== 'GET' && { body: new Uint8Array(bytes) }),
    });
  };
  return {
    send,
    /** Captures requests, and returns the answers for their messages. */
    async answers(...requests: readonly Sent[]): Promise<Answer[]> {
      const all: Answer[] = [];
      for (const request of requests) {
        const { events } = (await (await send(request)).json()) as { readonly events: readonly Answer[] };
        all.push(...events);
      }
      return all;
    },
    /** The rows of requests, with all columns. */
    async rows(...requests: readonly Sent[]): Promise<Row[]> {
      await this.answers(...requests);
      return database().sql<Row>(
        'select *, id::text, source_offset::text from dlq_events order by dlq_events.id',
      );
    },
    /**
     * Captures requests, and returns what a target receives of each event: its bytes, and the headers of its
     * message.
     */
    async redeliver(requests: readonly Sent[], more: Partial<HttpTarget> = {}) {
      await this.answers(...requests);
      const text = `select *, id::text, ${redelivery} as redelivery from dlq_events order by dlq_events.id`;
      for (const event of await queryRows<LeasedEvent>(database().db, { text })) {
        const [body = Buffer.alloc(0)] = await readBodies(database(), [event.id]);
        await sendDelivery(anHttpDelivery(target().url, { event, body, target: more }));
      }
      return target().received.map(({ rawHeaders, body }) => ({ body, headers: pair(rawHeaders) }));
    },
  };
}

/** Names and values, one character for each byte. */
function pair(rawHeaders: readonly string[]): Record<string, string> {
  const names = rawHeaders.filter((name, i) => i % 2 === 0 && !added.test(name));
  return Object.fromEntries(names.map((name) => [name, rawHeaders[rawHeaders.indexOf(name) + 1] ?? '']));
}

/** A push of Pub/Sub with these bytes and attributes. */
export function aPush(data: string | Buffer, attributes: Record<string, string> = {}, messageId = 'm-1') {
  const message = { data: Buffer.from(data).toString('base64'), messageId, attributes };
  const publishTime = '2026-11-25T10:00:00Z';
  return { message: { ...message, publishTime }, subscription: 'projects/p/subscriptions/s' };
}
