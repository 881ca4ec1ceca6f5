type Exception = Readonly<Record<'errorClass' | 'message' | 'stacktrace', string | null>>;

/** What listeners and handlers put before the message of the exception that they caught. */
const wrapper = new RegExp(
  [
    "^(Listener method '[^']*' threw exception",
    'Listener failed',
    String.raw`Listener method could not be invoked with .*\nEndpoint .*\nMethod \[.*?\](\nBean \[.*?\])?`,
    String.raw`Exception thrown at \S+`,
    String.raw`error occurred in message handler \[.*?\])(; nested exception is (?<nested>[\w.$]+))?(: |; ?|$)`,
  ].join('|'),
);

/**
 * Messages that only say that something failed: those of Kafka Connect's converters end with a colon; the
 * others are of Spring's deserializer, Aiven's HTTP sink, SmallRye, Kafka's consumer and Kafka Streams.
 */
const saysNothing =
  /^\s*$|:\s*$|^failed to deserialize$|\bno retries remain\b|^SRMSG00103\b|^Error deserializing \S+ for partition |^Exception caught in process\b/i;

/** Those of the innermost cause, if an exception's own message does not say what went wrong. */
export function describeException({ errorClass, message, stacktrace }: Exception) {
  // Spring 5 names the class in the message of the exception that caught it.
  const { 0: wrapped = '', groups } = wrapper.exec(message ?? '') ?? {};
  const own = message === null || message === errorClass ? '' : message.slice(wrapped.length);
  const cause = saysNothing.test(own) ? findInnermost(stacktrace) : undefined;
  const isOther = errorClass === null || own !== message;
  const thrown = groups?.nested ?? (isOther ? findClass(stacktrace, own) : null);
  const found = cause ?? { errorClass: thrown ?? errorClass, message: own };
  const parts = [found.errorClass, found.message].filter((part) => (part ?? '').trim() !== '');
  return { errorClass: found.errorClass, reason: parts.join(': ') || null };
}

/** Characters that are read of a cause, and of a class: they bound the time that any input takes. */
const maxCause = 65_536;
const maxClass = 200;

/** Of the JVM. A message may have several lines; frames follow it. */
function findInnermost(stacktrace: string | null) {
  const start = stacktrace?.lastIndexOf('\nCaused by: ') ?? -1;
  if (start === -1) return undefined;
  const cause = stacktrace?.slice(start + '\nCaused by: '.length, start + maxCause) ?? '';
  const [heading = ''] = cause.split(/\r?\n[ \t]+(?:at [^\s[]\S*\(|\.\.\. \d+ |Suppressed: )/, 1);
  const [, errorClass = null, message = ''] = /^([^\s:]+)(?:: (.*))?$/s.exec(heading.trim()) ?? [];
  return errorClass === null ? undefined : { errorClass, message: message.trim() };
}

/** Of the exception whose message this is: some name it only in the stack trace, before the message. */
function findClass(stacktrace: string | null, message: string): string | null {
  const end = message.trim() === '' ? -1 : (stacktrace?.indexOf(`: ${message.trim()}`) ?? -1);
  const before = end === -1 ? '' : (stacktrace?.slice(Math.max(0, end - maxClass), end) ?? '');
  return /(?:^|\n)(?:Caused by: )?([\w$.]+)$/.exec(before)?.[1] ?? null;
}
