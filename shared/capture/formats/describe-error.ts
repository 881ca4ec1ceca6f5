import { describeException } from '../exception.ts';
import { type CompiledFormat, readTextFact } from './compile-format.ts';
import type { Opened } from './places.ts';

/**
 * Class, reason and stack trace of the error, or the condition on which the broker gave up; null for what is
 * not told.
 */
export function describeError(compiled: CompiledFormat, opened: Opened) {
  const [message, stacktrace, cause, causeClass] = (['reason', 'stack', 'cause', 'causeClass'] as const).map(
    (fact) => readTextFact(compiled, fact, opened),
  );
  const errorClass = readTextFact(compiled, 'class', opened) ?? findClass(stacktrace, message);
  const { reason, ...described } = describeException({
    errorClass,
    message: message ?? null,
    stacktrace: stacktrace ?? null,
    cause: { errorClass: causeClass ?? null, message: cause ?? null },
  });
  return {
    errorClass: described.errorClass,
    errorReason: reason ?? readTextFact(compiled, 'condition', opened),
    errorStacktrace: described.stacktrace,
  };
}

/** JavaScript has the class only at the beginning of the stack trace, before the message. */
function findClass(stack: string | null = null, message: string | null = null): string | null {
  const [prefix, errorClass = null] = /^([A-Za-z_$][\w$]*): /.exec(stack?.slice(0, 200) ?? '') ?? [];
  return prefix && message !== null && stack?.startsWith(message, prefix.length) ? errorClass : null;
}
