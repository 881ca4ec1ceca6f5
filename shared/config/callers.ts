import * as v from 'valibot';
import { type Checked, reject } from './validate.ts';
import { readSettings, type Texts, variable } from './variable.ts';

/** How callers are authenticated; with all of these unset every caller is rejected. */
export type CallerConfig = {
  /** Audience of the IAP assertion, such as `/projects/123/locations/europe-west1/services/console`. */
  readonly iapAudience: string | undefined;
  /**
   * Full name of this service, if Cloud Run verifies tokens, checks IAM, and removes the signature before it
   * forwards a request.
   */
  readonly cloudRunService: string | undefined;
  /** Name recorded for callers on loopback. */
  readonly local: string | undefined;
};

export const CallerSchema = v.object({
  IAP_AUDIENCE: variable(
    {
      allowed: '`/projects/NUMBER/...`',
      description: 'Audience of the assertions of Identity-Aware Proxy.',
    },
    v.optional(
      v.pipe(
        v.string(),
        v.regex(/^(\/projects\/\d+\/\S+)?$/, 'Must look like /projects/NUMBER/...: IAP shows it.'),
      ),
    ),
  ),
  CLOUD_RUN_IAM: variable(
    {
      allowed: '`projects/PROJECT/locations/REGION/services/SERVICE`',
      description:
        'This service on Cloud Run. Tokens that Cloud Run has verified are trusted while its IAM policy admits neither `allUsers` nor `allAuthenticatedUsers`, which the service account must be allowed to read (`roles/run.viewer`).',
    },
    v.optional(
      v.pipe(
        v.string(),
        v.regex(
          /^(projects\/[^/]+\/locations\/[^/]+\/services\/[^/]+)?$/,
          'Must look like projects/PROJECT/locations/REGION/services/SERVICE.',
        ),
      ),
    ),
  ),
  LOCAL_CALLER: variable(
    {
      allowed: 'up to 100 characters',
      description:
        'Name recorded for callers on loopback, rejected on Cloud Run; `npm start` sets it to your user name.',
    },
    v.optional(v.pipe(v.string(), v.maxLength(100, 'Must have at most 100 characters.'))),
  ),
});

type CallerEnvironment = Texts<typeof CallerSchema.entries> & { readonly K_SERVICE?: string };

/**
 * Reads how callers are authenticated. Rejects values that are unsafe on the platform that K_SERVICE
 * indicates.
 */
export function readCallers(env: CallerEnvironment): Checked<CallerConfig> {
  const checked = readSettings(CallerSchema, env);
  if (!checked.ok) return checked;
  const { iapAudience, cloudRunIam, localCaller } = checked.value;
  if (localCaller && env.K_SERVICE) {
    return reject('LOCAL_CALLER', localCaller, 'Remove it: on Cloud Run callers must authenticate.');
  }
  if (cloudRunIam && !env.K_SERVICE) {
    return reject(
      'CLOUD_RUN_IAM',
      cloudRunIam,
      'Remove it: only Cloud Run verifies tokens before the function.',
    );
  }
  const value = {
    iapAudience: iapAudience || undefined,
    cloudRunService: cloudRunIam || undefined,
    local: localCaller || undefined,
  };
  return { ok: true, value };
}
