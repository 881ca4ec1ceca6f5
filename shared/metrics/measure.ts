import { countColumns } from '../counts/aggregate-counts.ts';
import { listFirstTypes } from '../counts/sum-depths.ts';
import type { Database } from '../database/database.ts';
import { statement, toField } from '../database/statement.ts';
import type { Route } from '../delivery/routes.ts';
import { jobNames, jobs } from '../jobs/jobs.ts';
import { listBacklogs } from '../schedule/backlogs.ts';
import { readSnapshot } from '../schedule/snapshot.ts';
import type { Metric } from './metric.ts';
import { listedMetrics, type MetricName } from './metrics.ts';

/** A value of a metric at one moment. Times are in seconds. */
export type Sample = {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

/** Measured numbers by metric, of what the texts name; unknown numbers are null. */
type Row = Readonly<Record<string, string | number | null>>;
type Params = {
  jobs: readonly { readonly job: string; readonly intervalSeconds: number }[];
  /** The types with metrics of their own, and whether there are others. */
  types: readonly string[];
  hasOthers: boolean;
};

/** The first types ever seen are named: any other choice would let counters decrease. */
const maxTypes = 100;

const statements = [
  statement<Params, Row>('measure-types', countColumns),
  statement<Params, Row>('measure-ages'),
  statement<Params, Row>('measure-hours'),
  statement<Params, Row>('measure-leases'),
  statement<Params, Row>('measure-runs'),
  statement<Params, Row>('measure-breakers'),
  statement<Params, Row>('measure-groups'),
  statement<Params, Row>('measure-inflow'),
  statement<Params, Row>('measure-database'),
  statement<Params, Row>('measure-jobs'),
];

/** The job that measures needs no measurement: its own alert fires if there is none. */
const measuredJobs = jobNames.filter((name) => name !== 'metrics').map((job) => ({ job, ...jobs[job] }));

/** Measures all metrics, by short statements that read counts, index entries and the leased events alone. */
export async function measure(db: Database, routes: readonly Route[]): Promise<readonly Sample[]> {
  const rows: Row[] = [];
  const known = (await listFirstTypes(db, { max: maxTypes + 1 })).map(({ eventType }) => eventType);
  const types = known.slice(0, maxTypes);
  const params: Params = { jobs: measuredJobs, types, hasOthers: known.length > maxTypes };
  for (const measureRows of statements) rows.push(...(await measureRows(db, params)));
  rows.push(await measureBacklogs(db, routes));
  return rows.flatMap(toSamples);
}

async function measureBacklogs(db: Database, routes: readonly Route[]): Promise<Row> {
  const now = Date.now();
  const backlogs = await listBacklogs(db, await readSnapshot({ db, routes }));
  const sum = (of: readonly { readonly waiting: number }[]) =>
    of.reduce((all, each) => all + each.waiting, 0);
  const oldest = (times: readonly (Date | null)[]) =>
    Math.max(0, ...times.map((time) => (time ? (now - time.getTime()) / 1000 : 0)));
  const causes = backlogs.flatMap((backlog) => backlog.causes);
  return {
    unroutedEvents: sum(backlogs.filter(({ target }) => target === null)),
    heldEvents: sum(backlogs.filter(({ state }) => state === 'held')),
    retryLagSeconds: oldest(backlogs.map(({ dueSince }) => dueSince)),
    failingCauses: causes.length,
    failingEvents: sum(causes),
    failingAgeSeconds: oldest(causes.map(({ since }) => since)),
  };
}

/** Returns the numbers of a row that belong to its texts: those of a type are none of all types. */
function toSamples(row: Row): readonly Sample[] {
  const texts = Object.entries(row).filter((each): each is [string, string] => typeof each[1] === 'string');
  const labels = Object.fromEntries(texts.map(([field, text]) => [toLabel(field), text]));
  return listedMetrics.flatMap(([name, metric]) => {
    const value = row[toField(name)];
    return typeof value === 'number' && belongs(metric, Object.keys(labels)) ? [{ name, labels, value }] : [];
  });
}

const toLabel = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function belongs({ by = [], of }: Metric, labels: readonly string[]): boolean {
  return of ? labels.every((label) => label === of) : labels.join() === by.join();
}
