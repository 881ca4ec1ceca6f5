import { ApiError } from '../api-error.ts';
import { pathOf, type Service } from '../call.ts';
import { newEtag } from '../etag.ts';
import { find, type Google, insert, numberOf, remove } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';
import type { Json } from '../json.ts';
import { retireMember } from '../policies.ts';

const api = 'iam.googleapis.com/v1';

/** https://cloud.google.com/iam/docs/reference/rest/v1/projects.serviceAccounts */
export function serviceAccounts(google: Google): Service {
  return {
    [`POST ${api}/projects/{project}/serviceAccounts`]: (call) => {
      const project = pathOf(call, 'project');
      const accountId = String(call.body.accountId);
      if (!/^[a-z]([-a-z0-9]{4,28}[a-z0-9])$/.test(accountId)) {
        throw new ApiError('INVALID_ARGUMENT', `"${accountId}" is no account id of 6 to 30 characters.`);
      }
      const email = `${accountId}@${project}.iam.gserviceaccount.com`;
      const name = `projects/${project}/serviceAccounts/${email}`;
      const uniqueId = numberOf(name + Date.now());
      const given = call.body.serviceAccount as Json;
      const added = { name, projectId: project, email, uniqueId, oauth2ClientId: uniqueId, etag: newEtag() };
      return insert(google, name, { ...given, ...added });
    },
    [`GET ${api}/{name=projects/*/serviceAccounts/*}`]: (call) => find(google, pathOf(call, 'name')),
    [`PATCH ${api}/{name=projects/*/serviceAccounts/*}`]: (call) =>
      Object.assign(find(google, pathOf(call, 'name')), call.body.serviceAccount, { etag: newEtag() }),
    [`DELETE ${api}/{name=projects/*/serviceAccounts/*}`]: (call) => {
      const { email, uniqueId } = remove(google, pathOf(call, 'name'));
      retireMember(google.policies, `serviceAccount:${email}`, String(uniqueId));
      return {};
    },
    ...iamMethods(google, `${api}/{resource=projects/*/serviceAccounts/*}`),
  };
}
