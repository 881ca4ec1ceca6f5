import type { IncomingMessage } from 'node:http';
import type { CallerConfig } from '../../shared/config/callers.ts';
import { NotAuthorizedError } from '../../shared/errors.ts';
import { openInvokerPolicy } from './invoker-policy.ts';
import { rejectUnlessLocal } from './local-caller.ts';
import { openKeyring } from './public-keys.ts';
import { type Claims, readVerifiedToken, verifyToken } from './verify-token.ts';

/** A caller by its name in the audit: an email address, `sub:NUMBER` without one, or `local:NAME`. */
export type Caller = { readonly name: string; readonly via: 'iap' | 'cloud-run' | 'local' };

/** Throws NotAuthorizedError if the request proves no caller, or IdentityUnavailableError. */
export type Identify = (request: IncomingMessage) => Promise<Caller>;

/** Addresses of the public keys of IAP, and of the Cloud Run Admin API. */
const googleUrls = {
  iap: 'https://www.gstatic.com/iap/verify/public_key',
  run: 'https://run.googleapis.com',
};
const googleIssuers = ['https://accounts.google.com', 'accounts.google.com'];
const iapIssuers = ['https://cloud.google.com/iap'];

/** Authenticates callers by configured methods alone: headers that any sender can forge are ignored. */
export function openIdentify(config: CallerConfig, urls: typeof googleUrls = googleUrls): Identify {
  const keyring = openKeyring(urls.iap);
  const assertGuarded = config.cloudRunService && openInvokerPolicy(config.cloudRunService, urls.run);

  return async (request) => {
    const assertion = readHeader(request, 'x-goog-iap-jwt-assertion');
    if (config.iapAudience && assertion) {
      const claims = await verifyToken(assertion, {
        keyring,
        audience: config.iapAudience,
        issuers: iapIssuers,
      });
      return { name: nameOf(claims), via: 'iap' };
    }
    const bearer = readBearer(request);
    if (assertGuarded && bearer) {
      const claims = readVerifiedToken(bearer, { issuers: googleIssuers });
      await assertGuarded();
      return { name: nameOf(claims), via: 'cloud-run' };
    }
    if (!config.local) throw new NotAuthorizedError(explainRejection(config));
    rejectUnlessLocal(request);
    return { name: `local:${config.local}`, via: 'local' };
  };
}

/** Cloud Run verifies X-Serverless-Authorization if it is present, and else Authorization. */
function readBearer(request: IncomingMessage): string | undefined {
  const header = readHeader(request, 'x-serverless-authorization') ?? readHeader(request, 'authorization');
  return /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

function readHeader({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const values = headersDistinct[name];
  // Either of two could be the verified one.
  if (values && values.length > 1) throw new NotAuthorizedError(`Send the header ${name} once.`);
  return values?.[0];
}

function nameOf({ email, email_verified: isVerified, sub }: Claims): string {
  // IAP asserts verified addresses only, without email_verified.
  return email && isVerified !== false ? email : `sub:${sub}`;
}

function explainRejection({ iapAudience, cloudRunService }: CallerConfig): string {
  if (iapAudience) return 'This service authenticates callers through IAP only: call it through IAP.';
  if (cloudRunService) return 'Send a Google ID token: Authorization: Bearer <token>.';
  return 'This service has no authentication method: set CLOUD_RUN_IAM, IAP_AUDIENCE, or LOCAL_CALLER for local use.';
}
