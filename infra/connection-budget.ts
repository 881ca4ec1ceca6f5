import type { Problem } from '../shared/errors.ts';
import { planFunctions } from './function-plan.ts';
import type { Settings } from './settings.ts';
import { connectionsOf, usualTiers } from './tiers.ts';

/** For `pulumi up` that migrates, somebody with psql, and Cloud SQL's own agents. */
export const reservedConnections = 3;

/** Of what the database allows: it keeps some for itself, and a new revision starts before the old one has gone. */
const plannableShare = 0.8;

export type ConnectionBudget = {
  /** What every function and the reserve may hold at once. */
  readonly wanted: number;
  /** What the database accepts. */
  readonly allowed: number;
  /** What may be planned with. */
  readonly plannable: number;
};

export function budgetConnections(settings: Settings): ConnectionBudget {
  const wanted = planFunctions(settings)
    .map(({ instances, pool }) => instances * pool)
    .reduce((sum, connections) => sum + connections, reservedConnections);
  const allowed = settings.maxConnections || connectionsOf(settings.tier);
  return { wanted, allowed, plannable: Math.floor(allowed * plannableShare) };
}

/** A budget that is overspent as a problem for each setting that could help, with the value that would. */
export function findOverspending(settings: Settings): readonly Problem[] {
  const { wanted, allowed, plannable } = budgetConnections(settings);
  if (wanted <= plannable) return [];
  const over = `The functions may open ${wanted} connections, of the ${allowed} that the database allows ${plannable} may be planned with.`;
  const goesByTier = settings.maxConnections === 0;
  const database = goesByTier
    ? { field: 'tier', value: settings.tier, remedy: `${over} ${raiseTier(wanted)}` }
    : { field: 'maxConnections', value: allowed, remedy: `${over} ${raiseShare(wanted)}` };
  const fewer = (['captureInstances', 'workers'] as const).flatMap((field) => {
    const fitting = fewerThatFit(settings[field], wanted - plannable);
    const remedy = `Or lower it to ${fitting}: each takes 2 connections.`;
    return fitting === undefined ? [] : [{ field, value: settings[field], remedy }];
  });
  return [database, ...fewer];
}

function raiseTier(wanted: number): string {
  const tier = findTier(wanted);
  return tier ? `Raise it to ${tier}.` : 'No machine allows that many.';
}

function raiseShare(wanted: number): string {
  return `Raise it to ${Math.ceil(wanted / plannableShare)}, if the database has them to spare.`;
}

function findTier(wanted: number): string | undefined {
  return usualTiers.find((tier) => Math.floor(connectionsOf(tier) * plannableShare) >= wanted);
}

function fewerThatFit(instances: number, excess: number): number | undefined {
  const fewer = instances - Math.ceil(excess / 2);
  return fewer >= 1 ? fewer : undefined;
}
