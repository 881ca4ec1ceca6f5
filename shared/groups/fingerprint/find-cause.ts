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

/** Returns the root cause if the stack names one, otherwise the error itself, its class separated from its message. */
export function findCause(error: Cause): Cause {
  const stack = error.stack.slice(0, maxStack);
  const root = findMarked(stack.replaceAll(arrow, '\nCaused by: ')) ?? findFollowed(stack);
  const isReported = error.errorClass !== '' || error.message !== '';
  return splitMessage(root ?? { ...error, stack, message: isReported ? error.message : findHeading(stack) });
}

function findMarked(stack: string): Cause | undefined {
  const lines = stack.split('\n');
  const start = lines.findLastIndex((line) => marker.test(line));
  if (start === -1) return undefined;
  const message = (lines[start] ?? '').replace(marker, '');
  const [frames = ''] = lines
    .slice(start + 1)
    .join('\n')
    .split(endOfInner, 1);
  return { errorClass: '', message, stack: frames };
}

function findFollowed(stack: string): Cause | undefined {
  const end = stack.indexOf(followed);
  const root = stack.slice(0, Math.max(end, 0)).trimEnd();
  return end === -1 ? undefined : { errorClass: '', message: findHeading(root), stack: root };
}

/** Python prints the error below its frames, the others above them. */
function findHeading(stack: string): string {
  const lines = stack.trimEnd().split('\n');
  const heading = (/^Traceback /.test(lines[0] ?? '') ? lines.at(-1) : lines[0]) ?? '';
  return heading.slice(0, maxLine).replace(printedByRuby, '$2: $1');
}

/** Some senders report `class: message` in one text, some also the class by itself: both are the same error. */
function splitMessage({ errorClass, message, stack }: Cause): Cause {
  const line =
    message
      .slice(0, maxLine)
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? '';
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
