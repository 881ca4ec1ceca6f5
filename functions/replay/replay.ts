import type { RawEndpoint } from '../raw-requests.ts';
import { discard } from './acts/discard.ts';
import { reopen } from './acts/reopen.ts';
import { reprioritise } from './acts/reprioritise.ts';
import { restore } from './acts/restore.ts';
import { serveResources } from './api/serve-resources.ts';
import { auditResource } from './audit/list-audit.ts';
import { attemptsResource } from './events/list-attempts.ts';
import { eventsResource } from './events/list-events.ts';
import { eventResource } from './events/show-event.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { replayNamed } from './replay-named.ts';
import { changeResource } from './runs/api/change-resource.ts';
import { runEventResource } from './runs/api/run-event-resource.ts';
import { runEventsResource } from './runs/api/run-events-resource.ts';
import { runResource } from './runs/api/run-resource.ts';
import { runsResource } from './runs/api/runs-resource.ts';
import { workResource } from './runs/api/work-resource.ts';
import { changes } from './runs/change-run.ts';

/** The API by which people look at events and act on them. */
export function replay(deps: ReplayDeps): RawEndpoint {
  const resources = [
    eventsResource(deps),
    eventResource(deps),
    attemptsResource(deps),
    discard(deps),
    reopen(deps),
    reprioritise(deps),
    restore(deps),
    auditResource(deps),
    replayNamed(deps),
    runsResource(deps),
    runResource(deps),
    runEventsResource(deps),
    runEventResource(deps),
    ...changes.map((change) => changeResource(deps, change)),
    workResource(deps),
  ];
  return serveResources(resources, deps.identify);
}
