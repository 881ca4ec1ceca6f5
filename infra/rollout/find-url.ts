import * as pulumi from '@pulumi/pulumi';

/**
 * Returns the run.app URL of a function. After a failed first build there is none: a preview then returns an
 * unknown value, since the update builds the function again, and an update throws an Error with the command
 * that replaces it.
 */
export function findUrl(
  { name, urn, uri }: { readonly name: string; readonly urn: string; readonly uri: string | undefined },
  isPreview = pulumi.runtime.isDryRun(),
): string {
  if (uri) return uri;
  if (isPreview) return pulumi.unknown as unknown as string;
  throw new Error(
    `Google Cloud returned no URL for ${name}: it was never built. Replace it: npm run deploy -- --replace '${urn}'`,
  );
}
