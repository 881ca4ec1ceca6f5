import type { ServerResponse } from 'node:http';
import { before, beforeEach } from 'node:test';
import { useServer } from './server.ts';

export type MetadataServer = {
  /** The audiences that tokens were asked for, in order, since the test began. */
  readonly audiences: string[];
  /** How the next requests for a token are answered; with a token at the start of each test. */
  answer: (response: ServerResponse, audience: string) => void;
};

/** Stands in for the server from which a function on Google Cloud gets its identity tokens. */
export function useMetadataServer(): () => MetadataServer {
  const mint = (response: ServerResponse, audience: string) => response.end(aToken(audience));
  const state: MetadataServer = { audiences: [], answer: mint };
  const origin = useServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://metadata');
    response.setHeader('metadata-flavor', 'Google');
    if (pathname.endsWith('/token')) {
      return response.end(JSON.stringify({ access_token: 'an-access-token', expires_in: 3600 }));
    }
    if (!pathname.endsWith('/identity')) return response.end('{}');
    const audience = searchParams.get('audience') ?? '';
    state.audiences.push(audience);
    return state.answer(response, audience);
  });
  before(() => {
    delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    // The user who runs the tests may be logged in: their credentials must not be found.
    process.env.HOME = '/nonexistent';
    // Else it is looked for by running gcloud, which takes a second.
    process.env.GOOGLE_CLOUD_PROJECT = 'acme';
    process.env.GCE_METADATA_HOST = new URL(origin()).host;
  });
  beforeEach(() => {
    state.audiences.length = 0;
    state.answer = mint;
    process.env.METADATA_SERVER_DETECTION = 'assume-present';
  });
  return () => state;
}

/** An identity token for an audience, valid for an hour and signed by nobody. */
export function aToken(audience: string): string {
  const exp = Math.floor(Date.now() / 3_600_000) * 3600 + 7200;
  const parts = [{ alg: 'none' }, { aud: audience, exp }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${parts.join('.')}.x`;
}
