/**
 * Names of headers whose value is a credential, in lower case with hyphens. The channel token of Google's push notifications
 * is a text by which an application knows its channel.
 */
const credentials: readonly RegExp[] = [
  /(^|-)(authorization|passw(or)?d|passphrase|passcode|secret|credentials?|cookie2?|session-?(id|key)|otp)$/,
  /^(?!x-goog-channel-).*(^|-)(token|jwt|bearer|assertion)$/,
  /(^|-)(api|access|private|account|functions|subscription|shared|service|master|license|auth)-?keys?$/,
  /^(x-)?auth$/,
  /(^|-)(csrf|xsrf)(-|$)/,
];

/** Whether a header carries a credential, by its name: capture does not store its value, and no HTTP target gets it. */
export function isCredential(name: string): boolean {
  const usual = spellUsual(name);
  return credentials.some((names) => names.test(usual));
}

/** Gateway interfaces, such as CGI and WSGI, read `X_Api_Key` and `X.Api.Key` as `X-Api-Key`. */
export function spellUsual(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
}
