import * as pulumi from '@pulumi/pulumi';

/** The arguments of a provider for Google Cloud that set its identity and its endpoints. */
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
 * the dynamic resources use it, too; undefined for the default provider, which has that of the stack. One
 * output for each: a preview does not know those that are not given.
 */
export function describeProvider(
  parent: pulumi.Resource | undefined,
): Readonly<Record<string, pulumi.Output<unknown>>> | undefined {
  const provider = parent?.getProvider('gcp:projects/service:Service');
  if (!provider) return undefined;
  // The provider has every option as an output; its types have the texts only.
  const given = provider as unknown as Readonly<Record<string, pulumi.Output<unknown> | undefined>>;
  return Object.fromEntries(options.map((key) => [`gcp:${key}`, pulumi.secret(given[key])]));
}
