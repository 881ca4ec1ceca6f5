/** Maximum duration of a tick, in seconds: Cloud Scheduler waits no longer for an answer. */
export const tickSeconds = 1800;
