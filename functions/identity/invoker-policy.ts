import type { GoogleAuth } from 'google-auth-library';
import { IdentityUnavailableError } from '../../shared/errors.ts';
import { explainPublic, type Invokers } from '../../shared/explain-public.ts';

/** Throws IdentityUnavailableError unless Cloud Run checks every caller against its IAM policy. */
export type AssertGuarded = () => Promise<void>;

/** How long an answer of Cloud Run is believed: the time in which a grant by hand may go unnoticed. */
const maxAgeMs = 10_000;

/**
 * Asks Cloud Run who may call `service` (`projects/PROJECT/locations/REGION/services/SERVICE`), at most every
 * 10 s. A token without a signature proves its caller only as long as Cloud Run verified it, which it does
 * for no public service.
 */
export function openInvokerPolicy(service: string, api: string, clock = Date.now): AssertGuarded {
  let checking: Promise<void> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  return () => {
    if (checking && clock() - checkedAt < maxAgeMs) return checking;
    checkedAt = clock();
    checking = checkPolicy(service, api);
    // A failure is shared by the requests that wait for it, not kept.
    checking.catch(() => {
      checking = undefined;
    });
    return checking;
  };
}

async function checkPolicy(service: string, api: string): Promise<void> {
  const url = `${api}/v2/${service}`;
  const [found, policy] = await Promise.all([
    readJson<Invokers['service']>(url),
    readJson<Invokers['policy']>(`${url}:getIamPolicy`),
  ]);
  const problem = explainPublic(service, { service: found, policy });
  if (problem) throw new IdentityUnavailableError(problem);
}

async function readJson<Body>(url: string): Promise<Body> {
  try {
    const headers = { authorization: await authorizeRequest() };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${(await response.text()).slice(0, 300)}`);
    return (await response.json()) as Body;
  } catch (error) {
    const remedy = 'The service account needs roles/run.viewer on it.';
    throw new IdentityUnavailableError(`Cloud Run did not say who may call this service. ${remedy}`, error);
  }
}

/** It keeps its token until shortly before that expires. */
let credentials: GoogleAuth | undefined;

async function authorizeRequest(): Promise<string> {
  const library = await import('google-auth-library');
  credentials ??= new library.GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' });
  const headers = await credentials.getRequestHeaders();
  return headers.get('authorization') ?? '';
}
