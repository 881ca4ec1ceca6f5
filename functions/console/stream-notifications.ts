import type { Handler } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Listen } from '../../shared/database/listen.ts';
import { log } from '../../shared/log.ts';

/** Browsers reconnect by themselves. Cloud Run would cut off a stream that outlasts the function's timeout. */
const streamMs = 50_000;

/** At most one message per interval, however many notifications arrive. */
const messageIntervalMs = 1000;

/**
 * `GET /notifications`: server-sent events, one whenever events were captured, delivered, failed permanently or
 * discarded. One database connection listens for all clients of this process, and only while there are clients.
 */
export function streamNotifications(listen: Listen): Handler {
  /** The function that ends the stream of each client. */
  const clients = new Map<SSEStreamingApi, () => void>();
  let listening: Promise<() => void> | undefined;
  let pending: NodeJS.Timeout | undefined;

  const sendAll = () => {
    pending = undefined;
    for (const client of clients.keys()) void client.writeSSE({ data: '' });
  };
  const notify = () => {
    pending ??= setTimeout(sendAll, messageIntervalMs);
  };
  const endAll = () => {
    listening = undefined;
    for (const end of clients.values()) end();
  };
  const remove = (client: SSEStreamingApi) => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearTimeout(pending);
    pending = undefined;
    // The request that started LISTEN has logged its failure.
    listening?.then((stop) => stop()).catch(() => {});
    listening = undefined;
  };

  return (c) =>
    streamSSE(c, async (client) => {
      const ended = Promise.withResolvers<void>();
      const timeout = setTimeout(ended.resolve, streamMs);
      clients.set(client, ended.resolve);
      client.onAbort(ended.resolve);
      try {
        listening ??= listen('dlq_events', { onNotify: notify, onLost: endAll });
        await listening;
        await ended.promise;
      } catch (error) {
        log('WARNING', 'LISTEN failed; console pages fall back to polling.', { error: String(error) });
        endAll();
      } finally {
        clearTimeout(timeout);
        remove(client);
      }
    });
}
