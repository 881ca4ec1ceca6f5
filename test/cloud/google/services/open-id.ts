import type { Service } from '../call.ts';

/** https://openid.net/specs/openid-connect-core-1_0.html#UserInfo: whose token it is. */
export function openId(): Service {
  const describe = (caller: string) => ({ email: caller.replace(/^\w+:/, ''), email_verified: true });
  return {
    'GET openidconnect.googleapis.com/v1/userinfo': ({ caller }) => describe(caller),
    'GET www.googleapis.com/oauth2/{version}/userinfo': ({ caller }) => describe(caller),
    'GET oauth2.googleapis.com/tokeninfo': ({ caller }) => describe(caller),
    'POST oauth2.googleapis.com/tokeninfo': ({ caller }) => describe(caller),
  };
}
