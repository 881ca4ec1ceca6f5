import { ApiError } from './api-error.ts';
import { find, type Google } from './google.ts';
import type { Json } from './json.ts';
import { type Access, isAllowed } from './policies.ts';
import type { Revision } from './revision.ts';

/** The parts of a function that a build and its revision need. */
export type BuildRequest = {
  /** `projects/acme/locations/europe-west1/services/dlo-capture` */
  readonly service: string;
  readonly source: { readonly bucket: string; readonly object: string };
  /** `projects/acme/locations/europe-west1/repositories/images` */
  readonly repository: string;
  /** Email of the account that builds. */
  readonly builder: string;
  readonly entryPoint: string;
  readonly account: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Names of secret versions by variable. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly settings: Json;
};

/**
 * Builds a revision, with the rights that the accounts have at this moment. Throws what Google Cloud would
 * report.
 */
export function build(google: Google, request: BuildRequest): Revision {
  const { service, source, builder, account, secrets } = request;
  const fault = google.faults.find(({ call, times }) => times > 0 && call.test(`BUILD ${service}`));
  if (fault) {
    fault.times -= 1;
    throw new ApiError(
      'INVALID_ARGUMENT',
      fault.message ?? 'Build failed with status: FAILURE. See the build log.',
    );
  }
  const archive = find(google, `b/${source.bucket}/o/${encodeURIComponent(source.object)}`).content as Buffer;
  requireAll(google, `serviceAccount:${builder}`, accessOfBuild(request));
  for (const version of Object.values(secrets)) {
    find(google, version);
    requireAll(google, `serviceAccount:${account}`, [
      { permission: 'secretmanager.versions.access', resources: [version.replace(/\/versions\/.*/, '')] },
    ]);
  }
  const number = (google.revisions.get(service)?.number ?? 0) + 1;
  const { entryPoint, variables, settings } = request;
  return { number, archive, entryPoint, variables, secrets, account, settings };
}

type Required = Omit<Access, 'member'>;

function accessOfBuild({ service, source, repository }: BuildRequest): Required[] {
  const project = service.split('/').slice(0, 2).join('/');
  const name = `projects/_/buckets/${source.bucket}/objects/${source.object}`;
  return [
    { permission: 'storage.objects.get', resources: [`b/${source.bucket}`, project], attributes: { name } },
    { permission: 'artifactregistry.repositories.uploadArtifacts', resources: [repository, project] },
    { permission: 'logging.logEntries.create', resources: [project] },
  ];
}

function requireAll(google: Google, member: string, required: readonly Required[]): void {
  const missing = required.filter((access) => !isAllowed(google.policies, { member, ...access }));
  if (missing.length === 0) return;
  const each = missing.map(({ permission, resources }) => `${permission} on ${resources[0]}`).join(', ');
  throw new ApiError('PERMISSION_DENIED', `${member} does not have ${each}.`);
}
