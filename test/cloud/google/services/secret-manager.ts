import { type Call, pathOf, type Service } from '../call.ts';
import { newEtag } from '../etag.ts';
import { find, type Google, insert, list, numberOf } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';
import type { Json } from '../json.ts';
import { standardMethods } from '../standard-methods.ts';

const api = 'secretmanager.googleapis.com/v1';
const version = `${api}/{name=projects/*/secrets/*/versions/*}`;

/** https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets */
export function secretManager(google: Google): Service {
  const shown = ({ payload: _payload, ...rest }: Json) => rest;
  const setState = (state: string) => (call: Call) =>
    shown(Object.assign(find(google, pathOf(call, 'name')), { state }));
  return {
    ...standardMethods(google, {
      api,
      path: 'projects/{project}/secrets',
      id: ({ query }) => query.get('secretId') ?? '',
      complete: (given, name) => ({ createTime: new Date().toISOString(), ...given, name: byNumber(name) }),
    }),
    ...iamMethods(google, `${api}/{resource=projects/*/secrets/*}`),
    [`POST ${api}/{secret=projects/*/secrets/*}:addVersion`]: (call) => {
      const secret = pathOf(call, 'secret');
      find(google, secret);
      const name = `${secret}/versions/${list(google, `${secret}/versions`).length + 1}`;
      const added = { name: byNumber(name), state: 'ENABLED', createTime: new Date().toISOString() };
      return shown(insert(google, name, { ...added, etag: newEtag(), payload: call.body.payload }));
    },
    [`GET ${version}`]: (call) => shown(find(google, pathOf(call, 'name'))),
    [`GET ${version}:access`]: (call) => {
      const { name, payload } = find(google, pathOf(call, 'name'));
      return { name, payload };
    },
    [`POST ${version}:enable`]: setState('ENABLED'),
    [`POST ${version}:disable`]: setState('DISABLED'),
    [`POST ${version}:destroy`]: setState('DESTROYED'),
  };
}

/** The API names secrets by the number of the project. */
function byNumber(name: string): string {
  return name.replace(/^projects\/([^/]+)/, (_, project: string) => `projects/${numberOf(project)}`);
}
