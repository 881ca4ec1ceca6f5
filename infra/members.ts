import { matching } from './setting-schemas.ts';

/** An IAM principal; allUsers and allAuthenticatedUsers are rejected. */
export const MemberSchema = matching(
  /^((user|group|serviceAccount):[^\s:@A-Z]+@|domain:)[^\s:@A-Z]+$|^principal(Set)?:\/\/\S+$/,
  'Must look like user:ana@example.com, group:..., serviceAccount:... or domain:..., in lower case; allUsers is not allowed.',
);

/** The account that runs `pulumi up`; addresses of service accounts end in their domain, others do not. */
export const DeployerSchema = matching(
  /^(?=\w+:.{1,63}(\.gserviceaccount\.com)?$)(user:(?!.*\.gserviceaccount\.com$)[^\s:@A-Z]+@[^\s:@A-Z]+|serviceAccount:[^\s:@A-Z]+@[^\s:@A-Z]+\.gserviceaccount\.com)$/,
  'Set the account that runs pulumi up, in lower case: user:ana@example.com or serviceAccount:...gserviceaccount.com. A login has at most 63 characters, without .gserviceaccount.com.',
);

/** A user of the console. Groups need Identity-Aware Proxy, which resolves them. */
export const UserSchema = matching(
  /^((user|group|serviceAccount):[^\s:*,@A-Z]+@|domain:)[^\s:*,@A-Z]+$/,
  'Must look like user:ana@example.com, group:..., serviceAccount:... or domain:example.com, in lower case.',
);

/** A person or a group with an IAM login to the database. */
export const ReaderSchema = matching(
  /^(user|group):(?=.{1,63}$)[^\s:*,@A-Z]+@[^\s:*,@A-Z]+$/,
  'Must look like user:ana@example.com or group:..., in lower case. A login has at most 63 characters.',
);

export const isGroup = (user: string): boolean => user.startsWith('group:');

/** Returns the list that the console expects: addresses, `*@example.com` for a domain, `*` for groups. */
export function toAddresses(users: readonly string[]): string {
  const toAddress = (user: string) =>
    isGroup(user) ? '*' : user.replace(/^domain:/, '*@').replace(/^\w+:/, '');
  return [...new Set(users.map(toAddress))].join(',');
}
