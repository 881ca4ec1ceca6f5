import { before, beforeEach } from 'node:test';
import { useServer } from './server.ts';

export type CloudRunApi = {
  readonly url: string;
  /** Members of roles/run.invoker on the service. */
  members: readonly string[];
  /** Fields of the service. */
  service: Readonly<Record<string, unknown>>;
  /** Status of every answer. */
  status: number;
  /** Method and path of each request since the test began. */
  readonly requests: string[];
};

/** Stands in for the Cloud Run Admin API, with one service. */
export function useCloudRunApi(): () => CloudRunApi {
  const usual = () => ({
    members: ['user:ann@example.com'],
    service: {},
    status: 200,
    requests: [],
  });
  const state: CloudRunApi = { url: '', ...usual() };
  const origin = useServer((request, response) => {
    const { method = '', url = '' } = request;
    state.requests.push(`${method} ${url}`);
    response.setHeader('content-type', 'application/json');
    response.statusCode = request.headers.authorization === 'Bearer an-access-token' ? state.status : 401;
    const policy = { bindings: [{ role: 'roles/run.invoker', members: state.members }] };
    return response.end(JSON.stringify(url.endsWith(':getIamPolicy') ? policy : state.service));
  });
  before(() => {
    Object.assign(state, { url: origin() });
  });
  beforeEach(() => {
    Object.assign(state, usual());
  });
  return () => state;
}
