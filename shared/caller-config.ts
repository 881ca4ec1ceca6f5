import * as v from 'valibot';
import type { Checked } from './validate.ts';
import { check, refuse } from './validate.ts';

/** How callers prove who they are. What is not set is not believed; where nothing is set, nobody is. */
export type CallerConfig = {
  /** Audiences of the Google ID tokens that are taken, signature and all. */
  readonly audiences: readonly string[];
  /** The audience of what IAP asserts, such as `/projects/123/locations/europe-west1/services/console`. */
  readonly iapAudience: string | undefined;
  /** Cloud Run asks IAM before it lets a request in, and takes the signature off the token that it has verified. */
  readonly trustsCloudRun: boolean;
  /** Who calls over loopback, on a machine of one's own. */
  readonly local: string | undefined;
};

const audience = v.pipe(v.string(), v.trim(), v.nonEmpty('Leave out the empty one.'));

const CallerSchema = v.object({
  CALLER_AUDIENCE: v.pipe(
    v.optional(v.string(), ''),
    v.transform((text) => (text ? text.split(',') : [])),
    v.array(audience),
  ),
  IAP_AUDIENCE: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(\/projects\/\d+\/\S+)?$/, 'Must look like /projects/NUMBER/...: IAP shows it.'),
    ),
  ),
  CLOUD_RUN_IAM: v.optional(v.picklist(['true', 'false'], 'Use "true" or "false".'), 'false'),
  LOCAL_CALLER: v.optional(v.pipe(v.string(), v.maxLength(100, 'Must have at most 100 characters.'))),
});

type CallerEnvironment = Readonly<
  Partial<Record<keyof v.InferInput<typeof CallerSchema> | 'K_SERVICE', string>>
>;

/** Reads who is believed. What would open a door by mistake is refused: it depends on where the function runs. */
export function readCallers(env: CallerEnvironment): Checked<CallerConfig> {
  const checked = check(CallerSchema, env);
  if (!checked.ok) return checked;
  const { CALLER_AUDIENCE: audiences, IAP_AUDIENCE, CLOUD_RUN_IAM, LOCAL_CALLER } = checked.value;
  if (LOCAL_CALLER && env.K_SERVICE) {
    return refuse('LOCAL_CALLER', LOCAL_CALLER, 'Remove it: on Cloud Run callers prove who they are.');
  }
  if (CLOUD_RUN_IAM === 'true' && !env.K_SERVICE) {
    return refuse(
      'CLOUD_RUN_IAM',
      CLOUD_RUN_IAM,
      'Remove it: nothing but Cloud Run verifies tokens before us.',
    );
  }
  const trustsCloudRun = CLOUD_RUN_IAM === 'true';
  return {
    ok: true,
    value: {
      audiences,
      iapAudience: IAP_AUDIENCE || undefined,
      trustsCloudRun,
      local: LOCAL_CALLER || undefined,
    },
  };
}
