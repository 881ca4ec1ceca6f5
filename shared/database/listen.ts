import type pg from 'pg';
import { discard } from './pool.ts';

/**
 * Listens to a channel on a connection of the pool, which it holds until the returned function is called.
 * Calls `onNotify` for each notification, `onLost` when the connection breaks or is silent. Throws
 * DatabaseUnavailableError.
 */
export type Listen = (channel: string, listener: Listener) => Promise<() => void>;

export type Listener = { readonly onNotify: () => void; readonly onLost: () => void };

/**
 * Listens on a connection that was checked out of a pool, and discards it in the end. Checks every `checkMs`
 * that the server still answers, within half of that: keepalive does not notice a silent server behind a
 * proxy.
 */
export async function listenOn(
  client: pg.PoolClient,
  { channel, checkMs }: { readonly channel: string; readonly checkMs: number },
  { onNotify, onLost }: Listener,
): Promise<() => void> {
  // Never reused: its next holder would receive the notifications.
  let end = () => discard(client);
  const ask = async (text: string) => {
    try {
      await client.query({ text, query_timeout: checkMs / 2 } as pg.QueryConfig);
    } catch (error) {
      end();
      throw error;
    }
  };
  client.on('notification', onNotify);
  await ask(`listen ${client.escapeIdentifier(channel)}`);
  const check = setInterval(() => ask('select').catch(() => {}), checkMs);
  const stop = () => {
    end = () => {};
    client.off('end', lose);
    clearInterval(check);
    discard(client);
  };
  const lose = () => {
    stop();
    onLost();
  };
  end = lose;
  client.once('end', lose);
  return () => end === lose && stop();
}
