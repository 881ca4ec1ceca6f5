import { ApiError } from '../api-error.ts';
import { type Call, pathOf, type Service } from '../call.ts';
import { find, type Google } from '../google.ts';
import { isObject, type Json, withDefaults } from '../json.ts';
import type { Send } from '../publish.ts';
import { standardMethods } from '../standard-methods.ts';
import { idTokenOf } from '../tokens.ts';

const api = 'cloudscheduler.googleapis.com/v1';

/** https://cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs */
export function scheduler(google: Google, send: Send): Service {
  const setState = (state: string) => (call: Call) =>
    Object.assign(find(google, pathOf(call, 'name')), { state });
  return {
    ...standardMethods(google, {
      api,
      path: 'projects/{project}/locations/{location}/jobs',
      id: ({ body }) => String(body.name).split('/').at(-1) ?? '',
      complete,
    }),
    [`POST ${api}/{name=projects/*/locations/*/jobs/*}:run`]: async (call) => {
      const job = find(google, pathOf(call, 'name'));
      const { uri, oidcToken, httpMethod } = Object(job.httpTarget);
      const token = idTokenOf(`serviceAccount:${oidcToken.serviceAccountEmail}`, oidcToken.audience);
      return { ...job, status: { code: (await send(uri, token, {}, httpMethod)) === 200 ? 0 : 13 } };
    },
    [`POST ${api}/{name=projects/*/locations/*/jobs/*}:pause`]: setState('PAUSED'),
    [`POST ${api}/{name=projects/*/locations/*/jobs/*}:resume`]: setState('ENABLED'),
  };
}

function complete(given: Json, name: string): Json {
  if (!/^(\S+ ){4}\S+$/.test(String(given.schedule))) {
    throw new ApiError('INVALID_ARGUMENT', `Schedule or time zone is invalid: "${given.schedule}".`);
  }
  const retryConfig = {
    maxRetryDuration: '0s',
    minBackoffDuration: '5s',
    maxBackoffDuration: '3600s',
    maxDoublings: 5,
  };
  const job = withDefaults(given, {
    timeZone: 'Etc/UTC',
    attemptDeadline: '180s',
    state: 'ENABLED',
    retryConfig,
    userUpdateTime: new Date().toISOString(),
  });
  if (isObject(job.httpTarget)) {
    job.httpTarget = withDefaults(job.httpTarget, { headers: { 'User-Agent': 'Google-Cloud-Scheduler' } });
  }
  return { ...job, name };
}
