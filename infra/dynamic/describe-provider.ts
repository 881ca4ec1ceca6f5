import * as pulumi from '@pulumi/pulumi';

/** What a provider for Google Cloud can be given that decides who asks, and where. */
const options = [
  'accessToken',
  'credentials',
  'externalCredentials',
  'impersonateServiceAccount',
  'impersonateServiceAccountDelegates',
  'billingProject',
  'userProjectOverride',
  'universeDomain',
  'cloudRunV2CustomEndpoint',
  'sqlCustomEndpoint',
] as const;

/**
 * Returns the configuration of the provider that `parent` passes on to its resources, by `gcp:KEY`, so that
 * the dynamic resources use it, too; undefined for the default provider, which has that of the stack.
 */
export function describeProvider(
  parent: pulumi.Resource | undefined,
): pulumi.Output<Record<string, string>> | undefined {
  const provider = parent?.getProvider('gcp:projects/service:Service');
  if (!provider) return undefined;
  // The provider has every option that it was given as an output; its types have the texts only.
  const given = provider as unknown as Readonly<Record<string, pulumi.Output<unknown> | undefined>>;
  return pulumi
    .secret(pulumi.all(options.map((key) => given[key])))
    .apply((values) =>
      Object.fromEntries(
        options.flatMap((key, index) => (values[index] ? [[`gcp:${key}`, String(values[index])]] : [])),
      ),
    );
}
