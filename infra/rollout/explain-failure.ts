import * as pulumi from '@pulumi/pulumi';
import type { Settings } from '../settings.ts';

type Location = Pick<Settings, 'project' | 'region'>;

/**
 * Returns options for functions that report once what to do if one of them cannot be created or updated: the
 * error of Google Cloud names the build only. A preview needs none.
 */
export function explainFailure(name: string, { project, region }: Location): pulumi.CustomResourceOptions {
  if (pulumi.runtime.isDryRun()) return {};
  let isReported = false;
  const report: pulumi.ErrorHookFunction = async ({ failedOperation, errors: [latest = ''] }) => {
    // Not retried: a second create would be rejected, because the name is taken.
    if (isReported || failedOperation === 'delete') return false;
    isReported = true;
    const cause = /build/i.test(latest) ? 'A function was not built' : 'A function was not deployed';
    const log = pulumi.interpolate`gcloud builds list --project=${project} --region=${region} --limit=5`;
    const meanwhile = failedOperation === 'create' ? '' : '; what served before continues to serve';
    const remedy = 'Run the same command again: it builds what failed. If it fails again, the reason is in';
    const message = pulumi.interpolate`${cause}${meanwhile}. ${remedy} the log of the build: ${log}`;
    await new Promise((resolve) => message.apply((text) => resolve(pulumi.log.error(text))));
    return false;
  };
  return { hooks: { onError: [new pulumi.ErrorHook(`${name}-failure`, report)] } };
}
