import type { Problem } from '../shared/errors.ts';
import { planFunctions } from './function-plan.ts';
import { isGroup } from './members.ts';
import type { KnownSettings as Settings } from './settings.ts';

type Rule = readonly [field: keyof Settings, isWrong: boolean, remedy: string];

type Values = readonly (readonly [field: string, value: string])[];

/** Finds settings that are each valid and contradict each other. */
export function findContradictions(settings: Settings): readonly Problem[] {
  const broken = [...ruleDatabase(settings), ...rulePlaces(settings)].filter(([, isWrong]) => isWrong);
  return [
    ...broken.map(([field, , remedy]) => {
      return {
        field,
        value: field === 'databaseUrls' ? '(not shown)' : settings[field] || undefined,
        remedy,
      };
    }),
    ...listDistinct(settings).flatMap(findRepeats),
    ...findUnresolvableGroups(settings),
    ...findMissingUrls(settings),
  ];
}

const hasUrls = ({ databaseUrls }: Settings) => Object.keys(databaseUrls).length > 0;

function ruleDatabase(settings: Settings): readonly Rule[] {
  const { existingInstance, maxConnections, readers } = settings;
  const isByUrl = hasUrls(settings);
  return [
    [
      'maxConnections',
      (existingInstance !== '' || isByUrl) && maxConnections === 0,
      'Set the number of connections of the existing database that the deployment may use.',
    ],
    [
      'databaseUrls',
      existingInstance !== '' && isByUrl,
      'Set either existingInstance or databaseUrls, not both.',
    ],
    [
      'readers',
      readers.length > 0 && isByUrl,
      'Remove them: with databaseUrls you create all logins, and grant these dlq_readonly.',
    ],
  ];
}

function rulePlaces(settings: Settings): readonly Rule[] {
  const { project, region, privateNetwork, privateSubnetwork, privateServiceConnect } = settings;
  const { kmsKey, repository } = settings;
  const [, host] = privateNetwork.split('/');
  const isIn = (name: string, owner: string | undefined) =>
    name === '' || (name.split('/')[1] === owner && name.split('/')[3] === region);
  const both = 'Set both: the network, and the subnetwork from which functions get addresses.';
  return [
    ['privateNetwork', privateSubnetwork !== '' && privateNetwork === '', both],
    ['privateSubnetwork', privateNetwork !== '' && privateSubnetwork === '', both],
    [
      'privateServiceConnect',
      privateServiceConnect && privateNetwork === '',
      'Set privateNetwork and privateSubnetwork, too: the network that connects to the instance.',
    ],
    [
      'privateSubnetwork',
      privateNetwork !== '' && !isIn(privateSubnetwork, host),
      `Use a subnetwork of project ${host} in ${region}: that of the network, in the region of the functions.`,
    ],
    [
      'kmsKey',
      !isIn(kmsKey, kmsKey.split('/')[1]),
      `Use a key in ${region}: Cloud Functions and Cloud SQL accept no key of another location.`,
    ],
    [
      'repository',
      !isIn(repository, project),
      `Use a repository of ${project} in ${region}: Cloud Functions accepts no other project or location.`,
    ],
  ];
}

/** Lists values that have to be different from each other. */
function listDistinct(settings: Settings): readonly Values[] {
  const { sources, readers, deployer, serviceAccounts, project, name: prefix } = settings;
  const own = ['capture', 'continue', 'capture-dead-letters', 'continue-dead-letters'];
  return [
    sources.map(({ name }, i) => [`sources[${i}].name`, name]),
    // A message of such a topic would be captured twice, or again after capture had rejected it.
    [
      ...own.map((name) => ['the deployment', `projects/${project}/topics/${prefix}-${name}`] as const),
      ...sources.flatMap(
        (source, i): Values => (source.kind === 'topic' ? [[`sources[${i}].topic`, source.topic]] : []),
      ),
    ],
    // Each has one login, with the rights of one role.
    [['deployer', deployer], ...readers.map((reader, i) => [`readers[${i}]`, reader] as const)],
    [
      ['deployer', deployer.replace('serviceAccount:', '')],
      ...Object.entries(serviceAccounts).map(
        ([name, account]) => [`serviceAccounts.${name}`, account] as const,
      ),
    ],
  ];
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

function findMissingUrls(settings: Settings): Problem[] {
  if (!hasUrls(settings)) return [];
  const missing = planFunctions(settings).filter(({ name }) => !settings.databaseUrls[name]);
  const remedy = 'Add the URL with the login of this function.';
  return missing.map(({ name }) => ({ field: `databaseUrls.${name}`, value: undefined, remedy }));
}
