import type { Problem } from '../shared/errors.ts';
import { planFunctions } from './function-plan.ts';
import { isGroup } from './members.ts';
import type { KnownSettings as Settings } from './settings.ts';

/** Finds settings that are each valid and contradict each other. */
export function findContradictions(settings: Settings): readonly Problem[] {
  return [
    ...checkDatabase(settings),
    ...checkNetwork(settings),
    ...checkKey(settings),
    ...findRepeatedSources(settings),
    ...findOwnTopics(settings),
    ...findUnresolvableGroups(settings),
    ...(hasUrls(settings) ? findMissingUrls(settings) : []),
  ];
}

const hasUrls = ({ databaseUrls }: Settings) => Object.keys(databaseUrls).length > 0;

function checkDatabase(settings: Settings): Problem[] {
  const problems: Problem[] = [];
  const isExisting = settings.existingInstance !== '' || hasUrls(settings);
  if (isExisting && settings.maxConnections === 0) {
    const remedy = 'Set the number of connections of the existing database that the deployment may use.';
    problems.push({ field: 'maxConnections', value: undefined, remedy });
  }
  if (settings.existingInstance !== '' && hasUrls(settings)) {
    const remedy = 'Set either existingInstance or databaseUrls, not both.';
    problems.push({ field: 'databaseUrls', value: '(set, not shown)', remedy });
  }
  return problems;
}

function checkNetwork(settings: Settings): Problem[] {
  const { privateNetwork, privateSubnetwork, privateServiceConnect, region } = settings;
  if ((privateNetwork === '') !== (privateSubnetwork === '')) {
    const field = privateNetwork ? 'privateSubnetwork' : 'privateNetwork';
    const remedy = 'Set both: the network, and the subnetwork from which functions get addresses.';
    return [{ field, value: undefined, remedy }];
  }
  if (privateServiceConnect && !privateNetwork) {
    const remedy =
      'Set privateNetwork and privateSubnetwork, too: the network that connects to the instance.';
    return [{ field: 'privateServiceConnect', value: true, remedy }];
  }
  const [, host] = privateNetwork.split('/');
  const [, project, , place] = privateSubnetwork.split('/');
  if (host === project && (place === region || !privateNetwork)) return [];
  const remedy = `Use a subnetwork of project ${host} in ${region}: that of the network, in the region of the functions.`;
  return [{ field: 'privateSubnetwork', value: privateSubnetwork, remedy }];
}

function checkKey({ kmsKey, region }: Settings): Problem[] {
  if (kmsKey === '' || kmsKey.split('/')[3] === region) return [];
  const remedy = `Use a key in ${region}: Cloud Functions and Cloud SQL accept no key of another location.`;
  return [{ field: 'kmsKey', value: kmsKey, remedy }];
}

function findRepeatedSources({ sources }: Settings): Problem[] {
  const names = sources.map(({ name }) => name);
  const remedy = 'Another source has this name: use a different one.';
  return names.flatMap((value, index) =>
    names.indexOf(value) < index ? [{ field: `sources[${index}].name`, value, remedy }] : [],
  );
}

/** A message of such a topic would be captured twice, or again after capture had rejected it. */
function findOwnTopics({ sources, project, name: prefix }: Settings): Problem[] {
  const remedy =
    'Is a topic of this deployment or of another source: name the topic to which failures are published.';
  const own = ['capture', 'continue', 'capture-dead-letters', 'continue-dead-letters'];
  const taken = new Set(own.map((name) => `projects/${project}/topics/${prefix}-${name}`));
  return sources.flatMap((source, index) => {
    if (source.kind !== 'topic') return [];
    const isTaken = taken.has(source.topic);
    taken.add(source.topic);
    return isTaken ? [{ field: `sources[${index}].topic`, value: source.topic, remedy }] : [];
  });
}

function findUnresolvableGroups({ operators, viewers, iap }: Settings): Problem[] {
  if (iap) return [];
  const remedy = 'Set iap to true: only Identity-Aware Proxy can resolve groups. Or name users and domains.';
  return Object.entries({ operators, viewers }).flatMap(([setting, users]) =>
    users.flatMap((value, index) =>
      isGroup(value) ? [{ field: `${setting}[${index}]`, value, remedy }] : [],
    ),
  );
}

function findMissingUrls(settings: Settings): Problem[] {
  const missing = planFunctions(settings).filter(({ name }) => !settings.databaseUrls[name]);
  const remedy = 'Add the URL with the login of this function.';
  return missing.map(({ name }) => ({ field: `databaseUrls.${name}`, value: undefined, remedy }));
}
