import type { RequestHandler, Response } from 'express';
import type { Listen } from '../../shared/database.ts';
import { log } from '../../shared/log.ts';

/** The browser opens the next one by itself. Cloud Run would cut off what is longer than the function's timeout. */
const streamMs = 50_000;

/** However much happens, pages hear of it so often. */
const betweenNewsMs = 1000;

/**
 * `GET /news`: server-sent events, one whenever something was captured, delivered, given up or discarded. One connection to
 * the database listens for all readers of this process, and only while there are some.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function tellNews(listen: Listen): RequestHandler {
  const readers = new Set<Response>();
  let listening: Promise<() => void> | undefined;
  let telling: NodeJS.Timeout | undefined;

  const tellAll = () => {
    telling = undefined;
    for (const reader of readers) reader.write('data:\n\n');
  };
  const endAll = () => {
    listening = undefined;
    for (const reader of readers) reader.end();
  };
  const told = () => {
    telling ??= setTimeout(tellAll, betweenNewsMs);
  };
  const leave = (reader: Response) => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearTimeout(telling);
    telling = undefined;
    // It may have failed: then whoever began it has told so.
    listening?.then((stop) => stop()).catch(() => {});
    listening = undefined;
  };

  return async (_request, response) => {
    response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
    const end = setTimeout(() => response.end(), streamMs);
    readers.add(response);
    response.once('close', () => {
      clearTimeout(end);
      leave(response);
    });
    try {
      listening ??= listen('dlq_events', { told, lost: endAll });
      await listening;
    } catch (error) {
      log('WARNING', 'Nobody hears news of the database: pages ask by themselves.', { error: String(error) });
      endAll();
    }
  };
}
