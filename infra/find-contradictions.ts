import type { Problem } from '../shared/errors.ts';
import { planFunctions } from './function-plan.ts';
import type { Settings } from './settings.ts';

/** Finds settings that are each valid and contradict each other. */
export function findContradictions(settings: Settings): readonly Problem[] {
  return [
    ...checkDatabase(settings),
    ...checkNetwork(settings),
    ...checkExport(settings),
    ...findRepeatedSources(settings),
    ...findOperatorsAmongViewers(settings),
    ...(hasUrls(settings) ? checkUrls(settings) : []),
  ];
}

const hasUrls = ({ databaseUrls }: Settings) => Object.keys(databaseUrls).length > 0;

function checkDatabase(settings: Settings): Problem[] {
  const { existingInstance, maxConnections } = settings;
  const isExisting = existingInstance !== '' || hasUrls(settings);
  const budget = {
    field: 'maxConnections',
    value: undefined,
    remedy: 'Set the number of connections of the existing database that the deployment may use.',
  };
  const both = {
    field: 'databaseUrls',
    value: '(set, not shown)',
    remedy: 'Set either existingInstance or databaseUrls, not both.',
  };
  return [
    ...(isExisting && maxConnections === 0 ? [budget] : []),
    ...(existingInstance !== '' && hasUrls(settings) ? [both] : []),
  ];
}

function checkNetwork({ privateNetwork, privateSubnetwork }: Settings): Problem[] {
  if ((privateNetwork === '') === (privateSubnetwork === '')) return [];
  const field = privateNetwork ? 'privateSubnetwork' : 'privateNetwork';
  const remedy = 'Set both: the network, and the subnetwork from which functions get addresses.';
  return [{ field, value: undefined, remedy }];
}

function checkExport({ exportArchive, exportBucket }: Settings): Problem[] {
  if (exportBucket === '' || exportArchive) return [];
  const remedy = 'Set it to true, or leave exportBucket empty: nothing is exported otherwise.';
  return [{ field: 'exportArchive', value: false, remedy }];
}

function findRepeatedSources({ sources }: Settings): Problem[] {
  const names = sources.map(({ name }) => name);
  const remedy = 'Another source has this name: use a different one.';
  return names.flatMap((value, index) =>
    names.indexOf(value) < index ? [{ field: `sources[${index}].name`, value, remedy }] : [],
  );
}

function findOperatorsAmongViewers({ operators, viewers }: Settings): Problem[] {
  const remedy = 'Is an operator already: remove it from one of the lists.';
  return viewers.flatMap((value, index) =>
    operators.includes(value) ? [{ field: `viewers[${index}]`, value, remedy }] : [],
  );
}

/** Each function has a login of its own, so each needs its own URL. */
function checkUrls(settings: Settings): Problem[] {
  const { databaseUrls } = settings;
  const names = planFunctions(settings).map(({ name }) => String(name));
  const problem = (name: string, value: string | undefined, remedy: string) => ({
    field: `databaseUrls.${name}`,
    value,
    remedy,
  });
  const missing = names.filter((name) => !databaseUrls[name]);
  const unknown = Object.keys(databaseUrls).filter((name) => ![...names, 'migrate'].includes(name));
  const invalid = Object.entries(databaseUrls).filter(([, url]) => !/^postgres(ql)?:\/\//.test(url));
  const known = `Unknown function: use ${names.join(', ')}, or migrate.`;
  return [
    ...missing.map((name) => problem(name, undefined, 'Add the URL with the login of this function.')),
    ...unknown.map((name) => problem(name, '(not shown)', known)),
    ...invalid.map(([name]) => problem(name, '(not shown)', 'Must start with postgres:// or postgresql://.')),
  ];
}
