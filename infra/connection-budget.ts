import type { Problem } from '../shared/errors.ts';
import { planFunctions } from './function-plan.ts';
import type { Settings } from './settings.ts';
import { connectionsOf, defaultConnections } from './tiers.ts';

/** Connections reserved for migrations, for an operator with psql, and for Cloud SQL. */
const reservedConnections = 3;

/** Share of max_connections for functions: PostgreSQL reserves some, and revisions overlap in a rollout. */
const plannableShare = 0.8;

/**
 * Adds up the connections that the functions may open, with the reserve (`wanted`), and the share of
 * `max_connections` (`allowed`) that they must stay under (`plannable`).
 */
export function budgetConnections(settings: Settings) {
  const wanted = planFunctions(settings)
    .map(({ instances, pool }) => instances * pool)
    .reduce((sum, connections) => sum + connections, reservedConnections);
  const allowed = settings.maxConnections || connectionsOf(settings.tier);
  return { wanted, allowed, plannable: Math.floor(allowed * plannableShare) };
}

/** Returns a problem if the functions may open more connections than the budget, with the value to set. */
export function findOverspending(settings: Settings): readonly Problem[] {
  const { wanted, allowed, plannable } = budgetConnections(settings);
  if (wanted <= plannable) return [];
  const over = `The functions may open ${wanted} connections; the budget is ${plannable} of the ${allowed} that the database allows.`;
  const fewer = 'Or lower captureInstances or workers: each takes 2 connections.';
  const enough = defaultConnections.find((each) => Math.floor(each.connections * plannableShare) >= wanted);
  const raised = enough ? `Raise it to ${enough.tier}.` : 'No tier allows that many connections.';
  if (settings.maxConnections === 0) {
    return [{ field: 'tier', value: settings.tier, remedy: `${over} ${raised} ${fewer}` }];
  }
  const share = `Raise it to ${Math.ceil(wanted / plannableShare)}, if the database has them available.`;
  return [{ field: 'maxConnections', value: allowed, remedy: `${over} ${share} ${fewer}` }];
}
