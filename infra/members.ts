import * as v from 'valibot';

/** Somebody whom IAM knows: never everybody. */
export const MemberSchema = v.pipe(
  v.string('Give it as text.'),
  v.regex(
    /^(user|group|serviceAccount|domain):[^\s:]+$|^principal(Set)?:\/\/\S+$/,
    'Must look like user:ana@example.com, group:..., serviceAccount:... or domain:...; nothing is opened to everybody.',
  ),
);

/** A part of a resource's name for `member`, which stays the same when others come or go. */
export function slugOf(member: string): string {
  return member
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
