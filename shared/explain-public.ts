/** The parts of a service of Cloud Run and of its IAM policy that say who may call it. */
export type Invokers = {
  readonly service: { readonly invokerIamDisabled?: boolean };
  readonly policy: { readonly bindings?: readonly Binding[] };
};
export type Binding = {
  readonly role: string;
  readonly members?: readonly string[];
  readonly condition?: object;
};

const everyone = ['allUsers', 'allAuthenticatedUsers'];

/** Says why Cloud Run admits callers without a token, and how to end it. Undefined: it does not. */
export function explainPublic(name: string, { service, policy }: Invokers): string | undefined {
  const [, project, , region, , short] = name.split('/');
  const command = (verb: string) =>
    `gcloud run services ${verb} ${short} --project=${project} --region=${region}`;
  const ending = `so that it admits callers without a token. Run`;
  if (service.invokerIamDisabled) {
    return `Cloud Run does not check IAM for ${short}, ${ending} ${command('update')} --invoker-iam-check.`;
  }
  const grants = (policy.bindings ?? []).flatMap(({ role, members = [] }) =>
    members.map((member) => ({ role, member })),
  );
  const found = grants.find(({ member }) => everyone.includes(member));
  if (!found) return undefined;
  const { role, member } = found;
  return `${member} has ${role} on ${short}, ${ending} ${command('remove-iam-policy-binding')} --member=${member} --role=${role}.`;
}
