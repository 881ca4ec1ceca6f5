import { defineText, readSettings, type Settings, type Texts } from './setting.ts';
import { type Checked, reject } from './validate.ts';

/** How callers are authenticated; with all of these unset every caller is rejected. */
export const callerSettings = {
  IAP_AUDIENCE: defineText(
    {
      allowed: '`/projects/NUMBER/...`',
      form: [/^(\/projects\/\d+\/\S+)?$/, 'Must look like /projects/NUMBER/...: IAP shows it.'],
      readBy: ['console'],
      stack: 'derived',
    },
    'Audience of the assertions of Identity-Aware Proxy.',
  ),
  CLOUD_RUN_IAM: defineText(
    {
      as: 'cloudRunService',
      allowed: '`projects/PROJECT/locations/REGION/services/SERVICE`',
      form: [
        /^(projects\/[^/]+\/locations\/[^/]+\/services\/[^/]+)?$/,
        'Must look like projects/PROJECT/locations/REGION/services/SERVICE.',
      ],
      readBy: ['replay', 'console'],
      stack: 'derived',
    },
    'This service on Cloud Run. Tokens that Cloud Run has verified are trusted while its IAM policy admits neither `allUsers` nor `allAuthenticatedUsers`, which the service account must be allowed to read (`roles/run.viewer`).',
  ),
  LOCAL_CALLER: defineText(
    {
      as: 'local',
      allowed: 'up to 100 characters',
      form: [/^.{0,100}$/s, 'Must have at most 100 characters.'],
      readBy: ['replay', 'console'],
      stack: { unset: 'Rejected on Cloud Run.' },
    },
    'Name recorded for callers on loopback, rejected on Cloud Run; `npm start` sets it to your user name.',
  ),
};

export type CallerConfig = Settings<typeof callerSettings>;
type CallerEnvironment = Texts<typeof callerSettings> & { readonly K_SERVICE?: string | undefined };

/** Reads how callers are authenticated. Rejects what is unsafe on the platform by K_SERVICE. */
export function readCallers(env: CallerEnvironment): Checked<CallerConfig> {
  const checked = readSettings(callerSettings, env);
  if (!checked.ok) return checked;
  const { cloudRunService, local } = checked.value;
  if (local && env.K_SERVICE)
    return reject('LOCAL_CALLER', local, 'Remove it: on Cloud Run callers must authenticate.');
  const remedy = 'Remove it: only Cloud Run verifies tokens before the function.';
  return cloudRunService && !env.K_SERVICE ? reject('CLOUD_RUN_IAM', cloudRunService, remedy) : checked;
}
