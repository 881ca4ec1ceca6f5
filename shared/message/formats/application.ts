import type { Headers } from '../event.ts';
import type { Omission } from './format.ts';

const aboutFailure = [
  '((original|source)[-._](topic|partition|offset|key|timestamp([-._]type)?)',
  '(error|exception|failure)([-._](class([-._]name)?|type|name|message|reason|code|stack([-._]?trace)?|time(stamp)?))?',
  '(failed|error|dead[-._]lettered)[-._]at|reason|stack([-._]?trace)?|retry[-._]count|retries|attempts?([-._]number)?',
  'delivery[-._]count|(consumer[-._])?group([-._]id)?|consumer)$',
].join('|');

/**
 * What must be there, and the names about the failure. `x-exception-` is Spring's. Without a prefix, names of
 * one word and those with `source` are the message's.
 */
export const ownOmissions: readonly (Omission & { readonly markers: readonly RegExp[] })[] = [
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
      new RegExp(`^x[-._](?=(error|failure|reason)([-._]|$))${aboutFailure}`, 'i'),
    ],
    omit: new RegExp(`^x[-._](?!exception)${aboutFailure}`, 'i'),
  },
  {
    markers: [
      /^original[-._]topic$/i,
      new RegExp(`^(?=(error|exception|failure|reason)[-._])${aboutFailure}`, 'i'),
    ],
    omit: new RegExp(`^(?=.*[-._])${aboutFailure}`, 'i'),
  },
];

/** With `.` between the words of their names and without prefix; undefined for other software. */
export function findOwnHeaders(headers: Headers) {
  const names = Object.keys(headers);
  const isThere = (marker: RegExp) => names.some((name) => marker.test(name));
  const found = ownOmissions.find(({ markers }) => markers.every(isThere));
  if (!found) return undefined;
  const own = names.filter((name) => found.omit.test(name));
  return new Map(own.map((name) => [spell(name), headers[name] ?? '']));
}

function spell(name: string): string {
  const bare = name.toLowerCase().replace(/^((x[-._])?dl[qt]|x)[-._]/, '');
  return bare.replaceAll(/[-_]/g, '.');
}
