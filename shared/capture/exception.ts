export type Exception = {
  readonly errorClass: string | null;
  readonly message: string | null;
};

type Reported = Exception & {
  readonly stacktrace: string | null;
  /** The cause, from a framework that reports no stack trace. */
  readonly cause?: Exception;
};

/** Characters in which causes are looked for: they bound the time that any input takes. */
const maxStack = 65_536;

/** Those of the innermost cause, if an exception's own message does not say what went wrong. */
export function describeException({ errorClass, message, stacktrace, cause }: Reported) {
  const causes = listCauses(stacktrace);
  const own = message === errorClass ? null : dropWrapper(message);
  const thrown = errorClass === null || own !== message ? findThrown(own, causes) : undefined;
  const reported = thrown ?? { errorClass, message: own };
  const isEnough = reported.message !== null && !saysNothing.test(reported.message);
  const candidates = [cause, causes.at(-1)].filter((each) => each !== undefined);
  const found = isEnough ? reported : (candidates.find(isInformative) ?? reported);
  const parts = [found.errorClass, found.message].filter((part) => part !== null);
  return { errorClass: found.errorClass, reason: parts.join(': ') || null };
}

/** The exception whose message this is: Spring 5 names it in the message of the one that caught it. */
function findThrown(message: string | null, causes: readonly Exception[]): Exception | undefined {
  const [, errorClass, nested = null] =
    /^nested exception is ([\w.$]+)(?:: (.*))?$/s.exec(message ?? '') ?? [];
  if (errorClass !== undefined) return { errorClass, message: nested };
  const thrown = causes.find((each) => each.message === message?.trim());
  return thrown && { errorClass: thrown.errorClass, message };
}

/** What listeners and handlers put before the message of the exception that they caught. */
const wrapper = new RegExp(
  [
    "^(Listener method '[^']*' threw exception",
    'Listener failed',
    String.raw`Listener method could not be invoked with .*\nEndpoint .*\nMethod \[.*?\](\nBean \[.*?\])?`,
    String.raw`Exception thrown at \S+`,
    String.raw`error occurred in message handler \[.*?\])(; ?|$)`,
  ].join('|'),
);

function dropWrapper(message: string | null): string | null {
  const own = message?.replace(wrapper, '') ?? '';
  return own.trim() === '' ? null : own;
}

/**
 * Messages that only say that something failed: those of Kafka Connect's converters end with a colon; the
 * others are of Spring's deserializer, Aiven's HTTP sink, SmallRye, Kafka's consumer and Kafka Streams.
 */
const saysNothing =
  /:\s*$|^failed to deserialize$|\bno retries remain\b|^SRMSG00103\b|^Error deserializing \S+ for partition |^Exception caught in process\b/i;

/** Wrappers of Java's reflection, which have no message of their own. */
const reflection = /\b(InvocationTarget|UndeclaredThrowable)Exception$/;

function isInformative({ errorClass, message }: Exception): boolean {
  const says = message === null || message === errorClass ? errorClass : message;
  return says !== null && !saysNothing.test(says) && !reflection.test(says);
}

/** Of the JVM, the innermost last. A message may have several lines; frames follow it. */
function listCauses(stacktrace: string | null): Exception[] {
  const [, ...causes] = stacktrace?.slice(0, maxStack).split(/^Caused by: /m) ?? [];
  return causes.map((cause) => {
    const [heading = ''] = cause.split(/\r?\n[ \t]+(?:at [^\s[]\S*\(|\.\.\. \d+ |Suppressed: )/, 1);
    const [, errorClass = null, message = ''] = /^([^\s:]+)(?:: (.*))?$/s.exec(heading.trim()) ?? [];
    return { errorClass, message: message.trim() || null };
  });
}
