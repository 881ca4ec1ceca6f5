import type { Problem } from '../shared/errors.ts';
import { planFunctions } from './function-plan.ts';
import { listTopics } from './grants.ts';
import { isGroup } from './members.ts';
import { isOnCloudSql, type KnownSettings as Settings } from './settings.ts';

type Rule = readonly [field: keyof Settings, isBroken: boolean, remedy: string];
type Values = readonly (readonly [field: string, value: string])[];

/** Finds settings that are each valid and contradict each other. */
export function findContradictions(settings: Settings): readonly Problem[] {
  const values: Readonly<Record<string, unknown>> = { ...settings, databaseUrls: '(not shown)' };
  return [
    ...[...listRules(settings), ...listPlaces(settings)].flatMap(([field, isBroken, remedy]) =>
      isBroken ? [{ field, value: values[field] || undefined, remedy }] : [],
    ),
    ...listDistinct(settings).flatMap(findRepeats),
    ...findUnresolvableGroups(settings),
    ...findUnproven(settings),
    ...findMissingUrls(settings),
  ];
}

function listRules(settings: Settings): readonly Rule[] {
  const { existingInstance, maxConnections, name, project, readers } = settings;
  const { privateNetwork, privateSubnetwork, privateServiceConnect } = settings;
  const isByUrl = !isOnCloudSql(settings);
  const isExisting = existingInstance !== '' || isByUrl;
  const limit = 'Set the number of connections of the existing database that the deployment may use.';
  const either = 'Set either existingInstance or databaseUrls, not both.';
  const unread = 'Remove them: with databaseUrls you create all logins, and grant these dlq_readonly.';
  const both = 'Set both: the network, and the subnetwork from which functions get addresses.';
  const connected =
    'Set privateNetwork and privateSubnetwork, too: the network that connects to the instance.';
  const short = 'Use a shorter one: a login, NAME-signed-capture@PROJECT.iam, has at most 63 characters.';
  return [
    ['name', name.length + project.length > 43 && !isByUrl, short],
    ['maxConnections', isExisting && maxConnections === 0, limit],
    ['databaseUrls', existingInstance !== '' && isByUrl, either],
    ['readers', readers.length > 0 && isByUrl, unread],
    ['privateNetwork', privateSubnetwork !== '' && privateNetwork === '', both],
    ['privateSubnetwork', privateNetwork !== '' && privateSubnetwork === '', both],
    ['privateServiceConnect', privateServiceConnect && privateNetwork === '', connected],
  ];
}

/** Names of resources that Google Cloud accepts of one region, and of one project, only. */
function listPlaces(settings: Settings): readonly Rule[] {
  const { project, region, privateNetwork, privateSubnetwork, kmsKey, repository } = settings;
  const [, host] = privateNetwork.split('/');
  const isElsewhere = (name: string, owner?: string) => {
    const [, project, , place] = name.split('/');
    return name !== '' && (place !== region || (owner !== undefined && project !== owner));
  };
  const subnetwork = `Use a subnetwork of project ${host} in ${region}: that of the network, in the region of the functions.`;
  const key = `Use a key in ${region}: Cloud Functions and Cloud SQL accept no key of another location.`;
  const images = `Use a repository of ${project} in ${region}: Cloud Functions accepts no other project or location.`;
  return [
    ['privateSubnetwork', privateNetwork !== '' && isElsewhere(privateSubnetwork, host), subnetwork],
    ['kmsKey', isElsewhere(kmsKey), key],
    ['repository', isElsewhere(repository, project), images],
  ];
}

/** Lists values that have to be different from each other. */
function listDistinct(settings: Settings): readonly Values[] {
  const { sources, readers, deployer, serviceAccounts } = settings;
  const accounts = Object.entries(serviceAccounts);
  return [
    sources.map(({ name }, i) => [`sources[${i}].name`, name]),
    // A message of such a topic or subscription would be captured twice, or again after its delivery or rejection.
    [
      ...listOwn(settings).map((name) => ['the deployment', name] as const),
      ...sources.flatMap((source, i): Values => {
        if (source.kind === 'topic') return [[`sources[${i}].topic`, source.topic]];
        return source.kind === 'subscription' ? [[`sources[${i}].subscription`, source.subscription]] : [];
      }),
      ...[...new Set(listTopics(settings))].map((topic) => ['routes', String(topic)] as const),
    ],
    // Each has one login, with the rights of one role.
    [['deployer', deployer], ...readers.map((reader, i) => [`readers[${i}]`, reader] as const)],
    [
      ['deployer', deployer.replace('serviceAccount:', '')],
      ...accounts.map(([name, account]) => [`serviceAccounts.${name}`, account] as const),
    ],
  ];
}

/** Full names of the topics and subscriptions of the deployment. */
function listOwn({ sources, project, name: prefix }: Settings): string[] {
  const own = ['capture', 'continue'].flatMap((what) => [
    `topics/${prefix}-${what}`,
    `topics/${prefix}-${what}-dead-letters`,
    `subscriptions/${prefix}-${what}-push`,
    `subscriptions/${prefix}-${what}-dead-letters`,
  ]);
  const pushed = sources.map(({ name }) => `subscriptions/${prefix}-sources-${name}`);
  return [...new Set([...own, ...pushed])].map((name) => `projects/${project}/${name}`);
}

function findRepeats(values: Values): Problem[] {
  const fields = new Map<string, string>();
  return values.flatMap(([field, value]) => {
    const first = fields.get(value);
    fields.set(value, first ?? field);
    return first === undefined ? [] : [{ field, value, remedy: `Use another one: ${first} has it.` }];
  });
}

function findUnresolvableGroups({ operators, viewers, iap }: Settings): Problem[] {
  if (iap) return [];
  const remedy = 'Set iap to true: only Identity-Aware Proxy can resolve groups. Or name users and domains.';
  return Object.entries({ operators, viewers }).flatMap(([setting, users]) =>
    users.flatMap((value, i) => (isGroup(value) ? [{ field: `${setting}[${i}]`, value, remedy }] : [])),
  );
}

/** Finds callers that neither have an identity on Google Cloud nor sign. */
function findUnproven({ sources, captureSecrets }: Settings): Problem[] {
  const remedy = 'Set the IAM member that calls. If it signs instead: set reads.secret and captureSecrets.';
  return sources.flatMap((source, i) => {
    const isProven = source.kind !== 'caller' || source.member || (source.reads?.secret && captureSecrets);
    return isProven ? [] : [{ field: `sources[${i}].member`, value: undefined, remedy }];
  });
}

function findMissingUrls(settings: Settings): Problem[] {
  if (isOnCloudSql(settings)) return [];
  const missing = planFunctions(settings).filter(({ name }) => !settings.databaseUrls[name]);
  const remedy = 'Add the URL with the login of this function.';
  return missing.map(({ name }) => ({ field: `databaseUrls.${name}`, value: undefined, remedy }));
}
