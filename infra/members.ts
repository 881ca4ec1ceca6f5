import * as v from 'valibot';

/** Somebody whom IAM knows: never everybody. */
export const MemberSchema = v.pipe(
  v.string('Give it as text.'),
  v.regex(
    /^(user|group|serviceAccount|domain):[^\s:]+$|^principal(Set)?:\/\/\S+$/,
    'Must look like user:ana@example.com, group:..., serviceAccount:... or domain:...; nothing is opened to everybody.',
  ),
);

/** Somebody whom the console can tell by their address: it cannot look into groups. */
export const PersonSchema = v.pipe(
  v.string('Give it as text.'),
  v.regex(
    /^(user|serviceAccount|domain):[^\s:*,]+$/,
    'Must look like user:ana@example.com, serviceAccount:... or domain:example.com: the console cannot look into groups.',
  ),
);

/** As the console knows them: an address, or `*@example.com` for a domain. */
export function toAddress(person: string): string {
  return person.replace(/^domain:/, '*@').replace(/^\w+:/, '');
}

/** A part of a resource's name for `member`, which stays the same when others come or go. */
export function slugOf(member: string): string {
  return member
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
