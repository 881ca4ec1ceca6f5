/**
 * In lower case with hyphens. The channel token of Google's push notifications is a text by which an
 * application knows its channel.
 */
const credentials: readonly RegExp[] = [
  /(^|-)(authorization|passw(or)?d|passphrase|passcode|secret|credentials?|cookie2?|session-?(id|key)|otp)$/,
  /^(?!x-goog-channel-).*(^|-)(token|jwt|bearer|assertion)$/,
  /(^|-)(api|access|private|account|functions|subscription|shared|service|master|license|auth)-?keys?$/,
  /^(x-)?auth$/,
  /(^|-)(csrf|xsrf)(-|$)/,
];

/** Capture does not store the value, and no HTTP target gets it. */
export const isCredential = rememberNames((usual) => credentials.some((names) => names.test(usual)));

/** Names and values as they may be stored. */
export function withholdCredentials(pairs: readonly (readonly [name: string, value: string])[]) {
  return pairs.map(([name, value]): [string, string] => [name, isCredential(name) ? 'withheld' : value]);
}

const maxRemembered = 1000;

/**
 * Decides once for each name: the messages of a sender have the same few. `decide` gets `X_Api_Key` and
 * `X.Api.Key` as gateway interfaces read them, `x-api-key`.
 */
export function rememberNames(decide: (usual: string) => boolean): (name: string) => boolean {
  const decided = new Map<string, boolean>();
  return (name) => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    const isMatch = decide(name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-'));
    // Events choose the names.
    if (decided.size >= maxRemembered) decided.clear();
    decided.set(name, isMatch);
    return isMatch;
  };
}
