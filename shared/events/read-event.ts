import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { messageFacts } from '../delivery/leased-event.ts';
import { NotFoundError } from '../errors.ts';
import type { HeaderValue } from '../message/event.ts';
import { restoreBody, type StoredMessage } from '../message/printed-message.ts';
import { type EventDetail, selectDetailed } from './event-columns.ts';
import { readId } from './event-id.ts';

/** An event as a page shows it. `body` is cut off; `bytes` is the full size. */
export type EventView = EventDetail & {
  readonly eventKey: string;
  /** `key` and `capturedAt`, as the engine names them. */
  readonly sourceKey: string | null;
  readonly createdAt: Date;
  /** The value of every redelivery's `dlo-event-id`: `<id>.<token>`. */
  readonly redelivery: string;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** The key and headers that a bridge changed on the way to capture. */
  readonly damaged: readonly string[] | null;
  /** How its consumers decided to retry it, under the names of a report; null if none said anything. */
  readonly decided: Readonly<Record<string, unknown>> | null;
  /** The paths of members and headers that its captures could not use; null without any. */
  readonly ignored: readonly string[] | null;
  /** The names of headers whose values were not stored, because they are credentials; null without any. */
  readonly withheld: readonly string[] | null;
  readonly body: Buffer;
  /** Of JSON or text whose bytes are in another charset or encoding; null for all else. */
  readonly payloadText: string | null;
  readonly bytes: number;
  /** Bytes of the headers as JSON. Beyond `maxHeaderBytes` the headers are empty here. */
  readonly headerBytes: number;
};

/** How many bytes of a payload a page shows; a download has all of them. */
export const maxBytes = 262_144;

/** How many bytes of headers a page shows: they take it a multiple in memory. */
export const maxHeaderBytes = 262_144;

/** From which byte on and how many bytes of the body are read, and how many characters of each text. */
type Cut = { readonly from: number; readonly max: number; readonly maxText: number };

const readEventRow = statement<
  Cut & { id: string; maxHeaders: number },
  Omit<EventView, 'body' | 'sourceKey' | 'createdAt'> & StoredMessage
>('read-event', { ...messageFacts, columns: selectDetailed(':maxText') });

/** Returns an event as a page shows it, or cut otherwise. Throws NotFoundError for an unknown or bad id. */
export async function readEvent(db: Database, id: string, cut: Partial<Cut> = {}): Promise<EventView> {
  const wanted = { id, from: 1, max: maxBytes, maxText: 150_001, maxHeaders: maxHeaderBytes, ...cut };
  const [event] = readId(id) ? await readEventRow(db, wanted) : [];
  if (!event) throw new NotFoundError(`There is no event ${id.slice(0, 40)}`);
  const { key: sourceKey, capturedAt: createdAt } = event;
  // PostgreSQL has cut all but what is printed here.
  const start = event.body === null && event.printedAs !== null ? wanted.from - 1 : 0;
  const body = restoreBody(event).subarray(start, start + wanted.max);
  return { ...event, sourceKey, createdAt, body, payloadText: event.body && event.payloadText };
}
