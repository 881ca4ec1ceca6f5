import { config } from './startup.ts';

/** Requests one more worker for a run. Does nothing if the deployment has no continuation topic. */
export async function requestWorker(runId: string): Promise<void> {
  const { continueTopic } = config.retry;
  if (continueTopic === undefined) return;
  const workerRequests = await import('../shared/delivery/worker-requests.ts');
  await workerRequests.requestWorker(continueTopic, runId);
}
