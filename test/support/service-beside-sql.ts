import { beforeEach } from 'node:test';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { runTick } from '../../shared/schedule/run-tick.ts';
import { useApi } from './api.ts';
import { aCapture } from './captures.ts';
import { useConsole } from './console.ts';
import { useDatabase } from './database.ts';
import { useHttpTarget } from './http-target.ts';
import { aRoute, aRouteTo, retryConfig } from './routes.ts';

/** Everything that shows or sends messages, beside the SQL of operators. */
export function useService() {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [aRoute({ match: { eventType: 'order.*' }, target: { kind: 'http', url: 'http://shop/' } })];
  const api = useApi(database, { routes });
  const served = useConsole(database, { routes });
  beforeEach(() =>
    database().sql(
      'truncate dlq_events, dlq_attempts, dlq_captures, dlq_runs, dlq_run_workers, dlq_run_events, dlq_breakers restart identity cascade',
    ),
  );
  const deps = () => ({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
  const capture = async (facts: Parameters<typeof aCapture>[0]) => {
    const [stored] = await storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture(facts)]);
    return stored?.id ?? '';
  };
  const page = async (path: string) => {
    const response = await fetch(`${served().url}/${path}`);
    return { status: response.status, text: await response.text() };
  };
  const tick = async () => {
    await runTick(deps());
    return target().received.map(({ body }) => body.toString());
  };
  return { database, target, api, deps, capture, page, tick };
}
