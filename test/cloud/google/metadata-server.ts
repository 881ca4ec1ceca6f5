import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenOf } from './tokens.ts';

export type MetadataServer = { readonly env: Readonly<Record<string, string>>; stop(): void };

/**
 * Starts the metadata server of a machine that runs as `member`:
 * https://cloud.google.com/compute/docs/metadata/overview. `mint` returns an identity token for an audience.
 */
export async function startMetadataServer(
  member: string,
  mint = (audience: string) => audience,
): Promise<MetadataServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://metadata');
    response.setHeader('metadata-flavor', 'Google');
    if (pathname.endsWith('/identity')) return response.end(mint(searchParams.get('audience') ?? ''));
    if (pathname.endsWith('/email')) return response.end(member.replace(/^\w+:/, ''));
    response.setHeader('content-type', 'application/json');
    if (!pathname.endsWith('/token')) return response.end('{}');
    return response.end(
      JSON.stringify({ access_token: tokenOf(member), expires_in: 3600, token_type: 'Bearer' }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { GCE_METADATA_HOST: `127.0.0.1:${port}`, METADATA_SERVER_DETECTION: 'assume-present' },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
