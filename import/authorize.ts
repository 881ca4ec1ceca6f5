import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { GoogleAuth } from 'google-auth-library';
import { CommandError } from './command-error.ts';

/** Returns the value of the Authorization header, or undefined for a capture function that needs none. */
export type Authorize = () => Promise<string | undefined>;

/** Tokens are valid for an hour. */
const renewAfterMs = 30 * 60_000;

/**
 * Authorizes calls of a deployed capture function: with an identity token of the Application Default Credentials or, for
 * the login of a user, which cannot mint one for an audience, of gcloud. `http:` needs none: that is `npm start`.
 */
export function authorizeCalls(url: URL): Authorize {
  if (url.protocol === 'http:') return async () => undefined;
  let token: Promise<string> | undefined;
  let renewAt = 0;
  return () => {
    if (!token || Date.now() > renewAt) {
      renewAt = Date.now() + renewAfterMs;
      token = mintToken(url.origin);
      token.catch(() => {
        renewAt = 0;
      });
    }
    return token;
  };
}

async function mintToken(audience: string): Promise<string> {
  try {
    const client = await new GoogleAuth().getIdTokenClient(audience);
    const headers = await client.getRequestHeaders();
    return headers.get('authorization') ?? '';
  } catch {
    return `Bearer ${await askGcloud(audience)}`;
  }
}

async function askGcloud(audience: string): Promise<string> {
  try {
    return (await promisify(execFile)('gcloud', ['auth', 'print-identity-token'])).stdout.trim();
  } catch (cause) {
    const remedy = 'Run gcloud auth login, or set GOOGLE_APPLICATION_CREDENTIALS to a service account.';
    throw new CommandError(`No identity token for ${audience}. ${remedy}`, { cause });
  }
}
