import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

type Session = {
  readonly pid: number;
  readonly application: string;
  readonly backend: string;
  readonly state: string;
  readonly wait: string;
  readonly blockedBy: readonly number[];
  readonly xactMs: number;
  readonly queryMs: number;
  readonly query: string;
};

/** One moment of the server and the machine. Times of the machine are totals in ms since its start. */
export type Sample = {
  readonly at: number;
  readonly sessions: readonly Session[];
  readonly progress: readonly string[];
  readonly checkpoints: number;
  /** The longest delay of the clients themselves since the sample before: their process did nothing. */
  readonly clientDelayMs: number;
  readonly machine: Readonly<Record<string, number>>;
};

const everyMs = 100;

const statement = `
  select
    (select json_agg(json_build_object(
       'pid', pid, 'application', application_name, 'backend', backend_type, 'state', coalesce(state, ''),
       'wait', coalesce(wait_event_type || ':' || wait_event, ''),
       'blockedBy', case when wait_event_type = 'Lock' then pg_blocking_pids(pid) else '{}' end,
       'xactMs', coalesce(round(extract(epoch from clock_timestamp() - xact_start) * 1000), 0),
       'queryMs', coalesce(round(extract(epoch from clock_timestamp() - query_start) * 1000), 0),
       'query', left(regexp_replace(query, '\\s+', ' ', 'g'), 120)))
     from pg_stat_activity
     where pid <> pg_backend_pid() and (state <> 'idle' or wait_event_type <> 'Activity')) as sessions,
    array(
      select 'vacuum of ' || relid::regclass || ': ' || phase from pg_stat_progress_vacuum
      union all select 'analyze of ' || relid::regclass || ': ' || phase from pg_stat_progress_analyze
      union all select command || ' on ' || relid::regclass || ': ' || phase from pg_stat_progress_create_index) as progress,
    (select num_done::int from pg_stat_checkpointer) as checkpoints`;

/** Calls `report` every 100 ms until the returned function is called. */
export async function startSampler(
  url: string,
  report: (sample: Sample) => void,
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Its statistics would otherwise be those of the beginning.
  await client.query('set stats_fetch_consistency = none');
  let isOver = false;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const sampling = (async () => {
    while (!isOver) {
      const at = Date.now();
      const machine = readMachine();
      const { rows } = await client.query(statement);
      report({ at, machine, clientDelayMs: Math.round(delay.max / 1e6), ...rows[0] });
      delay.reset();
      await pause(Math.max(everyMs - (Date.now() - at), 1));
    }
    await client.end();
  })();
  return async () => {
    isOver = true;
    await sampling;
  };
}

/** Totals of Linux: ms in which tasks waited for the disk or a processor, time stolen by the host, and pages to write in MB. */
function readMachine(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const kind of ['io', 'cpu']) {
    for (const [, scope, total] of read(`/proc/pressure/${kind}`).matchAll(/^(some|full).*total=(\d+)/gm))
      found[`${kind} ${scope}`] = Number(total) / 1000;
  }
  found.stolen = Number(read('/proc/stat').split(/\s+/)[8] ?? 0) * 10;
  for (const [, name = '', kilobytes] of read('/proc/meminfo').matchAll(/^(Dirty|Writeback): +(\d+)/gm))
    found[name] = Number(kilobytes) / 1000;
  return found;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Describes the samples between two times, one line for each. */
export function describeSamples(samples: readonly Sample[], from: number, to: number): string[] {
  return samples.flatMap((sample, index) => {
    const last = samples[index - 1];
    if (!last || sample.at < from || last.at > to) return [];
    const rise = (name: string) => Math.round((sample.machine[name] ?? 0) - (last.machine[name] ?? 0));
    const busy = sample.sessions
      .filter(({ state, backend }) => state === 'active' || backend !== 'client backend')
      .map(
        ({ pid, backend, application, wait, blockedBy, queryMs, query }) =>
          `${pid} ${backend === 'client backend' ? application || 'client' : backend} ${wait || 'running'}${blockedBy.length > 0 ? ` behind ${blockedBy.join(', ')}` : ''} ${queryMs} ms ${query.slice(0, 40)}`,
      );
    return [
      `${new Date(sample.at).toISOString().slice(11, 23)} +${sample.at - last.at} ms, clients delayed ${sample.clientDelayMs} ms: waits for the disk ${rise('io some')} (all: ${rise('io full')}), for processors ${rise('cpu some')}, stolen ${rise('stolen')} ms; dirty ${Math.round(sample.machine.Dirty ?? 0)} MB, checkpoints ${sample.checkpoints}; ${[...sample.progress, ...busy].join('; ')}`,
    ];
  });
}
