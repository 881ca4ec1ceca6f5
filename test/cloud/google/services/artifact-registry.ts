import type { Service } from '../call.ts';
import type { Google } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';
import { withDefaults } from '../json.ts';
import { finish, operationMethods } from '../operations.ts';
import { standardMethods } from '../standard-methods.ts';

const api = 'artifactregistry.googleapis.com/v1';

/** https://cloud.google.com/artifact-registry/docs/reference/rest/v1/projects.locations.repositories */
export function artifactRegistry(google: Google): Service {
  return {
    ...standardMethods(google, {
      api,
      path: 'projects/{project}/locations/{location}/repositories',
      id: ({ query }) => query.get('repository_id') ?? query.get('repositoryId') ?? '',
      complete: (given, name) => ({
        ...withDefaults(given, {
          mode: 'STANDARD_REPOSITORY',
          vulnerabilityScanningConfig: { enablementState: 'SCANNING_DISABLED' },
        }),
        name,
      }),
      respond: (response, verb, name) =>
        verb === 'update' ? response : finish(google, name.split('/').slice(0, 4).join('/'), { response }),
    }),
    ...iamMethods(google, `${api}/{resource=projects/*/locations/*/repositories/*}`),
    ...operationMethods(google, api),
  };
}
