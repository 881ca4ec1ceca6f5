import type { DatabaseEnvironment } from './database-place.ts';

/** The variables that the functions read: the one contract between `infra`, `local` and `functions`. */
export type Environment = DatabaseEnvironment & {
  /** Connections that one instance may hold. */
  readonly DB_POOL_MAX?: string;
  /** `true`: each statement that changes events notifies the channel `dlq_events`. */
  readonly NOTIFY?: string;
  /** Routes as a JSON list, or the path of a file that holds it. At most one of the two. */
  readonly ROUTES?: string;
  readonly ROUTES_FILE?: string;
  /** `false` makes every tick end at once. */
  readonly RETRY_ENABLED?: string;
  readonly BATCH_SIZE?: string;
  readonly MAX_RETRIES?: string;
  readonly TICK_BUDGET_SECONDS?: string;
  /** Topic of the continuation messages, which are pushed to `retry`. Not set: a tick has one worker. */
  readonly CONTINUE_TOPIC?: string;
  /** Seconds that a worker called by such a message may start batches in. Pub/Sub waits for 600 at most. */
  readonly CONTINUE_BUDGET_SECONDS?: string;
  /** Workers that one run may have at once, with CONTINUE_TOPIC. */
  readonly WORKERS?: string;
  /** Events that one tick claims at most; 0: no limit, a tick drains what is due. */
  readonly MAX_EVENTS_PER_TICK?: string;
  readonly LEASE_SECONDS?: string;
  /** Failures at the consumer, redeliveries included, after which an event is left to people. */
  readonly MAX_RETURNS?: string;
  /** Days after which closed events are archived, and for which a source may bring a failure again. */
  readonly ARCHIVE_AFTER_DAYS?: string;
  readonly SOURCE_RETENTION_DAYS?: string;
  /** Months after which a month of the archive is dropped; 0: never. Before, it is written to the bucket, if there is one. */
  readonly RETAIN_MONTHS?: string;
  readonly EXPORT_BUCKET?: string;
  /** Days after which maintain warns of an event that is still open. */
  readonly OPEN_WARN_DAYS?: string;
  /** The project that traces are kept in, so that lines of the log are found beside them. */
  readonly GOOGLE_CLOUD_PROJECT?: string;
  /** Shared secrets, separated by commas, with one of which every capture has to be signed. Not set: none is. */
  readonly CAPTURE_SECRETS?: string;
  /** The path under which the console is reached. */
  readonly CONSOLE_PATH?: string;
  /** Who may look and act, and who may only look: addresses, separated by commas. */
  readonly CONSOLE_OPERATORS?: string;
  readonly CONSOLE_VIEWERS?: string;
  /** The most that a question of people may cost, in the planner's unit; 0: no limit. */
  readonly FILTER_COST_LIMIT?: string;
  /** How callers prove who they are: see CallerConfig. Audiences of Google ID tokens, separated by commas. */
  readonly CALLER_AUDIENCE?: string;
  readonly IAP_AUDIENCE?: string;
  /** `true` where Cloud Run asks IAM about each caller, and only there. */
  readonly CLOUD_RUN_IAM?: string;
  /** The name of whoever calls over loopback, on a machine of their own. */
  readonly LOCAL_CALLER?: string;
  /** Set by Cloud Run itself. */
  readonly K_SERVICE?: string;
};
