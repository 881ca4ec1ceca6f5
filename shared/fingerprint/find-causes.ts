import { headline } from './normalize-message.ts';

/** The parts of an error as its language prints it. */
export type Thrown = { readonly errorClass: string; readonly message: string; readonly stack: string };

/** Characters read of a stack and of a line: they bound the time that any input takes. */
const maxStack = 65_536;
const maxLine = 4096;

/** `java.lang.IllegalStateException: no such order`, `TypeError`, `Net::ReadTimeout: ...`. */
const printed =
  /^([\p{L}_$][\p{L}\p{N}_.$:\\]{0,199}(?:Exception|Error|Fault|Failure|Timeout|Group)[\p{N}$]{0,9})(?: \(0x[\da-f]{1,8}\))?(?:: (.*)|$)/su;

/** Ruby: "app/models/order.rb:42:in 'place': no such order (Acme::NotFound)". */
const printedByRuby = /^.{1,300}?:\d+:in [`'].{1,200}?': (.*) \(([\w:]{1,200})\)$/;
/** Elixir: "** (MatchError) no match"; PHP: "ErrorException: Undefined key in /app/a.php:1". */
const printedByElixir = /^\*\* \(([\w.]{1,200})\) /;
const printedByPhp = / in (?:\/|[A-Z]:\\)[^\s]{1,300}\.php(?::|\()\d+\)?$/;

/** The JVM and Node mark the cause of an error; .NET has its arrow on the same line or on the next. */
const marker = /^(?:Caused by: |\s{0,40}\[cause\]: )/;
const arrow = ' ---> ';
const endOfInner = '\n   --- End of inner exception stack trace ---';

/** The JVM indents what failed while the error was handled, and its causes. */
const suppressed = /^\s{1,8}Suppressed: /;

/** Python and PHP print the root cause first, then the error that it led to. */
const followed =
  /\n(?:The above exception was the direct cause of the following exception:|During handling of the above exception, another exception occurred:|(?=Next [\p{L}_\\]{1,200}: ))/u;

/** Rust numbers the causes below the error, as it numbers frames. */
const causesOfRust = /\n\s{0,4}Caused by:\n((?: {1,8}(?:\d{1,3}: )?\S.{0,2000}(?:\n|$)){1,20})/;

/** A group of errors in Python: the first one is printed below its frames, beside bars. */
const groupOfPython = /\n\s{1,60}\+-\+-{4,20} 1 -{4,20}\n([^+]{0,20000})/;

/** In Node: the first one is further in than the list, and its frames further than itself. */
const groupOfNode = /\n\s{1,60}\[errors\]: \[\n( {1,60})(\S[^\n]*(?:\n\1 [^\n]*)*)[\s\S]*$/;

/**
 * Returns an error and its causes: the outermost first, the root cause last, each with its class separated
 * from its message. Some senders report the whole trace as the reason.
 */
export function findCauses(error: Thrown): readonly [Thrown, ...Thrown[]] {
  const isTrace = error.stack === '' && error.message.includes('\n');
  const stack = (isTrace ? error.message : error.stack).slice(0, maxStack);
  const [first = error, ...causes] =
    splitGroup(stack) ??
    splitFollowed(stack) ??
    splitMarked(stack.replace(groupOfNode, '\nCaused by: $2').replaceAll(arrow, '\nCaused by: '));
  const isTitled = error.errorClass !== '' || error.message !== '';
  const isReported = isTitled && !isPython.test(error.message);
  const outermost = readMessage(isReported ? { ...error, stack: first.stack } : first);
  const isSame = (cause: Thrown) =>
    cause.errorClass === outermost.errorClass && cause.message === outermost.message;
  const others = causes.map(readMessage);
  // Some senders report the root cause itself.
  const { stack: ownStack } = others.find(isSame) ?? outermost;
  return [{ ...outermost, stack: ownStack }, ...others.filter((cause) => !isSame(cause))];
}

/** .NET prints the frames of all causes after their messages, those of the root cause first. */
function splitMarked(whole: string): Thrown[] {
  const stack = whole.replace(causesOfRust, '');
  const causes: { message: string; lines: string[] }[] = [{ message: findHeading(stack), lines: [] }];
  let isSuppressed = false;
  for (const line of stack.split('\n')) {
    if (marker.test(line)) causes.push({ message: line.replace(marker, ''), lines: [] });
    isSuppressed = suppressed.test(line) || (isSuppressed && !marker.test(line));
    if (!isSuppressed) causes.at(-1)?.lines.push(line);
  }
  const stacks = causes.map(({ lines }) => lines.join('\n'));
  const inner = stacks.at(-1)?.split(endOfInner) ?? [];
  const marked = causes.map(({ message }, index) => {
    const own = inner.length > 1 ? inner[causes.length - 1 - index] : stacks[index];
    return { errorClass: '', message, stack: own ?? '' };
  });
  const root = causesOfRust.exec(whole)?.[1]?.trimEnd().split('\n').at(-1);
  if (root === undefined) return marked;
  return [...marked, { errorClass: '', message: root.replace(/^\s+(?:\d+: )?/, ''), stack }];
}

function splitFollowed(stack: string): Thrown[] | undefined {
  const stacks = stack.split(followed, 50).map((each) => each.trim().replace(/^Next /, ''));
  if (stacks.length === 1) return undefined;
  return stacks.reverse().map((each) => ({ errorClass: '', message: findHeading(each), stack: each }));
}

function splitGroup(stack: string): Thrown[] | undefined {
  const [whole, first] = groupOfPython.exec(stack) ?? [];
  if (whole === undefined || first === undefined) return undefined;
  const [outer = '', inner = ''] = [stack.slice(0, stack.indexOf(whole)), first].map((part) =>
    part
      .replaceAll(/^[ |+]{0,60}?[|+] /gm, '')
      .replace('Exception Group Traceback', 'Traceback')
      .trim(),
  );
  return [outer, inner].map((part) => ({ errorClass: '', message: findHeading(part), stack: part }));
}

const isPython = /^(?:\s{0,9}\+ Exception Group )?Traceback /;

/** Python prints the error below its frames, Rust its message below the place, the others above them. */
function findHeading(stack: string): string {
  const lines = stack.trimEnd().split('\n');
  const [first = '', second = ''] = lines;
  const isRust = /^thread '.{0,200}' (?:\(\d+\) )?panicked at .*:$/.test(first);
  const belowFrames = lines.findIndex((line, i) => i > 0 && !/^\s/.test(line));
  const heading = isPython.test(first) ? lines.slice(belowFrames).join('\n') : isRust ? second : first;
  return heading
    .slice(0, maxLine)
    .replace(printedByRuby, '$2: $1')
    .replace(printedByElixir, '$1: ')
    .replace(printedByPhp, '');
}

/**
 * Some senders report `class: message` in one text, some also the class by itself: both are the same error.
 */
function readMessage({ errorClass, message, stack }: Thrown): Thrown {
  const line = headline(message).replace(/ \(\d+ sub-exceptions?\)$/, '');
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
