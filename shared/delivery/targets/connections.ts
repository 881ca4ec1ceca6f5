import type { Client } from 'undici';

// Idle connections are closed after 3 s, earlier than most servers do: if a server closes a connection while
// a request is written to it, the outcome is unknown. A delivery has its own timeout; a connection that is
// not open after 10 s ends itself.
const options = {
  keepAliveTimeout: 3000,
  keepAliveMaxTimeout: 3000,
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: { timeout: 10_000 },
} satisfies Client.Options;

let loading: Promise<typeof import('undici')> | undefined;
const idle = new Map<string, Client[]>();

/**
 * Takes an idle connection to an origin, or opens one. The client is loaded with the first: a cold start does
 * not wait for it.
 */
export async function takeConnection(origin: string): Promise<Client> {
  loading ??= import('undici');
  const { Client } = await loading;
  return idle.get(origin)?.pop() ?? new Client(origin, options);
}

/** Keeps a connection after the end of an answer, so that there are no more than deliveries at once. */
export function keepConnection(origin: string, connection: Client): void {
  const others = idle.get(origin);
  if (others) others.push(connection);
  else idle.set(origin, [connection]);
}
