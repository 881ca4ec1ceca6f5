/**
 * In lower case with hyphens. By the channel token of Google's push notifications an application knows its
 * channel, and by an idempotency token a repetition.
 */
const credentials: readonly RegExp[] = [
  /(authorization|passw(or)?d|passphrase|passcode|secret|credentials?|cookie2?|session-?(id|key))$/,
  /^(?!x-goog-channel-|(.*-)?idempotency-token$).*(token|jwt|bearer|assertion|oidc-data)$/,
  /(api|access|private|secret|signing|encryption(-customer)?|account|application|functions)-?keys?$/,
  /(subscription|shared|service)-?keys?$|(^|-)((hmac|master|license|auth)-?keys?|pwd|otp)$/,
  /^(x-)?auth(entication)?$/,
  /(^|-)(csrf|xsrf)(-|$)/,
];

/** A name as interfaces of gateways read it: `X_Api_Key` and `X.Api.Key` are `x-api-key`. */
export function toUsualName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
}

/** Capture does not store the value, and no HTTP target gets it. */
export function isCredential(name: string): boolean {
  const usual = toUsualName(name);
  return credentials.some((names) => names.test(usual));
}

/** Names and values as they may be stored. */
export function withholdCredentials(pairs: readonly (readonly [name: string, value: string])[]) {
  return pairs.map(([name, value]): [string, string] => [name, isCredential(name) ? 'withheld' : value]);
}
