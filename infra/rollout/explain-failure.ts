import * as pulumi from '@pulumi/pulumi';

export type BuildLocation = { readonly project: string; readonly region: string };

/**
 * Returns options for functions that report once what to do if one of them cannot be created or updated: the
 * error of Google Cloud names the build only. A preview needs none.
 */
export function explainFailure(name: string, location: BuildLocation): pulumi.CustomResourceOptions {
  if (pulumi.runtime.isDryRun()) return {};
  return { hooks: { onError: [new pulumi.ErrorHook(`${name}-failure`, reportOnce(location))] } };
}

function reportOnce({ project, region }: BuildLocation): pulumi.ErrorHookFunction {
  let isReported = false;
  return async ({ failedOperation, errors: [latest = ''] }) => {
    if (isReported || failedOperation === 'delete') return false;
    isReported = true;
    const cause = /build/i.test(latest) ? 'A function was not built' : 'A function was not deployed';
    const log = `gcloud builds list --project=${project} --region=${region} --limit=5`;
    const meanwhile = failedOperation === 'create' ? '' : '; what served before continues to serve';
    await pulumi.log.error(
      `${cause}${meanwhile}. Run the same command again: it builds what failed. ` +
        `If it fails again, the reason is in the log of the build: ${log}`,
    );
    // Not retried: a second create would be rejected, because the name is taken.
    return false;
  };
}
