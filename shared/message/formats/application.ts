import type { HeaderValue } from '../event.ts';
import type { Omission } from './format.ts';

/** A prefix of an application's own, `x-`, or none. */
const prefixed = /^((?:(?:x[-._])?dl[qt]|x)[-._])?(.+)$/i;

const aboutFailureText = [
  '(original|source)\\.(topic|partition|offset|key|timestamp(\\.type)?)',
  '(error|exception|failure)(\\.(class(\\.name)?|type|name|message|reason|code|stack(\\.?trace)?|time(stamp)?))?',
  '(failed|error|dead\\.lettered)\\.at|reason|stack(\\.?trace)?|retry\\.count|retries|attempts?(\\.number)?',
  'delivery\\.count|(consumer\\.)?group(\\.id)?|consumer',
].join('|');
/** The names about a failure, with `.` between words. Behind `dlq.` all names are. */
const aboutFailure = new RegExp(`^(${aboutFailureText})$`);

const about = `(${aboutFailureText.replaceAll('\\.', '[-._]')})$`;

/** The names that findOwnHeaders means, under each prefix, and what must be there. */
export const ownOmissions: readonly Omission[] = [
  {
    markers: [
      /^(x[-._])?dl[qt][-._](original|source)[-._]topic$/i,
      /^(x[-._])?dl[qt][-._](error|exception|failure|reason)([-._]|$)/i,
    ],
    omit: /^(x[-._])?dl[qt][-._]/i,
  },
  {
    markers: [
      /^x[-._](original|source)[-._]topic$/i,
      new RegExp(`^x[-._](?=(error|failure|reason)([-._]|$))${about}`, 'i'),
    ],
    omit: new RegExp(`^x[-._](?!exception)${about}`, 'i'),
  },
  {
    markers: [/^original[-._]topic$/i, new RegExp(`^(?=(error|exception|failure|reason)[-._])${about}`, 'i')],
    omit: new RegExp(`^(?=.*[-._])${about}`, 'i'),
  },
];

/**
 * The headers of a dead letter that its application wrote, under names with `.` between words and without
 * their prefix: no framework wrote it, but applications agree on names such as `dlq.original.topic`,
 * `dlq-error-message` and `original_topic`. Undefined unless one prefix has the original topic and an error.
 * `x-exception-` is Spring's, and `source_` without a prefix is Karafka's. Without a prefix, names of one
 * word are the message's.
 */
export function findOwnHeaders(headers: Readonly<Record<string, HeaderValue>>) {
  const prefix = findPrefix(headers);
  if (prefix === undefined) return undefined;
  const isDlq = /dl/.test(prefix);
  const spell = (name: string) => {
    const [, own = '', rest = ''] = prefixed.exec(name) ?? [];
    const spelling = rest.toLowerCase().replaceAll(/[-_]/g, '.');
    if (own.toLowerCase() !== prefix || (prefix.startsWith('x') && !isDlq && /^exception/.test(spelling)))
      return undefined;
    if (isDlq) return spelling;
    return aboutFailure.test(spelling) && (prefix !== '' || spelling.includes('.')) ? spelling : undefined;
  };
  const named = new Map<string, HeaderValue>();
  for (const name in headers) named.set(spell(name) ?? `:${name}`, headers[name] ?? '');
  const hasError = [...named.keys()].some((name) => /^(error|exception|failure|reason)\b/.test(name));
  return hasError ? named : undefined;
}

/** In lower case: that of the topic's header. */
function findPrefix(headers: Readonly<Record<string, HeaderValue>>): string | undefined {
  for (const name in headers) {
    const [, prefix = '', rest = ''] = prefixed.exec(name) ?? [];
    const isTopic = prefix === '' ? /^original[-._]topic$/i : /^(original|source)[-._]topic$/i;
    if (isTopic.test(rest)) return prefix.toLowerCase();
  }
  return undefined;
}
