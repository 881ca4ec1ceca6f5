import type { HeaderValue } from '../../events/event.ts';

const prefixed = /^((?:x[-._])?dl[qt][-._]|x[-._])(.+)$/i;

/**
 * What an application writes about a failure behind `x-`, which has other uses; all names are its own behind
 * `dlq.`.
 */
const aboutFailure =
  /^(original|source|error|exception|failure|failed|retry|attempts?|delivery\.count|consumer|group|reason|stack)/;

/**
 * The headers of a dead letter that its application wrote, under names with `.` between words and without
 * their prefix: no framework wrote it, but applications agree on names such as `dlq.original.topic` and
 * `dlq-error-message`. Undefined unless one prefix has a position and an error. `x-exception-` is Spring's.
 */
export function findOwnHeaders(headers: Readonly<Record<string, HeaderValue>>) {
  const prefix = findPrefix(headers);
  if (prefix === undefined) return undefined;
  const isDlq = /dl/.test(prefix);
  const spell = (name: string) => {
    const [, own, rest = ''] = prefixed.exec(name) ?? [];
    const spelling = rest.toLowerCase().replaceAll(/[-_]/g, '.');
    return own?.toLowerCase() !== prefix || (!isDlq && /^exception/.test(spelling)) ? undefined : spelling;
  };
  const named = new Map<string, HeaderValue>();
  for (const name in headers) named.set(spell(name) ?? `:${name}`, headers[name] ?? '');
  const isOwn = (name: string) => {
    const spelling = spell(name);
    return spelling !== undefined && (isDlq || aboutFailure.test(spelling));
  };
  const hasPosition = ['topic', 'partition', 'offset'].every(
    (each) => named.has(`original.${each}`) || named.has(`source.${each}`),
  );
  const hasError = [...named.keys()].some((name) => /^(error|exception|failure|reason)\b/.test(name));
  return hasPosition && hasError ? { named, isOwn } : undefined;
}

/** In lower case: that of the topic's header. */
function findPrefix(headers: Readonly<Record<string, HeaderValue>>): string | undefined {
  for (const name in headers) {
    const [, prefix, rest = ''] = prefixed.exec(name) ?? [];
    if (prefix && /^(original|source)[-._]topic$/i.test(rest)) return prefix.toLowerCase();
  }
  return undefined;
}
