import { EventEmitter } from 'node:events';
import type { Handler } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Listen } from '../../shared/database/listen.ts';
import { log } from '../../shared/log.ts';

/**
 * Browsers reconnect by themselves. Cloud Run would cut off a stream that outlasts the function's timeout.
 */
const streamMs = 50_000;

/** At most one message per interval, however many notifications arrive. */
const messageIntervalMs = 1000;

/**
 * `GET /notifications`: server-sent events, one whenever events were captured, delivered, failed permanently
 * or discarded. One database connection listens for all clients of this process, and only while there are
 * clients.
 */
export function streamNotifications(listen: Listen): Handler {
  const clients = new EventEmitter<{ change: []; end: [] }>().setMaxListeners(0);
  let listening: Promise<() => void> | undefined;

  const onNotify = throttle(() => clients.emit('change'));
  const onLost = () => {
    listening = undefined;
    clients.emit('end');
  };
  const stopUnlessHeard = () => {
    if (clients.listenerCount('change') > 0) return;
    // The request that started LISTEN has logged its failure.
    listening?.then((stop) => stop()).catch(() => {});
    listening = undefined;
  };
  return (c) =>
    streamSSE(c, async (client) => {
      const ended = Promise.withResolvers<void>();
      const timeout = setTimeout(ended.resolve, streamMs);
      const send = () => void client.writeSSE({ data: '' });
      client.onAbort(ended.resolve);
      clients.on('change', send).once('end', ended.resolve);
      try {
        listening ??= listen('dlq_events', { onNotify, onLost });
        await listening;
        await ended.promise;
      } catch (error) {
        log('WARNING', 'LISTEN failed; console pages fall back to polling.', { error: String(error) });
        onLost();
      } finally {
        clearTimeout(timeout);
        clients.off('change', send).off('end', ended.resolve);
        stopUnlessHeard();
      }
    });
}

/** Returns a function that causes one call of `work`, at most once per interval. */
function throttle(work: () => void): () => void {
  let isPending = false;
  return () => {
    if (isPending) return;
    isPending = true;
    setTimeout(() => {
      isPending = false;
      work();
    }, messageIntervalMs);
  };
}
