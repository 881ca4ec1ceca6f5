import { ApiError } from '../api-error.ts';
import { build } from '../build.ts';
import { type Call, pathOf, type Service } from '../call.ts';
import { find, type Google, insert, numberOf, remove } from '../google.ts';
import { applyMask, type Json, withDefaults } from '../json.ts';
import { finish, operationMethods } from '../operations.ts';
import { serveRevision, uriOf } from '../serve-revision.ts';

const parent = 'cloudfunctions.googleapis.com/{version=v2|v2beta}/{parent=projects/*/locations/*}';
const one = 'cloudfunctions.googleapis.com/{version=v2|v2beta}/{name=projects/*/locations/*/functions/*}';

/** https://cloud.google.com/functions/docs/reference/rest/v2/projects.locations.functions */
export function functions(google: Google): Service {
  return {
    [`POST ${parent}/functions`]: (call) => {
      const name = `${pathOf(call, 'parent')}/functions/${call.query.get('functionId')}`;
      insert(google, name, { ...call.body, name });
      return deploy(google, name);
    },
    [`GET ${one}`]: (call) => find(google, pathOf(call, 'name')),
    [`PATCH ${one}`]: (call) => update(google, call),
    [`DELETE ${one}`]: (call) => {
      const name = pathOf(call, 'name');
      remove(google, name);
      if (google.resources.has(serviceOf(name))) remove(google, serviceOf(name));
      return finish(google, locationOf(name), { response: {} });
    },
    ...operationMethods(google, 'cloudfunctions.googleapis.com/{version=v2|v2beta}'),
  };
}

/**
 * Changes the fields of the mask and builds again. Fields that Google Cloud added stay unless they are
 * replaced.
 */
function update(google: Google, call: Call): Json {
  const name = pathOf(call, 'name');
  const mask = call.query.get('updateMask')?.split(',') ?? Object.keys(call.body);
  google.resources.set(name, applyMask(find(google, name), call.body, mask));
  if (google.losesPolicies) google.policies.bindings.delete(serviceOf(name));
  return deploy(google, name);
}

/**
 * Builds a function and starts a revision. If the build fails, the function has the state FAILED and the
 * settings that were asked for, and what served before goes on serving; the first time there is no service
 * and no address.
 */
function deploy(google: Google, name: string): Json {
  const service = serviceOf(name);
  const wanted = find(google, name);
  try {
    copySource(google, wanted, name);
    const revision = build(google, toRequest(wanted, service));
    serveRevision(google, service, revision);
    google.resources.set(name, complete(wanted, name, { state: 'ACTIVE', uri: uriOf(service) }));
    return finish(google, locationOf(name), { response: find(google, name) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const uri = google.resources.has(service) ? uriOf(service) : undefined;
    google.resources.set(name, complete(wanted, name, { state: 'FAILED', uri }));
    return finish(google, locationOf(name), { error: { code: 3, message: error.message } });
  }
}

/** Google builds from a copy of its own, and names the copy from then on. */
function copySource(google: Google, wanted: Json, name: string): void {
  const { source } = wanted.buildConfig as { source: { storageSource: { bucket: string; object: string } } };
  const { bucket, object } = source.storageSource;
  const { content } = find(google, `b/${bucket}/o/${encodeURIComponent(object)}`);
  const [, project = '', , location] = name.split('/');
  const copy = {
    bucket: `gcf-v2-sources-${numberOf(project)}-${location}`,
    object: `${name.split('/').at(-1)}.zip`,
  };
  google.resources.set(`b/${copy.bucket}/o/${encodeURIComponent(copy.object)}`, { content });
  source.storageSource = { ...copy, generation: '1' } as typeof copy;
}

function toRequest({ buildConfig, serviceConfig }: Json, service: string) {
  const built = buildConfig as Json & { source: { storageSource: { bucket: string; object: string } } };
  const run = serviceConfig as Json & { environmentVariables: Record<string, string> };
  const secrets = (run.secretEnvironmentVariables ?? []) as Record<string, string>[];
  return {
    service,
    source: built.source.storageSource,
    repository: String(built.dockerRepository),
    builder: String(built.serviceAccount).split('/').at(-1) ?? '',
    entryPoint: String(built.entryPoint),
    account: String(run.serviceAccountEmail),
    variables: run.environmentVariables ?? {},
    secrets: Object.fromEntries(
      secrets.map(({ key, projectId, secret, version }) => [
        key,
        `projects/${projectId}/secrets/${secret}/versions/${version}`,
      ]),
    ),
    settings: run,
  };
}

function complete(
  wanted: Json,
  name: string,
  { state, uri }: { state: string; uri: string | undefined },
): Json {
  const [, project = '', , location] = name.split('/');
  const { uri: _uri, ...serviceConfig } = wanted.serviceConfig as Json;
  return {
    ...wanted,
    name,
    state,
    environment: 'GEN_2',
    updateTime: new Date().toISOString(),
    url: `https://${location}-${project}.cloudfunctions.net/${name.split('/').at(-1)}`,
    stateMessages: state === 'FAILED' ? [{ severity: 'ERROR', type: 'CloudRunServiceNotFound' }] : [],
    buildConfig: withDefaults(wanted.buildConfig as Json, {
      automaticUpdatePolicy: {},
      build: `projects/${numberOf(project)}/locations/${location}/builds/1`,
    }),
    serviceConfig: {
      ...withDefaults(serviceConfig, {
        allTrafficOnLatestRevision: true,
        environmentVariables: { LOG_EXECUTION_ID: 'true' },
        service: serviceOf(name),
      }),
      ...(uri && { uri }),
    },
  };
}

function serviceOf(name: string): string {
  return name.replace('/functions/', '/services/');
}

function locationOf(name: string): string {
  return name.split('/').slice(0, 4).join('/');
}
