import type { EventView } from '../../../shared/events/read-event.ts';

const base = 'https://console.cloud.google.com';
const aroundFailureMs = 60_000;

/** The page of a topic or subscription, from its name `projects/P/topics/T`; undefined for any other name. */
export function pubsubLink(name: string | null): string | undefined {
  const [, project, kind, id] =
    /^projects\/([\w.:-]+)\/(topics|subscriptions)\/([\w.~+%-]+)$/.exec(name ?? '') ?? [];
  if (!project || !id) return undefined;
  const page = kind === 'topics' ? 'topic' : 'subscription';
  return `${base}/cloudpubsub/${page}/detail/${encodeURIComponent(id)}?project=${encodeURIComponent(project)}`;
}

/** The trace of an event in Cloud Trace, and the log lines of it within a minute of the last failure. */
export function traceLinks(
  { traceId, failedAt }: Pick<EventView, 'traceId' | 'failedAt'>,
  project: string | undefined,
): { readonly trace: string; readonly logs: string } | undefined {
  if (!project || !/^[\da-f]{32}$/i.test(traceId ?? '')) return undefined;
  const at = (offset: number) => new Date(failedAt.getTime() + offset).toISOString();
  const query = encodeURIComponent(`trace="projects/${project}/traces/${traceId}" OR "${traceId}"`);
  const period = `timeRange=${encodeURIComponent(`${at(-aroundFailureMs)}/${at(aroundFailureMs)}`)}`;
  const of = `project=${encodeURIComponent(project)}`;
  return {
    trace: `${base}/traces/list?${of}&tid=${traceId}`,
    logs: `${base}/logs/query;query=${query};${period}?${of}`,
  };
}
