import type { Failure } from './failure.ts';

export type SpoolOptions = {
  /** A folder of this process alone, on a disk that outlives it. */
  readonly folder: string;
  /** How many bytes it may hold: 64 MiB by default. */
  readonly maxBytes?: number;
};

export type Options = {
  /** The URL of the capture function, or of a source of it: `https://capture.example/orders`. */
  readonly capture: string;
  /** The consumer that fails: a consumer group, or the full name of a subscription. */
  readonly consumer: string;
  /** The type of a message that names none; by it routes match. */
  readonly eventType?: string;
  /** Whether a failure stays with its broker instead of being reported: never by default. */
  readonly leave?: (failure: Failure) => boolean;
  /** Where reports wait while capture is unavailable. Without it the message stays with its broker. */
  readonly spool?: SpoolOptions;
  /** One of the CAPTURE_SECRETS, outside Google Cloud: each report is signed with it. */
  readonly secret?: string;
  /** The audience of the identity token: the origin of `capture` by default. */
  readonly audience?: string;
  /** How long one attempt to report may take, in ms: 4000 by default. */
  readonly timeoutMs?: number;
  /** How often a report is tried before it is spooled or left: 3 by default. */
  readonly attempts?: number;
  /** Gets a line for each failure that could not be reported at once: `console.warn` by default. */
  readonly warn?: (text: string) => void;
};

/** Throws a TypeError with every problem of the options; `libraries` are those that `from` may name. */
export function checkOptions(options: Options & { readonly from: unknown }, libraries: string[]): void {
  const { capture, consumer, from, spool, secret, timeoutMs, attempts } = options;
  const isKnown = typeof from === 'function' || libraries.includes(String(from));
  const problems = [
    !isKnown && `from = ${print(from)} is none of ${libraries.join(', ')}, and no function.`,
    !isHttpUrl(capture) && `capture = ${print(capture)} is not a URL: set https://...`,
    !consumer && 'consumer is empty: name the consumer group or the subscription.',
    spool && !spool.folder && 'spool.folder is empty: name a folder on a disk that outlives the process.',
    !isCount(spool?.maxBytes) && `spool.maxBytes = ${spool?.maxBytes} is not a number of bytes.`,
    secret !== undefined && secret.length < 16 && 'secret is shorter than 16 characters.',
    !isCount(timeoutMs) && `timeoutMs = ${timeoutMs} is not a number of milliseconds.`,
    !isCount(attempts) && `attempts = ${attempts} is not a number from 1.`,
  ].filter((problem) => typeof problem === 'string' && problem !== '');
  if (problems.length > 0) throw new TypeError(`deadLetters: ${problems.join(' ')}`);
}

/** Without a user and a password, which fetch rejects. */
function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\/[^/?#@]+([/?#]|$)/.test(text);
}

function isCount(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value > 0);
}

function print(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
