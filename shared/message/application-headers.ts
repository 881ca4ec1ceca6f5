/** The headers of a dead letter that its application wrote, by the fact that each of them reports. */
export type ApplicationHeaders = Readonly<Partial<Record<Fact, string>>>;

type Fact = keyof typeof facts;

/** Names without their prefix, in lower case and with `.` between words; the first one that a message has counts. */
const facts = {
  topic: ['original.topic', 'source.topic'],
  partition: ['original.partition', 'source.partition'],
  offset: ['original.offset', 'source.offset'],
  timestamp: ['original.timestamp', 'source.timestamp'],
  consumerGroup: ['consumer.group', 'consumer.group.id', 'group.id', 'group', 'consumer'],
  attempts: ['attempts', 'attempt', 'attempt.number', 'delivery.count'],
  errorClass: listNames(['class', 'class.name', 'type', 'fqcn']),
  message: [...listNames(['message', 'reason', 'text']), 'error', 'reason'],
  stacktrace: [...listNames(['stacktrace', 'stack', 'stack.trace']), 'stacktrace', 'stack.trace'],
} as const satisfies Record<string, readonly string[]>;

function listNames(endings: readonly string[]): string[] {
  return ['error', 'exception', 'failure'].flatMap((start) => endings.map((end) => `${start}.${end}`));
}

const prefixed = /^((?:x[-._])?dl[qt][-._]|x[-._])(.+)$/i;

/** What an application writes beside these facts; all names are its own behind `dlq.`. */
const others = /^(original|source|error|exception|failure|failed|retry|attempts?)\b/;

/**
 * Finds the headers of a dead letter that its application wrote: no framework does, but applications agree on names such as
 * `dlq.original.topic`, `dlq-error-message` or `x-original-offset`. A message is one of these only if it has its position
 * and an error under one prefix. `x-` alone has other uses: Spring Cloud Stream has `x-exception-message`.
 */
export function findApplicationHeaders(names: readonly string[]): ApplicationHeaders | undefined {
  const prefix = findPrefix(names);
  if (prefix === undefined) return undefined;
  const known = new Map(names.flatMap((name) => toPair(name, prefix)));
  const found = Object.entries(facts).flatMap(([fact, spellings]) => {
    const spelling = spellings.find((each) => known.has(each));
    return spelling === undefined ? [] : [[fact, known.get(spelling)]];
  });
  const headers: ApplicationHeaders = Object.fromEntries(found);
  const hasPosition = headers.topic && headers.partition && headers.offset;
  return hasPosition && (headers.errorClass ?? headers.message) ? headers : undefined;
}

/** Whether a header is about the failure, in a dead letter that its application wrote. */
export function isApplicationHeader(name: string, headers: ApplicationHeaders): boolean {
  const prefix = findPrefix(Object.values(headers)) ?? '';
  const [, own, rest = ''] = prefixed.exec(name) ?? [];
  if (own?.toLowerCase() !== prefix) return false;
  return /dl/.test(prefix) || others.test(toSpelling(rest)) || Object.values(headers).includes(name);
}

/** In lower case: that of the topic's header. */
function findPrefix(names: readonly string[]): string | undefined {
  for (const name of names) {
    const [, prefix, rest = ''] = prefixed.exec(name) ?? [];
    if (prefix && /^(original|source)[-._]topic$/i.test(rest)) return prefix.toLowerCase();
  }
  return undefined;
}

function toPair(name: string, wanted: string): [spelling: string, name: string][] {
  const [, prefix, rest = ''] = prefixed.exec(name) ?? [];
  const spelling = toSpelling(rest);
  const isOther = prefix?.toLowerCase() !== wanted || (/^x.$/.test(wanted) && /^exception/.test(spelling));
  return isOther ? [] : [[spelling, name]];
}

function toSpelling(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '.');
}
