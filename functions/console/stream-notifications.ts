import type { RequestHandler, Response } from 'express';
import type { Listen } from '../../shared/database/listen.ts';
import { log } from '../../shared/log.ts';

/** Browsers reconnect by themselves. Cloud Run would cut off a stream that outlasts the function's timeout. */
const streamMs = 50_000;

/** At most one message per interval, however many notifications arrive. */
const messageIntervalMs = 1000;

/**
 * `GET /notifications`: server-sent events, one whenever events were captured, delivered, failed permanently or
 * discarded. One database connection listens for all clients of this process, and only while there are clients.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function streamNotifications(listen: Listen): RequestHandler {
  const clients = new Set<Response>();
  let listening: Promise<() => void> | undefined;
  let pending: NodeJS.Timeout | undefined;

  const sendAll = () => {
    pending = undefined;
    for (const client of clients) client.write('data:\n\n');
  };
  const endAll = () => {
    listening = undefined;
    for (const client of clients) client.end();
  };
  const notify = () => {
    pending ??= setTimeout(sendAll, messageIntervalMs);
  };
  const remove = (client: Response) => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearTimeout(pending);
    pending = undefined;
    // The request that started LISTEN has logged its failure.
    listening?.then((stop) => stop()).catch(() => {});
    listening = undefined;
  };

  return async (_request, response) => {
    response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
    const end = setTimeout(() => response.end(), streamMs);
    clients.add(response);
    response.once('close', () => {
      clearTimeout(end);
      remove(response);
    });
    try {
      listening ??= listen('dlq_events', { onNotify: notify, onLost: endAll });
      await listening;
    } catch (error) {
      log('WARNING', 'LISTEN failed; console pages fall back to polling.', { error: String(error) });
      endAll();
    }
  };
}
