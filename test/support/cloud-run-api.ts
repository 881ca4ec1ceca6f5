import { createServer } from 'node:http';
import { after, before, beforeEach } from 'node:test';

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
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    state.requests.push(`${method} ${url}`);
    response.setHeader('content-type', 'application/json');
    response.statusCode = request.headers.authorization === 'Bearer an-access-token' ? state.status : 401;
    const policy = { bindings: [{ role: 'roles/run.invoker', members: state.members }] };
    return response.end(JSON.stringify(url.endsWith(':getIamPolicy') ? policy : state.service));
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port was given.');
    Object.assign(state, { url: `http://127.0.0.1:${address.port}` });
  });
  beforeEach(() => {
    Object.assign(state, usual());
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => state;
}
