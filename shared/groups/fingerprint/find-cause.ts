import { headline } from './normalize-message.ts';

/** The parts of an error as its language prints it. */
export type Cause = { readonly errorClass: string; readonly message: string; readonly stack: string };

/** Characters read of a stack and of a line: they bound the time that any input takes. */
const maxStack = 65_536;
const maxLine = 4096;

/** `java.lang.IllegalStateException: no such order`, `TypeError`, `Net::ReadTimeout: ...`. */
const printed =
  /^([\p{L}_$][\p{L}\p{N}_.$:]{0,199}(?:Exception|Error|Fault|Failure|Timeout)[\p{N}$]{0,9})(?:: (.*)|$)/u;

/** Ruby: "app/models/order.rb:42:in 'place': no such order (Acme::NotFound)". */
const printedByRuby = /^.{1,300}?:\d+:in [`'].{1,200}?': (.*) \(([\w:]{1,200})\)$/;

/** The JVM and Node mark the cause of an error; .NET has its arrow on the same line or on the next. */
const marker = /^(?:Caused by: |\s{0,40}\[cause\]: )/;
const arrow = ' ---> ';
const endOfInner = '\n   --- End of inner exception stack trace ---';

/** Python prints the root cause first, then the error that it led to. */
const followed = '\nThe above exception was the direct cause of the following exception:';

/**
 * Returns an error and its causes: the outermost first, the root cause last, each with its class separated
 * from its message.
 */
export function findCauses(error: Cause): readonly [Cause, ...Cause[]] {
  const stack = error.stack.slice(0, maxStack);
  const [first = error, ...causes] =
    splitFollowed(stack) ?? splitMarked(stack.replaceAll(arrow, '\nCaused by: '));
  const isReported = error.errorClass !== '' || error.message !== '';
  const outermost = readMessage(isReported ? { ...error, stack: first.stack } : first);
  const isSame = (cause: Cause) =>
    cause.errorClass === outermost.errorClass && cause.message === outermost.message;
  const others = causes.map(readMessage);
  // Some senders report the root cause itself.
  const { stack: ownStack } = others.find(isSame) ?? outermost;
  return [{ ...outermost, stack: ownStack }, ...others.filter((cause) => !isSame(cause))];
}

/** .NET prints the frames of all causes after their messages, those of the root cause first. */
function splitMarked(stack: string): Cause[] {
  const causes: { message: string; lines: string[] }[] = [{ message: findHeading(stack), lines: [] }];
  for (const line of stack.split('\n')) {
    if (marker.test(line)) causes.push({ message: line.replace(marker, ''), lines: [] });
    causes.at(-1)?.lines.push(line);
  }
  const stacks = causes.map(({ lines }) => lines.join('\n'));
  const inner = stacks.at(-1)?.split(endOfInner) ?? [];
  return causes.map(({ message }, index) => {
    const fromRoot = causes.length - 1 - index;
    const isDotNet = inner.length > 1;
    const own = isDotNet ? (inner[fromRoot] ?? '') : (stacks[index] ?? '');
    return { errorClass: '', message, stack: own };
  });
}

function splitFollowed(stack: string): Cause[] | undefined {
  if (!stack.includes(followed)) return undefined;
  const stacks = stack.split(followed).map((each) => each.trim());
  return stacks.reverse().map((each) => ({ errorClass: '', message: findHeading(each), stack: each }));
}

/** Python prints the error below its frames, the others above them. */
function findHeading(stack: string): string {
  const lines = stack.trimEnd().split('\n');
  const heading = (/^Traceback /.test(lines[0] ?? '') ? lines.at(-1) : lines[0]) ?? '';
  return heading.slice(0, maxLine).replace(printedByRuby, '$2: $1');
}

/**
 * Some senders report `class: message` in one text, some also the class by itself: both are the same error.
 */
function readMessage({ errorClass, message, stack }: Cause): Cause {
  const line = headline(message);
  const [, found = '', rest = ''] = printed.exec(line) ?? [];
  const isSame = found !== '' && (found.endsWith(errorClass) || errorClass.endsWith(found));
  if (!isSame) return { errorClass: dropCounters(errorClass), message: line, stack };
  const longer = errorClass.length > found.length ? errorClass : found;
  return { errorClass: dropCounters(longer), message: rest, stack };
}

/** Each start or build numbers proxies, lambdas and anonymous classes again. */
function dropCounters(errorClass: string): string {
  return errorClass.slice(0, 200).replace(/\$\$.*$|(?:\$\d+)+$/s, '');
}
