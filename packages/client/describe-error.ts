import { inspect } from 'node:util';

/** A failure as its error describes it. */
export type DescribedError = {
  readonly class: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly kind: 'transient' | 'permanent' | undefined;
  /** Seconds, or a time as HTTP writes it. */
  readonly retryAfter: string | undefined;
};

const maxCauses = 10;

/** Describes what a handler threw, which may be any value, even one that throws when it is read. */
export function describeError(thrown: unknown): DescribedError {
  try {
    const members = openObject(thrown);
    const { kind } = members;
    return {
      class: nameOf(thrown),
      message: printMessage(thrown),
      stack: printStacks(thrown),
      kind: kind === 'transient' || kind === 'permanent' ? kind : undefined,
      retryAfter: findRetryAfter(members),
    };
  } catch {
    const unknown = { stack: undefined, kind: undefined, retryAfter: undefined };
    return { class: typeof thrown, message: 'The error cannot be read.', ...unknown };
  }
}

/** A host that refuses on each of its addresses is an AggregateError without a message. */
function printMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return printValue(thrown);
  const { message } = thrown;
  return message === '' && thrown instanceof AggregateError
    ? thrown.errors.map(printMessage).join('; ')
    : message;
}

/** `name`, unless a subclass inherited it from Error; the class in its place. */
function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return thrown.name === 'Error' ? thrown.constructor.name : thrown.name;
}

function printValue(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  try {
    return JSON.stringify(thrown) ?? inspect(thrown);
  } catch {
    return inspect(thrown);
  }
}

/** The stack with those of its causes, as Node.js prints them, without other members: they may be secrets. */
function printStacks(thrown: unknown): string | undefined {
  const stacks: string[] = [];
  let cause = thrown;
  while (cause instanceof Error && stacks.length < maxCauses) {
    stacks.push(cause.stack ?? `${cause.name}: ${cause.message}`);
    cause = cause.cause;
  }
  return stacks.length === 0 ? undefined : stacks.join('\n[cause]: ');
}

/** From the error itself, or from the response of the HTTP client that threw it. */
function findRetryAfter(error: Readonly<Record<string, unknown>>): string | undefined {
  const response = openObject(error.response);
  const headers = [error.headers, response.headers, error.responseHeaders].map(readRetryAfterHeader);
  const found = [error.retryAfter, ...headers].find((each) => each !== undefined && each !== null);
  const value = found instanceof Date ? found.toUTCString() : found;
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  // It may become a header.
  return /^[\w.,:+ -]+$/.test(String(value)) ? String(value) : undefined;
}

function readRetryAfterHeader(headers: unknown): unknown {
  const { get, ...own } = openObject(headers);
  if (headers instanceof Headers) return headers.get('retry-after') ?? undefined;
  if (typeof get === 'function') return get.call(headers, 'retry-after');
  return own['retry-after'] ?? own['Retry-After'];
}

function openObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
